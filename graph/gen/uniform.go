// This file holds uniform random graphs.

package gen

import "fmt"

// uniformOptions are the parameters of a uniform graph other than its size.
// The zero value has the default edge factor and the default seed, 0.
type uniformOptions struct {
	// EdgeFactor is the number of edges per vertex; 0 means defaultEdgeFactor.
	EdgeFactor int
	// Seed selects one of 2^64 graphs.
	Seed uint64
}

type uniform struct {
	unweighted
	n, m       uint64
	edgeFactor int
	seed       uint64
}

// newUniform returns the graph of n vertices and EdgeFactor*n edges whose ends
// are independent of each other and uniform: the G(n, M) model of Erdős and
// Rényi, except for self-loops (one edge in n) and repeated edges (about
// EdgeFactor edges in n), which are few in large graphs.
//
// n is from 1 to maxVertices. Errors are errSize.
func newUniform(n uint64, o uniformOptions) (Generator, error) {
	if err := checkVertices("uniform graph", n, 1); err != nil {
		return nil, err
	}
	if o.EdgeFactor == 0 {
		o.EdgeFactor = defaultEdgeFactor
	}
	m, err := checkFactor("uniform graph", n, o.EdgeFactor)
	if err != nil {
		return nil, err
	}
	return &uniform{n: n, m: m, edgeFactor: o.EdgeFactor, seed: o.Seed}, nil
}

func (g *uniform) Name() string {
	s := specWriter{name: "urand"}
	if scale := log2(g.n); scale > 0 {
		s.name += fmt.Sprint(scale)
	} else {
		s.add("n", g.n)
	}
	s.addUnless("edgefactor", uint64(g.edgeFactor), defaultEdgeFactor)
	s.addUnless("seed", g.seed, 0)
	return s.String()
}

func (g *uniform) NumVertices() uint64 { return g.n }
func (g *uniform) NumEdges() uint64    { return g.m }
func (g *uniform) Blocks() int         { return blocksOf(g.m) }

func (g *uniform) Block(i int, src, dst []uint32) int {
	n := blockLen(g.m, i)
	src, dst = src[:n], dst[:n]
	s := newStream(g.seed, keyUniform, i)
	for e := range src {
		src[e] = uint32(s.below(g.n))
		dst[e] = uint32(s.below(g.n))
	}
	return n
}
