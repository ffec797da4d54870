// This file reads columns of the table of vertices.

package main

import (
	"context"
	"fmt"
	"math"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// numbers returns the columns of numbers in the table of vertices that options name, by the option.
func (c *calculation) numbers() map[string][]string {
	m := map[string][]string{}
	if c.names != nil && len(c.names()) > 0 {
		m["personalization"] = c.names()
	}
	if c.start != "" {
		m["start"] = []string{c.start}
	}
	return m
}

// begin is the column of vertices with the communities to begin with, or "".
func (c *calculation) begin() string {
	if c.begins == nil {
		return ""
	}
	return *c.begins
}

// properties reads the properties for the result, the personalizations and earlier ranks.
func (c *calculation) properties(ctx context.Context, g *graph.Graph, table *arrow.VertexTable, o arrow.Options) (*arrow.Properties, error) {
	for option, names := range c.numbers() {
		t := *table
		t.Properties = names
		p, err := arrow.LoadProperties(ctx, g, t, o)
		if err != nil {
			return nil, fmt.Errorf("option %q: %w", option, err)
		}
		for _, name := range names {
			null := 0.0
			if option == "start" {
				null = math.NaN()
			}
			values, err := p.Numbers(name, null)
			if err != nil {
				return nil, fmt.Errorf("option %q: %w", option, err)
			}
			for v, x := range values {
				if !(x >= 0 && x <= math.MaxFloat64) && !(option == "start" && math.IsNaN(x)) {
					return nil, invalidf("option %q: vertex %s has %v; want finite numbers, 0 or more", option, g.IDs().Format(uint32(v)), x)
				}
			}
			if option == "start" {
				c.starts = values
			} else {
				c.jumps = append(c.jumps, values)
			}
		}
	}
	if name := c.begin(); name != "" {
		t := *table
		t.Properties = []string{name}
		p, err := arrow.LoadProperties(ctx, g, t, o)
		if err != nil {
			return nil, fmt.Errorf("option \"initial\": %w", err)
		}
		column, err := p.Column(ctx, name)
		if err == nil {
			err = g.AddVertexColumns(column)
		}
		if err != nil {
			return nil, fmt.Errorf("option \"initial\": %w", err)
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
