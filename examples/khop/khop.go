// Package khop is a custom traversal: the vertices within so many hops over edges
// that aren't too heavy.
package khop

import (
	"context"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// Hop crosses edges that weigh no more than Most, to vertices that weren't reached.
//
//foray:functor
type Hop struct {
	Depth []int32 // of every vertex, -1 where not reached
	Most  float32
}

// Edge lets the target through if it is reached now.
//
//foray:unique
func (h *Hop) Edge(e traverse.Edge) bool {
	return e.Weight <= h.Most && atomics.Load(&h.Depth[e.Target]) < 0 && atomics.CompareAndSwap(&h.Depth[e.Target], -1, e.Level)
}

// Run returns the hops from the source, over edges that weigh no more than most, to every
// vertex within hops; -1 for the others.
func Run(ctx context.Context, p *graph.Placed, source uint32, hops int, most float32, o traverse.Options) (*traverse.Values[int32], error) {
	t := traverse.New(ctx, p, o)
	defer t.Close()
	depth := traverse.Array[int32](t, -1)
	traverse.Set(t, depth, source, 0)
	t.Repeat(t.From(source), advance.Push(NewHop(depth, most)), traverse.MaxRounds(hops))
	return traverse.Result(t, depth)
}
