// This file holds stars, paths and cycles.

package gen

// line is a star, a path or a cycle: its edge e leads from e*step to e+1,
// modulo n.
type line struct {
	unweighted
	name string
	n, m uint64
	step uint64 // 0 from the first vertex always, 1 from the one before
}

// newStar returns the graph of n vertices where vertex 0 is joined to every
// other. n is from 2 to maxVertices. Errors are errSize.
func newStar(n uint64) (Generator, error) {
	if err := checkVertices("star", n, 2); err != nil {
		return nil, err
	}
	return &line{name: "star", n: n, m: n - 1}, nil
}

// newPath returns the graph of n vertices where each is joined to the next. n is
// from 2 to maxVertices. Errors are errSize.
func newPath(n uint64) (Generator, error) {
	if err := checkVertices("path", n, 2); err != nil {
		return nil, err
	}
	return &line{name: "path", n: n, m: n - 1, step: 1}, nil
}

// newCycle returns the graph of n vertices where each is joined to the next, and
// the last to the first. n is from 3 to maxVertices. Errors are errSize.
func newCycle(n uint64) (Generator, error) {
	if err := checkVertices("cycle", n, 3); err != nil {
		return nil, err
	}
	return &line{name: "cycle", n: n, m: n, step: 1}, nil
}

func (g *line) Name() string {
	s := specWriter{name: g.name}
	s.addBare(g.n)
	return s.String()
}

func (g *line) NumVertices() uint64 { return g.n }
func (g *line) NumEdges() uint64    { return g.m }
func (g *line) Blocks() int         { return blocksOf(g.m) }

func (g *line) Block(i int, src, dst []uint32) int {
	n := blockLen(g.m, i)
	src, dst = src[:n], dst[:n]
	first := uint64(i) * BlockEdges
	for e := range src {
		v := first + uint64(e)
		src[e], dst[e] = uint32(v*g.step), uint32(v+1)
	}
	if first+uint64(n) == g.n { // only a cycle has an edge n-1: it closes
		dst[n-1] = 0
	}
	return n
}
