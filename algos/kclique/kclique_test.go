package kclique_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/kclique"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// naive counts, by the definition, the sets of vertices that are all joined: at[k][v] counts sets of k vertices that contain v.
func naive(g *graph.Graph) (counts []uint64, at [][]uint64) {
	n := g.NumVertices()
	joined := make([]uint32, n)
	for v, row := range oracle.Neighbors(g) {
		for _, w := range row {
			joined[v] |= 1 << w
		}
	}
	counts, at = make([]uint64, n+1), make([][]uint64, n+1)
	for k := range at {
		at[k] = make([]uint64, n)
	}
	for set := uint32(1); set < 1<<n; set++ {
		is, size := true, 0
		for v := range n {
			if set>>v&1 == 1 {
				size++
				is = is && set&^(1<<v)&^joined[v] == 0
			}
		}
		if !is {
			continue
		}
		counts[size]++
		for v := range n {
			if set>>v&1 == 1 {
				at[size][v]++
			}
		}
	}
	for len(counts) > 1 && counts[len(counts)-1] == 0 {
		counts = counts[:len(counts)-1]
	}
	return counts, at
}

// check compares runs with the definition, for all sizes and for each one.
func check(p *graph.Placed) error {
	counts, at := naive(p.Graph())
	r, err := kclique.Run(context.Background(), p, kclique.Options{})
	if err != nil {
		return err
	}
	if err := same(r.Counts, counts); err != nil {
		return err
	}
	if err := kclique.Validate(p.Graph(), r, kclique.Options{}); err != nil {
		return err
	}
	for k := 1; k <= len(counts); k++ {
		for _, only := range []bool{false, true} {
			o, want := kclique.Options{K: k, CountOnly: only}, uint64(0)
			if k < len(counts) {
				want = counts[k]
			}
			r, err := kclique.Run(context.Background(), p, o)
			if err != nil {
				return err
			}
			if err := same([]*big.Int{r.Total}, []uint64{want}); err != nil {
				return fmt.Errorf("of %d vertices: %w", k, err)
			}
			if !only {
				got, err := r.Cliques.Slice()
				if err != nil {
					return err
				}
				if k < len(at) && !slices.Equal(got, at[k]) {
					return fmt.Errorf("of %d vertices: %d at vertices, want %d", k, got, at[k])
				}
			}
			if err := errors.Join(kclique.Validate(p.Graph(), r, o), r.Close()); err != nil {
				return err
			}
		}
	}
	return nil
}

func same(got []*big.Int, want []uint64) error {
	equal := len(got) == len(want)
	for k := range got {
		equal = equal && got[k].IsUint64() && got[k].Uint64() == want[k]
	}
	if !equal {
		return fmt.Errorf("%v cliques, want %d", got, want)
	}
	return nil
}

// random returns a graph in which sparse and dense parts meet.
func random(r *rand.Rand, n, edges int) *graph.Graph {
	var es []testgraph.Edge
	width := uint32(1 + r.IntN(n))
	for range edges {
		a, b := r.Uint32N(uint32(n)), r.Uint32N(uint32(n))
		if r.IntN(3) > 0 {
			b = (a + r.Uint32N(width)) % uint32(n)
		}
		if r.IntN(4) == 0 {
			a, b = a%width, b%width
		}
		es = append(es, testgraph.Edge{From: a, To: b})
	}
	return testgraph.Build(n, es, testgraph.Kind(r.IntN(3)))
}

func TestRandomGraphs(t *testing.T) {
	graphs := testlong.Rounds(1500, 100000)
	if testing.Short() || testgraph.Race {
		graphs = 200
	}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 49))
		n := 1 + r.IntN(11)
		g := random(r, n, r.IntN(1+n*n))
		if err := check(testgraph.Place(g, []int{1, 2, 3, 7}[seed%4])); err != nil {
			t.Fatalf("seed %d, %d vertices, directed %v: %v", seed, n, g.Directed(), err)
		}
	}
}

