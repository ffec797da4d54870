// This file holds the tests of the order of ids, against its definition.

package bench

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// random makes a graph of random edges, with ids of the given type.
func random(t *testing.T, rng *rand.Rand, typ graph.IDType, o graph.Options) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder(o)
	m := 1 + rng.IntN(300)
	batch := graph.Batch{Type: typ}
	if typ.Integer() {
		for range 2 * m {
			id := int64(rng.IntN(200))
			if !o.DenseIDs {
				id = id*1_000_003 - 50_000_000 // a Uint64's are large then
			}
			if len(batch.Src) <= len(batch.Dst) {
				batch.Src = append(batch.Src, id)
			} else {
				batch.Dst = append(batch.Dst, id)
			}
		}
	} else {
		column := func() *graph.Strings {
			s := &graph.Strings{Offsets: []int64{0}, Binary: typ == graph.Binary}
			for range m {
				for range rng.IntN(4) {
					s.Data = append(s.Data, byte('a'+rng.IntN(4)))
				}
				s.Offsets = append(s.Offsets, int64(len(s.Data)))
			}
			return s
		}
		batch.SrcStrings, batch.DstStrings = column(), column()
	}
	if err := b.Add(batch); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		typ := []graph.IDType{graph.Int64, graph.Uint64, graph.Int32, graph.String, graph.Binary}[i%5]
		o := graph.Options{Order: graph.Order(i % 3), DenseIDs: typ.Integer() && i%2 == 0}
		if o.DenseIDs && typ == graph.Uint64 {
			typ = graph.Uint32
		}
		g := random(t, rng, typ, o)
		ids, order := g.IDs(), ExternalOrder(g.IDs())
		want := make([]uint32, g.NumVertices())
		for v := range want {
			want[v] = uint32(v)
		}
		slices.SortFunc(want, func(v, w uint32) int {
			switch {
			case !typ.Integer():
				return cmp.Compare(string(ids.Bytes(v)), string(ids.Bytes(w)))
			case typ.Signed():
				return cmp.Compare(ids.Int(v), ids.Int(w))
			}
			return cmp.Compare(uint64(ids.Int(v)), uint64(ids.Int(w)))
		})
		for r, v := range want {
			if order.Vertex(uint32(r)) != v || order.Rank(v) != uint32(r) {
				t.Fatalf("%v, %+v: rank %d is vertex %d of rank %d, want vertex %d", typ, o, r, order.Vertex(uint32(r)), order.Rank(v), v)
			}
		}
	}
}

// TestSources: the same graph in another order gives the same sources.
func TestSources(t *testing.T) {
	for i := range 100 {
		var ids [3][]string
		for j, order := range []graph.Order{graph.OrderGiven, graph.OrderDegree, graph.OrderAuto} {
			rng := rand.New(rand.NewPCG(3, uint64(i)))
			g := random(t, rng, []graph.IDType{graph.Int64, graph.String}[i%2], graph.Options{Order: order, Directed: i%4 > 1})
			k := 1 + i%40
			sources := Sources(g, ExternalOrder(g.IDs()), k, uint64(i))
			searchable := 0
			for v := range uint32(g.NumVertices()) {
				if g.Degree(v) > 0 {
					searchable++
				}
			}
			if len(sources) != min(k, searchable) {
				t.Fatalf("%d sources of %d, asked for %d", len(sources), searchable, k)
			}
			for _, v := range sources {
				if g.Degree(v) == 0 {
					t.Fatalf("source %d has no out-edge", v)
				}
				ids[j] = append(ids[j], g.IDs().Format(v))
			}
			if len(slices.Compact(slices.Sorted(slices.Values(sources)))) != len(sources) {
				t.Fatalf("a source comes twice: %v", sources)
			}
		}
		if !slices.Equal(ids[0], ids[1]) || !slices.Equal(ids[0], ids[2]) {
			t.Fatalf("sources differ by order: %v", ids)
		}
	}
}

// TestSourcesSpread: every vertex is drawn about equally often, and seeds differ.
func TestSourcesSpread(t *testing.T) {
	p := placed(t, "cycle:10", graph.Options{})
	count := make([]int, 10)
	first := map[uint32]int{}
	for seed := range uint64(1000) {
		for i, v := range Sources(p.Graph(), ExternalOrder(p.Graph().IDs()), 3, seed) {
			count[v]++
			if i == 0 {
				first[v]++
			}
		}
	}
	for v, c := range count {
		// 300 on average; 14.5 is the standard deviation.
		if c < 200 || c > 400 || first[uint32(v)] < 50 || first[uint32(v)] > 160 {
			t.Errorf("vertex %d is drawn %d times, first %d times", v, c, first[uint32(v)])
		}
	}
}

func TestGather(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var g given
	for i := range 60 {
		gr := random(t, rng, graph.Int64, graph.Options{Order: graph.Order(i % 3)})
		o := ExternalOrder(gr.IDs())
		n := gr.NumVertices()
		f := found{depths: make([]int32, n)}
		for v := range n {
			f.depths[v] = int32(rng.IntN(9)) - 1
		}
		g.gather(o, &f)
		if len(f.given.depths) != n || f.given.parents != nil {
			t.Fatalf("%d depths and %d parents of %d vertices", len(f.given.depths), len(f.given.parents), n)
		}
		for v := range n {
			if r := o.Rank(uint32(v)); f.given.depths[r] != f.depths[v] {
				t.Fatalf("depth of rank %d", r)
			}
		}
	}
}
