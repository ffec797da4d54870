// This file tests that Reorder gives what building in that order gives.

package graph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// randomBuild builds a graph of random edges, with hubs or without.
func randomBuild(t *testing.T, r *rand.Rand, o Options) func(Order) *Graph {
	n, m := 1+r.IntN(300), 1+r.IntN(2000)
	strings, skew, seed := r.IntN(3) == 0, r.IntN(2) == 0, r.Uint64()
	dense := r.IntN(2) == 0
	return func(order Order) *Graph {
		r := rand.New(rand.NewPCG(seed, 1))
		o.Order = order
		b := NewBuilder(o)
		id := func() int64 {
			x := r.IntN(n)
			if skew {
				x = r.IntN(1 + r.IntN(1+x))
			}
			if dense {
				return int64(x)
			}
			return int64(x)*1_000_003 - 77
		}
		e := Batch{Type: Int64, SrcStrings: &Strings{Offsets: []int64{0}}, DstStrings: &Strings{Offsets: []int64{0}}}
		for range m {
			u, v := id(), id()
			e.Src, e.Dst = append(e.Src, u), append(e.Dst, v)
			for s, x := range map[*Strings]int64{e.SrcStrings: u, e.DstStrings: v} {
				s.Data = append(s.Data, fmt.Sprint(x)...)
				s.Offsets = append(s.Offsets, int64(len(s.Data)))
			}
			if o.Weights {
				e.Weights = append(e.Weights, float32(r.IntN(5)))
			}
			if o.EdgeIDs {
				e.EdgeIDs = append(e.EdgeIDs, r.Uint64N(50))
			}
		}
		if strings {
			e.Type, e.Src, e.Dst = String, nil, nil
		} else {
			e.SrcStrings, e.DstStrings = nil, nil
		}
		if err := b.Add(e); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
}

// sameGraph compares all arrays of two graphs.
func sameGraph(t *testing.T, got, want *Graph) {
	t.Helper()
	if !reflect.DeepEqual(got.Out(), want.Out()) || !reflect.DeepEqual(got.In(), want.In()) {
		t.Fatalf("rows\n%v\n%v\nwant\n%v\n%v", got.Out(), got.In(), want.Out(), want.In())
	}
	if got.Order() != want.Order() || got.Directed() != want.Directed() || got.Stats() != want.Stats() {
		t.Fatalf("order %v, stats %+v; want %v, %+v", got.Order(), got.Stats(), want.Order(), want.Stats())
	}
	a, b := got.IDs(), want.IDs()
	if a.Type != b.Type || !reflect.DeepEqual(a.Sides, b.Sides) {
		t.Fatalf("ids %+v\nwant %+v", a, b)
	}
	byA, byB := a.ByID(), b.ByID() // nil or written out where they are in order
	for i := range want.NumVertices() {
		if at(byA, i) != at(byB, i) {
			t.Fatalf("%d-th id: vertex %d, want %d", i, at(byA, i), at(byB, i))
		}
	}
	for v := range uint32(want.NumVertices()) {
		text := b.Format(v)
		if got := a.Format(v); got != text {
			t.Fatalf("vertex %d has id %s, want %s", v, got, text)
		}
		if w, err := got.ParseVertex(text); err != nil || w != v {
			t.Fatalf("id %s is vertex %d (%v), want %d", text, w, err, v)
		}
	}
}

func TestReorder(t *testing.T) {
	testlong.Project(t)
	r := rand.New(rand.NewPCG(11, 12))
	ctx := context.Background()
	moved, graphs := 0, 150
	if raced {
		graphs = 40
	}
	for range graphs {
		o := Options{Directed: r.IntN(2) == 0, Reverse: r.IntN(2) == 0, Weights: r.IntN(3) == 0, EdgeIDs: r.IntN(3) == 0,
			Bipartite: r.IntN(4) == 0, KeepDuplicates: r.IntN(4) == 0, KeepSelfLoops: r.IntN(2) == 0, Workers: 1 + r.IntN(3)}
		o.Reverse = o.Reverse && o.Directed
		build := randomBuild(t, r, o)
		for _, order := range []Order{OrderAuto, OrderDegree, OrderGiven} {
			want := build(order)
			for _, from := range []Order{OrderGiven, OrderDegree} {
				g := build(from)
				if order == OrderAuto && from == OrderDegree {
					want = g // stays as it is, skewed or not
				}
				got, err := g.Reorder(ctx, ReorderOptions{Order: order, Workers: r.IntN(4)})
				if err != nil {
					t.Fatal(err)
				}
				if got != g {
					moved++
				}
				sameGraph(t, got, want)
			}
		}
	}
	if moved < graphs {
		t.Errorf("%d graphs were reordered", moved)
	}
}

// TestReorderGrown: one call numbers the vertices of a graph that grew as their ids ascend.
func TestReorderGrown(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	ctx := context.Background()
	moved := 0
	for range 60 {
		kind := r.IntN(5)
		o := Options{Directed: r.IntN(2) == 0, Order: Order(1 + r.IntN(2)), Weights: r.IntN(2) == 0, Workers: 1 + r.IntN(3)}
		o.Reverse = o.Directed && r.IntN(2) == 0
		a, b := randomPart(r, 20, 30), randomPart(r, 40, 20)
		grown, err := builtOf(t, o, kind, a).Append(ctx, builtOf(t, o, kind, b), AppendOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := grown.Reorder(ctx, ReorderOptions{Order: OrderGiven})
		if err != nil {
			t.Fatal(err)
		}
		if got != grown {
			moved++
		}
		o.Order = OrderGiven
		want := builtOf(t, o, kind, a, b)
		if got.ids.ByID() != nil {
			t.Fatal("ids don't ascend")
		}
		if again, err := got.Reorder(ctx, ReorderOptions{Order: OrderGiven}); again != got || err != nil {
			t.Fatal("reordered again", err)
		}
		for v := range uint32(want.NumVertices()) {
			if got.ids.Format(v) != want.ids.Format(v) {
				t.Fatalf("vertex %d is %s, want %s", v, got.ids.Format(v), want.ids.Format(v))
			}
		}
		if !slices.Equal(got.out.Offsets, want.out.Offsets) || !slices.Equal(got.out.Targets, want.out.Targets) || !slices.Equal(got.out.Weights, want.out.Weights) {
			t.Fatalf("%+v\nwant\n%+v", got.out, want.out)
		}
	}
	if moved == 0 {
		t.Error("no graph was reordered")
	}
}

// TestRenumbered: with the places and rows that Reorder computes, Renumbered
// makes the same graph, with or without the list of vertices by place.
func TestRenumbered(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for i := range 60 {
		o := Options{Directed: r.IntN(2) == 0, Bipartite: r.IntN(4) == 0}
		o.Reverse = o.Directed && r.IntN(2) == 0
		g := randomBuild(t, r, o)(OrderGiven)
		want, err := g.Reorder(context.Background(), ReorderOptions{Order: OrderDegree})
		if err != nil {
			t.Fatal(err)
		}
		n := g.NumVertices()
		place, from := make([]uint32, n), make([]uint32, n)
		for v := range uint32(n) {
			if from[v], err = g.ParseVertex(want.IDs().Format(v)); err != nil {
				t.Fatal(err)
			}
			place[from[v]] = v
		}
		if i%2 == 0 {
			from = nil
		}
		var in *CSR
		if o.Reverse {
			in = want.In()
		}
		got, err := g.Renumbered(OrderDegree, place, from, *want.Out(), in, Stored{})
		if err != nil {
			t.Fatal(err)
		}
		sameGraph(t, got, want)
		if _, err := g.Renumbered(OrderDegree, place, make([]uint32, n+1), *want.Out(), in, Stored{}); !errors.Is(err, ErrMalformed) {
			t.Errorf("%d places, %d back: %v", n, n+1, err)
		}
	}
}

// BenchmarkRenumbered measures the host's work except rows: the ids of 2^22
// vertices, which were dense, and the arrays that depend on them.
func BenchmarkRenumbered(b *testing.B) {
	const n = 1 << 22
	g, err := FromCSR(CSR{Offsets: make([]uint64, n+1)}, CSROptions{})
	if err != nil {
		b.Fatal(err)
	}
	place, from := make([]uint32, n), make([]uint32, n)
	for v, i := range rand.New(rand.NewPCG(17, 18)).Perm(n) {
		place[v], from[i] = uint32(i), uint32(v)
	}
	for name, from := range map[string][]uint32{"both": from, "places": nil} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := g.Renumbered(OrderDegree, place, from, *g.Out(), nil, Stored{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestReorderErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := rand.New(rand.NewPCG(13, 14))
	g := randomBuild(t, r, Options{})(OrderGiven)
	if _, err := g.Reorder(ctx, ReorderOptions{Order: 9}); !errors.Is(err, ErrOptions) {
		t.Errorf("order 9: %v", err)
	}
	if _, err := g.Reorder(ctx, ReorderOptions{Workers: -1}); !errors.Is(err, ErrOptions) {
		t.Errorf("-1 workers: %v", err)
	}
	if _, err := (*Graph)(nil).Reorder(ctx, ReorderOptions{Order: OrderDegree}); !errors.Is(err, ErrNoGraph) {
		t.Errorf("no graph: %v", err)
	}
	cancel()
	if _, err := g.Reorder(ctx, ReorderOptions{Order: OrderDegree}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	g.Close()
	if _, err := g.Reorder(context.Background(), ReorderOptions{Order: OrderDegree}); !errors.Is(err, device.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
