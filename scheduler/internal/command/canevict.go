package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"example.com/preemption"
	"example.com/preemption/scheduler/internal/explain"
)

const canEvictHelp = `Tell by whom a running pod could be evicted: by which pending pods as things are, by
which priority at least, what protects it, and how it ranks on its node.

Exit codes: 0 if nothing that is pending would evict it now, 1 if something would,
2 on errors.`

func newCanEvict(streams genericiooptions.IOStreams) *cobra.Command {
	o := newSource(streams)
	cmd := &cobra.Command{
		Use:   "can-evict [POD | TYPE/NAME | TYPE NAME]",
		Short: "Tell by whom a running pod could be evicted",
		Long:  canEvictHelp,
		Example: `  # A running pod of the current cluster
  kubectl preemption can-evict web-1 -n shop

  # Of the built-in example
  kubectl preemption can-evict search-2 --example`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			defer o.progress.done()
			return runCanEvict(cmd.Context(), o, args)
		},
		ValidArgsFunction: o.completePods(func(p *preemption.Pod) bool { return p.NodeName != "" }),
	}
	o.addFlags(cmd, false, "wide, name (of the pods that would evict it), json, yaml, jsonpath=..., go-template=... and the others of kubectl")
	return cmd
}

func runCanEvict(ctx context.Context, o *source, args []string) error {
	if err := o.validate(); err != nil {
		return err
	}
	out, err := o.output()
	if err != nil {
		return err
	}
	t, err := o.target(args)
	if err != nil {
		return err
	}
	if t.group {
		return errors.New("ask about a pod: a group's pods go together, or one by one, as its disruption mode says")
	}
	s, err := o.situation(ctx)
	if err != nil {
		return err
	}
	pod, err := s.Running(t.namespace, t.name)
	if err != nil {
		return err
	}
	o.progress.say("looking at the pending pods")
	e, err := explain.Risk(ctx, s, pod, o.progress.say)
	if err != nil {
		return err
	}
	o.progress.done()
	would := false
	var names []podName
	for _, p := range e.Preemptors {
		if p.Would {
			would = true
			names = append(names, podName{p.Namespace, p.Name})
		}
	}
	switch {
	case out.format == "name":
		err = out.names(names)
	case out.structured():
		err = out.object(e)
	default:
		err = o.text(s).Risk(e)
	}
	if err == nil && would {
		err = errNo
	}
	return err
}
