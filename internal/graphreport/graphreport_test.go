// This file holds the tests of the measures, against hand-computed values and naive definitions.

package graphreport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

func measured(t *testing.T, p *graph.Placed, o Options) *Report {
	t.Helper()
	o.Trials = max(o.Trials, 1)
	o.Label = func(v uint32) string { return p.Graph().IDs().Format(v) }
	r, err := Measure(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	var html, again strings.Builder
	if err := errors.Join(r.WriteHTML(&html), r.WriteJSON(&again)); err != nil {
		t.Fatal(err)
	}
	if s := html.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") || !strings.HasSuffix(s, "</html>\n") {
		t.Errorf("a page with numbers that are none, or without an end:\n%s", s)
	}
	var back Report
	if err := json.Unmarshal([]byte(again.String()), &back); err != nil || !reflect.DeepEqual(*r, back) {
		t.Errorf("JSON says something else: %v\n%+v\n%+v", err, *r, back)
	}
	return r
}

func built(t *testing.T, spec string) *graph.Graph {
	t.Helper()
	g, err := gen.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	b, err := gen.Build(context.Background(), g, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestStar has values that can be computed by hand: vertex 0 and 7 others.
func TestStar(t *testing.T) {
	r := measured(t, testgraph.Place(built(t, "star:8"), 1), Options{Given: []uint32{1}, Trials: 2})
	if g := r.Graph; g.Vertices != 8 || g.Edges != 7 || g.DirectedEdges != 14 || g.Isolated != 0 || g.Directed || !g.Reverse {
		t.Errorf("%+v", g)
	}
	d := r.Degrees[0]
	if want := []uint64{0, 7, 0, 1}; len(r.Degrees) != 1 || d.Max != 7 || d.Mean != 1.75 || !slices.Equal(d.Bins, want) {
		t.Errorf("%+v", r.Degrees)
	}
	for _, q := range d.Quantiles {
		if want := map[bool]uint64{true: 1, false: 7}[q.Percent <= 87.5]; q.Degree != want {
			t.Errorf("%g%%: %d, want %d", q.Percent, q.Degree, want)
		}
	}
	if c := r.Components; c.Count != 1 || c.Largest != 8 || !slices.Equal(c.Bins, []SizeBin{{}, {}, {}, {1, 8}}) {
		t.Errorf("%+v", c)
	}
	s := r.Searches[0]
	if want := []Level{{1, 1}, {1, 7}, {6, 6}}; s.Reached != 8 || s.Levels != 3 || s.Edges != 7 || len(s.MS) != 2 || !slices.Equal(s.ByDepth, want) {
		t.Errorf("%+v", s)
	}
}

// TestRandom compares degrees and frontiers of random graphs with naive ones.
func TestRandom(t *testing.T) {
	testlong.Project(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		directed := rng.IntN(2) == 0
		b := graph.NewBuilder(graph.Options{Directed: directed, Reverse: rng.IntN(2) == 0})
		var src, dst []int64
		for range 1 + rng.IntN(60) {
			src, dst = append(src, rng.Int64N(30)), append(dst, rng.Int64N(30)*rng.Int64N(2))
		}
		if err := graph.AddInts(b, src, dst, nil); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		r := measured(t, testgraph.Place(g, 1+rng.IntN(2)), Options{Sources: 2, Seed: rng.Uint64()})
		n := g.NumVertices()
		var out, in []int
		ins := make([]int, n)
		for v := range uint32(n) {
			out = append(out, len(g.Out().Neighbors(v)))
			for _, u := range g.Out().Neighbors(v) {
				ins[u]++
			}
		}
		in = ins
		for i, degrees := range [][]int{out, in}[:len(r.Degrees)] {
			slices.Sort(degrees)
			d := r.Degrees[i]
			for _, q := range d.Quantiles {
				at := 0
				for at+1 < n && float64(at+1) < q.Percent/100*float64(n) {
					at++
				}
				if q.Degree != uint64(degrees[at]) {
					t.Fatalf("%s of %v: %g%% have at most %d, want %d", d.Name, degrees, q.Percent, q.Degree, degrees[at])
				}
			}
			if d.Max != uint64(degrees[n-1]) {
				t.Fatalf("%s: %d, want %d", d.Name, d.Max, degrees[n-1])
			}
		}
		if directed != (len(r.Degrees) == 2) {
			t.Errorf("%d distributions", len(r.Degrees))
		}
		for _, s := range r.Searches {
			vertices, levels := uint64(0), 0
			for _, l := range s.ByDepth {
				vertices += l.Vertices
			}
			for _, ph := range s.Phases {
				levels += ph.Levels
			}
			if vertices != uint64(s.Reached) || levels != s.Levels || s.More != 0 {
				t.Errorf("%d vertices of %d, %d levels of %d", vertices, s.Reached, levels, s.Levels)
			}
			if !s.Fallback && s.ByDepth[0].Edges == 0 {
				t.Errorf("source %s has no edges", s.Source)
			}
		}
	}
}

// TestShapes: empty graphs, and graphs of one vertex or one edge, have pages.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		csr      graph.CSR
		searches int
		levels   int
	}{
		{graph.CSR{Offsets: []uint64{0}}, 0, 0},
		{graph.CSR{Offsets: []uint64{0, 0}}, 1, 1},
		{graph.CSR{Offsets: []uint64{0, 0, 0, 0}}, 1, 1},
		{graph.CSR{Offsets: []uint64{0, 1}, Targets: []uint32{0}}, 1, 1}, // a self-loop
		{graph.CSR{Offsets: []uint64{0, 1, 2, 2}, Targets: []uint32{1, 0}}, 2, 2},
	} {
		for _, directed := range []bool{false, true} {
			g, err := graph.FromCSR(c.csr, graph.CSROptions{Directed: directed})
			if err != nil {
				t.Fatal(err)
			}
			r := measured(t, testgraph.Place(g, 1), Options{Sources: 3})
			if len(r.Searches) != c.searches {
				t.Errorf("%+v: %d searches", c.csr, len(r.Searches))
			}
			for _, s := range r.Searches {
				if s.Levels != c.levels || s.Fallback != (len(c.csr.Targets) == 0) {
					t.Errorf("%+v: %+v", c.csr, s)
				}
			}
		}
	}
}

