package preemption

// A Trace is told what happens on a node while victims are selected. Each field
// may be nil, and so may the *Trace; what is nil costs nothing. What is passed
// must not be modified.
type Trace struct {
	// Removed: all victims that the preemptor may evict are gone from the node. The
	// status says whether it fits then; if not, short details the refusal.
	Removed func(node *Node, victims []*Victim, status Status, short []Shortfall)
	// Classified: evicting these would violate budgets. They are reprieved first.
	Classified func(node *Node, violating []Violation)
	// Protected: these stay, as evicting them would violate budgets, which are
	// respected.
	Protected func(node *Node, protected []Violation)
	// Reprieved: one victim was put back, and stays if the step says so.
	Reprieved func(node *Node, step Step)
}

// A Step is one attempt to put a victim back.
type Step struct {
	// Victim is the victim tried, with the budgets that its eviction would violate,
	// if any.
	Violation
	// Status is the fit test's answer with the victim back. If it is not a fit the
	// victim has to go.
	Status Status
	// Shortfalls details a refusal, where the filter can.
	Shortfalls []Shortfall
}

// Spared reports whether the victim could stay.
func (s Step) Spared() bool { return s.Status.Fits() }

func (t *Trace) removed(node *Node, victims []*Victim, status Status, run DryRun) {
	if t != nil && t.Removed != nil {
		t.Removed(node, victims, status, refusalDetails(status, run))
	}
}

func (t *Trace) classified(node *Node, violating []Violation) {
	if t != nil && t.Classified != nil {
		t.Classified(node, violating)
	}
}

func (t *Trace) protected(node *Node, protected []Violation) {
	if t != nil && t.Protected != nil && len(protected) > 0 {
		t.Protected(node, protected)
	}
}

func (t *Trace) reprieved(node *Node, v Violation, status Status, run DryRun) {
	if t != nil && t.Reprieved != nil {
		t.Reprieved(node, Step{v, status, refusalDetails(status, run)})
	}
}

func refusalDetails(status Status, run DryRun) []Shortfall {
	if status.Fits() {
		return nil
	}
	return shortfalls(run)
}
