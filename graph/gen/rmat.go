// This file holds R-MAT, the skewed random graphs of Graph500.

package gen

import (
	"fmt"
	"math"
)

// defaultEdgeFactor is the number of edges per vertex of R-MAT and uniform
// graphs by default, the same as in Graph500.
const defaultEdgeFactor = 16

// The quadrants' probabilities of Graph500; D is 0.05.
const (
	graph500A = 0.57
	graph500B = 0.19
	graph500C = 0.19
)

// rmatOptions are the parameters of R-MAT other than its size. The zero value
// is Graph500's graph with the default seed, 0.
type rmatOptions struct {
	// EdgeFactor is the number of edges per vertex; 0 means defaultEdgeFactor.
	EdgeFactor int
	// A, B and C are the probabilities of the upper left, upper right and
	// lower left quadrant; D is what they lack of 1. All zero means Graph500's.
	A, B, C float64
	// Seed selects one of 2^64 graphs.
	Seed uint64
}

type rmat struct {
	unweighted
	scale      int
	edgeFactor int
	abc        [3]float64
	seed       uint64
	m          uint64
	perm       permutation
	full       *rmatTable // decides rmatLevels levels
	rest       *rmatTable // decides scale%rmatLevels levels; nil for none
}

// newRMAT returns the R-MAT graph of 2^scale vertices and EdgeFactor*2^scale
// edges (Chakrabarti, Zhan and Faloutsos, "R-MAT: a recursive model for graph
// mining", SDM 2004), as the Graph500 specification has it: each edge starts
// with the whole adjacency matrix and chooses one of its quadrants scale
// times; then vertex ids are permuted at random. There is no noise on the
// probabilities. Edges are independent of each other, so their order needs no
// shuffling. Self-loops and repeated edges occur, and many vertices are
// isolated.
//
// The choices of five levels are one draw from a table of all 1024 outcomes.
// Each outcome has its probability to within 2^-32, and with Graph500's
// parameters even the rarest to within a millionth of itself.
//
// The scale is from 1 to 31. Errors are errSize and errParameter.
func newRMAT(scale int, o rmatOptions) (Generator, error) {
	if scale < 1 || scale > 31 {
		return nil, fmt.Errorf("%w: R-MAT of 2^%d vertices; the scale is from 1 to 31", errSize, scale)
	}
	if o.EdgeFactor == 0 {
		o.EdgeFactor = defaultEdgeFactor
	}
	m, err := checkFactor("R-MAT", 1<<scale, o.EdgeFactor)
	if err != nil {
		return nil, err
	}
	if o.A == 0 && o.B == 0 && o.C == 0 {
		o.A, o.B, o.C = graph500A, graph500B, graph500C
	}
	abcd, err := quadrants(o.A, o.B, o.C)
	if err != nil {
		return nil, err
	}
	g := &rmat{
		scale: scale, edgeFactor: o.EdgeFactor, abc: [3]float64{o.A, o.B, o.C}, seed: o.Seed,
		m: m, perm: newPermutation(scale, o.Seed), full: newRMATTable(rmatLevels, abcd),
	}
	if r := scale % rmatLevels; r > 0 {
		g.rest = newRMATTable(r, abcd)
	}
	return g, nil
}

// quadrants completes the probabilities of the quadrants.
func quadrants(a, b, c float64) ([4]float64, error) {
	d := 1 - (a + b + c)
	if math.Abs(d) < 1e-12 { // such as 1 - (.4 + .3 + .3)
		d = 0
	}
	q := [4]float64{a, b, c, d}
	for i, p := range q {
		if !(p >= 0 && p <= 1) { // NaN too
			return q, fmt.Errorf("%w: R-MAT with the probability %s = %v; A, B, C and D = 1-A-B-C are from 0 to 1",
				errParameter, "ABCD"[i:i+1], p)
		}
	}
	return q, nil
}

func (g *rmat) Name() string {
	s := specWriter{name: fmt.Sprintf("kron%d", g.scale)}
	s.addUnless("edgefactor", uint64(g.edgeFactor), defaultEdgeFactor)
	if g.abc != [3]float64{graph500A, graph500B, graph500C} {
		s.add("a", g.abc[0])
		s.add("b", g.abc[1])
		s.add("c", g.abc[2])
	}
	s.addUnless("seed", g.seed, 0)
	return s.String()
}

func (g *rmat) NumVertices() uint64 { return 1 << g.scale }
func (g *rmat) NumEdges() uint64    { return g.m }
func (g *rmat) Blocks() int         { return blocksOf(g.m) }

func (g *rmat) Block(i int, src, dst []uint32) int {
	n := g.raw(i, src, dst)
	perm := g.perm
	dst = dst[:n]
	for e, u := range src[:n] {
		src[e] = perm.apply(u)
		dst[e] = perm.apply(dst[e])
	}
	return n
}

// raw writes the edges of block i before the permutation.
func (g *rmat) raw(i int, src, dst []uint32) int {
	n := blockLen(g.m, i)
	src, dst = src[:n], dst[:n]
	s := newStream(g.seed, keyRMAT, i)
	clear(src)
	clear(dst)
	for range g.scale / rmatLevels {
		g.full.extend(&s, rmatLevels, src, dst)
	}
	if g.rest != nil {
		g.rest.extend(&s, g.scale%rmatLevels, src, dst)
	}
	return n
}
