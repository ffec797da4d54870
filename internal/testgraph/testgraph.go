// Package testgraph makes seeded random graphs of many shapes for tests. The
// rows come unsorted unless a case says otherwise, because operators must not
// count on an order.
package testgraph

import (
	"fmt"
	"math/rand/v2"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// HubRow is the length of the longest rows of the cases that have hubs. It is
// more than three tiles of the advance operator, so that rows are cut up and
// the last piece isn't a whole tile.
const HubRow = 3*2048 + 5

// Edge is a directed edge.
type Edge struct{ From, To uint32 }

// Kind says how edges become a graph.
type Kind uint8

// The kinds.
const (
	Undirected  Kind = iota // every edge in both directions
	Directed                // as given, without the reverse
	WithReverse             // as given, with the reverse
)

func (k Kind) String() string {
	return [...]string{"undirected", "directed", "reverse"}[k]
}

// Case is a graph to test with. Making it costs nothing until Graph is called.
type Case struct {
	Name string
	Kind Kind
	n    int
	make func(r *rand.Rand, n int) []Edge
	sort bool
}

// Graph makes the graph. Equal seeds make equal graphs.
func (c Case) Graph(seed uint64) *graph.Graph {
	r := rand.New(rand.NewPCG(seed, uint64(c.n)))
	var es []Edge
	if c.make != nil {
		es = c.make(r, c.n)
	}
	if !c.sort {
		r.Shuffle(len(es), func(i, j int) { es[i], es[j] = es[j], es[i] })
	}
	return Build(c.n, es, c.Kind)
}

// Build makes a graph of n vertices of edges; rows have the order of es. It
// panics where they aren't a graph, which is a mistake of the test.
func Build(n int, es []Edge, kind Kind) *graph.Graph {
	if kind == Undirected {
		both := make([]Edge, 0, 2*len(es))
		for _, e := range es {
			both = append(both, e)
			if e.From != e.To {
				both = append(both, Edge{e.To, e.From})
			}
		}
		es = both
	}
	out := rows(n, es)
	var in *graph.CSR
	if kind == WithReverse {
		turned := make([]Edge, len(es))
		for i, e := range es {
			turned[i] = Edge{e.To, e.From}
		}
		c := rows(n, turned)
		in = &c
	}
	g, err := graph.FromCSR(out, in, kind != Undirected, nil)
	if err != nil {
		panic(fmt.Sprintf("testgraph: %v", err))
	}
	return g
}

// rows appends every edge to the row of its vertex.
func rows(n int, es []Edge) graph.CSR {
	lists := make([][]uint32, n)
	for _, e := range es {
		lists[e.From] = append(lists[e.From], e.To)
	}
	c := graph.CSR{Offsets: make([]uint64, 1, n+1), Targets: make([]uint32, 0, len(es))}
	for _, row := range lists {
		c.Targets = append(c.Targets, row...)
		c.Offsets = append(c.Offsets, uint64(len(c.Targets)))
	}
	return c
}

// Place places a graph on the host with so many workers.
func Place(g *graph.Graph, workers int) *graph.Placed {
	p, err := g.On(host.New(workers))
	if err != nil {
		panic(fmt.Sprintf("testgraph: %v", err))
	}
	return p
}
