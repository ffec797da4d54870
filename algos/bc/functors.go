// This file holds what happens at an edge and at a vertex while path counts fit a float64.

package bc

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// The arrays Even and Odd of a functor's constructor hold the levels of even and odd depth.
// A step reads the one and writes the other: edges within a level see zeros.

// levelMark is what Mark has for the vertices that a level found; never 0.
func levelMark(level int32) uint32 { return uint32(level) | 1<<31 }

// begin makes a vertex the source.
//
//foray:functor
type begin struct {
	Mark       []uint32
	Count      []float64 // of even levels
	Back, Next []float64
}

// Vertex has one path to it, of no edges.
func (f *begin) Vertex(v traverse.Vertex) {
	f.Mark[v.ID], f.Count[v.ID] = levelMark(v.Level), 1
	f.Back[v.ID], f.Next[v.ID] = 0, 0
}

// discover finds the vertices of the next level.
//
//foray:functor
type discover struct {
	Mark []uint32 // of every vertex: 0, or when it was found
}

// Edge lets targets through that weren't found before.
//
//foray:unique
func (f *discover) Edge(e traverse.Edge) bool {
	return atomics.Load(&f.Mark[e.Target]) == 0 && atomics.CompareAndSwap(&f.Mark[e.Target], 0, levelMark(e.Level))
}

// reach is discover, and counts the shortest paths to the vertices of the next level as well. While
// counts are whole numbers below 2^53 their sums are exact, so that the order doesn't count.
//
//foray:functor
type reach struct {
	Mark      []uint32
	Up, Count []float64 // of this level, and of the next one
}

// Edge adds the paths that lead over it, and lets targets through that weren't found before.
//
//foray:unique
func (f *reach) Edge(e traverse.Edge) bool {
	now := levelMark(e.Level)
	mark, found := atomics.Load(&f.Mark[e.Target]), false
	switch {
	case mark == 0: // by another edge meanwhile, if not by this one
		found = atomics.CompareAndSwap(&f.Mark[e.Target], 0, now)
	case mark != now:
		return false
	}
	atomics.Add(&f.Count[e.Target], f.Up[e.Source])
	return found
}

// flood is reach where a level has so many vertices that they are found by their marks: nobody has to
// know which edge was the first.
//
//foray:functor
type flood struct {
	Mark      []uint32
	Up, Count []float64 // of this level, and of the next one
}

// Edge marks the target if it wasn't found before, and adds the paths that lead over the edge.
func (f *flood) Edge(e traverse.Edge) {
	now := levelMark(e.Level)
	mark := atomics.Load(&f.Mark[e.Target])
	if mark == 0 {
		atomics.Store(&f.Mark[e.Target], now)
	} else if mark != now {
		return
	}
	atomics.Add(&f.Count[e.Target], f.Up[e.Source])
}

// settle readies the vertices that reach found for the way back, and counts their out-edges.
//
//foray:functor
type settle struct {
	Back, Next []float64
	Degree     []uint32
}

// Vertex returns the out-degree.
func (f *settle) Vertex(v traverse.Vertex) uint64 {
	f.Back[v.ID], f.Next[v.ID] = 0, 0
	return uint64(f.Degree[v.ID])
}

// paths counts the shortest paths to the vertices of a level: the sum over their in-neighbors one
// level up. Others have counts of 0 in that array.
//
//foray:functor
type paths struct {
	Up, Count  []float64 // of the level above, and of this one
	Back, Next []float64 // what the way back adds up, both 0 at first
	Degree     []uint32
}

// Gather returns the in-neighbor's count.
func (f *paths) Gather(e traverse.Edge) float64 { return f.Up[e.Source] }

// Apply keeps the sum, and returns the out-degree.
func (f *paths) Apply(v traverse.Vertex, total float64) uint64 {
	f.Count[v.ID] = total
	f.Back[v.ID], f.Next[v.ID] = 0, 0
	return uint64(f.Degree[v.ID])
}

// meet is discover and paths at once, at vertices that weren't found yet: a sum that isn't 0 finds
// one.
//
//foray:functor
type meet struct {
	Mark       []uint32
	Up, Count  []float64
	Back, Next []float64
	Degree     []uint32
}

// Gather returns the in-neighbor's count.
func (f *meet) Gather(e traverse.Edge) float64 { return f.Up[e.Source] }

// Apply finds the vertex, and returns its out-degree.
func (f *meet) Apply(v traverse.Vertex, total float64) uint64 {
	if total == 0 {
		return 0
	}
	f.Mark[v.ID] = levelMark(v.Level)
	f.Count[v.ID] = total
	f.Back[v.ID], f.Next[v.ID] = 0, 0
	return uint64(f.Degree[v.ID])
}

// unmet keeps the vertices that weren't found yet.
//
//foray:functor
type unmet struct {
	Mark []uint32
}

// Vertex looks at the mark.
func (f *unmet) Vertex(v traverse.Vertex) bool { return f.Mark[v.ID] == 0 }

// met keeps the vertices that this level found.
//
//foray:functor
type met struct {
	Mark []uint32
}

// Vertex compares the mark.
func (f *met) Vertex(v traverse.Vertex) bool { return f.Mark[v.ID] == levelMark(v.Level) }

// last begins the way back at the last level, on whose vertices nothing depends, and ends it at
// the source.
//
//foray:functor
type last struct {
	Mark  []uint32
	Count []float64
	Share []float64 // what a path to the vertex brings to those before it
}

// Vertex shares 1 among the paths.
func (f *last) Vertex(v traverse.Vertex) {
	f.Share[v.ID] = 1 / f.Count[v.ID]
	f.Count[v.ID], f.Mark[v.ID] = 0, 0 // for the next source
}

// above keeps the vertices of a level that have an edge to the one below.
//
//foray:functor
type above struct {
	Mark []uint32
	Want uint32 // that of the level
}

// Edge looks at the mark of a target.
func (f *above) Edge(e traverse.Edge) bool { return f.Mark[e.Target] == f.Want }

// leaf is last for the vertices of a level that have a mark left: nothing depends on them.
//
//foray:functor
type leaf struct {
	Mark  []uint32
	Count []float64
	Share []float64
}

// Vertex shares 1 among the paths.
func (f *leaf) Vertex(v traverse.Vertex) {
	if f.Mark[v.ID] == 0 {
		return
	}
	f.Share[v.ID] = 1 / f.Count[v.ID]
	f.Count[v.ID], f.Mark[v.ID] = 0, 0
}

// depend adds up the dependencies of the source on the vertices of a level.
//
//foray:functor
type depend struct {
	Mark        []uint32
	Count       []float64
	Down, Share []float64 // of the level below, and of this one
	Score       []float64
}

// Gather returns what one path brings: the share of an out-neighbor one level down, 0 of others.
func (f *depend) Gather(e traverse.Edge) float64 { return f.Down[e.Target] }

// Apply adds the dependency to the score.
func (f *depend) Apply(v traverse.Vertex, total float64) {
	n := f.Count[v.ID]
	d := n * total
	f.Score[v.ID] += d
	f.Share[v.ID] = (1 + d) / n
	f.Count[v.ID], f.Mark[v.ID] = 0, 0
}

// most finds the largest count of a level.
//
//foray:functor
type most struct {
	Count []float64
}

// Vertex returns the count.
func (f *most) Vertex(v traverse.Vertex) float64 { return f.Count[v.ID] }

// scale multiplies scores.
//
//foray:functor
type scale struct {
	Score []float64
	By    float64
}

// Vertex scales the score.
func (f *scale) Vertex(v traverse.Vertex) { f.Score[v.ID] *= f.By }