// TestLarger has rows of several words, whose matrices shrink: all sizes are compared with an enumeration, and one size with all.
func TestLarger(t *testing.T) {
	graphs := testlong.Rounds(60, 3000)
	if testing.Short() || testgraph.Race {
		graphs = 12
	}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 50))
		n := 1 + r.IntN(400)
		p := testgraph.Place(random(r, n, r.IntN(1+20*n)), []int{1, 2, 3, 7}[seed%4])
		all, err := kclique.Run(t.Context(), p, kclique.Options{})
		if err == nil {
			err = kclique.Validate(p.Graph(), all, kclique.Options{})
		}
		for k := 1; k <= 6 && err == nil; k++ {
			o := kclique.Options{K: k}
			var res *kclique.Result
			if res, err = kclique.Run(t.Context(), p, o); err == nil {
				if err = kclique.Validate(p.Graph(), res, o); k < len(all.Counts) && res.Total.Cmp(all.Counts[k]) != 0 {
					err = fmt.Errorf("%v cliques of %d vertices, %v among all", res.Total, k, all.Counts[k])
				}
				res.Close()
			}
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
		p := testgraph.Place(c.Graph(3), 3)
		for _, o := range []kclique.Options{{}, {K: 1}, {K: 2}, {K: 3}, {K: 4}, {K: 5, CountOnly: true}, {K: 1 << 40}} {
			r, err := kclique.Run(t.Context(), p, o)
			if err == nil {
				err = kclique.Validate(p.Graph(), r, o)
			}
			if err != nil {
				t.Errorf("%s, %+v: %v", c.Name, o, err)
			}
			r.Close()
		}
	}
}

// complete returns a graph of n vertices that are all joined but for pairs of even and next numbers below apart.
func complete(n, apart int) *graph.Graph {
	var es []testgraph.Edge
	for v := range uint32(n) {
		for u := range v {
			if v >= uint32(apart) || u^v != 1 {
				es = append(es, testgraph.Edge{From: v, To: u})
			}
		}
	}
	return testgraph.Build(n, es, testgraph.Undirected)
}

// TestComplete has closed forms: binomial coefficients, and 3^(n/2) cliques of pairs that aren't joined (Moon and Moser, 1965).
func TestComplete(t *testing.T) {
	n := 3000
	if testing.Short() || testgraph.Race {
		n = 300
	}
	p := testgraph.Place(complete(n, 0), 2)
	r, err := kclique.Run(t.Context(), p, kclique.Options{})
	if err != nil || len(r.Counts) != n+1 {
		t.Fatal(err)
	}
	for _, k := range []int{1, 2, 3, n / 2, n - 1, n} {
		want := new(big.Int).Binomial(int64(n), int64(k))
		if r.Counts[k].Cmp(want) != 0 {
			t.Errorf("%v cliques of %d vertices, want %v", r.Counts[k], k, want)
		}
	}
	if _, err := kclique.Run(t.Context(), p, kclique.Options{K: n / 2}); !errors.Is(err, device.ErrSize) {
		t.Errorf("at vertices: %v", err)
	}
	for _, k := range []int{3, n / 2, n - 1, n} {
		o := kclique.Options{K: k, CountOnly: k == n/2}
		r, err := kclique.Run(t.Context(), p, o)
		if err != nil || r.Total.Cmp(new(big.Int).Binomial(int64(n), int64(k))) != 0 {
			t.Fatalf("%v cliques of %d vertices, %v", r.Total, k, err)
		}
		if !o.CountOnly {
			at, err := r.Cliques.Slice()
			if want := new(big.Int).Binomial(int64(n-1), int64(k-1)).Uint64(); err != nil || at[0] != want || at[n-1] != want {
				t.Errorf("%d and %d cliques of %d vertices at vertices, want %d, %v", at[0], at[n-1], k, want, err)
			}
		}
		r.Close()
	}
	pairs := 12
	all, err := kclique.Run(t.Context(), testgraph.Place(complete(2*pairs+100, 2*pairs), 2), kclique.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := new(big.Int).Exp(big.NewInt(3), big.NewInt(int64(pairs)), nil)
	want.Lsh(want, 100).Sub(want, big.NewInt(1)) // and the empty set
	if all.Total.Cmp(want) != 0 || len(all.Counts) != pairs+101 {
		t.Errorf("%v cliques of up to %d vertices, want %v", all.Total, len(all.Counts)-1, want)
	}
}

// TestStar has one vertex of many neighbors.
func TestStar(t *testing.T) {
	var es []testgraph.Edge
	for v := range uint32(100000) {
		es = append(es, testgraph.Edge{From: 0, To: v + 1})
	}
	r, err := kclique.Run(t.Context(), testgraph.Place(testgraph.Build(100001, es, testgraph.Undirected), 2), kclique.Options{})
	if err != nil || same(r.Counts, []uint64{0, 100001, 100000}) != nil {
		t.Fatalf("%v, %v", r, err)
	}
}

// TestKarate has networkx 3.6.1's cliques (enumerate_all_cliques).
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := kclique.Run(t.Context(), testgraph.Place(g, 2), kclique.Options{})
	if err != nil || same(r.Counts, []uint64{0, 34, 78, 45, 11, 2}) != nil {
		t.Fatalf("%v, %v", r, err)
	}
}

