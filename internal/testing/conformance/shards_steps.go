// This file holds the tests of traversals over several devices: of steps over all vertices.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/reach"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/traverse"
)

// ShardsRanks ranks vertices of graphs that are sharded over several devices: ranks are the oracle's, the
// same in every run, and nothing is left on any device.
func (s Suite) ShardsRanks(t *testing.T) {
	s.shardsInputs(t, 137, testlong.Rounds(s.times(75, 5), s.times(3000, 50)), s.ranksOnce)
}

// shardsInputs checks random inputs, some of them with wide offsets, and that each frees all memory on the devices.
func (s Suite) shardsInputs(t *testing.T, seed uint64, rounds int, once func(*testing.T, *rand.Rand)) {
	t.Helper()
	r := rand.New(rand.NewPCG(testlong.Seed(seed), 1))
	defer func(wide bool) { tuning.WideOffsets = wide }(tuning.WideOffsets)
	used := s.used()
	before := used()
	for i := range rounds {
		tuning.WideOffsets = r.IntN(4) == 0
		once(t, r)
		if left := used(); left != before {
			t.Errorf("%d bytes are left", left-before)
		}
		if t.Failed() {
			t.Fatalf("input %d", i)
		}
	}
}

func (s Suite) ranksOnce(t *testing.T, r *rand.Rand) {
	t.Helper()
	var g *graph.Graph
	weighted := r.IntN(3) == 0
	if all := append(testgraph.Tiny(), testgraph.Small()...); r.IntN(3) == 0 && !weighted {
		g = all[r.IntN(len(all))].Graph(r.Uint64())
	} else if weighted {
		g = s.shardsWeighted(t, r, shardsWeights[r.IntN(3)])
	} else {
		g = s.shardsGraph(t, r)
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(p.Close(), g.Close()); err != nil {
			t.Error(err)
		}
	}()
	what := fmt.Sprintf("%d vertices, %d edges, directed %v", g.NumVertices(), g.NumEdges(), g.Directed())
	if !g.HasReverse() {
		if _, err := pagerank.Run(t.Context(), p, pagerank.Options{}); !errors.Is(err, graph.ErrNoReverse) {
			t.Errorf("%s, without the reverse: %v", what, err)
		}
		return
	}
	for range 1 + r.IntN(2) {
		o := pagerank.Options{Iterations: 1 + r.IntN(12), Tolerance: -1, Weighted: weighted}
		switch r.IntN(3) {
		case 0:
			o.Tolerance, o.Iterations = 1e-5, 2000
		case 1:
			o.Tolerance, o.Iterations = 1e-9, 2000
		}
		if n := g.NumVertices(); n > 0 && r.IntN(3) == 0 {
			o.Personalization = make([]float64, n)
			for range 1 + r.IntN(n) {
				o.Personalization[r.IntN(n)] = r.Float64() * 7
			}
			o.Personalization[r.IntN(n)] = 1
		}
		if err := ranked(t, p, o); err != nil {
			t.Errorf("%s, tolerance %g, %d rounds, personal %v: %v", what, o.Tolerance, o.Iterations, o.Personalization != nil, err)
			return
		}
		s.ranksTwice(t, p, o)
	}
}

// ranksTwice compares two runs, by vertex and by id.
func (s Suite) ranksTwice(t *testing.T, p *graph.Placed, o pagerank.Options) {
	t.Helper()
	var first []float64
	for range 2 {
		res, err := pagerank.Run(t.Context(), p, o)
		if err != nil {
			t.Error(err)
			return
		}
		all, err := res.Ranks.Slice()
		byID, err2 := res.Ranks.ByID()
		if err := errors.Join(err, err2); err != nil {
			t.Error(err)
		}
		for i, x := range byID {
			if v := p.Graph().IDs().AtRank(uint32(i)); x != all[v] {
				t.Errorf("by id, entry %d is %v, that of vertex %d %v", i, x, v, all[v])
				break
			}
		}
		if first == nil {
			first = slices.Clone(all)
		} else if !slices.Equal(all, first) {
			t.Error("two runs differ")
		}
		if res.Stats.Device != s.Device.Info().Name {
			t.Errorf("it ran on %q", res.Stats.Device)
		}
		if err := res.Close(); err != nil {
			t.Error(err)
		}
	}
}

