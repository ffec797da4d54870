// This file reads columns of the table of vertices.

package main

import (
	"context"
	"fmt"
	"math"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// properties reads the properties for the result, and the personalization.
func (c *calculation) properties(ctx context.Context, g *graph.Graph, table *arrow.VertexTable, o arrow.Options) (*arrow.Properties, error) {
	if c.column != "" {
		t := *table
		t.Properties = []string{c.column}
		p, err := arrow.LoadProperties(ctx, g, t, o)
		if err != nil {
			return nil, fmt.Errorf("option \"personalization\": %w", err)
		}
		if c.jumps, err = p.Numbers(c.column, 0); err != nil {
			return nil, fmt.Errorf("option \"personalization\": %w", err)
		}
		for v, x := range c.jumps {
			if !(x >= 0 && x <= math.MaxFloat64) {
				return nil, invalidf("option \"personalization\": vertex %s has %v; want finite numbers, 0 or more", g.IDs().Format(uint32(v)), x)
			}
		}
	}
	if len(c.common.properties) == 0 {
		return nil, nil
	}
	t := *table
	t.Properties = c.common.properties
	p, err := arrow.LoadProperties(ctx, g, t, o)
	if err != nil {
		return nil, fmt.Errorf("option \"properties\": %w", err)
	}
	return p, nil
}
