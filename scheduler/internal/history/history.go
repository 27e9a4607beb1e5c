// Package history finds out who was preempted for whom from what a cluster still
// tells: events, the conditions of victims that are on their way out, nominations.
package history

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/dump"
)

// Of returns the history that the contents tell. Wanted says which victims to
// tell of.
func Of(c *dump.Contents, wanted func(namespace string, labels map[string]string) bool) *explanation.History {
	h := &history{contents: c, pods: make(map[types.UID]*v1.Pod), named: make(map[name]*v1.Pod), wanted: wanted, seen: make(map[name]int)}
	for _, p := range c.Cluster.Pods {
		h.pods[p.UID] = p
		h.named[name{p.Namespace, p.Name}] = p
	}
	h.fromEvents()
	h.fromConditions()
	h.fromNominations()
	slices.SortStableFunc(h.list, func(a, b explanation.Preemption) int { return timeOf(b.Time).Compare(timeOf(a.Time)) })
	out := &explanation.History{
		TypeMeta:    metav1.TypeMeta{APIVersion: explanation.APIVersion, Kind: explanation.HistoryKind},
		Preemptions: h.list,
		Workloads:   workloads(h.list),
		Warnings:    h.warnings(),
	}
	if out.Preemptions == nil {
		out.Preemptions = []explanation.Preemption{}
	}
	return out
}

type name struct{ namespace, name string }

type history struct {
	contents *dump.Contents
	pods     map[types.UID]*v1.Pod
	named    map[name]*v1.Pod
	wanted   func(string, map[string]string) bool
	list     []explanation.Preemption
	// seen tells where in the list a victim is that is still there: its event and its
	// condition are about the same.
	seen     map[name]int
	nameless int // preemptors of which nothing is known
	gone     int // preemptors of which only the UID is known
}

// What kube-scheduler has written in its events over the releases.
var notes = []*regexp.Regexp{
	regexp.MustCompile(`^Preempted by (?P<kind>pod|podgroup|compositepodgroup) (?P<uid>\S+) on node (?P<node>\S+?)( \(in kube-scheduler memory\)\.)?$`),
	regexp.MustCompile(`^Preempted by a (?P<kind>pod|podgroup|compositepodgroup) on node (?P<node>\S+?)\.?$`),
	regexp.MustCompile(`^Preempted by (?P<namespace>[^/\s]+)/(?P<name>\S+) on node (?P<node>\S+?)\.?$`),
}

var kinds = map[string]string{"": "Pod", "pod": "Pod", "podgroup": "PodGroup", "compositepodgroup": "CompositePodGroup"}

// The reasons of the scheduler's events, and of kubelets' events and pods.
const (
	preempted  = "Preempted"
	preempting = "Preempting"
)

const (
	byScheduler = "scheduler"
	byKubelet   = "kubelet"
)

// fromEvents reads the events of the scheduler about victims, and those of kubelets
// that made room for a critical pod.
func (h *history) fromEvents() {
	for _, e := range h.contents.Events {
		if e.Regarding.Kind != "Pod" || e.Reason != preempted && e.Reason != preempting {
			continue
		}
		p := explanation.Preemption{Source: "event", By: byScheduler, Victim: h.victim(e.Regarding)}
		if !h.wanted(e.Regarding.Namespace, h.labels(e.Regarding)) {
			continue
		}
		if !e.When.IsZero() {
			p.Time = &metav1.Time{Time: e.When.UTC()}
		}
		if e.Reason == preempting {
			p.By = byKubelet
		} else {
			h.read(&p, e)
		}
		if p.Preemptor == nil && e.Related != nil && e.Related.Kind == "Pod" {
			p.Preemptor = h.related(e.Related)
		}
		if p.Node == "" {
			if v := h.pods[e.Regarding.UID]; v != nil {
				p.Node = v.Spec.NodeName
			}
		}
		h.add(p)
	}
}

