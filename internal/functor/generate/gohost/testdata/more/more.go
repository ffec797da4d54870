// Package more has functors that loops are printed for in unusual ways.
package more

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// Owned reads and writes what the row's vertex has, in all orders.
//
//foray:functor
type Owned struct {
	A, B []float32 // of every vertex
	N    []uint32
	W    []uint64 // of every edge
}

// Edge uses elements of both ends, before and after they are written.
func (f *Owned) Edge(e traverse.Edge) bool {
	old := f.N[e.Source]
	f.N[e.Source] = old + 1
	now := f.N[e.Source]
	f.W[e.Index] += uint64(old) + uint64(now) + e.ID
	a := f.A[e.Source]
	if a > atomics.Max(&f.A[e.Target], a) {
		f.B[e.Target] = f.B[e.Source] + e.Weight
		return f.W[e.Index]%2 == 0
	}
	x := atomics.Min(&f.B[e.Target], f.B[e.Source])
	return x != f.B[e.Source] && f.N[e.Target] < 40
}

// Elsewhere writes what may be the row's vertex by neither end of the edge.
//
//foray:functor
type Elsewhere struct {
	A []int64 // of every vertex
}

// Edge uses the target before all else.
//
//foray:disjoint
func (f *Elsewhere) Edge(e traverse.Edge) bool {
	f.A[e.Target]--
	f.A[e.Source] += 5
	x := atomics.Min(&f.A[e.Index%uint64(len(f.A))], int64(e.Index))
	return f.A[e.Source] < x
}

// Names has names that generated code uses itself.
//
//foray:functor
type Names struct {
	Rows, Out, K, Type, Index, R1, WRow []uint32
	F, Func, Len, Math                  uint32
	Own1, P2, V3, Push, ID, IDOf        []uint32
	In, Level, Target                   uint32
}

// Edge mixes them.
//
//foray:disjoint
func (f *Names) Edge(e traverse.Edge) bool {
	k, out, targets := f.K[e.Source], f.Out[e.Target], f.Rows[e.Target]
	for i := range 3 {
		k += f.R1[e.Target] + f.F*uint32(i)
	}
	f.Type[e.Target] += k + out*f.Func
	f.Index[e.Source] ^= f.WRow[e.Source] + f.Len + f.Math
	f.Own1[e.Target], f.P2[e.Target], f.V3[e.Target] = targets, f.Own1[e.Target], f.P2[e.Target]
	return k%3 != out%2+f.Push[e.Source]+f.ID[e.Target]+f.IDOf[e.Target]+f.In+f.Level+f.Target
}

// Max folds by the largest, of signed numbers.
//
//foray:functor
type Max struct {
	X   []int32
	Sum []int64
	On  bool
}

// Gather returns from several places.
//
//foray:reduce max
func (f *Max) Gather(e traverse.Edge) int32 {
	if !f.On {
		return f.X[e.Target]
	}
	if x := f.X[e.Source]; x > 3 {
		return x - int32(e.Level)
	}
	return -f.X[e.Source] % (f.X[e.Target] + 100)
}

// Apply keeps the largest.
func (f *Max) Apply(v traverse.Vertex, most int32) int64 {
	if most < 0 {
		return -1
	}
	f.Sum[v.ID] += int64(most)
	return f.Sum[v.ID]
}

// Bits folds by union.
//
//foray:functor
type Bits struct{ X []uint32 }

// Gather returns bits.
//
//foray:reduce or
func (f *Bits) Gather(e traverse.Edge) uint32 { return f.X[e.Source] | uint32(e.Index) }

// Apply stores them. The test calls Gather for all edges before.
//
//foray:disjoint
func (f *Bits) Apply(v traverse.Vertex, total uint32) { f.X[v.ID] = total }

// hidden isn't exported.
//
//foray:functor
type hidden struct {
	X []int64
	N int64
}

// Vertex returns from several places, and loops.
func (h *hidden) Vertex(v traverse.Vertex) int64 {
	x := h.X[v.ID]
	for i := range 4 {
		if x > h.N {
			return x - int64(i)
		}
		x += x/(h.N+1) + 2
	}
	h.X[v.ID] = x
	return x % 7
}

// Constant looks at nothing.
//
//foray:functor
type Constant struct{}

// Edge lets nothing through.
func (*Constant) Edge(traverse.Edge) bool { return false }

