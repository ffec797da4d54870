// This file tests graphs with no edges or odd ones, builders that are used twice, and
// batches that change between passes.

package graph

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/device"
)

// TestBuildOddGraphs has the graphs that are barely ones.
func TestBuildOddGraphs(t *testing.T) {
	for _, c := range []struct {
		name            string
		o               Options
		batch           Batch
		vertices, edges int
	}{
		{"one vertex", Options{}, ints(Int64, 5, 5), 1, 0},
		{"one vertex and its loop", Options{KeepSelfLoops: true}, ints(Int64, 5, 5), 1, 1},
		{"loops only", Options{Directed: true, Reverse: true}, ints(Int64, 5, 5, 1<<40, 1<<40), 2, 0},
		{"loops only, dense", Options{DenseIDs: true}, ints(Int64, 0, 0, 9, 9), 10, 0},
		{"loops of strings", Options{}, Batch{SrcStrings: column(false, "", "x"), DstStrings: column(false, "", "x")}, 2, 0},
		{"the whole range", Options{}, ints(Int64, math.MinInt64, math.MaxInt64, 0, -1), 4, 4},
		{"the whole range, unsigned", Options{}, ints(Uint64, 0, -1), 2, 2},
		{"2^32 apart", Options{}, ints(Int64, -3, 1<<32-4), 2, 2},
		{"one more", Options{}, ints(Int64, -3, 1<<32-3), 2, 2},
		{"int32, all of it", Options{}, ints(Int32, math.MinInt32, math.MaxInt32, 0, 1), 4, 4},
	} {
		for _, order := range []Order{OrderAuto, OrderDegree, OrderGiven} {
			c.o.Order = order
			g, err := buildBoth(t, c.o, c.batch)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if g.NumVertices() != c.vertices || int(g.NumDirectedEdges()) != c.edges {
				t.Errorf("%s: %d vertices and %d edges, want %d and %d", c.name, g.NumVertices(), g.NumDirectedEdges(), c.vertices, c.edges)
			}
			if err := g.Out().Check(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// TestDenseStoresNothing checks the memory of the id map of dense ids.
func TestDenseStoresNothing(t *testing.T) {
	batch := ints(Int64, 0, 3, 1, 3, 2, 3, 4, 3)
	for _, declared := range []bool{false, true} {
		g, err := buildBoth(t, Options{DenseIDs: declared, Order: OrderGiven}, batch)
		if err != nil {
			t.Fatal(err)
		}
		if !g.IDs().Dense() {
			t.Errorf("declared %v: the id map is not dense", declared)
		}
		g, err = buildBoth(t, Options{DenseIDs: declared, Order: OrderDegree}, batch)
		if err != nil {
			t.Fatal(err)
		}
		if m := g.IDs(); m.Dense() || m.Ints != nil || len(m.Dense32) != 5 || m.Int(0) != 3 || m.Format(1) != "0" {
			t.Errorf("declared %v: %+v", declared, m)
		}
	}
}

// TestMemoryRefusedWhileAdding says that the Builder doesn't wait for Build.
func TestMemoryRefusedWhileAdding(t *testing.T) {
	const limit = 8 << 20
	b := NewBuilder(Options{MemoryLimit: limit})
	src, dst := make([]int64, 1000), make([]int64, 1000)
	r := rand.New(rand.NewPCG(1, 1))
	for added := 0; ; added += len(src) {
		for i := range src {
			src[i], dst[i] = r.Int64(), r.Int64()
		}
		err := AddInts(b, src, dst, nil)
		if err == nil {
			if added > limit/8 {
				t.Fatalf("%d edges are in", added)
			}
			continue
		}
		if !errors.Is(err, device.ErrMemory) || added == 0 {
			t.Fatalf("after %d edges: %v", added, err)
		}
		if again := AddInts(b, src, dst, nil); again != err {
			t.Errorf("then %v", again)
		}
		if _, again := b.Build(context.Background()); again != err {
			t.Errorf("then %v", again)
		}
		return
	}
}

func TestBuilderIsUsedOnce(t *testing.T) {
	b := NewBuilder(Options{})
	if err := b.Add(ints(Int64, 1, 2)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := b.Add(ints(Int64, 1, 2)); !errors.Is(err, errBuilt) {
		t.Error(err)
	}
	if _, err := b.Build(context.Background()); !errors.Is(err, errBuilt) {
		t.Error(err)
	}
}

// TestTwoPassNoticesChanges reads other edges the second time.
func TestTwoPassNoticesChanges(t *testing.T) {
	first := []Batch{ints(Int64, 1, 2, 3, 4, 5, 6)}
	for name, second := range map[string][]Batch{
		"fewer":         {ints(Int64, 1, 2, 3, 4)},
		"more":          {ints(Int64, 1, 2, 3, 4, 5, 6), ints(Int64, 1, 2)},
		"other edges":   {ints(Int64, 1, 2, 1, 4, 5, 6)},
		"other ids":     {ints(Int64, 1, 2, 3, 4, 5, 7)},
		"past the rest": {ints(Int64, 1, 2, 3, 4, 5, 70)},
	} {
		for _, dense := range []bool{false, true} {
			reads := 0
			_, err := TwoPass(context.Background(), Options{DenseIDs: dense}, func(_ context.Context, yield func(Batch) error) error {
				reads++
				batches := first
				if reads == 2 {
					batches = second
				}
				for _, e := range batches {
					if err := yield(e); err != nil {
						return err
					}
				}
				return nil
			})
			if !errors.Is(err, ErrMalformed) {
				t.Errorf("%s, dense %v: %v", name, dense, err)
			}
		}
	}
	broken := errors.New("broken")
	if _, err := TwoPass(context.Background(), Options{}, func(context.Context, func(Batch) error) error { return broken }); err != broken {
		t.Error(err)
	}
}
