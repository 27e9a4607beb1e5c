package preemption

import "errors"

// FitsWithNominated is the fit test of preemption. The pods nominated to the
// node that would keep their place, those of a priority equal to or higher than
// the preemptor's and never the preemptor itself, are added; if the preemptor
// fits it is tested again without them, since they may never arrive. Both tests
// must pass; a refusal of the first is returned without the second.
//
// The dry run is left as it was. The cost is at most two Fits calls. It
// corresponds to RunFilterPluginsWithNominatedPods of kube-scheduler.
func FitsWithNominated(preemptor *Pod, node *Node, run DryRun, nominated []*Pod) (Status, error) {
	test := fitTest{node: node, run: run, nominated: holding(nominated, preemptor)}
	return test.fits()
}

// holding returns the nominated pods whose place the preemptor has to respect.
func holding(nominated []*Pod, preemptor *Pod) []*Pod {
	var held []*Pod
	for _, p := range nominated {
		if p.Priority >= preemptor.Priority && !samePod(p, preemptor) {
			held = append(held, p)
		}
	}
	return held
}

// A fitTest is the fit test on one node.
type fitTest struct {
	node      *Node
	run       DryRun
	nominated []*Pod // those that hold their place
	runs      *int   // counts the calls of Fits, unless nil
}

func (t *fitTest) fits() (status Status, err error) {
	if len(t.nominated) > 0 {
		if status, err = t.fitsBesideNominated(); err != nil || !status.Fits() {
			return status, err
		}
	}
	t.count()
	if status, err = t.run.Fits(); err != nil {
		return Status{}, t.failed("test fit", nil, err)
	}
	return
}

func (t *fitTest) count() {
	if t.runs != nil {
		*t.runs++
	}
}

func (t *fitTest) fitsBesideNominated() (Status, error) {
	for _, p := range t.nominated {
		if err := t.run.Add(p, t.node); err != nil {
			return Status{}, t.failed("add nominated pod", p, err)
		}
	}
	t.count()
	status, err := t.run.Fits()
	if err != nil {
		return Status{}, t.failed("test fit beside nominated pods", nil, err)
	}
	for i := len(t.nominated) - 1; i >= 0; i-- {
		if err := t.run.Remove(t.nominated[i], t.node); err != nil {
			return Status{}, t.failed("remove nominated pod", t.nominated[i], err)
		}
	}
	return status, nil
}

func (t *fitTest) remove(v *Victim) error {
	for i, p := range v.Pods {
		if err := t.run.Remove(p, v.Nodes[i]); err != nil {
			return t.failed("remove pod", p, err)
		}
	}
	return nil
}

func (t *fitTest) add(v *Victim) error {
	for i, p := range v.Pods {
		if err := t.run.Add(p, v.Nodes[i]); err != nil {
			return t.failed("add pod", p, err)
		}
	}
	return nil
}

func (t *fitTest) failed(step string, p *Pod, err error) error {
	e := &StepError{Step: step, Node: t.node.Name, Err: err}
	if p != nil {
		e.Pod = p.String()
	}
	return e
}

// A StepError says at which step of the work on which node, and with which pod,
// something failed.
type StepError struct {
	Step string // "begin", "remove pod", "add pod", "test fit", ...
	Node string
	Pod  string // namespace/name, "" where no single pod is at fault
	Err  error
}

func (e *StepError) Error() string {
	s := "preemption: node " + e.Node + ": " + e.Step
	if e.Pod != "" {
		s += " " + e.Pod
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns what failed.
func (e *StepError) Unwrap() error { return e.Err }

var (
	// ErrNoNodes is returned for a cluster without nodes.
	ErrNoNodes = errors.New("no nodes available")
	// ErrNoVictim marks a node on which, before 1.38, the preemptor was found to
	// fit with nothing evicted although its status says that it does not.
	ErrNoVictim = errors.New("expected at least one victim pod")
	// ErrStale is returned where the cluster no longer has what a decision names.
	// Decide again.
	ErrStale = errors.New("the decision is out of date")

	errNotOnNode = errors.New("the pod is not on the node")
	errOverflow  = errors.New("the sum of requests exceeds what an int64 holds")
)
