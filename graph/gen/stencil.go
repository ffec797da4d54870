// This file holds graphs of the 27-point stencil: of KKT systems and of finite elements.

package gen

import "fmt"

// box is a lattice of w by h by d cells. Neighbors are cells whose coordinates differ by one at most.
type box struct{ w, h, d uint64 }

func newBox(what string, w, h, d uint64) (box, uint64, error) {
	n, err := checkSides(what, w, h, d)
	return box{w, h, d}, n, err
}

func (b box) cells() uint64 { return b.w * b.h * b.d }

// pairs is the number of ordered pairs of a cell and a neighbor or itself.
func (b box) pairs() uint64 { return (3*b.w - 2) * (3*b.h - 2) * (3*b.d - 2) }

// around calls yield for each neighbor of a cell, and for itself, in ascending order.
func (b box) around(cell uint64, yield func(neighbor uint64)) {
	x, y, z := cell%b.w, cell/b.w%b.h, cell/(b.w*b.h)
	for k := less(z); k <= min(z+1, b.d-1); k++ {
		for j := less(y); j <= min(y+1, b.h-1); j++ {
			for i := less(x); i <= min(x+1, b.w-1); i++ {
				yield((k*b.h+j)*b.w + i)
			}
		}
	}
}

func less(x uint64) uint64 { return x - min(x, 1) }

// stencilPoints is the largest number of neighbors of a cell, with itself.
const stencilPoints = 27

type kkt struct {
	unweighted
	box
	n, m uint64
}

// newKKT returns the graph of the KKT matrix of an optimal control problem on a box of w by h by d
// cells, whose differential equation is discretized by the 27-point stencil. Each cell has a
// state and a multiplier; each cell's face at the border of the box has a control. A state is joined to
// the multipliers of its cell and of the cell's neighbors, a control to the multiplier of its cell. Vertices are
// the states, then the multipliers, both in the order of cells, then the controls. The graph is bipartite.
//
// Sides are at least 1. Errors are errSize.
func newKKT(w, h, d uint64) (Generator, error) {
	b, cells, err := newBox("KKT graph", w, h, d)
	if err != nil {
		return nil, err
	}
	controls := 2 * (w*h + w*d + h*d) // less than 2^35, since the product fits
	if cells > maxVertices/2 || 2*cells+controls > maxVertices {
		return nil, fmt.Errorf("%w: KKT graph of %s cells, two vertices each; a graph has at most %d", errSize, times([]uint64{w, h, d}), maxVertices)
	}
	return &kkt{box: b, n: 2*cells + controls, m: b.pairs() + controls}, nil
}

func (g *kkt) Name() string {
	s := specWriter{name: "kkt"}
	s.addBare(times([]uint64{g.w, g.h, g.d}))
	return s.String()
}

// cellsPerBlock: a state has at most 27 edges.
const cellsPerBlock = BlockEdges / stencilPoints

func (g *kkt) NumVertices() uint64 { return g.n }
func (g *kkt) NumEdges() uint64    { return g.m }
func (g *kkt) stateBlocks() int    { return int((g.cells() + cellsPerBlock - 1) / cellsPerBlock) }
func (g *kkt) Blocks() int         { return g.stateBlocks() + blocksOf(g.n-2*g.cells()) }

func (g *kkt) Block(i int, src, dst []uint32) int {
	n, cells := 0, g.cells()
	if i -= g.stateBlocks(); i >= 0 {
		first := uint64(i) * BlockEdges
		n = blockLen(g.n-2*cells, i)
		for e := range n {
			control := first + uint64(e)
			src[e], dst[e] = uint32(2*cells+control), uint32(cells+g.atFace(control))
		}
		return n
	}
	first := uint64(i+g.stateBlocks()) * cellsPerBlock
	for c := first; c < min(first+cellsPerBlock, cells); c++ {
		g.around(c, func(neighbor uint64) {
			src[n], dst[n] = uint32(c), uint32(cells+neighbor)
			n++
		})
	}
	return n
}

