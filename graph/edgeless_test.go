// This file tests graphs whose vertices have no edge, or of which few have one.

package graph

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestEdgeless builds graphs of vertices alone, of every kind of ids and with all options.
func TestEdgeless(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	for which, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			for i, o := range someOptionSets(which) {
				vertices := make([]testVertex, 1+r.IntN(300))
				for j := range vertices {
					vertices[j] = testVertex{k.id(r, 1+r.IntN(400)), Side(r.IntN(2))}
				}
				switch {
				case k.typ.Integer() && i%3 == 0:
					o.DenseIDs = true
					for i := range vertices {
						vertices[i].id = int64(uint8(vertices[i].id) % 120)
					}
				default:
					o.Bipartite = i%2 == 0
				}
				o.Workers, o.EdgeIDs = 1+r.IntN(8), i%5 == 0
				want := k.naiveWith(o, nil, vertices)
				b := NewBuilder(o)
				k.addWith(t, r, nil, vertices, o.Weights, b.Add)
				g, err := b.Build(context.Background())
				if err != nil {
					t.Fatalf("%+v: %v", o, err)
				}
				k.check(t, g, want, o)
				g, err = TwoPass(context.Background(), o, func(_ context.Context, yield func(Batch) error) error {
					k.addWith(t, r, nil, vertices, o.Weights, yield)
					return nil
				})
				if err != nil {
					t.Fatalf("%+v: %v", o, err)
				}
				k.check(t, g, want, o)
			}
		})
	}
}

// TestVerticesByNumber has Options.Vertices alone say which vertices there are.
func TestVerticesByNumber(t *testing.T) {
	for _, n := range []uint64{1, 2, 63, 64, 65, 5000, 200_000} {
		for i, o := range []Options{{}, {Directed: true}, {Directed: true, Reverse: true, Weights: true}, {Order: OrderDegree, EdgeIDs: true}, {Order: OrderGiven, KeepSelfLoops: true, KeepDuplicates: true, Workers: 3}} {
			o.DenseIDs, o.Vertices = true, n
			for _, batches := range [][]Batch{nil, {{}}, {ints(Int8)}} {
				t.Run(fmt.Sprint(n, i, len(batches)), func(t *testing.T) {
					g, err := buildBoth(t, o, batches...)
					if err != nil {
						t.Fatal(err)
					}
					if g.NumVertices() != int(n) || g.NumEdges() != 0 || !g.IDs().Dense() && g.IDs().Dense32 == nil || g.DegreeHistogram().Isolated != n {
						t.Errorf("%d vertices, %d edges, dense %v", g.NumVertices(), g.NumEdges(), g.IDs().Dense())
					}
					if v, err := g.Vertex(int64(n - 1)); err != nil || uint64(v) != n-1 {
						t.Errorf("the last vertex is %d, %v", v, err)
					}
					if w := g.Out().Weights; (w != nil) != o.Weights {
						t.Errorf("weights are %v", w)
					}
				})
			}
		}
	}
}

// TestAppendVertices appends graphs of vertices with few edges, or none, to each other, and compares the
// result with the graph that a Builder makes of both.
func TestAppendVertices(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 5))
	for round := range 200 {
		o := Options{Directed: r.IntN(2) == 0, KeepSelfLoops: r.IntN(2) == 0, Bipartite: r.IntN(3) == 0, Weights: r.IntN(2) == 0, Order: Order(r.IntN(3))}
		o.Reverse = o.Directed && r.IntN(2) == 0
		both := NewBuilder(o)
		var parts [2]*Graph
		for i := range parts {
			b := NewBuilder(o)
			var vertices, src, dst []int64
			for range 1 + r.IntN(9) {
				vertices = append(vertices, r.Int64N(30)*7-20)
			}
			for range r.IntN(4) {
				src, dst = append(src, r.Int64N(30)*7-20), append(dst, r.Int64N(30)*7-20)
			}
			var weights []float32
			for range src {
				weights = append(weights, float32(r.IntN(4)))
			}
			side := Side(r.IntN(2))
			for _, to := range []*Builder{b, both} {
				if err := AddVertices(to, side, vertices); err != nil {
					t.Fatal(err)
				}
				if err := AddInts(to, src, dst, weights); err != nil {
					t.Fatal(err)
				}
			}
			g, err := b.Build(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			parts[i] = g
		}
		want, err := both.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got, err := parts[0].Append(context.Background(), parts[1], AppendOptions{})
		if err != nil {
			t.Fatalf("round %d, %+v: %v", round, o, err)
		}
		if got.NumVertices() != want.NumVertices() || got.NumEdges() != want.NumEdges() || got.Stats() != want.Stats() || got.DegreeHistogram().Isolated != want.DegreeHistogram().Isolated {
			t.Fatalf("round %d, %+v: %d vertices, %d edges, %+v; want %d, %d, %+v", round, o, got.NumVertices(), got.NumEdges(), got.Stats(), want.NumVertices(), want.NumEdges(), want.Stats())
		}
		for v := range uint32(want.NumVertices()) {
			at, err := got.ParseVertex(want.IDs().Format(v))
			if err != nil || got.Degree(at) != want.Degree(v) {
				t.Fatalf("round %d: vertex %s: %v", round, want.IDs().Format(v), err)
			}
		}
		less, err := got.RemoveEdges(context.Background(), parts[1], AppendOptions{})
		if err != nil || less.NumVertices() != want.NumVertices() || less.NumEdges() > parts[0].NumEdges() {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}
