// Package testgraph generates seeded random graphs of many shapes for tests. Rows are unsorted
// unless a case states otherwise, because operators must not rely on an order.
package testgraph

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// HubRow is the length of the longest rows of the cases that have hubs. It is
// more than three tiles of the advance operator, so that rows are cut up and
// the last piece isn't a whole tile.
const HubRow = 3*2048 + 5

// Edge is a directed edge.
type Edge struct{ From, To uint32 }

// Kind describes how edges become a graph.
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
func (c Case) Graph(seed uint64) *graph.Graph { return Build(c.n, c.edges(seed), c.Kind) }

// Weighted makes the same graph with a weight and an id for every edge. Weights are multiples
// of 1/8 from 0 to 8, so that some are equal.
func (c Case) Weighted(seed uint64) *graph.Graph {
	return BuildWeighted(c.n, c.edges(seed), c.Kind, seed)
}

func (c Case) edges(seed uint64) []Edge {
	r := rand.New(rand.NewPCG(seed, uint64(c.n)))
	var es []Edge
	if c.make != nil {
		es = c.make(r, c.n)
	}
	if !c.sort {
		r.Shuffle(len(es), func(i, j int) { es[i], es[j] = es[j], es[i] })
	}
	return es
}

// Build makes a graph of n vertices of edges; rows have the order of es. It
// panics where they aren't a graph, which is a mistake of the test.
func Build(n int, es []Edge, kind Kind) *graph.Graph { return build(n, es, kind, nil, nil) }

// BuildWeighted is Build with a weight and an id for every edge, both directions of an
// undirected one alike.
func BuildWeighted(n int, es []Edge, kind Kind, seed uint64) *graph.Graph {
	r := rand.New(rand.NewPCG(seed, 1))
	weights, ids := make([]float32, len(es)), make([]uint64, len(es))
	for i := range es {
		weights[i], ids[i] = float32(r.IntN(65))/8, r.Uint64()
	}
	return build(n, es, kind, weights, ids)
}

func build(n int, es []Edge, kind Kind, weights []float32, ids []uint64) *graph.Graph {
	list := edges{es, weights, ids}
	if kind == Undirected {
		both := edges{to: make([]Edge, 0, 2*len(es))}
		for i, e := range es {
			both.add(e, &list, i)
			if e.From != e.To {
				both.add(Edge{e.To, e.From}, &list, i)
			}
		}
		list = both
	}
	out := list.rows(n)
	var in *graph.CSR
	if kind == WithReverse {
		turned := edges{make([]Edge, len(es)), weights, ids}
		for i, e := range es {
			turned.to[i] = Edge{e.To, e.From}
		}
		c := turned.rows(n)
		in = &c
	}
	g, err := graph.FromCSR(out, graph.CSROptions{In: in, Directed: kind != Undirected})
	if err != nil {
		panic(fmt.Sprintf("testgraph: %v", err))
	}
	return g
}

// edges are directed edges with what they have; weights and ids may be nil.
type edges struct {
	to      []Edge
	weights []float32
	ids     []uint64
}

// add appends an edge with the weight and id of edge i of another list.
func (l *edges) add(e Edge, from *edges, i int) {
	l.to = append(l.to, e)
	if from.weights != nil {
		l.weights, l.ids = append(l.weights, from.weights[i]), append(l.ids, from.ids[i])
	}
}

// rows appends every edge to the row of its vertex.
func (l *edges) rows(n int) graph.CSR {
	lists := make([][]int, n) // of numbers of edges
	for i, e := range l.to {
		lists[e.From] = append(lists[e.From], i)
	}
	c := graph.CSR{Offsets: make([]uint64, 1, n+1), Targets: make([]uint32, 0, len(l.to))}
	if l.weights != nil {
		c.Weights, c.EdgeIDs = make([]float32, 0, len(l.to)), make([]uint64, 0, len(l.to))
	}
	for _, row := range lists {
		for _, i := range row {
			c.Targets = append(c.Targets, l.to[i].To)
			if l.weights != nil {
				c.Weights, c.EdgeIDs = append(c.Weights, l.weights[i]), append(c.EdgeIDs, l.ids[i])
			}
		}
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

// Array returns an array of a result, or nil where the search left it out (graph.ErrOptions). Any other
// error is a panic.
func Array[T any](all []T, err error) []T {
	if errors.Is(err, graph.ErrOptions) {
		return nil
	}
	if err != nil {
		panic(err)
	}
	return all
}

// Each calls f with the number of each result of a batch, until one of them is an error.
func Each[R any](batch iter.Seq2[R, error], f func(i int, r R) error) error {
	i := 0
	for r, err := range batch {
		if err != nil {
			return err
		}
		if err := f(i, r); err != nil {
			return err
		}
		i++
	}
	return nil
}

// Random returns a small graph of at most n vertices and degree*n edges, some vertices of many
// edges among them, in any order: its ids aren't in the order of its vertices. It is directed or
// not, and has its reverse or not. With loops it may have self-loops and repeated edges.
func Random(r *rand.Rand, n, degree int, loops bool) *graph.Graph {
	var src, dst []int64
	for range 1 + r.IntN(degree*n) {
		src, dst = append(src, int64(r.IntN(n))*7-50), append(dst, int64(r.IntN(1+r.IntN(n)))*7-50)
	}
	o := graph.Options{Directed: r.IntN(2) == 0, Reverse: r.IntN(2) == 0,
		Order: []graph.Order{graph.OrderDegree, graph.OrderGiven, graph.OrderAuto}[r.IntN(3)]}
	if loops {
		o.KeepSelfLoops, o.KeepDuplicates = r.IntN(2) == 0, r.IntN(2) == 0
	}
	b := graph.NewBuilder(o)
	if err := graph.AddInts(b, src, dst, nil); err != nil {
		panic(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		panic(err)
	}
	return g
}

// Placed returns a graph of these edges on the host, its vertices numbered by their ids. It
// panics where an edge has no end: examples have no test to fail.
func Placed(o graph.Options, src, dst []int64, weights ...float32) *graph.Placed {
	o.Order, o.Weights = graph.OrderGiven, weights != nil
	b := graph.NewBuilder(o)
	if err := graph.AddInts(b, src, dst, weights); err != nil {
		panic(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		panic(err)
	}
	p, err := g.On(host.New(0))
	if err != nil {
		panic(err)
	}
	return p
}

// Steady returns how many bytes a search takes in steady state, and in how many pieces: the mean of 20
// searches after 5 others. Which worker gets how much of a search differs, so that one makes room for more
// than it had before now and then, and the rest of the process allocates too. So where the mean isn't small
// others follow, of which the least counts.
func Steady(search func()) (bytes, pieces float64) {
	const small, means = 256, 8
	for range 5 {
		search()
	}
	for i := range means {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 20 {
			search()
		}
		runtime.ReadMemStats(&after)
		if mean := float64(after.TotalAlloc-before.TotalAlloc) / 20; i == 0 || mean < bytes {
			bytes = mean
		}
		if bytes <= small {
			break
		}
	}
	return bytes, testing.AllocsPerRun(20, search)
}
