package conformance

import "example.com/preemption/internal/golden"

// Runs is how often a judge is asked about a case with groups before its
// answer counts as steady.
const Runs = 10

// Steady returns the answer of a judge and whether it is the same every time.
//
// From 1.37 on the scheduler walks the members of a group in map order. Where
// several budgets cover a group, the order decides which of them is charged,
// and with it the violations and even the node. Such a case has no answer to
// compare with. Cases without groups are judged once.
func Steady(judge Judge, c golden.Case) (answer golden.Answer, steady bool, err error) {
	answer, err = judge(c)
	if err != nil || !c.HasGroups() {
		return answer, err == nil, err
	}
	for range Runs - 1 {
		again, err := judge(c)
		if err != nil {
			return golden.Answer{}, false, err
		}
		if c.Diff(again, answer) != "" {
			return golden.Answer{}, false, nil
		}
	}
	return answer, true, nil
}
