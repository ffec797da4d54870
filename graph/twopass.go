// This file holds TwoPass.

package graph

import "context"

// TwoPass builds a graph without holding the edges: read is called twice, and
// must yield the same edges each time (in any order, from any number of
// goroutines). Besides the graph and the id map it holds nothing per edge.
func TwoPass(ctx context.Context, o Options, read func(ctx context.Context, yield func(Batch) error) error) (*Graph, error) {
	b := NewBuilder(o)
	if err := read(ctx, b.Add); err != nil {
		return nil, err
	}
	return b.Build(ctx)
}
