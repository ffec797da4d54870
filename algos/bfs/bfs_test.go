package bfs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	_ "github.com/foray-graph/foray/algos/bfs/laboratory"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

var strategies = []string{"", "queue", "read", "hybrid"}

// TestStrategies runs the suite over all strategies.
func TestStrategies(t *testing.T) {
	testlong.Project(t)
	for _, strategy := range strategies {
		t.Run("strategy "+strategy, func(t *testing.T) {
			testsearch.Search{
				Run: func(ctx context.Context, p *graph.Placed, sources []uint32, o bfs.Options) (*bfs.Result, error) {
					o.Tuning.Strategy = strategy
					if len(sources) == 1 {
						return bfs.Run(ctx, p, sources[0], o)
					}
					return bfs.RunMultiSource(ctx, p, sources, o)
				},
				Algorithm: "bfs",
				Depths:    strategy == "read" || strategy == "hybrid",
				Brief:     strategy != "hybrid" && !testlong.Long(), // which is the others by turns
			}.Test(t)
		})
	}
}

// TestForms: the strategies keep the frontier as they say, and Hybrid changes
// from one form to the other and back.
func TestForms(t *testing.T) {
	g := testgraph.Uniform(20_000, 3, testgraph.Undirected).Graph(1)
	p := testgraph.Place(g, 2)
	forms := map[string]string{}
	for _, strategy := range strategies {
		r, err := bfs.Run(context.Background(), p, 1, bfs.Options{Tuning: bfs.Tuning{Strategy: strategy}, Stats: true})
		if err != nil {
			t.Fatal(err)
		}
		var seq []string
		for _, l := range r.Stats {
			if l.Direction != "push" {
				t.Errorf("%s: a level was done by %s", strategy, l.Direction)
			}
			if len(seq) == 0 || seq[len(seq)-1] != l.Form {
				seq = append(seq, l.Form)
			}
		}
		forms[strategy] = strings.Join(seq, " ")
	}
	if forms["queue"] != "queue" || forms["read"] != "levels" || forms["hybrid"] != "queue levels queue" {
		t.Errorf("forms of the frontier: %v", forms)
	}
}

func TestTuningNames(t *testing.T) {
	for _, tuning := range []bfs.Tuning{{Strategy: "auto"}, {Strategy: "queues"}, {Strategy: "Queue"}, {Coupling: "auto"}, {Coupling: "fuse"}} {
		name := tuning.Strategy + tuning.Coupling
		if err := (bfs.Options{Tuning: tuning}).Check(host.New(1)); !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), fmt.Sprintf("%q; want ", name)) {
			t.Errorf("%+v: %v", tuning, err)
		}
	}
}

func TestOptionsThatDoNotGoTogether(t *testing.T) {
	p := testgraph.Place(testgraph.ByName("path").Graph(1), 2)
	for _, s := range []string{"read", "hybrid"} {
		_, err := bfs.Run(context.Background(), p, 0, bfs.Options{Tuning: bfs.Tuning{Strategy: s}, Outputs: bfs.Counts})
		if !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), s) {
			t.Errorf("%s without depths: %v", s, err)
		}
	}
	if _, err := bfs.Run(context.Background(), p, 0, bfs.Options{Tuning: bfs.Tuning{Strategy: "77"}}); !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "77") {
		t.Errorf("an unknown strategy: %v", err)
	}
}

// TestSequential compares the oracle itself with the definition: distances are
// what no edge can shorten.
func TestSequential(t *testing.T) {
	for _, c := range testgraph.All() {
		g := c.Graph(2)
		n := g.NumVertices()
		if n > 3000 {
			continue
		}
		out := g.Out()
		r := rand.New(rand.NewPCG(1, uint64(n)))
		for range 3 {
			var sources []uint32
			for range r.IntN(4) {
				sources = append(sources, uint32(r.IntN(n+2))) // some that aren't there
			}
			want := make([]int32, n)
			for v := range want {
				want[v] = -1
			}
			for _, v := range sources {
				if int(v) < n {
					want[v] = 0
				}
			}
			for changed := true; changed; {
				changed = false
				for u := range uint32(n) {
					for _, v := range out.Neighbors(u) {
						if want[u] >= 0 && (want[v] < 0 || want[v] > want[u]+1) {
							want[v], changed = want[u]+1, true
						}
					}
				}
			}
			for v, d := range oracle.Depths(out, sources...) {
				if d != want[v] {
					t.Fatalf("%s from %v: depth of vertex %d is %d, want %d", c.Name, sources, v, d, want[v])
				}
			}
		}
	}
}

// tpu is a device that claims to be the host and isn't.
type tpu struct{ device.Device }

func (tpu) Info() device.Info { return device.Info{Kind: device.Host, Name: "host:7"} }

func TestOtherDevices(t *testing.T) {
	p, err := testgraph.ByName("path").Graph(1).On(tpu{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bfs.Run(context.Background(), p, 0, bfs.Options{}); !errors.Is(err, device.ErrNotSupported) || !strings.Contains(err.Error(), "host:7") {
		t.Error(err)
	}
}

// TestNoContext: a nil context is an error, however the search is run.
func TestNoContext(t *testing.T) {
	p := testgraph.Place(testgraph.Path(10).Graph(1), 2)
	defer p.Close()
	s, err := bfs.NewSearcher(p, bfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	pool, err := bfs.NewPool(p, bfs.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var none context.Context
	for name, run := range map[string]func() error{
		"Run":      func() error { _, err := bfs.Run(none, p, 0, bfs.Options{}); return err },
		"Searcher": func() error { _, err := s.Run(none, bfs.Query{Sources: []uint32{0}}); return err },
		"Pool":     func() error { return pool.Do(none, func(*bfs.Searcher) error { return nil }) },
	} {
		if err := run(); !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "the context is nil; give context.Background()") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Run(t.Context(), bfs.Query{Sources: []uint32{0}}); err != nil {
		t.Errorf("the searcher after that: %v", err)
	}
}
