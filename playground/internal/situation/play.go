package situation

import (
	"context"
	"strings"
	"time"

	"example.com/preemption"
	"example.com/preemption/simulate"
)

// A Play is what happens next, as frames to scrub through.
type Play struct {
	Ending  string  `json:"ending"`
	Summary string  `json:"summary"`
	Frames  []Frame `json:"frames"`
}

// A Frame is what happens to one pod, and where all pods are then.
type Frame struct {
	At   float64 `json:"at"` // seconds
	Pod  string  `json:"pod"`
	Text string  `json:"text"`
	// Node is where the pod is afterwards, "" if it is pending or gone; State is
	// pending, running, terminating or gone.
	Node  string `json:"node,omitempty"`
	State string `json:"state"`
	// Like is the pod that it was created in the place of, if it is new, and the
	// same pod if it arrives.
	Like string `json:"like,omitempty"`
}

// Play simulates the situation for at most an hour.
func (s *Situation) Play(ctx context.Context) (*Play, error) {
	state, pending, err := s.State()
	if err != nil {
		return nil, err
	}
	e, err := s.Evaluator()
	if err != nil {
		return nil, err
	}
	c, err := preemption.NewCluster(state)
	if err != nil {
		return nil, err
	}
	w := simulate.World{Cluster: c, Horizon: time.Hour, Policy: simulate.Policy{Evaluator: *e}}
	if s.Gang != nil {
		g, planner := s.gang(pending)
		w.Gangs, w.Planner = []*preemption.Gang{g}, planner
	} else {
		w.Pending = pending
	}
	for i := range s.Budgets {
		spec := simulate.Budget{PodDisruptionBudget: s.Budgets[i].budget()}
		if spec.MinAvailable, err = amountOf(s.Budgets[i].Min); err != nil {
			return nil, err
		}
		if spec.MaxUnavailable, err = amountOf(s.Budgets[i].Max); err != nil {
			return nil, err
		}
		if spec.MinAvailable != nil || spec.MaxUnavailable != nil {
			w.Budgets = append(w.Budgets, spec)
		}
	}
	r, err := simulate.Run(ctx, w)
	if err != nil {
		return nil, err
	}
	var summary strings.Builder
	if err := r.WriteSummary(ctx, &summary); err != nil {
		return nil, err
	}
	p := &Play{Ending: r.Ending(), Summary: summary.String()}
	for i := range r.Events {
		p.Frames = append(p.Frames, frame(r, &r.Events[i]))
	}
	return p, nil
}

func amountOf(s string) (*preemption.Amount, error) {
	if s == "" {
		return nil, nil
	}
	a, err := preemption.ParseAmount(s)
	return &a, err
}

func frame(r *simulate.Report, e *simulate.Event) Frame {
	f := Frame{At: e.At.Seconds(), Pod: e.Pod.Name, Text: e.Pod.Name + " " + r.Describe(e), State: "pending"}
	switch e.Kind {
	case simulate.Arrives:
		f.Like = e.Pod.Name
	case simulate.Recreated:
		f.Like = e.Of.Name
	case simulate.Placed, simulate.Healthy:
		f.State, f.Node = "running", e.Node
	case simulate.Evicted:
		f.State, f.Node = "terminating", e.Node
	case simulate.Gone, simulate.Departs:
		f.State = "gone"
	}
	return f
}
