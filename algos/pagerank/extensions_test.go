package pagerank_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// aged is an edge with a time.
type aged struct {
	from, to, time int64
	weight         float64
}

// agedGraph builds a graph of all of them, with dense ids.
func agedGraph(t *testing.T, n int, edges []aged, o graph.Options) *graph.Graph {
	t.Helper()
	o.DenseIDs, o.Vertices, o.KeepSelfLoops, o.KeepDuplicates, o.Reverse, o.Weights = true, uint64(n), true, true, true, true
	o.EdgeColumns = []string{"time", "kind"}
	b := graph.NewBuilder(o)
	batch := graph.Batch{Type: graph.Int64}
	var times []int64
	kinds := &graph.Strings{Offsets: []int64{0}}
	for _, e := range edges {
		batch.Src, batch.Dst, batch.FloatWeights = append(batch.Src, e.from), append(batch.Dst, e.to), append(batch.FloatWeights, e.weight)
		times = append(times, e.time)
		kinds.Data, kinds.Offsets = append(kinds.Data, 'k'), append(kinds.Offsets, int64(len(kinds.Data)+1))
	}
	batch.Columns = []graph.Column{{Values: times}, {Values: *kinds}}
	if err := b.Add(batch); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// agedRanks ranks by the definition of a decay, edge by edge.
func agedRanks(n int, edges []aged, directed, weighted bool, d pagerank.Decay) []float64 {
	reference := d.Reference
	if reference == 0 {
		reference = math.Inf(-1)
		for _, e := range edges {
			reference = max(reference, float64(e.time))
		}
	}
	type arc struct {
		from, to int64
		weight   float64
	}
	var arcs []arc
	out := make([]float64, n)
	for _, e := range edges {
		w := math.Exp2(-(reference - float64(e.time)) / d.HalfLife)
		if float64(e.time) > reference {
			w = 0
		}
		if weighted {
			w *= e.weight
		}
		arcs = append(arcs, arc{e.from, e.to, w})
		out[e.from] += w
		if !directed && e.from != e.to {
			arcs = append(arcs, arc{e.to, e.from, w})
			out[e.to] += w
		}
	}
	rank := make([]float64, n)
	for v := range rank {
		rank[v] = 1 / float64(n)
	}
	for range 300 {
		next, lost := make([]float64, n), 0.0
		for v, x := range rank {
			if out[v] == 0 {
				lost += x
			}
		}
		for _, a := range arcs {
			if out[a.from] > 0 {
				next[a.to] += 0.85 * rank[a.from] * a.weight / out[a.from]
			}
		}
		for v := range next {
			next[v] += (0.15 + 0.85*lost) / float64(n)
		}
		rank = next
	}
	return rank
}

// TestDecay compares ranks with the definition.
func TestDecay(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 1 + r.IntN(25)
		edges := make([]aged, r.IntN(5*n))
		for i := range edges {
			edges[i] = aged{r.Int64N(int64(n)), r.Int64N(int64(n)), 1000 + r.Int64N(50), float64(r.IntN(4))}
		}
		directed, weighted := r.IntN(2) == 0, r.IntN(2) == 0
		d := pagerank.Decay{Column: "time", HalfLife: 1 + 20*r.Float64(), Reference: []float64{0, 1025, 900, 1500}[r.IntN(4)]}
		g := agedGraph(t, n, edges, graph.Options{Directed: directed, Order: []graph.Order{graph.OrderGiven, graph.OrderDegree}[r.IntN(2)]})
		want := agedRanks(n, edges, directed, weighted, d)
		o := pagerank.Options{Tolerance: 1e-12, Iterations: 300, Weighted: weighted, Decay: d}
		for _, workers := range []int{1, 3} {
			res, err := pagerank.Run(t.Context(), testgraph.Place(g, workers), o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := res.Ranks.ByID()
			if err := errors.Join(err, near(got, want, 1e-9, 1e-10), pagerank.Validate(g, res, o), res.Close()); err != nil {
				t.Fatalf("seed %d, directed %t, weighted %t, %+v: %v", seed, directed, weighted, d, err)
			}
		}
	}
}

// TestDecayFar: no age is too large, and only differences of ages within a vertex count.
func TestDecayFar(t *testing.T) {
	edges := []aged{{0, 1, 10, 1}, {0, 2, 8, 1}, {1, 0, 1 << 40, 1}, {2, 0, 3, 1}}
	g := agedGraph(t, 3, edges, graph.Options{Directed: true})
	r, err := pagerank.Run(t.Context(), testgraph.Place(g, 2), pagerank.Options{Tolerance: 1e-12, Iterations: 500, Decay: pagerank.Decay{Column: "TIME", HalfLife: 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, _ := r.Ranks.ByID()
	zero := 1 / (1 + 0.85) // x = 0.05 + 0.85(1-x)
	zero *= 0.05 + 0.85
	want := []float64{zero, 0.05 + 0.85*zero*2/3, 0.05 + 0.85*zero/3}
	if err := near(got, want, 1e-9, 0); err != nil {
		t.Error(err)
	}
	for name, o := range map[string]pagerank.Options{"strings": {Decay: pagerank.Decay{Column: "kind", HalfLife: 1}}, "no column": {Decay: pagerank.Decay{Column: "x", HalfLife: 1}}} {
		if _, err := pagerank.Run(t.Context(), testgraph.Place(g, 2), o); !errors.Is(err, graph.ErrNoColumn) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, w := range []float64{-1, math.NaN(), math.Inf(1)} {
		edges[3].weight = w
		bad := agedGraph(t, 3, edges, graph.Options{Directed: true})
		if _, err := pagerank.Run(t.Context(), testgraph.Place(bad, 2), pagerank.Options{Weighted: true, Decay: pagerank.Decay{Column: "time", HalfLife: 1}}); !errors.Is(err, graph.ErrWeights) {
			t.Errorf("weight %v: %v", w, err)
		}
	}
}

// TestAppend: after 1% new edges, a tenth of them from new vertices, a run that begins with the earlier ranks has the
// same limit. In directed graphs it takes fewer rounds: the change causes the first error, some 1e-2, so it saves the
// rounds of two digits. At networkx's tolerance, 1e-6 for each vertex, few are left. Undirected graphs begin close to the
// limit without earlier ranks.
func TestAppend(t *testing.T) {
	for _, c := range []struct {
		spec     string
		directed bool
		most     [2]float64 // parts of the rounds, to 1e-6 in all and for each vertex
	}{{"kron13", true, [2]float64{0.67, 0.4}}, {"urand13", true, [2]float64{0.67, 0.5}}, {"road:120x120", true, [2]float64{0.9, 0.2}},
		{spec: "urand13"}, {spec: "kron13"}, {spec: "road:120x120"}} {
		spec, err := gen.Parse(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		g, err := gen.Build(t.Context(), spec, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var src, dst []int64
		for u := range uint32(g.NumVertices()) {
			for _, v := range g.Out().Neighbors(u) {
				if u < v && !c.directed || c.directed && (u < v) == ((u^v)%2 == 0) {
					src, dst = append(src, int64(u)), append(dst, int64(v))
				}
			}
		}
		n, r := int64(g.NumVertices()), rand.New(rand.NewPCG(1, 1))
		build := func(vertices int64) *graph.Placed {
			b := graph.NewBuilder(graph.Options{Directed: c.directed, Reverse: true, DenseIDs: true, Vertices: uint64(vertices), Order: graph.OrderGiven})
			if err := graph.AddInts(b, src, dst, nil); err != nil {
				t.Fatal(err)
			}
			g, err := b.Build(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			p, err := g.On(host.New(2))
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		before := build(n)
		more := int64(len(src) / 100)
		for i := range more {
			from := r.Int64N(n)
			if i%10 == 0 {
				from = n + i/10
			}
			src, dst = append(src, from), append(dst, r.Int64N(n))
		}
		after := build(n + (more+9)/10)
		for _, tolerance := range []float64{1e-6, 1e-6 * float64(n)} {
			old, err := pagerank.Run(t.Context(), before, pagerank.Options{Tolerance: min(tolerance, 1e-4), Iterations: 1000})
			if err != nil {
				t.Fatal(err)
			}
			start, _ := old.Ranks.Slice()
			start = append([]float64(nil), start...)
			for len(start) < after.NumVertices() {
				start = append(start, math.NaN())
			}
			o := pagerank.Options{Tolerance: tolerance, Iterations: 1000}
			cold, err := pagerank.Run(t.Context(), after, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Start = start
			warm, err := pagerank.Run(t.Context(), after, o)
			if err != nil {
				t.Fatal(err)
			}
			a, _ := cold.Ranks.Slice()
			b, _ := warm.Ranks.Slice()
			if d := distance(a, b); !warm.Converged || !(d <= 4*tolerance/0.15+1e-6) {
				t.Errorf("%+v to %v: ranks are %v apart, converged %t", c, tolerance, d, warm.Converged)
			}
			if most := c.most[0]; c.directed && (tolerance > 1e-6 && float64(warm.Iterations) > c.most[1]*float64(cold.Iterations) || float64(warm.Iterations) > most*float64(cold.Iterations)) {
				t.Errorf("%+v to %v: %d rounds, from the earlier ranks %d", c, tolerance, cold.Iterations, warm.Iterations)
			}
			t.Logf("%s directed %t, to %.2g: %d rounds, from the earlier ranks %d", c.spec, c.directed, tolerance, cold.Iterations, warm.Iterations)
		}
	}
}

// distance is the L1 norm of the difference.
func distance(a, b []float64) (sum float64) {
	for v := range a {
		sum += math.Abs(a[v] - b[v])
	}
	return sum
}

// TestRunEach: each personalization has the ranks that Run finds.
func TestRunEach(t *testing.T) {
	p := testgraph.Place(testgraph.Skewed(300, 5, testgraph.WithReverse).Graph(4), 2)
	r := rand.New(rand.NewPCG(1, 2))
	var lists [][]float64
	for range 64 {
		jumps := make([]float64, p.NumVertices())
		jumps[r.IntN(len(jumps))], jumps[0] = 1, r.Float64()
		lists = append(lists, jumps)
	}
	o := pagerank.Options{Tolerance: 1e-8}
	all, err := pagerank.RunEach(t.Context(), p, o, lists)
	if err != nil || len(all) != 64 {
		t.Fatal(len(all), err)
	}
	for i, jumps := range lists {
		o.Personalization = jumps
		alone, err := pagerank.Run(t.Context(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := alone.Ranks.Slice()
		got, err := all[i].Ranks.Slice()
		if err := errors.Join(err, near(got, want, 0, 0), pagerank.Validate(p.Graph(), all[i], o), all[i].Close(), alone.Close()); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	zero := make([]float64, p.NumVertices())
	for name, lists := range map[string][][]float64{"none": {}, "65": make([][]float64, 65), "nil": {nil}, "zeros": {lists[0], zero}, "short": {{1}}} {
		if all, err := pagerank.RunEach(t.Context(), p, pagerank.Options{}, lists); !errors.Is(err, graph.ErrOptions) || all != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := pagerank.RunEach(t.Context(), p, pagerank.Options{Personalization: lists[0]}, lists); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("two ways: %v", err)
	}
}
