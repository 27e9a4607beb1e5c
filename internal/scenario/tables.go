package scenario

import (
	"fmt"

	"example.com/preemption"
)

// Directives whose input is all that they need.

// pick chooses between candidates put together by hand: a line "candidate NODE
// violations=…", then a line a victim. It prints the node and what decided.
func (w *world) pick(b *Block) (string, error) {
	f := b.directive.fields()
	var by []preemption.Order
	for _, name := range f.words() {
		o, ok := orders[name]
		if !ok {
			f.fail("order %q is not known: want violations, top-priority, priority-sum, pods or start", name)
		}
		by = append(by, o)
	}
	if err := f.done(); err != nil {
		return "", err
	}
	var candidates []*preemption.Candidate
	for i := range b.input {
		l := &b.input[i]
		f := l.fields()
		switch {
		case l.verb == "":
			continue
		case l.verb == "candidate":
			candidates = append(candidates, &preemption.Candidate{
				Node: &preemption.Node{Name: f.word("the node's name")}, Violations: int(f.number("violations", 32)),
			})
		case l.verb == "pod" && len(candidates) > 0:
			c := candidates[len(candidates)-1]
			c.Victims = append(c.Victims, preemption.NewPodVictim(f.pod(), c.Node))
		default:
			f.fail("%q is not known here: want candidate, and then pod", l.verb)
		}
		if err := f.done(); err != nil {
			return "", err
		}
	}
	best, decidedBy := preemption.PickOneNode(candidates, by...)
	if len(by) == 0 {
		by = preemption.DefaultOrders()
	}
	switch {
	case best == nil:
		return "none", nil
	case decidedBy < 0:
		return best.Node.Name, nil
	}
	return best.Node.Name + " by " + by[decidedBy].Name, nil
}

// sampling prints for each line "NUMBER percent=… min=…" how many candidates are
// asked for among so many nodes.
func (w *world) sampling(b *Block) (string, error) {
	return eachLine(b, func(l *line, f *fields) string {
		var nodes int
		if _, err := fmt.Sscanf(l.verb, "%d", &nodes); err != nil {
			f.fail("%q is not a number of nodes", l.verb)
		}
		s := preemption.Sampling{Percent: int(f.number("percent", 32)), Min: int(f.number("min", 32))}
		if err := s.Validate(); err != nil {
			return err.Error()
		}
		return fmt.Sprint(s.Count(nodes))
	})
}

// disruptions prints for each line "budget expected=… healthy=… minAvailable=…"
// how many disruptions are allowed.
func (w *world) disruptions(b *Block) (string, error) {
	return eachLine(b, func(l *line, f *fields) string {
		if l.verb != "budget" {
			f.fail("%q is not known here: want budget", l.verb)
		}
		a := preemption.Availability{Expected: int(f.number("expected", 32)), Healthy: int(f.number("healthy", 32))}
		for key, amount := range map[string]**preemption.Amount{"minAvailable": &a.MinAvailable, "maxUnavailable": &a.MaxUnavailable} {
			if s, ok := f.take(key); ok {
				parsed, err := preemption.ParseAmount(s)
				if err != nil {
					return err.Error()
				}
				*amount = &parsed
			}
		}
		n, err := a.DisruptionsAllowed()
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(n)
	})
}

// eachLine prints what f makes of each line of the input.
func eachLine(b *Block, f func(*line, *fields) string) (string, error) {
	if err := b.directive.fields().done(); err != nil {
		return "", err
	}
	var out output
	for i := range b.input {
		l := &b.input[i]
		if l.verb == "" {
			continue
		}
		fields := l.fields()
		text := f(l, fields)
		if err := fields.done(); err != nil {
			return "", err
		}
		out.printf("%s", text)
	}
	return out.String(), nil
}
