package kube_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// missed is what an informer passes of an object whose deletion it missed.
type missed struct {
	Key string
	Obj any
}

// Whatever happens to objects, and in whatever order a tracker is told of it, its
// cluster is the one built of the objects that there are in the end.
func TestTrackerProperty(t *testing.T) { rapid.Check(t, track) }

func FuzzTracker(f *testing.F) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 3))
		data := make([]byte, 2000)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(rapid.MakeFuzz(track))
}

func track(t *rapid.T) {
	tracker, err := kube.NewTracker(preemption.Release138)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]runtime.Object{}
	version := 0
	t.Repeat(map[string]func(*rapid.T){
		"set": func(t *rapid.T) {
			name, o := drawObject(t)
			version++
			o.(metav1.Object).SetResourceVersion(fmt.Sprint(version))
			if old, ok := there[name]; ok && rapid.Bool().Draw(t, "update") {
				tracker.OnUpdate(old, o)
			} else {
				tracker.OnAdd(o, false) // also after a deletion that was missed
			}
			there[name] = o
		},
		"again": func(t *rapid.T) {
			for _, o := range there {
				tracker.OnUpdate(o, o.DeepCopyObject())
			}
		},
		"delete": func(t *rapid.T) {
			name, o := drawObject(t)
			if old, ok := there[name]; ok {
				o = old
			}
			delete(there, name)
			if rapid.Bool().Draw(t, "missed") {
				tracker.OnDelete(missed{name, o})
			} else {
				tracker.OnDelete(o)
			}
		},
		"": func(t *rapid.T) { checkTracker(t, tracker, there) },
	})
}

func checkTracker(t *rapid.T, tracker *kube.Tracker, there map[string]runtime.Object) {
	var objects kube.Objects
	for _, o := range there {
		switch o := o.(type) {
		case *v1.Node:
			objects.Nodes = append(objects.Nodes, o)
		case *v1.Pod:
			objects.Pods = append(objects.Pods, o)
		case *policyv1.PodDisruptionBudget:
			objects.PodDisruptionBudgets = append(objects.PodDisruptionBudgets, o)
		case *schedulingv1.PriorityClass:
			objects.PriorityClasses = append(objects.PriorityClasses, o)
		case *schedulingv1beta1.PodGroup:
			objects.PodGroups = append(objects.PodGroups, o)
		}
	}
	state, err := objects.State(preemption.Release138)
	if (tracker.Err() != nil) != (err != nil) {
		t.Fatalf("error %v, of a fresh build %v", tracker.Err(), err)
	}
	if err != nil {
		return
	}
	fresh, err := preemption.NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	tracker.Do(func(c *preemption.Cluster) {
		if diff := gocmp.Diff(byName(fresh.State()), byName(c.State())); diff != "" {
			t.Fatalf("cluster (-fresh +tracked):\n%s", diff)
		}
	})
}

// byName takes the order out of a state: a tracker goes by that of arrival.
func byName(s preemption.ClusterState) preemption.ClusterState {
	slices.SortFunc(s.Nodes, func(a, b *preemption.Node) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Pods, func(a, b *preemption.Pod) int { return cmp.Compare(a.String(), b.String()) })
	slices.SortFunc(s.DisruptionBudgets, func(a, b *preemption.PodDisruptionBudget) int { return cmp.Compare(a.String(), b.String()) })
	return s
}

