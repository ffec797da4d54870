// This file holds lattices with hubs.

package gen

import (
	"fmt"
	"math"
)

// The defaults of lattices with hubs: one vertex in a thousand has a thousand edges more.
const (
	defaultHubShare  = 0.001
	defaultHubDegree = 1000
)

type hubs struct {
	unweighted
	flat   *lattice
	p      float64
	count  uint64 // of hubs
	degree uint64 // edges that a hub has more
	m      uint64 // edges of all hubs
	seed   uint64
}

// newHubs returns the lattice of w by h vertices of newGrid2D in which a share p of the vertices are hubs: each is
// joined to degree other vertices at random as well. An edge may be there already, as in other random graphs.
//
// There are round(p*w*h) hubs, at least one. Vertices are divided into as many ranges of equal length, give or take
// one, with a hub at random in each. So hubs differ, and each is found without the others. The edges of the lattice
// come first, then those of the hubs in the order of their vertices.
//
// p is above 0 and at most 1, degree from 1 to w*h-1, seed selects one of 2^64 graphs. Errors are errSize and
// errParameter.
func newHubs(w, h uint64, p float64, degree, seed uint64) (Generator, error) {
	flat, err := newLattice("hubs", 2, w, h, 1, latticeOptions{})
	if err != nil {
		return nil, err
	}
	g := &hubs{flat: flat, p: p, degree: degree, seed: seed}
	n := g.NumVertices()
	if !(p > 0 && p <= 1) { // NaN too
		return nil, fmt.Errorf("%w: lattice of which a share p = %v are hubs; p is above 0 and at most 1", errParameter, p)
	}
	if degree < 1 || degree > n-1 {
		return nil, fmt.Errorf("%w: hubs of degree %d among %d vertices; the degree is from 1 to the number of other vertices", errParameter, degree, n)
	}
	g.count = max(1, uint64(math.Round(p*float64(n))))
	if g.count > (maxEdges-flat.m)/degree {
		return nil, fmt.Errorf("%w: %d hubs with %d edges each; at most %d edges can be made", errSize, g.count, degree, maxEdges)
	}
	g.m = g.count * degree
	return g, nil
}

func (g *hubs) Name() string {
	s := specWriter{name: "hubs"}
	if g.flat.w != defaultSide || g.flat.h != defaultSide {
		s.addBare(times([]uint64{g.flat.w, g.flat.h}))
	}
	if g.p != defaultHubShare {
		s.add("p", g.p)
	}
	s.addUnless("degree", g.degree, defaultHubDegree)
	s.addUnless("seed", g.seed, 0)
	return s.String()
}

func (g *hubs) NumVertices() uint64 { return g.flat.n }
func (g *hubs) NumEdges() uint64    { return g.flat.m + g.m }
func (g *hubs) Blocks() int         { return g.flat.Blocks() + blocksOf(g.m) }

// hub returns the vertex of a hub.
func (g *hubs) hub(k uint64) uint64 {
	first, last := k*g.flat.n/g.count, (k+1)*g.flat.n/g.count
	s := newStream(g.seed, keyHubs, int(k))
	return first + s.below(last-first)
}

func (g *hubs) Block(i int, src, dst []uint32) int {
	if i < g.flat.Blocks() {
		return g.flat.Block(i, src, dst)
	}
	i -= g.flat.Blocks()
	n := blockLen(g.m, i)
	src, dst = src[:n], dst[:n]
	s := newStream(g.seed, keyHubLinks, i)
	first := uint64(i) * BlockEdges
	k, done := first/g.degree, first%g.degree
	v := g.hub(k)
	for e := range src {
		if done == g.degree {
			k, done = k+1, 0
			v = g.hub(k)
		}
		to := v + 1 + s.below(g.flat.n-1)
		if to >= g.flat.n {
			to -= g.flat.n
		}
		src[e], dst[e] = uint32(v), uint32(to)
		done++
	}
	return n
}
