// This file holds the rows of a subgraph: compressed sparse rows, with offsets of 32
// bits.

package cluster

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
)

// rows are the edges of a subgraph by their source: to[off[i]:off[i+1]] are the
// targets of row i, ascending and each once.
type rows[T number] struct {
	off []uint32
	to  []T
}

func (r *rows[T]) len(i uint32) uint32 { return r.off[i+1] - r.off[i] }
func (r *rows[T]) edges() int          { return len(r.to) }
func (r *rows[T]) bytes() uint64 {
	var x [1]T
	return 4*uint64(len(r.off)) + uint64(len(bytesOf(x[:])))*uint64(len(r.to))
}

// pairs are edges on their way into rows, in lists of source and target, for normal
// targets of other ranks source, owner and local number.
type pairs struct {
	lists [][]uint32
	n     uint64
}

func (p *pairs) add(list []uint32, each int) {
	if len(list) > 0 {
		p.lists = append(p.lists, list)
		p.n += uint64(len(list) / each)
	}
}

// errRows is the error of a subgraph too large for offsets of 32 bits.
func errRows(name string, n uint64) error {
	return fmt.Errorf("this rank has %d edges of subgraph %s, and a rank holds at most %d of one: start more ranks", n, name, uint32(math.MaxUint32))
}

// makeRows makes n rows of pairs; both says to add each edge reversed too.
func makeRows(ctx context.Context, t *team, name string, n int, p *pairs, both bool) (rows[uint32], error) {
	m := p.n
	if both {
		m *= 2
	}
	if m > math.MaxUint32 {
		return rows[uint32]{}, errRows(name, m)
	}
	r := rows[uint32]{off: make([]uint32, n+1)}
	t.tiles(ctx, len(p.lists), 1, func(_, from, _ int) {
		list := p.lists[from]
		for i := 0; i+1 < len(list); i += 2 {
			atomic.AddUint32(&r.off[list[i]], 1)
			if both {
				atomic.AddUint32(&r.off[list[i+1]], 1)
			}
		}
	})
	r.to = make([]uint32, ends(r.off))
	t.tiles(ctx, len(p.lists), 1, func(_, from, _ int) {
		list := p.lists[from]
		for i := 0; i+1 < len(list); i += 2 {
			a, b := list[i], list[i+1]
			r.to[atomic.AddUint32(&r.off[a], ^uint32(0))] = b
			if both {
				r.to[atomic.AddUint32(&r.off[b], ^uint32(0))] = a
			}
		}
	})
	r.finish(ctx, t)
	return r, ctx.Err()
}

// makeFar makes rows of edges that lead to normal vertices of any rank.
func makeFar(ctx context.Context, t *team, n int, p *pairs) (rows[uint64], error) {
	if p.n > math.MaxUint32 {
		return rows[uint64]{}, errRows("nn", p.n)
	}
	r := rows[uint64]{off: make([]uint32, n+1)}
	t.tiles(ctx, len(p.lists), 1, func(_, from, _ int) {
		list := p.lists[from]
		for i := 0; i+2 < len(list); i += 3 {
			atomic.AddUint32(&r.off[list[i]], 1)
		}
	})
	r.to = make([]uint64, ends(r.off))
	t.tiles(ctx, len(p.lists), 1, func(_, from, _ int) {
		list := p.lists[from]
		for i := 0; i+2 < len(list); i += 3 {
			r.to[atomic.AddUint32(&r.off[list[i]], ^uint32(0))] = uint64(at(int(list[i+1]), list[i+2]))
		}
	})
	r.finish(ctx, t)
	return r, ctx.Err()
}

// transpose returns the rows by target, of which there are n.
func (r *rows[T]) transpose(ctx context.Context, t *team, n int) (rows[uint32], error) {
	x := rows[uint32]{off: make([]uint32, n+1), to: make([]uint32, len(r.to))}
	t.tiles(ctx, len(r.to), tileEdges, func(_, from, to int) {
		for _, v := range r.to[from:to] {
			atomic.AddUint32(&x.off[v], 1)
		}
	})
	ends(x.off)
	t.tiles(ctx, len(r.off)-1, tileRows, func(_, from, to int) {
		for u := from; u < to; u++ {
			for _, v := range r.to[r.off[u]:r.off[u+1]] {
				x.to[atomic.AddUint32(&x.off[v], ^uint32(0))] = uint32(u)
			}
		}
	})
	x.finish(ctx, t)
	return x, ctx.Err()
}

// ends makes ends of rows of their lengths, and returns the sum of these.
func ends(off []uint32) (sum uint32) {
	for i, n := range off {
		sum += n
		off[i] = sum
	}
	return sum
}

// finish sorts rows and drops edges that are there twice.
func (r *rows[T]) finish(ctx context.Context, t *team) {
	n := len(r.off) - 1
	lengths := make([]uint32, n)
	var dropped atomic.Uint64
	t.tiles(ctx, n, tileRows, func(_, from, to int) {
		for i := from; i < to; i++ {
			row := r.to[r.off[i]:r.off[i+1]]
			slices.Sort(row)
			lengths[i] = uint32(len(slices.Compact(row)))
			dropped.Add(uint64(len(row)) - uint64(lengths[i]))
		}
	})
	if dropped.Load() == 0 || ctx.Err() != nil {
		return
	}
	end := uint32(0)
	for i, m := range lengths {
		from := r.off[i]
		r.off[i] = end
		end += uint32(copy(r.to[end:], r.to[from:from+m]))
		t.progressEvery(i)
	}
	r.off[n] = end
	if r.to = r.to[:end]; uint64(end) < uint64(cap(r.to))-uint64(cap(r.to))/worthCopying {
		r.to = slices.Clone(r.to)
	}
}
