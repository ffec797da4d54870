package composed_test

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
)

// The tile loops that a person writes, for comparison.

type handRelax struct {
	dist    *device.Buffer[float32]
	weights *device.Buffer[float32]
	most    float32
}

func (f *handRelax) Visit(w operators.Worker, source uint32, first uint64, targets, out []uint32) int {
	dist, weights, k := f.dist.Host(), f.weights.Host()[first:], 0
	word := func(v uint32) *uint32 { return (*uint32)(unsafe.Pointer(&dist[v])) }
	from := math.Float32frombits(atomic.LoadUint32(word(source)))
	for i, t := range targets {
		d := from + weights[i]
		if d >= f.most {
			continue
		}
		for {
			old := atomic.LoadUint32(word(t))
			if d >= math.Float32frombits(old) {
				break
			}
			if atomic.CompareAndSwapUint32(word(t), old, math.Float32bits(d)) {
				out[k] = t
				k++
				break
			}
		}
	}
	return k
}

func (f *handRelax) VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int {
	dist, all, k := f.dist.Host(), f.weights.Host(), 0
	word := func(v uint32) *uint32 { return (*uint32)(unsafe.Pointer(&dist[v])) }
	for _, r := range rows {
		some := targets[r.First : r.First+uint64(r.Len)]
		weights := all[r.First:][:len(some)]
		from := math.Float32frombits(atomic.LoadUint32(word(r.Source)))
		for i, t := range some {
			d := from + weights[i]
			if d >= f.most {
				continue
			}
			for {
				old := atomic.LoadUint32(word(t))
				if d >= math.Float32frombits(old) {
					break
				}
				if w.Alone {
					dist[t] = d
				} else if !atomic.CompareAndSwapUint32(word(t), old, math.Float32bits(d)) {
					continue
				}
				out[k] = t
				k++
				break
			}
		}
	}
	return k
}

type handLower struct{ label *device.Buffer[uint32] }

func (f *handLower) Visit(w operators.Worker, source uint32, first uint64, targets, out []uint32) int {
	rows := [1]operators.Row{{Source: source, Len: uint32(len(targets))}}
	return f.VisitRows(w, rows[:], targets, out)
}

func (f *handLower) VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int {
	label, k := f.label.Host(), 0
	for _, r := range rows {
		mine := atomic.LoadUint32(&label[r.Source])
		for _, t := range targets[r.First : r.First+uint64(r.Len)] {
			for old := atomic.LoadUint32(&label[t]); mine < old; old = atomic.LoadUint32(&label[t]) {
				if w.Alone {
					label[t] = mine
				} else if !atomic.CompareAndSwapUint32(&label[t], old, mine) {
					continue
				}
				out[k] = t
				k++
				break
			}
		}
	}
	return k
}

type handHop struct {
	depth   *device.Buffer[int32]
	weights *device.Buffer[float32]
	most    float32
}

func (f *handHop) Visit(w operators.Worker, source uint32, first uint64, targets, out []uint32) int {
	depth, weights, k := f.depth.Host(), f.weights.Host()[first:], 0
	for i, t := range targets {
		if weights[i] <= f.most && atomic.LoadInt32(&depth[t]) < 0 && atomic.CompareAndSwapInt32(&depth[t], -1, w.Level) {
			out[k] = t
			k++
		}
	}
	return k
}

func (f *handHop) VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int {
	depth, all, k := f.depth.Host(), f.weights.Host(), 0
	for _, r := range rows {
		some := targets[r.First : r.First+uint64(r.Len)]
		weights := all[r.First:][:len(some)]
		for i, t := range some {
			if weights[i] > f.most {
				continue
			}
			if w.Alone {
				if depth[t] < 0 {
					depth[t] = w.Level
					out[k] = t
					k++
				}
			} else if atomic.LoadInt32(&depth[t]) < 0 && atomic.CompareAndSwapInt32(&depth[t], -1, w.Level) {
				out[k] = t
				k++
			}
		}
	}
	return k
}

type handAdopt struct {
	parent *device.Buffer[uint32]
	depth  *device.Buffer[int32]
}

func (f *handAdopt) Found(w operators.Worker, vertices, parents []uint32) {
	parent, depth := f.parent.Host(), f.depth.Host()
	for i, v := range vertices {
		parent[v], depth[v] = parents[i], w.Level
	}
}

type handCross struct {
	depth   *device.Buffer[int32]
	by      *device.Buffer[uint64]
	tries   *device.Buffer[uint32]
	weights *device.Buffer[float32]
	most    float32
}

func (*handCross) Found(operators.Worker, []uint32, []uint32) {}

func (f *handCross) HitEdges(w operators.Worker, vertices, _ []uint32, edges []uint64, hits []bool) {
	depth, by, tries, weights := f.depth.Host(), f.by.Host(), f.tries.Host(), f.weights.Host()
	for i, v := range vertices {
		tries[v]++
		if weights[edges[i]] <= f.most {
			depth[v], by[v], hits[i] = w.Level, edges[i], true
		}
	}
}

type handRank struct {
	share, next, rank *device.Buffer[float32]
	degree            *device.Buffer[uint32]
	damping, base     float32
}

func (f *handRank) Gather(_ operators.Worker, rows []operators.Row, targets []uint32, out []float32) {
	share := f.share.Host()
	for i, r := range rows {
		sum := float32(0)
		for _, u := range targets[r.First : r.First+uint64(r.Len)] {
			sum += share[u]
		}
		out[i] = sum
	}
}

func (f *handRank) Join(a, b float32) float32 { return a + b }

func (f *handRank) Apply(_ operators.Worker, vs []uint32, totals []float32) (change float64) {
	rank, next, degree := f.rank.Host(), f.next.Host(), f.degree.Host()
	for i, v := range vs {
		now := f.base + f.damping*totals[i]
		change += math.Abs(float64(now - rank[v]))
		rank[v], next[v] = now, now/float32(max(degree[v], 1))
	}
	return change
}

type handExcess struct {
	value *device.Buffer[float64]
	limit float64
}

func (f *handExcess) Visit(_ operators.Worker, vs []uint32) (sum float64) {
	value := f.value.Host()
	for _, v := range vs {
		sum += max(value[v]-f.limit, 0)
	}
	return sum
}

type handBelow struct {
	degree *device.Buffer[uint32]
	limit  uint32
}

func (f *handBelow) Keep(_ operators.Worker, in, out []uint32) int {
	degree, k := f.degree.Host(), 0
	for _, v := range in {
		out[k] = v
		is := 0 // no branch: it would be mispredicted
		if degree[v] < f.limit {
			is = 1
		}
		k += is
	}
	return k
}
