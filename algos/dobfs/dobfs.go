// Package dobfs is direction-optimizing breadth-first search (Beamer,
// Asanović, Patterson, SC 2012): a level is pushed along the out-edges of the
// frontier while that is small, and pulled by the vertices not yet visited
// while it is large.
//
// The guide is [docs/search.md].
//
// Package bfs has the types that a search takes and returns, and what runs it. This package
// has what is specific to the direction: its place in the loop of package bfs (variant.go), the
// rule by which a level pushes or pulls (switch.go), and the kernels of a whole search on a GPU
// (dobfs.cu).
//
// A nil context is an error that wraps graph.ErrOptions.
//
// [docs/search.md]: https://github.com/foray-graph/foray/blob/main/docs/search.md
package dobfs

import (
	"context"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Options are the options of a search, with the fields of bfs.Options. The zero value
// computes the depths of all reachable vertices. Tuning.Alpha and Beta set when the
// direction changes. Of the other fields of Tuning only Coupling is for this search; any
// other that isn't zero is graph.ErrOptions. Variant counts for nothing.
type Options bfs.Options

// Run searches from one source, a vertex of the graph (see Graph.Vertex for
// external ids). Any number of searches may run at once. The result is the
// caller's; its Close makes the next search cheaper.
//
// The error is graph.ErrNoReverse for a directed graph that was built without
// its reverse, or one of those of bfs.Run.
func Run(ctx context.Context, p *graph.Placed, source uint32, o Options) (*bfs.Result, error) {
	return RunMultiSource(ctx, p, []uint32{source}, o)
}

// RunMultiSource searches from several sources at once: the depth of a vertex is its
// distance from the nearest one. All else is as with Run.
func RunMultiSource(ctx context.Context, p *graph.Placed, sources []uint32, o Options) (*bfs.Result, error) {
	return bfs.RunMultiSource(ctx, p, sources, o.varied())
}

// NewSearcher returns a bfs.Searcher of searches with the options of Run. Errors are
// the same as for Run.
func NewSearcher(p *graph.Placed, o Options) (*bfs.Searcher, error) {
	return bfs.NewSearcher(p, o.varied())
}

// NewPool returns a bfs.Pool of searches with the options of Run, within a
// budget, of which bfs.NewPool says more.
func NewPool(p *graph.Placed, o Options, b *device.Budget) (*bfs.Pool, error) {
	return bfs.NewPool(p, o.varied(), b)
}

// RemoteBytes returns the GPU memory of searches with these options, as
// bfs.Options.RemoteBytes does.
func (o Options) RemoteBytes(g *graph.Graph) (search, shared uint64) {
	return o.varied().RemoteBytes(g)
}

// Check returns graph.ErrOptions where Run would, on a graph placed on the device,
// whatever the graph, as bfs.Options.Check does.
func (o Options) Check(dev device.Device) error { return o.varied().Check(dev) }

// varied returns the options of package bfs.
func (o Options) varied() bfs.Options {
	o.Variant = &variant
	return bfs.Options(o)
}
