package command

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/example"
	"example.com/preemption/scheduler/internal/explain"
	"example.com/preemption/scheduler/internal/situation"
)

// explainOptions are the flags of explain.
type explainOptions struct {
	*source
	policy

	podFile     string
	replicas    int
	allPending  bool
	steps       bool
	whatIf      []string
	minPriority bool
}

const explainHelp = `Explain what kube-scheduler would do for a pending pod: whether it fits, whether
it may preempt, which node would be cleared of which pods, what decided, and why
the other nodes do not do.

The cluster is that of the kubeconfig, or a dump (-f), which may be in any form
that kubectl prints. A good dump has everything that matters:

  ` + dumpCommand + `

and podgroups,compositepodgroups where the cluster has them.

kube-scheduler's own filters of 1.37 decide what fits. All nodes are looked at,
where kube-scheduler stops after enough candidates. A pod of a gang is decided on
with its gang.

A change of --what-if is priority=N, priorityClass=NAME,
preemptionPolicy=Never|PreemptLowerPriority, RESOURCE=QUANTITY, "budget NAME=N",
"node NAME=add|remove|cordon|uncordon" (add: one more like it, empty) or
replicas=N. All that are given apply.

Exit codes: 0 if the pod fits or would preempt, 1 if not (also while it waits for
what is terminating), 2 on errors, 3 if the scheduler does not try the pod: it has
scheduling gates, another scheduler's name or device claims, or is being deleted.`

const explainExamples = `  # A cluster that is built in
  kubectl preemption explain --example

  # A pending pod of the current cluster, or a gang
  kubectl preemption explain my-pod -n my-namespace
  kubectl preemption explain podgroup/training

  # A pod that does not exist yet, against a dump, with every step on every node
  kubectl preemption explain -f dump.json --pod-file pod.yaml --steps

  # Three pods of a Deployment, one after another
  kubectl preemption explain --pod-file deployment.yaml --replicas 3

  # What if it needed less, or a budget allowed more, or there were another node
  kubectl preemption explain my-pod --what-if cpu=2 --what-if "budget web=1"
  kubectl preemption explain my-pod --what-if "node worker-1=add"

  # The priority it would take, and whom that would cost
  kubectl preemption explain my-pod --min-priority

  # The whole queue; the pods of a team; for programs; to send around
  kubectl preemption explain --all-pending
  kubectl preemption explain --all-pending -n team-a -l app=web
  kubectl preemption explain --all-pending -f dump.json -o json
  kubectl preemption explain my-pod -o html > my-pod.html`

func newExplain(streams genericiooptions.IOStreams) *cobra.Command {
	o := &explainOptions{source: newSource(streams)}
	cmd := &cobra.Command{
		Use:     "explain [POD | TYPE/NAME | TYPE NAME]",
		Short:   "Explain what preemption would do for a pending pod or gang",
		Long:    explainHelp,
		Example: explainExamples,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			defer o.progress.done()
			return o.run(cmd.Context(), args)
		},
		ValidArgsFunction: o.completePods(func(p *preemption.Pod) bool { return p.NodeName == "" }),
	}
	f := cmd.Flags()
	f.StringVar(&o.podFile, "pod-file", "", "A manifest of a pod, or of a workload with pods, that does not exist yet, to be explained in place of POD.")
	f.IntVar(&o.replicas, "replicas", 0, "How many pods to decide on, one after another. Defaults to what the manifest of a workload says.")
	f.BoolVar(&o.allPending, "all-pending", false, "Go through all pending pods in the scheduler's order, each after the ones before. -n and -l choose which are shown.")
	f.BoolVar(&o.steps, "steps", false, "Node by node, what was tried; of each pod with --all-pending.")
	f.StringArrayVar(&o.whatIf, "what-if", nil, "A change to make first; may be repeated. See above for its forms.")
	f.BoolVar(&o.minPriority, "min-priority", false, "Also find the lowest priority at which the pod would get a node.")
	o.addPolicyFlags(cmd)
	o.addSchedulerFlag(cmd)
	o.addFlags(cmd, true, "wide, name (of the pods that would go), json, yaml, html, jsonpath=..., go-template=... and the others of kubectl")
	return cmd
}

func (o *explainOptions) run(ctx context.Context, args []string) error {
	changes, err := o.validate(args)
	if err != nil {
		return err
	}
	out, err := o.output("html")
	if err != nil {
		return err
	}
	s, err := o.situation(ctx)
	if err != nil {
		return err
	}
	o.policy.apply(s)
	if o.allPending {
		if _, err := explain.Change(s, &preemption.Pod{Namespace: o.defaultNamespace()}, changes); err != nil {
			return fmt.Errorf("--what-if: %w", err)
		}
		return o.explainAll(ctx, s, out)
	}
	if o.podFile == "" && (len(args) > 0 || !o.example) {
		t, err := o.target(args)
		if err != nil {
			return err
		}
		if t.group {
			return o.explainGroup(ctx, s, t, changes, out)
		}
	}
	pod, replicas, err := o.pod(s, args)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.Replicas > 0 {
			replicas = c.Replicas
		}
	}
	if replicas > 1 {
		return o.explainReplicas(ctx, s, pod, replicas, changes, out)
	}
	r, err := o.explainOne(ctx, s, pod, changes)
	if err != nil {
		return err
	}
	r.Warnings = append(r.Warnings, s.Notes...)
	if err := o.printReport(ctx, s, r, out); err != nil {
		return err
	}
	return answer(r.State, r.Outcome)
}

