package preemption

import (
	"fmt"
	"slices"
	"strings"
)

// A Filter decides whether a node takes a pod. It works in three beats, as
// kube-scheduler's filter plugins do: Prepare once a decision, Begin once a
// node, then Add, Remove and Fits on that node as often as it takes.
//
// The package preemptiontest checks a filter against the laws below.
type Filter interface {
	// Name identifies the filter in statuses.
	Name() string
	// Prepare gets ready for one preemptor. It returns nil if the filter is not
	// concerned with this pod, whatever the node. It must not keep the view
	// beyond the decision.
	Prepare(preemptor *Pod, view View) (Prepared, error)
}

// Prepared is a filter ready for one preemptor.
//
// A Prepared may also have a method Monotone() bool, which declares that adding
// pods to the node never turns a refusal into a fit. It may depend on the
// preemptor. A filter without it is taken for not monotone, which costs speed,
// never correctness; one that declares it wrongly gets wrong answers.
//
// A Prepared may also have a method NodeStatus(*Node) (Status, error), which
// declares that its answer depends on the preemptor and the node alone, whatever
// pods are there: it is that of every dry run of the node. [Evaluator.Preempt]
// then asks it before anything else and begins no dry run. [NodeFilter] makes
// such a filter of a function.
type Prepared interface {
	// Begin returns a dry run of the node with every pod bound to it in place. It
	// must be safe for concurrent use.
	Begin(node *Node) (DryRun, error)
}

// DryRun is what a filter knows about one node while pods are taken away and put
// back in thought. It is used by one goroutine.
//
// Add and Remove are exact inverses in whatever order they come. To remove a pod
// that is not there, or no longer, may be an error; with the filters of this package
// that look at pods it is one. The pod runs on the node on: the dry run's own node,
// or another one where a member of an atomic group is removed or added with it.
// Nominated pods are added to the dry run's own node although they are bound nowhere.
//
// Fits has no effect on later answers. A refusal is an answer; an error means
// that there is none, and ends the work on this node: nothing is called after it.
//
// A DryRun may also have a method Shortfalls() []Shortfall, which details the
// refusal that Fits returned last, for explanations.
type DryRun interface {
	Add(p *Pod, on *Node) error
	Remove(p *Pod, on *Node) error
	Fits() (Status, error)
}

// A Shortfall says how much of a resource is missing.
type Shortfall struct {
	Resource    string
	Requested   int64 // by the preemptor
	Used        int64 // by the pods left on the node
	Allocatable int64
}

// DefaultFilters returns the built-in filters in kube-scheduler's order:
// [NodeUnschedulable], [TaintToleration], [NodeSelector], [NodePorts],
// [NodeResources]. The first that refuses a node decides its status.
func DefaultFilters() []Filter {
	return []Filter{NodeUnschedulable(), TaintToleration(), NodeSelector(), NodePorts(), NodeResources()}
}

// All returns a filter that takes a pod if all the filters do. They are asked in
// order and the first refusal is returned unchanged.
func All(filters ...Filter) Filter { return all(slices.Clone(filters)) }

type all []Filter

func (all) Name() string { return "All" }

func (a all) Prepare(preemptor *Pod, view View) (Prepared, error) {
	var prepared preparedAll
	for i, f := range a {
		if f == nil {
			return nil, fmt.Errorf("filter %d is nil", i)
		}
		p, err := f.Prepare(preemptor, view)
		if err != nil {
			return nil, &FilterError{Filter: f.Name(), Err: err}
		}
		if p != nil {
			prepared = append(prepared, namedPrepared{f.Name(), p})
		}
	}
	if len(prepared) == 0 {
		return nil, nil
	}
	return prepared, nil
}

// FilterError says which filter of several failed.
type FilterError struct {
	Filter string
	Err    error
}

func (e *FilterError) Error() string { return "filter " + e.Filter + ": " + e.Err.Error() }

// Unwrap returns the filter's own error.
func (e *FilterError) Unwrap() error { return e.Err }

type namedPrepared struct {
	name string
	Prepared
}

type preparedAll []namedPrepared

func (a preparedAll) Monotone() bool {
	for _, p := range a {
		if !monotone(p.Prepared) {
			return false
		}
	}
	return true
}

// monotone reports whether p declares itself so.
func monotone(p Prepared) bool {
	m, ok := p.(interface{ Monotone() bool })
	return ok && m.Monotone()
}

func (a preparedAll) Begin(node *Node) (DryRun, error) {
	run := &allRun{}
	run.steps = run.few[:0]
	for i, p := range a {
		d, err := p.Begin(node)
		if err != nil {
			return nil, &FilterError{p.name, err}
		}
		if d != (fitsEverywhere{}) { // which need not be asked, nor told
			run.steps = append(run.steps, namedRun{p.name, i, d})
		}
	}
	return run, nil
}

type namedRun struct {
	name string
	at   int // its filter's place
	DryRun
}

type allRun struct {
	steps   []namedRun
	few     [2]namedRun // memory for as many as there mostly are
	refused DryRun      // the member that refused last, nil if none did
}

func (r *allRun) Add(p *Pod, on *Node) error {
	for _, s := range r.steps {
		if err := s.Add(p, on); err != nil {
			return &FilterError{s.name, err}
		}
	}
	return nil
}

