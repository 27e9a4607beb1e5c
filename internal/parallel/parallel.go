// Package parallel runs a function for many indices at a time.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// ForEach calls f(0) … f(n-1), by so many workers at a time, and returns when
// all calls have. It stops early, with the context's error, when the context is
// done. A panic in f is passed on to the caller once all workers have stopped.
func ForEach(ctx context.Context, n, workers int, f func(i int)) error {
	if workers = min(workers, n); workers <= 1 {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			f(i)
		}
		return nil
	}
	var (
		next     atomic.Int64
		panicked atomic.Pointer[any]
		wg       sync.WaitGroup
	)
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() {
				if x := recover(); x != nil {
					panicked.CompareAndSwap(nil, &x)
				}
			}()
			for panicked.Load() == nil && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		}()
	}
	wg.Wait()
	if x := panicked.Load(); x != nil {
		panic(*x)
	}
	if int(next.Load()) < n || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
