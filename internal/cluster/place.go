// This file holds the second reading: each edge goes to its owners.

package cluster

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
)

// bins are lists by worker and rank.
func bins[T number](workers, ranks int) [][][]T {
	b := make([][][]T, workers)
	for w := range b {
		b[w] = make([][]T, ranks)
	}
	return b
}

// appendAll appends what all workers have for a rank, and empties their lists.
func appendAll[T number](to []T, b [][][]T, rank int) []T {
	for w := range b {
		to = append(to, b[w][rank]...)
		b[w][rank] = b[w][rank][:0]
	}
	return to
}

// lengthOf is how much all workers have for a rank.
func lengthOf[T number](b [][][]T, rank int) (n int) {
	for w := range b {
		n += len(b[w][rank])
	}
	return n
}

// swap sends lists to all ranks and returns what came.
func (b *builder) swap(ctx context.Context, list func(rank int) []byte) ([][]byte, error) {
	out := make([][]byte, b.comm.Size())
	for r := range out {
		out[r] = list(r)
		if r != b.rank {
			b.sent += uint64(len(out[r]))
		}
	}
	return b.comm.Exchange(ctx, out)
}

// routes are edges by worker and owner.
type routes struct {
	nn, nd, dn, dd [][][]uint32
}

// place reads the edges again, sends each to its owners and makes the rows.
func (b *builder) place(ctx context.Context) error {
	in := b.e.start(ctx, b.team)
	defer in.stop()
	ranks, workers := b.comm.Size(), b.team.workers
	r := routes{bins[uint32](workers, ranks), bins[uint32](workers, ranks), bins[uint32](workers, ranks), bins[uint32](workers, ranks)}
	messages := make([][]uint32, ranks)
	var nn, nd, dn, dd pairs
	for more := true; more; {
		kept := make([][]*block, workers)
		alive, err := in.round(func(w int, x *block) bool {
			if len(x.dst) == 0 {
				return false
			}
			if b.homes.dense {
				b.locate(x)
				b.route(x, w, &r)
				return false
			}
			kept[w] = append(kept[w], x)
			in.free <- &block{}
			return true
		})
		if err != nil {
			return err
		}
		if !b.homes.dense {
			if err := b.ask(ctx, kept); err != nil {
				return err
			}
			b.team.tiles(ctx, workers, 1, func(_, w, _ int) {
				for _, x := range kept[w] {
					b.route(x, w, &r)
				}
			})
		}
		lists, err := b.swap(ctx, func(to int) []byte {
			m := append(messages[to][:0], uint32(lengthOf(r.nn, to)), uint32(lengthOf(r.nd, to)), uint32(lengthOf(r.dn, to)))
			for _, b := range [][][][]uint32{r.nn, r.nd, r.dn, r.dd} {
				m = appendAll(m, b, to)
			}
			messages[to] = m
			return bytesOf(m)
		})
		if err != nil {
			return err
		}
		for _, l := range lists {
			list := numbersOf[uint32](l)
			x, y, z := list[0], list[1], list[2]
			list = list[3:]
			nn.add(list[:x], 3)
			nd.add(list[x:x+y], 2)
			dn.add(list[x+y:x+y+z], 2)
			dd.add(list[x+y+z:], 2)
		}
		if more, err = b.anywhere(ctx, alive); err != nil {
			return err
		}
	}
	if in.edges != b.Stats.InputEdges {
		return errChanged(b.Stats.InputEdges, in.edges)
	}
	d := len(b.delegate)
	var err error
	if b.nn, err = makeFar(ctx, b.team, b.local, &nn); err != nil {
		return err
	}
	if b.nd, err = makeRows(ctx, b.team, "nd", b.local, &nd, false); err != nil {
		return err
	}
	if b.directed {
		b.dn, err = makeRows(ctx, b.team, "dn", d, &dn, false)
	} else {
		b.dn, err = b.nd.transpose(ctx, b.team, d)
	}
	if err != nil {
		return err
	}
	b.dd, err = makeRows(ctx, b.team, "dd", d, &dd, !b.directed)
	return err
}

// locate finds out where the ends of edges are, of dense ids.
func (b *builder) locate(x *block) {
	x.ps, x.pt = slices.Grow(x.ps[:0], len(x.src))[:len(x.src)], slices.Grow(x.pt[:0], len(x.src))[:len(x.src)]
	for side, ids := range [2][]uint64{x.src, x.dst} {
		places := [2][]place{x.ps, x.pt}[side]
		for i, id := range ids {
			if len(b.delegate) > 0 {
				if n, ok := b.numbers.find(id); ok {
					places[i] = delegate(n)
					continue
				}
			}
			r, k := b.homes.deal(id)
			places[i] = at(r, uint32(k))
		}
	}
}

