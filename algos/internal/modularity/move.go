// This file holds the moves of vertices between communities.

package modularity

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/random"
)

// mover moves the vertices of a level on the host.
type mover struct {
	*team
	l      *level
	p      *partition
	s      *scale
	seed   uint64
	round  uint64   // the seed of the round
	active []uint32 // of each vertex: how many neighbors moved since it decided
	own    []moverShare
}

type moverShare struct {
	table table
	keys  []uint32 // labels of a row

	spreadKeys    []uint32 // of a long row, by ranges of labels
	spreadWeights []int64
	bounds        [spreads + 1]int

	vs, to []uint32 // moves
	_      [64]byte
}

// parts returns how many parts the vertices of a level are divided into: a power of two.
func (l *level) parts() uint32 {
	if l.n < manyBelow {
		return manyParts
	}
	return fewParts
}

// due reports whether a vertex decides again: enough of its neighbors moved.
func due(moved, degree uint32) bool { return moved > 0 && moved >= degree/wakeShare }

// settled reports whether so few vertices moved in a round that it is the last.
func (l *level) settled(moves int) bool {
	if l.n < manyBelow {
		return moves*settledMany <= l.n
	}
	return moves*settledFew <= l.n
}

// part returns the part of so many that a vertex with a rank belongs to. The seed is another one in each round.
func part(seed uint64, parts, rank uint32) uint32 {
	x := (uint64(rank) ^ seed) * 0x9e3779b97f4a7c15
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return uint32(x>>32) & (parts - 1)
}

// roundSeed returns the seed of a round.
func roundSeed(seed uint64, round int) uint64 { return random.Uint64(seed, uint64(round), 0) }

// run moves vertices until few move. It returns how many rounds there were, and whether any vertex moved.
func (m *mover) run() (rounds int, moved bool, err error) {
	m.active = make([]uint32, m.l.n)
	for round := 1; round <= mostRounds; round++ {
		moves := 0
		m.round = roundSeed(m.seed, round)
		for k := range m.l.parts() {
			n, err := m.part(round, k)
			if err != nil {
				return rounds, moved, err
			}
			moves += n
		}
		rounds = round
		moved = moved || moves > 0
		if m.l.settled(moves) {
			break
		}
	}
	return rounds, moved, nil
}

// part lets the vertices of a part decide, and moves them. In the first two rounds all vertices decide, later those with a neighbor that moved.
func (m *mover) part(round int, k uint32) (int, error) {
	for i := range m.own {
		m.own[i].vs, m.own[i].to = m.own[i].vs[:0], m.own[i].to[:0]
	}
	parts := m.l.parts()
	if err := m.byRows(m.l, func(w, lo, hi int) {
		o := &m.own[w]
		for v := uint32(lo); v < uint32(hi); v++ {
			if round > 2 && !due(m.active[v], uint32(m.l.offsets[v+1]-m.l.offsets[v])) || part(m.round, parts, m.l.rankOf(v)) != k {
				continue
			}
			m.active[v] = 0
			if to := m.choose(o, v, k); to != none {
				o.vs, o.to = append(o.vs, v), append(o.to, to)
			}
		}
	}); err != nil {
		return 0, err
	}
	moves := 0
	for i := range m.own {
		moves += len(m.own[i].vs)
	}
	if moves == 0 {
		return 0, nil
	}
	if err := m.each(len(m.own), func(_, i int) { m.apply(&m.own[i]) }); err != nil {
		return 0, err
	}
	if round == 1 {
		return moves, nil
	}
	return moves, m.each(len(m.own), func(_, i int) { m.wake(&m.own[i]) })
}

// keysOf returns the labels of a vertex's neighbors, and none for the vertex itself. Reading them first, without branches that depend
// on them, lets the processor wait for many at a time.
func (o *moverShare) keysOf(row, label []uint32, v uint32) []uint32 {
	o.keys = slices.Grow(o.keys[:0], len(row))[:len(row)]
	keys := o.keys
	for i, u := range row {
		key := label[u]
		if u == v {
			key = none
		}
		keys[i] = key
	}
	return keys
}