// ShardsComponents finds components of graphs that are sharded over several devices: labels and their number
// are the oracle's, and nothing is left on any device.
func (s Suite) ShardsComponents(t *testing.T) {
	outside, ranks := tuning.Outside, tuning.LeastRanks
	defer func() { tuning.Outside, tuning.LeastRanks = outside, ranks }()
	ways := map[string]bool{}
	s.shardsInputs(t, 139, testlong.Rounds(s.times(100, 12), s.times(4000, 300)), func(t *testing.T, r *rand.Rand) {
		tuning.Outside, tuning.LeastRanks = []int{1, 8, outside, 1 << 40}[r.IntN(4)], []int{0, 1, ranks}[r.IntN(3)]
		var g *graph.Graph
		switch all := append(testgraph.Tiny(), testgraph.Small()...); r.IntN(4) {
		case 0:
			g = all[r.IntN(len(all))].Graph(r.Uint64())
		case 1, 2: // many trees, and edges between them
			g = testgraph.Random(r, 2+r.IntN(1<<r.IntN(s.times(12, 10))), 1+r.IntN(2), true)
		default:
			g = s.shardsGraph(t, r)
		}
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%d vertices, %d edges, directed %v", g.NumVertices(), g.NumEdges(), g.Directed())
		if err := errors.Join(s.componentsTwice(t, p, ways), p.Close(), g.Close()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	})
	if !ways["trees of best neighbors"] || !ways["rounds over all edges"] || len(ways) > 2 {
		t.Errorf("ways to components: %v", ways)
	}
}

// componentsTwice adds to ways how the result says that the components were found.
func (s Suite) componentsTwice(t *testing.T, p *graph.Placed, ways map[string]bool) error {
	want := oracle.Components(p.Graph())
	for range 2 {
		res, err := cc.Run(t.Context(), p, cc.Options{})
		if err != nil {
			return err
		}
		way, _, _ := strings.Cut(res.Method, ",")
		ways[way] = true
		got, err := res.Component.Slice()
		byID, err2 := res.Component.ByID()
		if err := errors.Join(err, err2, cc.Validate(p.Graph(), res)); err != nil {
			return err
		}
		count := 0
		for v, c := range want {
			if uint32(v) == c {
				count++
			}
		}
		if !slices.Equal(got, want) || res.Components != count {
			return fmt.Errorf("%d components, want %d: %.300v, want %.300v", res.Components, count, fmt.Sprint(got), fmt.Sprint(want))
		}
		for i, c := range byID {
			if want[p.Graph().IDs().AtRank(uint32(i))] != c {
				return fmt.Errorf("by id, entry %d is %d", i, c)
			}
		}
		if err := res.Close(); err != nil {
			return err
		}
	}
	return nil
}

// ShardsFull takes memory away from one of several devices: runs are refused, or fail, with device.ErrMemory, and
// leave no memory in use. A run whose predicted memory doesn't fit is refused before it allocates.
func (s Suite) ShardsFull(t *testing.T) {
	used := s.used()
	before := used()
	g := withColumns(t, testgraph.Skewed(s.times(300, 60), s.times(40, 12), testgraph.Undirected).Weighted(5), rand.New(rand.NewPCG(5, 1)))
	for name, algo := range map[string]struct {
		run   func(p *graph.Placed) error
		bytes func(p *graph.Placed) uint64
	}{
		"pagerank": {func(p *graph.Placed) error { return ranked(t, p, pagerank.Options{Iterations: 2, Tolerance: -1}) },
			func(p *graph.Placed) uint64 { return pagerank.Bytes(p, pagerank.Options{Iterations: 2, Tolerance: -1}) }},
		"cc": {func(p *graph.Placed) error { return s.componentsTwice(t, p, map[string]bool{}) }, func(p *graph.Placed) uint64 { return cc.Bytes(p, cc.Options{}) }},
		"msbfs": {func(p *graph.Placed) error { return lanesRight(t.Context(), p) }, func(p *graph.Placed) uint64 {
			s, err := msbfs.NewSearcher(p, msbfs.Options{Lanes: 100})
			if err != nil {
				return 0
			}
			defer s.Close()
			return s.Bytes()
		}},
		"sssp": {func(p *graph.Placed) error { return s.pathsTo(t, p, g) }, func(p *graph.Placed) uint64 {
			s, err := sssp.NewSearcher(p, sssp.Options{Parents: true})
			if err != nil {
				return 0
			}
			defer s.Close()
			return s.Bytes() + 4*g.NumDirectedEdges() // the weights
		}},
		"reach": {func(p *graph.Placed) error {
			o := reach.Options{Sources: []uint32{1}, Departure: 10, Duration: "duration"}
			times, err := reach.Arrivals(t.Context(), p, o)
			if err != nil {
				return err
			}
			at, err := times.Slice()
			return errors.Join(err, reach.ValidateArrivals(t.Context(), g, o, at), times.Close())
		}, func(p *graph.Placed) uint64 {
			return traverse.Memory{Arrays: []int{8}, EdgeArrays: []int{8, 8}}.Bytes(p)
		}},
	} {
		devs := s.Device.(*gpu.Group).Devices()
		for i, d := range devs {
			if i > 0 && i+1 < len(devs) {
				continue
			}
			for nth := 1; ; nth++ {
				p, err := g.On(s.Device)
				if err != nil {
					t.Fatal(err)
				}
				placed := used()
				if nth == 1 {
					taken, live := fill(t, d), d.Context().Live()
					d.Context().FailAlloc(1) // an allocation would return a different error
					err := algo.run(p)
					d.Context().FailAlloc(0)
					if !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), "takes up to") || d.Context().Live() != live {
						t.Errorf("%s, without memory on GPU %d: %v", name, i, err)
					}
					for _, m := range taken {
						if err := m.Close(); err != nil {
							t.Fatal(err)
						}
					}
				}
				d.Context().FailAlloc(nth)
				err = algo.run(p)
				d.Context().FailAlloc(0)
				if err != nil {
					if !errors.Is(err, device.ErrMemory) && !errors.Is(err, driver.ErrOutOfMemory) {
						t.Errorf("%s, allocation %d of GPU %d: %v", name, nth, i, err)
					}
					// The next run finds what this one left: on the emulated GPU, after each failure of the
					// first device, and after every third of the last.
					if i == 0 || nth%3 == 0 || !s.Small {
						if err := algo.run(p); err != nil {
							t.Errorf("%s, after allocation %d of GPU %d failed: %v", name, nth, i, err)
						}
					}
				}
				if took, said := used()-placed, algo.bytes(p)*uint64(len(devs)); took > said {
					t.Errorf("%s takes %d bytes beside the graph, %d were foretold", name, took, said)
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
				if left := used(); left != before {
					t.Fatalf("%s, allocation %d of GPU %d: %d bytes are left", name, nth, i, left-before)
				}
				if err == nil || t.Failed() {
					t.Logf("%s makes %d allocations on GPU %d", name, nth-1, i)
					break
				}
			}
		}
	}
}

