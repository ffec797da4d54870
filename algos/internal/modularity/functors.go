// This file holds the functors: the same decisions as on the host, bit for bit.

package modularity

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../../cmd/generate

// Weights of edges are W[e.Index&Mask]: Mask is 0 if each edge weighs 1, which W[0] then is.

// worth is what a community of a total is worth to a vertex, or to a part, as scale.gain.
func worth(links, degree, in, total, totalIn int64, expect float64, directed uint32) float64 {
	if directed == 0 {
		return float64(links) - float64(degree)*float64(total)*expect
	}
	return float64(links) - (float64(degree)*float64(totalIn)+float64(in)*float64(total))*expect
}

// first sets what a level begins with.
//
//foray:functor
type first struct{ Active, Joined []uint32 }

func (f *first) Vertex(v traverse.Vertex) { f.Active[v.ID], f.Joined[v.ID] = 0, 0 }

// widen takes over weights, which are integers.
//
//foray:functor
type widen struct{ W []int64 }

func (f *widen) Edge(e traverse.Edge) { f.W[e.Index] = int64(e.Weight) }

// turn keeps the vertices of a part that have to decide.
//
//foray:functor
type turn struct {
	Rank, Active []uint32
	Degree       []uint32 // neighbors
	Seed         uint64
	Parts, Part  uint32
	All          uint32 // not 0: all have to
}

func (f *turn) Vertex(v traverse.Vertex) bool {
	if f.All == 0 && !due(f.Active[v.ID], f.Degree[v.ID]) || part(f.Seed, f.Parts, f.Rank[v.ID]) != f.Part {
		return false
	}
	f.Active[v.ID] = 0
	return true
}

// move finds the community by which the modularity rises most.
//
//foray:functor
type move struct {
	Label, Next, Size          []uint32
	Degree, In, Total, TotalIn []int64
	W                          []int64
	Mask                       uint64
	Expect, Slack              float64
	Seed                       uint64
	Parts, Part, Directed      uint32
}

func (f *move) Key(e traverse.Edge) uint32 {
	if e.Source == e.Target || f.W[e.Index&f.Mask] == 0 {
		return reduce.NoKey
	}
	return f.Label[e.Target]
}

func (f *move) Gather(e traverse.Edge) int64 { return f.W[e.Index&f.Mask] }

func (f *move) Score(v traverse.Vertex, key uint32, links int64) float64 {
	degree, in, total, totalIn := f.Degree[v.ID], f.In[v.ID], f.Total[key], f.TotalIn[key]
	if key != f.Label[v.ID] {
		return worth(links, degree, in, total, totalIn, f.Expect, f.Directed)
	}
	return worth(links, degree, in, total-degree, totalIn-in, f.Expect, f.Directed) + f.Slack
}

func (f *move) Apply(v traverse.Vertex, key uint32, score float64) {
	own := f.Label[v.ID]
	f.Next[v.ID] = own
	if key == reduce.NoKey || key == own || score <= f.Score(v, own, 0) {
		return
	}
	if key > own && f.Size[own] == 1 && f.Size[key] == 1 && part(f.Seed, f.Parts, key) == f.Part {
		return // the other one may come to this one
	}
	f.Next[v.ID] = key
}

// settle moves vertices, and keeps those that moved. Next has their old labels then.
//
//foray:functor
type settle struct {
	Label, Next, Size []uint32
	Degree, Total     []int64
}

func (f *settle) Vertex(v traverse.Vertex) bool {
	from, to := f.Label[v.ID], f.Next[v.ID]
	if from == to {
		return false
	}
	atomics.Add(&f.Total[from], -f.Degree[v.ID])
	atomics.Add(&f.Total[to], f.Degree[v.ID])
	atomics.Add(&f.Size[from], math.MaxUint32)
	atomics.Add(&f.Size[to], 1)
	f.Label[v.ID], f.Next[v.ID] = to, from
	return true
}

// shift moves the weight of in-edges of vertices from old labels to new ones.
//
//foray:functor
type shift struct {
	From, To []uint32
	In       []int64
	Total    []int64
}

func (f *shift) Vertex(v traverse.Vertex) {
	atomics.Add(&f.Total[f.From[v.ID]], -f.In[v.ID])
	atomics.Add(&f.Total[f.To[v.ID]], f.In[v.ID])
}

// wake counts the vertices that moved at their neighbors outside of their new communities.
//
//foray:functor
type wake struct{ Label, Active []uint32 }

func (f *wake) Edge(e traverse.Edge) {
	if f.Label[e.Target] != f.Label[e.Source] {
		atomics.Add(&f.Active[e.Target], 1)
	}
}

// between adds up the weight of entries between communities.
//
//foray:functor
type between struct {
	Label []uint32
	W     []int64
	Mask  uint64
}

