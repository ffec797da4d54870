// This file holds Build, from a generator to a graph.

package gen

import (
	"context"
	"errors"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/placed"
)

// Build builds the graph of a generator's edges. DenseIDs and Vertices are set, whatever o says, since the ids of a
// generator are vertex ids and it knows their number: isolated vertices are in the graph. The graph does not depend on
// o.Workers, nor on o.Device, which generates the edges of R-MAT, uniform graphs and lattices itself. If o.Weights is
// set, the graph has the weights of the generator, whose WeightType isn't graph.WeightsAuto then.
//
// Errors are graph.ErrNoWeights if o.Weights is set for another generator, errors of building such as device.ErrMemory, and
// the context's error.
func Build(ctx context.Context, g Generator, o graph.Options) (*graph.Graph, error) {
	if err := callctx.Check(ctx, "gen"); err != nil {
		return nil, err
	}
	if err := checkGenerator(g); err != nil {
		return nil, err
	}
	if o.Weights && g.WeightType() == graph.WeightsAuto {
		return nil, fmt.Errorf("%w: %s: give it some, weights=MIN:MAX in its spec, or leave Options.Weights false", errNoWeights, g.Name())
	}
	o.DenseIDs, o.Vertices = true, g.NumVertices()
	if o.Weights && o.WeightType == graph.WeightsAuto {
		o.WeightType = g.WeightType()
	}
	if m := placed.MakerOf(g); m != nil {
		built, err := byDevice(ctx, o, m)
		switch {
		case err == nil:
			return built, nil
		case !errors.Is(err, placed.ErrNotMade):
			return nil, fmt.Errorf("building %s: %w", g.Name(), err)
		}
	}
	b := graph.NewBuilder(o)
	defer b.Close()
	err := Edges(ctx, g, o.Workers, func(_ int, src, dst []uint32) error {
		if !o.Weights {
			return graph.AddInts(b, src, dst, nil)
		}
		weights := make([]float32, len(src))
		g.Weights(src, dst, weights)
		return graph.AddInts(b, src, dst, weights)
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

// byDevice builds the graph of edges that o.Device generates.
func byDevice(ctx context.Context, o graph.Options, m *placed.Maker) (*graph.Graph, error) {
	if o.Device == nil {
		return nil, placed.ErrNotMade
	}
	o.Device = &placed.Making{Device: o.Device, Maker: m}
	b := graph.NewBuilder(o)
	defer b.Close()
	return b.Build(ctx)
}
