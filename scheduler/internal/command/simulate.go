package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/explain"
	"example.com/preemption/scheduler/internal/situation"
	"example.com/preemption/simulate"
)

type simulateOptions struct {
	*source
	policy
	podFile  string
	replicas int
}

const simulateHelp = `Play out what happens next: who preempts whom, where the victims go, whether they
evict others in turn, what is down meanwhile, and whether it settles.

With --pod-file the pods of the manifest are created at the start, beside those
that are pending; without, it is about all that is pending. Evicted pods are
created again by their controllers, budgets follow the healthy pods, and a pod is
healthy as soon as it has a node. It ends when nothing is left to happen, when
things repeat, or after a day.

What fits is decided by taints, node affinity, host ports and resources. Affinity
between pods, topology spread and volumes are not looked at; the output names the
pods that have them.

Exit codes: 0 if all pods that it is about run at the end, 1 if one does not, or if
it never settles, 2 on errors, 3 if the scheduler does not try the pods to create.`

func newSimulate(streams genericiooptions.IOStreams) *cobra.Command {
	o := &simulateOptions{source: newSource(streams)}
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Play out what happens next, and where the victims go",
		Long:  simulateHelp,
		Example: `  # What becomes of all that is pending
  kubectl preemption simulate -f dump.json

  # What happens if I create this
  kubectl preemption simulate --pod-file deployment.yaml --replicas 3`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			defer o.progress.done()
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.podFile, "pod-file", "", "A manifest of a pod, or of a workload with pods, to be created at the start.")
	f.IntVar(&o.replicas, "replicas", 0, "How many pods to create. Defaults to what the manifest of a workload says.")
	o.addPolicyFlags(cmd)
	o.addSchedulerFlag(cmd)
	o.addFlags(cmd, false, "wide (with a table of the evictions), name (of the pods that are evicted), json, yaml, jsonpath=..., go-template=... and the others of kubectl")
	return cmd
}

func (o *simulateOptions) run(ctx context.Context) error {
	if err := o.validate(); err != nil {
		return err
	}
	out, err := o.output()
	if err != nil {
		return err
	}
	s, err := o.situation(ctx)
	if err != nil {
		return err
	}
	o.policy.apply(s)
	created, err := o.created(s)
	if err != nil {
		return err
	}
	w, leftOut, err := explain.World(s, created)
	if err != nil {
		return err
	}
	o.progress.say("playing it out")
	r, err := simulate.Run(ctx, w)
	if err != nil {
		return err
	}
	o.progress.done()
	notes := slices.Concat(s.Notes, explain.SimulationNotes(&w, r))
	if err := o.write(ctx, s, r, out, leftOut, notes); err != nil {
		return err
	}
	return o.verdict(s, r, created, len(w.Pending))
}

func (o *simulateOptions) validate() error {
	switch {
	case o.podFile == "-" && slices.Contains(o.files, "-"):
		return errors.New("-f and --pod-file cannot both be standard input")
	case o.replicas < 0:
		return errors.New("--replicas: want a number above zero")
	case o.replicas > 0 && o.podFile == "":
		return errors.New("--replicas goes with --pod-file")
	}
	if err := o.policy.validate(); err != nil {
		return err
	}
	return o.source.validate()
}

// created are the pods that do not exist yet.
func (o *simulateOptions) created(s *situation.Situation) ([]*preemption.Pod, error) {
	if o.podFile == "" {
		return nil, nil
	}
	pod, n, err := o.newPod(s, o.podFile, o.replicas)
	if err != nil {
		return nil, err
	}
	if n > 1 {
		return explain.Copies(s, pod, n), nil
	}
	return []*preemption.Pod{pod}, nil
}

func (o *simulateOptions) write(ctx context.Context, s *situation.Situation, r *simulate.Report, out *output, leftOut []explanation.LeftOut, notes []string) error {
	switch {
	case out.format == "name":
		var evicted []podName
		for _, p := range r.Pods {
			if len(p.Evictions) > 0 {
				evicted = append(evicted, podName{p.Pod.Namespace, p.Pod.Name})
			}
		}
		return out.names(evicted)
	case out.structured():
		x := explain.Simulation(s, r)
		x.LeftOut, x.Warnings = leftOut, notes
		return out.object(x)
	}
	var b strings.Builder
	if err := r.WriteTimeLine(&b); err != nil {
		return err
	}
	if len(r.Events) > 0 {
		fmt.Fprintln(&b)
	}
	if err := r.WriteSummary(ctx, &b); err != nil {
		return err
	}
	if out.format == "wide" && len(r.Preemptions) > 0 {
		fmt.Fprintln(&b, "\nevictions:")
		if err := writeEvictions(&b, r); err != nil {
			return err
		}
	}
	if err := o.text(s).Fit(b.String()); err != nil {
		return err
	}
	for _, x := range leftOut {
		notes = append(notes, fmt.Sprintf("pod %s/%s is left out: %s", x.Namespace, x.Name, x.Reason))
	}
	return o.text(s).Warnings(notes)
}

// writeEvictions writes a row an eviction, with what the time line leaves out.
func writeEvictions(out io.Writer, r *simulate.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "AT\tPOD\tPRIORITY\tOWNER\tNODE\tGRACE\tFOR\tITS PRIORITY")
	for i := range r.Events {
		e := &r.Events[i]
		if e.Kind != simulate.Evicted {
			continue
		}
		owner := "<none>"
		if e.Pod.Owner != (preemption.Owner{}) {
			owner = e.Pod.Owner.String()
		}
		fmt.Fprintf(w, "%v\t%s\t%d\t%s\t%s\t%v\t%s\t%d\n", e.At, e.Pod, e.Pod.Priority, owner, e.Node, e.Grace, e.By, e.By.Priority)
	}
	return w.Flush()
}

// verdict is the answer about the created pods, else about those that were pending.
func (o *simulateOptions) verdict(s *situation.Situation, r *simulate.Report, created []*preemption.Pod, tried int) error {
	asked := created
	if o.podFile == "" {
		asked, _ = explain.Pending(s)
	} else if tried < len(created) {
		return errNotTried
	}
	about := make(map[podName]bool, len(asked))
	for _, p := range asked {
		about[podName{p.Namespace, p.Name}] = true
	}
	if r.End == simulate.Repeats {
		return errNo
	}
	for _, p := range r.Pods {
		if about[podName{p.Pod.Namespace, p.Pod.Name}] && p.State != simulate.Running {
			return errNo
		}
	}
	return nil
}