// atFace returns the cell of a control: the faces come in pairs of opposite ones, those of z first.
func (g *kkt) atFace(control uint64) uint64 {
	for _, f := range []struct{ across, rows, far, step, rowStep uint64 }{
		{g.w, g.h, (g.d - 1) * g.w * g.h, 1, g.w},
		{g.w, g.d, (g.h - 1) * g.w, 1, g.w * g.h},
		{g.h, g.d, g.w - 1, g.w, g.w * g.h},
	} {
		face := f.across * f.rows
		if control < 2*face {
			at := uint64(0)
			if control >= face {
				at, control = f.far, control-face
			}
			return at + control%f.across*f.step + control/f.across*f.rowStep
		}
		control -= 2 * face
	}
	return 0 // there are no more
}

type elements struct {
	unweighted
	box
	dof uint64
	m   uint64
}

// newElements returns the graph of a stiffness matrix: finite elements on a lattice of w by h by d nodes, with dof
// unknowns a node. A vertex is an unknown; it is joined to all others of its node and of the node's up to 26
// neighbors, which makes dense blocks. Node i has the vertices i*dof to (i+1)*dof-1.
//
// Sides are at least 1, dof is from 1 to 32, and there are at least 2 vertices. Errors are errSize and errParameter.
func newElements(w, h, d, dof uint64) (Generator, error) {
	b, nodes, err := newBox("finite elements", w, h, d)
	if err != nil {
		return nil, err
	}
	if dof < 1 || dof > 32 {
		return nil, fmt.Errorf("%w: finite elements with %d unknowns a node; there are 1 to 32", errParameter, dof)
	}
	if nodes > maxVertices/dof {
		return nil, fmt.Errorf("%w: finite elements of %s nodes with %d vertices each; a graph has at most %d", errSize, times([]uint64{w, h, d}), dof, maxVertices)
	}
	if err := checkVertices("finite elements", nodes*dof, 2); err != nil {
		return nil, err
	}
	return &elements{box: b, dof: dof, m: nodes*(dof*(dof-1)/2) + (b.pairs()-nodes)/2*dof*dof}, nil
}

func (g *elements) Name() string {
	s := specWriter{name: "fem"}
	s.addBare(times([]uint64{g.w, g.h, g.d}))
	s.addUnless("dof", g.dof, defaultDOF)
	return s.String()
}

// defaultDOF: displacements have three coordinates.
const defaultDOF = 3

// nodesPerBlock: a node is joined to 13 later ones at most.
func (g *elements) nodesPerBlock() uint64 {
	return BlockEdges / (g.dof*(g.dof-1)/2 + stencilPoints/2*g.dof*g.dof)
}

// ending is how many nodes have edges to themselves or later ones: the last node has none if it is a single vertex.
func (g *elements) ending() uint64 {
	if g.dof == 1 {
		return g.cells() - 1
	}
	return g.cells()
}

func (g *elements) NumVertices() uint64 { return g.cells() * g.dof }
func (g *elements) NumEdges() uint64    { return g.m }
func (g *elements) Blocks() int         { return int((g.ending() + g.nodesPerBlock() - 1) / g.nodesPerBlock()) }

func (g *elements) Block(i int, src, dst []uint32) int {
	n := 0
	first := uint64(i) * g.nodesPerBlock()
	for c := first; c < min(first+g.nodesPerBlock(), g.ending()); c++ {
		g.around(c, func(neighbor uint64) {
			if neighbor < c {
				return
			}
			for a := range g.dof {
				b := uint64(0)
				if neighbor == c {
					b = a + 1
				}
				for ; b < g.dof; b++ {
					src[n], dst[n] = uint32(c*g.dof+a), uint32(neighbor*g.dof+b)
					n++
				}
			}
		})
	}
	return n
}
