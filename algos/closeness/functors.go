// This file holds what happens at vertices that lanes reach.

package closeness

import (
	"math"
	"math/bits"

	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// add adds the distances from the sources that reach a vertex in a level.
//
//foray:functor
type add struct {
	New      []uint64
	Words    uint64   // of New, a vertex
	Sum      []uint64 // of the distances
	Reached  []uint32 // how many sources there were
	Harmonic []float64
	Depth    uint32
}

// Vertex adds its own: each source is as far away as the level is deep.
func (f *add) Vertex(v traverse.Vertex) {
	at, n := uint64(v.ID)*f.Words, uint32(0)
	for i := at; i < at+f.Words; i++ {
		n += uint32(bits.OnesCount64(f.New[i]))
	}
	if n == 0 {
		return
	}
	f.Sum[v.ID] += uint64(n) * uint64(f.Depth)
	f.Reached[v.ID] += n
	f.Harmonic[v.ID] += float64(n) / float64(f.Depth)
}

// addOne is add for one word. Several GPUs can tell that a vertex reads its own word only.
//
//foray:functor
type addOne struct {
	New      []uint64
	Sum      []uint64
	Reached  []uint32
	Harmonic []float64
	Depth    uint32
}

// Vertex adds its own.
func (f *addOne) Vertex(v traverse.Vertex) {
	n := uint32(bits.OnesCount64(f.New[v.ID]))
	if n == 0 {
		return
	}
	f.Sum[v.ID] += uint64(n) * uint64(f.Depth)
	f.Reached[v.ID] += n
	f.Harmonic[v.ID] += float64(n) / float64(f.Depth)
}

// finish makes sums closeness.
//
//foray:functor
type finish struct {
	Sum       []uint64
	Reached   []uint32
	Closeness []float64
	Others    float64 // vertices but one
}

// Vertex works out its own.
func (f *finish) Vertex(v traverse.Vertex) {
	if n := float64(f.Reached[v.ID]); n > 0 {
		f.Closeness[v.ID] = n / float64(f.Sum[v.ID]) * (n / f.Others)
	}
}

// narrow narrows the bounds of eccentricities. Lanes are in ascending order of their sources'
// eccentricities, so that the lowest lane has the least and the highest the largest.
//
//foray:functor
type narrow struct {
	New         []uint64
	Words       uint64
	Least, Most []int32
	Of          []int32 // the eccentricities of the lanes' sources
	Depth       int32
}

// Vertex uses the triangle inequality.
func (f *narrow) Vertex(v traverse.Vertex) {
	at, any, first, last := uint64(v.ID)*f.Words, false, uint64(0), uint64(0)
	for k := range f.Words {
		d := f.New[at+k]
		if d == 0 {
			continue
		}
		if !any {
			first = k*64 + uint64(bits.TrailingZeros64(d))
		}
		any, last = true, k*64+63-uint64(bits.LeadingZeros64(d))
	}
	if !any {
		return
	}
	low, high := f.Of[first], f.Of[last]
	f.Least[v.ID] = max(f.Least[v.ID], f.Depth, high-f.Depth)
	f.Most[v.ID] = min(f.Most[v.ID], low+f.Depth)
}

// narrowOne is narrow for one word. Several GPUs can tell that a vertex reads its own word only.
//
//foray:functor
type narrowOne struct {
	New         []uint64
	Least, Most []int32
	Of          []int32
	Depth       int32
}

// Vertex uses the triangle inequality.
func (f *narrowOne) Vertex(v traverse.Vertex) {
	d := f.New[v.ID]
	if d == 0 {
		return
	}
	low, high := f.Of[bits.TrailingZeros64(d)], f.Of[63-bits.LeadingZeros64(d)]
	f.Least[v.ID] = max(f.Least[v.ID], f.Depth, high-f.Depth)
	f.Most[v.ID] = min(f.Most[v.ID], low+f.Depth)
}

// unknown marks vertices that no sample is connected with.
//
//foray:functor
type unknown struct{ Least, Most []int32 }

// Vertex marks vertices whose bounds no sample narrowed.
func (f *unknown) Vertex(v traverse.Vertex) {
	if f.Most[v.ID] == math.MaxInt32 {
		f.Least[v.ID], f.Most[v.ID] = -1, -1
	}
}
