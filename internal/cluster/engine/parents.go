// This file holds how parents are determined once depths are known. A vertex that was found through a
// message has no parent yet: messages have only vertex numbers.

package engine

import (
	"context"
	"slices"
)

// told is what the source of an nn edge sends the owner of its target. It takes two
// words of a message.
type told struct {
	local uint32
	depth int32 // of the source
	id    uint64
}

// tell sends each edge of nn between ranks whose source was reached, in batches, to
// the owner of its target, which calls hear.
func (r *Result) tell(ctx context.Context, hear func(told)) error {
	p := r.part
	if err := p.bring(ctx, subNN); err != nil {
		return err
	}
	out := make([][]uint64, p.comm.Size())
	next := 0
	for more := true; more; {
		n := 0
		for ; next < p.local && n < batchEdges; next++ {
			depth := r.Depths[next]
			if depth < 0 {
				continue
			}
			id := p.idOf(uint32(next))
			for _, t := range p.nn.to[p.nn.off[next]:p.nn.off[next+1]] {
				if to := place(t).owner(); to != p.rank {
					out[to] = append(out[to], uint64(uint32(t))|uint64(depth)<<32, id)
				}
			}
			n += 1 + int(p.nn.len(uint32(next)))
		}
		lists := make([][]byte, len(out))
		for i := range out {
			lists[i] = bytesOf(out[i])
		}
		in, err := p.comm.Exchange(ctx, lists)
		if err != nil {
			return err
		}
		for i := range out {
			out[i] = out[i][:0]
		}
		for _, l := range in {
			words := numbersOf[uint64](l)
			for i := 0; i+1 < len(words); i += 2 {
				hear(told{uint32(words[i]), int32(words[i] >> 32), words[i+1]})
			}
		}
		if more, err = p.anywhere(ctx, next < p.local); err != nil {
			return err
		}
	}
	return nil
}

// findParents converts parents to ids, including parents of other ranks.
func (r *Result) findParents(ctx context.Context, h *found) error {
	p := r.part
	r.Parents = make([]int64, p.local)
	p.team.tiles(ctx, p.local, tileEdges, func(_, from, to int) {
		for i := from; i < to; i++ {
			switch v := h.parentN[i]; {
			case r.Depths[i] < 0 || v == noParent:
			case v.delegate():
				r.Parents[i] = int64(p.delegate[v.local()])
			default:
				r.Parents[i] = int64(p.idOf(v.local()))
			}
		}
	})
	err := r.tell(ctx, func(e told) {
		if h.parentN[e.local] == noParent && r.Depths[e.local] == e.depth+1 {
			h.parentN[e.local] = 0
			r.Parents[e.local] = int64(e.id)
		}
	})
	if err != nil {
		return err
	}
	// Of the ranks that found a delegate, all in one level, one is its parent's.
	best := make([]uint64, len(p.delegate))
	for n, v := range h.parentD {
		best[n] = uint64(v) + 1 // 0 for noParent
	}
	own := slices.Clone(best)
	if err := p.comm.Max(ctx, best); err != nil {
		return err
	}
	ids := make([]uint64, len(best))
	for n, b := range best {
		switch v := place(b - 1); {
		case b == 0:
		case v.delegate():
			ids[n] = p.delegate[v.local()]
		case own[n] == b && v.owner() == p.rank:
			ids[n] = p.idOf(v.local())
		}
		if b != 0 && place(b-1).delegate() && p.rank != 0 {
			ids[n] = 0 // rank 0 reports it
		}
	}
	if err := p.comm.Sum(ctx, ids); err != nil {
		return err
	}
	for _, d := range p.here {
		r.Parents[d.local] = int64(ids[d.number])
	}
	return nil
}
