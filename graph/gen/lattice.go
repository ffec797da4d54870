// This file holds lattices of two and three dimensions.

package gen

import "fmt"

// latticeOptions are the parameters of a lattice other than its size. The
// zero value has borders.
type latticeOptions struct {
	// Torus joins opposite borders, so that every vertex has the full degree.
	// Every side is then at least 3.
	Torus bool
}

type lattice struct {
	unweighted
	dims    int
	w, h, d uint64 // d is 1 in two dimensions
	n, m    uint64
	torus   bool
}

// newGrid2D returns the lattice of w by h vertices where each is joined to its
// left, right, upper and lower neighbor (the graph of the 5-point stencil).
// Vertex (x, y) is y*w+x. There are at least 2 vertices. Errors are errSize.
func newGrid2D(w, h uint64, o latticeOptions) (Generator, error) {
	return generator(newLattice("grid2d", 2, w, h, 1, o))
}

// newGrid3D returns the lattice of w by h by d vertices where each is joined to
// its two neighbors along each axis (the graph of the 7-point stencil).
// Vertex (x, y, z) is (z*h+y)*w+x. There are at least 2 vertices. Errors are
// errSize.
func newGrid3D(w, h, d uint64, o latticeOptions) (Generator, error) {
	return generator(newLattice("grid3d", 3, w, h, d, o))
}

// generator returns a lattice, or nil with its error.
func generator(g *lattice, err error) (Generator, error) {
	if err != nil {
		return nil, err
	}
	return g, nil
}

func newLattice(name string, dims int, w, h, d uint64, o latticeOptions) (*lattice, error) {
	sides := []uint64{w, h, d}[:dims]
	n, err := checkSides(name, sides...)
	if err != nil {
		return nil, err
	}
	if err := checkVertices(name, n, 2); err != nil {
		return nil, err
	}
	if o.Torus && min(w, h, sides[dims-1]) < 3 {
		return nil, fmt.Errorf("%w: %s torus of %s; each side of a torus is at least 3, or edges repeat", errSize, name, times(sides))
	}
	g := &lattice{dims: dims, w: w, h: h, d: d, n: n, torus: o.Torus}
	last := g.plane(d - 1)
	g.m = last
	if d > 1 {
		g.m += (d - 1) * g.plane(0)
	}
	return g, nil
}

func (g *lattice) Name() string {
	name := "grid2d"
	if g.dims == 3 {
		name = "grid3d"
	}
	s := specWriter{name: name}
	if g.dims == 3 || g.w != defaultSide || g.h != defaultSide {
		s.addBare(times([]uint64{g.w, g.h, g.d}[:g.dims]))
	}
	if g.torus {
		s.addBare("torus")
	}
	return s.String()
}

func (g *lattice) NumVertices() uint64 { return g.n }
func (g *lattice) NumEdges() uint64    { return g.m }
func (g *lattice) Blocks() int         { return blocksOf(g.m) }

// The edges come line by line along x; those of a line are first the ones
// within it, then the ones to the next line, then the ones to the next plane.

// line returns how many edges of each kind line (y, z) has.
func (g *lattice) line(y, z uint64) (within, down, deep uint64) {
	within = g.w - 1
	if g.torus {
		within = g.w
	}
	if g.torus || y < g.h-1 {
		down = g.w
	}
	if g.dims == 3 && (g.torus || z < g.d-1) {
		deep = g.w
	}
	return within, down, deep
}

// plane returns how many edges the lines of plane z have together.
func (g *lattice) plane(z uint64) uint64 {
	a, b, c := g.line(0, z)
	p, q, r := g.line(g.h-1, z)
	return (g.h-1)*(a+b+c) + p + q + r
}

func (g *lattice) Block(i int, src, dst []uint32) int {
	n := blockLen(g.m, i)
	src, dst = src[:n], dst[:n]

	// All planes but the last have the same number of edges, and within a
	// plane all lines but the last.
	skip := uint64(i) * BlockEdges
	z := min(skip/g.plane(0), g.d-1)
	skip -= z * g.plane(0)
	a, b, c := g.line(0, z)
	y := min(skip/(a+b+c), g.h-1)
	skip -= y * (a + b + c)

	e := 0
	for e < n {
		at := uint32((z*g.h + y) * g.w)
		below, behind := at+uint32(g.w), at+uint32(g.w*g.h)
		if y == g.h-1 {
			below = uint32(z * g.h * g.w)
		}
		if z == g.d-1 {
			behind = uint32(y * g.w)
		}
		within, down, deep := g.line(y, z)
		x := skip
		for ; x < within && e < n; x++ {
			src[e], dst[e] = at+uint32(x), at+uint32(x)+1
			if x == g.w-1 {
				dst[e] = at
			}
			e++
		}
		for x -= within; x < down && e < n; x++ {
			src[e], dst[e] = at+uint32(x), below+uint32(x)
			e++
		}
		for x -= down; x < deep && e < n; x++ {
			src[e], dst[e] = at+uint32(x), behind+uint32(x)
			e++
		}
		skip = 0
		if y++; y == g.h {
			y, z = 0, z+1
		}
	}
	return n
}
