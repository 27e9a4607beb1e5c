package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/situation"
	"example.com/preemption/simulate"
)

// World is the situation with pods that do not exist yet, made ready to be played
// out, and the pending pods that take no part as the scheduler does not try them.
// A created pod takes the place of a pending one of its name.
//
// The filters are the library's: kube-scheduler's plugins read the Kubernetes
// objects of pods, which say nothing of what happens in a simulation.
func World(s *situation.Situation, created []*preemption.Pod) (simulate.World, []explanation.LeftOut, error) {
	w := simulate.World{Cluster: s.Cluster.Clone(), Now: s.Now.Truncate(time.Second), Recreate: recreate}
	w.Policy.Evaluator = preemption.Evaluator{
		Filters: kube.Filters(), Victims: s.Evaluator.Victims, Budgets: s.Evaluator.Budgets, Parallelism: s.Evaluator.Parallelism,
	}
	_, leftOut := Pending(s)
	for _, x := range leftOut {
		if err := w.Cluster.RemovePod(x.Namespace, x.Name); err != nil {
			return w, nil, err
		}
	}
	for _, p := range created {
		if reason := NotTried(s, p); reason != "" {
			leftOut = append(leftOut, explanation.LeftOut{Namespace: p.Namespace, Name: p.Name, Reason: reason})
			continue
		}
		if err := enter(&w, p); err != nil {
			return w, nil, err
		}
	}
	for _, group := range s.Contents.Cluster.PodGroups {
		g, err := gangOf(s, group)
		if err != nil {
			return w, nil, err
		}
		if g != nil {
			// Its members are known by their group, and the bound ones are counted.
			w.Gangs = append(w.Gangs, &preemption.Gang{
				Namespace: g.Namespace, Name: g.Name, Priority: g.Priority, Policy: g.Policy, MinCount: g.minCount,
			})
		}
	}
	for _, b := range s.State.DisruptionBudgets {
		a, err := kube.Availability(s.Contents.Cluster.DisruptionBudgetOf(b), nil, nil)
		if err == nil && (a.MinAvailable == nil) != (a.MaxUnavailable == nil) {
			w.Budgets = append(w.Budgets, simulate.Budget{PodDisruptionBudget: b, MinAvailable: a.MinAvailable, MaxUnavailable: a.MaxUnavailable})
		}
	}
	return w, leftOut, nil
}

// enter has the pod created at the start.
func enter(w *simulate.World, p *preemption.Pod) error {
	switch have := w.Cluster.Pod(p.Namespace, p.Name); {
	case have == p:
		return nil
	case have == nil:
	case have.NodeName != "":
		return fmt.Errorf("there is a pod %s already, on node %s: give the new one another name", p, have.NodeName)
	default:
		if err := w.Cluster.RemovePod(p.Namespace, p.Name); err != nil {
			return err
		}
	}
	w.Pending = append(w.Pending, p)
	return nil
}

// recreate knows, besides controllers, that a kubelet starts its static pods again.
func recreate(original, evicted *preemption.Pod, life int) simulate.Recreation {
	r := simulate.Recreate(original, evicted, life)
	if original.Owner.Kind == "Node" {
		r.OnceGone, r.OnlyOn = true, evicted.NodeName
	}
	return r
}

// SimulationNotes say what a simulation takes for granted, and what it does not
// look at.
func SimulationNotes(w *simulate.World, r *simulate.Report) []string {
	notes := []string{"pods that fit were taken to go where most is left; kube-scheduler's scoring may choose another node"}
	unhealthy, overdue := 0, 0
	for _, n := range w.Cluster.Nodes() {
		for _, p := range w.Cluster.PodsOn(n) {
			switch object := kube.PodOf(p); {
			case p.Termination != preemption.NotTerminating:
				if p.TerminatesAt.Before(w.Now) {
					overdue++
				}
			case object != nil && unready(object):
				unhealthy++
			}
		}
	}
	if unhealthy > 0 {
		notes = append(notes, fmt.Sprintf("pods that are not ready at the start count as healthy: %d", unhealthy))
	}
	if overdue > 0 {
		notes = append(notes, fmt.Sprintf("terminating pods that should have been gone before the start go at once: %d", overdue))
	}
	if fields := overlooked(w.Cluster, r); len(fields) > 0 {
		notes = append(notes, "the simulation does not look at "+strings.Join(fields, ", "))
	}
	return notes
}