// TestPhases: a search that pulls says why with the numbers of its levels; a deep one has all of its levels.
func TestPhases(t *testing.T) {
	r := measured(t, testgraph.Place(built(t, "kron12"), 2), Options{Sources: 3, Seed: 1})
	pulls := 0
	for _, s := range r.Searches {
		for i, ph := range s.Phases {
			if i > 0 && ph.Direction == s.Phases[i-1].Direction || ph.Why == "" {
				t.Errorf("%+v", s.Phases)
			}
			if ph.Direction != "pull" {
				continue
			}
			pulls++
			if edges := number(float64(s.ByDepth[ph.Depth].Edges)); s.ByDepth[ph.Depth].Vertices <= 1024 && !strings.Contains(ph.Why, "the frontier has "+edges+" edges, more than") {
				t.Errorf("%q; the frontier has %s edges", ph.Why, edges)
			}
		}
	}
	if pulls == 0 {
		t.Error("no search pulls")
	}
	r = measured(t, testgraph.Place(built(t, "path:12000"), 1), Options{Given: []uint32{0}})
	if s := r.Searches[0]; s.Levels != 12_000 || len(s.ByDepth) != 12_000 || len(s.Phases) != 1 || s.Phases[0].Vertices != 12_000 {
		t.Errorf("%d levels, phases %+v", s.Levels, s.Phases)
	}
}

