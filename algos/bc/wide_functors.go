// This file holds what happens at an edge and at a vertex where path counts don't fit a float64:
// a count is Count * 2^Power, with Count from 1 to below 2.

package bc

import (
	"math"

	"github.com/foray-graph/foray/traverse"
)

// power returns 2^k of k <= 0; 0 where a float64 has no such number.
func power(k int32) float64 {
	if k < -1022 {
		return 0
	}
	return math.Float64frombits(uint64(1023+k) << 52)
}

// exponent returns the exponent of a positive number.
func exponent(x float64) int32 { return int32(math.Float64bits(x)>>52) - 1023 }

// whole gives the counts of the level above, which is the first with powers, the power 0.
//
//foray:functor
type whole struct {
	Power []int32
}

// Vertex sets the power.
func (f *whole) Vertex(v traverse.Vertex) { f.Power[v.ID] = 0 }

// largest finds the power of the largest count above each vertex of a level.
//
//foray:functor
type largest struct {
	Up    []float64
	Power []int32
}

// Gather returns the power of the in-neighbor's count.
//
//foray:reduce max
func (f *largest) Gather(e traverse.Edge) int32 {
	c := f.Up[e.Source]
	if c == 0 {
		return 0
	}
	return f.Power[e.Source] + exponent(c)
}

// Apply keeps it. Gather reads the powers of the level above.
//
//foray:disjoint
func (f *largest) Apply(v traverse.Vertex, total int32) { f.Power[v.ID] = total }

// widePaths is paths with powers: the counts above are added in units of the largest one.
//
//foray:functor
type widePaths struct {
	Up, Count  []float64
	Back, Next []float64
	Power      []int32
	Degree     []uint32
}

// Gather returns the in-neighbor's count.
func (f *widePaths) Gather(e traverse.Edge) float64 {
	c := f.Up[e.Source]
	if c == 0 {
		return 0
	}
	return c * power(f.Power[e.Source]-f.Power[e.Target])
}

// Apply keeps the sum, and returns the out-degree. Gather reads the powers of the level above, and the vertex' own.
//
//foray:disjoint
func (f *widePaths) Apply(v traverse.Vertex, total float64) uint64 {
	k := exponent(total)
	f.Power[v.ID] += k
	f.Count[v.ID] = total * power(-k)
	f.Back[v.ID], f.Next[v.ID] = 0, 0
	return uint64(f.Degree[v.ID])
}

// wideDepend is depend with powers.
//
//foray:functor
type wideDepend struct {
	Mark        []uint32
	Count       []float64
	Power       []int32
	Down, Share []float64
	Score       []float64
}

// Gather returns what one path brings, in units of the vertex' own count, which is never the
// larger one.
func (f *wideDepend) Gather(e traverse.Edge) float64 {
	c := f.Down[e.Target]
	if c == 0 {
		return 0
	}
	return c * power(f.Power[e.Source]-f.Power[e.Target])
}

// Apply adds the dependency to the score.
func (f *wideDepend) Apply(v traverse.Vertex, total float64) {
	n := f.Count[v.ID]
	d := n * total
	f.Score[v.ID] += d
	f.Share[v.ID] = (1 + d) / n
	f.Count[v.ID], f.Mark[v.ID] = 0, 0
}
