package command

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
)

// Version is set when the command is built for a release.
var Version = ""

func newVersion(streams genericiooptions.IOStreams) *cobra.Command {
	format := ""
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the command and of the rules it knows",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := version()
			switch format {
			case "":
				_, err := fmt.Fprintf(streams.Out, "kubectl preemption %s (%s)\nrules of kube-scheduler %s; filters of %s\n", v.Version, v.GoVersion, listReleases("and"), v.Filters)
				return err
			case "json", "yaml":
				printer, err := genericclioptions.NewJSONYamlPrintFlags().ToPrinter(format)
				if err != nil {
					return err
				}
				return printer.PrintObj(v, streams.Out)
			}
			return errors.New("--output: want json or yaml")
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "", "Output format: json or yaml.")
	return cmd
}

func version() *explanation.Version {
	v := &explanation.Version{
		TypeMeta: metav1.TypeMeta{APIVersion: explanation.APIVersion, Kind: explanation.VersionKind},
		Version:  Version, GoVersion: runtime.Version(), Rules: minors(), Filters: "unknown",
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, m := range info.Deps {
		if m.Path == "k8s.io/kubernetes" {
			v.Filters = m.Version
		}
	}
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	if v.Version == "" {
		v.Version = "(devel)"
	}
	return v
}

// minors lists the releases whose rules the library knows, the oldest first.
func minors() []string {
	var minors []string
	for _, r := range preemption.Releases() {
		minors = append(minors, r.String())
	}
	return minors
}

// listReleases is for people: "1.36, 1.37 and 1.38".
func listReleases(conjunction string) string {
	known := minors()
	last := len(known) - 1
	return strings.Join(known[:last], ", ") + " " + conjunction + " " + known[last]
}
