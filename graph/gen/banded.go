// This file holds banded graphs.

package gen

import "fmt"

type banded struct {
	unweighted
	n, m, k, band uint64
	seed          uint64
}

// newBanded returns the directed graph of a banded matrix: each of n vertices has k edges, to vertices whose numbers
// differ from its own by 1 to band, uniformly at random. Where the band would leave the range of vertices, it is
// reflected at the border. An edge may be repeated.
//
// n is at least 3, k at least 1, band from 1 to n-2, seed selects one of 2^64 graphs. Errors are errSize and errParameter.
func newBanded(n uint64, k int, band, seed uint64) (Generator, error) {
	if err := checkVertices("banded graph", n, 3); err != nil {
		return nil, err
	}
	if band < 1 || band > n-2 {
		return nil, fmt.Errorf("%w: banded graph of %d vertices with band=%d; the band is from 1 to n-2", errParameter, n, band)
	}
	m, err := checkFactor("banded graph", n, k)
	if err != nil {
		return nil, err
	}
	return &banded{n: n, m: m, k: uint64(k), band: band, seed: seed}, nil
}

func (g *banded) Name() string {
	s := specWriter{name: "banded"}
	s.add("n", g.n)
	s.add("k", g.k)
	s.add("band", g.band)
	s.addUnless("seed", g.seed, 0)
	return s.String()
}

func (g *banded) NumVertices() uint64 { return g.n }
func (g *banded) NumEdges() uint64    { return g.m }
func (g *banded) Blocks() int         { return blocksOf(g.m) }

func (g *banded) Block(i int, src, dst []uint32) int {
	n := blockLen(g.m, i)
	s := newStream(g.seed, keyBanded, i)
	first := uint64(i) * BlockEdges
	for e := range n {
		v := (first + uint64(e)) / g.k
		x := s.below(2 * g.band)
		to := int64(v) + 1 + int64(x/2) // band is less than n-1, so that one reflection is enough
		if x%2 == 1 {
			to = int64(v) - 1 - int64(x/2)
		}
		if to < 0 {
			to = -to
		}
		if last := int64(g.n - 1); to > last {
			to = 2*last - to
		}
		src[e], dst[e] = uint32(v), uint32(to)
	}
	return n
}
