// This file holds the second reading, which sends each edge to its owners.

package engine

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
)

// place reads the edges again, sends each to its owners and makes the rows.
func (b *builder) place(ctx context.Context) error {
	in := b.e.start(ctx, b.team)
	defer in.stop()
	ranks, workers := b.comm.Size(), b.team.workers
	out := newOutboxes[uint32](workers, ranks, subgraphs)
	var ends [2]*outbox[uint64] // those that homes are asked about
	var kept [2][][]*located    // by worker
	if !b.homes.dense {
		ends = newOutboxes[uint64](workers, ranks, 1)
		for set := range kept {
			kept[set] = make([][]*located, workers)
		}
	}
	spare := make(chan *located, cap(in.free))
	var astray atomic.Bool
	var nn, nd, dn, dd pairs
	err := b.batches(in, func(set, w int, x *block) {
		if len(x.dst) == 0 {
			return
		}
		if b.homes.dense {
			if !b.routeDense(x, out[set], w) {
				astray.Store(true)
			}
			return
		}
		var l *located
		select {
		case l = <-spare:
		default:
			l = &located{}
		}
		b.locate(x, l, ends[set], w)
		kept[set][w] = append(kept[set][w], l)
	}, func(set int, reading bool) (any bool, err error) {
		if astray.Load() {
			return false, errChanged(b.Stats.InputEdges, b.Stats.InputEdges)
		}
		if !b.homes.dense {
			if err := b.ask(ctx, ends[set], kept[set]); err != nil {
				return false, err
			}
			b.team.tiles(ctx, workers, 1, func(_, w, _ int) {
				for i, x := range kept[set][w] {
					b.route(x.ps, x.pt, out[set], w)
					kept[set][w][i] = nil
					select {
					case spare <- x:
					default:
					}
				}
				kept[set][w] = kept[set][w][:0]
			})
		}
		lists, err := b.swap(ctx, out[set].pack(ctx, b.team, one(reading)))
		if err != nil {
			return false, err
		}
		out[set].keep(b.rank) // as the lists do
		for _, m := range lists {
			head, l := unpack[uint32](m, 1, subgraphs)
			any = any || head[0] > 0
			nn.add(l[subNN], 3)
			nd.add(l[subND], 2)
			dn.add(l[subDN], 2)
			dd.add(l[subDD], 2)
		}
		return any, nil
	})
	if err != nil {
		return err
	}
	if in.edges != b.Stats.InputEdges {
		return errChanged(b.Stats.InputEdges, in.edges)
	}
	// Nothing needs these any more, and rows take memory.
	out, ends, kept, spare, in.free = [2]*outbox[uint32]{}, [2]*outbox[uint64]{}, [2][][]*located{}, nil, nil
	d := len(b.delegate)
	if b.nn, err = makeRows[uint64](ctx, b.team, "nn", b.local, nn.supply(3), false); err != nil {
		return err
	}
	if b.nd, err = makeRows[uint32](ctx, b.team, "nd", b.local, nd.supply(2), false); err != nil {
		return err
	}
	s := dn.supply(2)
	if !b.directed {
		s = b.nd.transposed()
	}
	if b.dn, err = makeRows[uint32](ctx, b.team, "dn", d, s, false); err != nil {
		return err
	}
	b.dd, err = makeRows[uint32](ctx, b.team, "dd", d, dd.supply(2), !b.directed)
	return err
}

// routeDense looks up the places of the ends of edges with dense ids, and puts the edges into the lists of their owners.
// It returns false if there is an id that the first reading didn't have.
func (b *builder) routeDense(x *block, out *outbox[uint32], w int) bool {
	var ps, pt [512]place // which stay in the cache
	for from := 0; from < len(x.src); from += len(ps) {
		to := min(from+len(ps), len(x.src))
		if !b.locateDense(x.src[from:to], &ps) || !b.locateDense(x.dst[from:to], &pt) {
			return false
		}
		b.route(ps[:to-from], pt[:to-from], out, w)
	}
	return true
}

