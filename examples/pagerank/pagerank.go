// Package pagerank is a custom traversal: PageRank by gathering along in-edges, as
// the GAP Benchmark Suite defines it.
package pagerank

import (
	"context"
	"math"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// Receive adds up what the in-neighbours of a vertex share out.
//
//foray:functor
type Receive struct{ Share, Sum []float32 }

// Gather is what comes along an edge, Apply takes the sum.
func (r *Receive) Gather(e traverse.Edge) float32         { return r.Share[e.Source] }
func (r *Receive) Apply(v traverse.Vertex, total float32) { r.Sum[v.ID] = total }

// Update makes a vertex's rank of the sum that it received.
//
//foray:functor
type Update struct {
	Sum, Rank, Share []float32
	Degree           []uint32
	Damping, Base    float32
}

// Vertex returns by how much the rank changed.
func (u *Update) Vertex(v traverse.Vertex) float64 {
	now := u.Base + u.Damping*u.Sum[v.ID]
	change := math.Abs(float64(now - u.Rank[v.ID]))
	u.Rank[v.ID], u.Share[v.ID] = now, now/float32(max(u.Degree[v.ID], 1))
	return change
}

// Run returns the ranks, after so many rounds or once they change by less than epsilon in sum.
func Run(ctx context.Context, p *graph.Placed, damping float32, rounds int, epsilon float64, o traverse.Options) (*traverse.Values[float32], error) {
	t := traverse.New(ctx, p, o)
	defer t.Close()
	sum, rank, share := traverse.Array[float32](t, 0), traverse.Array[float32](t, 0), traverse.Array[float32](t, 0)
	change, base := traverse.Scalar[float64](t, operators.Sum), (1-damping)/float32(p.NumVertices())
	t.Repeat(t.All(), reduce.In(NewReceive(share, sum), nil),
		foreach.All(NewUpdate(sum, rank, share, traverse.Degrees(t), damping, base), change),
		traverse.Below(change, epsilon), traverse.AtMost(rounds))
	return traverse.Result(t, rank)
}
