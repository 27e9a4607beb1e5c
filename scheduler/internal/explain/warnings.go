package explain

import (
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/situation"
)

// warnings says what the scheduler keeps to itself about a decision.
func warnings(s *situation.Situation, r *Report) []string {
	e, x := &r.Explanation, r.Examination
	list := warningsOnVictims(s, e.Victims)
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if e.LongestGracePeriodSeconds > 0 && e.State != explanation.StateFitsOnceGone {
		warn("the node stays busy for up to %s, the longest grace period of its victims",
			duration.HumanDuration(time.Duration(e.LongestGracePeriodSeconds)*time.Second))
	}
	for _, r := range e.LostNominations {
		warn("pod %s/%s loses its nomination to the node", r.Namespace, r.Name)
	}
	if text := affinityToVictims(x); text != "" {
		list = append(list, text)
	}
	if s := preemption.DefaultSampling(nil); x.Potential > 0 && s.Count(x.Potential) < x.Potential && len(x.Candidates) > 1 {
		warn("all %d potential nodes were looked at; the scheduler stops after about %d candidates from a random start, and may choose worse",
			x.Potential, s.Count(x.Potential))
	}
	return list
}

// warningsOnVictims says what it means that these pods go, whoever it is for.
func warningsOnVictims(s *situation.Situation, victims []explanation.Victim) []string {
	var list []string
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	warnOfVictims(s, victims, warn)
	warnOfBudgets(victims, warn)
	warnOfOwners(victims, warn)
	return list
}

// warnOfVictims says what evicting a victim means that its name does not.
func warnOfVictims(s *situation.Situation, victims []explanation.Victim, warn func(string, ...any)) {
	for _, v := range victims {
		name := v.Namespace + "/" + v.Name
		object := podOf(s, v.Namespace, v.Name)
		switch {
		case object != nil && IsMirror(object):
			warn("victim %s is a static pod: its kubelet starts it again at once, so that evicting it frees nothing for long", name)
		case v.Terminating:
			warn("victim %s is on its way out already", name)
		case v.Owner == nil:
			warn("victim %s has no controller: nobody creates it again", name)
		case v.Owner.Kind == "DaemonSet":
			warn("victim %s belongs to DaemonSet %s: it can go to no other node", name, v.Owner.Name)
		case v.Owner.Kind == "StatefulSet":
			warn("victim %s belongs to StatefulSet %s: it comes back under its own name once it is gone for good, and only where its volumes can be attached", name, v.Owner.Name)
		case v.Owner.Kind == "Node":
			warn("victim %s is run by its node, which starts it again", name)
		}
	}
}

// IsMirror reports whether the pod stands for a static pod of a kubelet.
func IsMirror(p *v1.Pod) bool {
	_, mirror := p.Annotations[v1.MirrorPodAnnotationKey]
	return mirror
}

func podOf(s *situation.Situation, namespace, name string) *v1.Pod {
	if p := s.Cluster.Pod(namespace, name); p != nil {
		return kube.PodOf(p)
	}
	return nil
}

func warnOfBudgets(victims []explanation.Victim, warn func(string, ...any)) {
	spent := map[string]bool{}
	for _, v := range victims {
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

func warnOfOwners(victims []explanation.Victim, warn func(string, ...any)) {
	type owner struct{ namespace, kind, name string }
	count := map[owner]int{}
	var order []owner
	for _, v := range victims {
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
