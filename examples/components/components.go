// Package components is a custom traversal: the connected components of an
// undirected graph by label propagation.
package components

import (
	"context"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// Lower lowers the label of an edge's target to that of its source.
//
//foray:functor
type Lower struct {
	Label []uint32 // of every vertex
}

// Edge lets the target through if its label got smaller.
func (l *Lower) Edge(e traverse.Edge) bool {
	mine := l.Label[e.Source]
	return mine < atomics.Min(&l.Label[e.Target], mine)
}

// Algorithm finds, for every vertex, the smallest number of a vertex in its component.
func Algorithm() traverse.Algorithm[struct{}, *traverse.Values[uint32]] {
	return traverse.Algorithm[struct{}, *traverse.Values[uint32]]{
		Name: "components", Memory: traverse.Memory{Arrays: []int{4}},
		Run: func(t *traverse.Traversal, _ struct{}) (*traverse.Values[uint32], error) {
			label := traverse.VertexIDs(t)
			t.Repeat(t.All(), advance.Push(NewLower(label)), filter.Unique())
			return traverse.Result(t, label)
		},
	}
}

// Run runs it once; a traverse.Searcher or Pool runs it again and again.
func Run(ctx context.Context, p *graph.Placed, o traverse.Options) (*traverse.Values[uint32], error) {
	return traverse.Run(ctx, p, Algorithm(), struct{}{}, o)
}
