// This file holds Load, which makes graphs of files.

package arrow

import (
	"context"

	"github.com/foray-graph/foray/graph"
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
		defer func() { *d.o.Stats = d.stats }()
	}
	if d.o.TwoPass {
		return graph.TwoPass(ctx, d.o.Graph, d.Batches)
	}
	b := graph.NewBuilder(d.o.Graph)
	if err := d.Batches(ctx, b.Add); err != nil {
		return nil, err
	}
	return b.Build(ctx)
}
