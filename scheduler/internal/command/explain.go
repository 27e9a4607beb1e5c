package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/dump"
	"example.com/preemption/scheduler/internal/example"
	"example.com/preemption/scheduler/internal/explain"
	"example.com/preemption/scheduler/internal/situation"
)

// explainOptions are the flags of explain.
type explainOptions struct {
	genericiooptions.IOStreams
	config *genericclioptions.ConfigFlags

	files       []string
	recursive   bool
	podFile     string
	output      string
	allPending  bool
	whatIf      string
	minPriority bool
	example     bool
	noColor     bool
	version     string

	progress *progress
}

const explainHelp = `Explain what kube-scheduler would do for a pending pod: whether it fits, whether
it may preempt, which node would be cleared of which pods, what decided, and why
the other nodes do not do.

The cluster is that of the kubeconfig, or a dump (-f), which may be in any form
that kubectl prints. A good dump has everything that matters:

  kubectl get -A -o json nodes,pods,pdb,priorityclasses,namespaces,pvc,pv,storageclasses,\
  csinodes,csidrivers,csistoragecapacities,volumeattachments

and podgroups,compositepodgroups where the cluster has them.

kube-scheduler's own filters of 1.37 decide what fits. All nodes are looked at,
where kube-scheduler stops after enough candidates.

Exit codes: 0 if the pod fits or preemption helps, 1 if not, 2 on errors.`

const explainExamples = `  # A cluster that is built in
  kubectl preemption explain --example

  # A pending pod of the current cluster
  kubectl preemption explain my-pod -n my-namespace

  # A pod that does not exist yet, against a dump, with every step on every node
  kubectl preemption explain -f dump.json --pod-file pod.yaml -o wide

  # What if it needed less, or a budget allowed more
  kubectl preemption explain my-pod --what-if cpu=2
  kubectl preemption explain my-pod --what-if "budget web=1"

  # The priority it would take, and whom that would cost
  kubectl preemption explain my-pod --min-priority

  # The whole queue, as JSON
  kubectl preemption explain --all-pending -f dump.json -o json`

func newExplain(streams genericiooptions.IOStreams) *cobra.Command {
	o := &explainOptions{IOStreams: streams, config: genericclioptions.NewConfigFlags(true), progress: newProgress(streams.ErrOut)}
	cmd := &cobra.Command{
		Use:     "explain [POD]",
		Short:   "Explain what preemption would do for a pending pod",
		Long:    explainHelp,
		Example: explainExamples,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			defer o.progress.done()
			return o.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.StringSliceVarP(&o.files, "filename", "f", nil, "Files, directories or addresses with the cluster's objects; - is standard input.")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "Read directories in -f recursively.")
	f.StringVar(&o.podFile, "pod-file", "", "A manifest of a pod that does not exist yet, to be explained in place of POD.")
	f.StringVarP(&o.output, "output", "o", "", "Output format: wide, json or yaml.")
	f.BoolVar(&o.allPending, "all-pending", false, "Go through all pending pods in the scheduler's order, each after the ones before.")
	f.StringVar(&o.whatIf, "what-if", "", `One thing to change first: priority=N, RESOURCE=QUANTITY or "budget NAME=N".`)
	f.BoolVar(&o.minPriority, "min-priority", false, "Also find the lowest priority at which the pod would get a node.")
	f.BoolVar(&o.example, "example", false, "Explain a built-in example.")
	f.BoolVar(&o.noColor, "no-color", false, "Print without colour, on a terminal too.")
	f.StringVar(&o.version, "kubernetes-version", "", "Follow the rules of 1.36, 1.37 or 1.38. Defaults to the cluster's version, for dumps to 1.37.")
	o.config.AddFlags(f)
	return cmd
}

