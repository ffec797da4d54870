// Package order renumbers the vertices of a graph on a device.
//
// Searches of skewed graphs are several times as fast where vertices are numbered
// by descending degree: hubs share cache lines, a pull that probes them first
// ends soon, and isolated vertices come last, where no search looks. A graph that
// this module builds is numbered well already (graph.OrderAuto). One that came as
// compressed sparse rows has the order of whoever made it.
//
// The numbering itself is one of the things that a GPU is good at: the degrees
// are sorted (a stable radix sort), and every row is moved to its place, its
// targets renamed and sorted, by a warp, a block or by way of a bitmap.
package order

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/callctx"
)

// ByDegree returns the graph of p with its vertices numbered by descending
// degree (graph.OrderDegree), placed on the same device; external ids stay with
// their vertices. Vertices have other numbers there, so ids, sources and results of
// searches go with the Graph of what is returned, not with that of p:
//
//	q, err := order.ByDegree(ctx, p)
//	source, err := q.Graph().Vertex(id)
//	found, err := bfs.Run(ctx, q, source, bfs.Options{})
//	err = arrow.WriteResult(ctx, path, q.Graph(), found)
//
// It is graph.Graph.Reorder, but that on a GPU the GPU does it,
// from the arrays that are there: nothing is uploaded, the new rows are
// downloaded for the graph on the host. Where the graph has that order already it
// returns p itself.
//
// p stays as it is and is the caller's to free, and so is its graph. On a GPU
// there must be room for the graph a second time, 32 bytes a vertex, and a bitmap
// of the vertices for each multiprocessor while it is at work. Weights, edge ids,
// edges that are there more than once, and directed graphs without their reverse
// are for the host, which then does it and uploads the result.
//
// Errors are graph.ErrNoGraph and device.ErrClosed for p, device.ErrMemory where a
// GPU has too little memory, those of Graph.Reorder and Graph.On, and the context's.
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
	return g.NumVertices() > 0 && g.HasReverse() && g.Out().Weights == nil && g.Out().EdgeIDs == nil
}
