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

// wordColors is how many colors a word of a vertex' set has a bit for.
const wordColors = 64

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

// Gather is 1 for a neighbor of higher priority.
//
//foray:reduce sum
func (f *above) Gather(e traverse.Edge) uint32 {
	if higher(f.Priority, f.Rank, e.Target, e.Source) {
		return 1
	}
	return 0
}

func (f *above) Apply(v traverse.Vertex, neighbors uint32) uint64 {
	f.Left[v.ID] = neighbors
	return 0
}

// best keeps the vertices that have no neighbor of higher priority.
//
//foray:functor
type best struct{ Left []uint32 }

func (f *best) Vertex(v traverse.Vertex) bool { return f.Left[v.ID] == 0 }

// words returns where a vertex' set of colors begins in Used: it has a bit for as many colors as the vertex has neighbors,
// and for one more at least.
func words(offsets []uint64, v uint32) uint64 { return offsets[v]/wordColors + uint64(v) }

// pick gives a vertex the smallest color that no neighbor has. Its neighbors of higher priority are in its set.
//
//foray:functor
type pick struct {
	Color         []uint32
	Offsets, Used []uint64
}

// Vertex finds a free color, since a vertex has more bits than neighbors.
func (f *pick) Vertex(v traverse.Vertex) {
	first := words(f.Offsets, v.ID)
	for word := range words(f.Offsets, v.ID+1) - first {
		if used := f.Used[first+word]; used != math.MaxUint64 {
			f.Color[v.ID] = uint32(word)*wordColors + uint32(bits.TrailingZeros64(^used))
			break
		}
	}
}

// release tells the neighbors of lower priority the color of a vertex.
//
//foray:functor
type release struct {
	Priority          []uint64
	Rank, Color, Left []uint32
	Offsets, Used     []uint64
}

// Edge lets a target through whose neighbors of higher priority are all colored. A color that the target has no bit for is
// larger than its own will be.
//
//foray:unique
func (f *release) Edge(e traverse.Edge) bool {
	if !higher(f.Priority, f.Rank, e.Source, e.Target) {
		return false
	}
	color := f.Color[e.Source]
	at := words(f.Offsets, e.Target) + uint64(color/wordColors)
	if at < words(f.Offsets, e.Target+1) {
		atomics.Or(&f.Used[at], 1<<(color%wordColors))
	}
	return atomics.Add(&f.Left[e.Target], math.MaxUint32) == 1
}

// highest returns the color.
//
//foray:functor
type highest struct{ Color []uint32 }

func (f *highest) Vertex(v traverse.Vertex) uint64 { return uint64(f.Color[v.ID]) }
