package scenario

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/preemption"
)

// A gangQuestion is what a gang directive asks.
type gangQuestion struct {
	gang    *preemption.Gang
	places  map[*preemption.Pod]string // by member: the node named
	best    bool
	message bool
	explain bool
}

var gangPolicies = map[string]preemption.GangPolicy{
	"unset":    preemption.GangPolicyUnset,
	"preempts": preemption.GangPreempts,
	"never":    preemption.GangNeverPreempts,
}

var planners = map[string]bool{"given": false, "best": true}

// gang prints the decision about a group of pods, whose members are the lines
// of the input.
func (w *world) gang(b *Block) (string, error) {
	f := b.directive.fields()
	chosen := f.releases()
	if len(chosen) == len(releases) {
		chosen = chosen[1:] // 1.36 has no answer to gangs
	}
	q := gangQuestion{
		message: f.flag("message"), explain: f.flag("explain"), gang: &preemption.Gang{},
		best: choice(f, "planner", planners, "given or best"), places: make(map[*preemption.Pod]string),
	}
	g := q.gang
	g.Namespace, g.Name = splitName(f.word("the gang's name"))
	g.Priority, g.MinCount = int32(f.number("prio", 32)), int(f.number("min", 32))
	g.Policy = choice(f, "policy", gangPolicies, "unset, preempts or never")
	if err := f.done(); err != nil {
		return "", err
	}
	if err := w.ready(b); err != nil {
		return "", err
	}
	for i := range b.input {
		l := &b.input[i]
		if l.verb == "" {
			continue
		}
		if l.verb != "member" {
			return "", l.errorf("%q is not known here: want member", l.verb)
		}
		if err := q.member(w, l); err != nil {
			return "", err
		}
	}
	return perRelease(chosen, func(r preemption.Release) string { return w.askGang(w.clusters[r], &q) }), nil
}

// member reads "member NAME …", the words of a pod that has the gang's priority
// unless it says otherwise; on=NODE is where it is placed. A name alone may be
// that of a pod of the cluster.
func (q *gangQuestion) member(w *world, l *line) error {
	f := l.fields()
	node, placed := f.take("on")
	bare := len(f.args) == 1
	priority := slices.ContainsFunc(f.args, func(a arg) bool { return a.key == "prio" })
	m := f.pod()
	if err := f.done(); err != nil {
		return err
	}
	if known := w.model.pod(m.Namespace, m.Name); known != nil && bare {
		m = known
	} else if !priority {
		m.Priority = q.gang.Priority
	}
	if placed {
		q.places[m] = node
	}
	q.gang.Members = append(q.gang.Members, m)
	return nil
}

// planner is that of the question. Where a member is placed by name all that are
// not stay without a node.
func (q *gangQuestion) planner(c *preemption.Cluster) preemption.Planner {
	var placer preemption.Placer
	if len(q.places) > 0 {
		placer = func(context.Context, preemption.View, *preemption.Gang) ([]*preemption.Node, error) {
			nodes := make([]*preemption.Node, len(q.gang.Members))
			for i, m := range q.gang.Members {
				nodes[i] = c.Node(q.places[m])
			}
			return nodes, nil
		}
	}
	if q.best {
		return preemption.BestPlacement{Placer: placer}
	}
	return preemption.GivenPlacement{Placer: placer}
}

// askGang asks, prints the answer and checks that asking again, with more workers
// or of a cluster built afresh, gives the same one.
func (w *world) askGang(c *preemption.Cluster, q *gangQuestion) string {
	before := w.describe(c)
	got := w.gangAnswer(c, q, 1)
	var out output
	out.printf("%s", got)
	check := func(way, again string) {
		if again != got {
			out.printf(Disagreement+" %s: %s", way, again)
		}
	}
	check("parallelism 8", w.gangAnswer(c, q, 8))
	if fresh, err := preemption.NewCluster(w.model.state(c.Release())); err != nil {
		check("a fresh cluster", err.Error())
	} else {
		check("a fresh cluster", w.gangAnswer(fresh, q, 1))
	}
	if shuffled := w.shuffled(c); shuffled != nil {
		check("shuffled pods", w.gangAnswer(shuffled, q, 1))
	}
	if after := w.describe(c); after != before {
		out.printf(Disagreement+" the cluster has changed: %s", after)
	}
	return out.String()
}

func (w *world) gangAnswer(c *preemption.Cluster, q *gangQuestion, workers int) string {
	r, err := w.settings.build(c, nil, workers).PreemptGroup(context.Background(), c, q.gang, q.planner(c))
	switch {
	case err != nil:
		return "error: " + err.Error()
	case q.message:
		return r.Message()
	case q.explain:
		return r.Explain()
	}
	var out output
	concludeGang(r, q.best, &out)
	return out.String()
}

// concludeGang prints the decision, without what is empty. Whether it is exact is
// printed for the planner that can be.
func concludeGang(r *preemption.GangResult, best bool, out *output) {
	head := r.Outcome.String()
	if len(r.Victims) > 0 {
		head += ": " + strings.Join(gangVictims(r.Victims), " ")
	}
	if r.Reason != "" {
		head += ": " + r.Reason
	}
	if r.Code == preemption.Unresolvable {
		head += " (" + r.Code.String() + ")"
	}
	out.printf("%s", head)
	for _, a := range r.Assignments {
		switch {
		case a.Node != nil:
			out.row("  "+podName(a.Pod), a.Node.Name)
		case a.Reason != "":
			out.row("  "+podName(a.Pod), "-", a.Reason)
		}
	}
	if r.Violations > 0 {
		out.printf("  violations %d", r.Violations)
	}
	if d := r.Disruptions; d.PodGroups+d.CompositePodGroups > 0 {
		out.printf("  disruptions: pods %d, groups %d, composites %d", d.Pods, d.PodGroups, d.CompositePodGroups)
	}
	if len(r.Terminating) > 0 {
		out.printf("  terminating already %s", podNames(r.Terminating))
		out.printf("  still to delete %s", cmp.Or(podNames(r.Delete), "nothing"))
	}
	if len(r.Waiting) > 0 {
		out.printf("  waits for %s", podNames(r.Waiting))
	}
	if len(r.ClearNominations) > 0 {
		out.printf("  nominations to clear %s", podNames(r.ClearNominations))
	}
	out.printf("  nominations: %s", r.Nomination)
	if best {
		out.printf("  exact: %t", r.Exact)
	}
}

// gangVictims names the victims with the nodes they are on.
func gangVictims(victims []*preemption.Victim) []string {
	names := make([]string, len(victims))
	for i, v := range victims {
		names[i] = nameOf(v, nil)
		if v.Group == "" {
			names[i] = fmt.Sprint(names[i], "@", v.Nodes[0].Name)
		}
	}
	return names
}
