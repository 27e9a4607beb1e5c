package scenario

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/preemption"
)

// settings are how decisions are made: what the evaluator directive reads.
type settings struct {
	spared       []sparing
	accepting    []func(*preemption.Pod, *preemption.Victim, *preemption.Node) bool
	accept       func(*preemption.Pod, *preemption.Node, []*preemption.Victim) preemption.Status
	compare      func(a, b *preemption.Victim) int
	orders       []preemption.Order
	sampling     *preemption.Sampling
	extenders    []extenderScript
	filters      []filterScript
	onlyScripted bool // leave the default filters out
	statuses     map[string]preemption.Status
	victims      preemption.VictimPolicy
	budgets      preemption.BudgetPolicy
	contrast     bool
}

// evaluator reads how the decisions that follow are made. It prints nothing.
func (w *world) evaluator(b *Block) (string, error) {
	if err := b.directive.fields().done(); err != nil {
		return "", err
	}
	w.settings = settings{}
	for i := range b.input {
		l := &b.input[i]
		if l.verb == "" {
			continue
		}
		f := l.fields()
		w.settings.read(l.verb, f)
		if err := f.done(); err != nil {
			return "", err
		}
	}
	return "", nil
}

func (s *settings) read(verb string, f *fields) {
	switch verb {
	case "spare":
		s.spared = append(s.spared, f.sparing())
	case "spare-young":
		s.accepting = append(s.accepting, preemption.MinRunTime(time.Unix(f.number("now", 63), 0), time.Duration(f.number("run", 32))*time.Second))
	case "spare-near":
		s.accepting = append(s.accepting, preemption.PriorityGap(int32(f.number("gap", 32))))
	case "per-owner":
		most := int(f.number("most", 32))
		s.accept = preemption.VictimsPerOwner(func(string, preemption.Owner) int { return most })
	case "compare":
		s.compare = choice(f, "by", comparators, "name or start")
	case "orders":
		for _, name := range f.words() {
			o, ok := orders[name]
			if !ok {
				f.fail("order %q is not known: want violations, top-priority, priority-sum, pods, start or to-delete", name)
			}
			s.orders = append(s.orders, o)
		}
	case "victims":
		s.victims = choice(f, "by", victimPolicies, "reprieve or best")
	case "budgets":
		s.budgets = choice(f, "are", budgetPolicies, "as-upstream, exact or respected")
	case "contrast":
		s.contrast = true
	case "sampling":
		offset := int(f.number("offset", 32))
		s.sampling = &preemption.Sampling{
			Percent: int(f.number("percent", 32)), Min: int(f.number("min", 32)),
			Offset: func(int) int { return offset },
		}
	case "extender":
		s.extenders = append(s.extenders, f.extender())
	case "filter":
		s.readFilter(f)
	case "status":
		s.readStatus(f)
	default:
		f.fail("%q is not known here: want spare, spare-young, spare-near, per-owner, compare, orders, victims, budgets, contrast, sampling, extender, filter or status", verb)
	}
}

// comparators replace the order of importance.
var comparators = map[string]func(a, b *preemption.Victim) int{
	"name":  func(a, b *preemption.Victim) int { return strings.Compare(b.Pods[0].Name, a.Pods[0].Name) },
	"start": func(a, b *preemption.Victim) int { return a.Start().Compare(b.Start()) },
}

var victimPolicies = map[string]preemption.VictimPolicy{
	"reprieve": preemption.VictimsReprieve, "best": preemption.VictimsBest,
}

var budgetPolicies = map[string]preemption.BudgetPolicy{
	"as-upstream": preemption.BudgetsAsUpstream, "exact": preemption.BudgetsExact, "respected": preemption.BudgetsRespected,
}

var orders = map[string]preemption.Order{
	"violations":   preemption.FewestViolations,
	"top-priority": preemption.LowestHighestPriority,
	"priority-sum": preemption.LowestPrioritySum,
	"pods":         preemption.FewestPods,
	"start":        preemption.LatestStart,
	"to-delete":    preemption.FewestToDelete,
}

// A sparing refuses to evict victims with a pod that has all of the labels, on
// the node, if one is given.
type sparing struct {
	labels []arg
	node   string
}

func (f *fields) sparing() sparing {
	return sparing{node: f.text("on"), labels: f.rest()}
}

