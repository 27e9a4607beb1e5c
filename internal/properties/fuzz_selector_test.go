package properties

import (
	"strings"
	"testing"

	"example.com/preemption"
)

// FuzzSelector reads a selector and labels from text: no panic, what is valid is
// valid by the regular expressions of the API, and what matches matches naively.
func FuzzSelector(f *testing.F) {
	f.Add("", "", "In", "", "", "")
	f.Add("app", "web", "In", "tier", "front,back", "app=web,tier=front")
	f.Add("app", "web", "NotIn", "tier", "front", "app=web")
	f.Add("", "", "Exists", "example.com/team", "", "example.com/team=a")
	f.Add("", "", "DoesNotExist", "canary", "", "app=web")
	f.Add("app", "", "Exists", "tier", "no values allowed", "app=")
	f.Add("app", "", "In", "tier", "", "tier=x")
	f.Add("-bad", "worse-", "Like", "a/b/c", "é", "=")
	f.Add("Example.com/app", "x", "In", "example..com/app", ",", "x")
	f.Fuzz(func(t *testing.T, key, value, operator, requirement, values, labels string) {
		s := &preemption.Selector{}
		if key != "" {
			s.MatchLabels = map[string]string{key: value}
		}
		r := preemption.Requirement{Key: requirement, Operator: preemption.SelectorOperator(operator)}
		if values != "" {
			r.Values = strings.Split(values, ",")
		}
		if requirement != "" {
			s.MatchExpressions = []preemption.Requirement{r}
		}
		set := map[string]string{}
		for _, pair := range strings.Split(labels, ",") {
			k, v, _ := strings.Cut(pair, "=")
			set[k] = v
		}
		valid := (key == "" || naiveKey(key) && naiveValue(value)) && (requirement == "" || naiveRequirement(r))
		if err := s.Validate(); (err == nil) != valid {
			t.Errorf("Validate(%+v) = %v, want valid: %v", s, err, valid)
		}
		if got, want := s.Matches(set), valid && twinMatches(s, set); got != want {
			t.Errorf("Matches(%q) = %v, want %v, for %+v", set, got, want, s)
		}
	})
}

func naiveRequirement(r preemption.Requirement) bool {
	for _, v := range r.Values {
		if !naiveValue(v) {
			return false
		}
	}
	switch r.Operator {
	case preemption.SelectorIn, preemption.SelectorNotIn:
		return naiveKey(r.Key) && len(r.Values) > 0
	case preemption.SelectorExists, preemption.SelectorDoesNotExist:
		return naiveKey(r.Key) && len(r.Values) == 0
	}
	return false
}
