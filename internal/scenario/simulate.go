package scenario

import (
	"context"
	"strings"
	"time"

	"example.com/preemption"
	"example.com/preemption/simulate"
)

// simulate plays the cluster on from where it is and prints the time line, and
// with summary what it comes to.
func (w *world) simulate(b *Block) (string, error) {
	f := b.directive.fields()
	chosen := f.releases()
	summary, only := f.flag("summary"), f.flag("only")
	base := simulate.World{Horizon: f.duration("until")}
	if err := f.done(); err != nil {
		return "", err
	}
	if err := w.ready(b); err != nil {
		return "", err
	}
	for i := range b.input {
		if err := w.outside(&base, &b.input[i]); err != nil {
			return "", err
		}
	}
	return perRelease(chosen, func(r preemption.Release) string {
		world := base
		world.Cluster = w.clusters[r]
		world.Policy.Evaluator = *w.settings.build(world.Cluster, newRecorder(), 1)
		before := w.describe(world.Cluster)
		got := play(world, only, summary, world.Horizon)

		var out output
		out.printf("%s", got)
		check := func(way, again string) {
			if again != got {
				out.printf(Disagreement+" %s: %s", way, again)
			}
		}
		check("pieces", play(world, only, summary, time.Second))
		reversed := world
		reversed.Pending, reversed.Arrivals = backwards(world.Pending), backwards(world.Arrivals)
		reversed.Departures, reversed.Budgets = backwards(world.Departures), backwards(world.Budgets)
		check("lists backwards", play(reversed, only, summary, world.Horizon))
		world.Policy.Evaluator.Parallelism = 8
		check("parallelism 8", play(world, only, summary, world.Horizon))
		if after := w.describe(world.Cluster); after != before {
			out.printf(Disagreement+" the cluster that it started from has changed: %s", after)
		}
		return out.String()
	}), nil
}

// play runs a world in pieces that long and prints what happened.
func play(world simulate.World, only, summary bool, piece time.Duration) string {
	ctx := context.Background()
	s, err := simulate.New(world)
	if err != nil {
		return "error: " + err.Error()
	}
	horizon := world.Horizon
	if horizon == 0 {
		horizon = simulate.DefaultHorizon
	}
	if piece == 0 {
		piece = horizon
	}
	for at := piece; ; at += piece {
		if err := s.Until(ctx, at); err != nil {
			return "error: " + err.Error()
		}
		if at >= horizon || s.Report().End != simulate.Cut {
			break
		}
	}
	r := s.Report()
	var text strings.Builder
	if !only {
		err = r.WriteTimeLine(&text)
	}
	if summary && err == nil {
		err = r.WriteSummary(ctx, &text)
	}
	if !summary {
		text.WriteString(r.Ending() + "\n")
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return text.String()
}

func backwards[T any](list []T) []T {
	reversed := make([]T, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		reversed = append(reversed, list[i])
	}
	return reversed
}

// outside reads a line of the input: what is pending, comes and goes, and how
// pods and budgets behave.
func (w *world) outside(world *simulate.World, l *line) error {
	f := l.fields()
	switch l.verb {
	case "":
		return nil
	case "pending":
		world.Pending = append(world.Pending, f.pod())
	case "arrive":
		at := f.duration("at")
		world.Arrivals = append(world.Arrivals, simulate.Arrival{At: at, Pod: f.pod()})
	case "depart":
		d := simulate.Departure{At: f.duration("at")}
		d.Namespace, d.Name = splitName(f.word("the pod's name"))
		world.Departures = append(world.Departures, d)
	case "budget":
		namespace, name := splitName(f.word("the budget's name"))
		spec := simulate.Budget{MinAvailable: f.amount("min"), MaxUnavailable: f.amount("max")}
		for _, b := range w.model.budgets {
			if b.Namespace == namespace && b.Name == name {
				spec.PodDisruptionBudget = b
			}
		}
		if spec.PodDisruptionBudget == nil {
			f.fail("budget %s: the cluster has no pdb of that name", name)
		}
		world.Budgets = append(world.Budgets, spec)
	case "healthy":
		delay, before, labels := f.duration("after"), world.Healthy, f.rest()
		world.Healthy = func(p *preemption.Pod) time.Duration {
			if hasLabels(p, labels) {
				return delay
			}
			if before == nil {
				return 0
			}
			return before(p)
		}
	case "gang":
		g := &preemption.Gang{Priority: int32(f.number("prio", 32)), MinCount: int(f.number("min", 32))}
		g.Policy = choice(f, "policy", gangPolicies, "unset, preempts or never")
		g.Namespace, g.Name = splitName(f.word("the gang's name"))
		world.Gangs = append(world.Gangs, g)
	case "member":
		if len(world.Gangs) == 0 {
			return l.errorf("a member without a gang: put the line gang NAME before it")
		}
		g := world.Gangs[len(world.Gangs)-1]
		p := f.pod()
		p.Group = g.Name
		g.Members = append(g.Members, p)
	default:
		return l.errorf("%q is not known here: want pending, arrive, depart, budget, healthy, gang or member", l.verb)
	}
	return f.done()
}

// duration takes a time such as 30s or 2m, zero if it is absent.
func (f *fields) duration(key string) time.Duration {
	s, ok := f.take(key)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		f.fail("%s=%s is not a time: write something like 30s or 2m", key, s)
	}
	return d
}

// amount takes a number of pods or a percentage, nil if it is absent.
func (f *fields) amount(key string) *preemption.Amount {
	s, ok := f.take(key)
	if !ok {
		return nil
	}
	a, err := preemption.ParseAmount(s)
	if err != nil {
		f.fail("%s=%s: %v", key, s, err)
	}
	return &a
}