func (b *builder) locateDense(ids []uint64, places *[512]place) bool {
	m, h := b.numbers, b.homes
	for i, id := range ids {
		if id >= b.largest {
			return false
		}
		if m.t == nil {
			if w := &m.words[id/64]; w.bits>>(id%64)&1 != 0 {
				places[i] = delegate(m.order[w.rank(id)])
				continue
			}
		} else if m.t.n > 0 {
			if n, ok := m.t.find(id); ok {
				places[i] = delegate(n)
				continue
			}
		}
		r, k := h.deal(id)
		places[i] = at(r, uint32(k))
	}
	return true
}

// located holds the places of both ends of a block's edges.
type located struct{ ps, pt []place }

// locate finds out which ends of edges are delegates, and lists the other ends by their homes, which have their numbers.
func (b *builder) locate(x *block, to *located, ends *outbox[uint64], w int) {
	n := len(x.src)
	to.ps, to.pt = slices.Grow(to.ps[:0], n)[:n], slices.Grow(to.pt[:0], n)[:n]
	for side, ids := range [2][]uint64{x.src, x.dst} {
		places := [2][]place{to.ps, to.pt}[side]
		for i, id := range ids {
			if n, ok := b.numbers.find(id); ok {
				places[i] = delegate(n)
				continue
			}
			r := b.homes.of(id)
			l := &ends.lists[w][r]
			if len(l.open) == cap(l.open) {
				ends.more(l)
			}
			l.open = append(l.open, id)
			places[i] = at(r, unknown)
		}
	}
}

// unknown is the number of a vertex that its home hasn't sent yet.
const unknown = math.MaxUint32

// ask queries the homes of ids for the places of the ends of edges.
func (b *builder) ask(ctx context.Context, ends *outbox[uint64], kept [][]*located) error {
	// Each worker's answers begin behind those of earlier workers.
	next, sums := make([][]int, len(kept)), make([]int, b.comm.Size())
	for w := range next {
		next[w] = slices.Clone(sums)
		for r := range sums {
			sums[r] += ends.lists[w][r].len()
		}
	}
	asked, err := b.swap(ctx, ends.pack(ctx, b.team))
	if err != nil {
		return err
	}
	var missing atomic.Bool
	out := make([][]byte, len(asked))
	for r := range asked {
		_, ids := unpack[uint64](asked[r], 0, 1)
		list := make([]uint32, len(ids[0]))
		b.team.tiles(ctx, len(list), tileEdges, func(_, from, to int) {
			for i := from; i < to; i++ {
				n, ok := b.byID.find(ids[0][i])
				if list[i] = n; !ok {
					missing.Store(true)
				}
			}
		})
		out[r] = bytesOf(list)
	}
	answers, err := b.swap(ctx, out)
	if err != nil {
		return err
	}
	if missing.Load() {
		return errChanged(b.Stats.InputEdges, b.Stats.InputEdges)
	}
	b.team.tiles(ctx, len(kept), 1, func(_, w, _ int) {
		for _, x := range kept[w] {
			for _, places := range [2][]place{x.ps, x.pt} {
				for i, p := range places {
					if !p.delegate() {
						r := p.owner()
						places[i] = at(r, numbersOf[uint32](answers[r])[next[w][r]])
						next[w][r]++
					}
				}
			}
		}
	})
	return ctx.Err()
}

// route puts edges into the lists of their owners, by subgraph.
func (b *builder) route(ps, pt []place, out *outbox[uint32], w int) {
	lists := out.lists[w]
	far := func(u, v place) {
		l := &lists[subgraphs*u.owner()+subNN]
		if len(l.open)+3 > cap(l.open) {
			out.more(l)
		}
		l.open = append(l.open, u.local(), uint32(v.owner()), v.local())
	}
	for i, u := range ps {
		v := pt[i]
		if u == v {
			continue
		}
		var to int
		switch {
		case !u.delegate() && !v.delegate():
			if far(u, v); !b.directed {
				far(v, u)
			}
			continue
		case v.delegate() && u.delegate():
			to = subgraphs*b.homes.dd(u.local(), v.local()) + subDD
		case v.delegate():
			to = subgraphs*u.owner() + subND
		case b.directed:
			to = subgraphs*v.owner() + subDN
		default:
			to = subgraphs*v.owner() + subND
			u, v = v, u
		}
		l := &lists[to]
		if len(l.open)+2 > cap(l.open) {
			out.more(l)
		}
		l.open = append(l.open, u.local(), v.local())
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