// TestWhyOf: words for each branch of the rule.
func TestWhyOf(t *testing.T) {
	for _, c := range []struct {
		c    dobfs.Choice
		want string
	}{
		{dobfs.Choice{Pull: true, Edges: 1_200_000, Counted: true, Unpushed: 12_000_000, Alpha: 15, Least: 500},
			"Pulls: the frontier has 1.2M edges, more than 1/15 of the 12M edges that no push has looked at (800k), and more than the least cost of a pull, as much as of 500 pushed edges."},
		{dobfs.Choice{Pull: true, Edges: 900, Counted: true, Unpushed: 1500, Alpha: 15, Least: 500},
			"Pulls: the frontier has 900 edges, more than the least cost of a pull, as much as of 500 pushed edges, and more than 1/15 of the 1,500 edges that no push has looked at (100)."},
		{dobfs.Choice{Edges: 1, Unpushed: 15_000, Alpha: 15, Least: 500},
			"Pushes: the frontier has at most 1 edge, fewer than 1/15 of the 15k edges that no push has looked at (1,000)."},
		{dobfs.Choice{Edges: 90, Counted: true, Unpushed: 15_000, Alpha: 15, Least: 5000},
			"Pushes: the frontier has 90 edges, no more than the least cost of a pull, as much as of 5,000 pushed edges."},
		{dobfs.Choice{Pulling: true, Pull: true, Frontier: 60, Stay: 55.4}, "Pulls continue: the 60 vertices of the frontier are at least 55.4,"},
		{dobfs.Choice{Pulling: true, Pull: true, Frontier: 50, Stay: 55, Edges: 99, Least: 98}, "Pulls continue: the frontier's 99 edges (by the mean degree) are at least the least cost of a pull, as much as of 98 pushed edges."},
		{dobfs.Choice{Pulling: true, Frontier: 50, Stay: 55, Edges: 97, Least: 98}, "Pushes again: the 50 vertices of the frontier are fewer than 55,"},
	} {
		if got := whyOf(&c.c); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestCanceled: a canceled context ends the measurement with its error, at any part.
func TestCanceled(t *testing.T) {
	p := testgraph.Place(built(t, "kron10"), 2)
	for at := range 6 {
		ctx, cancel := context.WithCancelCause(context.Background())
		parts, cause := 0, fmt.Errorf("part %d", at)
		_, err := Measure(ctx, p, Options{Sources: 3, Trials: 1, Label: func(uint32) string { return "" }, Progress: func(graph.Progress) {
			if parts == at {
				cancel(cause)
			}
			parts++
		}})
		if !errors.Is(err, context.Canceled) && !errors.Is(err, cause) {
			t.Errorf("canceled at part %d: %v", at, err)
		}
		cancel(nil)
	}
}

// TestCounts: with self-loops, which degrees count once, the edges agree with the degrees.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		csr          graph.CSR
		edges, loops uint64
		says         string
	}{
		{graph.CSR{Offsets: []uint64{0, 2, 4}, Targets: []uint32{0, 1, 0, 1}}, 3, 2, "the sum of the degrees: an edge counts at both ends, and each of 2 self-loops once"},
		{graph.CSR{Offsets: []uint64{0, 1, 2}, Targets: []uint32{1, 0}}, 1, 0, "the sum of the degrees: an edge counts at both ends<"},
	} {
		g, err := graph.FromCSR(c.csr, graph.CSROptions{})
		if err != nil {
			t.Fatal(err)
		}
		for trials, want := range map[int]string{1: "one trial, so a single run", 3: "the median of 3 trials"} {
			r := measured(t, testgraph.Place(g, 1), Options{Sources: 1, Trials: trials})
			if r.Graph.Edges != c.edges || r.Graph.SelfLoops != c.loops {
				t.Errorf("%+v: %d edges, %d self-loops", c.csr, r.Graph.Edges, r.Graph.SelfLoops)
			}
			var page strings.Builder
			if err := r.WriteHTML(&page); err != nil {
				t.Fatal(err)
			}
			html := page.String()
			if !strings.Contains(html, c.says) || !strings.Contains(html, want) || strings.Contains(html, "slowest") != (trials > 1) {
				t.Errorf("%d trials: the page lacks %q or %q, or has quartiles of one trial", trials, c.says, want)
			}
		}
	}
}