func (o *explainOptions) run(ctx context.Context, args []string) error {
	if err := o.validate(args); err != nil {
		return err
	}
	s, err := o.situation(ctx)
	if err != nil {
		return err
	}
	if o.allPending {
		return o.explainAll(ctx, s)
	}
	pod, err := o.pod(s, args)
	if err != nil {
		return err
	}
	r, err := o.explainOne(ctx, s, pod)
	if err != nil {
		return err
	}
	r.Warnings = append(r.Warnings, s.Notes...)
	if err := o.print(s, r); err != nil {
		return err
	}
	return answer(r)
}

// validate checks that the flags go together.
func (o *explainOptions) validate(args []string) error {
	named := 0
	for _, given := range []bool{len(args) > 0, o.podFile != "", o.allPending} {
		if given {
			named++
		}
	}
	switch {
	case named > 1:
		return errors.New("POD, --pod-file and --all-pending exclude each other")
	case named == 0 && !o.example:
		return errors.New("name a pod, or give --pod-file, --all-pending or --example")
	case o.example && len(o.files) > 0:
		return errors.New("--example and -f exclude each other")
	case o.podFile == "-" && slices.Contains(o.files, "-"):
		return errors.New("-f and --pod-file cannot both be standard input")
	case o.allPending && (o.whatIf != "" || o.minPriority):
		return errors.New("--what-if and --min-priority are about one pod, not --all-pending")
	}
	if _, err := preemption.ParseRelease(o.version); err != nil {
		return fmt.Errorf("--kubernetes-version: %q: want 1.36, 1.37 or 1.38", o.version)
	}
	switch o.output {
	case "", "wide", "json", "yaml":
		return nil
	}
	return fmt.Errorf("--output: %q: want wide, json or yaml", o.output)
}

// pod returns the pod to explain.
func (o *explainOptions) pod(s *situation.Situation, args []string) (*preemption.Pod, error) {
	namespace := ""
	if o.config.Namespace != nil {
		namespace = *o.config.Namespace
	}
	if o.podFile != "" {
		p, err := dump.Pod(o.podFile, o.In, namespace)
		if err != nil {
			return nil, err
		}
		return s.Add(p)
	}
	if o.example && len(args) == 0 {
		return s.Pending(example.Namespace, example.Pod)
	}
	name := strings.TrimPrefix(strings.TrimPrefix(args[0], "pods/"), "pod/")
	if ns, rest, ok := strings.Cut(name, "/"); ok {
		if namespace != "" && namespace != ns {
			return nil, fmt.Errorf("pod %s is in another namespace than -n %s", name, namespace)
		}
		return s.Pending(ns, rest)
	}
	if namespace == "" {
		namespace = o.defaultNamespace()
	}
	return s.Pending(namespace, name)
}

// defaultNamespace is the kubeconfig's for a live cluster.
func (o *explainOptions) defaultNamespace() string {
	if o.example {
		return example.Namespace
	}
	if len(o.files) == 0 {
		if ns, _, err := o.config.ToRawKubeConfigLoader().Namespace(); err == nil && ns != "" {
			return ns
		}
	}
	return metav1.NamespaceDefault
}

func (o *explainOptions) explainOne(ctx context.Context, s *situation.Situation, pod *preemption.Pod) (*explain.Report, error) {
	o.progress.say("looking at the nodes")
	r, err := o.explainChanged(ctx, s, pod)
	if err == nil && o.minPriority {
		r.MinPriority, err = explain.MinPriority(ctx, s, r.Pod, o.progress.say)
	}
	return r, err
}

func (o *explainOptions) explainChanged(ctx context.Context, s *situation.Situation, pod *preemption.Pod) (*explain.Report, error) {
	if o.whatIf == "" {
		return explain.Pod(ctx, s, pod)
	}
	change, err := situation.ParseChange(o.whatIf)
	if err != nil {
		return nil, fmt.Errorf("--what-if: %w", err)
	}
	r, err := explain.WhatIf(ctx, s, pod, change)
	if err != nil {
		return nil, fmt.Errorf("--what-if: %w", err)
	}
	return r, nil
}

// answer is the exit: nil for yes.
func answer(r *explain.Report) error {
	if r.Outcome == explanation.Fits || r.Outcome == explanation.Preempt {
		return nil
	}
	return errNo
}
