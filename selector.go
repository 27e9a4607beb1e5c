package preemption

import (
	"fmt"
	"slices"
	"strings"
)

// A Selector chooses objects by their labels, as metav1.LabelSelector does. All
// of its conditions must hold. A nil *Selector matches nothing; the zero
// Selector, {}, matches everything (but see [Release] on what budgets make of
// it).
type Selector struct {
	MatchLabels      map[string]string
	MatchExpressions []Requirement
}

// A Requirement is one condition on a label.
type Requirement struct {
	Key      string
	Operator SelectorOperator
	Values   []string // at least one for SelectorIn and SelectorNotIn, none for the others
}

// A SelectorOperator relates a label to the values of a [Requirement].
type SelectorOperator string

const (
	SelectorIn           SelectorOperator = "In"           // the label is there and has one of the values
	SelectorNotIn        SelectorOperator = "NotIn"        // the label is absent or has another value
	SelectorExists       SelectorOperator = "Exists"       // the label is there
	SelectorDoesNotExist SelectorOperator = "DoesNotExist" // the label is absent
)

// Matches reports whether the labels satisfy the selector. A nil or invalid
// selector matches nothing. It takes O(conditions) and allocates nothing; an
// invalid selector is found out again at each call, so callers that ask often
// call [Selector.Validate] once.
func (s *Selector) Matches(labels map[string]string) bool {
	return s != nil && s.Validate() == nil && s.matches(labels)
}

// matches is Matches for a selector known to be valid.
func (s *Selector) matches(labels map[string]string) bool {
	for k, v := range s.MatchLabels {
		if have, ok := labels[k]; !ok || have != v {
			return false
		}
	}
	for _, r := range s.MatchExpressions {
		have, ok := labels[r.Key]
		switch r.Operator {
		case SelectorIn:
			ok = ok && slices.Contains(r.Values, have)
		case SelectorNotIn:
			ok = !ok || !slices.Contains(r.Values, have)
		case SelectorDoesNotExist:
			ok = !ok
		}
		if !ok {
			return false
		}
	}
	return true
}

// empty reports whether the selector has no condition.
func (s *Selector) empty() bool {
	return len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0
}

// Validate returns an error that says which condition is not a valid one, by
// the rules of the Kubernetes API: known operators, the right number of values,
// well-formed keys and values. A nil selector is valid.
func (s *Selector) Validate() error {
	if s == nil {
		return nil
	}
	var bad []string
	for k, v := range s.MatchLabels {
		if !isLabelKey(k) || !isLabelValue(v) {
			bad = append(bad, k)
		}
	}
	if len(bad) > 0 {
		// The least key is reported, so that the error does not depend on map order.
		key := slices.Min(bad)
		if key == "" {
			return fmt.Errorf("matchLabels: empty key")
		}
		return fmt.Errorf("matchLabels: %q: %q is not a valid label", key, s.MatchLabels[key])
	}
	for i, r := range s.MatchExpressions {
		if err := r.validate(); err != nil {
			return fmt.Errorf("matchExpressions[%d]: %w", i, err)
		}
	}
	return nil
}

func (r Requirement) validate() error {
	if !isLabelKey(r.Key) {
		return fmt.Errorf("%q is not a valid label key", r.Key)
	}
	switch r.Operator {
	case SelectorIn, SelectorNotIn:
		if len(r.Values) == 0 {
			return fmt.Errorf("operator %s needs at least one value", r.Operator)
		}
	case SelectorExists, SelectorDoesNotExist:
		if len(r.Values) != 0 {
			return fmt.Errorf("operator %s takes no values", r.Operator)
		}
	default:
		return fmt.Errorf("unknown operator %q: want In, NotIn, Exists or DoesNotExist", r.Operator)
	}
	for _, v := range r.Values {
		if !isLabelValue(v) {
			return fmt.Errorf("%q is not a valid label value", v)
		}
	}
	return nil
}

// Limits of label syntax in the Kubernetes API.
const (
	maxLabelName   = 63
	maxLabelPrefix = 253
)

// isLabelKey reports whether s is a qualified name: an optional DNS subdomain
// and a slash, then a name.
func isLabelKey(s string) bool {
	if prefix, name, ok := strings.Cut(s, "/"); ok {
		return isSubdomain(prefix) && isLabelName(name)
	}
	return isLabelName(s)
}

func isLabelValue(s string) bool { return s == "" || isLabelName(s) }

// isLabelName: up to 63 letters, digits, '-', '_' and '.', with a letter or
// digit at both ends.
func isLabelName(s string) bool {
	if s == "" || len(s) > maxLabelName || !isAlphanumeric(s[0]) || !isAlphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// isSubdomain: lower-case DNS labels joined by dots, up to 253 characters.
func isSubdomain(s string) bool {
	if s == "" || len(s) > maxLabelPrefix {
		return false
	}
	prev := byte('.')
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '.' || c == '-':
			if prev == '.' || c == '.' && prev == '-' {
				return false
			}
		case 'A' <= c && c <= 'Z' || !isAlphanumeric(c):
			return false
		}
		prev = c
	}
	return prev != '.' && prev != '-'
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