// choose returns the label that a vertex moves to, or none.
func (m *mover) choose(o *moverShare, v, k uint32) uint32 {
	l, label := m.l, m.p.label
	lo, hi := l.offsets[v], l.offsets[v+1]
	if lo == hi {
		return none
	}
	own := label[v]
	keys, weights := o.keysOf(l.targets[lo:hi], label, v), l.weights
	if weights != nil {
		weights = weights[lo:hi]
	}
	best, most := uint32(none), math.Inf(-1)
	if len(keys) <= longRow {
		best, most = m.best(o, v, own, keys, weights, best, most)
	} else {
		keys, weights = o.spread(keys, weights, l.n)
		for i := range spreads {
			from, to := o.bounds[i], o.bounds[i+1]
			var some []int64
			if weights != nil {
				some = weights[from:to]
			}
			best, most = m.best(o, v, own, keys[from:to], some, best, most)
		}
	}
	if best == own || best == none || most <= m.gain(v, own, 0, true) ||
		best > own && m.p.size[own] == 1 && m.p.size[best] == 1 && part(m.round, l.parts(), best) == k {
		return none // in the last case the other one may come to this one
	}
	return best
}

// best returns the better one of a label and those of some neighbors.
func (m *mover) best(o *moverShare, v, own uint32, keys []uint32, weights []int64, best uint32, most float64) (uint32, float64) {
	t := &o.table
	t.begin(uint64(len(keys)))
	if weights == nil {
		for _, key := range keys {
			if key != none {
				t.add(key, 1)
			}
		}
	} else {
		for i, key := range keys {
			if key != none && weights[i] > 0 {
				t.add(key, weights[i])
			}
		}
	}
	for _, at := range t.met {
		x := &t.slots[at]
		if g := m.gain(v, x.key, x.sum, x.key == own); g > most || g == most && x.key < best {
			best, most = x.key, g
		}
	}
	return best, most
}

// spread orders the labels of a row, of n, by ranges of labels. Range i is from bounds[i] to before bounds[i+1].
func (o *moverShare) spread(keys []uint32, weights []int64, n int) ([]uint32, []int64) {
	shift := max(bits.Len32(uint32(n-1)), spreadBits) - spreadBits
	var at [spreads + 1]int
	for _, key := range keys {
		if key != none {
			at[key>>shift+1]++
		}
	}
	for i := range spreads {
		at[i+1] += at[i]
	}
	o.bounds = at
	o.spreadKeys = slices.Grow(o.spreadKeys[:0], at[spreads])[:at[spreads]]
	if weights != nil {
		o.spreadWeights = slices.Grow(o.spreadWeights[:0], at[spreads])[:at[spreads]]
	}
	for i, key := range keys {
		if key == none {
			continue
		}
		to := &at[key>>shift]
		o.spreadKeys[*to] = key
		if weights != nil {
			o.spreadWeights[*to] = weights[i]
		}
		*to++
	}
	if weights == nil {
		return o.spreadKeys, nil
	}
	return o.spreadKeys, o.spreadWeights
}

// gain is what a label is worth to a vertex. Its own is worth a little more, so that moves gain something.
func (m *mover) gain(v, label uint32, links int64, own bool) float64 {
	d, total, more := m.l.degree[v], m.p.total[label], 0.0
	if own {
		total, more = total-d, m.s.slack
	}
	if m.l.in == nil {
		return m.s.gain(links, d, total) + more
	}
	in, totalIn := m.l.in[v], m.p.in[label]
	if own {
		totalIn -= in
	}
	return m.s.gainDirected(links, d, in, total, totalIn) + more
}

// apply carries moves out.
func (m *mover) apply(o *moverShare) {
	l, p := m.l, m.p
	for i, v := range o.vs {
		from, to := p.label[v], o.to[i]
		atomic.AddInt64(&p.total[from], -l.degree[v])
		atomic.AddInt64(&p.total[to], l.degree[v])
		if l.in != nil {
			atomic.AddInt64(&p.in[from], -l.in[v])
			atomic.AddInt64(&p.in[to], l.in[v])
		}
		atomic.AddUint32(&p.size[from], none)
		atomic.AddUint32(&p.size[to], 1)
		p.label[v] = to
	}
}

// wake counts the vertices that moved at their neighbors outside of their new communities.
func (m *mover) wake(o *moverShare) {
	l, label := m.l, m.p.label
	for _, v := range o.vs {
		to := label[v]
		for _, u := range l.targets[l.offsets[v]:l.offsets[v+1]] {
			if label[u] != to {
				atomic.AddUint32(&m.active[u], 1)
			}
		}
	}
}
