// Package bfs is breadth-first search, level by level, composed from advance
// and filter: the frontier is advanced along its out-edges, what was visited
// is culled, the rest is labelled and is the next frontier.
//
// Run searches from one vertex of a placed graph, RunMany from several. Both
// return a Result: depths and parents by internal vertex, counts, time, and what
// happened in each level. Validate checks one. A Searcher searches again and again
// in the same memory; a Pool shares searchers between goroutines within a budget
// of memory; both take a Query, with targets and a limit by search. Package dobfs has the search
// that changes direction, which is faster on graphs with short paths.
//
// The loops are in loop.go and loop_gpu.go. The types are aliases of those of
// internal/search, which bfs shares with dobfs and which has their fields and
// methods: go doc github.com/foray-graph/foray/internal/Options, and so on.
//
// A nil context is an error that wraps graph.ErrOptions.
package bfs

import (
	"context"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/traverse"
)

// Run searches from one source, a vertex of the graph (see Graph.Vertex for
// external ids). Any number of searches may run at once. The result is the
// caller's; Result.Free makes the next search cheaper.
//
// The error is graph.ErrNoVertex for a source or target that the graph doesn't have,
// graph.ErrOptions for options out of their range, device.ErrClosed for a placed graph
// that was freed or whose device was closed, device.ErrMemory if a GPU has too little
// memory for the search, graph.ErrNoGraph for nil, or the context's, which is looked at
// within every level. On a GPU a result keeps memory until Result.Free, and the device
// can't be closed before. A search that is sure to take more than is free there is
// refused before anything is allocated.
func Run(ctx context.Context, p *graph.Placed, source uint32, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "bfs"); err != nil {
		return nil, err
	}
	return RunMany(ctx, p, []uint32{source}, o)
}

// RunMany searches from several sources at once: the depth of a vertex is its
// distance from the nearest one. A source that is given twice counts once; none
// is graph.ErrNoVertex. All else is as with Run.
func RunMany(ctx context.Context, p *graph.Placed, sources []uint32, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "bfs"); err != nil {
		return nil, err
	}
	o, err := o.Resolve(p)
	if err != nil {
		return nil, err
	}
	return algorithm(o).Run(ctx, p, sources)
}

// NewSearcher returns a Searcher with the options of Run. It takes no memory yet. Errors
// are the same as for Run.
func NewSearcher(p *graph.Placed, o Options) (*Searcher, error) {
	o, err := o.Resolve(p)
	if err != nil {
		return nil, err
	}
	return algorithm(o).Searcher(p), nil
}

// NewPool returns a Pool of searches with the options of Run. The budget may be shared
// with other pools on the same device; nil is a budget of the device's free memory
// (device.BudgetOf). Errors are the same as for NewSearcher, and device.ErrBudget, with
// both sizes, if the budget is too small for a single search.
func NewPool(p *graph.Placed, o Options, b *device.Budget) (*Pool, error) {
	o = o.Pinned(p)
	q, err := traverse.NewPool(p, b, func() (*Searcher, error) { return NewSearcher(p, o) })
	if err != nil {
		return nil, err
	}
	return &Pool{Pool: q}, nil
}

// algorithm is the search with options that were resolved.
func algorithm(o Options) *Algorithm {
	return &Algorithm{Name: "bfs", Options: o, Space: o.Space(), Host: hostLoop, GPU: gpuLoop, Across: acrossLoop}
}
