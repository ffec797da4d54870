package bc

import (
	"math"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// diamonds is a chain of diamonds: counts double with each.
func diamonds(n int) *graph.Graph {
	var edges []testgraph.Edge
	for i := range uint32(n) {
		at := 3 * i
		edges = append(edges, testgraph.Edge{From: at, To: at + 1}, testgraph.Edge{From: at, To: at + 2},
			testgraph.Edge{From: at + 1, To: at + 3}, testgraph.Edge{From: at + 2, To: at + 3})
	}
	return testgraph.Build(3*n+1, edges, testgraph.Undirected)
}

// alone returns sums of dependencies by narrow searches from all vertices, with a first mark.
func alone(t *testing.T, g *graph.Graph, first uint32) []float64 {
	t.Helper()
	hs := host.New(1).Stream(t.Context())
	defer hs.Close()
	b, score := newBrandes(g.NumVertices()), make([]float64, g.NumVertices())
	b.first = first
	for v := range score {
		if !b.forwards(g.Out(), uint32(v), hs) {
			t.Fatalf("given up at source %d", v)
		}
		b.backwards(g.Out(), score, hs)
	}
	return score
}

// TestNarrow has counts up to 2^1000, which get a unit several times on the way, and marks that run
// out in between.
func TestNarrow(t *testing.T) {
	for _, g := range []*graph.Graph{diamonds(1000), testgraph.Path(50).Graph(1)} {
		n := uint32(g.NumVertices())
		want := oracle.Betweenness(g, nil)
		for _, first := range []uint32{0, math.MaxUint32 - 10*n} {
			for v, x := range alone(t, g, first) {
				if math.Abs(x-want[v]) > 1e-9*max(1, want[v]) {
					t.Fatalf("%d vertices, first mark %d: vertex %d has %v, want %v", n, first, v, x, want[v])
				}
			}
		}
	}
}

// TestNarrowLevels: all levels of a source are one call of EachLevel, and their number is right.
func TestNarrowLevels(t *testing.T) {
	const n = 200
	g := testgraph.Path(n).Graph(1)
	p, err := g.On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	calls, levels, vertices := 0, 0, 0
	r, err := Run(t.Context(), p, Options{Stats: true, EachLevel: func(l traverse.Level) {
		calls++
		levels += l.Levels
		vertices += l.Frontier
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := 0
	for v := range n { // the farther end of the path, and the source itself
		want += max(v, n-1-v) + 1
	}
	if calls != n || levels != want || vertices != n*n || r.Stats.Rounds != want {
		t.Errorf("%d calls, %d levels of %d vertices, %d rounds; want %d, %d, %d, %d", calls, levels, vertices, r.Stats.Rounds, n, want, n*n, want)
	}
}
