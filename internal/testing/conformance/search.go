// This file holds the tests of the searches.

package conformance

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// shapes runs a test on every shape of graph that has a vertex.
func (s Suite) shapes(t *testing.T, seed uint64, test func(t *testing.T, p *graph.Placed, r *rand.Rand)) {
	s.some(t, seed, nil, test)
}

// some does so, but on those of the names only where all is to be small.
func (s Suite) some(t *testing.T, seed uint64, few []string, test func(t *testing.T, p *graph.Placed, r *rand.Rand)) {
	for _, c := range s.cases() {
		if s.Small && few != nil && !slices.Contains(few, c.Name) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			g := c.Graph(seed)
			if g.NumVertices() == 0 {
				return
			}
			p, err := g.On(s.Device)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			test(t, p, rand.New(rand.NewPCG(seed+1, uint64(g.NumVertices()))))
		})
	}
}

// Searches tests every way to search on all shapes of graphs.
func (s Suite) Searches(t *testing.T) {
	vs := s.variants()
	s.shapes(t, 41, func(t *testing.T, p *graph.Placed, r *rand.Rand) { s.searches(t, vs, p, r) })
}

// searches tests ways to search of a placed graph, with random sources and options.
func (s Suite) searches(t *testing.T, vs []variant, p *graph.Placed, r *rand.Rand) {
	t.Helper()
	g, n := p.Graph(), p.NumVertices()
	for _, v := range vs {
		for range s.times(4, 2) {
			sources := []uint32{uint32(r.IntN(n))}
			for r.IntN(3) == 0 {
				sources = append(sources, uint32(r.IntN(n)))
			}
			o := bfs.Options{Outputs: testsearch.Outputs(!(r.IntN(4) == 0), r.IntN(2) == 0), Stats: r.IntN(4) == 0}
			o.ByID = r.IntN(3) == 0
			if r.IntN(4) == 0 {
				o.DepthLimit = 1 + r.IntN(5)
			}
			if r.IntN(5) == 0 {
				o.Targets = []uint32{uint32(r.IntN(n))}
			}
			if !v.fits(g, o) {
				continue
			}
			s.check(t, v, p, sources, o)
		}
	}
}

// HandOver searches all shapes of graphs in one cluster and in the whole grid by
// turns: the thresholds go through all sizes that the frontiers have, so that
// every level of a search is one before which the other takes over.
func (s Suite) HandOver(t *testing.T) {
	enter, leave, sends, growth := tuning.DeepEnter, tuning.DeepLeave, tuning.DeepSends, tuning.DeepGrowth
	defer func() {
		tuning.DeepEnter, tuning.DeepLeave, tuning.DeepSends, tuning.DeepGrowth = enter, leave, sends, growth
	}()
	tuning.DeepGrowth = math.Inf(1)
	s.some(t, 43, []string{"two", "sparse-63", "dense-65", "skewed-reverse", "uniform-reverse", "tree"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		g, n := p.Graph(), p.NumVertices()
		for size := uint32(1); size <= uint32(n)+1; size += 1 + size/4*uint32(s.times(1, 5)) {
			leaves, most := []uint32{0, size / 2, size, 3 * size}, []uint32{1, size, 1 << 30}
			if s.Small {
				leaves, most = leaves[1:3], most[1:]
			}
			for _, leave := range leaves {
				for _, sends := range most {
					tuning.DeepEnter, tuning.DeepLeave, tuning.DeepSends = size, leave, sends
					for _, pull := range []bool{false, true} {
						if pull && g.In() == nil {
							continue
						}
						o := bfs.Options{Outputs: testsearch.Outputs(true, r.IntN(2) == 0), Stats: r.IntN(3) == 0}
						if r.IntN(4) == 0 {
							o.DepthLimit = 1 + r.IntN(5)
						}
						for range r.IntN(3) {
							o.Targets = append(o.Targets, uint32(r.IntN(n)))
						}
						s.check(t, variant{name: "hand-over", o: bfs.Options{Tuning: bfs.Tuning{Coupling: "fused"}}, pull: pull}, p, []uint32{uint32(r.IntN(n))}, o)
					}
				}
			}
		}
	})
}