// read takes the note apart.
func (h *history) read(p *explanation.Preemption, e dump.Event) {
	for _, form := range notes {
		m := form.FindStringSubmatch(e.Note)
		if m == nil {
			continue
		}
		part := func(name string) string {
			if i := form.SubexpIndex(name); i >= 0 {
				return m[i]
			}
			return ""
		}
		if p.Node = part("node"); p.Node == "cluster" {
			p.Node = "" // that of a group: its pods are on several
		}
		x := &explanation.PastPod{Kind: kinds[part("kind")], Namespace: part("namespace"), Name: part("name"), UID: part("uid")}
		h.resolve(x)
		p.Preemptor = x
		return
	}
}

// related is a preemptor that the event refers to.
func (h *history) related(r *v1.ObjectReference) *explanation.PastPod {
	x := &explanation.PastPod{Kind: "Pod", Namespace: r.Namespace, Name: r.Name, UID: string(r.UID)}
	h.resolve(x)
	return x
}

// resolve finds the preemptor again, by its UID or its name.
func (h *history) resolve(x *explanation.PastPod) {
	if x.Kind == "Pod" {
		p := h.pods[types.UID(x.UID)]
		if x.UID == "" {
			p = h.named[name{x.Namespace, x.Name}]
		}
		if p != nil {
			*x = podOf(p)
			return
		}
	}
	for _, g := range h.contents.Cluster.PodGroups {
		if x.Kind == "PodGroup" && string(g.UID) == x.UID && x.UID != "" {
			x.Namespace, x.Name, x.Priority, x.PriorityClass = g.Namespace, g.Name, g.Spec.Priority, g.Spec.PriorityClassName
			return
		}
	}
	for _, g := range h.contents.Cluster.CompositePodGroups {
		if x.Kind == "CompositePodGroup" && string(g.UID) == x.UID && x.UID != "" {
			x.Namespace, x.Name, x.Priority, x.PriorityClass = g.Namespace, g.Name, g.Spec.Priority, g.Spec.PriorityClassName
			return
		}
	}
	x.Gone = true
	if x.UID == "" && x.Name == "" {
		h.nameless++
	} else {
		h.gone++
	}
}

func podOf(p *v1.Pod) explanation.PastPod {
	x := explanation.PastPod{
		Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: string(p.UID),
		Priority: p.Spec.Priority, PriorityClass: p.Spec.PriorityClassName,
	}
	if c := metav1.GetControllerOf(p); c != nil {
		x.Owner = &explanation.Owner{Kind: c.Kind, Name: c.Name}
	}
	return x
}

// victim returns the victim, of which little is known once it is gone.
func (h *history) victim(r v1.ObjectReference) explanation.PastPod {
	if p := h.pods[r.UID]; p != nil && r.UID != "" {
		return podOf(p)
	}
	if p := h.named[name{r.Namespace, r.Name}]; p != nil && r.UID == "" {
		return podOf(p)
	}
	return explanation.PastPod{Kind: "Pod", Namespace: r.Namespace, Name: r.Name, UID: string(r.UID), Gone: true}
}

func (h *history) labels(r v1.ObjectReference) map[string]string {
	if p := h.pods[r.UID]; p != nil {
		return p.Labels
	}
	return nil
}

// add adds a preemption, or what is new of one that is known.
func (h *history) add(p explanation.Preemption) {
	key := name{p.Victim.Namespace, p.Victim.Name + "\x00" + p.Victim.UID}
	i, known := h.seen[key]
	if !known {
		h.seen[key] = len(h.list)
		h.list = append(h.list, p)
		return
	}
	have := &h.list[i]
	if have.Source != p.Source {
		have.Source = "event and condition"
	}
	have.Node = cmp.Or(have.Node, p.Node)
	if have.Preemptor == nil {
		have.Preemptor = p.Preemptor
	}
	if timeOf(p.Time).After(timeOf(have.Time)) {
		have.Time = p.Time
	}
}