// overlooked lists what restricts the pods of the report and is not looked at: what
// they ask for themselves, and the anti-affinity of the others.
func overlooked(c *preemption.Cluster, r *simulate.Report) []string {
	pods := make(map[string][]string)
	note := func(p *preemption.Pod, wanted func(field string) bool) {
		object := kube.PodOf(p)
		if object == nil {
			return
		}
		for _, field := range kube.Unjudged(object) {
			if name := p.String(); wanted(field) && !slices.Contains(pods[field], name) {
				pods[field] = append(pods[field], name)
			}
		}
	}
	for i := range r.Pods {
		note(r.Pods[i].Pod, func(string) bool { return true })
	}
	for _, n := range c.Nodes() {
		for _, p := range c.PodsOn(n) {
			note(p, func(field string) bool { return field == "spec.affinity.podAntiAffinity" })
		}
	}
	var list []string
	for field, of := range pods {
		slices.Sort(of)
		text := fmt.Sprintf("%s of %s", field, of[0])
		if len(of) > 1 {
			text += fmt.Sprintf(" and %d more", len(of)-1)
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// aftermath plays out what was decided for a pod or a gang, all other pending pods
// but nominated ones aside, and says where the victims go. What budgets allow stays
// as it was for the decision.
func aftermath(ctx context.Context, s *situation.Situation, subject *preemption.Pod, g *Gang, victims []explanation.Victim) (string, error) {
	const unknown = "where the victims would go is not known: a simulation, which does not look at affinity between pods, topology spread and volumes, "
	w, _, err := World(s, nil)
	if err != nil {
		return "", err
	}
	w.Budgets = nil
	for _, p := range s.State.Pods {
		now := w.Cluster.Pod(p.Namespace, p.Name)
		if now == nil || now.NodeName != "" || now.NominatedNode != "" || now == subject || g != nil && p.Namespace == g.Namespace && p.Group == g.Name {
			continue
		}
		if err := w.Cluster.RemovePod(p.Namespace, p.Name); err != nil {
			return "", err
		}
	}
	if g == nil {
		if have := w.Cluster.Pod(subject.Namespace, subject.Name); have != nil && have.NodeName != "" {
			return "", nil // one more of that name cannot be created
		}
		if err := enter(&w, subject); err != nil {
			return "", err
		}
	}
	r, err := simulate.Run(ctx, w)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return unknown + "fails: " + err.Error(), nil
	}
	i := slices.IndexFunc(r.Preemptions, func(p simulate.Preemption) bool {
		if g != nil {
			return p.Gang != nil && p.Gang.Namespace == g.Namespace && p.Gang.Name == g.Name
		}
		return p.By.Namespace == subject.Namespace && p.By.Name == subject.Name
	})
	if i < 0 || !sameVictims(&r.Preemptions[i], victims) {
		return unknown + "comes to another decision", nil
	}
	return whereTo(r, &r.Preemptions[i], overlooked(w.Cluster, r)), nil
}

// sameVictims reports whether the preemption is what was explained.
func sameVictims(p *simulate.Preemption, victims []explanation.Victim) bool {
	played := append(references(p.Victims), references(p.Waiting)...)
	for _, v := range victims {
		if !slices.Contains(played, explanation.Reference{Namespace: v.Namespace, Name: v.Name}) {
			return false
		}
	}
	return len(victims) == len(played)
}

// whereTo says in a line where the victims are in the end.
func whereTo(r *simulate.Report, p *simulate.Preemption, overlooked []string) string {
	var found, stranded, lost []string
	for _, v := range p.Victims {
		i := slices.IndexFunc(r.Pods, func(x simulate.PodReport) bool { return x.Pod.Namespace == v.Namespace && x.Pod.Name == v.Name })
		switch {
		case i < 0:
		case r.Pods[i].State == simulate.Running:
			found = append(found, fmt.Sprintf("%s to %s", v, r.Pods[i].Node))
		case r.Pods[i].State == simulate.Lost:
			lost = append(lost, v.String())
		default:
			stranded = append(stranded, v.String())
		}
	}
	var parts []string
	if len(found) > 0 {
		parts = append(parts, someOf(found))
	}
	if len(stranded) > 0 {
		parts = append(parts, "nowhere: "+someOf(stranded))
	}
	if len(lost) > 0 {
		parts = append(parts, "gone for good: "+someOf(lost))
	}
	if p.Caused > 0 {
		parts = append(parts, fmt.Sprintf("evictions that they cause in turn: %d", p.Caused))
	}
	if r.End == simulate.Repeats {
		parts = append(parts, "it never settles")
	}
	if len(overlooked) > 0 {
		parts = append(parts, "not looked at: "+strings.Join(overlooked, ", "))
	}
	return "where the victims would go: " + strings.Join(parts, "; ")
}

// someOf names the first few.
func someOf(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// kinds are the names of [simulate.Kind].
var kinds = map[simulate.Kind]string{
	simulate.Arrives: "arrives", simulate.Recreated: "recreated", simulate.Placed: "placed", simulate.Healthy: "healthy",
	simulate.Waits: "waits", simulate.Preempts: "preempts", simulate.Evicted: "evicted", simulate.Gone: "gone",
	simulate.Disclaims: "disclaims", simulate.Departs: "departs", simulate.GivesUp: "gives-up",
}

// Simulation is the report in the form of the output for programs.
func Simulation(s *situation.Situation, r *simulate.Report) *explanation.Simulation {
	x := &explanation.Simulation{
		TypeMeta:          metav1.TypeMeta{APIVersion: explanation.APIVersion, Kind: explanation.SimulationKind},
		KubernetesVersion: s.State.Release.String(), End: r.End.String(), At: seconds(r.At),
		Events: []explanation.SimulationEvent{}, Pods: []explanation.SimulatedPod{}, Preemptions: []explanation.SimulatedPreemption{},
		Violations: []explanation.SimulatedViolation{}, Owners: []explanation.OwnerOutages{}, Budgets: []explanation.BudgetOutages{},
	}
	if c := r.Cycle; c != nil {
		x.Cycle = &explanation.SimulationCycle{From: seconds(c.From), PeriodSeconds: seconds(c.Period), Pods: references(c.Pods)}
	}
	for i := range r.Events {
		e := &r.Events[i]
		x.Events = append(x.Events, explanation.SimulationEvent{
			At: seconds(e.At), Kind: kinds[e.Kind], Pod: reference(e.Pod), Node: e.Node, By: maybe(e.By), Of: maybe(e.Of), Pods: references(e.Pods),
			PDBViolations: e.Violations, GraceSeconds: seconds(e.Grace), Reason: e.Reason, Text: r.Describe(e),
		})
	}
	for i := range r.Pods {
		x.Pods = append(x.Pods, simulated(&r.Pods[i]))
	}
	for i := range r.Preemptions {
		p := &r.Preemptions[i]
		out := explanation.SimulatedPreemption{
			At: seconds(p.At), By: reference(p.By), Node: p.Node, Victims: references(p.Victims), WaitsFor: references(p.Waiting),
			Caused: p.Caused, Depth: p.Depth,
		}
		if p.Gang != nil {
			out.PodGroup = p.Gang.Name
		}
		if p.Parent >= 0 {
			out.Parent = &p.Parent
		}
		x.Preemptions = append(x.Preemptions, out)
	}
	for _, v := range r.Violations {
		budget := explanation.Reference{Namespace: v.Budget.Namespace, Name: v.Budget.Name}
		x.Violations = append(x.Violations, explanation.SimulatedViolation{At: seconds(v.At), Budget: budget, Victim: reference(v.Victim), Preemption: v.Preemption})
	}
	for _, o := range r.Owners {
		x.Owners = append(x.Owners, explanation.OwnerOutages{Namespace: o.Namespace, Owner: explanation.Owner{Kind: o.Owner.Kind, Name: o.Owner.Name}, Outages: outages(o.Outages)})
	}
	for _, b := range r.Budgets {
		x.Budgets = append(x.Budgets, explanation.BudgetOutages{Namespace: b.Budget.Namespace, Name: b.Budget.Name, Outages: outages(b.Outages)})
	}
	return x
}

func simulated(p *simulate.PodReport) explanation.SimulatedPod {
	out := explanation.SimulatedPod{
		Namespace: p.Pod.Namespace, Name: p.Pod.Name, Priority: p.Pod.Priority, Owner: ownerOf(p.Pod), Lives: p.Lives, Now: p.Now.Name,
		State: p.State.String(), Node: p.Node, Reason: p.Reason, WaitedSeconds: seconds(p.Waited), WaitedFor: references(p.WaitedFor),
	}
	if p.Placed {
		first := seconds(p.First)
		out.FirstPlaced = &first
	}
	for _, e := range p.Evictions {
		out.Evictions = append(out.Evictions, explanation.SimulatedEviction{At: seconds(e.At), By: reference(e.By), Preemption: e.Preemption})
	}
	return out
}

func outages(list []simulate.Outage) []explanation.Outage {
	out := make([]explanation.Outage, len(list))
	for i, o := range list {
		out[i].From = seconds(o.From)
		if !o.Lasts {
			to := seconds(o.To)
			out[i].To = &to
		}
	}
	return out
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

func reference(p *preemption.Pod) explanation.Reference {
	return explanation.Reference{Namespace: p.Namespace, Name: p.Name}
}

func maybe(p *preemption.Pod) *explanation.Reference {
	if p == nil {
		return nil
	}
	r := reference(p)
	return &r
}
