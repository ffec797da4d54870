// This file holds the functors.

package color

import (
	"math"
	"math/bits"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/random"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// none is the color of a vertex that has none yet. No vertex has it at the end: there are fewer vertices.
const none = math.MaxUint32

// windowColors is how many colors a vertex looks at at once: the bits of a word.
const windowColors = 64

// draw draws random priorities. Equal ones go by rank.
//
//foray:functor
type draw struct {
	Priority []uint64
	Rank     []uint32 // of every vertex' id
	Seed     uint64
}

func (f *draw) Vertex(v traverse.Vertex) {
	f.Priority[v.ID] = random.Uint64(f.Seed, uint64(f.Rank[v.ID]), 0)
}

// drawByDegree puts the degree before the random priority.
//
//foray:functor
type drawByDegree struct {
	Priority     []uint64
	Rank, Degree []uint32
	Seed         uint64
}

func (f *drawByDegree) Vertex(v traverse.Vertex) {
	f.Priority[v.ID] = uint64(f.Degree[v.ID])<<32 | random.Uint64(f.Seed, uint64(f.Rank[v.ID]), 0)>>32
}

// higher reports whether a vertex is colored before another one.
func higher(priority []uint64, rank []uint32, v, w uint32) bool {
	a, b := priority[v], priority[w]
	return a > b || a == b && rank[v] > rank[w]
}

// above counts the neighbors of higher priority.
//
//foray:functor
type above struct {
	Priority   []uint64
	Rank, Left []uint32
}

// Edge counts the source.
func (f *above) Edge(e traverse.Edge) {
	if higher(f.Priority, f.Rank, e.Source, e.Target) {
		atomics.Add(&f.Left[e.Target], 1)
	}
}

// best keeps the vertices that have no neighbor of higher priority.
//
//foray:functor
type best struct{ Left []uint32 }

func (f *best) Vertex(v traverse.Vertex) bool { return f.Left[v.ID] == 0 }

// pick gives a vertex the smallest color of a window that no neighbor has. The vertices of a frontier aren't neighbors.
//
//foray:functor
type pick struct {
	Color  []uint32
	Window []uint32 // of every vertex: the number of the 64 colors that it looks at
}

// Gather is the neighbor's color, as a bit of the window.
//
//foray:reduce or
func (f *pick) Gather(e traverse.Edge) uint64 {
	c := f.Color[e.Target]
	if c == none || c/windowColors != f.Window[e.Source] {
		return 0
	}
	return 1 << (c % windowColors)
}

// Apply returns 1 if no color of the window is left. Gather reads the own window, and colors of vertices outside the frontier.
//
//foray:disjoint
func (f *pick) Apply(v traverse.Vertex, used uint64) uint64 {
	if f.Color[v.ID] != none {
		return 0
	}
	if used == math.MaxUint64 {
		f.Window[v.ID]++
		return 1
	}
	f.Color[v.ID] = f.Window[v.ID]*windowColors + uint32(bits.TrailingZeros64(^used))
	return 0
}

// release tells the neighbors of lower priority that a vertex is colored.
//
//foray:functor
type release struct {
	Priority   []uint64
	Rank, Left []uint32
}

// Edge lets a target through whose neighbors of higher priority are all colored.
//
//foray:unique
func (f *release) Edge(e traverse.Edge) bool {
	return higher(f.Priority, f.Rank, e.Source, e.Target) && atomics.Add(&f.Left[e.Target], math.MaxUint32) == 1
}

// highest returns the color.
//
//foray:functor
type highest struct{ Color []uint32 }

func (f *highest) Vertex(v traverse.Vertex) uint64 { return uint64(f.Color[v.ID]) }
