package parallel

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// Every index is passed once, by any number of workers.
func TestForEach(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100} {
		for _, workers := range []int{-1, 0, 1, 2, 8, 200} {
			calls := make([]atomic.Int32, n)
			if err := ForEach(t.Context(), n, workers, func(i int) { calls[i].Add(1) }); err != nil {
				t.Fatal(err)
			}
			for i := range calls {
				if c := calls[i].Load(); c != 1 {
					t.Errorf("%d indices, %d workers: f(%d) was called %d times", n, workers, i, c)
				}
			}
		}
	}
}

// A context that is done ends the work with its cause; workers in the middle of a
// call finish it.
func TestForEachStops(t *testing.T) {
	cause := errors.New("enough")
	for _, workers := range []int{1, 4} {
		for _, after := range []int32{0, 1, 10} {
			ctx, cancel := context.WithCancelCause(t.Context())
			if after == 0 {
				cancel(cause)
			}
			var calls atomic.Int32
			err := ForEach(ctx, 1000, workers, func(int) {
				if calls.Add(1) == after {
					cancel(cause)
				}
			})
			if !errors.Is(err, cause) || calls.Load() > after+int32(workers)-1 && after > 0 || after == 0 && calls.Load() > 0 {
				t.Errorf("%d workers, done after %d calls: %d calls, error %v", workers, after, calls.Load(), err)
			}
			cancel(nil)
		}
	}
}

// A panic reaches the caller once no worker is running any more.
func TestForEachPanics(t *testing.T) {
	for _, workers := range []int{1, 4} {
		var running atomic.Int32
		func() {
			defer func() {
				if x := recover(); x != "oops" || running.Load() != 0 {
					t.Errorf("%d workers: recovered %v with %d calls running, want oops with none", workers, x, running.Load())
				}
			}()
			_ = ForEach(t.Context(), 100, workers, func(i int) {
				running.Add(1)
				defer running.Add(-1)
				if i == 3 {
					panic("oops")
				}
			})
			t.Errorf("%d workers: no panic", workers)
		}()
	}
}

// One worker is the caller: no goroutine is begun for it, nor for one index.
func TestOneWorkerIsTheCaller(t *testing.T) {
	goroutine := func() string {
		var buf [64]byte
		first, _, _ := strings.Cut(string(buf[:runtime.Stack(buf[:], false)]), "[")
		return first
	}
	caller := goroutine()
	for _, x := range []struct {
		n, workers int
		alone      bool
	}{{9, 0, true}, {9, 1, true}, {1, 9, true}, {9, 2, false}} {
		err := ForEach(context.Background(), x.n, x.workers, func(int) {
			if (goroutine() == caller) != x.alone {
				t.Errorf("%d calls by %d workers: on %s, called on %s", x.n, x.workers, goroutine(), caller)
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
}
