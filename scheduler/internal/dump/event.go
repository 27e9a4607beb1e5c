package dump

import (
	"cmp"
	"time"

	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An Event is one of either version of the API, as far as it matters.
type Event struct {
	Reason, Note string
	Reporter     string // the component that wrote it
	When         time.Time
	Regarding    v1.ObjectReference
	Related      *v1.ObjectReference
}

// Tells reports whether the event is one of preemption: the others are many.
func Tells(e *v1.Event) bool { return e.Reason == "Preempted" || e.Reason == "Preempting" }

// event decodes an event and keeps it.
func event[T any, P object[T]](convert func(P) Event) func(*Contents, piece) error {
	return func(c *Contents, p piece) error {
		x := P(new(T))
		if err := decode(p.json, x); err != nil {
			return err
		}
		c.Events = append(c.Events, convert(x))
		return nil
	}
}

// CoreEvent converts an event of the core API.
func CoreEvent(e *v1.Event) Event { return coreEvent(e) }

func coreEvent(e *v1.Event) Event {
	x := Event{
		Reason: e.Reason, Note: e.Message, Reporter: cmp.Or(e.ReportingController, e.Source.Component),
		Regarding: e.InvolvedObject, Related: e.Related,
	}
	last := time.Time{}
	if e.Series != nil {
		last = e.Series.LastObservedTime.Time
	}
	x.When = latestOf(last, e.LastTimestamp.Time, e.EventTime.Time, e.FirstTimestamp.Time, e.CreationTimestamp)
	return x
}

func newEvent(e *eventsv1.Event) Event {
	x := Event{
		Reason: e.Reason, Note: e.Note, Reporter: cmp.Or(e.ReportingController, e.DeprecatedSource.Component),
		Regarding: e.Regarding, Related: e.Related,
	}
	last := time.Time{}
	if e.Series != nil {
		last = e.Series.LastObservedTime.Time
	}
	x.When = latestOf(last, e.DeprecatedLastTimestamp.Time, e.EventTime.Time, e.DeprecatedFirstTimestamp.Time, e.CreationTimestamp)
	return x
}

// latestOf returns the latest time that an event speaks of; when it was stored
// counts only if there is none.
func latestOf(series, last, at, first time.Time, stored metav1.Time) time.Time {
	t := series
	for _, x := range []time.Time{last, at, first} {
		if x.After(t) {
			t = x
		}
	}
	if t.IsZero() {
		return stored.Time
	}
	return t
}
