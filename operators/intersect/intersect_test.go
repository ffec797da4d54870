package intersect_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/intersect"
)

// What the operator finds is tested in internal/testing/conformance, on every device.

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rig is a graph on the host, and the operator.
func rig(t testing.TB, ctx context.Context, g *graph.Graph, workers int) (*intersect.Intersector, *graph.Placed, *host.Stream) {
	t.Helper()
	d := host.New(workers)
	p, err := g.On(d)
	must(t, err)
	s := d.Stream(ctx)
	x, err := intersect.New(s, p)
	must(t, err)
	t.Cleanup(func() { must(t, errors.Join(x.Close(), s.Close(), p.Close())) })
	return x, p, s
}

func complete(n int) *graph.Graph {
	var es []testgraph.Edge
	for v := range uint32(n) {
		for u := range v {
			es = append(es, testgraph.Edge{From: u, To: v})
		}
	}
	return testgraph.Build(n, es, testgraph.Undirected)
}

func buffer(t testing.TB, d device.Device, n int) *device.Buffer[uint32] {
	t.Helper()
	b, err := device.NewBuffer[uint32](d, n)
	must(t, err)
	return b
}

// strategies are the values of tuning.IntersectBy. The first is the usual one.
var strategies = []string{"auto", "merge", "search", "table"}

// TestLongRows: more common neighbors than a tile has, by every strategy.
func TestLongRows(t *testing.T) {
	defer func() { tuning.IntersectBy = "auto" }()
	const n = 6000 // 0 and 1 have each other and all the rest
	var es []testgraph.Edge
	for v := uint32(1); v < n; v++ {
		es = append(es, testgraph.Edge{From: 0, To: v})
		if v > 1 {
			es = append(es, testgraph.Edge{From: 1, To: v})
		}
	}
	x, _, _ := rig(t, context.Background(), testgraph.Build(n, es, testgraph.Undirected), 3)
	for _, s := range strategies {
		tuning.IntersectBy = s
		var mu sync.Mutex
		var got []uint32
		must(t, x.Run(intersect.Options{Ascending: true}, intersect.Func(func(_ int, pairs []intersect.Pair, common []uint32) {
			mu.Lock()
			defer mu.Unlock()
			for _, p := range pairs {
				if p.U == 0 && p.V == 1 {
					got = append(got, common[p.First:p.First+p.Len]...)
				}
			}
		})))
		if len(got) != n-2 || !slices.IsSorted(got) || got[0] != 2 {
			t.Errorf("%s: 0 and 1 have %d in common, want %d, in order", s, len(got), n-2)
		}
		if edges, common, err := x.Totals(); err != nil || edges != uint64(len(es)) || common != 3*(n-2) {
			t.Errorf("%s: %d edges, %d in common, %v", s, edges, common, err)
		}
	}
}

