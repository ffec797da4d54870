package bc_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// TestSame has the same bits in every run, whatever came before in the same memory.
func TestSame(t *testing.T) {
	g := testgraph.ByName("skewed-reverse").Graph(3)
	p := place(t, g, 3)
	s, err := bc.NewSearcher(p, bc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first := scores(t, place(t, g, 1), []uint32{7, 100, 7}, bc.Options{})
	for _, sources := range [][]uint32{{1}, {7, 100, 7}, {2, 3000}, {7, 100, 7}} {
		r, err := s.Run(t.Context(), sources)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Betweenness.Slice()
		if err != nil {
			t.Fatal(err)
		}
		if len(sources) == 3 && !slices.Equal(got, first) {
			t.Error("another result")
		}
		if err := bc.Validate(g, r); err != nil || !slices.Equal(r.Sources, sources) {
			t.Error(err, r.Sources)
		}
	}
}

// bytes is what a run takes.
func bytes(t *testing.T, p *graph.Placed) uint64 {
	s, err := bc.NewSearcher(p, bc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.Bytes()
}

func TestPool(t *testing.T) {
	g := testgraph.ByName("uniform-reverse").Graph(3)
	p := place(t, g, 2)
	pool, err := bc.NewPool(p, bc.Options{Samples: 3, Seed: 9}, device.NewBudget(3*bytes(t, p)))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	want := scores(t, p, nil, bc.Options{Samples: 3, Seed: 9})
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if err := pool.Do(t.Context(), func(s *bc.Searcher) error {
				r, err := s.Run(t.Context(), nil)
				if err != nil {
					return err
				}
				if got, err := r.Betweenness.Slice(); err != nil || !slices.Equal(got, want) {
					t.Error("another result", err)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if _, err := bc.NewPool(p, bc.Options{}, device.NewBudget(1000)); !errors.Is(err, device.ErrBudget) {
		t.Error(err)
	}
}

// TestSamples has the same sources however vertices are numbered, and others for another seed.
func TestSamples(t *testing.T) {
	var chosen [][]int64
	for _, order := range []graph.Order{graph.OrderGiven, graph.OrderDegree} {
		b := graph.NewBuilder(graph.Options{Order: order})
		if err := graph.AddInts(b, []int64{90, 90, 70, 80, 10, 40}, []int64{70, 80, 95, 60, 20, 90}, nil); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p := place(t, g, 1)
		for seed := range uint64(20) {
			r, err := bc.Run(t.Context(), p, bc.Options{Samples: 4, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			var ids []int64
			for _, v := range r.Sources {
				ids = append(ids, g.IDs().Int(v))
			}
			if slices.Sort(ids); len(slices.Compact(slices.Clone(ids))) != 4 {
				t.Error(ids)
			}
			chosen = append(chosen, ids)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 20 {
		if !slices.Equal(chosen[i], chosen[i+20]) {
			t.Errorf("%v in one order, %v in another", chosen[i], chosen[i+20])
		}
	}
	if slices.SortFunc(chosen, slices.Compare); len(slices.CompactFunc(chosen, slices.Equal)) < 10 {
		t.Error("seeds choose the same")
	}
}

// TestValidate damages results.
func TestValidate(t *testing.T) {
	g := testgraph.Build(6, []testgraph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 1, To: 3}, {From: 3, To: 4}}, testgraph.Undirected)
	p := place(t, g, 1)
	for i, damage := range []func(s []float64, r *bc.Result){
		func(s []float64, _ *bc.Result) { s[1] *= 1.001 },
		func(s []float64, _ *bc.Result) { s[2] = 0.001 },
		func(s []float64, _ *bc.Result) { s[1], s[2] = s[2], s[1] },
		func(s []float64, _ *bc.Result) { s[0] = -0.1 },
		func(s []float64, _ *bc.Result) { s[5] = 0.1 },
		func(s []float64, _ *bc.Result) { s[3] /= s[5] },
		func(_ []float64, r *bc.Result) { r.Scale *= 2 },
		func(_ []float64, r *bc.Result) { r.Scale = 0 },
		func(_ []float64, r *bc.Result) { r.Sources = []uint32{0} },
		func(_ []float64, r *bc.Result) { r.Sources = []uint32{6} },
	} {
		r, err := bc.Run(t.Context(), p, bc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := bc.Validate(g, r); err != nil {
			t.Fatal(err)
		}
		s, _ := r.Betweenness.Slice()
		damage(s, r)
		if err := bc.Validate(g, r); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("damage %d: %v", i, err)
		}
		r.Close()
	}
	if err := bc.Validate(g, nil); !errors.Is(err, graph.ErrInvalid) {
		t.Error(err)
	}
	if err := bc.Validate(nil, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	g := testgraph.Path(10).Graph(1)
	p := place(t, g, 2)
	is := func(want error) func(_ *bc.Result, err error) {
		return func(_ *bc.Result, err error) {
			t.Helper()
			if !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
	}
	is(graph.ErrOptions)(bc.Run(t.Context(), p, bc.Options{Samples: -1}))
	if _, err := bc.NewSearcher(p, bc.Options{Samples: -1}); !errors.Is(err, graph.ErrOptions) {
		t.Error(err)
	}
	is(graph.ErrNoVertex)(bc.Run(t.Context(), p, bc.Options{Sources: []uint32{3, 10}}))
	is(graph.ErrNoVertex)(bc.Run(t.Context(), p, bc.Options{Sources: []uint32{}}))
	is(graph.ErrNoGraph)(bc.Run(t.Context(), nil, bc.Options{}))
	gone, stop := context.WithCancel(t.Context())
	stop()
	is(context.Canceled)(bc.Run(gone, p, bc.Options{}))
	defer func(narrow int) { tuning.NarrowEdges = narrow }(tuning.NarrowEdges)
	sources := 0
	ctx, stop := context.WithCancel(t.Context())
	is(context.Canceled)(bc.Run(ctx, p, bc.Options{EachLevel: func(traverse.Level) {
		if sources++; sources == 3 {
			stop()
		}
	}}))
	if sources != 3 {
		t.Errorf("%d sources", sources)
	}
	tuning.NarrowEdges = 0
	ctx, stop = context.WithCancel(t.Context())
	levels := 0
	is(context.Canceled)(bc.Run(ctx, p, bc.Options{EachLevel: func(traverse.Level) {
		if levels++; levels == 30 { // on the way back from the second source
			stop()
		}
	}}))
	if levels != 30 {
		t.Errorf("%d levels", levels)
	}
	r, err := bc.Run(t.Context(), p, bc.Options{Stats: true})
	if err != nil || len(r.Stats.Levels) == 0 {
		t.Fatal(err, r.Stats.Levels)
	}
	if err := errors.Join(r.Close(), r.Close(), (*bc.Result)(nil).Close()); err != nil {
		t.Error(err)
	}
	if err := bc.Validate(g, r); !errors.Is(err, device.ErrClosed) {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	is(device.ErrClosed)(bc.Run(t.Context(), p, bc.Options{}))
}
