// This file holds properties of vertices as numbers to calculate with.

package dataset

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// Numbers is arrow.Properties.Numbers.
func (p *VertexProperties) Numbers(name string, none float64) ([]float64, error) {
	i := slices.IndexFunc(p.fields, func(f arrow.Field) bool { return f.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("arrow: %w: there is no property %q", graph.ErrOptions, name)
	}
	c, t := &p.columns[i], p.fields[i].Type.ID()
	value := func(v int) float64 { return float64(c.ints[v]) }
	switch {
	case arrow.IsFloating(t):
		value = func(v int) float64 { return c.doubles[v] }
	case arrow.IsUnsignedInteger(t):
		value = func(v int) float64 { return float64(uint64(c.ints[v])) }
	case !arrow.IsSignedInteger(t):
		return nil, fmt.Errorf("%w: property %q is %v; want integers or floats", input.ErrColumnType, name, p.fields[i].Type)
	}
	a := make([]float64, p.ids.Len)
	for v := range a {
		if a[v] = none; c.valid[v/64]>>(v%64)&1 != 0 {
			a[v] = value(v)
		}
	}
	return a, nil
}
