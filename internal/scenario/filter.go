package scenario

import (
	"errors"
	"sync/atomic"

	"example.com/preemption"
)

// A filterScript describes a filter that the default ones do not have.
type filterScript struct {
	kind     string // near, apart, fail, calls, count
	labels   []arg  // near, apart: of the pods that count
	topology string // near, apart: the node label of a domain; "": the node is one
	code     preemption.Code
	reason   string
	deaf     bool         // near, apart: it does not hear of pods that come and go
	step     string       // fail: begin, add, remove or fits
	pod      string       // fail: the pod at fault; for fits, one that is gone
	node     string       // fail: the node, "" for any
	failed   *atomic.Bool // fail: whether it did
}

// readFilter reads "filter only", "filter near LABELS …", "filter apart LABELS
// …", "filter fail at=…", "filter calls" or "filter count".
func (s *settings) readFilter(f *fields) {
	x := filterScript{kind: f.word("only, near, apart, fail, calls or count"), failed: new(atomic.Bool)}
	switch x.kind {
	case "only":
		s.onlyScripted = true
		return
	case "near", "apart":
		x.topology, x.reason, x.deaf = f.text("topology"), f.text("reason"), f.flag("deaf")
		x.code = preemption.Unschedulable
		if f.flag("unresolvable") {
			x.code = preemption.Unresolvable
		}
		if x.reason == "" && x.kind == "near" {
			x.reason = "node(s) didn't match pod affinity rules"
		} else if x.reason == "" {
			x.reason = "node(s) didn't match pod anti-affinity rules"
		}
		x.labels = f.rest()
	case "fail":
		x.step, x.pod, x.node = f.text("at"), f.text("pod"), f.text("node")
		switch x.step {
		case "prepare", "begin", "add", "remove", "fits":
		default:
			f.fail("filter fail at=%s is not known: want prepare, begin, add, remove or fits", x.step)
		}
	case "calls", "count":
	default:
		f.fail("filter %q is not known: want only, near, apart, fail, calls or count", x.kind)
	}
	s.filters = append(s.filters, x)
}

var errScripted = errors.New("scripted failure")

// scriptedFilter is a filter as a script has it. It declares nothing about
// monotony.
type scriptedFilter struct {
	*filterScript
	rec *recorder
}

func (f *scriptedFilter) Name() string { return f.kind }

func (f *scriptedFilter) Prepare(_ *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	if f.step == "prepare" {
		return nil, f.fail()
	}
	return &preparedScript{f, view}, nil
}

type preparedScript struct {
	*scriptedFilter
	view preemption.View
}

func (f *preparedScript) Begin(node *preemption.Node) (preemption.DryRun, error) {
	if f.fails("begin", "", node) {
		return nil, f.fail()
	}
	r := &scriptRun{preparedScript: f, home: node, gone: make(map[string]bool)}
	if f.kind == "near" || f.kind == "apart" {
		for _, n := range f.view.Nodes() {
			for _, p := range f.view.PodsOn(n) {
				r.count(p, n, 1)
			}
		}
	}
	return r, nil
}

func (f *filterScript) fails(step, pod string, node *preemption.Node) bool {
	return f.kind == "fail" && f.step == step && (f.pod == "" || f.pod == pod) && (f.node == "" || f.node == node.Name)
}

func (f *filterScript) fail() error {
	f.failed.Store(true)
	return errScripted
}

// scriptRun is the dry run of a scripted filter.
type scriptRun struct {
	*preparedScript
	home    *preemption.Node
	matches int             // near, apart: pods that count, in the node's domain
	gone    map[string]bool // fail: pods removed
}

func (r *scriptRun) count(p *preemption.Pod, on *preemption.Node, n int) {
	if r.sameDomain(on) && hasLabels(p, r.labels) {
		r.matches += n
	}
}

func (r *scriptRun) sameDomain(n *preemption.Node) bool {
	if r.topology == "" {
		return n == r.home
	}
	here, ok := r.home.Labels[r.topology]
	there, also := n.Labels[r.topology]
	return ok && also && here == there
}

func (r *scriptRun) Add(p *preemption.Pod, on *preemption.Node) error {
	if r.fails("add", podName(p), r.home) {
		return r.fail()
	}
	if !r.deaf {
		r.count(p, on, 1)
	}
	delete(r.gone, podName(p))
	r.record("add "+podName(p), on)
	return nil
}

func (r *scriptRun) Remove(p *preemption.Pod, on *preemption.Node) error {
	if r.fails("remove", podName(p), r.home) {
		return r.fail()
	}
	if !r.deaf {
		r.count(p, on, -1)
	}
	r.gone[podName(p)] = true
	r.record("remove "+podName(p), on)
	return nil
}

func (r *scriptRun) Fits() (preemption.Status, error) {
	if r.kind == "fail" && r.step == "fits" && (r.node == "" || r.node == r.home.Name) && (r.pod == "" || r.gone[r.pod]) {
		return preemption.Status{}, r.fail()
	}
	r.record("test", r.home)
	if r.kind == "near" && r.matches <= 0 || r.kind == "apart" && r.matches > 0 {
		return preemption.Status{Code: r.code, Reasons: []string{r.reason}}, nil
	}
	return preemption.Status{}, nil
}

func (r *scriptRun) record(call string, on *preemption.Node) {
	if r.rec == nil {
		return
	}
	switch {
	case r.kind == "calls":
		if on != r.home {
			call += "@" + on.Name
		}
		r.rec.calls[r.home.Name] = append(r.rec.calls[r.home.Name], call)
	case r.kind == "count" && call == "test":
		r.rec.tests[r.home.Name]++
	}
}
