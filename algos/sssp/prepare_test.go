package sssp_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// prepare prepares a placed graph.
func prepare(t testing.TB, p *graph.Placed) sssp.Prepared {
	t.Helper()
	says, err := sssp.Prepare(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return says
}

// TestPrepare: some graphs get rows by weight, and others a reason.
func TestPrepare(t *testing.T) {
	for name, why := range map[string]string{
		"skewed-undirected": "", "skewed-reverse": "", "complete": "",
		"uniform-directed": "no reverse", "lattice": "too few", "none": "too few", "isolated": "too few",
	} {
		p := placed(t, weighted(t, testgraph.ByName(name).Graph(1), rand.New(rand.NewPCG(1, 1)), draws["integers"]), 2)
		says := prepare(t, p)
		if says.ByWeight != (why == "") || !strings.Contains(says.Why, why) || (says.Why == "") != says.ByWeight || (says.Bytes > 0) != says.ByWeight {
			t.Errorf("%s: %+v, want %q", name, says, why)
		}
		if again := prepare(t, p); again != says {
			t.Errorf("%s: %+v, then %+v", name, says, again)
		}
	}
	// Weights that differ by direction: what pulls find isn't what pushes do.
	g := testgraph.ByName("skewed-undirected").Graph(1)
	out := *g.Out()
	out.Weights = make([]float32, len(out.Targets))
	for e := range out.Weights {
		out.Weights[e] = float32(e % 100)
	}
	g, err := graph.FromCSR(out, graph.CSROptions{})
	if err != nil {
		t.Fatal(err)
	}
	if says := prepare(t, placed(t, g, 2)); says.Why != "weights differ from those of the reverse" {
		t.Errorf("%+v", says)
	}
	if _, err := sssp.Prepare(t.Context(), edge(t, -1)); !errors.Is(err, graph.ErrWeights) {
		t.Error(err)
	}
	if _, err := sssp.Prepare(t.Context(), nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := placed(t, testgraph.ByName("skewed-undirected").Weighted(1), 2)
	if _, err := sssp.Prepare(ctx, p); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if says := prepare(t, p); !says.ByWeight {
		t.Errorf("after one that was canceled: %+v", says)
	}
}

// TestPreparedGraph says that results of rows by weight are those of the graph itself, that
// fewer edges are looked at, and that freeing the graph frees the rows.
func TestPreparedGraph(t *testing.T) {
	g := weighted(t, testgraph.Skewed(20000, 20, testgraph.Undirected).Graph(1), rand.New(rand.NewPCG(1, 1)), draws["integers"])
	p := placed(t, g, 2)
	var edges [2]uint64
	for i := range edges {
		r, err := sssp.Run(t.Context(), p, 0, sssp.Options{Parents: true, Stats: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Distances.Graph() != g || r.Parents.Graph() != g {
			t.Error("the result is that of another graph")
		}
		if err := compare(g, sssp.Query{Sources: []uint32{0}}, r); err != nil {
			t.Error(err)
		}
		for _, l := range r.Stats.Levels {
			edges[i] += l.Edges
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		prepare(t, p)
	}
	if edges[1] == 0 || edges[1] > edges[0]/3 {
		t.Errorf("%d edges were looked at, %d without rows by weight", edges[1], edges[0])
	}
	s, err := sssp.NewSearcher(p, sssp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), sssp.Query{Sources: []uint32{0}}); !errors.Is(err, device.ErrClosed) {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestCanceled ends searches by their context, at whichever level.
func TestCanceled(t *testing.T) {
	p := placed(t, testgraph.ByName("skewed-undirected").Weighted(1), 2)
	for range 2 {
		for at := range 6 {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := sssp.Run(ctx, p, 0, sssp.Options{Parents: true, EachLevel: func(l traverse.Level) {
				if l.Level > at {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("from level %d on: %v", at, err)
			}
			cancel()
		}
		prepare(t, p)
	}
}
