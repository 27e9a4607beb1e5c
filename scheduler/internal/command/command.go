// Package command is the command line of kubectl-preemption.
package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// Exit codes.
const (
	ExitYes      = 0 // the pod fits, or preemption makes room for it; nothing was found
	ExitNo       = 1 // it does not; something was found
	ExitError    = 2 // wrong usage or input, or no answer
	ExitNotTried = 3 // the scheduler does not try the pod
)

// These end a run that went well and whose answer is not yes.
var (
	errNo       = errors.New("no")
	errNotTried = errors.New("not tried")
)

// Run runs the command line and returns the exit code.
func Run(ctx context.Context, args []string, streams genericiooptions.IOStreams) int {
	cmd := New(streams)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	switch {
	case err == nil:
		return ExitYes
	case errors.Is(err, errNo):
		return ExitNo
	case errors.Is(err, errNotTried):
		return ExitNotTried
	}
	fmt.Fprintln(streams.ErrOut, "error:", firstLines(err.Error()))
	return ExitError
}

// So much of an error is shown: an input with one mistake in it often has it in every
// object, and one that is broken may have everything in one name.
const (
	mostLines     = 10
	mostOfALine   = 500 // characters
	shownOfAnEnd  = 100
	leftOutInLine = " (...) "
)

func firstLines(s string) string {
	lines := strings.Split(s, "\n")
	more := len(lines) - mostLines
	if more > 0 {
		lines = lines[:mostLines]
	}
	for i, line := range lines {
		if runes := []rune(line); len(runes) > mostOfALine {
			head := mostOfALine - shownOfAnEnd - len(leftOutInLine)
			lines[i] = string(runes[:head]) + leftOutInLine + string(runes[len(runes)-shownOfAnEnd:])
		}
	}
	s = strings.Join(lines, "\n")
	if more > 0 {
		s = fmt.Sprintf("%s\n(and %d more)", s, more)
	}
	return s
}

const rootHelp = `kubectl preemption tells which pods kube-scheduler would evict for a pending pod,
on which node, and why; who was evicted for whom; and what in a cluster makes
preemption hurt. It never writes to a cluster.

The cluster is that of the kubeconfig, or a dump (-f), which may be in any form
that kubectl prints, compressed or not. A good dump has everything that matters:

  ` + dumpCommand + `

and podgroups,compositepodgroups where the cluster has them. What is missing is
said, with what that means.`

// dumpCommand writes all that is looked at.
const dumpCommand = `kubectl get -A -o json nodes,pods,pdb,priorityclasses,namespaces,limitranges,\
  runtimeclasses,pvc,pv,storageclasses,csinodes,csidrivers,csistoragecapacities,\
  volumeattachments,events > dump.json`

// New returns the command.
func New(streams genericiooptions.IOStreams) *cobra.Command {
	cmd := &cobra.Command{
		Use:           "kubectl-preemption",
		Short:         "Ask what preemption would do",
		Long:          rootHelp,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl preemption"},
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetIn(streams.In)
	cmd.SetOut(streams.Out)
	cmd.SetErr(streams.ErrOut)
	cmd.AddCommand(newExplain(streams), newCanEvict(streams), newCapacity(streams), newSimulate(streams), newWho(streams), newAudit(streams), newVersion(streams))
	return cmd
}
