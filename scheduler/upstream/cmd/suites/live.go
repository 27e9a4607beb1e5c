package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// live runs the live test: the scheduler and kubectl preemption as processes.
func live(ctx context.Context, t *tree, only string) error {
	// These two are built as anybody builds them, without the overlay.
	for _, name := range []string{"kube-scheduler", "kubectl-preemption"} {
		progress("building %s", name)
		if _, err := t.output(ctx, filepath.Dir(t.module), "go", "build", "-buildvcs=false", "-o", filepath.Join(t.bin, name), "./cmd/"+name); err != nil {
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