// validate checks that the flags go together, and reads the changes.
func (o *explainOptions) validate(args []string) ([]situation.Change, error) {
	named := 0
	for _, given := range []bool{len(args) > 0, o.podFile != "", o.allPending} {
		if given {
			named++
		}
	}
	switch {
	case named > 1:
		return nil, errors.New("POD, --pod-file and --all-pending exclude each other")
	case named == 0 && !o.example:
		return nil, errors.New("name a pod, or give --pod-file, --all-pending or --example")
	case o.podFile == "-" && slices.Contains(o.files, "-"):
		return nil, errors.New("-f and --pod-file cannot both be standard input")
	case o.allPending && o.minPriority:
		return nil, errors.New("--min-priority is about one pod, not --all-pending")
	case !o.allPending && (o.selector != "" || o.allNamespaces):
		return nil, errors.New("-l and -A go with --all-pending")
	case o.replicas < 0:
		return nil, errors.New("--replicas: want a number above zero")
	case o.replicas > 0 && o.podFile == "":
		return nil, errors.New(`--replicas goes with --pod-file; for more pods like one that is pending there is --what-if replicas=N`)
	}
	var changes []situation.Change
	for _, text := range o.whatIf {
		c, err := situation.ParseChange(text)
		if err != nil {
			return nil, fmt.Errorf("--what-if: %w", err)
		}
		if o.allPending && !c.OfCluster {
			return nil, fmt.Errorf("--what-if: %q is about one pod, not --all-pending", text)
		}
		if c.Replicas > 0 && o.minPriority {
			return nil, errors.New("--min-priority is about one pod, not several replicas")
		}
		changes = append(changes, c)
	}
	if err := o.policy.validate(); err != nil {
		return nil, err
	}
	if len(args) > 0 {
		if _, err := parseTarget(args); err != nil {
			return nil, err
		}
	}
	return changes, o.source.validate()
}

// pod returns the pod to explain, and how many of it.
func (o *explainOptions) pod(s *situation.Situation, args []string) (*preemption.Pod, int, error) {
	if o.podFile != "" {
		return o.newPod(s, o.podFile, o.replicas)
	}
	if o.example && len(args) == 0 {
		pod, err := s.Pending(example.Namespace, example.Pod)
		return pod, 1, err
	}
	t, err := o.target(args)
	if err != nil {
		return nil, 0, err
	}
	pod, err := s.Pending(t.namespace, t.name)
	return pod, 1, err
}

func (o *explainOptions) explainOne(ctx context.Context, s *situation.Situation, pod *preemption.Pod, changes []situation.Change) (*explain.Report, error) {
	o.progress.say("looking at the nodes")
	r, err := o.explainChanged(ctx, s, pod, changes)
	if err == nil && o.minPriority {
		r.MinPriority, err = explain.MinPriority(ctx, s, r.Pod, o.progress.say)
	}
	return r, err
}

func (o *explainOptions) explainChanged(ctx context.Context, s *situation.Situation, pod *preemption.Pod, changes []situation.Change) (*explain.Report, error) {
	if len(changes) == 0 {
		return explain.Pod(ctx, s, pod)
	}
	r, err := explain.WhatIf(ctx, s, pod, changes)
	if err != nil {
		return nil, fmt.Errorf("--what-if: %w", err)
	}
	return r, nil
}

// explainGroup explains a gang.
func (o *explainOptions) explainGroup(ctx context.Context, s *situation.Situation, t target, changes []situation.Change, out *output) error {
	if o.minPriority {
		return errors.New("--min-priority is about a pod, not a gang")
	}
	for _, c := range changes {
		if !c.OfCluster {
			return fmt.Errorf("--what-if: %q is about a pod, not a gang", c)
		}
	}
	if _, err := explain.Change(s, &preemption.Pod{Namespace: t.namespace}, changes); err != nil {
		return fmt.Errorf("--what-if: %w", err)
	}
	g, err := explain.FindGang(s, t.namespace, t.name)
	if err != nil {
		return err
	}
	e, err := explain.Group(ctx, s, g)
	if err != nil {
		return err
	}
	o.progress.done()
	switch {
	case out.format == "html":
		return errors.New("-o html is there for pods: ask about one of the gang's")
	case out.format == "name":
		err = out.names(victimNames(e.Victims))
	case out.structured():
		err = out.object(e)
	default:
		err = o.text(s).Group(e)
	}
	if err != nil {
		return err
	}
	return answer(e.State, e.Outcome)
}

// answer is the exit: nil for yes. A pod that waits has an answer by what the
// scheduler decides: whether it gives it a node.
func answer(state, outcome string) error {
	switch {
	case state == explanation.StateNotTried:
		return errNotTried
	case outcome == explanation.Fits || outcome == explanation.Preempt:
		return nil
	}
	return errNo
}