func TestErrors(t *testing.T) {
	plain := testgraph.Place(testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}}, testgraph.Directed), 1)
	gone := testgraph.Place(plain.Graph(), 1)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for name, c := range map[string]struct {
		ctx  context.Context
		p    *graph.Placed
		o    kclique.Options
		want error
	}{
		"size":     {context.Background(), plain, kclique.Options{K: -1}, graph.ErrOptions},
		"no size":  {context.Background(), plain, kclique.Options{CountOnly: true}, graph.ErrOptions},
		"freed":    {context.Background(), gone, kclique.Options{}, device.ErrClosed},
		"no graph": {context.Background(), nil, kclique.Options{}, graph.ErrNoGraph},
		"canceled": {ended, plain, kclique.Options{}, context.Canceled},
	} {
		if r, err := kclique.Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v; want %v", name, r, err, c.want)
		}
	}
}

// TestCanceledWithin ends a run that would take years, from its progress, and one that never reports.
func TestCanceledWithin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ctx, cancel := context.WithCancel(context.Background())
	last := uint64(0)
	o := kclique.Options{Progress: func(at graph.Progress) {
		if at.Phase != "search" || at.Done <= last || at.Done > at.Total {
			t.Errorf("progress %+v after %d", at, last)
		}
		last = at.Done
		cancel()
	}}
	if _, err := kclique.Run(ctx, testgraph.Place(random(r, 3000, 60000), 2), o); !errors.Is(err, context.Canceled) || last == 0 {
		t.Errorf("got %v after %d", err, last)
	}
	var es []testgraph.Edge
	for v := range uint32(1000) {
		for u := range v {
			if r.IntN(8) > 0 {
				es = append(es, testgraph.Edge{From: v, To: u})
			}
		}
	}
	dense := testgraph.Place(testgraph.Build(1000, es, testgraph.Undirected), 2)
	ctx, cancel = context.WithCancel(context.Background())
	began := make(chan struct{})
	go func() {
		<-began
		cancel()
	}()
	close(began)
	if _, err := kclique.Run(ctx, dense, kclique.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := testgraph.Placed(graph.Options{Order: graph.OrderGiven}, []int64{1, 2, 3, 3}, []int64{2, 3, 1, 4})
	all, three := kclique.Options{}, kclique.Options{K: 3}
	for name, c := range map[string]struct {
		o     kclique.Options
		spoil func(r *kclique.Result)
	}{
		"count":   {all, func(r *kclique.Result) { r.Counts[2].SetInt64(5); r.Total.SetInt64(10) }},
		"sum":     {all, func(r *kclique.Result) { r.Total.SetInt64(5) }},
		"largest": {all, func(r *kclique.Result) { r.Counts = append(r.Counts, new(big.Int)) }},
		"none":    {all, func(r *kclique.Result) { r.Counts = nil }},
		"total":   {kclique.Options{K: 3, CountOnly: true}, func(r *kclique.Result) { r.Total.SetInt64(2) }},
		"both": {three, func(r *kclique.Result) {
			at, _ := r.Cliques.Slice()
			at[3] = 3
			r.Total.SetInt64(2)
		}},
		"vertex": {three, func(r *kclique.Result) {
			at, _ := r.Cliques.Slice()
			at[3], at[0] = at[0], at[3]
		}},
		"sum at vertices": {three, func(r *kclique.Result) {
			at, _ := r.Cliques.Slice()
			at[3]++
		}},
		"freed": {three, func(r *kclique.Result) { r.Close() }},
	} {
		r, err := kclique.Run(context.Background(), p, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if err := kclique.Validate(p.Graph(), r, c.o); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		c.spoil(r)
		if err := kclique.Validate(p.Graph(), r, c.o); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
		r.Close()
	}
	if err := kclique.Validate(p.Graph(), nil, all); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("nil: got %v", err)
	}
	if err := kclique.Validate(nil, nil, all); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("no graph: got %v", err)
	}
}
