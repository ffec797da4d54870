package paths_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/paths"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// check compares paths with all simple paths, in order.
func check(p *graph.Placed, o paths.Options) error {
	r, err := paths.Run(context.Background(), p, o)
	if err != nil {
		return err
	}
	g := p.Graph()
	if err := paths.Validate(g, r, o); err != nil {
		return err
	}
	at := 0
	for pair, ends := range o.Pairs {
		all := oracle.SimplePaths(g, ends[0], ends[1], o.Weighted)
		rank := func(u, v uint32) int { return cmp.Compare(g.IDs().Rank(u), g.IDs().Rank(v)) }
		slices.SortFunc(all, func(a, b oracle.SimplePath) int {
			return cmp.Or(cmp.Compare(a.Length, b.Length), cmp.Compare(len(a.Vertices), len(b.Vertices)), slices.CompareFunc(a.Vertices, b.Vertices, rank))
		})
		k := max(o.K, 1)
		if o.Shortest && o.K == 0 {
			k = len(all)
		}
		for i, want := range all[:min(k, len(all))] {
			if o.Limit > 0 && want.Length > o.Limit || o.Shortest && want.Length > all[0].Length {
				break
			}
			if at == len(r.Pair) || r.Pair[at] != pair || r.Length[at] != want.Length || !slices.Equal(r.Path(at), want.Vertices) {
				return fmt.Errorf("pair %v: path %d isn't %v; got %+v", ends, i, want, r)
			}
			at++
		}
	}
	if at != len(r.Pair) {
		return fmt.Errorf("%d paths, want %d", len(r.Pair), at)
	}
	return nil
}

func TestRandomGraphs(t *testing.T) {
	graphs := testlong.Rounds(400, 100000)
	if testing.Short() || testgraph.Race {
		graphs = 400
	}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 17))
		n := 2 + r.IntN(6)
		var src, dst []int64
		var weights []float32
		for range 1 + r.IntN(3*n) {
			src, dst, weights = append(src, r.Int64N(int64(n))*5%7), append(dst, r.Int64N(int64(n))*5%7), append(weights, float32(r.IntN(4)))
		}
		p := testgraph.Placed(graph.Options{Directed: r.IntN(2) == 0, Reverse: true, Weights: true, KeepSelfLoops: true, KeepDuplicates: r.IntN(2) == 0}, src, dst, weights...)
		o := paths.Options{K: r.IntN(12), Shortest: r.IntN(3) == 0, Weighted: r.IntN(2) == 0, Limit: float64(r.IntN(2) * r.IntN(7))}
		for range r.IntN(5) {
			o.Pairs = append(o.Pairs, [2]uint32{r.Uint32N(uint32(p.NumVertices())), r.Uint32N(uint32(p.NumVertices()))})
		}
		if r.IntN(3) == 0 {
			for range p.NumVertices() {
				o.Coordinates.X, o.Coordinates.Y = append(o.Coordinates.X, r.Float64()), append(o.Coordinates.Y, r.Float64())
			}
			o.Coordinates.Metric = paths.Metric(r.IntN(2))
		}
		if err := check(p, o); err != nil {
			t.Fatalf("seed %d, %d vertices, %d edges, %+v: %v", seed, n, len(src), o, err)
		}
	}
}

// TestGrid: of a lattice with coordinates, directed searches find the same paths, of which many are equally long.
func TestGrid(t *testing.T) {
	const side = 30
	var src, dst []int64
	var weights []float32
	for y := range int64(side) {
		for x := range int64(side) {
			for _, to := range [][2]int64{{x + 1, y}, {x, y + 1}} {
				if to[0] < side && to[1] < side {
					src, dst, weights = append(src, y*side+x), append(dst, to[1]*side+to[0]), append(weights, float32(1+(x*7+y*3)%4))
				}
			}
		}
	}
	p := testgraph.Placed(graph.Options{Weights: true}, src, dst, weights...)
	ids := p.Graph().IDs()
	c := paths.Coordinates{X: make([]float64, p.NumVertices()), Y: make([]float64, p.NumVertices())}
	for v := range c.X {
		c.X[v], c.Y[v] = float64(ids.Int(uint32(v))%side), float64(ids.Int(uint32(v))/side)
	}
	at := func(id int64) uint32 {
		v, err := p.Graph().Vertex(id)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, weighted := range []bool{false, true} {
		o := paths.Options{K: 40, Weighted: weighted, Pairs: [][2]uint32{{at(0), at(side*side - 1)}, {at(5), at(3 * side)}, {at(77), at(76)}}}
		plain, err := paths.Run(t.Context(), p, o)
		if err != nil || len(plain.Pair) != 120 {
			t.Fatal(plain, err)
		}
		o.Coordinates = c
		directed, err := paths.Run(t.Context(), p, o)
		if err != nil || !slices.Equal(plain.Vertices, directed.Vertices) || !slices.Equal(plain.Length, directed.Length) || directed.Scale != 1 {
			t.Errorf("weighted %v: directed searches find other paths, %v", weighted, err)
		}
		if err := paths.Validate(p.Graph(), plain, o); err != nil {
			t.Error(err)
		}
		o.Coordinates.Scale = 1.5
		if _, err := paths.Run(t.Context(), p, o); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("a scale that edges refute: %v", err)
		}
	}
	r, err := paths.Run(t.Context(), p, paths.Options{Shortest: true, Pairs: [][2]uint32{{at(0), at(4*side + 4)}}})
	if err != nil || len(r.Pair) != 70 { // 8 over 4
		t.Errorf("%d shortest paths, %v", len(r.Pair), err)
	}
}

