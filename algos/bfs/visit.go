// This file holds what happens at an edge of a breadth-first search, on the
// host: the functors of push, by queue and by level array, and the sink of
// pull.

package bfs

import (
	"sync/atomic"

	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// Visitor labels the vertices of one level. It is the functor of a push over
// a bitmap of visited vertices and the sink of a pull. A vertex is claimed by
// one worker, which alone writes its depth and parent.
type Visitor struct {
	Seen    []uint64 // visited vertices; pushes add to it
	Depths  []int32  // or nil
	Parents []uint32 // or nil
	Level   int32    // the depth that is being assigned
}

// Unique says that no vertex is let through twice.
func (*Visitor) Unique() bool { return true }

// Visit claims the targets that weren't visited and lets them through.
func (f *Visitor) Visit(w advance.Worker, source uint32, firstEdge uint64, targets, out []uint32) int {
	row := [1]advance.Row{{First: 0, Source: source, Len: uint32(len(targets))}}
	return f.VisitRows(w, row[:], targets, out)
}

// VisitRows does so for many rows.
func (f *Visitor) VisitRows(w advance.Worker, rows []advance.Row, targets, out []uint32) int {
	if w.Alone {
		return f.alone(rows, targets, out)
	}
	k, seen, depths, parents, level := 0, f.Seen, f.Depths, f.Parents, f.Level
	for _, r := range rows {
		for _, t := range targets[r.First : r.First+uint64(r.Len)] {
			if !filter.Claim(seen, t) {
				continue
			}
			if depths != nil {
				depths[t] = level
			}
			if parents != nil {
				parents[t] = r.Source
			}
			out[k] = t
			k++
		}
	}
	return k
}

// alone is VisitRows without atomic operations.
func (f *Visitor) alone(rows []advance.Row, targets, out []uint32) int {
	k, seen, depths, parents, level := 0, f.Seen, f.Depths, f.Parents, f.Level
	for _, r := range rows {
		for _, t := range targets[r.First : r.First+uint64(r.Len)] {
			if !filter.ClaimAlone(seen, t) {
				continue
			}
			if depths != nil {
				depths[t] = level
			}
			if parents != nil {
				parents[t] = r.Source
			}
			out[k] = t
			k++
		}
	}
	return k
}

// Found labels what a pull found.
func (f *Visitor) Found(_ advance.Worker, vertices, parents []uint32) {
	if f.Depths != nil {
		for _, v := range vertices {
			f.Depths[v] = f.Level
		}
	}
	if f.Parents != nil {
		for i, v := range vertices {
			f.Parents[v] = parents[i]
		}
	}
}

// levelVisitor is the functor of a push without a bitmap: the level array says
// what was visited, and is what a worker claims a vertex by.
type levelVisitor struct {
	depths  []int32
	parents []uint32 // or nil
	level   int32
}

// Unique says that no vertex is let through twice.
func (*levelVisitor) Unique() bool { return true }

// Visit claims the targets that weren't visited and lets them through.
func (f *levelVisitor) Visit(w advance.Worker, source uint32, firstEdge uint64, targets, out []uint32) int {
	row := [1]advance.Row{{First: 0, Source: source, Len: uint32(len(targets))}}
	return f.VisitRows(w, row[:], targets, out)
}

// VisitRows does so for many rows.
func (f *levelVisitor) VisitRows(w advance.Worker, rows []advance.Row, targets, out []uint32) int {
	k, depths, parents, level := 0, f.depths, f.parents, f.level
	for _, r := range rows {
		for _, t := range targets[r.First : r.First+uint64(r.Len)] {
			if w.Alone {
				if depths[t] >= 0 {
					continue
				}
				depths[t] = level
			} else if atomic.LoadInt32(&depths[t]) >= 0 || !atomic.CompareAndSwapInt32(&depths[t], -1, level) {
				continue
			}
			if parents != nil {
				parents[t] = r.Source
			}
			out[k] = t
			k++
		}
	}
	return k
}

