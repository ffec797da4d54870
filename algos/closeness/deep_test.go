package closeness_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// checkDeep compares some vertices of a deep graph, or all where of is nil, with a naive loop.
func checkDeep(t *testing.T, g *graph.Graph, workers, lanes int, of []uint32) {
	t.Helper()
	got := run(t, g, workers, closeness.Options{Of: of, Lanes: lanes})
	if of == nil {
		for v := 0; v < g.NumVertices(); v += 1 + g.NumVertices()/100 { // a hundred of them
			of = append(of, uint32(v))
		}
	}
	for _, v := range of {
		c, h, e := closeness.Plain(g, v)
		if math.Abs(got.closeness[v]-c) > 1e-15*c || math.Abs(got.harmonic[v]-h) > 1e-12*h || got.eccentricity[v] != e {
			t.Fatalf("%d vertices, %d workers, %d lanes, vertex %d: %v %v %v, want %v %v %v", g.NumVertices(), workers, lanes, v,
				got.closeness[v], got.harmonic[v], got.eccentricity[v], c, h, e)
		}
	}
}

// TestDeep has distances of more than 8 bits, between vertices whose lanes seldom meet.
func TestDeep(t *testing.T) {
	testlong.Project(t)
	levels := testlong.Of(100, 300)
	for i, c := range testgraph.Deep(levels, 9) {
		t.Run(fmt.Sprint(c.Name, " ", levels), func(t *testing.T) {
			g := c.Graph(1)
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for k, lanes := range []int{64, 256, 512} {
				workers := []int{1, 3}[(i+k)%2]
				checkDeep(t, g, workers, lanes, nil)
				if g.In() == nil {
					continue
				}
				var of []uint32
				for range lanes + 10 {
					of = append(of, uint32(r.IntN(g.NumVertices())))
				}
				checkDeep(t, g, workers, lanes, of)
			}
			bounds(t, g, 2, exact(g))
		})
	}
}

// exact returns the eccentricities of all vertices.
func exact(g *graph.Graph) []int32 {
	all := make([]int32, g.NumVertices())
	if g.Directed() { // not used
		return all
	}
	for v := range all {
		_, _, all[v] = closeness.Plain(g, uint32(v))
	}
	return all
}

// TestDeepest has distances of more than 16 bits, which add up to more than 32 bits.
func TestDeepest(t *testing.T) {
	testlong.Only(t)
	if testgraph.Race {
		t.Skip("needs a build without -race: it takes minutes")
	}
	for i, c := range testgraph.Deep(66000, 9) {
		g := c.Graph(1)
		if g.In() == nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			of := make([]uint32, 3)
			for k := range of {
				of[k] = uint32(r.IntN(g.NumVertices()))
			}
			checkDeep(t, g, []int{1, 3}[i%2], []int{64, 512}[i/2%2], of)
		})
	}
}
