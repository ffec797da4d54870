// Package louvain is a custom traversal: the first phase of Louvain's method (Blondel et al., 2008), with weights.
package louvain

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// Move finds the community that a vertex gains most by, in units of 1/1024 of a weight: integers add up alike in any order.
//
//foray:functor
type Move struct {
	Community, Next []uint32
	Degree, Total   []int64 // the weight of a vertex's edges, and of a community's vertices
	All             float64
}

func (f *Move) Key(e traverse.Edge) uint32 {
	if e.Source == e.Target {
		return reduce.NoKey
	}
	return f.Community[e.Target]
}
func (f *Move) Gather(e traverse.Edge) int64 { return int64(e.Weight * 1024) }
func (f *Move) Score(v traverse.Vertex, key uint32, links int64) float64 {
	if key == f.Community[v.ID] { // half a unit more: a move gains something
		return float64(links) + .5 - float64(f.Degree[v.ID])*float64(f.Total[key]-f.Degree[v.ID])/f.All
	}
	return float64(links) - float64(f.Degree[v.ID])*float64(f.Total[key])/f.All
}

// Apply moves up in odd rounds and down in even ones, so that two vertices never swap. It returns 1 for a vertex that gains.
func (f *Move) Apply(v traverse.Vertex, key uint32, score float64) (gains uint64) {
	if own := f.Community[v.ID]; key != own && score > f.Score(v, own, 0) {
		gains = 1
		if (key > own) == (v.Level%2 == 1) {
			f.Next[v.ID] = key
		}
	}
	return gains
}

// Take carries the moves out, and weighs vertices and communities.
//
//foray:functor
type Take struct {
	Community, Next []uint32
	Degree, Total   []int64
}

func (f *Take) Gather(e traverse.Edge) int64 { return int64(e.Weight * 1024) }
func (f *Take) Apply(v traverse.Vertex, degree int64) int64 {
	atomics.Add(&f.Total[f.Community[v.ID]], -f.Degree[v.ID])
	atomics.Add(&f.Total[f.Next[v.ID]], degree)
	f.Community[v.ID], f.Degree[v.ID] = f.Next[v.ID], degree
	return degree
}

// Phase returns each vertex's community, after so many rounds or once no vertex gains by a move.
func Phase(t *traverse.Traversal, rounds int) *device.Buffer[uint32] {
	community, next, degree, total := traverse.VertexIDs(t), traverse.VertexIDs(t), traverse.Array[int64](t, 0), traverse.Array[int64](t, 0)
	all, moves := traverse.Scalar[int64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Sum)
	take := reduce.Out(NewTake(community, next, degree, total), all)
	t.Do(t.All(), take)
	move := NewMove(community, next, degree, total, float64(traverse.Get(t, all)))
	t.Repeat(t.All(), reduce.OutByKey(move, moves), take, traverse.Below(moves, 1), traverse.MaxRounds(rounds))
	return community
}
