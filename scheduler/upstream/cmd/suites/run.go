package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"example.com/preemption/scheduler/upstream/internal/journal"
)

const preemptionTests = "test/integration/scheduler/preemption"

// suites are Kubernetes' integration tests of preemption, the quickest first.
var suites = []struct{ name, folder string }{
	{"misc", preemptionTests + "/misc"},
	{"nominatednodename", preemptionTests + "/nominatednodename"},
	{"preemption", preemptionTests},
	{"podgroup", preemptionTests + "/podgroup"},
}

// run runs a suite, or all of them, or the live test.
func run(ctx context.Context, t *tree, what, only string, crossCheck bool) error {
	if _, err := t.build(ctx, "etcd", "./etcd"); err != nil {
		return err
	}
	if what == "live" {
		return live(ctx, t, only)
	}
	var sum counts
	found := false
	for _, s := range suites {
		if what != s.name && what != "all" {
			continue
		}
		found = true
		test, err := t.buildTest(ctx, s.name, kubernetes+"/"+s.folder)
		if err != nil {
			return err
		}
		env := []string{}
		if crossCheck {
			env = append(env, journal.CrossCheckVariable+"=full")
		}
		c, err := t.test(ctx, s.name, test, filepath.Join(t.source, s.folder), env, "-test.v", "-test.timeout=60m", "-test.run="+only)
		if err != nil {
			return err
		}
		fmt.Printf("%-18s %s\n", s.name, c)
		sum.add(c)
	}
	if !found {
		return fmt.Errorf("unknown suite %q: want misc, nominatednodename, preemption, podgroup, all or live", what)
	}
	fmt.Println(sum.agreement())
	fmt.Printf("upstream: %d passed, %d failed, %d skipped, %d decisions by the library\n", sum.passed, sum.failed, sum.skipped, sum.decisions())
	switch {
	case sum.failed > 0:
		return errors.New("tests failed")
	case sum.decisions() == 0:
		return errors.New("the library decided nothing")
	}
	return nil
}

// test runs a test binary in a folder and counts its tests and the decisions in
// them. The log is kept beside the binary.
func (t *tree) test(ctx context.Context, name, binary, folder string, env []string, args ...string) (counts, error) {
	records := filepath.Join(t.work, name+".jsonl")
	if err := os.RemoveAll(records); err != nil {
		return counts{}, err
	}
	output := filepath.Join(t.work, name+".log")
	log, err := os.Create(output)
	if err != nil {
		return counts{}, err
	}
	defer log.Close()
	progress("running %s", name)
	c := exec.CommandContext(ctx, binary, args...)
	c.Dir = folder
	c.Env = append(append(os.Environ(), "PATH="+t.bin+string(os.PathListSeparator)+os.Getenv("PATH"), journal.FileVariable+"="+records), env...)
	c.Stdout, c.Stderr = log, log
	failure := c.Run()
	progress("done with %s", name)

	data, err := os.ReadFile(output)
	if err != nil {
		return counts{}, err
	}
	n := countTests(string(data))
	if n.lines, err = journal.Read(records); err != nil {
		return n, err
	}
	if failure != nil && n.failed == 0 {
		// It ended before a test could fail.
		n.failed = 1
	}
	if n.failed > 0 {
		fmt.Fprint(os.Stderr, failures(string(data)))
	}
	return n, nil
}

var result = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+)`)

// countTests counts tests and subtests by what the test binary prints.
func countTests(log string) counts {
	var c counts
	for _, m := range result.FindAllStringSubmatch(log, -1) {
		switch m[1] {
		case "PASS":
			c.passed++
		case "FAIL":
			c.failed++
		case "SKIP":
			c.skipped++
		}
	}
	return c
}

// failures returns what a log says about failed tests, or its end if it says
// nothing.
func failures(log string) string {
	var b strings.Builder
	lines := strings.Split(log, "\n")
	for i, line := range lines {
		if strings.Contains(line, "--- FAIL") || strings.Contains(line, "panic: ") || regexp.MustCompile(`_test\.go:\d+: `).MatchString(line) && !strings.Contains(line, "Logf") {
			fmt.Fprintln(&b, line)
			for _, more := range lines[i+1 : min(i+4, len(lines))] {
				fmt.Fprintln(&b, "    "+more)
			}
		}
	}
	const most = 20000
	if b.Len() == 0 {
		return log[max(0, len(log)-most):]
	}
	s := b.String()
	return s[max(0, len(s)-most):]
}
