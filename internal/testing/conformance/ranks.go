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
			{Iterations: 10, Tolerance: -1, Start: starts(r, p.NumVertices())},
			{Tolerance: 1e-5, Iterations: 200, Start: starts(r, p.NumVertices()), Personalization: to},
			{Tolerance: 1e-9, Iterations: 500, Weighted: true, Start: starts(r, p.NumVertices())},
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

// starts returns ranks to begin with, which add up to 1.
func starts(r *rand.Rand, n int) []float64 {
	all, sum := make([]float64, n), 0.0
	for v := range all {
		all[v] = 0.1 + r.Float64()
		sum += all[v]
	}
	for v := range all {
		all[v] /= sum
	}
	return all
}

// RanksDecayed compares ranks by the age of edges with those of a graph whose weights are decayed.
func (s Suite) RanksDecayed(t *testing.T) {
	for _, directed := range []bool{false, true} {
		r := rand.New(rand.NewPCG(83, 1))
		n, m := 300, 1500
		batch := graph.Batch{Type: graph.Int64, Columns: []graph.Column{{}}}
		var times []int32
		var faded []float64
		for range m {
			age := r.Int32N(40)
			batch.Src, batch.Dst = append(batch.Src, r.Int64N(int64(n))), append(batch.Dst, r.Int64N(1+r.Int64N(int64(n))))
			batch.FloatWeights = append(batch.FloatWeights, 1+r.Float64())
			times, faded = append(times, 1000-age), append(faded, batch.FloatWeights[len(faded)]*math.Exp2(-float64(age)/7))
		}
		times[0], faded[0] = 1000, batch.FloatWeights[0]
		batch.Columns[0].Values = times
		ranks := func(columns []string, b graph.Batch, o pagerank.Options) []float64 {
			builder := graph.NewBuilder(graph.Options{Directed: directed, Reverse: true, DenseIDs: true, Vertices: uint64(n), KeepDuplicates: true, KeepSelfLoops: true, Weights: true, EdgeColumns: columns})
			if err := builder.Add(b); err != nil {
				t.Fatal(err)
			}
			g, err := builder.Build(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			p, err := g.On(s.Device)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { p.Close() })
			o.Tolerance, o.Iterations, o.Weighted = 1e-11, 500, true
			res, err := pagerank.Run(t.Context(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Close()
			if err := pagerank.Validate(g, res, o); err != nil {
				t.Fatal(err)
			}
			got, err := res.Ranks.ByID()
			if err != nil {
				t.Fatal(err)
			}
			return slices.Clone(got)
		}
		got := ranks([]string{"time"}, batch, pagerank.Options{Decay: pagerank.Decay{Column: "time", HalfLife: 7}})
		batch.Columns, batch.FloatWeights = nil, faded
		want := ranks(nil, batch, pagerank.Options{})
		if d := oracle.Distance(got, want); !(d < 1e-8) {
			t.Errorf("directed %t: ranks are %v apart", directed, d)
		}
	}
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
		Weighted: exact.Weighted, Start: exact.Start}
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
