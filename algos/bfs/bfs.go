// Package bfs is breadth-first search, level by level, composed from advance
// and filter: the frontier is advanced along its out-edges, visited vertices
// are culled, and the rest is labeled and becomes the next frontier.
//
// The guide is [docs/search.md].
//
// Run searches from one vertex of a placed graph, RunMultiSource from several. Both
// return a Result: depths and parents by internal vertex, counts, times, and statistics
// of each level. Validate checks a result. A Searcher searches again and again
// in the same memory. A Pool shares searchers between goroutines within a budget
// of memory. Both take a Query, with targets and a limit for one search. Package dobfs
// changes direction, which is faster on graphs with short paths.
//
// A reader follows a source through the package in this order:
//
//   - bfs.go and algorithm.go: Run resolves the options and takes a workspace.
//   - space.go: the workspace, with space_host.go, space_gpu.go and shards_gpu.go for the
//     parts of each kind of device.
//   - loop.go and loop_gpu.go: the loops. bookkeeping.go has loop, which counts levels.
//   - fused_gpu.go: a whole search as one kernel. shards_launch.go: one kernel on each of
//     several GPUs.
//   - result.go: what the search found.
//
// A nil context is an error that wraps graph.ErrOptions.
//
// [docs/search.md]: https://github.com/foray-graph/foray/blob/main/docs/search.md
package bfs

import (
	"context"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/run"
)

// Run searches from one source, a vertex of the graph (see Graph.Vertex for
// external ids). Any number of searches may run at once. The result is the
// caller's; Result.Close makes the next search cheaper.
//
// The error is graph.ErrNoVertex for a source or target that the graph doesn't have,
// graph.ErrOptions for options out of their range, device.ErrClosed for a placed graph
// that was closed or whose device was closed, device.ErrMemory if a GPU has too little
// memory for the search, graph.ErrNoGraph for nil, or the context's, which is looked at
// within every level. On a GPU a result keeps memory until Result.Close, and the device
// can't be closed before. A search that is sure to take more than is free there is
// refused before anything is allocated.
func Run(ctx context.Context, p *graph.Placed, source uint32, o Options) (*Result, error) {
	if err := callctx.Check(ctx, o.name()); err != nil {
		return nil, err
	}
	return RunMultiSource(ctx, p, []uint32{source}, o)
}

// RunMultiSource searches from several sources at once: the depth of a vertex is its
// distance from the nearest one. A source that is given twice counts once; none
// is graph.ErrNoVertex. All else is as with Run.
func RunMultiSource(ctx context.Context, p *graph.Placed, sources []uint32, o Options) (*Result, error) {
	if err := callctx.Check(ctx, o.name()); err != nil {
		return nil, err
	}
	a, err := o.algorithm(p)
	if err != nil {
		return nil, err
	}
	return a.run(ctx, p, sources)
}

// NewSearcher returns a Searcher with the options of Run. It takes no memory yet. Errors
// are the same as for Run.
func NewSearcher(p *graph.Placed, o Options) (*Searcher, error) {
	a, err := o.algorithm(p)
	if err != nil {
		return nil, err
	}
	return a.searcher(p), nil
}

// NewPool returns a Pool of searches with the options of Run. The budget may be shared
// with other pools on the same device; nil is a budget of the device's free memory
// (less an eighth for memory that isn't counted). Errors are the same as for NewSearcher, and device.ErrBudget, with
// both sizes, if the budget is too small for a single search.
func NewPool(p *graph.Placed, o Options, b *device.Budget) (*Pool, error) {
	o = o.pinned(p)
	q, err := run.NewPool(o.name(), p, func() (pooled, error) {
		s, err := NewSearcher(p, o)
		return pooled{s}, err
	}, b)
	if err != nil {
		return nil, err
	}
	return &Pool{q, o.name()}, nil
}

// algorithm returns the search, with options that it checks for a placed graph.
func (o Options) algorithm(p *graph.Placed) (*algorithm, error) {
	if o.Variant != nil {
		return o.Variant.resolve(p, o)
	}
	o, err := o.resolve(p)
	if err != nil {
		return nil, err
	}
	return &algorithm{name: bfsName, options: o, space: o.workspace()}, nil
}

// name is what errors begin with.
func (o *Options) name() string {
	if o.Variant != nil {
		return o.Variant.Name
	}
	return bfsName
}

// bfsName is the name of the search without a variant.
const bfsName = "bfs"