func (f *between) Gather(e traverse.Edge) int64 {
	if f.Label[e.Source] == f.Label[e.Target] {
		return 0
	}
	return f.W[e.Index&f.Mask]
}

func (f *between) Apply(v traverse.Vertex, total int64) int64 { return total }

// inside finds the weight of a vertex's edges to others of its community.
//
//foray:functor
type inside struct {
	Label, Rank []uint32
	Links       []int64 // by rank
	W           []int64
	Mask        uint64
}

func (f *inside) Gather(e traverse.Edge) int64 {
	if e.Source == e.Target || f.Label[e.Source] != f.Label[e.Target] {
		return 0
	}
	return f.W[e.Index&f.Mask]
}

func (f *inside) Apply(v traverse.Vertex, total int64) { f.Links[f.Rank[v.ID]] = total }

// alone keeps the vertices of a group that are alone, and well connected to the rest of their community.
//
//foray:functor
type alone struct {
	Label, Joined, Size, Rank []uint32 // Joined: the part of each vertex
	Links                     []int64
	Total, TotalIn            []int64 // of communities
	Inside, InsideIn          []int64 // of parts
	Expect                    float64
	Seed                      uint64
	Parts, Part, Directed     uint32
}

func (f *alone) Vertex(v traverse.Vertex) bool {
	rank := f.Rank[v.ID]
	if f.Joined[v.ID] != rank || f.Size[rank] != 1 || part(f.Seed, f.Parts, rank) != f.Part || f.Links[rank] == 0 {
		return false
	}
	c := f.Label[v.ID]
	own, in := f.Inside[rank], f.InsideIn[rank]
	return worth(f.Links[rank], own, in, f.Total[c]-own, f.TotalIn[c]-in, f.Expect, f.Directed) >= 0
}

// choose draws the part that a vertex joins.
//
//foray:functor
type choose struct {
	Label, Joined, Size, Rank, Next []uint32
	Degree, In, Links               []int64
	Total, TotalIn                  []int64 // of communities
	Inside, InsideIn                []int64 // of parts
	W                               []int64
	Mask                            uint64
	Expect, Noise                   float64
	Seed                            uint64
	Parts, Part, Directed           uint32
}

func (f *choose) Key(e traverse.Edge) uint32 {
	if e.Source == e.Target || f.Label[e.Source] != f.Label[e.Target] || f.W[e.Index&f.Mask] == 0 {
		return reduce.NoKey
	}
	return f.Joined[e.Target]
}

func (f *choose) Gather(e traverse.Edge) int64 { return f.W[e.Index&f.Mask] }

func (f *choose) Score(v traverse.Vertex, key uint32, links int64) float64 {
	if f.Size[key] == 1 && part(f.Seed, f.Parts, key) == f.Part {
		return math.NaN() // it may leave
	}
	own, in := f.Inside[key], f.InsideIn[key]
	gain := worth(links, f.Degree[v.ID], f.In[v.ID], own, in, f.Expect, f.Directed)
	c := f.Label[v.ID]
	if !(gain >= 0) || !(worth(f.Links[key], own, in, f.Total[c]-own, f.TotalIn[c]-in, f.Expect, f.Directed) >= 0) {
		return math.NaN()
	}
	return gain + f.Noise*gumbel(f.Seed, f.Rank[v.ID], key)
}

func (f *choose) Apply(v traverse.Vertex, key uint32, score float64) { f.Next[v.ID] = key }

// join merges vertices with parts, and keeps those that merged. Next has the labels that they had.
//
//foray:functor
type join struct {
	Joined, Next, Size, Turn []uint32
	Degree, Inside           []int64
	Now                      uint32
}

func (f *join) Vertex(v traverse.Vertex) bool {
	from, to := f.Joined[v.ID], f.Next[v.ID]
	if to == reduce.NoKey {
		return false
	}
	atomics.Add(&f.Inside[from], -f.Degree[v.ID])
	atomics.Add(&f.Inside[to], f.Degree[v.ID])
	atomics.Add(&f.Size[from], math.MaxUint32)
	atomics.Add(&f.Size[to], 1)
	f.Joined[v.ID], f.Next[v.ID], f.Turn[v.ID] = to, from, f.Now
	return true
}

// relink brings the links of parts up to date.
//
//foray:functor
type relink struct {
	Label, Joined, Turn []uint32
	Links               []int64
	W                   []int64
	Mask                uint64
	Now                 uint32
}

func (f *relink) Gather(e traverse.Edge) int64 {
	if e.Source == e.Target || f.Label[e.Source] != f.Label[e.Target] {
		return 0
	}
	w := f.W[e.Index&f.Mask]
	if f.Joined[e.Source] != f.Joined[e.Target] {
		return w
	}
	if f.Turn[e.Target] != f.Now {
		return -w
	}
	return 0
}

func (f *relink) Apply(v traverse.Vertex, total int64) { atomics.Add(&f.Links[f.Joined[v.ID]], total) }
