// This file holds the gathering of a result into the order of external ids on the
// host.

package bfs

import (
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/run"
)

// gatherHost copies the arrays of a search into the order of external ids, reading
// at random places and writing in order. It is a host.Job.
type gatherHost struct {
	h            *hostSearch
	order, ranks []uint32 // IDs.ByID, and Ranks where there are parents
	next         atomic.Int64
}

// run does it, after the arrays stand complete. What it writes is the space's until
// hand; there is nothing to do where vertices are in the order of ids. The error is
// the context's.
func (j *gatherHost) run(h *hostSearch) (err error) {
	ids := h.Placed.Graph().IDs()
	if j.order = ids.ByID(); j.order == nil {
		return nil
	}
	if h.depths != nil {
		if h.depthsByID, err = run.Array(h.Placed.State(), h.Placed, h.depthsByID); err != nil {
			return err
		}
	}
	if h.parents != nil {
		if h.parentsByID, err = run.Array(h.Placed.State(), h.Placed, h.parentsByID); err != nil {
			return err
		}
		j.ranks = ids.Ranks()
	}
	j.h = h
	j.next.Store(0)
	h.lease.Stream.Run(j)
	j.h, j.order, j.ranks = nil, nil, nil
	return h.err()
}

// Run is the share of one worker.
func (j *gatherHost) Run(int) {
	h := j.h
	depths, parents := h.depths.Host(), h.parents.Host()
	depthsOut, parentsOut := h.depthsByID.Host(), h.parentsByID.Host()
	for !h.lease.Stream.Stopped() {
		lo := int(j.next.Add(gatherChunk)) - gatherChunk
		if lo >= len(j.order) {
			return
		}
		hi := min(lo+gatherChunk, len(j.order))
		vs := j.order[lo:hi]
		if depths != nil {
			out := depthsOut[lo:hi]
			for i, v := range vs {
				out[i] = depths[v]
			}
		}
		if parents != nil {
			out := parentsOut[lo:hi]
			for i, v := range vs {
				p := parents[v]
				if p != graph.NoVertex {
					p = j.ranks[p]
				}
				out[i] = p
			}
		}
	}
}
