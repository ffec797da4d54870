// This file has examples of constructs that docs/subset.md lists and reference.go lacks.

package constructs

import (
	"math"
	"math/bits"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// kind is a named type.
type kind uint32

// trusted is a method of one.
func (k kind) trusted() bool { return k == bank }

const (
	person kind = iota + 1
	company
	bank
)

// Kinds scores vertices by their kind.
//
//foray:functor
type Kinds struct {
	Kind  []uint32
	Score []int64
	Risk  []float32
}

// Vertex returns the risk that was noted before.
func (f *Kinds) Vertex(v traverse.Vertex) float64 {
	var risk float32 = 1
	k := kind(f.Kind[v.ID])
	switch k {
	case person:
		f.Score[v.ID]++
	case company, bank:
		f.Score[v.ID] += 10
		if k.trusted() {
			break // out of the switch
		}
		risk /= 2
	default:
		f.Score[v.ID] = 0
		return 0
	}
	f.Risk[v.ID], risk = risk, f.Risk[v.ID]
	return float64(risk)
}

// Wanted counts which of some items vertices have.
//
//foray:functor
type Wanted struct {
	First []uint32 // per vertex and one more: where its items begin
	Items []uint32 // of a vertex ascending
	Want  []uint32
	Most  uint64
}

// Vertex returns how many there are, up to the most.
func (f *Wanted) Vertex(v traverse.Vertex) (found uint64) {
wanted:
	for _, x := range f.Want {
		for i := f.First[v.ID]; i < f.First[int(v.ID)+1]; i++ {
			switch y := f.Items[i]; {
			case y > x:
				continue wanted
			case y < x:
				continue
			}
			if found++; found == f.Most {
				break wanted
			}
		}
	}
	for i := len(f.Want) - 1; i >= 0; i -= 2 {
		if f.Want[i] == v.ID {
			found++
		}
	}
	return found
}

// Numbers computes with numbers of all types.
//
//foray:functor
type Numbers struct {
	X    []float64
	Code []uint32
}

// Vertex returns a mixture.
func (f *Numbers) Vertex(v traverse.Vertex) float64 {
	const half = 1 << 31
	x, n := f.X[v.ID], int64(len(f.X))
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return math.Inf(-1)
	}
	code := uint32((int64(v.ID)*7+n)%97)<<4 | uint32(v.Level)&0xf
	code = code&^1 ^ math.Float32bits(float32(x))>>9
	f.Code[v.ID] = min(code, half)
	y := max(math.Floor(x), 0) + math.Ceil(x)/math.Sqrt(math.Abs(x)+1) - math.Trunc(x)
	return math.Max(y, math.Min(x, float64(code%7)))
}

// Words counts and turns bits.
//
//foray:functor
type Words struct{ Word []uint64 }

// Vertex returns the lengths of parts of a word.
func (f *Words) Vertex(v traverse.Vertex) int64 {
	w := f.Word[v.ID]
	n := bits.OnesCount64(w) + bits.LeadingZeros64(w) + bits.TrailingZeros64(w) + bits.Len64(w)
	f.Word[v.ID] = bits.Reverse64(w) ^ bits.ReverseBytes64(w) ^ bits.RotateLeft64(w, n)
	return int64(n)
}

// Shared changes elements that several edges lead to.
//
//foray:functor
type Shared struct {
	Count, Flags, Last []uint32
	Near, Wide         []float32
	Owner              []int32 // -1: no owner
}

// Edge lets targets without an owner through.
func (f *Shared) Edge(e traverse.Edge) bool {
	if atomics.Load(&f.Flags[e.Target]) == 0 {
		return false
	}
	atomics.Add(&f.Count[e.Target], 1)
	atomics.Min(&f.Near[e.Target], e.Weight)
	atomics.Max(&f.Wide[e.Target], e.Weight)
	atomics.Or(&f.Flags[e.Target], 1<<4)
	atomics.And(&f.Flags[e.Source], ^uint32(1))
	if before := atomics.Exchange(&f.Last[e.Target], e.Source); before == e.Source {
		atomics.Store(&f.Flags[e.Target], 2)
	}
	return atomics.Load(&f.Owner[e.Target]) < 0 && atomics.CompareAndSwap(&f.Owner[e.Target], -1, int32(e.Source))
}
