// Package ktruss finds the k-truss of an undirected graph: the largest part in which every edge is in k-2 triangles or more
// (Cohen 2008).
package ktruss

import (
	"context"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run github.com/foray-graph/foray/cmd/generate

// Support counts the triangles of every edge that remains.
//
//foray:functor
type Support struct{ Truss, Support []uint32 } // of every edge; a Truss of 0: it remains

// Edge leaves out edges that are gone.
func (f *Support) Edge(e traverse.Edge) bool { return f.Truss[e.Index] == 0 }

// Common counts a triangle at its three edges.
func (f *Support) Common(c traverse.Corner) {
	atomics.Add(&f.Support[c.AB], 1)
	atomics.Add(&f.Support[c.AC], 1)
	atomics.Add(&f.Support[c.BC], 1)
}

// Peel takes edges away that are in K-2 triangles or fewer. K rises to Before, the least number of the round before, in
// which no edge was taken away if that is more than K.
//
//foray:functor
type Peel struct {
	Truss, Support []uint32
	K, Before      []uint64 // one element
	Least          traverse.Min[uint64]
}

// Edge looks at an edge from its larger end.
func (f *Peel) Edge(e traverse.Edge) {
	if e.Source >= e.Target && f.Truss[e.Index] == 0 {
		k, most := max(f.Before[0], atomics.Max(&f.K[0], f.Before[0])), uint64(f.Support[e.Index]+2)
		f.Least.Add(most)
		if most <= k {
			f.Truss[e.Index] = uint32(k)
		}
		f.Support[e.Index] = 0
	}
}

// Write writes the edges of the k-truss with the columns src, dst and trussness: the largest k for which an edge is in the
// k-truss. k is 2 or more.
func Write(ctx context.Context, t *traverse.Traversal, k uint32, path string) error {
	truss, support := traverse.EdgeArray[uint32](t, 0), traverse.EdgeArray[uint32](t, 0)
	least := traverse.Scalar[uint64](t, operators.Min)
	peel := NewPeel(truss, support, traverse.ArrayN(t, 1, uint64(k-1)), least.Array(), least)
	t.Repeat(t.All(), intersect.Triangles(NewSupport(truss, support)), advance.VisitAll(peel), traverse.Above(least, 1<<40)) // none is left
	result, err := traverse.EdgeResult(t, truss)
	if err != nil {
		return err
	}
	defer result.Close()
	columns := []arrow.Column{arrow.ValuesColumn("trussness", result, k-1)} // edges that aren't in the k-truss have k-1
	return arrow.WriteEdges(ctx, path, result.Graph(), arrow.WriteOptions{EdgeColumns: columns, ReachedOnly: true})
}
