//go:build live

package live

import (
	"encoding/json"
	"maps"
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
// says beforehand who will have to go; the scheduler is killed between the two
// evictions, and started again.
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
	select {
	case <-c.gate.held:
	case <-time.After(3 * time.Minute):
		t.Fatalf("no preemption within three minutes; deleted: %v", c.gate.deletions())
	}
	first.kill()
	if going, deleted := c.terminating(), c.gate.deletions(); len(deleted) != 1 || !slices.Equal(going, deleted) {
		t.Fatalf("in the middle of the preemption: on their way out: %v, deleted by the scheduler: %v, want one of %v", going, deleted, want)
	}

	// The second process finds one victim on its way out and the other one running.
	// The kubelet does not come in before it has looked at that.
	c.gate.open()
	second := c.startScheduler()
	c.eventually("a decision after the restart", func() (bool, error) {
		metric, err := c.metric(second, "preemption_plugin_decisions_total")
		return metric != "", err
	})
	c.eventually("the binding", func() (bool, error) {
		c.finishTerminating()
		return c.pods()["urgent"].Spec.NodeName == "node-c", nil
	})
	time.Sleep(5 * time.Second) // time enough to evict anybody else
	if d := cmp.Diff(want, slices.Sorted(slices.Values(c.gate.deletions()))); d != "" {
		t.Errorf("deleted by the two processes (- want, + got):\n%s", d)
	}
	if d := cmp.Diff([]string{"batch-3", "database", "urgent", "web-1", "web-2"}, slices.Sorted(maps.Keys(c.pods()))); d != "" {
		t.Errorf("pods that are left (- want, + got):\n%s", d)
	}
	for name, p := range c.pods() {
		if p.DeletionTimestamp != nil || targeted(p) {
			t.Errorf("pod %s is left, but was to be evicted", name)
		}
	}
	for name, n := range c.preemptedEvents() {
		if n > 1 || !slices.Contains(want, name) {
			t.Errorf("pod %s: %d events say that it was preempted", name, n)
		}
	}
	decisions, err := c.metric(second, "preemption_plugin_decisions_total")
	c.fatal(err)
	agreement, err := c.metric(second, "preemption_plugin_agreement_total")
	c.fatal(err)
	t.Logf("metrics of the second process:\n%s\n%s", decisions, agreement)
	for _, result := range []string{"refused", "differs", "worse"} {
		if strings.Contains(agreement, `"`+result+`"`) {
			t.Errorf("kube-scheduler did not agree:\n%s", agreement)
		}
	}
}

// explain asks kubectl preemption, as a process, about a pending pod.
func (c *cluster) explain(pod string) (node string, victims []string) {
	c.t.Helper()
	out, err := exec.Command(filepath.Join(c.bin, "kubectl-preemption"), "explain", pod, "-n", "default", "-o", "json",
		"--kubernetes-version", "1.37", "--scheduler-name", schedulerName, "--kubeconfig", c.kubeconfig).Output()
	if exit, ok := err.(*exec.ExitError); ok {
		c.t.Fatalf("kubectl preemption explain: %v\n%s%s", err, out, exit.Stderr)
	}
	c.fatal(err)
	var x explanation.Explanation
	c.fatal(json.Unmarshal(out, &x))
	if x.State != explanation.StatePreempts {
		c.t.Errorf("kubectl preemption explain: %s, want %s", x.State, explanation.StatePreempts)
	}
	for _, v := range x.Victims {
		victims = append(victims, v.Name)
	}
	slices.Sort(victims)
	return x.Node, victims
}

// terminating returns the pods that are on their way out.
func (c *cluster) terminating() []string {
	var out []string
	for name, p := range c.pods() {
		if p.DeletionTimestamp != nil {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// finishTerminating does what the kubelets do: pods on their way out are gone.
// Each was marked by the scheduler.
func (c *cluster) finishTerminating() {
	pods := c.pods()
	for _, name := range c.terminating() {
		if p := pods[name]; p != nil && !targeted(p) {
			c.t.Errorf("pod %s is deleted without the condition DisruptionTarget by preemption", name)
		}
		now := int64(0)
		c.fatal(c.CoreV1().Pods("default").Delete(c.t.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: &now}))
	}
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
