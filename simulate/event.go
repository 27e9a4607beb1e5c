package simulate

import (
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/preemption"
)

// A Kind is what an event is about.
type Kind uint8

const (
	Arrives   Kind = iota // a pod comes from outside
	Recreated             // an owner creates a pod in the place of another, Of
	Placed                // a pod is bound to Node
	Healthy               // it has become healthy, some time after it was placed
	Waits                 // it stays pending, for Reason
	Preempts              // it evicts Pods to get Node
	Evicted               // a pod begins to terminate, in favour of By
	Gone                  // it has terminated
	Disclaims             // it loses its claim on Node
	Departs               // it leaves by itself
	GivesUp               // nothing that could help it will happen any more
)

// An Event is a line of the time line.
type Event struct {
	At         time.Duration
	Kind       Kind
	Pod        *preemption.Pod
	Node       string
	By         *preemption.Pod
	Of         *preemption.Pod
	Pods       []*preemption.Pod
	Violations int
	Grace      time.Duration
	Reason     string
}

// text says what happens to the pod.
func (e *Event) text(as naming) string {
	switch e.Kind {
	case Arrives:
		return fmt.Sprintf("arrives, priority %d", e.Pod.Priority)
	case Recreated:
		return "is created in the place of " + as.pod(e.Of)
	case Placed:
		return "is placed on " + e.Node
	case Healthy:
		return "is healthy"
	case Waits:
		if len(e.Pods) > 0 {
			return fmt.Sprintf("waits for %s to go from %s", as.pods(e.Pods), e.Node)
		}
		return "waits: " + e.Reason
	case Preempts:
		if len(e.Pods) == 0 {
			return fmt.Sprintf("claims %s, where pods are terminating", e.Node)
		}
		return fmt.Sprintf("preempts %s for a place on %s, %s", as.pods(e.Pods), e.Node, plural(e.Violations, "budget violation"))
	case Evicted:
		return fmt.Sprintf("is evicted from %s for %s, with %v to go", e.Node, as.pod(e.By), e.Grace)
	case Gone:
		return "is gone from " + e.Node
	case Disclaims:
		return "loses its claim on " + e.Node
	case Departs:
		if e.Node == "" {
			return "leaves, pending"
		}
		return "leaves " + e.Node
	case GivesUp:
		return "never runs: " + e.Reason
	}
	return "?"
}

// note adds an event at this time.
func (s *Simulation) note(e Event) {
	e.At = s.now
	s.events = append(s.events, e)
}

// WriteTimeLine writes a line an event, in the order in which they happened.
// Namespaces are left out if all pods are of one.
func (r *Report) WriteTimeLine(w io.Writer) error {
	as := r.naming()
	times, pods := 0, 0
	for i := range r.Events {
		times = max(times, len(r.Events[i].At.String()))
		pods = max(pods, len(as.pod(r.Events[i].Pod)))
	}
	last := time.Duration(-1)
	for i := range r.Events {
		e := &r.Events[i]
		at := ""
		if e.At != last {
			at, last = e.At.String(), e.At
		}
		if _, err := fmt.Fprintf(w, "%*s  %-*s  %s\n", times, at, pods, as.pod(e.Pod), e.text(as)); err != nil {
			return err
		}
	}
	return nil
}

// Describe says what happens to the event's pod, as a line of the time line does.
func (r *Report) Describe(e *Event) string { return e.text(r.naming()) }

// A naming is how a report calls pods.
type naming struct{ bare bool } // without their namespace

func (r *Report) naming() naming {
	for i := range r.Events {
		if r.Events[i].Pod.Namespace != r.Events[0].Pod.Namespace {
			return naming{}
		}
		for _, p := range r.Events[i].Pods {
			if p.Namespace != r.Events[0].Pod.Namespace {
				return naming{}
			}
		}
	}
	return naming{bare: true}
}

func (as naming) of(namespace, name string) string {
	if as.bare {
		return name
	}
	return namespace + "/" + name
}

func (as naming) pod(p *preemption.Pod) string { return as.of(p.Namespace, p.Name) }

func (as naming) pods(pods []*preemption.Pod) string {
	list := make([]string, len(pods))
	for i, p := range pods {
		list[i] = as.pod(p)
	}
	return strings.Join(list, ", ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
