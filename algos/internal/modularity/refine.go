// This file holds the refinement of Leiden: within each community vertices merge to parts that are connected, and well
// connected to the rest of the community.

package modularity

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/random"
)

// refiner refines the communities of a level on the host.
type refiner struct {
	*team
	l      *level
	p, r   *partition // communities and their parts
	s      *scale
	seed   uint64
	links  []int64  // by label of r: the weight of edges to the rest of the community
	joined []uint32 // of each vertex: the turn in which it joined a part
	groups *groups
	own    []share
}

// run merges vertices.
func (f *refiner) run() error {
	l := f.l
	f.links, f.joined = zeros[int64](l.n), zeros[uint32](l.n)
	if err := f.groups.divide(f.team, l, f.seed); err != nil {
		return err
	}
	if err := f.byRows(l, func(_, lo, hi int) {
		for v := uint32(lo); v < uint32(hi); v++ {
			if f.p.size[f.p.label[v]] > 1 {
				f.links[v] = f.within(v)
			}
		}
	}); err != nil {
		return err
	}
	for k := range l.parts() {
		if err := f.part(k, k+1); err != nil {
			return err
		}
	}
	return nil
}

// within returns the weight of a vertex's edges to others of its community.
func (f *refiner) within(v uint32) (links int64) {
	l, label := f.l, f.p.label
	lo, hi, own := l.offsets[v], l.ends[v], label[v]
	if l.weights == nil {
		for _, u := range l.targets[lo:hi] {
			if label[u] == own && u != v {
				links++
			}
		}
		return links
	}
	weights := l.weights[lo:hi]
	for i, u := range l.targets[lo:hi] {
		if label[u] == own && u != v {
			links += weights[i]
		}
	}
	return links
}

// part lets the single vertices of a part of all vertices decide, and merges them.
func (f *refiner) part(k, turn uint32) error {
	for i := range f.own {
		f.own[i].vs, f.own[i].to = f.own[i].vs[:0], f.own[i].to[:0]
	}
	if err := f.groups.each(f.team, k, func(w int, vs []uint32) {
		o := &f.own[w]
		for _, v := range vs {
			if f.r.label[v] != v || f.r.size[v] != 1 {
				continue
			}
			if to := f.choose(o, v, k); to != none {
				o.vs, o.to = append(o.vs, v), append(o.to, to)
			}
		}
	}); err != nil {
		return err
	}
	moves, err := apply(f.team, f.own, f.l, f.r)
	if err != nil || moves == 0 {
		return err
	}
	for i := range f.own {
		for _, v := range f.own[i].vs {
			f.joined[v] = turn
		}
	}
	return shares(f.team, f.own, moves, func(o *share) { f.relink(o, turn) })
}

// well reports whether a part is well connected to the rest of its community: its links are at least those expected.
func (f *refiner) well(label, community uint32) bool {
	r, p := f.r, f.p
	if f.l.in == nil {
		return f.s.gain(f.links[label], r.total[label], p.total[community]-r.total[label]) >= 0
	}
	return f.s.gainDirected(f.links[label], r.total[label], r.in[label], p.total[community]-r.total[label], p.in[community]-r.in[label]) >= 0
}

// choose returns the part that a vertex joins, or none. It is drawn at random, in proportion to exp(gain/randomness).
func (f *refiner) choose(o *share, v, k uint32) uint32 {
	l, community := f.l, f.p.label[v]
	if f.links[v] == 0 || !f.well(v, community) {
		return none
	}
	keys, weights := o.parts(l, f.p.label, f.r.label, v)
	o.tally.begin(uint64(len(keys)))
	o.tally.add(keys, weights)
	keys, sums := o.tally.end()
	best, most := uint32(none), math.Inf(-1)
	for i, key := range keys {
		if sums[i] == 0 || float64(sums[i])+f.s.noise*mostNoise < most { // gains are the links at most
			continue
		}
		if f.r.size[key] == 1 && part(f.seed, l.parts(), l.rankOf(key)) == k { // it may leave
			continue
		}
		g := f.gain(v, key, sums[i])
		if !(g >= 0) || g+f.s.noise*mostNoise < most || !f.well(key, community) {
			continue
		}
		if g += float64(f.s.noise * gumbel(f.seed, l.rankOf(v), l.rankOf(key))); g > most || g == most && l.before(key, best) {
			best, most = key, g
		}
	}
	return best
}

// parts returns the parts of a vertex's neighbors in its community, and the weights of these.
func (o *share) parts(l *level, label, part []uint32, v uint32) ([]uint32, []int64) {
	row, own := l.targets[l.offsets[v]:l.ends[v]], label[v]
	o.keys = slices.Grow(o.keys[:0], len(row))[:len(row)]
	keys, n := o.keys, 0
	if l.weights == nil {
		for _, u := range row {
			keys[n] = part[u]
			if label[u] == own && u != v {
				n++
			}
		}
		return keys[:n], nil
	}
	o.weights = slices.Grow(o.weights[:0], len(row))[:len(row)]
	all, weights := l.weights[l.offsets[v]:l.ends[v]], o.weights
	for i, u := range row {
		keys[n], weights[n] = part[u], all[i]
		if label[u] == own && u != v {
			n++
		}
	}
	return keys[:n], weights[:n]
}

func (f *refiner) gain(v, label uint32, links int64) float64 {
	if f.l.in == nil {
		return f.s.gain(links, f.l.degree[v], f.r.total[label])
	}
	return f.s.gainDirected(links, f.l.degree[v], f.l.in[v], f.r.total[label], f.r.in[label])
}

// gumbel returns a random number of Gumbel's distribution: the largest of values, to which such numbers are added, is each
// one with a probability in proportion to its exponential.
func gumbel(seed uint64, rank, label uint32) float64 {
	x := (float64(random.Uint64(seed, uint64(rank)<<32|uint64(label), 0)>>12) + 0.5) * 0x1p-52
	return -math.Log(-math.Log(x))
}

// relink brings the links of parts up to date. Links between two vertices that joined one part together were not counted.
func (f *refiner) relink(o *share, turn uint32) {
	l, label, part := f.l, f.p.label, f.r.label
	for _, v := range o.vs {
		own, community, links := part[v], label[v], int64(0)
		for e := l.offsets[v]; e < l.ends[v]; e++ {
			u, w := l.targets[e], int64(1)
			if label[u] != community || u == v {
				continue
			}
			if l.weights != nil {
				w = l.weights[e]
			}
			switch {
			case part[u] != own:
				links += w
			case f.joined[u] != turn:
				links -= w
			}
		}
		atomic.AddInt64(&f.links[own], links)
	}
}
