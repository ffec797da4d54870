// Package byhand has functors with handwritten Go loops and CUDA C++ kernels. Tests and
// bench/functors.go compare functors written in Go with them. Their device side is byhand.cu.
package byhand

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
)

// Relax lowers the distance of an edge's target, which isn't negative: shortest paths.
type Relax struct{ Dist, Weights *device.Buffer[float32] }

// Visit lets the targets through whose distance got smaller.
func (f *Relax) Visit(w operators.Worker, source uint32, first uint64, targets, out []uint32) int {
	bits, weights, k := words(f.Dist.Host()), f.Weights.Host()[first:][:len(targets)], 0
	mine := math.Float32frombits(atomic.LoadUint32(&bits[source]))
	for i, t := range targets {
		d := math.Float32bits(mine + weights[i])
		for old := atomic.LoadUint32(&bits[t]); d < old; old = atomic.LoadUint32(&bits[t]) {
			if atomic.CompareAndSwapUint32(&bits[t], old, d) {
				out[k] = t
				k++
				break
			}
		}
	}
	return k
}

// words are the bits of floats.
func words(x []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// Kernel names the device side, and lists its fields.
func (f *Relax) Kernel() operators.Kernel {
	return operators.Kernel{Image: image, Name: "relax", Fields: []any{f.Dist, f.Weights}}
}

// Lower lowers the label of an edge's target to that of its source: components.
type Lower struct{ Label *device.Buffer[uint32] }

// Visit lets the targets through whose label got smaller.
func (f *Lower) Visit(_ operators.Worker, source uint32, _ uint64, targets, out []uint32) int {
	label, k := f.Label.Host(), 0
	mine := atomic.LoadUint32(&label[source])
	for _, t := range targets {
		for old := atomic.LoadUint32(&label[t]); mine < old; old = atomic.LoadUint32(&label[t]) {
			if atomic.CompareAndSwapUint32(&label[t], old, mine) {
				out[k] = t
				k++
				break
			}
		}
	}
	return k
}

// Kernel names the device side, and lists its fields.
func (f *Lower) Kernel() operators.Kernel {
	return operators.Kernel{Image: image, Name: "lower", Fields: []any{f.Label}}
}

// Update computes a vertex's rank from the sum of its in-neighbors' shares: PageRank.
type Update struct {
	Sum, Rank, Share *device.Buffer[float32]
	Degree           *device.Buffer[uint32]
	Damping          float32
}

// Visit returns by how much the ranks change.
func (f *Update) Visit(_ operators.Worker, vs []uint32) (change float64) {
	sum, rank, share, degree := f.Sum.Host(), f.Rank.Host(), f.Share.Host(), f.Degree.Host()
	base := (1 - f.Damping) / float32(len(rank))
	for _, v := range vs {
		now := base + f.Damping*sum[v]
		change += math.Abs(float64(now - rank[v]))
		rank[v], share[v] = now, now/float32(max(degree[v], 1))
	}
	return change
}

// Kernel names the device side, and lists its fields.
func (f *Update) Kernel() operators.Kernel {
	return operators.Kernel{Image: image, Name: "rank", Fields: []any{f.Sum, f.Rank, f.Share, f.Degree, f.Damping, uint32(f.Rank.Len())}}
}

// Sum sets Totals[v] to the sum of Values over the in-neighbors of v, for reduce.In. Its device
// side is foray::SumOfValues.
type Sum struct{ Values, Totals *device.Buffer[float32] }

// Gather adds up values.
func (f *Sum) Gather(_ operators.Worker, rows []operators.Row, targets []uint32, out []float32) {
	values := f.Values.Host()
	for i, r := range rows {
		sum := float32(0)
		for _, u := range targets[r.First : r.First+uint64(r.Len)] {
			sum += values[u]
		}
		out[i] = sum
	}
}

// Join adds two sums.
func (f *Sum) Join(a, b float32) float32 { return a + b }

// Apply stores the totals.
func (f *Sum) Apply(_ operators.Worker, vs []uint32, totals []float32) uint64 {
	to := f.Totals.Host()
	for i, v := range vs {
		to[v] = totals[i]
	}
	return 0
}

// Kernel names the device side, and lists its fields.
func (f *Sum) Kernel() operators.Kernel {
	return operators.Kernel{Image: image, Name: "rank", Fields: []any{f.Values, f.Totals}}
}