// By notes the edges by which vertices were found.
//
//foray:functor
type By struct {
	ID     []uint64
	Weight []float32
	Index  []uint64
	Marked []uint32 // per edge
}

// Hit accepts all edges.
func (f *By) Hit(e traverse.Edge) bool {
	f.ID[e.Target] = e.ID
	if e.Weight > 1 {
		f.Weight[e.Target] = e.Weight
		f.Marked[e.Index]++
		return true
	}
	f.Index[e.Target] = e.Index
	return true
}

// Shared changes what other targets have too.
//
//foray:functor
type Shared struct {
	Count []uint32
	Level []int32
}

// Hit accepts what was not taken.
func (f *Shared) Hit(e traverse.Edge) bool {
	f.Level[e.Target] = e.Level
	return atomics.Add(&f.Count[e.Source], 1) == 0
}

// Either lets targets through for either of two reasons.
//
//foray:functor
type Either struct{ N int32 }

// Edge is true of smaller targets, and in one round of all.
func (f *Either) Edge(e traverse.Edge) bool {
	return e.Target <= min(e.Target, e.Source) || e.Level == f.N
}

// Anew is a type with the values of another.
type Anew interface{ ~int32 | ~uint32 }

// Odd has type parameters, and fields, whose names the constructor uses itself.
//
//foray:functor
type Odd[t Anew, _ int64 | float64, _t float32] struct {
	T, Functor, FunctorField []t
	Reflect, Device          []_t
	Any                      t
	N                        int64
}

// Edge uses some.
func (f *Odd[T, _, U]) Edge(e traverse.Edge) {
	atomics.Add(&f.T[e.Target], f.Functor[e.Source]/4+f.Any)
	f.Reflect[e.Source] = U(e.Weight) + sum(f.FunctorField, f.Device, e.Source)
}

func sum[A, B Anew | ~float32](x []A, y []B, i uint32) B { return B(x[i]) + y[i] }

// Folded takes sums of any type.
//
//foray:functor
type Folded[T Anew, V int64 | uint64] struct{ X []T }

// Gather returns a value.
func (f *Folded[T, V]) Gather(e traverse.Edge) T { return f.X[e.Source] % 100 }

// Apply keeps it. The test calls Gather for all edges before.
//
//foray:disjoint
func (f *Folded[T, V]) Apply(v traverse.Vertex, total T) V {
	f.X[v.ID] = total
	return V(total % 7)
}

// Stages is of either integer.
//
//foray:functor
type Stages[T uint32 | uint64] struct{ X []T }

// Edge returns a stage.
func (f *Stages[T]) Edge(e traverse.Edge) uint32 { return uint32(atomics.Min(&f.X[e.Target], 4)) % 5 }

// Vertex returns one.
func (f *Stages[T]) Vertex(v traverse.Vertex) uint32 { return uint32(f.X[v.ID]) }

// Least keeps small ones.
//
//foray:functor
type Least[T interface{ uint32 | int64 }] struct {
	X    []T
	Most T
}

// Vertex keeps some.
func (f *Least[T]) Vertex(v traverse.Vertex) bool { return f.X[v.ID] < f.Most }

// each visits vertices.
//
//foray:functor
type each[T uint64 | float64] struct{ X []T }

// Vertex returns one.
func (f *each[T]) Vertex(v traverse.Vertex) T { return f.X[v.ID] + 1 }

// nothing returns nothing.
//
//foray:functor
type nothing[T uint64 | float64] struct{ X []T }

// Vertex doubles one.
func (f *nothing[T]) Vertex(v traverse.Vertex) { f.X[v.ID] *= 2 }

// Crossed is a pull of either type.
//
//foray:functor
type Crossed[T float32 | float64] struct{ X []T }

// Hit accepts small ones.
func (f *Crossed[T]) Hit(e traverse.Edge) bool {
	f.X[e.Target] = T(e.Weight)
	return f.X[e.Source] < 3
}

// Counted counts what is below a limit, in either type.
//
//foray:functor
type Counted[T int64 | uint64, V int32 | float32] struct {
	X     []V
	Below traverse.Sum[T]
	Most  traverse.Max[T]
	Limit V
}

// Edge counts.
func (f *Counted[T, V]) Edge(e traverse.Edge) bool {
	if f.X[e.Target] < f.Limit {
		f.Below.Add(2)
		f.Most.Add(T(e.Target))
		return true
	}
	return false
}
