package audit

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/preemption/scheduler/explanation"
)

// long is how long a budget may be without what it asks for before it is told of.
const long = time.Hour

var budgetChecks = []check{
	{
		id: "bad-selector", severity: explanation.SeverityWarning,
		why: "kube-scheduler passes over the budget: nothing is protected by it",
		fix: "mend the selector",
		look: func(a *auditor, found func(string, ...string)) {
			for _, b := range a.shownBudgets() {
				if _, err := metav1.LabelSelectorAsSelector(b.Spec.Selector); err != nil {
					found(fmt.Sprintf("the selector of budget %s is not valid: %v", budgetName(b), err), budget(b))
				}
			}
		},
	},
	{
		id: "budget-allows-nothing", severity: explanation.SeverityWarning,
		why: "it blocks every drain for ever, and still does not stop preemption: a victim under it is only avoided as long as another node will do",
		fix: "allow a disruption (maxUnavailable: 1, or a minAvailable below the number of replicas), and raise the priority of what must not go",
		look: func(a *auditor, found func(string, ...string)) {
			for _, b := range a.shownBudgets() {
				if why := neverAllows(b); why != "" && len(a.covered[b]) > 0 {
					found(fmt.Sprintf("budget %s can never allow a disruption: %s", budgetName(b), why), budget(b))
				}
			}
		},
	},
	{
		id: "budget-covers-nothing", severity: explanation.SeverityWarning,
		why: "whoever wrote it believes pods to be protected that are not",
		fix: "compare its selector with the labels of the pods (kubectl get pods --show-labels), or delete it",
		look: func(a *auditor, found func(string, ...string)) {
			for _, b := range a.shownBudgets() {
				if _, err := metav1.LabelSelectorAsSelector(b.Spec.Selector); err == nil && len(a.covered[b]) == 0 && len(a.pods) > 0 {
					found(fmt.Sprintf("budget %s covers no pod: its selector is %s", budgetName(b), selectorText(b)), budget(b))
				}
			}
		},
	},
	{
		id: "several-budgets", severity: explanation.SeverityWarning,
		why: "the eviction API refuses such a pod, so that its node cannot be drained; and which of the budgets preemption charges depends on their order",
		fix: "make the selectors disjoint",
		look: func(a *auditor, found func(string, ...string)) {
			var pods []*v1.Pod
			for _, p := range a.shown() {
				if len(a.budgets[p]) > 1 {
					pods = append(pods, p)
				}
			}
			byWorkload(pods, func(workload string, pods []*v1.Pod) {
				list := objects(a.budgets[pods[0]], budgetName)
				found(fmt.Sprintf("%s of %s under several budgets: %s", plural(len(pods), "pod"), workload, names(list)),
					append(objects(pods, pod), objects(a.budgets[pods[0]], budget)...)...)
			})
		},
	},
	{
		id: "budget-unhealthy", severity: explanation.SeverityWarning,
		why: "while pods are missing every eviction counts as a violation, and drains wait",
		fix: "find out why its pods are not ready; if they can only become so after a drain, set unhealthyPodEvictionPolicy: AlwaysAllow",
		look: func(a *auditor, found func(string, ...string)) {
			for _, b := range a.shownBudgets() {
				s := b.Status
				if s.CurrentHealthy >= s.DesiredHealthy || len(a.covered[b]) == 0 {
					continue
				}
				since, known := a.since(b)
				switch {
				case known && a.now.Sub(since) < long:
				case known:
					found(fmt.Sprintf("budget %s has %d of the %d healthy pods that it asks for, for %s", budgetName(b), s.CurrentHealthy, s.DesiredHealthy, duration.HumanDuration(a.now.Sub(since))), budget(b))
				default:
					found(fmt.Sprintf("budget %s has %d of the %d healthy pods that it asks for", budgetName(b), s.CurrentHealthy, s.DesiredHealthy), budget(b))
				}
			}
		},
	},
	{
		id: "budget-over-first-victims", severity: explanation.SeverityInfo,
		why: "budgets only choose between victims, priority decides who may be one: these pods have the lowest there is, so that every pod that preempts may evict them, the budget notwithstanding",
		fix: "give the pods a class of the value that the budget suggests, if they matter",
		look: func(a *auditor, found func(string, ...string)) {
			if a.lowest == a.highest {
				return
			}
			for _, b := range a.shownBudgets() {
				pods := a.covered[b]
				first := len(pods) > 0
				for _, p := range pods {
					first = first && a.priority[p] == a.lowest
				}
				if first {
					found(fmt.Sprintf("the pods under budget %s have the lowest priority of all, %d", budgetName(b), a.lowest), budget(b))
				}
			}
		},
	},
}

// neverAllows says why the budget can allow no disruption even if all of its pods
// are healthy, "" if it can.
func neverAllows(b *policyv1.PodDisruptionBudget) string {
	if x := b.Spec.MaxUnavailable; x != nil {
		if n, err := intstr.GetScaledValueFromIntOrPercent(x, 100, true); err == nil && n == 0 {
			return "maxUnavailable is " + x.String()
		}
		return ""
	}
	x := b.Spec.MinAvailable
	if x == nil {
		return ""
	}
	if x.Type == intstr.String {
		if n, err := intstr.GetScaledValueFromIntOrPercent(x, 100, true); err == nil && n >= 100 {
			return "minAvailable is " + x.String()
		}
	}
	expected := int(b.Status.ExpectedPods)
	if n, err := intstr.GetScaledValueFromIntOrPercent(x, expected, true); err == nil && expected > 0 && n >= expected {
		return fmt.Sprintf("minAvailable is %s of %s", x.String(), plural(expected, "pod"))
	}
	return ""
}

// since returns since when the budget allows nothing.
func (a *auditor) since(b *policyv1.PodDisruptionBudget) (time.Time, bool) {
	for _, c := range b.Status.Conditions {
		if c.Type == policyv1.DisruptionAllowedCondition && c.Status == metav1.ConditionFalse && !c.LastTransitionTime.IsZero() {
			return c.LastTransitionTime.Time, true
		}
	}
	return time.Time{}, false
}

func selectorText(b *policyv1.PodDisruptionBudget) string {
	if b.Spec.Selector == nil {
		return "missing"
	}
	return metav1.FormatLabelSelector(b.Spec.Selector)
}