// TestKarate has the lengths of networkx 3.6.1's shortest_simple_paths, and the number of all_shortest_paths.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := testgraph.Place(g, 2)
	a, _ := g.ParseVertex("17")
	b, _ := g.ParseVertex("27")
	r, err := paths.Run(t.Context(), p, paths.Options{K: 300, Pairs: [][2]uint32{{a, b}}})
	if err != nil {
		t.Fatal(err)
	}
	count := map[int]int{}
	for _, length := range r.Length {
		count[int(length)]++
	}
	if fmt.Sprint(count) != "map[5:8 6:58 7:234]" {
		t.Error(count)
	}
	if r, err = paths.Run(t.Context(), p, paths.Options{Shortest: true, Pairs: [][2]uint32{{a, b}}}); err != nil || len(r.Pair) != 8 {
		t.Error(len(r.Pair), err)
	}
}

func TestErrors(t *testing.T) {
	p := testgraph.Placed(graph.Options{}, []int64{1}, []int64{2})
	pairs := [][2]uint32{{0, 1}}
	for what, o := range map[string]paths.Options{
		"k": {K: -1}, "large k": {K: paths.MostK + 1}, "limit": {Limit: math.NaN()}, "coordinates": {Coordinates: paths.Coordinates{X: []float64{1}}},
		"metric": {Coordinates: paths.Coordinates{X: []float64{1, 2}, Y: []float64{1, 2}, Metric: 7}}, "scale": {Coordinates: paths.Coordinates{X: []float64{1, 2}, Y: []float64{1, 2}, Scale: -1}},
		"place": {Coordinates: paths.Coordinates{X: []float64{1, math.NaN()}, Y: []float64{1, 2}}},
	} {
		if _, err := paths.Run(t.Context(), p, o); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if _, err := paths.Run(t.Context(), p, paths.Options{Pairs: [][2]uint32{{0, 2}}}); !errors.Is(err, graph.ErrNoVertex) {
		t.Error(err)
	}
	weighted := paths.Options{Weighted: true, Pairs: pairs}
	if _, err := paths.Run(t.Context(), p, weighted); !errors.Is(err, graph.ErrNoWeights) {
		t.Error(err)
	}
	if _, err := paths.Run(t.Context(), testgraph.Placed(graph.Options{Weights: true}, []int64{1}, []int64{2}, -1), weighted); !errors.Is(err, graph.ErrWeights) {
		t.Error(err)
	}
	if _, err := paths.Run(t.Context(), testgraph.Placed(graph.Options{Directed: true}, []int64{1}, []int64{2}), paths.Options{Pairs: pairs}); !errors.Is(err, graph.ErrNoReverse) {
		t.Error(err)
	}
	if _, err := paths.Run(t.Context(), nil, paths.Options{}); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := paths.Run(ctx, p, paths.Options{Pairs: pairs}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := paths.Run(t.Context(), p, paths.Options{}); !errors.Is(err, device.ErrClosed) {
		t.Error(err)
	}
}

// TestValidate: Validate finds every kind of error.
func TestValidate(t *testing.T) {
	p := testgraph.Placed(graph.Options{Order: graph.OrderGiven}, []int64{0, 1, 0, 2, 0}, []int64{1, 3, 2, 3, 3})
	o := paths.Options{K: 3, Pairs: [][2]uint32{{0, 3}, {1, 2}}}
	for what, change := range map[string]func(*paths.Result){
		"length": func(r *paths.Result) { r.Length[1] = 3 }, "pair": func(r *paths.Result) { r.Pair[0] = 1 }, "vertex": func(r *paths.Result) { r.Vertices[1] = 9 },
		"without": func(r *paths.Result) { r.Without = 1 }, "columns": func(r *paths.Result) { r.Pair = r.Pair[1:] },
		"shortest": func(r *paths.Result) {
			r.Pair, r.Length, r.Offsets = r.Pair[1:], r.Length[1:], r.Offsets[1:]
		},
	} {
		r, err := paths.Run(t.Context(), p, o)
		if err != nil || paths.Validate(p.Graph(), r, o) != nil {
			t.Fatal(err, paths.Validate(p.Graph(), r, o))
		}
		change(r)
		if err := paths.Validate(p.Graph(), r, o); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if err := paths.Validate(nil, nil, o); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
}
