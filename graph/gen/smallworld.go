// This file holds small worlds.

package gen

import "fmt"

type smallWorld struct {
	unweighted
	n, m uint64
	k    int
	p    float64
	seed uint64
}

// newSmallWorld returns the graph of Watts and Strogatz ("Collective dynamics of
// 'small-world' networks", Nature 1998): a ring of n vertices, each joined to
// the k nearest, k/2 on either side, where then each edge, with probability
// p, is led from the same vertex to one of the n-1 others at random. It has
// n*k/2 edges. Unlike the original, a new edge may be there already: about
// p*k of n edges are repeated, so few in large graphs.
//
// n is at least 3, k even and from 2 to n-1, p from 0 (the ring stays) to 1,
// seed selects one of 2^64 graphs. Errors are errSize and errParameter.
func newSmallWorld(n uint64, k int, p float64, seed uint64) (Generator, error) {
	if err := checkVertices("small world", n, 3); err != nil {
		return nil, err
	}
	if k < 2 || k%2 != 0 || uint64(k) > n-1 {
		return nil, fmt.Errorf("%w: small world of %d vertices with k = %d neighbors; k is even and from 2 to n-1", errParameter, n, k)
	}
	if !(p >= 0 && p <= 1) { // NaN too
		return nil, fmt.Errorf("%w: small world that rewires with probability p = %v; p is from 0 to 1", errParameter, p)
	}
	m, err := checkFactor("small world", n, k/2)
	if err != nil {
		return nil, err
	}
	return &smallWorld{n: n, m: m, k: k, p: p, seed: seed}, nil
}

func (g *smallWorld) Name() string {
	s := specWriter{name: "smallworld"}
	s.add("n", g.n)
	s.add("k", g.k)
	s.add("p", g.p)
	s.addUnless("seed", g.seed, 0)
	return s.String()
}

func (g *smallWorld) NumVertices() uint64 { return g.n }
func (g *smallWorld) NumEdges() uint64    { return g.m }
func (g *smallWorld) Blocks() int         { return blocksOf(g.m) }

func (g *smallWorld) Block(i int, src, dst []uint32) int {
	n := blockLen(g.m, i)
	src, dst = src[:n], dst[:n]
	s := newStream(g.seed, keySmallWorld, i)
	// In units of 2^-53, so that p = 1 always rewires and p = 0 never.
	rewire := uint64(g.p * (1 << 53))
	half := uint64(g.k / 2)
	first := uint64(i) * BlockEdges
	v, step := first/half, first%half+1
	for e := range src {
		far := step
		if s.next()>>11 < rewire {
			far = 1 + s.below(g.n-1)
		}
		to := v + far
		if to >= g.n {
			to -= g.n
		}
		src[e], dst[e] = uint32(v), uint32(to)
		if step++; step > half {
			v, step = v+1, 1
		}
	}
	return n
}
