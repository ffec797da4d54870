// Package closetriangles counts triangles whose three edges are close in time.
package closetriangles

import (
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run github.com/foray-graph/foray/cmd/generate

// Near counts triangles.
//
//foray:functor
type Near struct {
	Time   []int64 // of every edge
	Window int64
	Count  traverse.Sum[uint64]
}

// Common counts the triangle if its edges are within the window.
func (f *Near) Common(c traverse.Corner) {
	ab, ac, bc := f.Time[c.AB], f.Time[c.AC], f.Time[c.BC]
	if max(ab, ac, bc)-min(ab, ac, bc) <= f.Window {
		f.Count.Add(1)
	}
}

// Count returns the number of triangles whose edges are within the window, in the unit of the column time.
func Count(t *traverse.Traversal, window int64) uint64 {
	count := traverse.Scalar[uint64](t, operators.Sum)
	t.Do(t.All(), intersect.Triangles(NewNear(traverse.EdgeColumn[int64](t, "time"), window, count)))
	return traverse.Get(t, count)
}
