package preemption

import "slices"

// A trial tests a placement of a gang's members while victims come and go.
type trial interface {
	add(v *Victim) error
	remove(v *Victim) error
	// fits tests the members in order, each beside those before it. It returns the
	// first refusal and which member got it.
	fits() (Status, int, error)
	// local: only pods on the nodes used can make a difference, each to its own
	// node.
	local() bool
	// uses reports whether members are placed on the node, touches whether the victim
	// has a pod on such a node.
	uses(n *Node) bool
	touches(v *Victim) bool
}

// newTrial tries a placement, with every pod in place. Members without a node
// take no part.
func (q *gangQuery) newTrial(nodes []*Node) (trial, error) {
	if f, ok := builtin(q.filters()); ok && samePriority(q.gang.Members) {
		return newRooms(q, nodes, f), nil
	}
	return q.newRuns(nodes)
}

func samePriority(pods []*Pod) bool {
	return !slices.ContainsFunc(pods, func(p *Pod) bool { return p.Priority != pods[0].Priority })
}

// gangRuns is the plain trial: a dry run for each member, in which every victim
// and every member before it is added and removed.
type gangRuns struct {
	q       *gangQuery
	members []int // those with a node
	tests   []fitTest
	nodes   map[*Node]bool
}

func (q *gangQuery) newRuns(nodes []*Node) (*gangRuns, error) {
	t := &gangRuns{q: q, nodes: make(map[*Node]bool)}
	for i, n := range nodes {
		if n == nil {
			continue
		}
		m := q.gang.Members[i]
		prepared, err := prepare(q.filters(), m, q.cluster)
		if err != nil {
			return nil, err
		}
		t.members = append(t.members, i)
		t.tests = append(t.tests, fitTest{node: n, nominated: q.holding(m, n)})
		t.nodes[n] = true
		if err := t.begin(prepared, nodes); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// begin starts the dry run of the last member, with those before it in place.
func (t *gangRuns) begin(p Prepared, nodes []*Node) error {
	test := &t.tests[len(t.tests)-1]
	run, err := p.Begin(test.node)
	if err != nil {
		return &StepError{Step: "begin", Node: test.node.Name, Err: err}
	}
	test.run = run
	for _, j := range t.members[:len(t.members)-1] {
		if err := run.Add(t.q.gang.Members[j], nodes[j]); err != nil {
			return test.failed("add member", t.q.gang.Members[j], err)
		}
	}
	return nil
}

// holding returns the pods nominated to the node that hold their place against a
// member. Other members do not.
func (q *gangQuery) holding(m *Pod, n *Node) []*Pod {
	return slices.DeleteFunc(holding(q.cluster.nominated[n.Name], m), q.gang.member)
}

func (t *gangRuns) add(v *Victim) error {
	for _, x := range t.tests {
		if err := x.add(v); err != nil {
			return err
		}
	}
	return nil
}

func (t *gangRuns) remove(v *Victim) error {
	for _, x := range t.tests {
		if err := x.remove(v); err != nil {
			return err
		}
	}
	return nil
}

func (t *gangRuns) fits() (Status, int, error) {
	for i, x := range t.tests {
		status, err := x.fits()
		if err != nil || !status.Fits() {
			return status, t.members[i], err
		}
	}
	return Status{}, 0, nil
}

func (t *gangRuns) local() bool { return false }

func (t *gangRuns) uses(n *Node) bool { return t.nodes[n] }

func (t *gangRuns) touches(v *Victim) bool { return slices.ContainsFunc(v.Nodes, t.uses) }

// builtinFilters says which of the built-in filters there are.
type builtinFilters struct {
	rules            []nodeRule
	ports, resources bool
}

// builtin tells the filters apart, or reports false if there are others.
func builtin(filters []Filter) (f builtinFilters, ok bool) {
	for _, x := range filters {
		switch x := x.(type) {
		case all:
			more, ok := builtin(x)
			if !ok {
				return f, false
			}
			f.rules = append(f.rules, more.rules...)
			f.ports, f.resources = f.ports || more.ports, f.resources || more.resources
		case nodeRule:
			f.rules = append(f.rules, x)
		case nodePorts:
			f.ports = true
		case nodeResources:
			f.resources = true
		default:
			return f, false
		}
	}
	return f, true
}
