package preemption

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Availability is what a budget's owner asks for and what there is, from which
// the number of allowed disruptions follows. At most one of MinAvailable and
// MaxUnavailable may be set.
type Availability struct {
	// Expected is how many pods there should be: the sum of the scales of the
	// covered pods' controllers, or, for a MinAvailable that is a number, the
	// number of covered pods.
	Expected int
	// Healthy is how many covered pods are ready, not terminating, and not
	// recently disrupted.
	Healthy        int
	MinAvailable   *Amount // must stay healthy
	MaxUnavailable *Amount // may be unhealthy
}

// An Amount is a number of pods, or a percentage of the expected pods.
type Amount struct {
	Value   int
	Percent bool
}

// ParseAmount reads a number such as "3" or a percentage such as "40%".
func ParseAmount(s string) (Amount, error) {
	digits, percent := strings.CutSuffix(s, "%")
	n, err := strconv.ParseUint(digits, 10, strconv.IntSize-1) // no sign
	if err != nil {
		return Amount{}, fmt.Errorf("preemption: %q is neither a number of pods nor a percentage", s)
	}
	if percent && n > 100 {
		return Amount{}, fmt.Errorf("preemption: %q is more than 100%%", s)
	}
	return Amount{int(n), percent}, nil
}

// of returns the amount as a number of pods. Percentages round up in both
// directions, as the disruption controller does.
func (a Amount) of(expected int) int {
	if !a.Percent {
		return a.Value
	}
	// Split to stay exact where expected×value would overflow.
	whole, part := expected/100, expected%100
	return whole*a.Value + (part*a.Value+99)/100
}

func (a Amount) validate(name string) error {
	switch {
	case a.Value < 0:
		return fmt.Errorf("preemption: %s %d is negative", name, a.Value)
	case a.Percent && a.Value > 100:
		return fmt.Errorf("preemption: %s %d%% is more than 100%%", name, a.Value)
	}
	return nil
}

// DisruptionsAllowed returns how many pods may be disrupted now: the healthy
// pods beyond those that must stay, never negative, and none while no pod is
// expected. With neither limit set it is none: the controller then expects no pod.
//
// It corresponds to the arithmetic of the disruption controller
// (pkg/controller/disruption), and is an error where validation would have
// rejected the budget.
func (a Availability) DisruptionsAllowed() (int32, error) {
	if a.Expected < 0 || a.Healthy < 0 {
		return 0, fmt.Errorf("preemption: negative number of pods: expected %d, healthy %d", a.Expected, a.Healthy)
	}
	if a.MinAvailable != nil && a.MaxUnavailable != nil {
		return 0, errors.New("preemption: minAvailable and maxUnavailable are both set: want one")
	}
	desired := 0
	if m := a.MinAvailable; m != nil {
		if err := m.validate("minAvailable"); err != nil {
			return 0, err
		}
		desired = m.of(a.Expected)
	}
	if m := a.MaxUnavailable; m != nil {
		if err := m.validate("maxUnavailable"); err != nil {
			return 0, err
		}
		desired = max(0, a.Expected-m.of(a.Expected))
	}
	unlimited := a.MinAvailable == nil && a.MaxUnavailable == nil
	if unlimited || a.Expected == 0 || a.Healthy <= desired {
		return 0, nil
	}
	return int32(min(a.Healthy-desired, math.MaxInt32)), nil
}
