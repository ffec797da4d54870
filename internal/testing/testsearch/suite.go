// Package testsearch is a test suite that every breadth-first search must pass, whatever its
// method: it checks results against the definition.
package testsearch

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// Search is the search to test. Its options leave Strategy zero.
type Search struct {
	Run func(context.Context, *graph.Placed, []uint32, bfs.Options) (*bfs.Result, error)
	// Algorithm is what Result.Algorithm must say.
	Algorithm string
	// Reverse: the search needs the reverse of a directed graph.
	Reverse bool
	// Depths: the search can't leave depths out.
	Depths bool
	// Brief tries fewer combinations: for variants of a search that is tested
	// in full.
	Brief bool
}

// Test runs the whole suite. Under the race detector a variant leaves out what
// has nothing to do with how workers meet: those tests run without it, and with
// it for the search that the variant is one of.
func (s Search) Test(t *testing.T) {
	t.Run("shapes", s.shapes)
	if !s.Brief || !testgraph.Race {
		t.Run("parts", s.parts)
		t.Run("errors", s.errors)
		t.Run("closed", s.closed)
		t.Run("memory", s.memory)
	}
	t.Run("parallel", s.parallel)
	t.Run("repeated", s.repeated)
	t.Run("canceled", s.canceled)
	t.Run("progress", s.progress)
	t.Run("allocations", s.allocations)
}

// quick reports whether fewer combinations are to be tried.
func (s Search) quick() bool { return s.Brief || testing.Short() || testgraph.Race }

// workerCounts are the numbers of workers to test with.
func (s Search) workerCounts() []int {
	switch {
	case testgraph.Race:
		return []int{3}
	case s.quick():
		return []int{1, 3}
	}
	return []int{1, 2, 3, 5, 8}
}

// cases are the graphs that the search is for.
func (s Search) cases() (cs []testgraph.Case) {
	for _, c := range testgraph.All() {
		if c.Kind != testgraph.Directed || !s.Reverse {
			cs = append(cs, c)
		}
	}
	return cs
}

// search searches, checks, and returns the result.
func (s Search) search(t *testing.T, p *graph.Placed, sources []uint32, o bfs.Options) *bfs.Result {
	t.Helper()
	r, err := s.Run(context.Background(), p, sources, o)
	if err == nil {
		err = Check(p.Graph(), sources, o, r)
	}
	if err == nil && r.Device != host.Name {
		err = fmt.Errorf("device %q, want %q", r.Device, host.Name)
	}
	if err == nil && r.Algorithm != s.Algorithm {
		err = fmt.Errorf("algorithm %q, want %q", r.Algorithm, s.Algorithm)
	}
	if err != nil {
		t.Fatalf("from %v, %s: %v", sources, describe(o), err)
	}
	return r
}

func describe(o bfs.Options) string {
	return fmt.Sprintf("parents %v, no depths %v, limit %d, targets %v", o.Outputs.Has(bfs.Parents), !o.Outputs.Has(bfs.Depths), o.DepthLimit, o.Targets)
}

// options draws options.
func (s Search) options(r *rand.Rand, n int) bfs.Options {
	o := bfs.Options{
		Outputs: Outputs(s.Depths || r.IntN(3) != 0, r.IntN(2) == 0),
		Stats:   r.IntN(2) == 0,
	}
	if r.IntN(3) == 0 {
		o.DepthLimit = 1 + r.IntN(5)
	}
	if r.IntN(3) == 0 {
		o.Targets = sources(r, n)
	}
	return o
}

// sources draws one vertex or a few, perhaps the same one twice.
func sources(r *rand.Rand, n int) []uint32 {
	k := 1
	if r.IntN(3) == 0 {
		k += r.IntN(6)
	}
	vs := make([]uint32, k, k+1)
	for i := range vs {
		vs[i] = uint32(r.IntN(n))
	}
	if k > 1 && r.IntN(2) == 0 {
		vs = append(vs, vs[0])
	}
	return vs
}

// shapes searches graphs of all shapes from random sources with random
// options, on several numbers of workers, in memory that is used again or not.
func (s Search) shapes(t *testing.T) {
	for _, c := range s.cases() {
		t.Run(c.Name, func(t *testing.T) {
			g := c.Graph(11)
			n := g.NumVertices()
			if n == 0 {
				return // see errors
			}
			r := rand.New(rand.NewPCG(12, uint64(n)))
			for _, workers := range s.workerCounts() {
				p := testgraph.Place(g, workers)
				times := 6
				if s.quick() {
					times = 3
				}
				for range times {
					res := s.search(t, p, sources(r, n), s.options(r, n))
					if r.IntN(2) == 0 {
						res.Close()
					}
				}
				// Nothing left out, and the whole graph as the source.
				s.search(t, p, []uint32{uint32(r.IntN(n))}, bfs.Options{Outputs: bfs.Depths | bfs.Parents, Stats: true})
				all := make([]uint32, n)
				for v := range all {
					all[v] = uint32(v)
				}
				s.search(t, p, all, bfs.Options{Outputs: bfs.Depths | bfs.Parents, Stats: true})
			}
		})
	}
}

// parts: each array alone, both, none; limits and targets one by one.
func (s Search) parts(t *testing.T) {
	names := []string{"skewed-reverse", "road-undirected", "components", "lattice", "line"}
	switch {
	case testgraph.Race:
		names = names[:2] // rows of either kind
	case s.quick():
		names = names[:3]
	}
	for _, name := range names {
		c := testgraph.ByName(name)
		g := c.Graph(13)
		n := uint32(g.NumVertices())
		p := testgraph.Place(g, 2)
		source := []uint32{n / 3}
		depths := oracle.Depths(g.Out(), source...)
		deepest, unreached := source[0], graph.NoVertex
		for v, d := range depths {
			if d > depths[deepest] {
				deepest = uint32(v)
			}
			if d < 0 {
				unreached = uint32(v)
			}
		}
		targets := [][]uint32{nil, source, {deepest}, {source[0], deepest, deepest}}
		if unreached != graph.NoVertex {
			targets = append(targets, []uint32{unreached}, []uint32{source[0], unreached})
		}
		for _, parents := range []bool{false, true} {
			for _, noDepths := range []bool{false, true} {
				if noDepths && s.Depths {
					continue
				}
				o := bfs.Options{Outputs: Outputs(!noDepths, parents), Stats: true}
				limits := []int{0, 1, 2, 3, int(depths[deepest]), int(depths[deepest]) + 1, math.MaxInt}
				for i, target := range targets {
					for j, limit := range limits {
						if s.quick() && (i+j)%3 > 0 {
							continue
						}
						o.Targets, o.DepthLimit = target, limit
						s.search(t, p, source, o).Close()
					}
				}
			}
		}
	}
}
