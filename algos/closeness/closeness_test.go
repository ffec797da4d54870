package closeness_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// values has the values of a result.
type values struct {
	closeness, harmonic []float64
	eccentricity        []int32
	reached             []uint32
}

func run(t *testing.T, g *graph.Graph, workers int, o closeness.Options) values {
	t.Helper()
	p, err := g.On(host.New(workers))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	r, err := closeness.Run(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := closeness.Validate(g, r); err != nil {
		t.Fatal(err)
	}
	var v values
	var errs [4]error
	v.closeness, errs[0] = r.Closeness.Slice()
	v.harmonic, errs[1] = r.Harmonic.Slice()
	v.eccentricity, errs[2] = r.Eccentricity.Slice()
	v.reached, errs[3] = r.Reached.Slice()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return v
}

// check compares all vertices, and some alone, with plain searches.
func check(t *testing.T, g *graph.Graph, workers int, of []uint32) {
	t.Helper()
	n := g.NumVertices()
	defer func(narrow int) { tuning.NarrowEdges = narrow }(tuning.NarrowEdges)
	tuning.NarrowEdges = []int{tuning.NarrowEdges, 0, 3}[n%3] // levels that a plain loop goes through
	all := run(t, g, workers, closeness.Options{})
	oracle := closeness.Oracle(g)
	is := func(got values, v uint32) {
		t.Helper()
		c, h, e := oracle(v)
		if got.closeness[v] != c || math.Abs(got.harmonic[v]-h) > 1e-9*h || got.eccentricity[v] != e {
			t.Fatalf("%d vertices, %d workers, vertex %d: %v %v %v, want %v %v %v", n, workers, v, got.closeness[v], got.harmonic[v], got.eccentricity[v], c, h, e)
		}
	}
	for v := range uint32(n) {
		is(all, v)
	}
	bounds(t, g, workers, all.eccentricity)
	if g.In() == nil {
		return
	}
	some := run(t, g, workers, closeness.Options{Of: of})
	asked := map[uint32]bool{}
	for _, v := range of {
		asked[v] = true
		is(some, v)
		if some.reached[v] != all.reached[v] {
			t.Fatalf("%d vertices, vertex %d: %d reached, want %d", n, v, some.reached[v], all.reached[v])
		}
	}
	for v := range uint32(n) {
		if !asked[v] && !(math.IsNaN(some.closeness[v]) && math.IsNaN(some.harmonic[v]) && some.eccentricity[v] == -1) {
			t.Fatalf("vertex %d, which wasn't asked for, has values", v)
		}
	}
}

// bounds checks those of eccentricities.
func bounds(t *testing.T, g *graph.Graph, workers int, exact []int32) {
	t.Helper()
	p, err := g.On(host.New(workers))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, samples := range []int{1, 3, 100} {
		b, err := closeness.Bound(t.Context(), p, samples, 7, closeness.Options{})
		if g.Directed() {
			if !errors.Is(err, graph.ErrOptions) {
				t.Fatal(err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		least, err := b.Least.Slice()
		if err != nil {
			t.Fatal(err)
		}
		most, err := b.Most.Slice()
		if err != nil {
			t.Fatal(err)
		}
		seen := map[uint32]bool{}
		for _, v := range b.Samples {
			if seen[v] || least[v] != exact[v] || most[v] != exact[v] {
				t.Fatalf("sample %d: %d to %d, is %d; twice: %v", v, least[v], most[v], exact[v], seen[v])
			}
			seen[v] = true
		}
		for v, e := range exact {
			if least[v] > e || most[v] != -1 && most[v] < e || samples >= len(exact) && least[v] != most[v] {
				t.Fatalf("%d samples, vertex %d: %d to %d, is %d", samples, v, least[v], most[v], e)
			}
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestShapes(t *testing.T) {
	testlong.Project(t)
	for _, c := range append(testgraph.Small(), testgraph.Tiny()...) {
		t.Run(c.Name+" "+c.Kind.String(), func(t *testing.T) {
			for i, workers := range []int{1, 2, 3, 7} {
				if testgraph.Race && i%2 == 0 {
					continue // one worker does nothing at the same time, and three do as seven
				}
				g := c.Graph(uint64(workers))
				if g.NumVertices() > 500 { // the oracle searches from each vertex
					continue
				}
				of := []uint32{}
				for v := uint32(0); int(v) < g.NumVertices(); v += 3 {
					of = append(of, v, v)
				}
				check(t, g, workers, of)
			}
		})
	}
}

func TestRandom(t *testing.T) {
	for seed := range uint64(testlong.Rounds(75, 5000)) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := 1 + r.IntN(30)
		if r.IntN(10) == 0 {
			n += 60 // more than a batch
		}
		g := testgraph.Random(r, n, 3, false)
		check(t, g, 1+r.IntN(3), []uint32{uint32(r.IntN(g.NumVertices())), uint32(r.IntN(g.NumVertices()))})
	}
}

// TestClosedForms compares with what is known of regular shapes.
func TestClosedForms(t *testing.T) {
	const n = 101
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-12*want }
	path, star, cycle, complete := []testgraph.Edge{}, []testgraph.Edge{}, []testgraph.Edge{{From: n - 1, To: 0}}, []testgraph.Edge{}
	for v := range uint32(n) {
		if v > 0 {
			path, star, cycle = append(path, testgraph.Edge{From: v - 1, To: v}), append(star, testgraph.Edge{From: 0, To: v}), append(cycle, testgraph.Edge{From: v - 1, To: v})
		}
		for w := range v {
			complete = append(complete, testgraph.Edge{From: v, To: w})
		}
	}
	of := func(es []testgraph.Edge, k testgraph.Kind) values {
		return run(t, testgraph.Build(n, es, k), 2, closeness.Options{})
	}
	p := of(path, testgraph.Undirected)
	for v := range n {
		sum := v*(v+1)/2 + (n-1-v)*(n-v)/2
		if !near(p.closeness[v], float64(n-1)/float64(sum)) || int(p.eccentricity[v]) != max(v, n-1-v) {
			t.Errorf("path, %d: %v, %d", v, p.closeness[v], p.eccentricity[v])
		}
	}
	s := of(star, testgraph.Undirected)
	if s.closeness[0] != 1 || s.harmonic[0] != n-1 || s.eccentricity[0] != 1 ||
		!near(s.closeness[5], float64(n-1)/(2*(n-2)+1)) || !near(s.harmonic[5], 1+float64(n-2)/2) || s.eccentricity[5] != 2 {
		t.Error("star:", s.closeness[:6], s.harmonic[:6], s.eccentricity[:6])
	}
	c := of(cycle, testgraph.Undirected)
	if !near(c.closeness[7], float64(n-1)/(50*51)) || c.eccentricity[7] != 50 {
		t.Error("cycle:", c.closeness[7], c.eccentricity[7])
	}
	k := of(complete, testgraph.Undirected)
	if k.closeness[9] != 1 || k.harmonic[9] != n-1 || k.eccentricity[9] != 1 {
		t.Error("complete:", k.closeness[9], k.harmonic[9], k.eccentricity[9])
	}
	d := of(path, testgraph.Directed) // vertex v is reached from v others, at 1 to v
	if d.closeness[0] != 0 || !near(d.closeness[4], 4.0/10*(4.0/100)) || !near(d.harmonic[4], 1+1./2+1./3+1./4) || d.eccentricity[4] != 96 || d.reached[4] != 4 {
		t.Error("directed path:", d.closeness[4], d.harmonic[4], d.eccentricity[4], d.reached[4])
	}
}

// TestKarate compares with what networkx 3 finds for Zachary's karate club.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, g, 2, closeness.Options{})
	for id, want := range map[int64][3]float64{1: {0.5689655172413793, 16 + 9./2 + 8./3, 3}, 34: {0.55, 17 + 6./2 + 9./3 + 1./4, 4}} {
		v, ok := g.IDs().FindInt(0, id)
		if !ok || got.closeness[v] != want[0] || math.Abs(got.harmonic[v]-want[1]) > 1e-9 || got.eccentricity[v] != int32(want[2]) {
			t.Error(id, got.closeness[v], got.harmonic[v], got.eccentricity[v])
		}
	}
}

func TestErrors(t *testing.T) {
	g := testgraph.Path(200).Graph(1)
	p, err := g.On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := closeness.Run(t.Context(), p, closeness.Options{Of: []uint32{1, 200}}); !errors.Is(err, graph.ErrNoVertex) {
		t.Error(err)
	}
	if _, err := closeness.Bound(t.Context(), p, 0, 1, closeness.Options{}); !errors.Is(err, graph.ErrOptions) {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	last := 0
	if _, err := closeness.Run(ctx, p, closeness.Options{Lanes: 64, Progress: func(p graph.Progress) { last = int(p.Done); stop() }}); !errors.Is(err, context.Canceled) || last != 64 {
		t.Error(err, last)
	}
	if _, err := closeness.Run(ctx, p, closeness.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r, err := closeness.Run(t.Context(), p, closeness.Options{Stats: true})
	if err != nil || len(r.Stats.Levels) == 0 {
		t.Fatal(err)
	}
	if err := errors.Join(r.Close(), r.Close(), p.Close()); err != nil {
		t.Error(err)
	}
	if _, err := closeness.Run(t.Context(), p, closeness.Options{}); !errors.Is(err, device.ErrClosed) {
		t.Error(err)
	}
	for _, o := range []closeness.Options{{}, {Of: []uint32{1}}} {
		if _, err := closeness.Run(t.Context(), nil, o); !errors.Is(err, graph.ErrNoGraph) {
			t.Error(err)
		}
	}
	if _, err := closeness.Bound(t.Context(), nil, 1, 1, closeness.Options{}); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	q, err := testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}}, testgraph.Directed).On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if _, err := closeness.Run(t.Context(), q, closeness.Options{Of: []uint32{1}}); !errors.Is(err, graph.ErrNoReverse) {
		t.Error(err)
	}
}

// TestValidate damages results.
func TestValidate(t *testing.T) {
	g := testgraph.Path(20).Graph(1)
	p, err := g.On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for i, damage := range []func(c, h []float64, e []int32){
		func(c, _ []float64, _ []int32) { c[3] *= 1.01 },
		func(c, _ []float64, _ []int32) { c[3] = 2 },
		func(_, h []float64, _ []int32) { h[4] += 1e-6 },
		func(_, h []float64, _ []int32) { h[4] = math.NaN() },
		func(_, _ []float64, e []int32) { e[5]++ },
		func(_, _ []float64, e []int32) { e[5] = -1 },
	} {
		r, err := closeness.Run(t.Context(), p, closeness.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, _ := r.Closeness.Slice()
		h, _ := r.Harmonic.Slice()
		e, _ := r.Eccentricity.Slice()
		damage(c, h, e)
		if err := closeness.Validate(g, r); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("damage %d: %v", i, err)
		}
		r.Close()
	}
	if err := closeness.Validate(g, nil); !errors.Is(err, graph.ErrInvalid) {
		t.Error(err)
	}
	if err := closeness.Validate(nil, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
}

func ExampleRun() {
	p := testgraph.Placed(graph.Options{}, []int64{10, 20, 30}, []int64{20, 30, 40})
	defer p.Close()
	r, err := closeness.Run(context.Background(), p, closeness.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	c, _ := r.Closeness.ByID()
	e, _ := r.Eccentricity.ByID()
	for i := range c {
		v := p.Graph().IDs().AtRank(uint32(i))
		fmt.Printf("%s %.2f %d\n", p.Graph().IDs().Format(v), c[i], e[i])
	}
	// Output:
	// 10 0.50 3
	// 20 0.75 2
	// 30 0.75 2
	// 40 0.50 3
}
