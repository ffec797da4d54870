// This file holds the dual graphs of triangle meshes.

package gen

import "fmt"

type mesh struct {
	unweighted
	w, h uint64 // squares
	m    uint64
	seed uint64
}

// newMesh returns the dual graph of a triangle mesh. A lattice of w by h squares is cut into
// triangles by one diagonal a square, whose direction is random. A vertex is a triangle; an edge joins
// two triangles that share a side. There are 2*w*h vertices of degree 3, except at the border,
// and about 3*w*h edges. Square (x, y) has the triangles 2*(y*w+x), at its left side, and the next one, at
// its right side.
//
// Sides are at least 1, seed selects one of 2^64 graphs. Errors are errSize.
func newMesh(w, h, seed uint64) (Generator, error) {
	n, err := checkSides("mesh", w, h)
	if err != nil {
		return nil, err
	}
	if n > maxVertices/2 {
		return nil, fmt.Errorf("%w: mesh of %s squares, two vertices each; a graph has at most %d", errSize, times([]uint64{w, h}), maxVertices)
	}
	return &mesh{w: w, h: h, m: n + (w-1)*h + w*(h-1), seed: seed}, nil
}

func (g *mesh) Name() string {
	s := specWriter{name: "mesh"}
	s.addBare(times([]uint64{g.w, g.h}))
	s.addUnless("seed", g.seed, 0)
	return s.String()
}

// squaresPerBlock: a square has at most three edges, one inside, one to the right and one down.
const squaresPerBlock = BlockEdges / 3

func (g *mesh) NumVertices() uint64 { return 2 * g.w * g.h }
func (g *mesh) NumEdges() uint64    { return g.m }
func (g *mesh) Blocks() int         { return int((g.w*g.h + squaresPerBlock - 1) / squaresPerBlock) }

func (g *mesh) Block(i int, src, dst []uint32) int {
	first := uint64(i) * squaresPerBlock
	last := min(first+squaresPerBlock, g.w*g.h)
	key := keyed(g.seed, keyMesh)
	n := 0
	add := func(a, b uint64) {
		src[n], dst[n] = uint32(a), uint32(b)
		n++
	}
	x := first % g.w
	for c := first; c < last; c++ {
		add(2*c, 2*c+1)
		if x+1 < g.w {
			add(2*c+1, 2*c+2)
		}
		if d := c + g.w; d < g.w*g.h {
			// A diagonal that rises to the right leaves the lower side to the right triangle and the upper side to the left one.
			add(2*c+rises(key, c), 2*d+1-rises(key, d))
		}
		if x++; x == g.w {
			x = 0
		}
	}
	return n
}

// rises returns 1 if the diagonal of a square rises to the right, else 0.
func rises(key, square uint64) uint64 { return mix64(key+square*gamma) >> 63 }