// drawObject draws an object of few names, so that events meet.
func drawObject(t *rapid.T) (name string, o runtime.Object) {
	i := rapid.IntRange(0, 2).Draw(t, "number")
	kind := rapid.SampledFrom([]string{"pod", "pod", "pod", "node", "node", "budget", "class", "group"}).Draw(t, "kind")
	name = fmt.Sprint(kind, i)
	one := rapid.IntRange(0, 1).Draw(t, "variant")
	switch kind {
	case "node":
		return name, nodeWith(name, "cpu", fmt.Sprint(4+one), "pods", "10")
	case "budget":
		return name, &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Spec:   policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}},
			Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(one)}}
	case "class":
		return name, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: int32(100 + one)}
	case "group":
		return name, &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Spec: schedulingv1beta1.PodGroupSpec{PriorityClassName: rapid.SampledFrom([]string{"", "class0"}).Draw(t, "class of the group")}}
	}
	node := rapid.SampledFrom([]string{"", "node0", "node1", "node2"}).Draw(t, "node")
	p := podOn(node, name, int32(one), "cpu", "1")
	p.UID = types.UID(rapid.SampledFrom([]string{"first", "second"}).Draw(t, "uid"))
	p.Labels = map[string]string{"app": "x"}
	p.Status.NominatedNodeName = rapid.SampledFrom([]string{"", "node0", "node1"}).Draw(t, "nominated")
	if rapid.IntRange(0, 5).Draw(t, "finished") == 5 {
		p.Status.Phase = v1.PodSucceeded
	}
	if rapid.IntRange(0, 3).Draw(t, "by class") == 3 {
		p.UID, p.Spec.Priority, p.Spec.PriorityClassName, p.Spec.NodeName = "", nil, "class1", ""
	}
	return name, p
}

// What was committed holds until an update says otherwise; a resync is none.
func TestTrackerKeepsWhatIsCommitted(t *testing.T) {
	tracker, err := kube.NewTracker(preemption.Release138)
	if err != nil {
		t.Fatal(err)
	}
	victim, urgent := podOn("node", "victim", 0, "cpu", "4"), podOn("", "urgent", 10, "cpu", "4")
	victim.ResourceVersion, urgent.ResourceVersion = "1", "2"
	elsewhere := podOn("other", "victim", 0, "cpu", "4") // another pod of that name, before
	tracker.OnAdd(elsewhere, true)
	tracker.OnDelete(elsewhere)
	tracker.OnAdd(victim, true)
	tracker.OnAdd(urgent, true)
	tracker.OnAdd(nodeWith("node", "cpu", "4", "pods", "10"), true)
	outcome := func() (o preemption.Outcome) {
		tracker.Do(func(c *preemption.Cluster) {
			r, err := (&preemption.Evaluator{}).Preempt(t.Context(), c, c.Pod("default", "urgent"))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Commit(r); err != nil {
				t.Fatal(err)
			}
			o = r.Outcome
		})
		return o
	}
	if o := outcome(); o != preemption.OutcomePreempt {
		t.Fatalf("first %v", o)
	}
	tracker.OnUpdate(victim, victim.DeepCopy())
	labelled := urgent.DeepCopy()
	labelled.ResourceVersion, labelled.Labels = "3", map[string]string{"app": "x"}
	tracker.OnUpdate(urgent, labelled)
	tracker.OnAdd(nodeWith("other"), false)
	if o := outcome(); o != preemption.OutcomeWaiting {
		t.Fatalf("then %v", o)
	}
	tracker.OnDelete(victim)
	if o := outcome(); o != preemption.OutcomeFits {
		t.Fatalf("at last %v", o)
	}
}

// What no cluster is made of is said to be wrong, and nothing else suffers.
func TestTrackerErrors(t *testing.T) {
	tracker, err := kube.NewTracker(preemption.Release138)
	if err != nil {
		t.Fatal(err)
	}
	tracker.OnAdd(&v1.Service{}, false)
	bad := podOn("", "bad", 0, "cpu", "-1")
	tracker.OnAdd(bad, false)
	tracker.OnAdd(podOn("", "worse", 0, "cpu", "-2"), false)
	tracker.OnUpdate(bad, podOn("", "bad", 0, "cpu", "-3")) // is still the first that came
	tracker.OnAdd(podOn("", "good", 0), false)
	tracker.OnDelete(nil)
	err = tracker.Err()
	for _, want := range []string{"*v1.Service", "bad", "worse", "<nil>"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %s", err, want)
		}
	}
	if err != nil && strings.Index(err.Error(), "bad") > strings.Index(err.Error(), "worse") {
		t.Errorf("error %v, not in the order in which the objects came", err)
	}
	tracker.Do(func(c *preemption.Cluster) {
		if c.Pod("default", "good") == nil || c.Pod("default", "bad") != nil {
			t.Error("the good pod is missing, or the bad one is there")
		}
	})
	if _, err := kube.NewTracker(99); err == nil {
		t.Error("release 99 is accepted")
	}
}
