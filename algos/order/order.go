// Package order renumbers the vertices of a graph on a device.
//
// The guide is [docs/tune.md].
//
// Searches of skewed graphs are several times as fast if vertices are numbered by
// descending degree: hubs share cache lines, a pull that probes them first ends
// soon, and isolated vertices come last, where no search reads. A graph that this
// module builds already has a good order (graph.OrderAuto). A graph that came as
// compressed sparse rows keeps the order it came with.
//
// GPUs renumber fast: the degrees are sorted (a stable radix sort), and a warp, a
// block or a bitmap moves each row to its place, renames its targets and sorts them.
//
// [docs/tune.md]: https://github.com/foray-graph/foray/blob/main/docs/tune.md
package order

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
)

// ByDegree returns the graph of p with its vertices numbered by descending degree
// (graph.OrderDegree), placed on the same device; external ids stay with their
// vertices. Vertices have other numbers there, so use ids, sources and results of
// searches with the Graph of the returned value, not with the Graph of p:
//
//	q, err := order.ByDegree(ctx, p)
//	source, err := q.Graph().Vertex(id)
//	found, err := bfs.Run(ctx, q, source, bfs.Options{})
//	err = arrow.Write(ctx, path, q.Graph(), arrow.ResultColumns(found), arrow.WriteOptions{})
//
// It does the same as graph.Graph.Reorder. A GPU does it from the arrays in its
// memory: nothing is uploaded, and the new rows are downloaded for the graph on the
// host. If the graph already has that order, ByDegree returns p itself.
//
// p and its graph are unchanged, and the caller still owns them. A GPU needs memory
// for a second copy of the graph, 32 bytes a vertex, and a bitmap of the vertices
// for each multiprocessor during the call. The host handles graphs with weights,
// edge ids, edge columns or duplicate edges, and directed graphs without their reverse, and
// uploads the result.
//
// Errors are graph.ErrNoGraph and device.ErrClosed for p, device.ErrMemory if a GPU
// has too little memory, those of Graph.Reorder and Graph.On, and the context's.
func ByDegree(ctx context.Context, p *graph.Placed) (*graph.Placed, error) {
	if err := callctx.Check(ctx, "order"); err != nil {
		return nil, err
	}
	release, err := p.Hold()
	if err != nil {
		return nil, fmt.Errorf("order: %w", err)
	}
	defer release()
	g := p.Graph()
	if g.Order() == graph.OrderDegree {
		return p, nil
	}
	if err := g.Fetch(); err != nil {
		return nil, fmt.Errorf("order: %w", err)
	}
	if p.Remote() != nil && fits(g) {
		placed, err := onGPU(ctx, p)
		if placed != nil || err != nil {
			return placed, err
		}
	}
	re, err := g.Reorder(ctx, graph.ReorderOptions{Order: graph.OrderDegree})
	if err != nil {
		return nil, fmt.Errorf("order: %w", err)
	}
	placed, err := re.On(p.Device())
	if err != nil {
		return nil, fmt.Errorf("order: %w", err)
	}
	return placed, nil
}

// fits reports whether the kernels can do it: except for edges that are there twice,
// which they find out themselves.
func fits(g *graph.Graph) bool {
	return g.NumVertices() > 0 && g.HasReverse() && g.Out().Weights == nil && g.Out().EdgeIDs == nil && len(g.EdgeColumns()) == 0
}
