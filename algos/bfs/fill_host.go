// This file holds what marks, at the end of a search on the host, the vertices that
// it didn't reach.

package bfs

import (
	"math/bits"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
)

// fillHost writes "not reached" for every vertex that wasn't visited. Doing it
// last saves most of the cost of a fill at the start. It is a host.Job.
type fillHost struct {
	h    *hostSearch
	next atomic.Int64
}

func (j *fillHost) run(h *hostSearch) {
	j.h = h
	j.next.Store(0)
	h.lease.Stream.Run(j)
	j.h = nil
}

// Run is the share of one worker.
func (j *fillHost) Run(int) {
	seen, depths, parents := j.h.visitor.Seen, j.h.visitor.Depths, j.h.visitor.Parents
	n := j.h.Placed.NumVertices()
	for {
		i := int(j.next.Add(fillChunk)) - fillChunk
		if i >= len(seen) {
			return
		}
		end := min(i+fillChunk, len(seen))
		for w := i; w < end; w++ {
			missing := ^seen[w]
			if missing == 0 {
				continue
			}
			lo, hi := w*64, min(w*64+64, n)
			if missing == ^uint64(0) {
				// Isolated vertices come in long runs.
				for w+1 < end && seen[w+1] == 0 {
					w++
				}
				hi = min(w*64+64, n)
				fillRange(depths, lo, hi, -1)
				fillRange(parents, lo, hi, graph.NoVertex)
				continue
			}
			for ; missing != 0; missing &= missing - 1 {
				v := lo + bits.TrailingZeros64(missing)
				if v >= hi {
					break
				}
				if depths != nil {
					depths[v] = -1
				}
				if parents != nil {
					parents[v] = graph.NoVertex
				}
			}
		}
	}
}

// fillRange writes x from lo to hi-1. It copies what it has written, twice as
// much each time, since copying moves more at once than a loop does.
func fillRange[T int32 | uint32](a []T, lo, hi int, x T) {
	if a == nil || lo >= hi {
		return
	}
	a = a[lo:hi]
	first := min(16, len(a))
	for i := range first {
		a[i] = x
	}
	for k := first; k < len(a); k *= 2 {
		copy(a[k:], a[:min(k, 1<<12)])
		if k >= 1<<12 {
			k += 1 << 12
			for ; k < len(a); k += 1 << 12 {
				copy(a[k:], a[:1<<12])
			}
		}
	}
}
