// This file holds Build, from a generator to a graph.

package gen

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
)

// Build builds the graph of a generator's edges. DenseIDs and Vertices are set,
// whatever o says, since the ids of a generator are vertex ids and it knows how
// many there are: isolated vertices are in the graph. The graph does not depend
// on o.Workers.
//
// Errors are ErrNoWeights where o asks for weights, graph.ErrEmpty for a
// generator without edges, such as a path of one vertex, those of building, such
// as graph.ErrMemory, and that of ctx.
func Build(ctx context.Context, g Generator, o graph.Options) (*graph.Graph, error) {
	if o.Weights {
		return nil, fmt.Errorf("%w: %s is built without them: leave Options.Weights false", ErrNoWeights, g.Name())
	}
	o.DenseIDs, o.Vertices = true, g.NumVertices()
	b := graph.NewBuilder(o)
	err := Edges(ctx, g, o.Workers, func(_ int, src, dst []uint32) error {
		return graph.AddInts(b, src, dst, nil)
	})
	if err != nil {
		return nil, fmt.Errorf("generating %s: %w", g.Name(), err)
	}
	built, err := b.Build(ctx)
	if err != nil {
		return nil, fmt.Errorf("building %s: %w", g.Name(), err)
	}
	return built, nil
}
