// This file holds Load, which makes graphs of files.

package arrow

import (
	"context"
	"errors"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// Load makes a graph of a file, a directory of files or a pattern; see Open
// for what they are. On cancellation it returns within a batch of rows (and,
// once all are read, as soon as building the graph does).
func Load(ctx context.Context, path string, o Options) (*graph.Graph, error) {
	return LoadAll(ctx, []string{path}, o)
}

// LoadAll is Load for several files, directories and patterns: one graph of
// the edges of all of them.
func LoadAll(ctx context.Context, paths []string, o Options) (*graph.Graph, error) {
	d, err := Open(ctx, paths, o)
	if err != nil {
		return nil, err
	}
	return d.Load(ctx)
}

// Load makes a graph of the dataset.
func (d *Dataset) Load(ctx context.Context) (*graph.Graph, error) {
	if d.o.Stats != nil {
		defer func() { *d.o.Stats = d.Stats() }()
	}
	g, err := d.build(ctx)
	if errors.Is(err, graph.ErrEmpty) {
		err = d.EmptyError()
	}
	if err != nil {
		return nil, err
	}
	return g, d.LoadProperties(ctx, g)
}

func (d *Dataset) build(ctx context.Context) (*graph.Graph, error) {
	if d.o.TwoPass {
		return graph.TwoPass(ctx, d.o.Graph, d.Batches)
	}
	b := graph.NewBuilder(d.o.Graph)
	if err := d.Batches(ctx, b.Add); err != nil {
		return nil, err
	}
	return b.Build(ctx)
}

// EmptyError is the error of a dataset without an edge: graph.ErrEmpty with the
// files' names and the reason, as far as the last call to Batches found it.
func (d *Dataset) EmptyError() error {
	name := d.tables[0].path
	stats := d.Stats()
	if n := stats.Files - 1; n > 0 {
		name = fmt.Sprintf("%s and %d more", name, n)
	}
	if d.where != nil && stats.NullRows == 0 {
		return fmt.Errorf("%s: %w: no row meets the condition %.200q (it left out %s of %s unopened, then %s unread, then %s)",
			name, graph.ErrEmpty, d.o.Where, text.Count(stats.FilesPassed), text.Plural(stats.Files+stats.FilesPassed, "file"),
			text.Plural(stats.RowGroupsPassed, "row group"), text.Plural(stats.RowsPassed, "row"))
	}
	if stats.NullRows > 0 {
		return fmt.Errorf("%s: %w: each of the %d rows lacks an id or a weight, and was skipped; check that these are the columns of the edges",
			name, graph.ErrEmpty, stats.NullRows)
	}
	return fmt.Errorf("%s: %w: there are no rows; check what wrote it", name, graph.ErrEmpty)
}
