package explain

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
)

// warnings says what the scheduler keeps to itself about a decision.
func warnings(e *explanation.Explanation, x *preemption.Examination) []string {
	var list []string
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	warnOfDaemons(e, warn)
	warnOfBudgets(e, warn)
	warnOfOwners(e, warn)
	if e.LongestGracePeriodSeconds > 0 {
		warn("the node stays busy for up to %s, the longest grace period of its victims",
			duration.HumanDuration(time.Duration(e.LongestGracePeriodSeconds)*time.Second))
	}
	for _, r := range e.LostNominations {
		warn("pod %s/%s loses its nomination to the node", r.Namespace, r.Name)
	}
	if s := preemption.DefaultSampling(nil); x.Potential > 0 && s.Count(x.Potential) < x.Potential && len(x.Candidates) > 1 {
		warn("all %d potential nodes were looked at; the scheduler stops after about %d candidates from a random start, and may choose worse",
			x.Potential, s.Count(x.Potential))
	}
	return list
}

func warnOfDaemons(e *explanation.Explanation, warn func(string, ...any)) {
	for _, v := range e.Victims {
		if v.Owner != nil && v.Owner.Kind == "DaemonSet" {
			warn("victim %s/%s belongs to DaemonSet %s: it can go to no other node", v.Namespace, v.Name, v.Owner.Name)
		}
	}
}

func warnOfBudgets(e *explanation.Explanation, warn func(string, ...any)) {
	spent := map[string]bool{}
	for _, v := range e.Victims {
		if len(v.Budgets) > 1 {
			var names []string
			for _, b := range v.Budgets {
				names = append(names, b.Name)
			}
			warn("victim %s/%s is under several budgets (%s), which evictions through the API would refuse", v.Namespace, v.Name, strings.Join(names, ", "))
		}
		for _, b := range v.Budgets {
			if name := b.Namespace + "/" + b.Name; b.DisruptionsAllowed <= 0 && !spent[name] {
				spent[name] = true
				warn("budget %s was used up before: it allows %d disruptions", name, b.DisruptionsAllowed)
			}
		}
	}
}

func warnOfOwners(e *explanation.Explanation, warn func(string, ...any)) {
	type owner struct{ namespace, kind, name string }
	count := map[owner]int{}
	var order []owner
	for _, v := range e.Victims {
		if v.Owner == nil {
			continue
		}
		o := owner{v.Namespace, v.Owner.Kind, v.Owner.Name}
		if count[o]++; count[o] == 2 {
			order = append(order, o)
		}
	}
	for _, o := range order {
		warn("%d victims belong to %s %s/%s", count[o], o.kind, o.namespace, o.name)
	}
}
