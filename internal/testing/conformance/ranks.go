// This file holds the tests of PageRank and of label propagation.

package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/oracle"
)

// PageRanks compares ranks with the oracle's, after some rounds and in the limit, in single
// and double precision, with and without weights and a personalization.
func (s Suite) PageRanks(t *testing.T) {
	s.some(t, 81, []string{"one", "isolated", "hubs", "line", "skewed-reverse", "skewed-undirected"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		if p.Graph().In() == nil {
			if _, err := pagerank.Run(t.Context(), p, pagerank.Options{}); !errors.Is(err, graph.ErrNoReverse) {
				t.Fatal("without the reverse:", err)
			}
			return
		}
		small := turned(t, p, 1e-30) // shares have to be float64
		p = turned(t, p, 1)
		to := make([]float64, p.NumVertices())
		for v := range to {
			to[v] = r.Float64()
		}
		for _, o := range []pagerank.Options{
			{Iterations: 10, Tolerance: -1},
			{Tolerance: 1e-5, Iterations: 200, Personalization: to},
			{Tolerance: 1e-9, Iterations: 500, Weighted: true},
			{Tolerance: 1e-5, Iterations: 200, Weighted: true},
		} {
			if err := ranked(t, p, o); err != nil {
				t.Fatalf("%+v: %v", o, err)
			}
		}
		if err := ranked(t, small, pagerank.Options{Iterations: 10, Tolerance: -1, Weighted: true}); err != nil {
			t.Fatalf("weights of 1e-30: %v", err)
		}
	})
}

// turned returns the graph with the weight of each edge computed from its ends, so that both
// directions have the same weight, times a scale.
func turned(t *testing.T, p *graph.Placed, scale float32) *graph.Placed {
	t.Helper()
	g := p.Graph()
	with := func(c graph.CSR) graph.CSR {
		c.Weights = make([]float32, c.NumEdges())
		for v := range uint32(c.NumVertices()) {
			for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
				c.Weights[e] = float32((v*7)^(c.Targets[e]*7)) / 4 * scale
			}
		}
		return c
	}
	parts := graph.CSROptions{Directed: g.Directed()}
	if g.Directed() {
		in := with(*g.In())
		parts.In = &in
	}
	h, err := graph.FromCSR(with(*g.Out()), parts)
	if err != nil {
		t.Fatal(err)
	}
	q, err := h.On(p.Device())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	return q
}

func ranked(t *testing.T, p *graph.Placed, o pagerank.Options) error {
	r, err := pagerank.Run(t.Context(), p, o)
	if err != nil {
		return err
	}
	defer r.Close()
	if slabs := tuning.SlabEdges == 1 && o.Tolerance < 0 && !o.Weighted && p.Graph().NumDirectedEdges() > 0 && p.Remote() != nil; slabs && !p.Remote().Wide {
		if why := r.Stats.Why; !strings.Contains(why, "slabs") {
			return fmt.Errorf("it doesn't go over slabs, but %q", why)
		}
	}
	got, err := r.Ranks.Slice()
	if err != nil {
		return err
	}
	exact, most := o, 5e-7
	if o.Tolerance > 0 {
		exact.Tolerance, exact.Iterations = 1e-15, 2000
		if !r.Converged {
			return fmt.Errorf("%d rounds, the last changed %v", r.Iterations, r.Change)
		}
	}
	w := oracle.Walk{Damping: cmp.Or(exact.Damping, 0.85), Tolerance: cmp.Or(exact.Tolerance, 1e-6), Iterations: cmp.Or(exact.Iterations, 100),
		Weighted: exact.Weighted}
	if exact.Personalization != nil {
		sum := 0.0
		for _, x := range exact.Personalization {
			sum += x
		}
		for _, x := range exact.Personalization {
			w.Jumps = append(w.Jumps, x/sum)
		}
	}
	want, _, err := oracle.Ranks(p.Graph(), w)
	if err != nil {
		return err
	}
	off := 0.0
	for v := range want {
		d := math.Abs(got[v] - want[v])
		if o.Tolerance < 0 && d > most*want[v] {
			return fmt.Errorf("vertex %d has %v, want %v", v, got[v], want[v])
		}
		off += d
	}
	if off > 7*max(o.Tolerance, 0)+most {
		return fmt.Errorf("ranks are off by %v in sum", off)
	}
	return pagerank.Validate(p.Graph(), r, o)
}

// Labels compares the labels of label propagation with the oracle's. The second time rows are long, and
// tables small, from few neighbors on.
func (s Suite) Labels(t *testing.T) {
	t.Run("as they are", s.labels)
	row, slots := tuning.ModeWarpRow, tuning.ModeSlots
	defer func() { tuning.ModeWarpRow, tuning.ModeSlots = row, slots }()
	tuning.ModeWarpRow, tuning.ModeSlots = 40, 24
	t.Run("small tables", s.labels)
}

func (s Suite) labels(t *testing.T) {
	s.shapes(t, 82, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		o := lpa.Options{Iterations: 1 + r.IntN(5)}
		got, err := lpa.Run(t.Context(), p, o)
		if p.Graph().In() == nil {
			if !errors.Is(err, graph.ErrNoReverse) {
				t.Fatal("without the reverse:", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		defer got.Close()
		labels, err := got.Labels.Slice()
		if err != nil {
			t.Fatal(err)
		}
		want := oracle.Labels(p.Graph(), o.Iterations)
		if !slices.Equal(labels, want) {
			t.Fatalf("%d rounds: labels differ from the oracle's", o.Iterations)
		}
	})
}
