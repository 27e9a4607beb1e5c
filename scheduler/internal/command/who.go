package command

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"example.com/preemption/scheduler/internal/history"
	"example.com/preemption/scheduler/internal/situation"
)

const whoHelp = `Tell who was preempted for whom, the latest first: from the events of the scheduler
and of kubelets, the conditions of victims that are on their way out, and
nominations. Then sum the victims up by the workload they belonged to.

An event names the preemptor by its UID; it is found again among the pods and
groups there are, or said to be gone.

Exit codes: 0 if nothing tells of a preemption, 1 if something does, 2 on errors.`

func newWho(streams genericiooptions.IOStreams) *cobra.Command {
	o := newSource(streams)
	cmd := &cobra.Command{
		Use:   "who",
		Short: "Tell who was preempted for whom",
		Long:  whoHelp,
		Example: `  # What the cluster still knows
  kubectl preemption who

  # The victims of a team, from a dump
  kubectl preemption who -f dump.json -n team-a`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			defer o.progress.done()
			return runWho(cmd.Context(), o)
		},
	}
	o.addFlags(cmd, true, "wide, name (of the victims), json, yaml, jsonpath=..., go-template=... and the others of kubectl")
	return cmd
}

func runWho(ctx context.Context, o *source) error {
	if err := o.validate(); err != nil {
		return err
	}
	out, err := o.output()
	if err != nil {
		return err
	}
	c, notes, _, err := o.contents(ctx)
	if err != nil {
		return err
	}
	h := history.Of(c, o.wanted)
	h.Warnings = append(notes, h.Warnings...)
	o.progress.done()
	switch {
	case out.format == "name":
		var names []podName
		for i := range h.Preemptions {
			v := h.Preemptions[i].Victim
			names = append(names, podName{v.Namespace, v.Name})
		}
		err = out.names(names)
	case out.structured():
		err = out.object(h)
	default:
		p := o.text(nil)
		p.Now = situation.Now(c)
		err = p.History(h)
	}
	if err == nil && len(h.Preemptions) > 0 {
		err = errNo
	}
	return err
}
