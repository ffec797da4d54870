// This file has the functors that docs/subset.md shows.

package constructs

import (
	"math"
	"math/bits"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// Widen raises the width of the widest path to an edge's target.
//
//foray:functor
type Widen struct {
	Width []float32 // of every vertex
	Least float32   // paths that are narrower don't count
}

// Edge lets the target through if a wider path was found.
func (f *Widen) Edge(e traverse.Edge) bool {
	w := min(f.Width[e.Source], e.Weight)
	return w >= f.Least && w > atomics.Max(&f.Width[e.Target], w)
}

// Due is Edge and Vertex of a push by stages.
//
//foray:functor
type Due struct {
	Dist  []float32
	Width float32 // of a stage
}

// Edge says at which stage the target is due, or that it isn't: the largest uint32.
func (f *Due) Edge(e traverse.Edge) uint32 {
	d := f.Dist[e.Source] + e.Weight
	if d >= atomics.Min(&f.Dist[e.Target], d) {
		return math.MaxUint32
	}
	return f.stage(d)
}

// Vertex says at which stage a vertex is due.
func (f *Due) Vertex(v traverse.Vertex) uint32 { return f.stage(f.Dist[v.ID]) }

func (f *Due) stage(d float32) uint32 { return uint32(d / f.Width) }

// Light finds vertices by their first edge that isn't too heavy.
//
//foray:functor
type Light struct {
	Parent []uint32
	Most   float32
}

// Hit takes a light edge's source as the parent.
func (f *Light) Hit(e traverse.Edge) bool {
	if e.Weight > f.Most {
		return false // look further
	}
	f.Parent[e.Target] = e.Source
	return true
}

// Rank is PageRank's sum over in-edges.
//
//foray:functor
type Rank struct {
	Share, Next []float64
	Base, Damp  float64
}

// Gather returns what an edge brings; edges are summed up.
func (f *Rank) Gather(e traverse.Edge) float64 { return f.Share[e.Source] }

// Apply sets a vertex's rank and returns by how much it changed.
func (f *Rank) Apply(v traverse.Vertex, total float64) float64 {
	old := f.Next[v.ID]
	f.Next[v.ID] = f.Base + f.Damp*total
	return math.Abs(f.Next[v.ID] - old)
}

// Least gathers the least label of the neighbors.
//
//foray:functor
type Least struct{ Label, Next []uint32 }

// Gather returns a neighbor's label.
//
//foray:reduce min
func (f *Least) Gather(e traverse.Edge) uint32 { return f.Label[e.Source] }

// Apply takes the least one over and counts changes.
func (f *Least) Apply(v traverse.Vertex, least uint32) uint64 {
	label := f.Label[v.ID]
	f.Next[v.ID] = min(label, least)
	if least >= label {
		return 0
	}
	return 1
}

// Statements has variables, branches and a switch.
//
//foray:functor
type Statements struct {
	Score []int64
	Bonus int64
}

const (
	low  = 10
	high = low * 10
)

// Vertex keeps vertices with a high score.
func (f *Statements) Vertex(v traverse.Vertex) bool {
	s, n := f.Score[v.ID], 0
	s += f.Bonus
	if t := s / 3; t > high && v.Level > 1 {
		s = t
		n++
	} else if t < 0 {
		return false
	}
	switch {
	case s < low:
		s = low
	case s > high:
		s, n = high, n+1
	}
	f.Score[v.ID] = s
	return n > 0
}

// Walk has loops that are bounded.
//
//foray:functor
type Walk struct {
	First []uint32 // per vertex and one more: where its items begin
	Items []uint32
	Sum   []uint64
}

// Vertex returns how many items were looked at.
func (f *Walk) Vertex(v traverse.Vertex) uint64 {
	var seen, sum uint64
	for i := f.First[v.ID]; i < f.First[int(v.ID)+1]; i++ {
		if f.Items[i] == 0 {
			continue
		}
		seen++
		sum += uint64(f.Items[i])
	}
	low, high := 0, len(f.Items)
	for range 64 { // a binary search: it terminates, but the generator can't see that
		if low >= high {
			break
		}
		if middle := (low + high) / 2; f.Items[middle] < v.ID {
			low = middle + 1
		} else {
			high = middle
		}
	}
	f.Sum[v.ID] = sum + uint64(low)
	return seen
}

// Mix has helpers, and functions of math and math/bits.
//
//foray:functor
type Mix struct {
	X    []float64
	Seen []uint64 // 64 vertices a word
}

// Edge lets targets through once.
func (f *Mix) Edge(e traverse.Edge) bool {
	word, bit := place(e.Target)
	if math.Sqrt(math.Abs(f.X[e.Source])) < 1 || bits.OnesCount64(f.Seen[word]) > 60 {
		return false
	}
	return atomics.Or(&f.Seen[word], bit)&bit == 0
}

// place returns where a vertex's bit is.
func place(v uint32) (word uint32, bit uint64) { return v / 64, 1 << (v % 64) }

// Shorten lowers distances of either type.
//
//foray:functor
type Shorten[T float32 | float64] struct {
	Dist []T
	Most T
}

// Edge lets the target through if its distance got smaller.
func (f *Shorten[T]) Edge(e traverse.Edge) bool {
	d := f.Dist[e.Source] + T(e.Weight)
	return d < f.Most && lowered(f.Dist, e.Target, d)
}

// lowered lowers an element.
func lowered[T float32 | float64](p []T, v uint32, x T) bool { return x < atomics.Min(&p[v], x) }

// Cross lets targets through that weren't seen, counts them, and finds the longest edge to
// one.
//
//foray:functor
type Cross struct {
	Seen    []uint32 // of every vertex; 0: not yet
	Found   traverse.Sum[uint64]
	Longest traverse.Max[float64]
}

// Edge lets the target through if it wasn't seen.
func (f *Cross) Edge(e traverse.Edge) bool {
	if atomics.Exchange(&f.Seen[e.Target], 1) != 0 {
		return false
	}
	f.Found.Add(1)
	f.Longest.Add(float64(e.Weight))
	return true
}
