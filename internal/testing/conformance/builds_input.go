// This file holds the inputs of the tests of building on a device, and the comparison of their results.

package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/foray-graph/foray/graph"
)

// input is edges for a Builder.
type input struct {
	o       graph.Options
	batches []graph.Batch
}

// add adds all of it to a Builder.
func (in *input) add(o graph.Options) (*graph.Builder, error) {
	b := graph.NewBuilder(o)
	for _, e := range in.batches {
		if err := b.Add(e); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// edges returns how many there are.
func (in *input) edges() (n uint64) {
	for _, e := range in.batches {
		n += uint64(len(e.Dst))
		if e.DstStrings != nil {
			n += uint64(e.DstStrings.Len())
		}
	}
	return n
}

// randomInput has a row of each length class, as each class is sorted differently, and ids of all kinds.
func randomInput(r *rand.Rand, i int) *input {
	n, hubs := 1+r.IntN(1+r.IntN(1500)), []int{0, 0, 40, 110, 230, 700, 1900}[r.IntN(7)]
	if i%40 == 5 {
		n, hubs = 9000+r.IntN(9000), 9100
	}
	if i%40 == 7 { // nothing but self-loops
		n = 1
	}
	in := &input{o: graph.Options{Directed: r.IntN(2) == 0, Reverse: r.IntN(2) == 0, KeepSelfLoops: r.IntN(2) == 0, KeepDuplicates: r.IntN(3) == 0,
		Order: graph.Order(r.IntN(3)), Workers: 1 + r.IntN(3)}}
	kind := r.IntN(9)
	in.o.DenseIDs, in.o.Bipartite = kind == 0, kind == 1
	in.o.Weights, in.o.EdgeIDs = r.IntN(2) == 0, r.IntN(2) == 0
	id := func(v int) int64 {
		switch kind {
		case 0, 1, 2: // 0 to n-1
			return int64(v)
		case 3: // a few apart, from somewhere on
			return int64(v)*3 - 1000
		case 4: // far apart
			return int64(v)*7919 - 5
		case 7: // a few are far from the others
			if v == n-1 {
				return math.MaxInt64
			}
			if v > n/2 {
				return int64(v) << 33
			}
			return int64(v)
		}
		return int64(uint64(v+1) * 0x9e3779b97f4a7c15)
	}
	var src, dst []int64
	for range r.IntN(4 * n) {
		src, dst = append(src, id(r.IntN(n))), append(dst, id(r.IntN(n)))
	}
	for range r.IntN(3) {
		hub := r.IntN(n)
		for v := range min(hubs, n) {
			src, dst = append(src, id(hub)), append(dst, id(v))
			if r.IntN(4) == 0 {
				src, dst = append(src, id(r.IntN(n))), append(dst, id(hub))
			}
		}
	}
	src, dst = append(src, id(0)), append(dst, id(n-1))
	if kind == 7 && r.IntN(2) == 0 { // they come last
		slices.Sort(src)
		slices.Sort(dst)
	}
	edgeID := randomEdgeIDs(r)
	if i%40 == 9 { // vertices alone
		e := graph.Batch{Type: graph.Int64, Src: src, Vertices: true}
		if kind == 6 {
			e.Src, e.SrcStrings = nil, names(src)
		}
		in.batches, src, dst = append(in.batches, e), nil, nil
	}
	for len(src) > 0 {
		k := 1 + r.IntN(len(src))
		e := graph.Batch{Type: graph.Int64, Src: src[:k], Dst: dst[:k]}
		if kind == 6 {
			e = graph.Batch{SrcStrings: names(src[:k]), DstStrings: names(dst[:k])}
		}
		if in.o.Weights {
			e.Weights = make([]float32, k)
			for i := range e.Weights {
				e.Weights[i] = oddWeights[r.IntN(len(oddWeights))]
			}
		}
		if in.o.EdgeIDs {
			e.EdgeIDs = make([]uint64, k)
			for i := range e.EdgeIDs {
				e.EdgeIDs[i] = edgeID()
			}
		}
		in.batches = append(in.batches, e)
		src, dst = src[k:], dst[k:]
	}
	if kind > 1 && kind != 6 && r.IntN(4) == 0 {
		in.batches = append(in.batches, graph.Batch{Type: graph.Int64, Src: []int64{id(n), id(n + 1)}, Vertices: true})
	}
	return in
}

// combine has the weights of parallel edges combined, in one of the ways.
func (in *input) combine(r *rand.Rand) {
	if in.o.Combine = graph.Combine(r.IntN(4)); in.o.Combine == graph.CombineFirst && !in.o.EdgeIDs {
		in.o.Combine = graph.CombineMin
	}
	if r.IntN(2) == 0 {
		in.o.WeightType = graph.WeightsFloat32
	}
}

// sameIDs compares ids. The host numbers vertices again once it has combined edges, which may leave the same ids in another
// form.
func (in *input) sameIDs(a, b *graph.IDs) bool {
	if !in.o.Weights || in.o.Combine == graph.CombineMin {
		return reflect.DeepEqual(a, b)
	}
	if a.Len != b.Len || a.Type != b.Type {
		return false
	}
	for v := range uint32(a.Len) {
		if a.Format(v) != b.Format(v) || a.Side(v) != b.Side(v) || a.Rank(v) != b.Rank(v) {
			return false
		}
	}
	return true
}

// needsHost reports that the host built a graph because a GPU has no room for the sum of some weights.
func (in *input) needsHost(g *graph.Graph) bool {
	return in.o.Weights && in.o.Combine == graph.CombineSum && strings.Contains(g.Stats().WhyHost, "a combined weight needs 64 bits")
}

// randomEdgeIDs returns what makes the ids of edges: all are below 2^32, all are 2^32 or more, or some are.
func randomEdgeIDs(r *rand.Rand) func() uint64 {
	row := uint64(0)
	of := func(ids ...uint64) func() uint64 { return func() uint64 { return ids[r.IntN(len(ids))] } }
	switch r.IntN(9) {
	case 0, 1:
		return func() uint64 { row++; return row - 1 }
	case 2: // some are the same, and the least and the largest that 32 bits have are among them
		return of(0, 1, 2, 77, math.MaxUint32-1, math.MaxUint32)
	case 3:
		return func() uint64 { return uint64(r.Uint32()) }
	case 4: // only the first is larger
		row = 1 << 32
		return func() uint64 {
			id := row
			row = id * 7 % 1013
			return id
		}
	case 5: // they differ in their upper half alone
		return func() uint64 { return r.Uint64N(9)<<32 | 5 }
	case 6: // likewise the least and the largest of all
		return of(0, 1, 77, math.MaxUint32, 1<<32, 1<<63-1, 1<<63, math.MaxUint64-1, math.MaxUint64)
	case 7: // as numbers of transactions are
		row = 1 << 40
		return func() uint64 { row += r.Uint64N(3); return row }
	}
	return func() uint64 { return r.Uint64() | 1<<32 }
}

var oddWeights = []float32{0, float32(math.Copysign(0, -1)), 1, 2, 0.5, -1, -2, 1e-45, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}

// sameRows compares rows bit by bit.
func sameRows(a, b *graph.CSR) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Targets, b.Targets) && slices.EqualFunc(a.Weights, b.Weights, sameWeight) && slices.Equal(a.EdgeIDs, b.EdgeIDs)
}

func sameWeight(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }

func names(ids []int64) *graph.Strings {
	s := &graph.Strings{Offsets: []int64{0}}
	for _, id := range ids {
		s.Data = fmt.Appendf(s.Data, "vertex %d", id)
		s.Offsets = append(s.Offsets, int64(len(s.Data)))
	}
	return s
}
