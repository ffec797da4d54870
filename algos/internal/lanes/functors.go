// This file holds what happens at edges and vertices while lanes search. A vertex has Words words
// of 64 lanes, which lie side by side. wide.go has the functors for several words.

package lanes

import (
	"math/bits"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../../cmd/generate

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

// pull gathers lanes from the in-neighbors. What they have seen in all levels before does: a lane
// that saw a neighbor any earlier has seen the vertex too. On a GPU algos/internal/lanes/steps does it.
//
//foray:functor
type pull struct {
	Offsets []uint64 // of the rows of in-edges
	Sources []uint32 // of the edges
	Seen    []uint64
	Next    []uint64
	Full    uint64 // the lanes that still search
}

// Vertex looks at edges, four at a time, until no lane is missing.
func (f *pull) Vertex(v traverse.Vertex) {
	seen := f.Seen[v.ID]
	missing := f.Full &^ seen
	first, last := f.Offsets[v.ID], f.Offsets[int(v.ID)+1]
	if missing == 0 || first == last {
		return
	}
	w := uint64(0)
	for i := first; i < last; i += 4 {
		w |= f.Seen[f.Sources[i]] | f.Seen[f.Sources[min(i+1, last-1)]] | f.Seen[f.Sources[min(i+2, last-1)]] | f.Seen[f.Sources[min(i+3, last-1)]]
		if missing&^w == 0 {
			break
		}
	}
	if w&^seen != 0 {
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
	Out  []uint64             // where the rows of out-edges begin
	In   []uint64             // where those of in-edges do
	Full uint64               // the lanes that search
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
type forget struct {
	Seen, New, Next []uint64
	Words           uint64 // of a vertex
}

// Vertex clears its words.
func (f *forget) Vertex(v traverse.Vertex) {
	at := uint64(v.ID) * f.Words
	for i := at; i < at+f.Words; i++ {
		f.Seen[i], f.New[i], f.Next[i] = 0, 0, 0
	}
}

// begin gives sources their lanes.
//
//foray:functor
type begin struct {
	Next    []uint64
	Sources []uint32 // in ascending order
	Lanes   []uint64 // of each of them, Words each
	Words   uint64
	Count   uint64 // of sources
}

// Vertex looks for itself among the sources.
func (f *begin) Vertex(v traverse.Vertex) {
	low, high := uint64(0), f.Count
	for range 10 { // of 512 at most
		if high-low < 2 {
			break
		}
		if middle := (low + high) / 2; f.Sources[middle] <= v.ID {
			low = middle
		} else {
			high = middle
		}
	}
	for k := range f.Words {
		f.Next[uint64(v.ID)*f.Words+k] = f.Lanes[low*f.Words+k]
	}
}

// active keeps the vertices that lanes reached in the last level.
//
//foray:functor
type active struct {
	New   []uint64
	Words uint64
}

// Vertex looks for lanes.
func (f *active) Vertex(v traverse.Vertex) bool {
	at, any := uint64(v.ID)*f.Words, uint64(0)
	for i := at; i < at+f.Words; i++ {
		any |= f.New[i]
	}
	return any != 0
}

// tally counts the vertices that each lane reaches.
//
//foray:functor
type tally struct {
	New   []uint64
	Count []uint64 // of each lane, in several copies
	Words uint64
}

// Vertex counts the lanes that reached it, and returns how many do.
func (f *tally) Vertex(v traverse.Vertex) (found uint64) {
	at := uint64(v.ID) % copies * f.Words * WordLanes
	for k := range f.Words {
		d := f.New[uint64(v.ID)*f.Words+k]
		found += uint64(bits.OnesCount64(d))
		for range WordLanes {
			if d == 0 {
				break
			}
			atomics.Add(&f.Count[at+k*WordLanes+uint64(bits.TrailingZeros64(d))], 1)
			d &= d - 1
		}
	}
	return found
}

// tallyBlock counts the vertices of a block that each lane reaches. The frontier's vertices stand
// for blocks.
//
//foray:functor
type tallyBlock struct {
	New      []uint64
	Count    []uint64
	Words    uint64
	Vertices uint64 // of the graph
	Length   uint64 // of a block: a multiple of 8, below 2^11
}

// word returns word k of a vertex, 0 of one that the graph doesn't have.
func (f *tallyBlock) word(i, k uint64) uint64 {
	w := f.New[min(i, f.Vertices-1)*f.Words+k]
	if i >= f.Vertices {
		w = 0
	}
	return w
}

// carry has the bits that at least two of three words have.
func carry(a, b, c uint64) uint64 { return a&b | c&(a^b) }

// Vertex adds words up, bit by bit: a0 has the lowest bits of 64 numbers, and so on.
func (f *tallyBlock) Vertex(v traverse.Vertex) (found uint64) {
	at := uint64(v.ID) % copies * f.Words * WordLanes
	for k := range f.Words {
		var a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10 uint64
		for j := uint64(0); j < f.Length; j += 8 {
			i := uint64(v.ID)*f.Length + j
			if i >= f.Vertices {
				break
			}
			w0, w1, w2, w3 := f.word(i, k), f.word(i+1, k), f.word(i+2, k), f.word(i+3, k)
			w4, w5, w6, w7 := f.word(i+4, k), f.word(i+5, k), f.word(i+6, k), f.word(i+7, k)
			b0 := carry(a0, w0, w1)
			a0 ^= w0 ^ w1
			b1 := carry(a0, w2, w3)
			a0 ^= w2 ^ w3
			b2 := carry(a0, w4, w5)
			a0 ^= w4 ^ w5
			b3 := carry(a0, w6, w7)
			a0 ^= w6 ^ w7
			c0 := carry(a1, b0, b1)
			a1 ^= b0 ^ b1
			c1 := carry(a1, b2, b3)
			a1 ^= b2 ^ b3
			d := carry(a2, c0, c1)
			a2 ^= c0 ^ c1
			if d == 0 {
				continue
			}
			a3, d = a3^d, a3&d
			a4, d = a4^d, a4&d
			a5, d = a5^d, a5&d
			a6, d = a6^d, a6&d
			a7, d = a7^d, a7&d
			a8, d = a8^d, a8&d
			a9, d = a9^d, a9&d
			a10 ^= d
		}
		for lane := range uint64(WordLanes) {
			n := a0>>lane&1 | a1>>lane&1<<1 | a2>>lane&1<<2 | a3>>lane&1<<3 | a4>>lane&1<<4 | a5>>lane&1<<5 |
				a6>>lane&1<<6 | a7>>lane&1<<7 | a8>>lane&1<<8 | a9>>lane&1<<9 | a10>>lane&1<<10
			if n != 0 {
				atomics.Add(&f.Count[at+k*WordLanes+lane], n)
				found += n
			}
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
	Words    uint64
	Found    traverse.Sum[uint64]
}

// Vertex looks at the pairs whose target it is.
func (f *meet) Vertex(v traverse.Vertex) {
	for i := f.First[v.ID]; i < f.First[int(v.ID)+1]; i++ {
		lane := uint64(f.Lane[i])
		if f.New[uint64(v.ID)*f.Words+lane/WordLanes]>>(lane%WordLanes)&1 != 0 {
			f.Distance[i] = f.Depth
			f.Found.Add(1)
		}
	}
}
