// This file holds the generators whose edges a GPU makes.

package gen

import (
	"math"

	"github.com/foray-graph/foray/internal/engine/placed"
)

// Maker returns what a GPU needs to know of the generator without weights, and adds the weights; nil if a GPU doesn't make
// its edges.
func (w *weightedEdges) Maker() *placed.Maker {
	m := placed.MakerOf(w.Generator)
	if m == nil {
		return nil
	}
	m.Key, m.Low, m.High = w.key, w.o.Min, w.o.Max
	if w.o.Integers {
		m.Width = w.o.width()
	}
	if m.High == 0 && math.Signbit(m.High) { // the lesser of two zeros is another there
		return nil
	}
	return m
}

// Maker returns what a GPU needs to know of the generator.
func (g *rmat) Maker() *placed.Maker {
	m := placed.Maker{Edges: g.NumEdges(), Vertices: g.NumVertices(), Kind: placed.RMAT, Start: uint64(newStream(g.seed, keyRMAT, 0)), Scale: g.scale, Full: g.full.columns[:],
		Mul: g.perm.mul, Add: g.perm.add, Mask: g.perm.mask, Shift: g.perm.shift}
	if g.rest != nil {
		m.Rest = g.rest.columns[:1<<(2*(g.scale%rmatLevels))]
	}
	return &m
}

// Maker returns what a GPU needs to know of the generator.
func (g *uniform) Maker() *placed.Maker {
	return &placed.Maker{Edges: g.NumEdges(), Vertices: g.NumVertices(), Kind: placed.Uniform, Start: uint64(newStream(g.seed, keyUniform, 0))}
}

// Maker returns what a GPU needs to know of the generator.
func (g *lattice) Maker() *placed.Maker {
	return &placed.Maker{Edges: g.NumEdges(), Vertices: g.NumVertices(), Kind: placed.Lattice, Dims: g.dims, Sides: [3]uint64{g.w, g.h, g.d}, Plane: g.plane(0), Torus: g.torus}
}
