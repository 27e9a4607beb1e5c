package main

import (
	"strings"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/exampletest"
)

func TestKnownAnswers(t *testing.T) {
	tests := []struct {
		args       string
		outcome    preemption.Outcome
		batch, web int // victims
		violations int
		message    string // the part about preemption
	}{
		{"", preemption.OutcomeUnhelpful, 0, 0, 0,
			"0/5 nodes are available: 5 Insufficient cpu."},
		{"-priority 10000", preemption.OutcomePreempt, 5, 1, 0,
			"found a potential placement for pod on node node-5, preempting 6 victims"},
		{"-priority 10000 -release 1.37", preemption.OutcomePreempt, 5, 1, 0,
			"found a potential placement for pod on node node-5, preempting 6 victims"},
		{"-priority 10000 -release 1.36", preemption.OutcomePreempt, 5, 1, 0, ""},
		{"-priority 10000 -budget", preemption.OutcomePreempt, 3, 2, 2,
			"found a potential placement for pod on node node-5, preempting 5 victims"},
		{"-priority 100", preemption.OutcomeUnhelpful, 0, 0, 0,
			"0/5 nodes are available: 5 No preemption victims found for incoming pod."},
		{"-never", preemption.OutcomeIneligible, 0, 0, 0,
			"not eligible due to preemptionPolicy=Never."},
		{"-cpu 5", preemption.OutcomeUnhelpful, 0, 0, 0, // more than a node has
			"0/5 nodes are available: 5 Preemption is not helpful for scheduling."},
		{"-cpu 2.5", preemption.OutcomePreempt, 5, 0, 0,
			"found a potential placement for pod on node node-5, preempting 5 victims"},
		{"-cpu 0", preemption.OutcomeFits, 0, 0, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			q, err := parse(strings.Fields(tt.args), nil)
			if err != nil {
				t.Fatal(err)
			}
			_, x, err := examine(q)
			if err != nil {
				t.Fatal(err)
			}
			apps := make(map[string]int)
			for _, p := range x.Delete {
				apps[p.Labels["app"]]++
			}
			if x.Outcome != tt.outcome || apps["batch"] != tt.batch || apps["web"] != tt.web || x.Violations != tt.violations {
				t.Errorf("%v, victims %v, %d violations; want %v, %d batch, %d web, %d violations",
					x.Outcome, apps, x.Violations, tt.outcome, tt.batch, tt.web, tt.violations)
			}
			if got := x.PreemptionMessage(); got != tt.message {
				t.Errorf("message %q, want %q", got, tt.message)
			}
		})
	}
}

// By default every node frees 2500m of the 3000m asked.
func TestEveryNodeFallsShort(t *testing.T) {
	q, err := parse(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, x, err := examine(q)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range x.Nodes {
		var freed int64
		for _, v := range r.Removed {
			freed += v.Pods[0].Requests[preemption.CPU]
		}
		if freed != 2500 || len(r.Shortfalls) != 1 || r.Shortfalls[0].Requested != 3000 || r.Shortfalls[0].Used != 1500 {
			t.Errorf("node %s: freed %dm, shortfalls %+v; want 2500m, 1500m still used of which 3000m are asked", r.Node.Name, freed, r.Shortfalls)
		}
	}
}

func TestOutput(t *testing.T) {
	for name, args := range map[string]string{
		"default.txt":     "",
		"high.txt":        "-priority 10000",
		"high-budget.txt": "-priority 10000 -budget",
		"low.txt":         "-priority 100",
		"never.txt":       "-never",
		"small.txt":       "-cpu 0",
		"help.txt":        "-h",
		"release136.txt":  "-priority 10000 -release 1.36",
	} {
		t.Run(name, func(t *testing.T) {
			exampletest.Golden(t, name, exampletest.Output(t, run, strings.Fields(args)...))
		})
	}
}

func TestUsageErrors(t *testing.T) {
	for args, want := range map[string]string{
		"-priority high":                  `invalid value "high" for flag -priority`,
		"-priority 4294967296":            "32 bits",
		"-cpu -1":                         `invalid value "-1" for flag -cpu`,
		"-cpu NaN":                        "not a number of CPUs",
		"-cpu 3Gi":                        "not a number of CPUs",
		"-release 1.35":                   `invalid value "1.35" for flag -release`,
		"-bugdet":                         "flag provided but not defined: -bugdet",
		"-budget node-1":                  `unexpected argument "node-1"`,
		"-priority 1 -cpu 1000000000000m": "not a number of CPUs",
	} {
		if got := exampletest.UsageError(t, run, strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("%s: standard error says %q, want it to contain %q", args, got, want)
		}
	}
}

func TestParseCPU(t *testing.T) {
	for s, want := range map[string]int64{"3": 3000, "0.5": 500, "2500m": 2500, "0.1": 100, "1.001": 1001, "0.0001": 1, "0": 0} {
		if got, err := parseCPU(s); got != want || err != nil {
			t.Errorf("parseCPU(%q) = %d, %v, want %d", s, got, err, want)
		}
	}
}
