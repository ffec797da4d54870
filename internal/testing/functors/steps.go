// Package functors has one functor of each kind, for tests and the benchmark of operators that are
// steps of a traversal. Their device side is steps.cu.
package functors

import (
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/pile"
)

// kernel names a functor of steps.cu by its number among those of its kind.
func kernel(number int, fields ...any) operators.Kernel {
	return operators.Kernel{Image: image, Name: "steps", Number: number, Fields: fields}
}

func mix(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x7feb352d
	x ^= x >> 15
	x *= 0x846ca68b
	return x ^ x>>16
}

// Mix is a hash.
func Mix(a, b uint32) uint32 { return mix(mix(a) + b) }

// Some crosses a share of the edges, others in each round.
type Some struct{ Salt, Share uint32 }

// Crosses reports whether an edge is crossed.
func (f *Some) Crosses(source, target uint32, level int32) bool {
	return Mix(Mix(source, target), f.Salt+uint32(level))%16 < f.Share
}

func (f *Some) Visit(w operators.Worker, source uint32, _ uint64, targets, out []uint32) int {
	k := 0
	for _, t := range targets {
		if f.Crosses(source, t, w.Level) {
			out[k] = t
			k++
		}
	}
	return k
}
func (f *Some) Kernel() operators.Kernel { return kernel(0, f.Salt, f.Share) }

// Reach crosses edges to vertices that weren't reached.
type Reach struct{ Round *device.Buffer[uint32] }

func (f *Reach) Visit(w operators.Worker, _ uint32, _ uint64, targets, out []uint32) int {
	round, k := f.Round.Host(), 0
	for _, t := range targets {
		if atomic.CompareAndSwapUint32(&round[t], 0, uint32(w.Level)) {
			out[k] = t
			k++
		}
	}
	return k
}
func (f *Reach) Unique() bool             { return true }
func (f *Reach) Kernel() operators.Kernel { return kernel(1, f.Round) }

// Tally counts the edges to each vertex.
type Tally struct {
	Counts *device.Buffer[uint32]
	Salt   uint32
}

// Of is what an edge counts.
func (f *Tally) Of(source uint32, edge uint64, level int32) uint32 {
	return Mix(source, f.Salt+uint32(level)+uint32(edge)) % 8
}

func (f *Tally) Visit(w operators.Worker, source uint32, first uint64, targets []uint32) {
	count := f.Counts.Host()
	for i, t := range targets {
		atomic.AddUint32(&count[t], f.Of(source, first+uint64(i), w.Level))
	}
}
func (f *Tally) Kernel() operators.Kernel { return kernel(2, f.Counts, f.Salt) }

// Lower lowers distances; a target is due in the stage that its distance is in.
type Lower struct {
	Distance *device.Buffer[uint32]
	Width    uint32 // of a stage
}

// Weight is the weight of an edge, for Lower.
func Weight(source, target uint32) uint32 { return Mix(source, target) % 64 }

func (f *Lower) Sort(_ operators.Worker, source uint32, _ uint64, targets, out, due []uint32) int {
	distance, k := f.Distance.Host(), 0
	from := atomic.LoadUint32(&distance[source])
	for _, t := range targets {
		d := from + Weight(source, t)
		for old := atomic.LoadUint32(&distance[t]); d < old; old = atomic.LoadUint32(&distance[t]) {
			if atomic.CompareAndSwapUint32(&distance[t], old, d) {
				out[k], due[k] = t, d/f.Width
				k++
				break
			}
		}
	}
	return k
}
func (f *Lower) Kernel() operators.Kernel { return kernel(3, f.Distance, f.Width) }

// Count counts the edges to each vertex, as Tally, and crosses a share of them, as Some.
type Count struct {
	Counts      *device.Buffer[uint32]
	Salt, Share uint32
}

func (f *Count) Visit(w operators.Worker, source uint32, first uint64, targets, out []uint32) int {
	(&Tally{f.Counts, f.Salt}).Visit(w, source, first, targets)
	return (&Some{f.Salt, f.Share}).Visit(w, source, first, targets, out)
}
func (f *Count) Kernel() operators.Kernel { return kernel(4, f.Counts, f.Salt, f.Share) }

// Stay keeps a share of the vertices, others in each round.
type Stay struct {
	Salt, Share uint32
	Level       func() int // of the traversal, for the host
}

// Stays reports whether a vertex stays.
func (f *Stay) Stays(v uint32, level int) bool { return Mix(v, f.Salt+uint32(level))%16 < f.Share }

func (f *Stay) Keep(_ operators.Worker, in, out []uint32) int {
	k, level := 0, f.Level()
	for _, v := range in {
		if f.Stays(v, level) {
			out[k] = v
			k++
		}
	}
	return k
}
func (f *Stay) Kernel() operators.Kernel { return kernel(0, f.Salt, f.Share) }

// Add changes the tallies of vertices, which reduce to their sum.
type Add struct {
	Counts *device.Buffer[uint32]
	Salt   uint32
}

// Of is what is added at a vertex.
func (f *Add) Of(v uint32, level int32) uint32 { return Mix(v, f.Salt+uint32(level)) % 8 }

func (f *Add) Visit(w operators.Worker, vs []uint32) (sum uint64) {
	count := f.Counts.Host()
	for _, v := range vs {
		atomic.AddUint32(&count[v], f.Of(v, w.Level))
		sum += uint64(v)
	}
	return sum
}
func (f *Add) Kernel() operators.Kernel { return kernel(1, f.Counts, f.Salt) }

// When says when a vertex is due.
type When struct {
	Distance *device.Buffer[uint32]
	Width    uint32
}

func (f *When) Due(_ operators.Worker, vs, due []uint32) {
	distance := f.Distance.Host()
	for i, v := range vs {
		due[i] = distance[v] / f.Width
	}
}
func (f *When) Kernel() operators.Kernel { return kernel(2, f.Distance, f.Width) }

// Gather adds up what the tallies of a vertex and of its neighbors differ by; vertices
// reduce to the largest sum.
type Gather struct{ Counts, Totals *device.Buffer[uint32] }

func (f *Gather) Gather(_ operators.Worker, rows []operators.Row, targets, out []uint32) {
	count := f.Counts.Host()
	for i, r := range rows {
		out[i] = 0
		for _, u := range targets[r.First : r.First+uint64(r.Len)] {
			out[i] += count[u] ^ count[r.Source]
		}
	}
}
func (f *Gather) Join(a, b uint32) uint32 { return a + b }
func (f *Gather) Apply(_ operators.Worker, vs, totals []uint32) (most uint64) {
	to := f.Totals.Host()
	for i, v := range vs {
		atomic.StoreUint32(&to[v], totals[i]) // a vertex may be in the frontier twice
		most = max(most, uint64(totals[i]))
	}
	return most
}
func (f *Gather) Kernel() operators.Kernel { return kernel(0, f.Counts, f.Totals) }

var (
	_ advance.Sorter = (*Lower)(nil)
	_ pile.Functor   = (*When)(nil)
)
