package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// live runs the live test: the scheduler and kubectl preemption as processes.
func live(ctx context.Context, t *tree, only string) error {
	for name, pkg := range map[string]string{
		"kube-scheduler":     "example.com/preemption/scheduler/cmd/kube-scheduler",
		"kubectl-preemption": "example.com/preemption/scheduler/cmd/kubectl-preemption",
	} {
		if _, err := t.build(ctx, name, pkg); err != nil {
			return err
		}
	}
	test, err := t.buildTest(ctx, "live", "./live", "-tags=live")
	if err != nil {
		return err
	}
	c, err := t.test(ctx, "live", test, filepath.Join(t.module, "live"), []string{"PREEMPTION_BIN=" + t.bin}, "-test.v", "-test.timeout=20m", "-test.run="+only)
	if err != nil {
		return err
	}
	fmt.Printf("live: %d passed, %d failed, %d skipped\n", c.passed, c.failed, c.skipped)
	switch {
	case c.failed > 0:
		return errors.New("tests failed")
	case c.passed == 0:
		return errors.New("no test ran")
	}
	return nil
}
