// This file holds the functors.

package lpa

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// take takes over the labels that were found.
//
//foray:functor
type take struct{ Label, Next []uint32 }

func (f *take) Vertex(v traverse.Vertex) { f.Label[v.ID] = f.Next[v.ID] }

// mark marks the labels that vertices have.
//
//foray:functor
type mark struct{ Label, Used []uint32 }

func (f *mark) Vertex(v traverse.Vertex) { atomics.Store(&f.Used[f.Label[v.ID]], 1) }

// name counts the labels that were marked, and makes labels, ranks of ids, vertices.
//
//foray:functor
type name struct{ Label, Used, Vertices []uint32 }

func (f *name) Vertex(v traverse.Vertex) uint64 {
	f.Label[v.ID] = f.Vertices[f.Label[v.ID]]
	return uint64(f.Used[v.ID])
}
