// Package typedpath finds the ends of paths with any number of edges of one kind, then one edge of another kind, such as
// what is liked by those that a user follows, directly or through others.
package typedpath

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run github.com/foray-graph/foray/cmd/generate

// Follow goes along edges of one kind, and marks the targets of edges of another kind.
//
//foray:functor
type Follow struct {
	Kind        []uint32 // of every edge
	Along, Last uint32
	Found       []uint32 // of every vertex; 1: it is at the end of a path
}

// Edge goes along the edge or marks its target.
func (f *Follow) Edge(e traverse.Edge) bool {
	if f.Kind[e.Index] == f.Last {
		atomics.Or(&f.Found[e.Target], 1)
	}
	return f.Kind[e.Index] == f.Along
}

// Ends returns 1 for each vertex at the end of a path of edges of the kind along, any number of them, and one edge of
// the kind last. Codes of kinds come from graph.Graph.Code.
func Ends(t *traverse.Traversal, source, along, last uint32) *device.Buffer[uint32] {
	found := traverse.Array[uint32](t, 0)
	follow := NewFollow(traverse.EdgeColumn[uint32](t, "kind"), along, last, found)
	t.Repeat(t.From(source), advance.Push(follow), filter.Unvisited(t.Bits(source)))
	return found
}
