// Package preemptiontest checks implementations of [preemption.Filter] against
// the laws of that interface, as testing/fstest checks file systems.
package preemptiontest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/preemption"
)

// TestFilter puts a filter to the test on every node of the view, for each of
// the preemptors. It returns an error that lists the laws broken, each with the
// preemptor, the node and the steps that led there, or nil:
//
//   - No step fails.
//   - Fits gives the same answer when asked again, and asking has no effect on
//     later answers.
//   - Add undoes Remove, and Remove undoes Add, in any order.
//   - After any sequence of both, for pods of the node, pods of other nodes and
//     pending pods put on the node in thought, the answer is that of a fresh dry
//     run of a cluster where just those pods are. A pod nominated to the node that
//     is put there is not nominated any more in that cluster: a filter that counts
//     nominations must not count it twice.
//   - Dry runs do not affect each other; where all of the above holds this is
//     also tried concurrently.
//   - If the filter calls itself monotone, adding a pod to the node never turns a
//     refusal into a fit.
//   - Preemptors, nodes and pods are not modified (what Object holds is the
//     caller's own and is not looked at).
//
// Of each law the first breach on each node is reported. What is tried is always
// the same. A typical use is:
//
//	if err := preemptiontest.TestFilter(MyFilter{}, cluster, preemptors...); err != nil {
//		t.Fatal(err)
//	}
//
// Choose a few small nodes where the filter refuses for all of its reasons: it
// is asked hundreds of times a node, and Prepare nearly as often. Run the test
// with the race detector, too; TestFilter can tell that concurrent dry runs give
// wrong answers, not that they race for the right ones.
func TestFilter(f preemption.Filter, view preemption.View, preemptors ...*preemption.Pod) error {
	if len(preemptors) == 0 {
		return errors.New("preemptiontest: no preemptor to test the filter with")
	}
	var broken []error
	for i, p := range preemptors {
		before := takeSnapshot(view, preemptors)
		c := checker{filter: f, view: view, preemptor: p, guests: guests(preemptors, i)}
		c.run()
		for _, object := range before.changes(view, preemptors) {
			c.note(lawInputs, "", "%s was modified", object)
		}
		broken = append(broken, c.broken...)
	}
	return errors.Join(broken...)
}

// The laws, as they are named in errors.
const (
	lawNoError     = "no step may fail"
	lawRepeatable  = "Fits must give the same answer again"
	lawNoEffect    = "Fits must have no effect on later answers"
	lawUndo        = "Add and Remove must undo each other in any order"
	lawFresh       = "a dry run must answer as a fresh one with the same pods"
	lawIndependent = "dry runs must not affect each other"
	lawConcurrent  = "Begin must be safe for concurrent use"
	lawMonotone    = "a monotone filter must not come to fit because a pod is added"
	lawInputs      = "inputs must not be modified"
)

const (
	walks      = 4  // random sequences of Add and Remove a node
	walkLength = 24 // steps each
	maxRemote  = 4  // pods of other nodes that take part
	maxGuests  = 2  // pending pods that take part, and nominated ones
)

// guests returns pending pods to put on a node in thought, as nominated pods
// are: the other preemptors and a double of this one.
func guests(preemptors []*preemption.Pod, self int) []*preemption.Pod {
	double := preemptors[self].Clone()
	double.Name += "-double"
	if double.UID != "" {
		double.UID += "-double"
	}
	list := []*preemption.Pod{double}
	for i, p := range preemptors {
		if i != self && p.NodeName == "" && len(list) < maxGuests {
			list = append(list, p)
		}
	}
	return list
}

// A checker tests a filter with one preemptor.
type checker struct {
	filter    preemption.Filter
	view      preemption.View
	preemptor *preemption.Pod
	guests    []*preemption.Pod
	prepared  preemption.Prepared
	monotone  bool

	broken   []error
	reported map[string]bool // law and node
}

func (c *checker) run() {
	var err error
	c.prepared, err = c.filter.Prepare(c.preemptor, c.view)
	if err != nil {
		c.note(lawNoError, "", "Prepare: %v", err)
		return
	}
	if c.prepared == nil {
		return // not concerned with this pod
	}
	if m, ok := c.prepared.(interface{ Monotone() bool }); ok {
		c.monotone = m.Monotone()
	}
	var benches []*bench
	for i, n := range c.view.Nodes() {
		b := &bench{checker: c, node: n, seats: c.seatsFor(n), rand: rand.New(rand.NewPCG(1, uint64(i)))}
		b.run()
		benches = append(benches, b)
	}
	if len(c.broken) > 0 {
		return // what fails one by one need not be tried all at once
	}
	for _, b := range benches {
		b.checkConcurrent()
	}
}

// note records a breach, the first of its law on the node.
func (c *checker) note(law, node, format string, args ...any) {
	key := law + "\x00" + node
	if c.reported[key] {
		return
	}
	if c.reported == nil {
		c.reported = make(map[string]bool)
	}
	c.reported[key] = true
	where := "preemptor " + c.preemptor.String()
	if node != "" {
		where += ", node " + node
	}
	c.broken = append(c.broken, fmt.Errorf("%s: %s: %s: %s", c.filter.Name(), law, where, fmt.Sprintf(format, args...)))
}

// A seat is a pod that takes part in a test, and where it runs.
type seat struct {
	pod   *preemption.Pod
	on    *preemption.Node
	guest bool // bound nowhere, not there at first
}

// seatsFor lists the pods of the node, some of other nodes, and the guests.
func (c *checker) seatsFor(node *preemption.Node) []seat {
	var own, remote []seat
	for _, n := range c.view.Nodes() {
		for _, p := range c.view.PodsOn(n) {
			if n == node {
				own = append(own, seat{pod: p, on: n})
			} else if len(remote) < maxRemote {
				remote = append(remote, seat{pod: p, on: n})
			}
		}
	}
	seats := slices.Concat(own, remote)
	nominated := slices.DeleteFunc(slices.Clone(c.view.NominatedTo(node.Name)), func(p *preemption.Pod) bool {
		return p == c.preemptor || slices.Contains(c.guests, p)
	})
	for _, p := range slices.Concat(c.guests, nominated[:min(len(nominated), maxGuests)]) {
		seats = append(seats, seat{pod: p, on: node, guest: true})
	}
	return seats
}

// A step is one Add or Remove.
type step struct {
	seat
	add bool
}

func (s step) String() string {
	verb := "remove "
	if s.add {
		verb = "add "
	}
	return verb + s.pod.String() + " on " + s.on.Name
}

// after tells the steps taken, for errors.
func after(steps []step) string {
	if len(steps) == 0 {
		return "at first"
	}
	parts := make([]string, len(steps))
	for i, s := range steps {
		parts[i] = s.String()
	}
	return "after " + strings.Join(parts, ", ")
}
