// This file holds the refinement of Leiden: within each community vertices merge to parts that are connected, and well
// connected to the rest of the community.

package modularity

import (
	"math"
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
	own    []moverShare
}

// run merges vertices.
func (f *refiner) run() error {
	l := f.l
	f.links, f.joined = make([]int64, l.n), make([]uint32, l.n)
	if err := f.byRows(l, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			f.links[l.rankOf(uint32(v))] = f.within(uint32(v))
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
	lo, hi, own := l.offsets[v], l.offsets[v+1], label[v]
	if l.weights == nil {
		for _, u := range l.targets[lo:hi] {
			if label[u] == own && u != v {
				links++
			}
		}
		return links
	}
	for e, u := range l.targets[lo:hi] {
		if label[u] == own && u != v {
			links += l.weights[lo+uint64(e)]
		}
	}
	return links
}

// part lets the single vertices of a part of all vertices decide, and merges them.
func (f *refiner) part(k, turn uint32) error {
	for i := range f.own {
		f.own[i].vs, f.own[i].to = f.own[i].vs[:0], f.own[i].to[:0]
	}
	if err := f.byRows(f.l, func(w, lo, hi int) {
		o := &f.own[w]
		for v := uint32(lo); v < uint32(hi); v++ {
			rank := f.l.rankOf(v)
			if f.r.label[v] != rank || f.r.size[rank] != 1 || part(f.seed, f.l.parts(), rank) != k {
				continue
			}
			if to := f.choose(o, v, rank, k); to != none {
				o.vs, o.to = append(o.vs, v), append(o.to, to)
			}
		}
	}); err != nil {
		return err
	}
	for i := range f.own {
		if len(f.own[i].vs) == 0 {
			continue
		}
		if err := f.each(len(f.own), func(_, i int) { f.apply(&f.own[i], turn) }); err != nil {
			return err
		}
		return f.each(len(f.own), func(_, i int) { f.relink(&f.own[i], turn) })
	}
	return nil
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
func (f *refiner) choose(o *moverShare, v, rank, k uint32) uint32 {
	l, label, community := f.l, f.p.label, f.p.label[v]
	if f.links[rank] == 0 || !f.well(rank, community) {
		return none
	}
	lo, hi := l.offsets[v], l.offsets[v+1]
	t := &o.table
	t.begin(hi - lo)
	for e := lo; e < hi; e++ {
		u := l.targets[e]
		if label[u] != community || u == v {
			continue
		}
		if l.weights == nil {
			t.add(f.r.label[u], 1)
		} else if w := l.weights[e]; w > 0 {
			t.add(f.r.label[u], w)
		}
	}
	best, most := uint32(none), math.Inf(-1)
	for _, at := range t.met {
		x := &t.slots[at]
		if f.r.size[x.key] == 1 && part(f.seed, l.parts(), x.key) == k { // it may leave
			continue
		}
		g := f.gain(v, x.key, x.sum)
		if !(g >= 0) || g+f.s.noise*mostNoise < most || !f.well(x.key, community) {
			continue
		}
		if g += float64(f.s.noise * gumbel(f.seed, rank, x.key)); g > most || g == most && x.key < best {
			best, most = x.key, g
		}
	}
	return best
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

// apply merges vertices with parts.
func (f *refiner) apply(o *moverShare, turn uint32) {
	l, r := f.l, f.r
	for i, v := range o.vs {
		from, to := r.label[v], o.to[i]
		r.total[from], r.size[from] = 0, 0
		atomic.AddInt64(&r.total[to], l.degree[v])
		if l.in != nil {
			r.in[from] = 0
			atomic.AddInt64(&r.in[to], l.in[v])
		}
		atomic.AddUint32(&r.size[to], 1)
		r.label[v], f.joined[v] = to, turn
	}
}

// relink brings the links of parts up to date. Links between two vertices that joined one part together were not counted.
func (f *refiner) relink(o *moverShare, turn uint32) {
	l, label, part := f.l, f.p.label, f.r.label
	for _, v := range o.vs {
		own, community, links := part[v], label[v], int64(0)
		for e := l.offsets[v]; e < l.offsets[v+1]; e++ {
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
