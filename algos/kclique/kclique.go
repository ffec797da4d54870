// Package kclique counts cliques: of all sizes, or of one size, also at every vertex.
//
//   - A clique of k vertices is a set of k vertices that are all joined with each other. It need not be maximal. A vertex is a
//     clique of 1, an edge one of 2, a triangle one of 3.
//   - The graph is taken as undirected and simple: directions, self-loops and parallel edges don't count.
//   - Counts in all are exact, however large they are. A count at a vertex has 64 bits; a larger one is an error.
//
// Results depend neither on the device, the number of workers nor the internal numbering.
//
// The guide is [docs/algorithms/kclique.md].
//
// Vertices are taken in an order of degeneracy (Matula and Beck, 1983), in which each has at most as many later neighbors as the
// degeneracy is. The cliques that begin at a vertex are counted among its later neighbors, whose edges are a bit matrix, by
// pivoting (Jain and Seshadhri, "The power of pivoting for exact clique counting", WSDM 2020): a pivot stands for all cliques
// with and without it, so that a clique of 3,000 vertices is one step for each vertex and not 2^3000. Pivots that are joined with
// all others are taken at once, and matrices shrink with the candidates. With Options.K the last two vertices of a clique are counted
// without a search.
//
// The processors of the host count, also for a graph that is placed on a GPU. The time may grow exponentially with the degeneracy. Rows
// take 4 bytes an edge and 20 a vertex, and each worker two bits for each pair of a vertex' later neighbors, at most.
//
// [docs/algorithms/kclique.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/kclique.md
package kclique

import (
	"context"
	"fmt"
	"log/slog"
	"math/big"
	"runtime"

	"github.com/foray-graph/foray/algos/internal/undirected"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	engine "github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/layout/simple"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/traverse"
)

// Options say what is counted. The zero value counts cliques of all sizes.
type Options struct {
	// K is the size of the cliques that are counted, in all and at every vertex; 0 counts all sizes, in all.
	K int
	// CountOnly, with K, leaves out the counts at vertices.
	CountOnly bool

	Progress func(graph.Progress) // is called now and then, in phase "search", with the vertices that are done; by one goroutine at a time
	Logger   *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics  metrics.Recorder     // gets the end of the run
}

// Result is the numbers of cliques. It is the caller's, who closes it; until then it is safe for concurrent reading.
type Result struct {
	// Counts has, for each number of vertices from 0 to that of the largest clique, how many cliques there are. The empty set isn't
	// counted. It is nil with Options.K.
	Counts []*big.Int
	// Total is how many cliques were counted, of all sizes or of K vertices.
	Total *big.Int
	// Cliques is how many cliques of K vertices each vertex is in. It is nil for all sizes, and with CountOnly.
	Cliques *traverse.Values[uint64]
	Stats   traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return r.Cliques.Close()
}

// Run counts cliques. Errors are graph.ErrOptions, device.ErrSize for a vertex in 2^64 cliques or more, device.ErrNotSupported for
// several GPUs, device.ErrMemory, and those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	x, err := undirected.Of(ctx, "kclique", p)
	if err != nil {
		return nil, err
	}
	switch {
	case o.K < 0:
		return nil, fmt.Errorf("kclique: %w: K is %d; want a number of vertices, or 0 for all", graph.ErrOptions, o.K)
	case o.CountOnly && o.K == 0:
		return nil, fmt.Errorf("kclique: %w: CountOnly is for K; all sizes are counted in all only", graph.ErrOptions)
	}
	a := traverse.Algorithm[struct{}, *Result]{Name: "kclique", Memory: o.memory(),
		Run: func(t *traverse.Traversal, _ struct{}) (*Result, error) { return run(t, x, o) }}
	return traverse.Run(ctx, p, a, struct{}{}, traverse.Options{Logger: o.Logger, Metrics: o.Metrics})
}

// vertices reports whether cliques are counted at vertices.
func (o Options) vertices() bool { return o.K > 0 && !o.CountOnly }

func (o Options) memory() traverse.Memory {
	m := traverse.Memory{Frontiers: -1}
	if o.vertices() {
		m.Arrays = []int{8}
	}
	return m
}

// Bytes returns the maximum device memory of a run, in addition to the graph and what each worker takes. It reads the graph's rows once.
func Bytes(p *graph.Placed, o Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	rows := 20*uint64(p.NumVertices()) + 2*p.Graph().NumDirectedEdges()
	if o.vertices() {
		rows += 8 * uint64(p.NumVertices())
	}
	return o.memory().Bytes(p) + simple.Bytes(p) + engine.Choose(p, engine.Ways[uint64]{Host: rows})
}

func run(t *traverse.Traversal, x *undirected.Graph, o Options) (*Result, error) {
	g := x.Placed.Graph()
	if err := g.Fetch(); err != nil {
		return nil, fmt.Errorf("kclique: %w", err)
	}
	workers := runtime.GOMAXPROCS(0)
	if d, ok := t.Placed().Device().(interface{ Workers() int }); ok {
		workers = max(1, d.Workers())
	}
	rows, err := orient(t.Context(), g.Out(), workers)
	if err != nil {
		return nil, fmt.Errorf("kclique: %w", err)
	}
	c := newCounting(o, rows, workers)
	if err := c.run(t.Context()); err != nil {
		return nil, fmt.Errorf("kclique: %w", err)
	}
	r := &Result{}
	if r.Counts, r.Total = c.counts(); r.Total == nil {
		r.Total = new(big.Int)
		for _, k := range r.Counts {
			r.Total.Add(r.Total, k)
		}
	}
	if o.vertices() {
		if c.overflow.Load() {
			return nil, fmt.Errorf("kclique: %w: a vertex is in more than %d cliques of %d vertices; count them in all only (CountOnly, --count-only)", device.ErrSize, uint64(1<<64-1), o.K)
		}
		at := make([]uint64, len(c.at))
		for rank, v := range rows.order {
			if x.Order != nil {
				v = x.Order[v]
			}
			at[v] = c.at[rank]
		}
		if r.Cliques, err = traverse.Result(t, traverse.FromSlice(t, at)); err != nil {
			return nil, err
		}
	}
	r.Stats = t.Stats()
	return r, nil
}