// ManyPulls lets the whole grid pull for more levels than it has bitmaps.
func (s Suite) ManyPulls(t *testing.T) {
	growth := tuning.DeepGrowth
	defer func() { tuning.DeepGrowth = growth }()
	tuning.DeepGrowth = 0 // no cluster takes small frontiers over
	g := s.caseOf("path").Graph(44)
	for _, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents}, {Outputs: bfs.Parents}} {
		p, err := g.On(s.Device) // again: deep graphs are remembered
		if err != nil {
			t.Fatal(err)
		}
		s.check(t, variant{name: "many pulls", o: bfs.Options{Tuning: bfs.Tuning{Coupling: "fused"}}, pull: true}, p, []uint32{0}, o)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// check searches and checks the result.
func (s Suite) check(t *testing.T, v variant, p *graph.Placed, sources []uint32, o bfs.Options) {
	t.Helper()
	o = v.countable(o)
	res, err := v.run(p, sources, o)
	if err == nil {
		err = testsearch.Check(p.Graph(), sources, o, res)
	}
	if err == nil && res.Device != s.Device.Info().Name {
		err = fmt.Errorf("device %q", res.Device)
	}
	if err == nil && o.ByID {
		err = checkByID(p.Graph(), res)
	}
	if err == nil && v.o.Tuning.CountCulls {
		if c := res.Culled; c.Bitmask+c.Warp+c.History+c.Exact+c.Label > c.Edges {
			err = fmt.Errorf("culled more than there is: %+v", c)
		}
	}
	if err != nil {
		t.Fatalf("%s from %v, %+v: %v", v.name, sources, o, err)
	}
	res.Close()
}

// checkSome is check in the ways of searching that differ most.
func (s Suite) checkSome(t *testing.T, p *graph.Placed, sources []uint32, o bfs.Options) {
	t.Helper()
	vs := s.variants()
	for _, v := range vs[:min(8, len(vs))] {
		s.check(t, v, p, sources, o)
	}
}

// checkByID compares the arrays in the order of external ids with those in the
// internal one.
func checkByID(g *graph.Graph, res *bfs.Result) error {
	order := g.IDs().ByID()
	place := make([]uint32, g.NumVertices())
	for i := range place {
		if order == nil {
			place[i] = uint32(i)
		} else {
			place[order[i]] = uint32(i)
		}
	}
	if (testgraph.Array(res.Depths()) == nil) != (testgraph.Array(res.DepthsByID()) == nil) || (testgraph.Array(res.Parents()) == nil) != (testgraph.Array(res.ParentsByID()) == nil) {
		return fmt.Errorf("by id other arrays than by vertex")
	}
	for v, d := range testgraph.Array(res.Depths()) {
		if got := testgraph.Array(res.DepthsByID())[place[v]]; got != d {
			return fmt.Errorf("vertex %d has depth %d, by id %d", v, d, got)
		}
	}
	for v, p := range testgraph.Array(res.Parents()) {
		if p != graph.NoVertex {
			p = place[p]
		}
		if got := testgraph.Array(res.ParentsByID())[place[v]]; got != p {
			return fmt.Errorf("vertex %d has the parent in place %d, by id %d", v, p, got)
		}
	}
	return nil
}

// Large tests on graphs that fill the device, every source's depths against
// the sequential search, and one graph a thousand times: races show by
// repetition.
func (s Suite) Large(t *testing.T, specs []string, repeat string, times int) {
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			p := s.generate(t, spec)
			n := p.NumVertices()
			r := rand.New(rand.NewPCG(51, 1))
			for _, v := range s.variants() {
				repeats := 3
				if deep(spec) {
					repeats = 2 // thousands of levels
				}
				repeats = s.times(repeats, 1)
				for i := range repeats {
					o := bfs.Options{Outputs: testsearch.Outputs(true, i == 1 || s.Small && v.pull), ByID: i == 0}
					if v.fits(p.Graph(), o) && s.bearable(v, spec) {
						s.check(t, v, p, []uint32{uint32(r.IntN(n))}, o)
					}
				}
			}
		})
	}
	t.Run("repeated", func(t *testing.T) {
		p := s.generate(t, repeat)
		source := uint32(0)
		want := oracle.Depths(p.Graph().Out(), source)
		for _, v := range s.variants() {
			began := time.Now()
			for i := range times {
				if i >= times/20 && time.Since(began) > 5*time.Second {
					break // ways that are there for comparison are slow
				}
				res, err := v.run(p, []uint32{source}, bfs.Options{})
				if err != nil {
					t.Fatal(err)
				}
				got, err := res.Depths()
				if len(got) != len(want) {
					t.Fatalf("%s: %v", v.name, err)
				}
				wrong, first := 0, -1
				for x := range want {
					if got[x] != want[x] {
						if wrong++; first < 0 {
							first = x
						}
					}
				}
				if wrong > 0 {
					t.Errorf("%s, run %d: %d of %d depths are wrong; vertex %d has %d, want %d", v.name, i, wrong, len(want), first, got[first], want[first])
					break
				}
				res.Close()
			}
		}
	})
}

// bearable reports whether a variant gets through a graph in seconds.
func (s Suite) bearable(v variant, spec string) bool {
	switch {
	case strings.HasPrefix(spec, "path"): // a level does next to nothing: the ways to do it differ little
		return v.name == "bfs" || v.pull || strings.HasPrefix(v.name, "coupling") && !strings.HasPrefix(v.o.Tuning.Coupling, "quadratic")
	case deep(spec):
		return !strings.HasPrefix(v.o.Tuning.Coupling, "quadratic")
	}
	return true
}

// deep reports whether a graph has hundreds of levels.
func deep(spec string) bool {
	for _, shallow := range []string{"kron", "urand", "star", "smallworld"} {
		if strings.HasPrefix(spec, shallow) {
			return false
		}
	}
	return true
}

func (s Suite) generate(t *testing.T, spec string) *graph.Placed {
	t.Helper()
	sp, err := gen.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(context.Background(), sp, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}
