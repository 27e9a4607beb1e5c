package scenario

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"example.com/preemption"
)

// preempt prints the decision about a preemptor.
func (w *world) preempt(b *Block) (string, error) {
	return w.decide(b, func(x *preemption.Examination, out *output) {
		conclude(x, out)
	})
}

// commit prints the decision about a preemptor and carries it out on the cluster
// of every release. They have to agree, since they go on as one.
func (w *world) commit(b *Block) (string, error) {
	text, err := w.preempt(b)
	if err != nil {
		return "", err
	}
	preemptor := w.preemptor(b.directive.fields())
	texts := map[string]bool{}
	for _, r := range releases {
		c := w.clusters[r]
		result, err := w.settings.build(c, newRecorder(), 1).Preempt(context.Background(), c, preemptor)
		if err == nil {
			err = c.Commit(result)
			texts[resultSummary(result)] = true
		}
		if err != nil {
			return text + "\n" + err.Error(), nil
		}
	}
	if len(texts) > 1 {
		return text + "\n" + Disagreement + " release: what they decide cannot be carried out as one", nil
	}
	w.model = modelOf(w.clusters[newest])
	if wrong := w.checkFresh(); wrong != "" {
		text += "\n" + wrong
	}
	return text, nil
}

// examine prints what was found out on every node, and the decision.
func (w *world) examine(b *Block) (string, error) {
	return w.decide(b, func(x *preemption.Examination, out *output) {
		for i := range x.Nodes {
			out.row(x.Nodes[i].Node.Name, finding(&x.Nodes[i]))
		}
		if len(x.Candidates) > 1 {
			names := make([]string, len(x.Candidates))
			for i, c := range x.Candidates {
				names[i] = c.Node.Name
			}
			out.printf("candidates %s", strings.Join(names, " "))
		}
		conclude(x, out)
	})
}

// explain prints the explanation of the decision.
func (w *world) explain(b *Block) (string, error) {
	return w.decide(b, func(x *preemption.Examination, out *output) { out.printf("%s", x.Explain()) })
}

// message prints kube-scheduler's text about the decision.
func (w *world) message(b *Block) (string, error) {
	return w.decide(b, func(x *preemption.Examination, out *output) {
		if text := x.Message(); text != "" {
			out.printf("%s", text)
		}
	})
}

// decide makes the decision that a directive asks for under each release, and
// checks the laws that decisions owe.
func (w *world) decide(b *Block, show func(*preemption.Examination, *output)) (string, error) {
	f := b.directive.fields()
	chosen := f.releases()
	preemptor := w.preemptor(f)
	if err := f.done(); err != nil {
		return "", err
	}
	if err := w.ready(b); err != nil {
		return "", err
	}
	return perRelease(chosen, func(r preemption.Release) string {
		c := w.clusters[r]
		rec := newRecorder()
		before := w.describe(c)
		x, err := w.settings.build(c, rec, 1).Examine(context.Background(), c, preemptor)
		var out output
		if err != nil {
			out.printf("error: %v", err)
		} else {
			show(x, &out)
		}
		rec.report(&out, c.Nodes())
		for _, text := range w.checkDecision(c, preemptor, summary(x, err), before) {
			out.printf(Disagreement+" %s", text)
		}
		return out.String()
	}), nil
}

// finding says what came out on one node.
func finding(r *preemption.NodeReport) string {
	text := r.Filter.String()
	if r.Filter.Fits() && r.Err == nil {
		text = "fits"
	}
	switch {
	case r.Err != nil:
		return "error: " + r.Err.Error()
	case r.Candidate != nil:
		text += "  -> " + strings.TrimSpace(victimNames(r.Candidate.Victims, r.Node)+fmt.Sprintf("  violations=%d", r.Candidate.Violations))
	case r.Examined:
		text += "  -> " + r.Status.String()
	}
	return text
}

// conclude prints the decision, without what is empty.
func conclude(x *preemption.Examination, out *output) {
	head := x.Outcome.String()
	if x.Node != nil {
		head += " " + x.Node.Name
	}
	if len(x.Victims) > 0 {
		head += ": " + victimNames(x.Victims, x.Node)
	}
	if x.Reason != "" {
		head += ": " + x.Reason
	}
	out.printf("%s", head)
	if len(x.Waiting) > 0 {
		out.printf("  for %s", podNames(x.Waiting))
	}
	if x.Violations > 0 {
		out.printf("  violations %d", x.Violations)
	}
	if x.DecidedBy != "" {
		out.printf("  decided by %s", x.DecidedBy)
	}
	if len(x.Terminating) > 0 {
		out.printf("  terminating already %s", podNames(x.Terminating))
		out.printf("  still to delete %s", cmp.Or(podNames(x.Delete), "nothing"))
	}
	if len(x.ClearNominations) > 0 {
		out.printf("  nominations to clear %s", podNames(x.ClearNominations))
	}
	out.printf("  nomination: %s", x.Nomination)
	if x.Contrast != nil {
		out.printf("  %s", x.Contrast)
	}
}

// summary is all that a decision tells, as text, by names: what the same
// question must get however it is put.
func summary(x *preemption.Examination, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return resultSummary(&x.Result)
}

func resultSummary(r *preemption.Result) string {
	node := "no node"
	if r.Node != nil {
		node = r.Node.Name
	}
	return fmt.Sprintf("%v %q %s [%s] %d delete [%s] terminating [%s] waiting [%s] clear [%s] %v", r.Outcome, r.Reason, node,
		victimNames(r.Victims, r.Node), r.Violations, podNames(r.Delete), podNames(r.Terminating), podNames(r.Waiting), podNames(r.ClearNominations), r.Nomination)
}
