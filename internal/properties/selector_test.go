package properties

import (
	"regexp"
	"strings"
	"testing"

	"example.com/preemption"
	"pgregory.net/rapid"
)

// The syntax of labels as the Kubernetes API writes it down.
var (
	labelName  = regexp.MustCompile(`^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`)
	dnsDomain  = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	labelPiece = rapid.SampledFrom([]string{"a", "B", "7", "-", "_", ".", "/", "é", " ", "app", "example.com", strings.Repeat("x", 63), strings.Repeat("y.", 126) + "y", ""})
)

func naiveKey(s string) bool {
	parts := strings.Split(s, "/")
	name := parts[len(parts)-1]
	return len(parts) <= 2 && labelName.MatchString(name) && len(name) <= 63 &&
		(len(parts) == 1 || dnsDomain.MatchString(parts[0]) && len(parts[0]) <= 253)
}

func naiveValue(s string) bool { return s == "" || labelName.MatchString(s) && len(s) <= 63 }

func drawLabel(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(labelPiece, 0, 4).Draw(t, label), "")
}

// A key or a value is valid if the regular expressions of the API say so.
func TestLabelSyntaxProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key, value := drawLabel(t, "key"), drawLabel(t, "value")
		s := &preemption.Selector{MatchLabels: map[string]string{key: value}}
		if want := naiveKey(key) && naiveValue(value); (s.Validate() == nil) != want {
			t.Fatalf("Validate(%q: %q) = %v, want valid: %v", key, value, s.Validate(), want)
		}
		s = &preemption.Selector{MatchExpressions: []preemption.Requirement{{Key: key, Operator: preemption.SelectorIn, Values: []string{"ok", value}}}}
		if want := naiveKey(key) && naiveValue(value); (s.Validate() == nil) != want {
			t.Fatalf("Validate(%q In ok, %q) = %v, want valid: %v", key, value, s.Validate(), want)
		}
		s = &preemption.Selector{MatchExpressions: []preemption.Requirement{{Key: key, Operator: preemption.SelectorExists}}}
		if want := naiveKey(key); (s.Validate() == nil) != want {
			t.Fatalf("Validate(%q Exists) = %v, want valid: %v", key, s.Validate(), want)
		}
	})
}

// A selector matches what a naive reading of it matches; nil and invalid ones
// match nothing.
func TestSelectorProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSelector(t)
		valid := true
		if s != nil {
			for range rapid.IntRange(0, 2).Draw(t, "more") {
				r := drawRequirement(t)
				if oneIn(t, 6, "without values") {
					r.Values = nil
				}
				if oneIn(t, 8, "with values") {
					r.Values = []string{"x"}
				}
				s.MatchExpressions = append(s.MatchExpressions, r)
			}
			for _, r := range s.MatchExpressions {
				takesValues := r.Operator == preemption.SelectorIn || r.Operator == preemption.SelectorNotIn
				valid = valid && r.Operator != "Like" && takesValues == (len(r.Values) > 0)
			}
		}
		labels := drawLabels(t)
		if err := s.Validate(); (err == nil) != valid {
			t.Fatalf("Validate(%+v) = %v, want valid: %v", s, err, valid)
		}
		if want := s != nil && valid && twinMatches(s, labels); s.Matches(labels) != want {
			t.Fatalf("Matches(%v) = %v, want %v, for %+v", labels, !want, want, s)
		}
	})
}