func (r *allRun) Remove(p *Pod, on *Node) error {
	for _, s := range r.steps {
		if err := s.Remove(p, on); err != nil {
			return &FilterError{s.name, err}
		}
	}
	return nil
}

func (r *allRun) Fits() (status Status, err error) {
	for i := range r.steps {
		s := &r.steps[i]
		if status, err = s.Fits(); err != nil {
			return Status{}, &FilterError{s.name, err}
		}
		if status.Code != Fits {
			if status.Filter == "" {
				status.Filter = s.name
			}
			r.refused = s.DryRun
			return
		}
	}
	return Status{}, nil
}

// Shortfalls details the last refusal, if the member that refused does.
func (r *allRun) Shortfalls() []Shortfall { return shortfalls(r.refused) }

func shortfalls(d DryRun) []Shortfall {
	if s, ok := d.(interface{ Shortfalls() []Shortfall }); ok {
		return s.Shortfalls()
	}
	return nil
}

// prepare readies the filters for a decision; the result is never nil.
func prepare(filters []Filter, preemptor *Pod, view View) (Prepared, error) {
	p, err := all(filters).Prepare(preemptor, view)
	if err != nil {
		return nil, fmt.Errorf("preemption: pod %s: prepare: %w", preemptor, err)
	}
	if p == nil {
		return fitsEverywhere{}, nil
	}
	return p, nil
}

// A Status is a filter's answer about one node. The zero value means that the
// preemptor fits.
type Status struct {
	Code    Code
	Filter  string   // the name of the filter that refused
	Reasons []string // why, in kube-scheduler's words; counted over nodes in messages
}

// A Code tells whether a node takes the preemptor and, if not, whether evicting
// pods can change that.
type Code uint8

const (
	Fits          Code = iota // the node takes the preemptor
	Unschedulable             // it does not, but evictions may help
	Unresolvable              // it does not, and no eviction on it helps
)

// String returns the name of the code in kube-scheduler's framework.
func (c Code) String() string {
	switch c {
	case Fits:
		return "Success"
	case Unschedulable:
		return "Unschedulable"
	}
	return "UnschedulableAndUnresolvable"
}

// Fits reports whether the node takes the preemptor.
func (s Status) Fits() bool { return s.Code == Fits }

// Message joins the reasons with commas.
func (s Status) Message() string { return strings.Join(s.Reasons, ", ") }

// String returns "Code: reasons".
func (s Status) String() string {
	if len(s.Reasons) == 0 {
		return s.Code.String()
	}
	return s.Code.String() + ": " + s.Message()
}

// FilterFunc makes a filter of a function that is shown the preemptor, the node
// and the pods left on it. It sees every pod that is in the way at that moment,
// nominated ones last. Members of a group on other nodes are not shown.
//
// It is not monotone and keeps no state: right for a rule that is easy to say,
// slow for one that is asked often. [PodsFilter] gives it a name and can declare it
// monotone.
type FilterFunc func(preemptor *Pod, node *Node, pods []*Pod) Status

// Name returns "FilterFunc".
func (FilterFunc) Name() string { return "FilterFunc" }

// Prepare binds the function to the preemptor.
func (f FilterFunc) Prepare(preemptor *Pod, view View) (Prepared, error) {
	return preparedFunc{f, preemptor, view}, nil
}

// PodsFilter returns a [FilterFunc] with a name, which statuses and errors give. A
// monotone one declares that more pods on the node never turn its refusal into a
// fit; see [Prepared]. For a function of the node alone there is [NodeFilter].
func PodsFilter(name string, monotone bool, f FilterFunc) Filter {
	return podsFilter{f, name, monotone}
}

type podsFilter struct {
	FilterFunc
	name     string
	monotone bool
}

func (f podsFilter) Name() string { return f.name }

func (f podsFilter) Prepare(preemptor *Pod, view View) (Prepared, error) {
	return preparedPodsFilter{preparedFunc{f.FilterFunc, preemptor, view}, f.monotone}, nil
}

type preparedPodsFilter struct {
	preparedFunc
	monotone bool
}

func (p preparedPodsFilter) Monotone() bool { return p.monotone }

type preparedFunc struct {
	f         FilterFunc
	preemptor *Pod
	view      View
}

func (p preparedFunc) Begin(node *Node) (DryRun, error) {
	return &funcRun{preparedFunc: p, node: node, pods: slices.Clone(p.view.PodsOn(node))}, nil
}

type funcRun struct {
	preparedFunc
	node *Node
	pods []*Pod
}

func (r *funcRun) Add(p *Pod, on *Node) error {
	if on == r.node {
		r.pods = append(r.pods, p)
	}
	return nil
}

func (r *funcRun) Remove(p *Pod, on *Node) error {
	if on != r.node {
		return nil
	}

	// From the end: the reprieve puts pods back that it takes out again.
	i := len(r.pods) - 1
	for i >= 0 && r.pods[i] != p {
		i--
	}
	if i < 0 {
		return errNotOnNode
	}
	r.pods = slices.Delete(r.pods, i, i+1)
	return nil
}

func (r *funcRun) Fits() (Status, error) { return r.f(r.preemptor, r.node, r.pods), nil }
