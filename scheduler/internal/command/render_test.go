package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"example.com/preemption/internal/golden"
)

// deleted is when every terminating pod was deleted; only that it was matters.
var deleted = metav1.NewTime(time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC))

// render returns the objects of a case, without the preemptor: nodes by name,
// as they were walked when the answer was recorded, all else in case order.
func render(c *golden.Case) []runtime.Object {
	var objects []runtime.Object
	nodes := slices.Clone(c.Nodes)
	slices.SortFunc(nodes, func(a, b golden.Node) int { return cmp.Compare(a.Name, b.Name) })
	for i := range nodes {
		objects = append(objects, renderNode(&nodes[i]))
	}
	for i := range c.PodGroups {
		objects = append(objects, renderPodGroup(&c.PodGroups[i]))
	}
	for i := range c.CompositePodGroups {
		objects = append(objects, renderComposite(&c.CompositePodGroups[i]))
	}
	for i := range c.PDBs {
		objects = append(objects, renderBudget(&c.PDBs[i]))
	}
	for i := range c.Pods {
		objects = append(objects, renderPod(&c.Pods[i]))
	}
	return objects
}

func renderNode(n *golden.Node) *v1.Node {
	node := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels},
		Spec:       v1.NodeSpec{Unschedulable: n.Unschedulable},
		Status:     v1.NodeStatus{Allocatable: renderAmounts(n.Allocatable), Capacity: v1.ResourceList{"cpu": resource.MustParse("1M")}},
	}
	for _, t := range n.AllTaints() {
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: t.Key, Value: t.Value, Effect: v1.TaintEffect(t.Effect)})
	}
	return node
}

func renderPod(p *golden.Pod) *v1.Pod {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: types.UID(p.UID), Labels: p.Labels},
		Spec: v1.PodSpec{
			NodeName:     p.Node,
			Priority:     &p.Priority,
			NodeSelector: p.NodeSelector,
			Containers:   []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{Requests: renderAmounts(p.Requests)}}},
		},
		Status: v1.PodStatus{NominatedNodeName: p.NominatedNode},
	}
	for _, h := range p.HostPorts {
		pod.Spec.Containers[0].Ports = append(pod.Spec.Containers[0].Ports, v1.ContainerPort{
			Protocol: v1.Protocol(h.Protocol), HostIP: h.IP, HostPort: h.Port, ContainerPort: h.Port,
		})
	}
	for _, t := range p.Tolerations {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{
			Key: t.Key, Operator: v1.TolerationOperator(t.Operator), Value: t.Value, Effect: v1.TaintEffect(t.Effect),
		})
	}
	if !p.Start.IsZero() {
		pod.Status.StartTime = &metav1.Time{Time: p.Start}
	}
	if p.Group != "" {
		pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &p.Group}
	}
	if p.PreemptionPolicy != "" {
		pod.Spec.PreemptionPolicy = (*v1.PreemptionPolicy)(&p.PreemptionPolicy)
	}
	if p.Terminating != "" {
		pod.DeletionTimestamp = &deleted
	}
	if p.Terminating == golden.ByPreemption {
		pod.Status.Conditions = []v1.PodCondition{{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler}}
	}
	return pod
}

func renderAmounts(r golden.Resources) v1.ResourceList {
	list := v1.ResourceList{}
	for name, amount := range r {
		switch name {
		case "cpu":
			list[v1.ResourceCPU] = *resource.NewMilliQuantity(amount, resource.DecimalSI)
		case "memory":
			list[v1.ResourceMemory] = *resource.NewQuantity(amount, resource.BinarySI)
		default:
			list[v1.ResourceName(name)] = *resource.NewQuantity(amount, resource.DecimalSI)
		}
	}
	return list
}

func renderBudget(b *golden.PDB) *policyv1.PodDisruptionBudget {
	pdb := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.Name},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: b.Allowed},
	}
	if s := b.Selector; s != nil {
		pdb.Spec.Selector = &metav1.LabelSelector{MatchLabels: s.MatchLabels}
		for _, r := range s.MatchExpressions {
			pdb.Spec.Selector.MatchExpressions = append(pdb.Spec.Selector.MatchExpressions, metav1.LabelSelectorRequirement{
				Key: r.Key, Operator: metav1.LabelSelectorOperator(r.Operator), Values: r.Values,
			})
		}
	}
	for _, name := range b.DisruptedPods {
		if pdb.Status.DisruptedPods == nil {
			pdb.Status.DisruptedPods = map[string]metav1.Time{}
		}
		pdb.Status.DisruptedPods[name] = deleted
	}
	return pdb
}

