package sssp_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// built makes a directed graph of a batch of edges.
func built(t testing.TB, o graph.Options, b graph.Batch) *graph.Graph {
	t.Helper()
	o.Weights, b.Type = true, graph.Int64
	x := graph.NewBuilder(o)
	if err := x.Add(b); err != nil {
		t.Fatal(err)
	}
	g, err := x.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestRightPath takes the path that is shorter by one, which float32 rounds away: s, a, t with 16777216 and 2, and
// s, a and 1,001 edges of 1.
func TestRightPath(t *testing.T) {
	const s, a, target = 0, 1, 2
	b := graph.Batch{Src: []int64{s, a}, Dst: []int64{a, target}, IntWeights: []int64{16777216, 2}}
	from := int64(a)
	for i := range int64(1000) {
		b.Src, b.Dst, b.IntWeights = append(b.Src, from), append(b.Dst, 3+i), append(b.IntWeights, 1)
		from = 3 + i
	}
	b.Src, b.Dst, b.IntWeights = append(b.Src, from), append(b.Dst, target), append(b.IntWeights, 1)
	floats := b
	floats.IntWeights = nil
	for _, w := range b.IntWeights {
		floats.FloatWeights = append(floats.FloatWeights, float64(w))
	}
	for _, b := range []graph.Batch{b, floats} {
		for _, workers := range []int{1, 3} {
			g := built(t, graph.Options{Directed: true}, b)
			r, err := sssp.Run(t.Context(), placed(t, g, workers), vertexOf(t, g, s), sssp.Options{Parents: true})
			if err != nil {
				t.Fatal(err)
			}
			distances, err := r.Distances.Slice()
			if err != nil {
				t.Fatal(err)
			}
			parents, err := r.Parents.Slice()
			if err != nil {
				t.Fatal(err)
			}
			at := vertexOf(t, g, target)
			if distances[at] != 16777218 || parents[at] != vertexOf(t, g, a) {
				t.Errorf("%v: at distance %v after vertex %d", r.Distances.Type(), distances[at], parents[at])
			}
			if err := sssp.Validate(g, r); err != nil {
				t.Error(err)
			}
			parents[at] = vertexOf(t, g, from) // the path that float32 took
			if err := sssp.Validate(g, r); !errors.Is(err, graph.ErrInvalid) {
				t.Errorf("a path that is too long: %v", err)
			}
		}
	}
}

func vertexOf(t testing.TB, g *graph.Graph, id int64) uint32 {
	t.Helper()
	v, err := g.Vertex(id)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestTenths adds up a million edges of 0.1, which come to 100958 in float32.
func TestTenths(t *testing.T) {
	testlong.Project(t)
	n := int64(1_000_000)
	if testing.Short() || testgraph.Race {
		n = 20_000
	}
	var b graph.Batch
	want := 0.0
	for i := range n {
		b.Src, b.Dst, b.FloatWeights = append(b.Src, i), append(b.Dst, i+1), append(b.FloatWeights, 0.1)
		want += 0.1
	}
	g := built(t, graph.Options{Directed: true}, b)
	r, err := sssp.Run(t.Context(), placed(t, g, 2), vertexOf(t, g, 0), sssp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.Distances.Float64.Slice()
	if err != nil {
		t.Fatal(err)
	}
	if d := all[vertexOf(t, g, n)]; d != want || math.Abs(d-float64(n)/10) > 1e-5 {
		t.Errorf("%v, want %v", d, want)
	}
}

// drawExact are weights of 64 bits.
var drawExact = map[string]func(r *rand.Rand) any{
	"small":     func(r *rand.Rand) any { return int64(r.IntN(256)) },
	"past 2^24": func(r *rand.Rand) any { return int64(1<<22 + r.IntN(1<<22)) },
	"odd":       func(r *rand.Rand) any { return int64(1<<24 + r.IntN(5)) },
	"past 2^53": func(r *rand.Rand) any { return 1<<50 + r.Int64N(1<<51) },
	"huge":      func(r *rand.Rand) any { return []int64{0, 1, 1 << 55, 1<<55 + 1}[r.IntN(4)] },
	"fractions": func(r *rand.Rand) any { return r.Float64() },
	"eighths":   func(r *rand.Rand) any { return float64(r.IntN(65)) / 8 },
	"singles":   func(r *rand.Rand) any { return float64(r.Float32()) },
	"tiny":      func(r *rand.Rand) any { return []float64{0, 5e-324, 1e-320, 1e-310, 3e-300}[r.IntN(5)] },
	"far apart": func(r *rand.Rand) any { return math.Pow(10, float64(r.IntN(30)-15)) },
	"large":     func(r *rand.Rand) any { return []float64{0.1, 1e308}[r.IntN(2)] },
	"largest":   func(r *rand.Rand) any { return []int64{1, 1 << 62}[r.IntN(2)] },
	"closed":    func(r *rand.Rand) any { return []float64{math.Inf(1), 0.1, 1e300}[r.IntN(3)] },
	"-0":        func(r *rand.Rand) any { return math.Copysign(0, -1) },
}

// TestExact compares distances of integers and floats with Dijkstra's algorithm in the same type.
func TestExact(t *testing.T) {
	times := testlong.Rounds(2, 40)
	if testing.Short() || testgraph.Race {
		times = 2
	}
	for name, draw := range drawExact {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, c := range testgraph.Tiny() {
				for seed := range uint64(times) {
					r := rand.New(rand.NewPCG(seed, uint64(i)))
					exactly(t, fmt.Sprintf("%s, seed %d", c.Name, seed), c.Graph(seed), r, draw)
				}
			}
		})
	}
}

func exactly(t *testing.T, what string, shape *graph.Graph, r *rand.Rand, draw func(*rand.Rand) any) {
	t.Helper()
	var b graph.Batch
	out := shape.Out()
	for u := range uint32(shape.NumVertices()) {
		for _, v := range out.Neighbors(u) {
			if !shape.Directed() && v < u {
				continue
			}
			b.Src, b.Dst = append(b.Src, int64(u)), append(b.Dst, int64(v))
			switch w := draw(r).(type) {
			case int64:
				b.IntWeights = append(b.IntWeights, w)
			case float64:
				b.FloatWeights = append(b.FloatWeights, w)
			}
		}
	}
	if len(b.Src) == 0 {
		return
	}
	g := built(t, graph.Options{Directed: shape.Directed(), KeepSelfLoops: true, KeepDuplicates: r.IntN(2) == 0, Reverse: true}, b)
	p := placed(t, g, []int{1, 2, 7}[r.IntN(3)])
	if r.IntN(3) == 0 {
		prepare(t, p)
	}
	q, o := drawQuery(r, g.NumVertices())
	o.Targets, o.Limit = q.Targets, q.Limit
	for range 2 { // the second time it may be known that float32 won't do
		res, err := sssp.RunMultiSource(t.Context(), p, q.Sources, o)
		over := oracle.ShortestPaths[float64](g.Out(), q.Sources, q.Targets, q.Limit).Overflow
		if b.IntWeights != nil {
			over = oracle.ShortestPaths[int64](g.Out(), q.Sources, q.Targets, q.Limit).Overflow
		}
		if over {
			if !errors.Is(err, sssp.ErrOverflow) || res != nil {
				t.Fatalf("%s, %+v: %v, want ErrOverflow", what, q, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s, %+v: %v", what, q, err)
		}
		switch d := res.Distances; {
		case b.IntWeights != nil:
			got, err := d.Int64.Slice()
			if err == nil {
				err = compareExact(g, q, res, got)
			}
			if err != nil {
				t.Fatalf("%s, %+v, %+v: %v", what, q, o, err)
			}
		default:
			got, err := d.Float64.Slice()
			if err == nil {
				err = compareExact(g, q, res, got)
			}
			if err != nil {
				t.Fatalf("%s, %+v, %+v: %v", what, q, o, err)
			}
		}
		if err := res.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func compareExact[T int64 | float64](g *graph.Graph, q sssp.Query, res *sssp.Result, got []T) error {
	want := oracle.ShortestPaths[T](g.Out(), q.Sources, q.Targets, q.Limit)
	for v, d := range got {
		if d != want.Distances[v] {
			return fmt.Errorf("vertex %d is at distance %v, want %v", v, d, want.Distances[v])
		}
	}
	if res.Parents != nil {
		got, err := res.Parents.Slice()
		if err != nil {
			return err
		}
		for v, u := range got {
			if u != want.Parents[v] {
				return fmt.Errorf("vertex %d has vertex %d as parent, want %d", v, u, want.Parents[v])
			}
		}
	}
	return sssp.Validate(g, res)
}

// TestOverflow says what becomes of distances that int64 doesn't hold.
func TestOverflow(t *testing.T) {
	const most = math.MaxInt64
	for _, c := range []struct {
		src, dst, weights []int64
		q                 sssp.Query
		want              []int64
	}{
		{[]int64{0, 1}, []int64{1, 2}, []int64{most - 1, 1}, sssp.Query{}, nil}, // the largest stands for none
		{[]int64{0, 1}, []int64{1, 2}, []int64{most - 2, 1}, sssp.Query{}, []int64{0, most - 2, most - 1}},
		{[]int64{0, 1, 2}, []int64{1, 2, 3}, []int64{most / 2, most / 2, 5}, sssp.Query{}, nil},
		{[]int64{0, 1, 2}, []int64{1, 2, 3}, []int64{most / 2, most / 2, 5}, sssp.Query{Targets: []uint32{1}}, []int64{0, most / 2, -1, -1}},
		{[]int64{0, 1, 2}, []int64{1, 2, 3}, []int64{most / 2, most / 2, 5}, sssp.Query{Limit: 1e18}, []int64{0, -1, -1, -1}},
		{[]int64{0, 1, 2}, []int64{1, 2, 3}, []int64{most / 2, most / 2, 5}, sssp.Query{Limit: 1e19}, nil}, // a limit that int64 doesn't hold
		{[]int64{0, 1}, []int64{1, 2}, []int64{most - 2, most - 2}, sssp.Query{Limit: 1e19}, []int64{0, most - 2, -1}},
		{[]int64{0, 1, 0}, []int64{1, 2, 2}, []int64{most - 2, 5, 7}, sssp.Query{}, []int64{0, most - 2, 7}}, // another way
	} {
		g := built(t, graph.Options{Directed: true, DenseIDs: true, Order: graph.OrderGiven}, graph.Batch{Src: c.src, Dst: c.dst, IntWeights: c.weights})
		r, err := sssp.Run(t.Context(), placed(t, g, 2), 0, sssp.Options{Targets: c.q.Targets, Limit: c.q.Limit, Parents: true})
		if c.want == nil {
			if !errors.Is(err, sssp.ErrOverflow) {
				t.Errorf("%v: %v", c.weights, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", c.weights, err)
		}
		got, err := r.Distances.Int64.Slice()
		if err != nil {
			t.Fatal(err)
		}
		for v, d := range got {
			if d != c.want[v] {
				t.Errorf("%v: distances %v, want %v", c.weights, got, c.want)
				break
			}
		}
		if r.WhyHost == "" {
			t.Errorf("%v: WhyHost is empty", c.weights)
		}
		if err := sssp.Validate(g, r); err != nil {
			t.Error(err)
		}
	}
}

// TestFloatOverflow expects an error for a distance within the limit that the type of floats doesn't hold, and none for
// one that a limit or targets leave out.
func TestFloatOverflow(t *testing.T) {
	degree := tuning.ByWeightDegree
	tuning.ByWeightDegree = 0
	defer func() { tuning.ByWeightDegree = degree }()
	single, inf := sssp.Options{Float32: true}, math.Inf(1)
	with := func(o sssp.Options, limit float64, targets ...uint32) sssp.Options {
		o.Limit, o.Targets = limit, targets
		return o
	}
	for _, c := range []struct {
		weights []float64 // of the edges of a path
		typ     graph.WeightType
		o       sssp.Options
		want    []float64 // nil: the error names vertex past
		past    uint32
	}{
		{weights: []float64{3e38, 3e38, 1}, typ: graph.WeightsFloat32, past: 2},
		{weights: []float64{3e38, 3e38, 1}, o: single, past: 2},
		{weights: []float64{3e38, 3e38, 1}, o: with(single, 0, 3), past: 2},
		{weights: []float64{3e38, 3e38, 1}, o: with(single, inf), past: 2},
		{weights: []float64{3e38, 3e38, 1}, o: with(single, 7e38), past: 2},
		{weights: []float64{3e38, 3e38, 1}, o: with(single, 5e38), want: []float64{0, 3e38, inf, inf}},
		{weights: []float64{3e38, 3e38, 1}, o: with(single, 3.2e38), want: []float64{0, 3e38, inf, inf}},
		{weights: []float64{3e38, 3e38, 1}, o: with(single, 0, 1), want: []float64{0, 3e38, inf, inf}},
		{weights: []float64{3e38, 3e38, 1}, want: []float64{0, 3e38, 6e38, 6e38}},
		{weights: []float64{1, 1e300}, o: single, past: 2}, // no float32 itself
		{weights: []float64{3e38, inf}, o: single, want: []float64{0, 3e38, inf}},
		{weights: []float64{math.MaxFloat32, 1}, o: single, want: []float64{0, math.MaxFloat32, math.MaxFloat32}}, // rounded
		{weights: []float64{1.5e308, 1.5e308}, past: 2},
		{weights: []float64{1.5e308, 1.5e308}, o: with(sssp.Options{}, 1.6e308), want: []float64{0, 1.5e308, inf}},
		{weights: []float64{1.5e308, 1.5e308}, o: with(sssp.Options{}, 0, 1), want: []float64{0, 1.5e308, inf}},
	} {
		b := graph.Batch{FloatWeights: c.weights}
		for v := range c.weights {
			b.Src, b.Dst = append(b.Src, int64(v)), append(b.Dst, int64(v)+1)
		}
		g := built(t, graph.Options{Directed: true, DenseIDs: true, Order: graph.OrderGiven, WeightType: c.typ, Reverse: true}, b)
		for _, prepared := range []bool{false, true} {
			p := placed(t, g, 2)
			if prepared && !prepare(t, p).ByWeight && c.typ == graph.WeightsFloat32 {
				t.Errorf("%v: rows aren't by weight", c.weights)
			}
			o := c.o
			o.Parents = true
			r, err := sssp.Run(t.Context(), p, 0, o)
			if c.want == nil {
				if want := fmt.Sprintf("sssp: distance overflow: the distance of vertex %d is more than a float", c.past); !errors.Is(err, sssp.ErrOverflow) || r != nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("%v, %+v: %v, want %s", c.weights, c.o, err, want)
				}
				continue
			}
			if err != nil {
				t.Errorf("%v, %+v: %v", c.weights, c.o, err)
				continue
			}
			got, err := r.Distances.Slice()
			if err != nil {
				t.Fatal(err)
			}
			for v, want := range c.want {
				if r.Distances.Float32 != nil {
					want = float64(float32(want))
				}
				if got[v] != want {
					t.Errorf("%v, %+v: %v, want %v", c.weights, c.o, got, c.want)
					break
				}
			}
			if err := errors.Join(sssp.Validate(g, r), r.Close()); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestFloat32Asked says that Options.Float32, and weights of that type, round as before.
func TestFloat32Asked(t *testing.T) {
	b := graph.Batch{Src: []int64{0, 1}, Dst: []int64{1, 2}, FloatWeights: []float64{0.1, 0.2}}
	for _, o := range []struct {
		build graph.WeightType
		o     sssp.Options
	}{{graph.WeightsFloat32, sssp.Options{}}, {graph.WeightsAuto, sssp.Options{Float32: true}}} {
		g := built(t, graph.Options{Directed: true, WeightType: o.build}, b)
		r, err := sssp.Run(t.Context(), placed(t, g, 2), vertexOf(t, g, 0), o.o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Distances.Float32.Slice()
		if err != nil || got[vertexOf(t, g, 2)] != float32(0.1)+float32(0.2) {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// TestBadExact refuses weights of 64 bits that can't be.
func TestBadExact(t *testing.T) {
	for _, b := range []graph.Batch{
		{IntWeights: []int64{1, -1<<40 - 1}}, {FloatWeights: []float64{0.1, -1e-50}}, {FloatWeights: []float64{0.1, math.NaN()}},
	} {
		b.Src, b.Dst = []int64{0, 1}, []int64{1, 2}
		g := built(t, graph.Options{}, b)
		if _, err := sssp.Run(t.Context(), placed(t, g, 1), 0, sssp.Options{}); !errors.Is(err, graph.ErrWeights) {
			t.Errorf("%+v: %v", b, err)
		}
	}
}
