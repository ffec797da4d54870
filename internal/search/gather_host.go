// This file holds the gathering of a result into the order of external ids on the
// host.

package search

import (
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
)

// gatherHost copies the arrays of a search into the order of external ids, reading
// at random places and writing in order. It is a host.Job.
type gatherHost struct {
	s            *Space
	order, ranks []uint32 // IDs.ByID, and Ranks where there are parents
	next         atomic.Int64
}

// run does it, after the arrays stand complete. What it writes is the space's until
// hand; there is nothing to do where vertices are in the order of ids. The error is
// the context's.
func (j *gatherHost) run(s *Space) (err error) {
	ids := s.Placed.Graph().IDs()
	if j.order = ids.ByID(); j.order == nil {
		return nil
	}
	if s.depths != nil {
		if s.depthsByID, err = buffer(s.Placed, depthsKey, s.depthsByID); err != nil {
			return err
		}
	}
	if s.parents != nil {
		if s.parentsByID, err = buffer(s.Placed, parentsKey, s.parentsByID); err != nil {
			return err
		}
		j.ranks = ids.Ranks()
	}
	j.s = s
	j.next.Store(0)
	s.team.Run(j)
	j.s, j.order, j.ranks = nil, nil, nil
	return s.Err()
}

// Run is the share of one worker.
func (j *gatherHost) Run(int) {
	s := j.s
	depths, parents := s.depths.Host(), s.parents.Host()
	depthsOut, parentsOut := s.depthsByID.Host(), s.parentsByID.Host()
	for !s.team.Stopped() {
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