// ask finds out where the ends of edges are from the homes of their ids.
func (b *builder) ask(ctx context.Context, kept [][]*block) error {
	queries := bins[uint64](b.team.workers, b.comm.Size())
	b.team.tiles(ctx, len(kept), 1, func(_, w, _ int) {
		for _, x := range kept[w] {
			for _, ids := range [2][]uint64{x.src, x.dst} {
				for _, id := range ids {
					if _, ok := b.numbers.find(id); !ok {
						r := b.homes.of(id)
						queries[w][r] = append(queries[w][r], id)
					}
				}
			}
		}
	})
	lengths := make([][]int, len(queries))
	for w := range queries {
		for r := range queries[w] {
			lengths[w] = append(lengths[w], len(queries[w][r]))
		}
	}
	asked, err := b.swap(ctx, func(r int) []byte { return bytesOf(appendAll(nil, queries, r)) })
	if err != nil {
		return err
	}
	var missing atomic.Bool
	answers, err := b.swap(ctx, func(r int) []byte {
		ids := numbersOf[uint64](asked[r])
		list := make([]uint32, len(ids))
		b.team.tiles(ctx, len(ids), tileEdges, func(_, from, to int) {
			for i := from; i < to; i++ {
				n, ok := b.byID.find(ids[i])
				if list[i] = n; !ok {
					missing.Store(true)
				}
			}
		})
		return bytesOf(list)
	})
	if err != nil {
		return err
	}
	if missing.Load() {
		return errChanged(b.Stats.InputEdges, b.Stats.InputEdges)
	}
	// Each worker's answers begin behind those of the workers before it.
	next := make([][]int, len(kept))
	for w := range next {
		next[w] = make([]int, b.comm.Size())
		for r := range next[w] {
			if w > 0 {
				next[w][r] = next[w-1][r] + lengths[w-1][r]
			}
		}
	}
	b.team.tiles(ctx, len(kept), 1, func(_, w, _ int) {
		at1 := slices.Clone(next[w])
		for _, x := range kept[w] {
			x.ps, x.pt = make([]place, len(x.src)), make([]place, len(x.src))
			for side, ids := range [2][]uint64{x.src, x.dst} {
				places := [2][]place{x.ps, x.pt}[side]
				for i, id := range ids {
					if n, ok := b.numbers.find(id); ok {
						places[i] = delegate(n)
						continue
					}
					r := b.homes.of(id)
					places[i] = at(r, numbersOf[uint32](answers[r])[at1[r]])
					at1[r]++
				}
			}
		}
	})
	return ctx.Err()
}

// route puts edges into the lists of their owners.
func (b *builder) route(x *block, w int, r *routes) {
	nn, nd, dn, dd := r.nn[w], r.nd[w], r.dn[w], r.dd[w]
	for i, u := range x.ps {
		v := x.pt[i]
		switch {
		case u == v:
		case u.delegate() && v.delegate():
			to := b.homes.dd(u.local(), v.local())
			dd[to] = append(dd[to], u.local(), v.local())
		case v.delegate():
			nd[u.owner()] = append(nd[u.owner()], u.local(), v.local())
		case u.delegate() && b.directed:
			dn[v.owner()] = append(dn[v.owner()], u.local(), v.local())
		case u.delegate():
			nd[v.owner()] = append(nd[v.owner()], v.local(), u.local())
		default:
			nn[u.owner()] = append(nn[u.owner()], u.local(), uint32(v.owner()), v.local())
			if !b.directed {
				nn[v.owner()] = append(nn[v.owner()], v.local(), uint32(u.owner()), u.local())
			}
		}
	}
}

// errChanged is the error of an input that isn't the same when it is read again.
func errChanged(before, after uint64) error {
	return &changedError{before, after}
}

type changedError struct{ before, after uint64 }

func (e *changedError) Error() string {
	if e.before == e.after {
		return "the input changed while it was read: an edge has an id that wasn't there at first; read a snapshot, or files that nobody writes to"
	}
	return "the input changed while it was read: " + plural(e.before) + " at first, then " + plural(e.after) + "; read a snapshot, or files that nobody writes to"
}

func (e *changedError) Unwrap() error { return graph.ErrMalformed }
