// This file holds what happens at edges and vertices while 64 lanes search.

package msbfs

import (
	"math/bits"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// push passes the new lanes of a source on to a target.
//
//foray:functor
type push struct {
	Seen []uint64 // lanes that reached a vertex, in the levels before
	New  []uint64 // those that did in the last one; right for the frontier's vertices
	Next []uint64 // those that do in this one; 0 between levels
}

// Edge lets a target through when the first lane reaches it.
//
//foray:unique
func (f *push) Edge(e traverse.Edge) bool {
	d := f.New[e.Source] &^ f.Seen[e.Target]
	if d == 0 || d&^atomics.Load(&f.Next[e.Target]) == 0 { // which many sources of a hub find
		return false
	}
	return atomics.Or(&f.Next[e.Target], d) == 0
}

// pull gathers lanes from the in-neighbours. What they have seen in all levels before does: a lane
// that saw a neighbour any earlier has seen the vertex too.
//
//foray:functor
type pull struct {
	Offsets []uint64 // of the rows of in-edges
	Sources []uint32 // of the edges
	Seen    []uint64
	Next    []uint64
	Full    uint64 // all lanes that search
}

// Vertex looks at edges until no lane is missing.
func (f *pull) Vertex(v traverse.Vertex) {
	seen := f.Seen[v.ID]
	if seen == f.Full {
		return
	}
	w, last := seen, f.Offsets[int(v.ID)+1]
	for i := f.Offsets[v.ID]; i < last; i++ {
		w |= f.Seen[f.Sources[i]]
		if w == f.Full {
			break
		}
	}
	if w != seen {
		f.Next[v.ID] = w &^ seen
	}
}

// settle makes the lanes that reach a vertex in this level part of those that have seen it.
//
//foray:functor
type settle struct {
	Seen []uint64
	New  []uint64
	Next []uint64
	Out  []uint64 // where the rows of out-edges begin
	In   []uint64 // where those of in-edges do
	Full uint64
	Done traverse.Sum[uint64] // edges into vertices that all lanes have seen from now on
	Any  traverse.Or[uint64]  // lanes that reached anything
}

// Vertex returns the edges that a push will look at.
func (f *settle) Vertex(v traverse.Vertex) uint64 {
	d := f.Next[v.ID]
	f.New[v.ID] = d
	if d == 0 {
		return 0
	}
	f.Next[v.ID] = 0
	seen := f.Seen[v.ID] | d
	f.Seen[v.ID] = seen
	if seen == f.Full {
		f.Done.Add(f.In[int(v.ID)+1] - f.In[v.ID])
	}
	f.Any.Add(d)
	return f.Out[int(v.ID)+1] - f.Out[v.ID]
}

// forget readies a vertex for other sources.
//
//foray:functor
type forget struct{ Seen, New, Next []uint64 }

// Vertex clears its words.
func (f *forget) Vertex(v traverse.Vertex) { f.Seen[v.ID], f.New[v.ID], f.Next[v.ID] = 0, 0, 0 }

// active keeps the vertices that lanes reached in the last level.
//
//foray:functor
type active struct{ New []uint64 }

// Vertex looks for lanes.
func (f *active) Vertex(v traverse.Vertex) bool { return f.New[v.ID] != 0 }

// tally counts the vertices that each lane reaches.
//
//foray:functor
type tally struct {
	New   []uint64
	Count []uint64 // of each lane, in several copies
}

// Vertex counts the lanes that reached it, and returns how many do.
func (f *tally) Vertex(v traverse.Vertex) uint64 {
	at := uint64(v.ID) % copies * laneCount
	d := f.New[v.ID]
	for range laneCount {
		if d == 0 {
			break
		}
		atomics.Add(&f.Count[at+uint64(bits.TrailingZeros64(d))], 1)
		d &= d - 1
	}
	return uint64(bits.OnesCount64(f.New[v.ID]))
}

// tallyBlock counts the vertices of a block that each lane reaches. The frontier's vertices stand
// for blocks.
//
//foray:functor
type tallyBlock struct {
	New   []uint64
	Count []uint64
}

// Vertex adds words up, bit by bit: a0 has the lowest bits of 64 numbers, and so on.
func (f *tallyBlock) Vertex(v traverse.Vertex) (found uint64) {
	var a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10 uint64
	last := min(uint64(v.ID)*block+block, uint64(len(f.New)))
	for i := uint64(v.ID) * block; i < last; i++ {
		c := f.New[i]
		a0, c = a0^c, a0&c
		a1, c = a1^c, a1&c
		if c == 0 {
			continue
		}
		a2, c = a2^c, a2&c
		a3, c = a3^c, a3&c
		a4, c = a4^c, a4&c
		a5, c = a5^c, a5&c
		a6, c = a6^c, a6&c
		a7, c = a7^c, a7&c
		a8, c = a8^c, a8&c
		a9, c = a9^c, a9&c
		a10 ^= c
	}
	at := uint64(v.ID) % copies * laneCount
	for lane := range uint64(laneCount) {
		n := a0>>lane&1 | a1>>lane&1<<1 | a2>>lane&1<<2 | a3>>lane&1<<3 | a4>>lane&1<<4 | a5>>lane&1<<5 |
			a6>>lane&1<<6 | a7>>lane&1<<7 | a8>>lane&1<<8 | a9>>lane&1<<9 | a10>>lane&1<<10
		if n != 0 {
			atomics.Add(&f.Count[at+lane], n)
			found += n
		}
	}
	return found
}

// meet finds which pairs the lanes have joined.
//
//foray:functor
type meet struct {
	New      []uint64
	First    []uint32 // where the pairs of a target begin, an entry more than there are vertices
	Lane     []uint32 // of the pair's source
	Distance []int32  // of the pair
	Depth    int32    // of this level
	Found    traverse.Sum[uint64]
}

// Vertex looks at the pairs whose target it is.
func (f *meet) Vertex(v traverse.Vertex) {
	d := f.New[v.ID]
	for i := f.First[v.ID]; i < f.First[int(v.ID)+1]; i++ {
		if d>>f.Lane[i]&1 != 0 {
			f.Distance[i] = f.Depth
			f.Found.Add(1)
		}
	}
}
