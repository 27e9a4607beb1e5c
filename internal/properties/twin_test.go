package properties

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"example.com/preemption"
)

// The twin decides as the package promises to, written down as plainly as the
// rules allow: from scratch at each step, in sets of pods and big numbers,
// without filters, dry runs or a compiled cluster. It shares no code with the
// package. Properties compare the two.
type twin struct {
	preemption.ClusterState
	preemptor *preemption.Pod
	// The settings of the evaluator that the twin knows.
	eligible func(preemptor *preemption.Pod, v *preemption.Victim, n *preemption.Node) bool
	sampling *preemption.Sampling
	statuses func(n *preemption.Node) (preemption.Status, bool)
	policy   *twinPolicy // nil: that of kube-scheduler
}

// release resolves the zero value.
func (w twin) release() preemption.Release {
	return cmp.Or(w.Release, preemption.Release138)
}

func (w twin) podsOn(n *preemption.Node) []*preemption.Pod {
	return filtered(w.Pods, func(p *preemption.Pod) bool { return p.NodeName == n.Name })
}

func (w twin) nominatedTo(n *preemption.Node) []*preemption.Pod {
	return filtered(w.Pods, func(p *preemption.Pod) bool { return p.NodeName == "" && p.NominatedNode == n.Name })
}

func filtered[T any](list []T, keep func(T) bool) []T {
	var kept []T
	for _, x := range list {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

func without(pods []*preemption.Pod, gone []*preemption.Pod) []*preemption.Pod {
	return filtered(pods, func(p *preemption.Pod) bool { return !slices.Contains(gone, p) })
}

// --- what fits ---

// fits tells whether the node takes the preemptor beside these pods.
func (w twin) fits(n *preemption.Node, pods []*preemption.Pod) preemption.Status {
	p := w.preemptor
	if n.Unschedulable && !twinTolerates(p, preemption.Taint{Key: "node.kubernetes.io/unschedulable", Effect: preemption.NoSchedule}) {
		return preemption.Status{Code: preemption.Unresolvable, Filter: "NodeUnschedulable", Reasons: []string{"node(s) were unschedulable"}}
	}
	for _, taint := range n.Taints {
		if taint.Effect != preemption.PreferNoSchedule && !twinTolerates(p, taint) {
			return preemption.Status{Code: preemption.Unresolvable, Filter: "TaintToleration", Reasons: []string{"node(s) had untolerated taint(s)"}}
		}
	}
	for k, v := range p.NodeSelector {
		if have, ok := n.Labels[k]; !ok || have != v {
			return preemption.Status{Code: preemption.Unresolvable, Filter: "NodeAffinity", Reasons: []string{"node(s) didn't match Pod's node affinity/selector"}}
		}
	}
	for _, other := range pods {
		for _, a := range p.HostPorts {
			for _, b := range other.HostPorts {
				if twinClash(a, b) {
					return preemption.Status{Code: preemption.Unschedulable, Filter: "NodePorts", Reasons: []string{"node(s) didn't have free ports for the requested pod ports"}}
				}
			}
		}
	}
	return w.hasRoom(n, pods)
}

func (w twin) hasRoom(n *preemption.Node, pods []*preemption.Pod) preemption.Status {
	status := preemption.Status{Filter: "NodeResourcesFit"}
	if int64(len(pods))+1 > n.Allocatable[preemption.PodCount] {
		status.Code = preemption.Unschedulable
		status.Reasons = append(status.Reasons, "Too many pods")
	}
	for _, name := range []string{preemption.CPU, preemption.Memory, gpu} { // all that scenarios use, in order
		want := w.preemptor.Requests[name]
		total := big.NewInt(want)
		for _, p := range pods {
			total.Add(total, big.NewInt(p.Requests[name]))
		}
		if want == 0 || total.Cmp(big.NewInt(n.Allocatable[name])) <= 0 {
			continue
		}
		status.Reasons = append(status.Reasons, "Insufficient "+name)
		status.Code = max(status.Code, preemption.Unschedulable)
		if want > n.Allocatable[name] {
			status.Code = preemption.Unresolvable
		}
	}
	if status.Code == preemption.Fits {
		return preemption.Status{}
	}
	return status
}

func twinTolerates(p *preemption.Pod, taint preemption.Taint) bool {
	for _, t := range p.Tolerations {
		effect := t.Effect == "" || t.Effect == taint.Effect
		key := t.Key == "" || t.Key == taint.Key
		value := t.Operator == preemption.TolerationExists ||
			(t.Operator == "" || t.Operator == preemption.TolerationEqual) && t.Value == taint.Value
		if effect && key && value {
			return true
		}
	}
	return false
}

func twinClash(a, b preemption.HostPort) bool {
	protocol := func(h preemption.HostPort) string { return cmp.Or(h.Protocol, "TCP") }
	everywhere := func(h preemption.HostPort) bool { return h.IP == "" || h.IP == "0.0.0.0" }
	return a.Port > 0 && b.Port > 0 && a.Port == b.Port && protocol(a) == protocol(b) &&
		(everywhere(a) || everywhere(b) || a.IP == b.IP)
}

// fitsTwice is the fit test with nominated pods, then without.
func (w twin) fitsTwice(n *preemption.Node, pods []*preemption.Pod) preemption.Status {
	held := filtered(w.nominatedTo(n), func(p *preemption.Pod) bool {
		return p.Priority >= w.preemptor.Priority && !w.isPreemptor(p)
	})
	if s := w.fits(n, slices.Concat(pods, held)); !s.Fits() {
		return s
	}
	return w.fits(n, pods)
}

// isPreemptor goes by UID, or by name where one has none.
func (w twin) isPreemptor(p *preemption.Pod) bool {
	if p.UID == "" || w.preemptor.UID == "" {
		return p.Namespace == w.preemptor.Namespace && p.Name == w.preemptor.Name
	}
	return p.UID == w.preemptor.UID
}

// --- who goes together ---

type twinGroup struct {
	kind     preemption.VictimKind
	name     string
	priority int32
	mode     preemption.DisruptionMode
	parent   string
}

// ancestry lists the groups above a pod, lowest first, as far as they resolve.
func (w twin) ancestry(p *preemption.Pod) []twinGroup {
	var chain []twinGroup
	for _, g := range w.PodGroups {
		if p.Group != "" && g.Namespace == p.Namespace && g.Name == p.Group {
			chain = append(chain, twinGroup{preemption.KindPodGroup, g.Name, g.Priority, g.DisruptionMode, g.Parent})
		}
	}
	for len(chain) > 0 && len(chain) < 4 {
		parent := chain[len(chain)-1].parent
		i := slices.IndexFunc(w.CompositePodGroups, func(g *preemption.CompositePodGroup) bool {
			return parent != "" && g.Namespace == p.Namespace && g.Name == parent
		})
		known := slices.ContainsFunc(chain, func(g twinGroup) bool { return g.kind == preemption.KindCompositePodGroup && g.name == parent })
		if i < 0 || known {
			break
		}
		g := w.CompositePodGroups[i]
		chain = append(chain, twinGroup{preemption.KindCompositePodGroup, g.Name, g.Priority, g.DisruptionMode, g.Parent})
	}
	return chain
}

// unitOf names the atomic group of a pod, "" if it goes alone, with the victim's
// kind and the pod's effective priority.
func (w twin) unitOf(p *preemption.Pod) (unit string, v preemption.Victim) {
	v = preemption.Victim{Priority: p.Priority}
	if w.release() == preemption.Release136 {
		return "", v
	}
	if w.release() == preemption.Release137 && p.Group != "" {
		v.Kind = preemption.KindPodGroup
	}
	for _, g := range w.ancestry(p) {
		if w.release() == preemption.Release137 {
			v.Priority = g.priority
		}
		if g.mode == preemption.DisruptAll {
			unit, v.Kind, v.Group = fmt.Sprint(p.Namespace, g.kind, g.name), g.kind, g.name
		}
	}
	return unit, v
}

// victimsOn lists the units with a pod on the node.
func (w twin) victimsOn(n *preemption.Node) []*preemption.Victim {
	var victims []*preemption.Victim
	seen := map[string]bool{}
	for _, p := range w.podsOn(n) {
		unit, v := w.unitOf(p)
		if unit != "" && seen[unit] {
			continue
		}
		seen[unit] = true
		v.Pods = []*preemption.Pod{p}
		if unit != "" {
			v.Pods = filtered(w.Pods, func(o *preemption.Pod) bool {
				u, _ := w.unitOf(o)
				return o.NodeName != "" && u == unit
			})
			slices.SortFunc(v.Pods, func(a, b *preemption.Pod) int {
				return cmp.Or(strings.Compare(a.UID, b.UID), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
			})
		}
		for _, o := range v.Pods {
			_, alone := w.unitOf(o)
			v.Priority = max(v.Priority, alone.Priority)
			v.Nodes = append(v.Nodes, w.node(o.NodeName))
		}
		victims = append(victims, &v)
	}
	return victims
}

func (w twin) node(name string) *preemption.Node {
	i := slices.IndexFunc(w.Nodes, func(n *preemption.Node) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return w.Nodes[i]
}

// importance is what counts of a victim, the greater the more important.
func importance(v *preemption.Victim) []*big.Int {
	earliest := twinStart(v.Pods[0])
	for _, p := range v.Pods {
		if s := twinStart(p); s.Cmp(earliest) < 0 {
			earliest = s
		}
	}
	return []*big.Int{
		big.NewInt(int64(v.Priority)), big.NewInt(int64(v.Kind)), big.NewInt(int64(len(v.Pods))), earliest.Neg(earliest),
	}
}

// twinStart is the start in nanoseconds, within the years that int64 holds.
func twinStart(p *preemption.Pod) *big.Int {
	if p.Start.IsZero() {
		return big.NewInt(math.MaxInt64)
	}
	n := new(big.Int).Mul(big.NewInt(p.Start.Unix()), big.NewInt(int64(time.Second)))
	n.Add(n, big.NewInt(int64(p.Start.Nanosecond())))
	if !n.IsInt64() {
		return big.NewInt(math.MaxInt64 * int64(n.Sign()))
	}
	return n
}

func moreImportant(a, b *preemption.Victim) bool {
	x, y := importance(a), importance(b)
	for i := range x {
		if c := x[i].Cmp(y[i]); c != 0 {
			return c > 0
		}
	}
	return a.Pods[0].UID < b.Pods[0].UID
}

// mostImportantFirst is an insertion sort: the order of equals is plain to see.
func mostImportantFirst(victims []*preemption.Victim) []*preemption.Victim {
	var sorted []*preemption.Victim
	for _, v := range victims {
		i := len(sorted)
		for i > 0 && moreImportant(v, sorted[i-1]) {
			i--
		}
		sorted = slices.Insert(sorted, i, v)
	}
	return sorted
}

// --- what budgets say ---

// violations counts, victim by victim in this order, the pods that overdraw a
// budget.
func (w twin) violations(victims []*preemption.Victim) []int {
	used := map[*preemption.PodDisruptionBudget]int64{}
	counts := make([]int, len(victims))
	for i, v := range victims {
		for _, p := range v.Pods {
			violates := false
			for _, b := range w.DisruptionBudgets {
				if !w.covers(b, p) || slices.Contains(b.Disrupted, p.Name) {
					continue
				}
				if violates && w.release() != preemption.Release136 {
					continue // stopped at the first budget overdrawn
				}
				used[b]++
				violates = violates || used[b] > int64(b.Allowed)
			}
			if violates {
				counts[i]++
			}
		}
	}
	return counts
}

func (w twin) covers(b *preemption.PodDisruptionBudget, p *preemption.Pod) bool {
	if b.Namespace != p.Namespace || b.Selector == nil {
		return false
	}
	conditions := len(b.Selector.MatchLabels) + len(b.Selector.MatchExpressions)
	if (conditions == 0 || len(p.Labels) == 0) && w.release() < preemption.Release138 {
		return false
	}
	return twinMatches(b.Selector, p.Labels)
}

// twinMatches knows the invalid selectors that scenarios use.
func twinMatches(s *preemption.Selector, labels map[string]string) bool {
	for k, v := range s.MatchLabels {
		if have, ok := labels[k]; !ok || have != v {
			return false
		}
	}
	for _, r := range s.MatchExpressions {
		have, ok := labels[r.Key]
		in := ok && slices.Contains(r.Values, have)
		holds := map[preemption.SelectorOperator]bool{
			preemption.SelectorIn: in, preemption.SelectorNotIn: !in, preemption.SelectorExists: ok, preemption.SelectorDoesNotExist: !ok,
		}
		if !holds[r.Operator] {
			return false
		}
	}
	return true
}

// --- one node ---

func (w twin) selectVictims(n *preemption.Node) (status preemption.Status, victims []*preemption.Victim, violations int) {
	if w.policy != nil {
		return w.selectByPolicy(n)
	}
	all := mostImportantFirst(filtered(w.victimsOn(n), w.mayEvict))
	if len(all) == 0 {
		return preemption.Status{Code: preemption.Unresolvable, Reasons: []string{preemption.ReasonNoVictims}}, nil, 0
	}
	left := w.podsOn(n)
	for _, v := range all {
		left = without(left, v.Pods)
	}
	if s := w.fitsTwice(n, left); !s.Fits() {
		return s, nil, 0
	}
	counts := w.violations(all)
	for _, violating := range []bool{true, false} {
		for i, v := range all {
			if counts[i] > 0 != violating {
				continue
			}
			// Put back those of its pods that ran here.
			with := without(w.podsOn(n), without(without(w.podsOn(n), left), v.Pods))
			if w.fitsTwice(n, with).Fits() {
				left = with
			} else {
				victims = append(victims, v)
				violations += counts[i]
			}
		}
	}
	return preemption.Status{}, filtered(all, func(v *preemption.Victim) bool { return slices.Contains(victims, v) }), violations
}

func (w twin) mayEvict(v *preemption.Victim) bool {
	for _, n := range v.Nodes {
		if w.eligible != nil && !w.eligible(w.preemptor, v, n) {
			return false
		}
	}
	return v.Priority < w.preemptor.Priority
}

// --- the decision ---

// A verdict is a decision in words, to be compared.
type verdict struct {
	Outcome, Reason, Node string
	Victims               []string // pods
	Violations            int
	Delete, Terminating   []string
	Waiting               []string
	ClearNominations      []string
	Nomination            string
	Statuses              []string // by node, of those where there is no candidate
	Candidates            []string
	Potential             int
	FitNodes              []string
	Failed                []string // nodes
}

func (w twin) decide() verdict {
	d := verdict{Outcome: "unhelpful", Nomination: "clear"}
	filter := map[*preemption.Node]preemption.Status{}
	var potential []*preemption.Node
	for _, n := range w.Nodes {
		s := w.fitsTwice(n, w.podsOn(n))
		if w.statuses != nil {
			if known, ok := w.statuses(n); ok {
				s = known
			}
		}
		filter[n] = s
		switch s.Code {
		case preemption.Fits:
			d.FitNodes = append(d.FitNodes, n.Name)
		case preemption.Unschedulable:
			potential = append(potential, n)
		}
	}
	d.Potential = len(potential)
	status := maps.Clone(filter)
	reason, waiting := w.ineligible(filter)
	switch {
	case len(d.FitNodes) > 0:
		d.Outcome, d.Node, d.Nomination = "fits", w.nominatedFirst(d.FitNodes)[0], "keep"
	case len(waiting) > 0:
		d.Outcome, d.Reason, d.Nomination = "waiting", reason, "keep"
		d.Node, d.Waiting = w.preemptor.NominatedNode, podNames(waiting)
	case reason != "":
		d.Outcome, d.Reason, d.Nomination = "ineligible", reason, "keep"
	default:
		w.search(&d, potential, status)
	}
	for _, n := range w.Nodes {
		d.Statuses = append(d.Statuses, n.Name+" "+status[n].Filter+" "+status[n].String())
	}
	return d
}

// nominatedFirst puts the preemptor's nominated node in front.
func (w twin) nominatedFirst(nodes []string) []string {
	is := func(n string) bool { return n == w.preemptor.NominatedNode }
	return append(filtered(nodes, is), filtered(nodes, func(n string) bool { return !is(n) })...)
}

func (w twin) ineligible(filter map[*preemption.Node]preemption.Status) (reason string, waiting []*preemption.Pod) {
	if w.preemptor.PreemptionPolicy == preemption.PreemptNever {
		return "not eligible due to preemptionPolicy=Never.", nil
	}
	n := w.node(w.preemptor.NominatedNode)
	if n == nil || filter[n].Code == preemption.Unresolvable {
		return "", nil
	}
	var leaving []*preemption.Victim
	for _, p := range w.podsOn(n) {
		unit, v := w.unitOf(p)
		if unit != "" { // looked at alone, it ranks no higher than a member does
			v.Kind, v.Group = preemption.KindPod, ""
			if w.release() == preemption.Release137 {
				v.Kind = preemption.KindPodGroup
			}
		}
		v.Pods, v.Nodes = []*preemption.Pod{p}, []*preemption.Node{n}
		if p.Termination == preemption.TerminatingByPreemption && w.mayEvict(&v) {
			leaving = append(leaving, &v)
		}
	}
	for _, v := range mostImportantFirst(leaving) {
		waiting = append(waiting, v.Pods[0])
		reason = "not eligible due to a terminating pod on the nominated node."
	}
	return reason, waiting
}

// search dry-runs the nodes and picks one, with status updated for the others.
func (w twin) search(d *verdict, potential []*preemption.Node, status map[*preemption.Node]preemption.Status) {
	var clean, violating []*preemption.Candidate
	count, start := len(potential), 0
	if w.sampling != nil && count > 0 {
		count, start = w.sampling.Count(count), w.sampling.Offset(count)
	}
	var all []*preemption.Candidate // in node order
	for i := range potential {
		if w.sampling != nil && len(clean) > 0 && len(clean)+len(violating) >= count {
			break
		}
		n := potential[(start+i)%len(potential)]
		s, victims, violations := w.selectVictims(n)
		c := &preemption.Candidate{Node: n, Victims: victims, Violations: violations}
		switch {
		case !s.Fits():
			status[n] = s
		case len(victims) == 0 && w.release() != preemption.Release138:
			d.Failed = append(d.Failed, n.Name)
		case len(victims) == 0:
			status[n] = preemption.Status{Code: preemption.Unresolvable, Reasons: []string{preemption.ReasonNoVictims}}
		case violations == 0 && len(clean) < count:
			clean, all = append(clean, c), append(all, c)
		case violations > 0 && len(violating) < count:
			violating, all = append(violating, c), append(all, c)
		}
	}
	if w.sampling != nil {
		all = slices.Concat(clean, violating)
	}
	var best *preemption.Candidate
	for _, c := range all {
		d.Candidates = append(d.Candidates, fmt.Sprint(c.Node.Name, podNames(c.Pods()), c.Violations))
		if best == nil || w.better(c, best) {
			best = c
		}
	}
	if best == nil {
		return
	}
	d.Outcome, d.Node, d.Nomination, d.Violations = "preempt", best.Node.Name, "set", best.Violations
	d.Victims = podNames(best.Pods())
	alive := func(p *preemption.Pod) bool { return p.Termination == preemption.NotTerminating }
	d.Delete = podNames(filtered(best.Pods(), alive))
	d.Terminating = podNames(filtered(best.Pods(), func(p *preemption.Pod) bool { return !alive(p) }))
	d.ClearNominations = podNames(filtered(w.nominatedTo(best.Node), func(p *preemption.Pod) bool {
		return p.Priority < w.preemptor.Priority && !w.isPreemptor(p)
	}))
}

// cost is what choosing a candidate costs, the most weighty first.
func cost(c *preemption.Candidate) []*big.Int {
	pods := c.Pods()
	sum, top, latest := new(big.Int), new(big.Int), new(big.Int)
	if len(pods) == 0 {
		top.SetInt64(math.MinInt64)
		latest.SetInt64(math.MaxInt64)
	}
	for i, p := range pods {
		sum.Add(sum, big.NewInt(int64(p.Priority)+1<<31))
		if i == 0 {
			top.SetInt64(int64(p.Priority))
		}
	}
	highest := slices.MaxFunc(append(pods, &preemption.Pod{Priority: math.MinInt32}), func(a, b *preemption.Pod) int { return cmp.Compare(a.Priority, b.Priority) })
	for i, p := range filtered(pods, func(p *preemption.Pod) bool { return p.Priority == highest.Priority }) {
		if s := twinStart(p); i == 0 || s.Cmp(latest) < 0 {
			latest = s
		}
	}
	return []*big.Int{big.NewInt(int64(c.Violations)), top, sum, big.NewInt(int64(len(pods))), new(big.Int).Neg(latest)}
}

func (w twin) better(a, b *preemption.Candidate) bool {
	x, y := cost(a), cost(b)
	order := []int{0, 1, 2, 3, 4}
	if w.policy != nil {
		order = w.policy.order
	}
	for _, i := range order {
		if c := x[i].Cmp(y[i]); c != 0 {
			return c < 0
		}
	}
	return false
}

func podNames(pods []*preemption.Pod) []string {
	var names []string
	for _, p := range pods {
		names = append(names, p.String())
	}
	return names
}

// verdictOf puts an examination in the twin's words.
func verdictOf(x *preemption.Examination) verdict {
	d := verdictOfResult(&x.Result)
	d.Potential = x.Potential
	for _, n := range x.FitNodes {
		d.FitNodes = append(d.FitNodes, n.Name)
	}
	for i := range x.Nodes {
		r := &x.Nodes[i]
		d.Statuses = append(d.Statuses, r.Node.Name+" "+r.Status.Filter+" "+r.Status.String())
		if r.Err != nil {
			d.Failed = append(d.Failed, r.Node.Name)
		}
	}
	for _, c := range x.Candidates {
		d.Candidates = append(d.Candidates, fmt.Sprint(c.Node.Name, podNames(c.Pods()), c.Violations))
	}
	return d
}

func verdictOfResult(r *preemption.Result) verdict {
	d := verdict{
		Outcome: r.Outcome.String(), Reason: r.Reason, Violations: r.Violations,
		Delete: podNames(r.Delete), Terminating: podNames(r.Terminating), Waiting: podNames(r.Waiting),
		ClearNominations: podNames(r.ClearNominations), Nomination: r.Nomination.String(),
	}
	if r.Node != nil {
		d.Node = r.Node.Name
	}
	d.Victims = podNames((&preemption.Candidate{Victims: r.Victims}).Pods())
	return d
}
