// This file holds how delegates get their numbers, and the map of ids to these.

package engine

import (
	"cmp"
	"context"
	"math/bits"
	"sync/atomic"
)

// named is a delegate as its home announces it.
type named struct{ id, degree uint64 }

// number numbers delegates, in the order of nameDelegates. n is one more than the largest dense id; it isn't used for other
// ids.
func (b *builder) number(ctx context.Context, all []named, n uint64) error {
	all, err := sorted(ctx, b.team, all, func(x, y named) int {
		return cmp.Or(cmp.Compare(y.degree, x.degree), cmp.Compare(x.id, y.id))
	})
	if err != nil {
		return err
	}
	b.delegate, b.degree = make([]uint64, len(all)), make([]uint32, len(all))
	b.team.tiles(ctx, len(all), tileEdges, func(_, from, to int) {
		for i, d := range all[from:to] {
			b.delegate[from+i], b.degree[from+i] = d.id, uint32(d.degree)
		}
	})
	if !b.homes.dense {
		n = 0
	}
	b.numbers = newNumbering(ctx, b.team, b.delegate, n)
	return ctx.Err()
}

// numbering maps ids to their positions in a list. It looks up dense ids in a bitmap that counts the ids before each
// word, if that takes less memory than a table.
type numbering struct {
	words []counted
	order []uint32 // numbers by id
	t     *table
}

// counted is a word of a bitmap with the number of bits before it.
type counted struct{ bits, before uint64 }

// newNumbering numbers ids, each of them once. If n > 0 all are below it.
func newNumbering(ctx context.Context, t *team, ids []uint64, n uint64) *numbering {
	words := (n + 63) / 64
	if n == 0 || 16*words+4*uint64(len(ids)) > tableBytes(uint64(len(ids))) {
		return &numbering{t: filled(ctx, t, ids)}
	}
	return newBitmap(ctx, t, ids, n)
}

// newBitmap numbers dense ids below n by a bitmap.
func newBitmap(ctx context.Context, t *team, ids []uint64, n uint64) *numbering {
	words := (n + 63) / 64
	m := &numbering{words: make([]counted, words), order: make([]uint32, len(ids))}
	t.tiles(ctx, len(ids), tileEdges, func(_, from, to int) {
		for _, id := range ids[from:to] {
			atomic.OrUint64(&m.words[id/64].bits, 1<<(id%64))
		}
	})
	sum := uint64(0)
	for i := range m.words {
		m.words[i].before = sum
		sum += uint64(bits.OnesCount64(m.words[i].bits))
		t.progressEvery(i)
	}
	t.tiles(ctx, len(ids), tileEdges, func(_, from, to int) {
		for i, id := range ids[from:to] {
			w := &m.words[id/64]
			m.order[w.rank(id)] = uint32(from + i)
		}
	})
	return m
}

// rank is how many ids of the bitmap are below id.
func (w *counted) rank(id uint64) uint64 {
	return w.before + uint64(bits.OnesCount64(w.bits&(1<<(id%64)-1)))
}

// find returns the number of an id.
func (m *numbering) find(id uint64) (uint32, bool) {
	if m.t != nil {
		return m.t.find(id)
	}
	if id/64 >= uint64(len(m.words)) {
		return 0, false
	}
	w := &m.words[id/64]
	if w.bits>>(id%64)&1 == 0 {
		return 0, false
	}
	return m.order[w.rank(id)], true
}

func (m *numbering) bytes() uint64 {
	if m.t != nil {
		return 12 * uint64(len(m.t.keys))
	}
	return 16*uint64(len(m.words)) + 4*uint64(len(m.order))
}

// filled is a table of ids, each of them once, with their places in the list as numbers.
func filled(ctx context.Context, t *team, ids []uint64) *table {
	x := newTable(len(ids))
	x.n = len(ids)
	mask := len(x.keys) - 1
	t.tiles(ctx, len(ids), tileEdges, func(_, from, to int) {
		for i, id := range ids[from:to] {
			// The slot belongs to a different id, so no worker reads the key meanwhile.
			k := int(mix(id)) & mask
			for atomic.LoadUint32(&x.values[k]) != 0 || !atomic.CompareAndSwapUint32(&x.values[k], 0, uint32(from+i)+1) {
				k = (k + 1) & mask
			}
			x.keys[k] = id
		}
	})
	return x
}