// fromConditions reads the conditions that victims carry until they are gone; those
// of kubelets stay as failed pods.
func (h *history) fromConditions() {
	for _, p := range h.contents.Cluster.Pods {
		for _, c := range p.Status.Conditions {
			if c.Type != v1.DisruptionTarget || c.Status != v1.ConditionTrue || !h.wanted(p.Namespace, p.Labels) {
				continue
			}
			x := explanation.Preemption{Source: "condition", Victim: podOf(p), Node: p.Spec.NodeName}
			switch {
			case c.Reason == v1.PodReasonPreemptionByScheduler:
				x.By = byScheduler
			case p.Status.Reason == preempting:
				x.By = byKubelet
			default:
				continue // another kind of disruption
			}
			if !c.LastTransitionTime.IsZero() {
				x.Time = &metav1.Time{Time: c.LastTransitionTime.UTC()}
			}
			h.add(x)
		}
	}
}

// fromNominations names the preemptor of a victim that nothing else tells of: the
// only pod that is nominated to the victim's node and may evict it.
func (h *history) fromNominations() {
	nominated := make(map[string][]*v1.Pod)
	for _, p := range h.contents.Cluster.Pods {
		if n := p.Status.NominatedNodeName; n != "" && p.Spec.NodeName == "" {
			nominated[n] = append(nominated[n], p)
		}
	}
	for i := range h.list {
		x := &h.list[i]
		if x.Preemptor != nil || x.By != byScheduler || x.Node == "" || x.Victim.Priority == nil {
			continue
		}
		var may []*v1.Pod
		for _, p := range nominated[x.Node] {
			if p.Spec.Priority != nil && *p.Spec.Priority > *x.Victim.Priority {
				may = append(may, p)
			}
		}
		if len(may) == 1 {
			preemptor := podOf(may[0])
			x.Preemptor = &preemptor
		}
	}
}

func (h *history) warnings() []string {
	var list []string
	if len(h.contents.Events) == 0 {
		list = append(list, "no Events in the input: only victims that are still there are told of")
	} else {
		list = append(list, "events are kept for an hour unless the API server says otherwise: what was before is not told")
	}
	if h.gone > 0 {
		list = append(list, fmt.Sprintf("preemptors that events name and that are not there any more, or not in the input: %d", h.gone))
	}
	if h.nameless > 0 {
		list = append(list, fmt.Sprintf("events that do not name the preemptor, as in some releases before 1.29: %d", h.nameless))
	}
	return list
}

func timeOf(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

// workloads sums up.
func workloads(list []explanation.Preemption) []explanation.WorkloadHistory {
	out := []explanation.WorkloadHistory{}
	at := map[string]int{}
	for i := range list {
		p := &list[i]
		workload := Workload(&p.Victim)
		key := p.Victim.Namespace + " " + workload
		if _, known := at[key]; !known {
			at[key] = len(out)
			out = append(out, explanation.WorkloadHistory{Namespace: p.Victim.Namespace, Workload: workload})
		}
		w := &out[at[key]]
		w.Victims++
		if p.Time != nil && (w.Last == nil || p.Time.After(w.Last.Time)) {
			w.Last = p.Time
		}
		if p.Preemptor != nil {
			if by := p.Preemptor.Namespace + "/" + Workload(p.Preemptor); p.Preemptor.Name != "" && !slices.Contains(w.Preemptors, by) {
				w.Preemptors = append(w.Preemptors, by)
			}
		}
	}
	for i := range out {
		slices.Sort(out[i].Preemptors)
	}
	slices.SortStableFunc(out, func(a, b explanation.WorkloadHistory) int { return b.Victims - a.Victims })
	return out
}

// suffix is what a ReplicaSet or its Deployment adds to the names of pods.
var suffix = regexp.MustCompile(`(-[a-z0-9]{5,10})?-[a-z0-9]{5}$`)

// Workload names what the pod belongs to. That of a pod that is gone is told from
// its name, if it has the form of one that a ReplicaSet gives.
func Workload(p *explanation.PastPod) string {
	switch {
	case p.Owner != nil:
		return p.Owner.Kind + "/" + p.Owner.Name
	case p.Kind != "Pod":
		return p.Kind + "/" + p.Name
	case p.Gone && suffix.MatchString(p.Name):
		return strings.TrimSuffix(p.Name, suffix.FindString(p.Name)) + "-*"
	}
	return "Pod/" + p.Name
}