func TestErrors(t *testing.T) {
	defer func() { tuning.IntersectBy = "auto" }()
	ctx, cancel := context.WithCancel(context.Background())
	g := complete(10)
	x, p, s := rig(t, ctx, g, 2)
	_, other, _ := rig(t, context.Background(), g, 2)
	count := intersect.Count(nil)
	freed := frontier.New(p)
	must(t, freed.Close())
	wrong := frontier.New(p)
	must(t, wrong.Add(3, 4))
	wrong.Queue()[1] = 10
	gone := buffer(t, p.Device(), 90)
	must(t, gone.Close())
	if edges, common, err := x.Totals(); edges != 0 || common != 0 || err != nil {
		t.Errorf("before the first run: %d, %d, %v", edges, common, err)
	}
	for what, c := range map[string]struct {
		o    intersect.Options
		f    intersect.Functor
		want error
	}{
		"no functor":            {f: nil, want: operators.ErrFunctor},
		"a nil Func":            {f: intersect.Func(nil), want: operators.ErrFunctor},
		"too few edges":         {f: intersect.Count(buffer(t, p.Device(), 89)), want: operators.ErrFunctor},
		"a freed array":         {f: intersect.Count(gone), want: operators.ErrFunctor},
		"no vertices":           {f: intersect.Corners(nil), want: operators.ErrFunctor},
		"another graph's":       {o: intersect.Options{From: frontier.New(other)}, f: count, want: frontier.ErrForeign},
		"a freed frontier":      {o: intersect.Options{From: freed}, f: count, want: device.ErrClosed},
		"an entry of no vertex": {o: intersect.Options{From: wrong}, f: count, want: graph.ErrNoVertex},
	} {
		if err := x.Run(c.o, c.f); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", what, err, c.want)
		}
	}
	tuning.IntersectBy = "hash"
	if err := x.Run(intersect.Options{}, count); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("no such strategy: %v", err)
	}
	tuning.IntersectBy = "auto"
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the functor's panic didn't reach the caller")
			}
		}()
		_ = x.Run(intersect.Options{}, intersect.Func(func(int, []intersect.Pair, []uint32) { panic("enough") }))
	}()
	for _, s := range strategies {
		tuning.IntersectBy = s
		must(t, x.Run(intersect.Options{Triangles: true}, count))
		if _, common, err := x.Totals(); common != 120 || err != nil {
			t.Errorf("%s, after faults: %d triangles, want 120; %v", s, common, err)
		}
	}
	if x.Bind(nil) || !x.Bind(s) {
		t.Error("Bind takes no stream, or not its own")
	}
	var none *intersect.Intersector
	must(t, none.Close())
	if err := none.Run(intersect.Options{}, count); !errors.Is(err, device.ErrNotSupported) {
		t.Errorf("a nil Intersector: %v", err)
	}
	if _, err := intersect.New(nil, p); !errors.Is(err, device.ErrNotSupported) {
		t.Errorf("no stream: %v", err)
	}
	if _, err := intersect.New(s, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("no graph: %v", err)
	}
	cancel()
	if err := x.Run(intersect.Options{}, count); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	must(t, x.Close())
	if err := x.Run(intersect.Options{}, count); !errors.Is(err, device.ErrClosed) {
		t.Errorf("freed: %v", err)
	}
}

// TestCanceledWithin: a context that ends in a functor ends the run.
func TestCanceledWithin(t *testing.T) {
	for _, workers := range []int{1, 2} {
		ctx, cancel := context.WithCancel(context.Background())
		x, _, _ := rig(t, ctx, complete(300), workers)
		calls := 0
		var mu sync.Mutex
		err := x.Run(intersect.Options{}, intersect.Func(func(int, []intersect.Pair, []uint32) {
			mu.Lock()
			defer mu.Unlock()
			calls++
			cancel()
		}))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d workers: %v after %d calls", workers, err, calls)
		}
	}
}

func TestAllocatesNothing(t *testing.T) {
	x, p, _ := rig(t, context.Background(), complete(200), 2)
	from := frontier.New(p)
	must(t, from.Add(1, 2, 3, 150))
	count := intersect.Count(buffer(t, p.Device(), 200*199))
	if allocs := testing.AllocsPerRun(10, func() {
		must(t, x.Run(intersect.Options{}, count))
		must(t, x.Run(intersect.Options{From: from}, count))
	}); allocs > 2 { // the check that rows ascend looks up whether it was made
		t.Errorf("%v allocations", allocs)
	}
}

func Benchmark(b *testing.B) {
	defer func() { tuning.IntersectBy = "auto" }()
	for _, spec := range []string{"kron14", "urand14", "road:200x200"} {
		kind, err := gen.Parse(spec)
		must(b, err)
		g, err := gen.Build(context.Background(), kind, graph.Options{})
		must(b, err)
		for _, s := range strategies {
			for _, o := range []intersect.Options{{Ascending: true}, {Triangles: true}} {
				name := map[bool]string{true: "triangles", false: "ascending"}[o.Triangles]
				b.Run(fmt.Sprintf("%s/%s/%s", spec, name, s), func(b *testing.B) {
					x, _, _ := rig(b, context.Background(), g, 2)
					tuning.IntersectBy = s
					for b.Loop() {
						must(b, x.Run(o, intersect.Count(nil)))
					}
					edges, _, err := x.Totals()
					must(b, err)
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(edges), "ns/edge")
				})
			}
		}
	}
}

