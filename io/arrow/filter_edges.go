// This file holds FilterEdges: the edges of a graph in memory that meet a condition.

package arrow

import (
	"context"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// FilterEdges returns the graph with the edges that meet a condition on edge columns, such as
//
//	kind = 'follows' and time >= 2026-01-01
//
// and with all vertices, so that any algorithm runs on a part of a graph that was loaded or opened once. The condition is written as
// Options.Where is. Names are edge columns (Options.EdgeColumns); weight is the weight of an edge, unless a
// column has that name. Columns of dates, timestamps, decimals and booleans are compared as such. Missing strings
// and NaN, which stands for a missing float, are null. The result shares external ids with g; graph.Graph.FilterEdges
// states costs and memory.
//
// The error is ErrCondition for text that is no condition, graph.ErrNoColumn, graph.ErrOptions for a column that can't be
// compared so, graph.ErrNoGraph, device.ErrClosed for a graph that was closed, or the context's.
func FilterEdges(ctx context.Context, g *graph.Graph, condition string) (_ *graph.Graph, failed error) {
	defer shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	if g == nil {
		return nil, fmt.Errorf("arrow: filtering edges: %w", graph.ErrNoGraph)
	}
	e, err := where.Parse(condition)
	if err != nil {
		return nil, fmt.Errorf("arrow: filtering edges: %w", err)
	}
	release, err := g.Hold()
	if err != nil {
		return nil, fmt.Errorf("arrow: filtering edges: %w", err)
	}
	defer release()
	if err := g.Fetch(); err != nil {
		return nil, fmt.Errorf("arrow: filtering edges: %w", err)
	}
	keep, err := e.Edges(g)
	if err != nil {
		return nil, fmt.Errorf("arrow: filtering edges: %w", err)
	}
	return g.FilterEdges(ctx, keep)
}

// CheckCondition returns an error if a condition for FilterEdges names a column that the graph lacks, or a string that
// no edge has in its column, as after a typo. To FilterEdges such a string is valid: it selects no edge. The error wraps graph.ErrNoColumn
// and suggests similar names or strings. FilterEdges returns the other errors too.
func CheckCondition(g *graph.Graph, condition string) (failed error) {
	defer shown(&failed)
	if g == nil {
		return fmt.Errorf("arrow: %w", graph.ErrNoGraph)
	}
	e, err := where.Parse(condition)
	if err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	release, err := g.Hold()
	if err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	defer release()
	if _, err = e.Edges(g); err == nil {
		err = e.Strings(g)
	}
	if err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	return nil
}

// ConditionColumns returns the names of the columns in a condition, each once: Options.EdgeColumns needs them if the edges
// are to be filtered by it later. The error is ErrCondition.
func ConditionColumns(condition string) (_ []string, failed error) {
	defer shown(&failed)
	e, err := where.Parse(condition)
	if err != nil {
		return nil, fmt.Errorf("arrow: %w", err)
	}
	return slices.Clone(e.Columns()), nil
}
