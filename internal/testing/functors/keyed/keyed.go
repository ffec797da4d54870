// Package keyed has functors of keyed reduces, for tests: of every type and reduction, with and without Score.
package keyed

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// Number is what totals may be.
type Number interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

// Mask is the bit of a label whose edges are skipped.
const Mask = 1 << 30

// Key is the key of an edge between labels.
func Key(a, b uint32) uint32 {
	if (a^b)&Mask != 0 {
		return math.MaxUint32
	}
	return a ^ b
}

// Digest mixes what is known about a pair.
func Digest(key uint32, bits uint64) uint64 {
	return (bits^uint64(key)<<17)*0x9e3779b97f4a7c15 ^ bits>>29
}

// Best chooses by the greatest sum.
//
//foray:functor
type Best[T Number] struct {
	Label  []uint32
	Worth  []T
	Chosen []uint32
	Value  []float64
	Sign   float64
}

func (f *Best[T]) Key(e traverse.Edge) uint32 { return Key(f.Label[e.Source], f.Label[e.Target]) }
func (f *Best[T]) Gather(e traverse.Edge) T {
	return f.Worth[e.Source] + 3*f.Worth[e.Target] + T(e.Weight)
}
func (f *Best[T]) Score(v traverse.Vertex, key uint32, total T) float64 {
	if key%7 == 3 {
		return math.NaN()
	}
	return f.Sign * float64(total)
}
func (f *Best[T]) Apply(v traverse.Vertex, key uint32, score float64) float64 {
	f.Chosen[v.ID], f.Value[v.ID] = key, score
	return float64(key%16) + float64(v.Level)/4
}

// Least chooses by the greatest of the minima.
//
//foray:functor
type Least[T int32 | float32 | float64] struct {
	Label  []uint32
	Worth  []T
	Chosen []uint32
	Value  []float64
}

func (f *Least[T]) Key(e traverse.Edge) uint32 { return Key(f.Label[e.Source], f.Label[e.Target]) }

//foray:reduce min
func (f *Least[T]) Gather(e traverse.Edge) T {
	return f.Worth[e.Source] + 3*f.Worth[e.Target] + T(e.Weight)
}
func (f *Least[T]) Score(v traverse.Vertex, key uint32, total T) float64 { return float64(total) }
func (f *Least[T]) Apply(v traverse.Vertex, key uint32, score float64) {
	f.Chosen[v.ID], f.Value[v.ID] = key, score
}

// Sums mixes all pairs of a vertex with their sums.
//
//foray:functor
type Sums[T Number] struct {
	Label []uint32
	Worth []T
	Mixed []uint64
}

func (f *Sums[T]) Key(e traverse.Edge) uint32 { return Key(f.Label[e.Source], f.Label[e.Target]) }
func (f *Sums[T]) Gather(e traverse.Edge) T {
	return f.Worth[e.Source] + 3*f.Worth[e.Target] + T(e.Weight)
}
func (f *Sums[T]) Apply(v traverse.Vertex, key uint32, total T) uint64 {
	atomics.Add(&f.Mixed[v.ID], Digest(key, math.Float64bits(float64(total))))
	return 1
}

// Most mixes all pairs of a vertex with their maxima.
//
//foray:functor
type Most[T uint32 | int64 | float64] struct {
	Label []uint32
	Worth []T
	Mixed []uint64
}

func (f *Most[T]) Key(e traverse.Edge) uint32 { return Key(f.Label[e.Source], f.Label[e.Target]) }

//foray:reduce max
func (f *Most[T]) Gather(e traverse.Edge) T {
	return f.Worth[e.Source] + 3*f.Worth[e.Target] + T(e.Weight)
}
func (f *Most[T]) Apply(v traverse.Vertex, key uint32, total T) float64 {
	atomics.Add(&f.Mixed[v.ID], Digest(key, math.Float64bits(float64(total))))
	return float64(total)
}

// Unions mixes all pairs of a vertex with the unions of bits.
//
//foray:functor
type Unions[T int32 | uint64] struct {
	Label []uint32
	Worth []T
	Mixed []uint64
	Pairs traverse.Sum[int64]
}

func (f *Unions[T]) Key(e traverse.Edge) uint32 { return Key(f.Label[e.Source], f.Label[e.Target]) }

//foray:reduce or
func (f *Unions[T]) Gather(e traverse.Edge) T { return f.Worth[e.Source] ^ f.Worth[e.Target]<<3 }
func (f *Unions[T]) Apply(v traverse.Vertex, key uint32, total T) {
	atomics.Add(&f.Mixed[v.ID], Digest(key, uint64(total)))
	f.Pairs.Add(1)
}

// Common sets To to the label that most of a vertex's edges lead to, by their weight.
//
//foray:functor
type Common struct{ Label, To []uint32 }

// Key is the label that an edge leads to.
func (c *Common) Key(e traverse.Edge) uint32 { return c.Label[e.Target] }

// Gather is the weight, which is totaled by label.
func (c *Common) Gather(e traverse.Edge) float32 { return e.Weight }

// Score is what labels are compared by: the greatest wins, the least label in a tie.
func (c *Common) Score(v traverse.Vertex, key uint32, total float32) float64 { return float64(total) }

// Apply gets the label that won, reduce.NoKey for a vertex without edges.
func (c *Common) Apply(v traverse.Vertex, key uint32, score float64) { c.To[v.ID] = key }

// Labels counts the labels among a vertex's neighbors.
//
//foray:functor
type Labels struct{ Label, Count []uint32 }

// Key is the label of the edge's source, for InByKey.
func (l *Labels) Key(e traverse.Edge) uint32 { return l.Label[e.Source] }

// Gather counts edges.
func (l *Labels) Gather(e traverse.Edge) uint32 { return 1 }

// Apply is called for each label with the number of edges, at the same time for other labels of the vertex.
func (l *Labels) Apply(v traverse.Vertex, key, edges uint32) uint64 {
	atomics.Add(&l.Count[v.ID], 1)
	return 1
}

// Guarded has worths of some vertices alone: Gather would fault along the edges that Key leaves out.
//
//foray:functor
type Guarded struct {
	Label []uint32
	Short []int64 // of two vertices each
	Sum   []int64
}

func (f *Guarded) Key(e traverse.Edge) uint32 {
	if int(e.Target>>1) >= len(f.Short) {
		return math.MaxUint32
	}
	return f.Label[e.Target] % 4
}
func (f *Guarded) Gather(e traverse.Edge) int64 { return f.Short[e.Target>>1] }
func (f *Guarded) Apply(v traverse.Vertex, key uint32, total int64) {
	atomics.Add(&f.Sum[v.ID], total*int64(key+1))
}
