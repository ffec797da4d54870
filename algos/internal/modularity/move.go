// This file holds the moves of vertices between communities.

package modularity

import (
	"math"
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
	round  uint64  // the seed of the round
	waits  []int32 // of each vertex: how many more neighbors have to move before it decides again
	groups *groups
	own    []share
}

// due reports whether a vertex decides again: enough of its neighbors moved.
func due(moved, degree uint32) bool { return moved > 0 && moved >= degree/wakeShare }

// enough returns how many neighbors of so many have to move before a vertex is due.
func enough(degree uint32) uint32 { return max(1, degree/wakeShare) }

// settled reports whether so few vertices moved in a round that it is the last.
func (l *level) settled(moves int) bool {
	if l.n < settledBelow {
		return moves*settledFew <= l.n
	}
	return moves*settledMany <= l.n
}

// roundSeed returns the seed of a round.
func roundSeed(seed uint64, round int) uint64 { return random.Uint64(seed, uint64(round), 0) }

// run moves vertices until few move. It returns how many rounds there were, and whether any vertex moved.
func (m *mover) run() (rounds int, moved bool, err error) {
	m.waits = zeros[int32](m.l.n)
	for round := 1; round <= mostRounds; round++ {
		moves := 0
		m.round = roundSeed(m.seed, round)
		if err := m.groups.divide(m.team, m.l, m.round); err != nil {
			return rounds, moved, err
		}
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

// part lets the vertices of a part decide, and moves them. In the first two rounds all vertices decide, later those of whose
// neighbors enough moved.
func (m *mover) part(round int, k uint32) (int, error) {
	for i := range m.own {
		m.own[i].vs, m.own[i].to = m.own[i].vs[:0], m.own[i].to[:0]
	}
	l := m.l
	if err := m.groups.each(m.team, k, func(w int, vs []uint32) {
		o := &m.own[w]
		for _, v := range vs {
			if round > 2 && m.waits[v] > 0 {
				continue
			}
			m.waits[v] = int32(enough(uint32(l.ends[v] - l.offsets[v])))
			if to := m.choose(o, v, k); to != none {
				o.vs, o.to = append(o.vs, v), append(o.to, to)
			}
		}
	}); err != nil {
		return 0, err
	}
	moves, err := apply(m.team, m.own, l, m.p)
	if err != nil || moves == 0 || round == 1 {
		return moves, err
	}
	return moves, shares(m.team, m.own, moves, m.wake)
}

// labels returns the labels of a vertex's neighbors, and the weights of these. Reading labels first, without branches that
// depend on them, lets the processor wait for many at a time.
func (o *share) labels(l *level, label []uint32, v uint32) ([]uint32, []int64) {
	row := l.targets[l.offsets[v]:l.ends[v]]
	o.keys = slices.Grow(o.keys[:0], len(row))[:len(row)]
	keys, n := o.keys, 0
	for _, u := range row {
		keys[n] = label[u]
		if u != v {
			n++
		}
	}
	if l.weights == nil {
		return keys[:n], nil
	}
	weights := l.weights[l.offsets[v]:l.ends[v]]
	if n == len(row) {
		return keys, weights
	}
	o.weights = o.weights[:0] // without self-loops
	for i, u := range row {
		if u != v {
			o.weights = append(o.weights, weights[i])
		}
	}
	return keys[:n], o.weights
}

// choose returns the label that a vertex moves to, or none.
func (m *mover) choose(o *share, v, k uint32) uint32 {
	l, p := m.l, m.p
	own := p.label[v]
	keys, weights := o.labels(l, p.label, v)
	if len(keys) == 0 {
		return none
	}
	o.tally.begin(uint64(len(keys)))
	o.tally.add(keys, weights)
	links := o.tally.of(own)
	keys, sums := o.tally.end()
	stay := m.stay(v, own, links)
	// A label is worth its links at most. So the totals of labels with few links aren't read.
	best, most, least := uint32(none), math.Inf(-1), stay
	if d, expect := float64(l.degree[v]), m.s.expect; l.in == nil {
		for i, key := range keys {
			sum := float64(sums[i])
			if sum < least || key == own {
				continue
			}
			g := sum - float64(float64(d*float64(p.total[key]))*expect) // scale.gain
			if (g > most || g == most && l.before(key, best)) && sum > 0 {
				best, most, least = key, g, max(g, stay)
			}
		}
	} else {
		for i, key := range keys {
			if sum := sums[i]; float64(sum) >= least && key != own && sum > 0 {
				g := m.s.gainDirected(sum, l.degree[v], l.in[v], p.total[key], p.in[key])
				if g > most || g == most && l.before(key, best) {
					best, most, least = key, g, max(g, stay)
				}
			}
		}
	}
	if best == none || most <= m.stay(v, own, 0) || links > 0 && (stay > most || stay == most && l.before(own, best)) {
		return none
	}
	if l.before(own, best) && p.size[own] == 1 && p.size[best] == 1 && part(m.round, l.parts(), l.rankOf(best)) == k {
		return none // the other one may come to this one
	}
	return best
}

// stay is what a vertex's own label is worth to it: a little more than others, so that moves gain something.
func (m *mover) stay(v, label uint32, links int64) float64 {
	d, total := m.l.degree[v], m.p.total[label]
	if m.l.in == nil {
		return m.s.gain(links, d, total-d) + m.s.slack
	}
	in := m.l.in[v]
	return m.s.gainDirected(links, d, in, total-d, m.p.in[label]-in) + m.s.slack
}

// wake counts the vertices that moved at their neighbors outside of their new communities.
func (m *mover) wake(o *share) {
	l, label := m.l, m.p.label
	for _, v := range o.vs {
		to := label[v]
		for _, u := range l.targets[l.offsets[v]:l.ends[v]] {
			if label[u] != to && atomic.LoadInt32(&m.waits[u]) > 0 {
				atomic.AddInt32(&m.waits[u], -1)
			}
		}
	}
}
