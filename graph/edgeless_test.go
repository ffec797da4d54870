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
					o.SeparateIDs = i%2 == 0
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
