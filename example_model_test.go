package preemption_test

import (
	"errors"
	"fmt"

	"example.com/preemption"
)

func ExampleSelector_Matches() {
	s := &preemption.Selector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []preemption.Requirement{{Key: "tier", Operator: preemption.SelectorNotIn, Values: []string{"canary"}}},
	}
	fmt.Println(s.Matches(map[string]string{"app": "web"}))
	fmt.Println(s.Matches(map[string]string{"app": "web", "tier": "canary"}))

	// Output:
	// true
	// false
}

func ExampleSelector_Validate() {
	s := &preemption.Selector{MatchExpressions: []preemption.Requirement{{Key: "tier", Operator: preemption.SelectorIn}}}
	fmt.Println(s.Validate())

	// Output: matchExpressions[0]: operator In needs at least one value
}

func ExampleToleration_Tolerates() {
	t := preemption.Toleration{Key: "gpu", Operator: preemption.TolerationExists}
	fmt.Println(t.Tolerates(preemption.Taint{Key: "gpu", Value: "a100", Effect: preemption.NoSchedule}))

	// Output: true
}

// Half of seven pods, rounded up, must stay: four.
func ExampleAvailability_DisruptionsAllowed() {
	half := preemption.Amount{Value: 50, Percent: true}
	allowed, err := preemption.Availability{Expected: 7, Healthy: 6, MinAvailable: &half}.DisruptionsAllowed()
	fmt.Println(allowed, err)

	// Output: 2 <nil>
}

func ExampleParseAmount() {
	amount, err := preemption.ParseAmount("40%")
	fmt.Println(amount.Value, amount.Percent, err)

	// Output: 40 true <nil>
}

func ExampleParseRelease() {
	r, err := preemption.ParseRelease("v1.37.2")
	fmt.Println(r, err)

	// Output: 1.37 <nil>
}

// The zero value is the newest release.
func ExampleRelease_String() {
	var r preemption.Release
	fmt.Println(r)

	// Output: 1.38
}

func ExampleStatus() {
	s := preemption.Status{Code: preemption.Unschedulable, Filter: "NodeResourcesFit", Reasons: []string{"Too many pods", "Insufficient cpu"}}
	fmt.Println(s.Fits())
	fmt.Println(s.Message())
	fmt.Println(s)

	// Output:
	// false
	// Too many pods, Insufficient cpu
	// Unschedulable: Too many pods, Insufficient cpu
}

// Errors say where they happened.
func ExampleStepError() {
	var err error = &preemption.StepError{Step: "add pod", Node: "node-a", Pod: "shop/web", Err: errors.New("volume limits are unknown")}
	var step *preemption.StepError
	if errors.As(err, &step) {
		fmt.Println(step.Node, step.Pod)
	}
	fmt.Println(err)

	// Output:
	// node-a shop/web
	// preemption: node node-a: add pod shop/web: volume limits are unknown
}
