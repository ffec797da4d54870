// Package pagerank is a custom traversal: PageRank, as the GAP Benchmark Suite defines it.
package pagerank

import (
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// Receive adds up the shares of a vertex's in-neighbors.
//
//foray:functor
type Receive struct{ Share, Sum []float32 }

func (r *Receive) Gather(e traverse.Edge) float32         { return r.Share[e.Source] }
func (r *Receive) Apply(v traverse.Vertex, total float32) { r.Sum[v.ID] = total }

// Update makes a vertex's rank of its sum, and returns by how much the rank changed.
//
//foray:functor
type Update struct {
	Sum, Rank, Share []float32
	Degree           []uint32
	Damping, Base    float32
}

func (u *Update) Vertex(v traverse.Vertex) float64 {
	was, now := u.Rank[v.ID], u.Base+u.Damping*u.Sum[v.ID]
	u.Rank[v.ID], u.Share[v.ID] = now, now/float32(max(u.Degree[v.ID], 1))
	return math.Abs(float64(now - was))
}

// Ranks finds the ranks, after so many rounds or once they change by less than epsilon in sum.
func Ranks(t *traverse.Traversal, damping float32, rounds int, epsilon float64) *device.Buffer[float32] {
	sum, rank, share := traverse.Array[float32](t, 0), traverse.Array[float32](t, 0), traverse.Array[float32](t, 0)
	change, update := traverse.Scalar[float64](t, operators.Sum), NewUpdate(sum, rank, share, traverse.Degrees(t), damping, (1-damping)/float32(rank.Len()))
	t.Repeat(t.All(), reduce.In(NewReceive(share, sum), nil), foreach.All(update, change), traverse.Below(change, epsilon), traverse.MaxRounds(rounds))
	return rank
}
