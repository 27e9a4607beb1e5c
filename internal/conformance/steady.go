package conformance

import "example.com/preemption/internal/golden"

// Runs is how often a judge is usually asked about a case with groups before
// its answer counts as steady. An answer that comes up rarely is missed at
// times: where it matters, as for one that is to be recorded or that differs
// from what was wanted, ask [RunsToBeSure] times.
const (
	Runs         = 10
	RunsToBeSure = 200
)

// Steady returns the answer of a judge and whether it is the same in a number
// of runs.
//
// From 1.37 on the scheduler walks the members of a group in map order. Where
// several budgets cover a group, the order decides which of them is charged,
// and with it the violations and even the node; where members have priorities
// of their own, it decides which of them counts first. Such a case has no
// answer to compare with. Cases without groups are judged once.
func Steady(judge Judge, c golden.Case, runs int) (answer golden.Answer, steady bool, err error) {
	answer, err = judge(c)
	if err != nil || !c.HasGroups() {
		return answer, err == nil, err
	}
	for range runs - 1 {
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
