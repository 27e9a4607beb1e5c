package command

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/explain"
	"example.com/preemption/scheduler/internal/situation"
)

// explainAll goes through the queue. Text is printed as it comes; a list has to
// be complete.
func (o *explainOptions) explainAll(ctx context.Context, s *situation.Situation) error {
	list := &explanation.List{
		TypeMeta: metav1.TypeMeta{APIVersion: explanation.APIVersion, Kind: explanation.ListKind},
		Items:    []explanation.Explanation{},
		Warnings: append(s.Notes, "each pod that fits was taken to go to the first node that takes it; scoring may choose another"),
	}
	total := len(explain.Pending(s))
	text := o.text(s)
	no := 0
	o.progress.say(fmt.Sprintf("pod 1 of %d", total))
	err := explain.Queue(ctx, s, func(r *explain.Report) error {
		if answer(r) != nil {
			no++
		}
		list.Items = append(list.Items, r.Explanation)
		if o.structured() {
			o.progress.say(fmt.Sprintf("pod %d of %d", len(list.Items)+1, total))
			return nil
		}
		o.progress.done()
		if len(list.Items) > 1 {
			fmt.Fprintln(o.Out, "\n---")
		}
		return text.Report(r)
	})
	if err != nil {
		return err
	}
	o.progress.done()
	if o.structured() {
		err = o.printObject(list)
	} else {
		fmt.Fprintf(o.Out, "\n%d pending pods: %d get a node, %d do not.\n", total, total-no, no)
		err = text.Warnings(list.Warnings)
	}
	if err == nil && no > 0 {
		err = errNo
	}
	return err
}
