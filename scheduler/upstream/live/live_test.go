//go:build live

package live

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption/scheduler/explanation"
)

// Three nodes can be cleared for the pod urgent: one by violating a budget, one
// of a pod of high priority, one of two pods of lower priority. Kubectl preemption
// says beforehand who will have to go; the scheduler is killed as soon as it has
// started to evict them, and started again.
func TestPreemptionOfALiveCluster(t *testing.T) {
	c := newCluster(t)
	for name, value := range map[string]int32{"low": 100, "middle": 200, "high": 500, "urgent": 1000} {
		c.class(name, value)
	}
	day := func(n int) time.Time { return time.Date(2026, 3, n, 9, 0, 0, 0, time.UTC) }
	for _, name := range []string{"node-a", "node-b", "node-c"} {
		c.node(name, "4")
	}
	c.pod("web-1", "node-a", "low", "web", "2", day(1))
	c.pod("web-2", "node-a", "low", "web", "2", day(2))
	c.pod("database", "node-b", "high", "database", "4", day(3))
	c.pod("batch-1", "node-c", "low", "batch", "1500m", day(4))
	c.pod("batch-2", "node-c", "middle", "batch", "1500m", day(5))
	c.pod("batch-3", "node-c", "high", "batch", "1", day(6))
	b, err := c.PolicyV1().PodDisruptionBudgets("default").Create(t.Context(), &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
	}, metav1.CreateOptions{})
	c.fatal(err)
	b.Status.DisruptionsAllowed = 0 // nobody else looks after it
	_, err = c.PolicyV1().PodDisruptionBudgets("default").UpdateStatus(t.Context(), b, metav1.UpdateOptions{})
	c.fatal(err)
	c.pod("urgent", "", "urgent", "urgent", "3", time.Time{})

	want := []string{"batch-1", "batch-2"}
	if node, victims := c.explain("urgent"); node != "node-c" || !slices.Equal(victims, want) {
		t.Fatalf("kubectl preemption explain: node %s, victims %v, want node-c and %v", node, victims, want)
	}

	first := c.startScheduler()
	c.eventually("an eviction", func() (bool, error) { return len(c.terminating()) > 0, nil })
	first.kill()
	deletions := c.terminating()
	t.Logf("killed with %d of %d victims on their way out", len(deletions), len(want))

	second := c.startScheduler()
	c.eventually("the eviction of all victims", func() (bool, error) { return len(c.terminating()) == len(want), nil })
	c.eventually("the nomination", func() (bool, error) { return c.pods()["urgent"].Status.NominatedNodeName == "node-c", nil })
	time.Sleep(5 * time.Second) // time enough to evict anybody else
	var victims []string
	for name, at := range c.terminating() {
		victims = append(victims, name)
		if before, ok := deletions[name]; ok && !before.Equal(&at) {
			t.Errorf("pod %s was deleted again: at first until %v, now until %v", name, before, at)
		}
	}
	slices.Sort(victims)
	if d := cmp.Diff(want, victims); d != "" {
		t.Fatalf("evicted (- want, + got):\n%s", d)
	}
	for name, p := range c.pods() {
		if slices.Contains(want, name) != targeted(p) {
			t.Errorf("pod %s: DisruptionTarget by preemption is %t", name, targeted(p))
		}
	}

	// The kubelet of node-c.
	for _, name := range want {
		now := int64(0)
		c.fatal(c.CoreV1().Pods("default").Delete(t.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: &now}))
	}
	c.eventually("the binding", func() (bool, error) { return c.pods()["urgent"].Spec.NodeName == "node-c", nil })
	if n := len(c.pods()); n != 5 {
		t.Errorf("%d pods are left, want 5", n)
	}
	for name, n := range c.preemptedEvents() {
		if n > 1 || !slices.Contains(want, name) {
			t.Errorf("pod %s: %d events say that it was preempted", name, n)
		}
	}
	agreement := c.metric(second, "preemption_plugin_agreement_total")
	t.Logf("metrics of the second process:\n%s\n%s", c.metric(second, "preemption_plugin_decisions_total"), agreement)
	for _, result := range []string{"refused", "differs", "worse"} {
		if strings.Contains(agreement, `"`+result+`"`) {
			t.Errorf("kube-scheduler did not agree:\n%s", agreement)
		}
	}
}

// explain asks kubectl preemption, as a process, about a pending pod.
func (c *cluster) explain(pod string) (node string, victims []string) {
	c.t.Helper()
	out, err := exec.Command(filepath.Join(c.bin, "kubectl-preemption"), "explain", pod, "-n", "default", "-o", "json", "--kubeconfig", c.kubeconfig).Output()
	if exit, ok := err.(*exec.ExitError); ok {
		c.t.Fatalf("kubectl preemption explain: %v\n%s", err, exit.Stderr)
	}
	c.fatal(err)
	var x explanation.Explanation
	c.fatal(json.Unmarshal(out, &x))
	for _, v := range x.Victims {
		victims = append(victims, v.Name)
	}
	slices.Sort(victims)
	return x.Node, victims
}

// terminating returns the pods that are on their way out, and until when.
func (c *cluster) terminating() map[string]metav1.Time {
	out := make(map[string]metav1.Time)
	for name, p := range c.pods() {
		if p.DeletionTimestamp != nil {
			out[name] = *p.DeletionTimestamp
		}
	}
	return out
}

func targeted(p *v1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(x v1.PodCondition) bool {
		return x.Type == v1.DisruptionTarget && x.Status == v1.ConditionTrue && x.Reason == v1.PodReasonPreemptionByScheduler
	})
}

// preemptedEvents counts the events by the pod that they are about.
func (c *cluster) preemptedEvents() map[string]int {
	list, err := c.EventsV1().Events("default").List(c.t.Context(), metav1.ListOptions{})
	c.fatal(err)
	count := make(map[string]int)
	for _, e := range list.Items {
		if e.Reason == "Preempted" {
			count[e.Regarding.Name]++
		}
	}
	return count
}
