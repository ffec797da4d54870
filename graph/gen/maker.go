// This file holds the generators whose edges a GPU makes.

package gen

import (
	"math"

	"github.com/foray-graph/foray/internal/engine/placed"
)

func init() {
	placed.MakerOf = func(g any) *placed.Maker {
		if g, ok := g.(Generator); ok {
			return makerOf(g)
		}
		return nil
	}
}

// makerOf returns what a GPU needs to know of a generator; nil of one whose edges it doesn't make.
func makerOf(g Generator) *placed.Maker {
	w, weighted := g.(*weightedEdges)
	if weighted {
		g = w.Generator
	}
	of, ok := g.(interface{ maker() placed.Maker })
	if !ok {
		return nil
	}
	m := of.maker()
	m.Edges, m.Vertices = g.NumEdges(), g.NumVertices()
	if weighted {
		m.Key, m.Low, m.High = w.key, w.o.Min, w.o.Max
		if w.o.Integers {
			m.Width = w.o.width()
		}
		if m.High == 0 && math.Signbit(m.High) { // the lesser of two zeros is another there
			return nil
		}
	}
	return &m
}

func (g *rmat) maker() placed.Maker {
	m := placed.Maker{Kind: placed.RMAT, Start: uint64(newStream(g.seed, keyRMAT, 0)), Scale: g.scale, Full: g.full.columns[:],
		Mul: g.perm.mul, Add: g.perm.add, Mask: g.perm.mask, Shift: g.perm.shift}
	if g.rest != nil {
		m.Rest = g.rest.columns[:1<<(2*(g.scale%rmatLevels))]
	}
	return m
}

func (g *uniform) maker() placed.Maker {
	return placed.Maker{Kind: placed.Uniform, Start: uint64(newStream(g.seed, keyUniform, 0))}
}

func (g *lattice) maker() placed.Maker {
	return placed.Maker{Kind: placed.Lattice, Dims: g.dims, Sides: [3]uint64{g.w, g.h, g.d}, Plane: g.plane(0), Torus: g.torus}
}
