package graph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestContract compares quotient graphs with a loop over the edges.
func TestContract(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(testlong.Rounds(80, 1000)) {
		rng := rand.New(rand.NewPCG(seed, 50))
		in := Options{Directed: rng.IntN(2) == 0, KeepSelfLoops: rng.IntN(2) == 0, KeepDuplicates: rng.IntN(2) == 0, Weights: rng.IntN(2) == 0, Order: Order(rng.IntN(3))}
		in.Reverse = in.Directed && rng.IntN(2) == 0
		rows := append(randomRows(rng, 1+rng.IntN(300), 2+rng.IntN(40)), columnRow{src: 0, dst: 1})
		b := NewBuilder(in)
		e := batchOf(rows, nil)
		e.Columns, e.EdgeIDs = nil, nil
		if !in.Weights {
			e.IntWeights = nil
		}
		if err := b.Add(e); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(ctx)
		if err != nil {
			t.Fatal(err)
		}
		labels := make([]uint32, g.NumVertices())
		some, scale := 1+rng.Uint32N(12), []uint32{1, 1000, 1 << 28}[rng.IntN(3)]
		for v := range labels {
			if labels[v] = rng.Uint32N(some) * scale; rng.IntN(10) == 0 {
				labels[v] = NoVertex
			}
		}
		o := Options{Weights: true, Combine: []Combine{CombineMin, CombineMax, CombineSum}[rng.IntN(3)], KeepSelfLoops: rng.IntN(2) == 0,
			Reverse: rng.IntN(2) == 0, Order: Order(rng.IntN(3)), Workers: 1 + rng.IntN(3)}
		type pair struct{ from, to uint32 }
		want, used := map[pair]int64{}, map[uint32]bool{}
		for v, l := range labels {
			if l == NoVertex {
				continue
			}
			used[l] = true
			for i := g.out.Offsets[v]; i < g.out.Offsets[v+1]; i++ {
				w, weight := g.out.Targets[i], int64(1)
				if in.Weights {
					weight = g.out.IntWeight(i)
				}
				other := labels[w]
				if other == NoVertex || !g.directed && w < uint32(v) || other == l && !o.KeepSelfLoops {
					continue
				}
				p := pair{l, other}
				if !g.directed {
					p = pair{min(l, other), max(l, other)}
				}
				switch was, ok := want[p]; {
				case !ok:
					want[p] = weight
				case o.Combine == CombineSum:
					want[p] += weight
				case o.Combine == CombineMin:
					want[p] = min(was, weight)
				default:
					want[p] = max(was, weight)
				}
			}
		}
		if !g.directed {
			for p, w := range maps.Clone(want) {
				want[pair{p.to, p.from}] = w
			}
		}
		to, err := g.Contract(ctx, labels, o)
		if len(used) == 0 {
			if !errors.Is(err, ErrEmpty) {
				t.Fatal(err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got := map[pair]int64{}
		for v := range uint32(to.NumVertices()) {
			l := uint32(to.IDs().Int(v))
			if !used[l] {
				t.Fatalf("seed %d: a vertex of label %d", seed, l)
			}
			if x, err := to.Vertex(int64(l)); err != nil || x != v {
				t.Fatalf("seed %d: label %d is vertex %d, %v; want %d", seed, l, x, err, v)
			}
			for i := to.out.Offsets[v]; i < to.out.Offsets[v+1]; i++ {
				got[pair{l, uint32(to.IDs().Int(to.out.Targets[i]))}] = to.out.IntWeight(i)
			}
		}
		if !maps.Equal(got, want) || to.NumVertices() != len(used) || len(got) != int(to.NumDirectedEdges()) || to.Directed() != g.Directed() {
			t.Fatalf("seed %d, %+v: %v\nwant %v", seed, o, got, want)
		}
	}
}

// TestContractColumns keeps the columns and the id of the lightest edge between two labels, as Boruvka's algorithm needs it.
func TestContractColumns(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(testlong.Rounds(30, 300)) {
		rng := rand.New(rand.NewPCG(seed, 51))
		o := Options{EdgeColumns: columnNames, KeepDuplicates: true, Directed: rng.IntN(2) == 0}
		rows := append(randomRows(rng, 1+rng.IntN(200), 2+rng.IntN(20)), columnRow{src: 0, dst: 1, kind: "kkk"})
		g := withRows(t, rng, rows, o)
		labels := make([]uint32, g.NumVertices())
		for v := range labels {
			labels[v] = uint32(g.IDs().Int(uint32(v)) % 3)
		}
		q := Options{EdgeColumns: []string{"kind", "i32", "i64"}, Merge: MergeLeast, MergeBy: "i32", EdgeIDs: true, Workers: 1 + rng.IntN(3)}
		to, err := g.Contract(ctx, labels, q)
		if err != nil {
			t.Fatal(err)
		}
		i32, _ := g.EdgeColumn("i32")
		kinds, _ := g.EdgeColumn("kind")
		least, _ := to.EdgeColumn("i32")
		kept, _ := to.EdgeColumn("kind")
		for v := range uint32(to.NumVertices()) {
			for i := to.out.Offsets[v]; i < to.out.Offsets[v+1]; i++ {
				a, b, best := uint32(to.IDs().Int(v)), uint32(to.IDs().Int(to.out.Targets[i])), uint64(1)<<63
				for u := range labels {
					for e := g.out.Offsets[u]; e < g.out.Offsets[u+1]; e++ {
						w := g.out.Targets[e]
						if same := labels[u] == a && labels[w] == b || !g.directed && labels[u] == b && labels[w] == a; !same || !g.directed && w < uint32(u) {
							continue
						}
						if best == 1<<63 || i32.Values.([]int32)[e] < i32.Values.([]int32)[best] {
							best = e
						}
					}
				}
				if to.out.EdgeIDs[i] != best || least.Values.([]int32)[i] != i32.Values.([]int32)[best] || valueOf(&kept, int(i)) != valueOf(&kinds, int(best)) {
					t.Fatalf("seed %d: between %d and %d stays edge %d, want %d", seed, a, b, to.out.EdgeIDs[i], best)
				}
			}
		}
	}
}

func valueOf(c *Column, e int) string {
	code := c.Values.([]uint32)[e]
	if code == NoCode {
		return "missing"
	}
	return string(c.Dictionary.Value(int(code)))
}

// TestContractWeights keeps the type of weights, also of those that float32 holds exactly.
func TestContractWeights(t *testing.T) {
	for _, c := range []struct {
		csr  CSR
		typ  WeightType
		want string
	}{
		{CSR{Weights: []float32{1, 2, 4, 8}}, WeightsInt64, "[15]"},
		{CSR{Weights: []float32{1, 2, 4, 8}}, WeightsFloat64, "[15]"},
		{CSR{Weights: []float32{1, 2, 4, 8}}, WeightsFloat32, "[15]"},
		{CSR{Weights: []float32{0.1, 0.2, 0.3, 0.4}, FloatWeights: []float64{0.1, 0.2, 0.3, 0.4}}, WeightsFloat64, "[1]"},
		{CSR{}, WeightsInt64, "[4]"},
	} {
		c.csr.Offsets, c.csr.Targets = []uint64{0, 2, 4, 4, 4}, []uint32{2, 3, 2, 3}
		typ := c.typ
		if c.csr.Weights == nil {
			typ = WeightsAuto
		}
		g, err := FromCSR(c.csr, CSROptions{Directed: true, WeightType: typ})
		if err != nil {
			t.Fatal(err)
		}
		to, err := g.Contract(context.Background(), []uint32{7, 7, 9, 9}, Options{Weights: true, Combine: CombineSum, Order: OrderGiven})
		if err != nil {
			t.Fatal(err)
		}
		var weights []float64
		for e := range to.NumDirectedEdges() {
			weights = append(weights, to.Out().FloatWeight(e))
		}
		if to.WeightType() != c.typ || fmt.Sprint(weights) != c.want || !slices.Equal(to.Out().Targets, []uint32{1}) {
			t.Errorf("%v: weights %v of type %v, want %s", c.typ, weights, to.WeightType(), c.want)
		}
	}
}

// TestContractErrors refuses labels and options that don't fit.
func TestContractErrors(t *testing.T) {
	ctx := context.Background()
	g, err := FromCSR(CSR{Offsets: []uint64{0, 1, 2}, Targets: []uint32{1, 0}, Weights: []float32{1, 1}}, CSROptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		labels []uint32
		o      Options
		is     error
	}{
		{[]uint32{1}, Options{}, ErrMalformed},
		{[]uint32{NoVertex, NoVertex}, Options{}, ErrEmpty},
		{[]uint32{1, 2}, Options{DenseIDs: true}, ErrOptions},
		{[]uint32{1, 2}, Options{Bipartite: true}, ErrOptions},
		{[]uint32{1, 2}, Options{EdgeColumns: []string{"ts"}}, ErrNoColumn},
		{[]uint32{1, 2}, Options{Workers: -1}, ErrOptions},
		{[]uint32{1, 2}, Options{Combine: 9}, ErrOptions},
	} {
		if _, err := g.Contract(ctx, c.labels, c.o); !errors.Is(err, c.is) {
			t.Errorf("%v %+v: %v, want %v", c.labels, c.o, err, c.is)
		}
	}
	if _, err := (*Graph)(nil).Contract(ctx, nil, Options{}); !errors.Is(err, ErrNoGraph) {
		t.Error(err)
	}
	one, err := g.Contract(ctx, []uint32{5, 5}, Options{})
	if err != nil || one.NumVertices() != 1 || one.NumEdges() != 0 {
		t.Errorf("one label: %v", err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := g.Contract(stopped, []uint32{1, 2}, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestContractCounts: weights that count edges are exact, whatever type weights would have had.
func TestContractCounts(t *testing.T) {
	b := NewBuilder(Options{Directed: true, WeightType: WeightsFloat32})
	if err := b.Add(Batch{Src: []int64{0, 1}, Dst: []int64{1, 2}}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q, err := g.Contract(t.Context(), []uint32{0, 1, 1}, Options{Weights: true, Combine: CombineSum})
	if err != nil || q.WeightType() != WeightsInt64 {
		t.Errorf("%v, %v", q.WeightType(), err)
	}
}
