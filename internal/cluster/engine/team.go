// This file holds the goroutines of a rank, and sorting on them.

package engine

import (
	"context"
	"runtime"
	"slices"
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

// sorted returns a list in order. It sorts parts of it between splitters, which it takes from a sample; items that
// compare as equal are the same. The list is used up.
func sorted[T any](ctx context.Context, t *team, list []T, compare func(x, y T) int) ([]T, error) {
	if len(list) <= sortAtOnce {
		slices.SortFunc(list, compare)
		return list, ctx.Err()
	}
	parts := max(min(max(t.workers*sortParts, len(list)/sortAtOnce), len(list)/sortSample, 1<<16), 1)
	splitters := make([]T, 0, parts*sortSample)
	for i := range cap(splitters) {
		splitters = append(splitters, list[int(mix(uint64(i))%uint64(len(list)))])
	}
	slices.SortFunc(splitters, compare)
	for i := 1; i < parts; i++ {
		splitters[i-1] = splitters[i*sortSample]
	}
	splitters = splitters[:parts-1]
	// Each tile counts, then writes the positions.
	tile := (len(list) + t.workers*4 - 1) / (t.workers * 4)
	counts := make([][]int, (len(list)+tile-1)/tile)
	part := make([]uint16, len(list))
	t.tiles(ctx, len(list), tile, func(_, from, to int) {
		c := make([]int, parts)
		for i, x := range list[from:to] {
			k, _ := slices.BinarySearchFunc(splitters, x, compare)
			part[from+i] = uint16(k)
			c[k]++
		}
		counts[from/tile] = c
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ends, sum := make([]int, parts+1), 0
	for k := range parts {
		for _, c := range counts {
			c[k], sum = sum, sum+c[k]
		}
		ends[k+1] = sum
	}
	out := make([]T, len(list))
	t.tiles(ctx, len(list), tile, func(_, from, to int) {
		next := counts[from/tile]
		for i, x := range list[from:to] {
			k := part[from+i]
			out[next[k]] = x
			next[k]++
		}
	})
	t.tiles(ctx, parts, 1, func(_, k, _ int) { slices.SortFunc(out[ends[k]:ends[k+1]], compare) })
	return out, ctx.Err()
}
