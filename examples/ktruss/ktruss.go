// Package ktruss finds the k-truss of an undirected graph: the largest part in which every edge is in k-2 triangles or more
// (Cohen 2008).
package ktruss

import (
	"context"
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run github.com/foray-graph/foray/cmd/generate

const remains = math.MaxUint32 // the trussness of edges that are still there

// Support counts the triangles of every edge that remains.
//
//foray:functor
type Support struct{ Truss, Support []uint32 } // of every edge

// Edge leaves out edges that are gone.
func (f *Support) Edge(e traverse.Edge) bool { return f.Truss[e.Index] == remains }

// Common counts a triangle at its three edges.
func (f *Support) Common(c traverse.Corner) {
	atomics.Add(&f.Support[c.AB], 1)
	atomics.Add(&f.Support[c.AC], 1)
	atomics.Add(&f.Support[c.BC], 1)
}

// Peel takes edges away that are in fewer than K-2 triangles.
//
//foray:functor
type Peel struct {
	Truss, Support []uint32 // of every edge
	K              []uint32 // one element
	Least          uint32   // k
	Peeled, Left   traverse.Sum[uint64]
}

// Edge looks at an edge from its smaller end.
func (f *Peel) Edge(e traverse.Edge) {
	if e.Source > e.Target || f.Truss[e.Index] != remains {
		return
	}
	f.Left.Add(1)
	if f.Support[e.Index]+2 < f.K[0] {
		f.Peeled.Add(1)
		f.Truss[e.Index] = 0
		if f.K[0] > f.Least {
			f.Truss[e.Index] = f.K[0] - 1
		}
	}
	f.Support[e.Index] = 0
}

// Next raises K once nothing was taken away.
//
//foray:functor
type Next struct {
	K      []uint32
	Peeled []uint64
}

// Vertex does so once.
func (f *Next) Vertex(v traverse.Vertex) {
	if v.ID == 0 && f.Peeled[0] == 0 {
		f.K[0]++
	}
}

// Trussness returns the trussness of every edge, the largest k of a k-truss that has it, or 0 if that is less than least,
// which is 3 or more. It is at the edge from the smaller to the larger vertex.
func Trussness(t *traverse.Traversal, least uint32) *device.Buffer[uint32] {
	truss, support, k := traverse.EdgeArray(t, uint32(remains)), traverse.EdgeArray(t, uint32(0)), traverse.ArrayN(t, 1, least)
	peeled, left := traverse.Scalar[uint64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Sum)
	t.Repeat(t.All(), intersect.Triangles(NewSupport(truss, support)), advance.VisitAll(NewPeel(truss, support, k, least, peeled, left)),
		foreach.All(NewNext(k, peeled.Array()), nil), traverse.Below(left, 1))
	return truss
}

// Write writes the edges of the k-truss, with the columns src, dst and trussness.
func Write(ctx context.Context, t *traverse.Traversal, k uint32, path string) error {
	truss, err := traverse.EdgeResult(t, Trussness(t, k))
	if err != nil {
		return err
	}
	defer truss.Close()
	columns := []arrow.Column{arrow.ValuesColumn("trussness", truss, 0)} // 0 is missing, and left out
	return arrow.WriteEdges(ctx, path, truss.Graph(), arrow.WriteOptions{EdgeColumns: columns, ReachedOnly: true})
}