func renderPodGroup(g *golden.PodGroup) *schedulingv1beta1.PodGroup {
	pg := &schedulingv1beta1.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Namespace: g.Namespace, Name: g.Name, UID: types.UID(g.Name)},
		Spec:       schedulingv1beta1.PodGroupSpec{Priority: &g.Priority, ParentCompositePodGroupName: named(g.Parent)},
	}
	if g.DisruptionMode == golden.ModeAll {
		pg.Spec.DisruptionMode = &schedulingv1beta1.DisruptionMode{All: &schedulingv1beta1.AllDisruptionMode{}}
	}
	return pg
}

func renderComposite(g *golden.CompositePodGroup) *schedulingv1alpha3.CompositePodGroup {
	cpg := &schedulingv1alpha3.CompositePodGroup{
		ObjectMeta: metav1.ObjectMeta{Namespace: g.Namespace, Name: g.Name, UID: types.UID(g.Name)},
		Spec:       schedulingv1alpha3.CompositePodGroupSpec{Priority: &g.Priority, ParentCompositePodGroupName: named(g.Parent)},
	}
	if g.DisruptionMode == golden.ModeAll {
		cpg.Spec.DisruptionMode = &schedulingv1alpha3.CompositeDisruptionMode{All: &schedulingv1alpha3.AllCompositeDisruptionMode{}}
	}
	return cpg
}

func named(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// A shape writes objects as some client does.
type shape struct {
	name  string
	write func(t *testing.T, objects []runtime.Object) []byte
}

var shapes = []shape{
	{"kubectl get -o json", writeList},
	{"one list a kind, as the API serves them", writeTypedLists},
	{"concatenated JSON", writeConcatenated},
	{"YAML documents", writeYAML},
}

// plain returns the object as JSON with apiVersion and kind.
func plain(t *testing.T, o runtime.Object) map[string]any {
	t.Helper()
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		t.Fatal(err)
	}
	u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		t.Fatal(err)
	}
	u["apiVersion"], u["kind"] = kinds[0].GroupVersion().String(), kinds[0].Kind
	return u
}

func marshal(t *testing.T, x any) []byte {
	t.Helper()
	data, err := json.MarshalIndent(x, "", "    ")
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

func writeList(t *testing.T, objects []runtime.Object) []byte {
	items := []any{}
	for _, o := range objects {
		items = append(items, plain(t, o))
	}
	return marshal(t, map[string]any{"apiVersion": "v1", "kind": "List", "items": items, "metadata": map[string]any{"resourceVersion": ""}})
}

func writeTypedLists(t *testing.T, objects []runtime.Object) []byte {
	type key struct{ version, kind string }
	var order []key
	items := map[key][]any{}
	for _, o := range objects {
		u := plain(t, o)
		k := key{u["apiVersion"].(string), u["kind"].(string)}
		if items[k] == nil {
			order = append(order, k)
		}
		delete(u, "apiVersion")
		delete(u, "kind")
		items[k] = append(items[k], u)
	}
	var out bytes.Buffer
	for _, k := range order {
		out.Write(marshal(t, map[string]any{"apiVersion": k.version, "kind": k.kind + "List", "metadata": map[string]any{}, "items": items[k]}))
	}
	return out.Bytes()
}

func writeConcatenated(t *testing.T, objects []runtime.Object) []byte {
	var out bytes.Buffer
	for _, o := range objects {
		out.Write(marshal(t, plain(t, o)))
	}
	return out.Bytes()
}

func writeYAML(t *testing.T, objects []runtime.Object) []byte {
	var out bytes.Buffer
	for _, o := range objects {
		data, err := yaml.Marshal(plain(t, o))
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("---\n")
		out.Write(data)
	}
	return out.Bytes()
}
