// This file holds the goroutines of a rank.

package engine

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/calls/panics"
)

// team runs loops on several goroutines.
type team struct {
	workers  int
	progress func() // reports that the rank is at work
}

func newTeam(workers int, progress func()) *team {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &team{workers: workers, progress: progress}
}

// tiles calls do for tiles of 0 to n-1, of size each. It ends early if the context
// ends; the caller learns that in its next communication.
func (t *team) tiles(ctx context.Context, n, size int, do func(worker, from, to int)) {
	if n <= size || t.workers == 1 {
		for from := 0; from < n && ctx.Err() == nil; from += size {
			do(0, from, min(from+size, n))
			t.progress()
		}
		return
	}
	var next atomic.Int64
	var all panics.Group
	for w := range min(t.workers, (n+size-1)/size) {
		all.Go(func() {
			for ctx.Err() == nil {
				from := int(next.Add(int64(size))) - size
				if from >= n {
					return
				}
				do(w, from, min(from+size, n))
				t.progress()
			}
		})
	}
	all.Wait()
}

// progressEvery is progress in the i-th pass of a loop of short passes.
func (t *team) progressEvery(i int) {
	if i%tileEdges == 0 {
		t.progress()
	}
}