func (s *sparing) spares(v *preemption.Victim, n *preemption.Node) bool {
	if s.node != "" && n.Name != s.node {
		return false
	}
	return slices.ContainsFunc(v.Pods, func(p *preemption.Pod) bool { return hasLabels(p, s.labels) })
}

func hasLabels(p *preemption.Pod, labels []arg) bool {
	for _, l := range labels {
		if have, ok := p.Labels[l.key]; !ok || have != l.value {
			return false
		}
	}
	return true
}

var codes = map[string]preemption.Code{
	"fits": preemption.Fits, "unschedulable": preemption.Unschedulable, "unresolvable": preemption.Unresolvable,
}

// readStatus reads "status NODE CODE REASON…".
func (s *settings) readStatus(f *fields) {
	node := f.word("the node's name")
	word := f.word("fits, unschedulable or unresolvable")
	code, ok := codes[word]
	if !ok {
		f.fail("status: code %q is not known: want fits, unschedulable or unresolvable", word)
	}
	if s.statuses == nil {
		s.statuses = make(map[string]preemption.Status)
	}
	s.statuses[node] = preemption.Status{Code: code, Reasons: f.words()}
}

// A recorder keeps what scripted callbacks were asked. A nil one keeps nothing;
// the others are for decisions made by one worker.
type recorder struct {
	asked []string            // "a@n1"
	saw   []string            // what extenders were shown
	calls map[string][]string // by node
	tests map[string]int      // by node
}

// report appends what was recorded, nodes in order.
func (rec *recorder) report(out *output, nodes []*preemption.Node) {
	if len(rec.asked) > 0 {
		out.printf("eligible asked: %s", strings.Join(rec.asked, " "))
	}
	for _, n := range nodes {
		if calls := rec.calls[n.Name]; len(calls) > 0 {
			out.printf("calls on %s: %s", n.Name, strings.Join(calls, ", "))
		}
	}
	var tests []string
	for _, n := range nodes {
		if count := rec.tests[n.Name]; count > 0 {
			tests = append(tests, n.Name+" "+strconv.Itoa(count))
		}
	}
	if len(tests) > 0 {
		out.printf("fit tests: %s", strings.Join(tests, ", "))
	}
	for _, s := range rec.saw {
		out.printf("%s", s)
	}
}

// build makes the evaluator of the settings.
func (s *settings) build(c *preemption.Cluster, rec *recorder, parallelism int) *preemption.Evaluator {
	e := &preemption.Evaluator{Compare: s.compare, Orders: s.orders, Sampling: s.sampling, Parallelism: parallelism, Filters: s.buildFilters(rec),
		Victims: s.victims, Budgets: s.budgets, Contrast: s.contrast}
	e.Eligible, e.Accept = s.eligible(rec), s.accept
	for i := range s.extenders {
		e.Extenders = append(e.Extenders, s.extenders[i].build(c, rec))
	}
	if s.statuses != nil {
		e.Statuses = func(n *preemption.Node) (preemption.Status, bool) {
			status, ok := s.statuses[n.Name]
			return status, ok
		}
	}
	return e
}

func (s *settings) eligible(rec *recorder) func(*preemption.Pod, *preemption.Victim, *preemption.Node) bool {
	ready := preemption.EligibleIfAll(s.accepting...)
	if len(s.spared) == 0 {
		if len(s.accepting) == 0 {
			return nil
		}
		return ready
	}
	return func(preemptor *preemption.Pod, v *preemption.Victim, n *preemption.Node) bool {
		if rec != nil {
			rec.asked = append(rec.asked, cmp.Or(v.Group, podName(v.Pods[0]))+"@"+n.Name)
		}
		return ready(preemptor, v, n) && !slices.ContainsFunc(s.spared, func(x sparing) bool { return x.spares(v, n) })
	}
}

func (s *settings) buildFilters(rec *recorder) []preemption.Filter {
	if len(s.filters) == 0 && !s.onlyScripted {
		return nil
	}
	filters := []preemption.Filter{}
	if !s.onlyScripted {
		filters = preemption.DefaultFilters()
	}
	// Those that keep record come first: they hear of every test.
	var recording []preemption.Filter
	for i := range s.filters {
		f := &scriptedFilter{&s.filters[i], rec}
		if f.kind == "calls" || f.kind == "count" {
			recording = append(recording, f)
		} else {
			filters = append(filters, f)
		}
	}
	return append(recording, filters...)
}
