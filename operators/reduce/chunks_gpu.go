// This file holds the reduce over all rows of a graph that is in tiers on a GPU.

package reduce

import (
	"github.com/foray-graph/foray/internal/engine/chunks"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
)

// inChunks reduces over rows that are streamed from the host's memory. done is false for rows on the device, and if there
// is no memory for buffers.
func (s *gather[T, V]) inChunks(x *step.Env, op step.Op, code *step.Code) (done bool, err error) {
	r, err := chunks.Of(x)
	if err != nil || r == nil {
		return false, err
	}
	l, err := step.Launches(x)
	if err != nil {
		return false, err
	}
	rows, err := r.Rows(s.in)
	if err != nil {
		return false, err
	}
	for i := range rows.Chunks {
		part, err := r.Fetch(rows, &rows.Chunks[i])
		if err != nil {
			return false, err
		}
		h := &rows.Hubs.Of[i]
		o := step.Operation{Code: code, Op: op, Part: &part, Hubs: h.Args, Level: x.Level, Blocks: link.MaxBlocks}
		if i > 0 {
			o.Op.Code = step.OpReduceOn
		}
		if err := launch(l, &o, h); err != nil {
			return false, err
		}
		if err := r.Done(); err != nil {
			return false, err
		}
	}
	return true, nil
}
