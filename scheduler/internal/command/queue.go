package command

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/explain"
	"example.com/preemption/scheduler/internal/situation"
)

func newList(warnings []string) *explanation.List {
	return &explanation.List{
		TypeMeta: metav1.TypeMeta{APIVersion: explanation.APIVersion, Kind: explanation.ListKind},
		Items:    []explanation.Explanation{},
		Warnings: append(slices.Clone(warnings), "each pod that fits was taken to go to the first node that takes it; scoring may choose another"),
	}
}

// explainAll goes through the queue, all of it, and shows the pods that the flags
// ask for.
func (o *explainOptions) explainAll(ctx context.Context, s *situation.Situation, out *output) error {
	list := newList(s.Notes)
	pods, leftOut := explain.Pending(s)
	for _, x := range leftOut {
		p := s.Cluster.Pod(x.Namespace, x.Name)
		if p != nil && o.wanted(p.Namespace, p.Labels) {
			list.LeftOut = append(list.LeftOut, x)
		}
	}
	return o.each(s, list, out, len(pods), func(each func(*explain.Report) error) error {
		return explain.Queue(ctx, s, func(r *explain.Report) error {
			if !o.wanted(r.Pod.Namespace, r.Pod.Labels) {
				return nil
			}
			return each(r)
		})
	})
}

// explainReplicas decides on several pods of one kind, one after another.
func (o *explainOptions) explainReplicas(ctx context.Context, s *situation.Situation, pod *preemption.Pod, n int, changes []situation.Change, out *output) error {
	if o.minPriority {
		return fmt.Errorf("--min-priority is about one pod, not %d", n)
	}
	pod, err := explain.Change(s, pod, changes)
	if err != nil {
		return fmt.Errorf("--what-if: %w", err)
	}
	list := newList(s.Notes)
	return o.each(s, list, out, n, func(each func(*explain.Report) error) error {
		return explain.Replicas(ctx, s, pod, n, each)
	})
}

// each collects the reports, prints them as the flags say, and gives the answer.
// Details are printed as they come; a list has to be complete.
func (o *explainOptions) each(s *situation.Situation, list *explanation.List, out *output, total int, run func(func(*explain.Report) error) error) error {
	if out.format == "html" {
		return fmt.Errorf("-o html is there for one pod")
	}
	text := o.text(s)
	said, verdict := 0, error(nil)
	o.progress.say(fmt.Sprintf("pod 1 of %d", total))
	err := run(func(r *explain.Report) error {
		if a := answer(r.State, r.Outcome); a != nil {
			verdict = errNo
		}
		list.Items = append(list.Items, r.Explanation)
		o.progress.say(fmt.Sprintf("pod %d of %d", len(list.Items)+1, total))
		if !o.steps || out.structured() {
			return nil
		}
		o.progress.done()
		if said++; said > 1 {
			fmt.Fprintln(o.Out, "\n---")
		}
		return text.Report(r)
	})
	if err != nil {
		return err
	}
	o.progress.done()
	switch {
	case out.format == "name":
		var names []podName
		for i := range list.Items {
			names = append(names, victimNames(list.Items[i].Victims)...)
		}
		err = out.names(names)
	case out.structured():
		err = out.object(list)
	default:
		if said > 0 {
			fmt.Fprintln(o.Out, "\n---")
		}
		err = text.Queue(list)
	}
	if err == nil {
		err = verdict
	}
	return err
}
