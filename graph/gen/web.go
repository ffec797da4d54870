// This file holds web-like graphs.

package gen

import (
	"fmt"
	"math/bits"
)

type web struct {
	unweighted
	sized
	n, core, most, chain uint64
	seed                 uint64
}

const (
	defaultMost  = 2000
	defaultChain = 4
	// hostPages is how many consecutive pages a host has, and mostLocal how many links of a page may stay there: more would
	// mostly be repeated.
	hostPages = 64
	mostLocal = 16
	// One page in tailOneIn is on a chain.
	tailOneIn = 20
)

// newWeb returns a directed web-like graph of n pages. A page has from 1 to most links, with probabilities in
// proportion to links^-1.75: 12.4 in the mean with 2000. Half of a page's first 16 links lead to pages of the same host, which is 64
// consecutive pages; the others to any page of the core, the popular ones more often: the popularity of the page
// of rank r is in proportion to r^(-2/3). One page in twenty is not in the core but on a chain, as old
// pages of a list are: it is linked from the page before it on the chain alone, and the first one from a page of the
// core. Chains have so many pages, and make searches deep. Links may be repeated, and a page may link to itself.
//
// n is at least 1280, most from 1 to 32768, chain from 1 to n/20, seed selects one of 2^64 graphs. Errors are errSize and errParameter.
func newWeb(n, most, chain, seed uint64) (Generator, error) {
	if err := checkVertices("web-like graph", n, hostPages*tailOneIn); err != nil {
		return nil, err
	}
	if most < 1 || most > BlockEdges/2 {
		return nil, fmt.Errorf("%w: web-like graph with up to %d links a page; most is from 1 to %d", errParameter, most, BlockEdges/2)
	}
	if chain < 1 || chain > n/tailOneIn {
		return nil, fmt.Errorf("%w: web-like graph of %d pages with chains of %d; a chain has 1 to n/%d pages", errParameter, n, chain, tailOneIn)
	}
	return &web{
		n: n, core: n - n/tailOneIn, most: most, chain: chain, seed: seed,
		// A page of a chain has one edge more, the one that leads to it.
		sized: newSized(n, 1, most, keyed(seed, keyWebLinks), toMinus7Quarters, func(size uint64) uint64 { return size + 1 }),
	}, nil
}

func (g *web) Name() string {
	s := specWriter{name: "web"}
	s.add("n", g.n)
	s.addUnless("most", g.most, defaultMost)
	s.addUnless("chain", g.chain, defaultChain)
	s.addUnless("seed", g.seed, 0)
	return s.String()
}

func (g *web) NumVertices() uint64 { return g.n }
func (g *web) NumEdges() uint64    { return g.sized.NumEdges() - g.core }

func (g *web) Block(i int, src, dst []uint32) int {
	s := newStream(g.seed, keyWeb, i)
	n := 0
	g.block(i, func(v, links uint64) {
		for j := range links {
			src[n], dst[n] = uint32(v), uint32(g.target(v, j < mostLocal, &s))
			n++
		}
		if v < g.core {
			return
		}
		from := v - 1
		if (v-g.core)%g.chain == 0 {
			from = s.below(g.core)
		}
		src[n], dst[n] = uint32(from), uint32(v)
		n++
	})
	return n
}

// target returns where a link of a page leads to.
func (g *web) target(v uint64, mayStay bool, s *stream) uint64 {
	if mayStay && v < g.core && s.next()>>63 == 0 {
		host := v / hostPages * hostPages
		return host + s.below(min(hostPages, g.core-host))
	}
	// The cube of a uniform number has the density x^(-2/3).
	x := s.next()
	rank := upper(upper(upper(x, x), x), g.core)
	// Ranks are spread over the hosts: a prime above every number of pages shares no factor with it.
	const prime = 1<<32 + 15
	high, low := bits.Mul64(rank, prime)
	return bits.Rem64(high, low, g.core)
}

// upper returns the upper half of the product: of fractions of 2^64 their product, of one and a number so much of that.
func upper(x, y uint64) uint64 {
	high, _ := bits.Mul64(x, y)
	return high
}