// ShardsRefused requests operations that several devices don't support.
func (s Suite) ShardsRefused(t *testing.T) {
	used := s.used()
	before := used()
	g := testgraph.Skewed(500, 6, testgraph.WithReverse).Graph(3)
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for name, run := range map[string]func() error{
		"scc": func() error { _, err := cc.Strong(ctx, p, cc.Options{}); return err },
		"bc":  func() error { _, err := bc.Run(ctx, p, bc.Options{}); return err },
		"own": func() error {
			x := traverse.New(ctx, p)
			defer x.Close()
			x.From(0)
			return x.Err()
		},
	} {
		if err := run(); !errors.Is(err, device.ErrNotSupported) || !strings.Contains(err.Error(), "pagerank") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := sssp.Run(ctx, p, 0, sssp.Options{}); !errors.Is(err, graph.ErrNoWeights) {
		t.Errorf("sssp without weights: %v", err)
	}
	weighted := turned(t, p, 1)
	if _, err := weighted.State().FloatWeights(); !errors.Is(err, device.ErrNotSupported) || !strings.Contains(err.Error(), "weights") {
		t.Errorf("weights of 64 bits as an array: %v", err)
	}
	s.pathsCanceled(t, weighted)
	if err := weighted.Close(); err != nil {
		t.Error(err)
	}
	s.refusedSteps(t, p)
	s.columnsRefused(t, g)
	s.ranksCanceled(t, p)
	if err := errors.Join(p.Close(), g.Close()); err != nil {
		t.Error(err)
	}
	if left := used(); left != before {
		t.Errorf("%d bytes are left", left-before)
	}
}

// ranksCanceled ends runs at some round, and runs again.
func (s Suite) ranksCanceled(t *testing.T, p *graph.Placed) {
	t.Helper()
	for at := range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		if at == 0 {
			cancel()
		}
		o := pagerank.Options{Iterations: 20, Tolerance: -1, EachLevel: func(l traverse.Level) {
			if l.Level == at {
				cancel()
			}
		}}
		if _, err := pagerank.Run(ctx, p, o); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled in round %d: %v", at, err)
		}
		cancel()
		if err := ranked(t, p, pagerank.Options{Iterations: 5, Tolerance: -1}); err != nil {
			t.Errorf("after that: %v", err)
		}
	}
}
