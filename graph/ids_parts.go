// This file holds the way through the vertices in ascending order of id, on all processors.

package graph

import (
	"iter"
	"math/bits"

	"github.com/foray-graph/foray/internal/engine/tuning"
)

// idParts are the vertices in ascending order of id, cut into parts.
type idParts struct {
	s      *idSource
	c      *crew
	units  int   // entries of byID, numbers, or words of seen
	firsts []int // the rank of each part's first vertex
}

// cut cuts the vertices of an idSource into parts, a few for each worker.
func (s *idSource) cut(c *crew) (*idParts, error) {
	p := &idParts{s: s, c: c, units: len(s.seen)}
	switch {
	case s.table != nil:
		p.units = len(s.byID)
	case s.listed != nil:
		p.units = len(s.listed)
	case s.sorted != nil:
		p.units = len(s.sorted)
	case s.dense:
		p.units = s.space
	}
	p.firsts = make([]int, min(4*c.workers, 1+p.units/tuning.IDPart))
	counts := make([]int, len(p.firsts))
	err := p.each(func(part int) error {
		lo, hi := span(p.units, len(p.firsts), part)
		if s.table != nil || s.dense || s.listed != nil || s.sorted != nil {
			counts[part] = hi - lo
		} else {
			counts[part] = s.seen[lo:hi].count()
		}
		return nil
	})
	rank := 0
	for i, n := range counts {
		p.firsts[i] = rank
		rank += n
	}
	return p, err
}

// each calls do for every part, on all workers.
func (p *idParts) each(do func(part int) error) error {
	return p.c.each("", len(p.firsts), func(_, part int) error { return do(part) })
}

// numbers calls do for every provisional number of a part, in ascending order of id.
func (p *idParts) numbers(part int, do func(number uint32)) {
	if !p.s.dense {
		for v := range p.part(part) {
			do(v.number)
		}
		return
	}
	lo, hi := span(p.units, len(p.firsts), part)
	for i := lo; i < hi; i++ {
		do(uint32(i))
	}
}

// ranked is a vertex of a part: its rank among all ids, its provisional number, and its ordered key where ids
// are integers.
type ranked struct {
	rank   int
	number uint32
	key    uint64
}

// part yields the vertices of a part in ascending order of id. It ends early where the context is
// canceled, which each looks at afterwards.
func (p *idParts) part(part int) iter.Seq[ranked] {
	return func(yield func(ranked) bool) {
		s, rank := p.s, p.firsts[part]
		lo, hi := span(p.units, len(p.firsts), part)
		for i := lo; i < hi; i++ {
			if i%(1<<12) == 0 && p.c.ctx.Err() != nil {
				return
			}
			switch {
			case s.table != nil:
				if !yield(ranked{rank, s.byID[i].number, s.byID[i].key}) {
					return
				}
				rank++
			case s.listed != nil:
				if !yield(ranked{rank, s.listed[i], 0}) {
					return
				}
				rank++
			case s.sorted != nil:
				if !yield(ranked{rank, uint32(i), s.sorted[i]}) {
					return
				}
				rank++
			case s.dense:
				if !yield(ranked{rank, uint32(i), s.least + uint64(i)}) {
					return
				}
				rank++
			default:
				for word := s.seen[i]; word != 0; word &= word - 1 {
					at := uint64(i)*64 + uint64(bits.TrailingZeros64(word))
					number := uint32(at)
					if s.ranked {
						number = uint32(rank)
					}
					if !yield(ranked{rank, number, s.least + at}) {
						return
					}
					rank++
				}
			}
		}
	}
}

// all calls do for every vertex, on all workers.
func (p *idParts) all(do func(v ranked)) error {
	return p.each(func(part int) error {
		for v := range p.part(part) {
			do(v)
		}
		return nil
	})
}
