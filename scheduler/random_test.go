package scheduler_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/preemption/kube"
	"example.com/preemption/scheduler"
)

// flavour says what a random cluster is about.
type flavour struct {
	affinity, antiAffinity, spread, groups, volumes bool
}

// A world makes small, crowded clusters in which every rule has a chance to
// matter.
type world struct {
	*rand.Rand
	flavour
	start   time.Time
	storage scheduler.Objects
}

var (
	apps       = []string{"a", "b", "c"}
	zones      = []string{"east", "west"}
	namespaces = []*v1.Namespace{
		{ObjectMeta: metav1.ObjectMeta{Name: "default", Labels: map[string]string{"team": "one"}}},
		{ObjectMeta: metav1.ObjectMeta{Name: "other", Labels: map[string]string{"team": "two"}}},
	}
)

func (w *world) one(of ...string) string { return of[w.IntN(len(of))] }

func (w *world) chance(percent int) bool { return w.IntN(100) < percent }

func (w *world) cluster() (*kube.Objects, *v1.Pod) {
	o := &kube.Objects{}
	w.start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	nodes := 2 + w.IntN(4)
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		n := &v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelHostname: name, "zone": w.one(zones...)}},
			Status:     v1.NodeStatus{Allocatable: list("4", "10")},
		}
		if w.chance(8) {
			n.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoSchedule}}
		}
		if w.chance(5) {
			n.Spec.Unschedulable = true
		}
		if w.chance(5) {
			delete(n.Labels, "zone")
		}
		o.Nodes = append(o.Nodes, n)
	}
	if w.groups {
		for _, name := range []string{"g0", "g1"} {
			g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)}}
			priority := int32(w.IntN(4))
			g.Spec.Priority = &priority
			g.Spec.DisruptionMode = &schedulingv1beta1.DisruptionMode{All: &schedulingv1beta1.AllDisruptionMode{}}
			if w.chance(30) {
				g.Spec.DisruptionMode = &schedulingv1beta1.DisruptionMode{Single: &schedulingv1beta1.SingleDisruptionMode{}}
			}
			o.PodGroups = append(o.PodGroups, g)
		}
	}
	if w.volumes {
		w.makeStorage(o.Nodes)
	}
	claimed := map[string]bool{}
	for i := range nodes * (1 + w.IntN(4)) {
		p := w.pod(fmt.Sprintf("p%02d", i), int32(w.IntN(5)))
		switch {
		case w.chance(8):
			p.Status.NominatedNodeName = o.Nodes[w.IntN(nodes)].Name
			p.Status.StartTime = nil
		default:
			p.Spec.NodeName = o.Nodes[w.IntN(nodes)].Name
			// No node lets two pods have the same port, and the scheduler, which keeps
			// a set of ports, forgets it when one of two such pods goes.
			if claimed[p.Spec.NodeName] {
				p.Spec.Containers[0].Ports = nil
			}
			claimed[p.Spec.NodeName] = claimed[p.Spec.NodeName] || len(p.Spec.Containers[0].Ports) > 0
			if w.chance(6) {
				p.DeletionTimestamp = &metav1.Time{Time: w.start}
			}
			if w.groups && p.Namespace == "default" && w.chance(50) {
				name := w.one("g0", "g1")
				p.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &name}
			}
		}
		o.Pods = append(o.Pods, p)
	}
	for i := range w.IntN(2) {
		o.PodDisruptionBudgets = append(o.PodDisruptionBudgets, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("b%d", i)},
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": w.one(apps...)}}},
			Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(w.IntN(3) - 1)},
		})
	}
	preemptor := w.pod("preemptor", int32(2+w.IntN(4)))
	preemptor.Status.StartTime = nil
	if w.chance(10) {
		preemptor.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists}}
	}
	w.nodeAffinity(preemptor)
	return o, preemptor
}

func list(cpu, pods string) v1.ResourceList {
	return v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu), v1.ResourcePods: resource.MustParse(pods)}
}

func (w *world) pod(name string, priority int32) *v1.Pod {
	w.start = w.start.Add(time.Duration(1+w.IntN(100)) * time.Minute) // no two alike
	p := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID("uid-" + name),
			Labels: map[string]string{"app": w.one(apps...)},
		},
		Spec: v1.PodSpec{
			Priority: &priority,
			Containers: []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{
				Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(w.one("0", "500m", "1", "2", "3"))},
			}}},
		},
		Status: v1.PodStatus{StartTime: &metav1.Time{Time: w.start}},
	}
	if w.chance(15) {
		p.Namespace = "other"
	}
	if w.chance(10) {
		p.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80, Protocol: v1.ProtocolTCP}}
	}
	p.Spec.Affinity = &v1.Affinity{}
	if w.affinity && w.chance(40) {
		p.Spec.Affinity.PodAffinity = &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: w.terms()}
	}
	if w.antiAffinity && w.chance(40) {
		p.Spec.Affinity.PodAntiAffinity = &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: w.terms()}
	}
	if w.spread && w.chance(60) {
		p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: int32(1 + w.IntN(2)), TopologyKey: w.one("zone", v1.LabelHostname), WhenUnsatisfiable: v1.DoNotSchedule,
			LabelSelector: w.selector(),
		}}
		if w.chance(20) {
			domains := int32(1 + w.IntN(3))
			p.Spec.TopologySpreadConstraints[0].MinDomains = &domains
		}
	}
	if w.volumes {
		w.mount(p)
	}
	return p
}

func (w *world) terms() []v1.PodAffinityTerm {
	var terms []v1.PodAffinityTerm
	for range 1 + w.IntN(2) {
		term := v1.PodAffinityTerm{TopologyKey: w.one("zone", v1.LabelHostname), LabelSelector: w.selector()}
		switch w.IntN(5) {
		case 0:
			term.Namespaces = []string{"other"}
		case 1:
			term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": w.one("one", "two")}}
		case 2:
			term.NamespaceSelector = &metav1.LabelSelector{}
		}
		terms = append(terms, term)
	}
	return terms
}

func (w *world) selector() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": w.one(apps...)}}
}

func (w *world) nodeAffinity(p *v1.Pod) {
	var term v1.NodeSelectorTerm
	switch w.IntN(12) {
	case 0:
		term.MatchExpressions = []v1.NodeSelectorRequirement{{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: []string{w.one(zones...)}}}
	case 1:
		term.MatchFields = []v1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{w.one("n0", "n1")}}}
	case 2:
		term.MatchFields = []v1.NodeSelectorRequirement{
			{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{"n0"}},
			{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{"n1"}},
		}
	default:
		return
	}
	p.Spec.Affinity.NodeAffinity = &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{term}}}
}