// TestOpposite compares what every strategy, and what counts in rows by degree, adds with a
// functor that is told each common neighbor. Bits of both directions are alike.
func TestOpposite(t *testing.T) {
	defer func() { tuning.IntersectBy = "auto" }()
	for i, c := range append(testgraph.Small(), testgraph.Tiny()...) {
		g := sorted(t, c.Graph(7))
		if g.NumEdges() > 3000 {
			continue // merging those takes seconds
		}
		for _, order := range []graph.Order{graph.OrderGiven, graph.OrderDegree} {
			g, err := g.Reorder(t.Context(), graph.ReorderOptions{Order: order})
			must(t, err)
			out := g.Out()
			r := rand.New(rand.NewPCG(uint64(i), 1))
			pick := map[[2]uint32]bool{}
			twice := make([]uint64, (len(out.Targets)+63)/64)
			for u := range uint32(g.NumVertices()) {
				for e := out.Offsets[u]; e < out.Offsets[u+1]; e++ {
					ends := [2]uint32{min(u, out.Targets[e]), max(u, out.Targets[e])}
					if _, ok := pick[ends]; !ok {
						pick[ends] = r.IntN(3) == 0
					}
					if pick[ends] {
						twice[e>>6] |= 1 << (e & 63)
					}
				}
			}
			x, p, _ := rig(t, t.Context(), g, 1+i%3)
			must(t, x.Prepare())
			for _, o := range []intersect.Options{{}, {Ascending: true}, {Triangles: true}} {
				for _, bits := range []*device.Buffer[uint64]{nil, device.Wrap(twice)} {
					want := make([]uint64, g.NumVertices())
					var mu sync.Mutex
					tuning.IntersectBy = "merge"
					must(t, x.Run(o, intersect.Func(func(_ int, pairs []intersect.Pair, common []uint32) {
						mu.Lock()
						defer mu.Unlock()
						for _, p := range pairs {
							for _, w := range common[p.First : p.First+p.Len] {
								if want[w]++; bits != nil {
									want[w] += twice[p.Edge>>6] >> (p.Edge & 63) & 1
								}
							}
						}
					})))
					edges, total, err := x.Totals()
					must(t, err)
					for _, tuning.IntersectBy = range strategies {
						at, err := device.NewBuffer[uint64](p.Device(), g.NumVertices())
						must(t, err)
						must(t, x.Run(o, intersect.Opposite(at, bits)))
						e, k, err := x.Totals()
						must(t, err)
						if !slices.Equal(at.Host(), want) || e != edges || k != total {
							t.Fatalf("%s %v, %v, %+v, bits %v: %d edges %d in common %v, want %d %d %v", c.Name, order, tuning.IntersectBy, o, bits != nil, e, k, at.Host(), edges, total, want)
						}
					}
				}
			}
		}
	}
	x, p, _ := rig(t, t.Context(), complete(9), 1)
	at, err := device.NewBuffer[uint64](p.Device(), 9)
	must(t, err)
	for name, f := range map[string]intersect.Functor{"no vertices": intersect.Opposite(nil, nil), "few edges": intersect.Opposite(at, device.Wrap([]uint64{0}))} {
		if err := x.Run(intersect.Options{}, f); !errors.Is(err, operators.ErrFunctor) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sorted returns the graph with ascending rows.
func sorted(t *testing.T, g *graph.Graph) *graph.Graph {
	t.Helper()
	c := *g.Out()
	c.Targets = slices.Clone(c.Targets)
	for v := range uint32(g.NumVertices()) {
		slices.Sort(c.Neighbors(v))
	}
	s, err := graph.FromCSR(c, graph.CSROptions{Directed: g.Directed()})
	must(t, err)
	return s
}
