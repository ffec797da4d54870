// This file holds unions of cliques.

package gen

import "fmt"

type cliques struct {
	unweighted
	sized
	n, count, largest, window uint64
	seed                      uint64
}

// The largest clique has fewer edges than a block.
const (
	defaultLargest = 300
	mostClique     = 360
)

// newCliques returns a union of count cliques on n vertices, as a graph of papers with a common author or of products
// bought together is one. Sizes are from 2 to largest, with probabilities in proportion to size^-2.5. Cliques are
// spread evenly over the vertices, and the members of one are within a window of consecutive vertices, one at random in
// each of as many parts of the window as the clique has members. So cliques overlap, and a search advances by
// about a window a level. Edges of several cliques are repeated; a vertex may be in no clique.
//
// largest is from 2 to 360, window from largest to n, seed selects one of 2^64 graphs. Errors are errSize and errParameter.
func newCliques(n, count, largest, window, seed uint64) (Generator, error) {
	if err := checkVertices("union of cliques", n, 2); err != nil {
		return nil, err
	}
	if count < 1 || count > maxVertices {
		return nil, fmt.Errorf("%w: %d cliques; there are 1 to %d", errParameter, count, maxVertices)
	}
	if largest < 2 || largest > min(mostClique, n) {
		return nil, fmt.Errorf("%w: cliques of up to %d vertices, of %d; the largest is from 2 to %d", errParameter, largest, n, min(mostClique, n))
	}
	if window < largest || window > n {
		return nil, fmt.Errorf("%w: cliques within %d vertices, of %d; the window is from the largest clique, %d, to all vertices", errParameter, window, n, largest)
	}
	return &cliques{
		n: n, count: count, largest: largest, window: window, seed: seed,
		sized: newSized(count, 2, largest, keyed(seed, keyCliqueSizes), toMinus5Halves, func(size uint64) uint64 { return size * (size - 1) / 2 }),
	}, nil
}

func (g *cliques) Name() string {
	s := specWriter{name: "cliques"}
	s.add("n", g.n)
	s.add("count", g.count)
	s.addUnless("largest", g.largest, defaultLargest)
	s.add("window", g.window)
	s.addUnless("seed", g.seed, 0)
	return s.String()
}

func (g *cliques) NumVertices() uint64 { return g.n }

func (g *cliques) Block(i int, src, dst []uint32) int {
	s := newStream(g.seed, keyCliques, i)
	n := 0
	var members [mostClique]uint32
	g.block(i, func(c, size uint64) {
		base := uint64(0)
		if g.count > 1 {
			base = c * (g.n - g.window) / (g.count - 1) // both have 32 bits
		}
		for j := range size {
			from, to := j*g.window/size, (j+1)*g.window/size
			members[j] = uint32(base + from + s.below(to-from))
		}
		for j := range size {
			for k := j + 1; k < size; k++ {
				src[n], dst[n] = members[j], members[k]
				n++
			}
		}
	})
	return n
}
