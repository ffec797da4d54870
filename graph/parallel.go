// This file holds how building runs on several goroutines: a loop whose items
// are handed out one by one, stopped by an error or a canceled context.

package graph

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/calls/panics"
)

// crew runs the phases of one build.
type crew struct {
	pace     *pacer
	ctx      context.Context
	workers  int
	progress func(Progress)
}

func newCrew(ctx context.Context, o Options) *crew {
	c := &crew{ctx: ctx, workers: o.Workers, progress: o.Progress, pace: newPacer(o.MemoryLimit)}
	if c.workers <= 0 {
		c.workers = runtime.GOMAXPROCS(0)
	}
	return c
}

// each calls work(worker, item) for the items 0 to n-1, with a goroutine per
// worker, and waits for all of them. It returns the first error, or the
// context's error. The context is checked before every item.
func (c *crew) each(phase string, n int, work func(worker, item int) error) error {
	var (
		next, done atomic.Int64
		stop       atomic.Bool
		mu         sync.Mutex // guards first and reported, and keeps Progress calls apart
		first      error
		reported   int64
		wait       sync.WaitGroup
	)
	fail := func(err error) {
		mu.Lock()
		if first == nil {
			first = err
		}
		mu.Unlock()
		stop.Store(true)
	}
	c.pace.look()
	run := func(worker int) {
		for !stop.Load() {
			i := next.Add(1) - 1
			if i >= int64(n) {
				return
			}
			if err := c.ctx.Err(); err != nil {
				fail(err)
				return
			}
			err := panics.Call(func() error {
				panics.Point("build")
				return work(worker, int(i))
			})
			if err != nil {
				fail(err)
				return
			}
			if d := done.Add(1); c.progress != nil && phase != "" {
				err := panics.Call(func() error {
					mu.Lock()
					defer mu.Unlock()
					if d > reported && (d-reported >= int64(n)/64 || d == int64(n)) {
						reported = d
						c.progress(Progress{Phase: phase, Done: uint64(d), Total: uint64(n)})
					}
					return nil
				})
				if err != nil {
					fail(err)
					return
				}
			}
		}
	}
	for w := 1; w < min(c.workers, n); w++ {
		wait.Go(func() { run(w) })
	}
	run(0)
	wait.Wait()
	if first == nil {
		first = c.ctx.Err()
	}
	return first
}

// stopped reports whether the context is done, looked at before every so many of the items that a
// goroutine goes over.
func (c *crew) stopped(i int) bool { return i%pollItems == 0 && c.ctx.Err() != nil }

// span returns the part of n items that is the i-th of parts equal ones.
func span(n, parts, i int) (lo, hi int) {
	return int(uint64(n) * uint64(i) / uint64(parts)), int(uint64(n) * uint64(i+1) / uint64(parts))
}

// parts returns how many spans to cut n small items into: enough for all
// workers, and none so long that a canceled context has to wait for it.
func (c *crew) parts(n int) int { return max(1, min(n, max(4*c.workers, n>>18))) }
