package kube_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/preemption/kube"
)

// Converted selectors match what apimachinery says they do, and those that it
// rejects are invalid.
func TestSelectorAgreesWithAPIMachinery(t *testing.T) {
	expression := func(key string, op metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: op, Values: values}}}
	}
	selectors := []*metav1.LabelSelector{
		nil,
		{},
		{MatchLabels: map[string]string{"app": "web"}},
		{MatchLabels: map[string]string{"app": "web", "tier": ""}},
		{MatchLabels: map[string]string{"not valid": "x"}},
		{MatchLabels: map[string]string{"app": "not valid"}},
		expression("app", metav1.LabelSelectorOpIn, "web", "db"),
		expression("app", metav1.LabelSelectorOpNotIn, "web"),
		expression("tier", metav1.LabelSelectorOpExists),
		expression("tier", metav1.LabelSelectorOpDoesNotExist),
		expression("app", metav1.LabelSelectorOpIn),
		expression("app", metav1.LabelSelectorOpExists, "web"),
		expression("app", "Like", "web"),
		expression("example.com/app", metav1.LabelSelectorOpIn, "web"),
		expression("Example.com/app", metav1.LabelSelectorOpIn, "web"),
	}
	sets := []map[string]string{nil, {}, {"app": "web"}, {"app": "db"}, {"app": "web", "tier": ""}, {"app": "", "tier": "x"}, {"example.com/app": "web"}}

	for i, s := range selectors {
		theirs, err := metav1.LabelSelectorAsSelector(s)
		ours := kube.Selector(s)
		if (ours.Validate() == nil) != (err == nil) {
			t.Errorf("selector %d: Validate = %v, apimachinery says %v", i, ours.Validate(), err)
		}
		for _, set := range sets {
			want := err == nil && theirs.Matches(labels.Set(set))
			if got := ours.Matches(set); got != want {
				t.Errorf("selector %d matches %v: %v, want %v", i, set, got, want)
			}
		}
	}
}
