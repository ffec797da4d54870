// This file makes properties of vertices columns of the graph.

package dataset

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// withVertexColumns has the table of vertices read the columns of Options.VertexColumns besides its properties.
func (o *Options) withVertexColumns() error {
	switch {
	case len(o.VertexColumns) == 0:
		return nil
	case o.Vertices == nil:
		return fmt.Errorf("arrow: %w: Options.VertexColumns names columns of the table of vertices; name that table in Options.Vertices", graph.ErrOptions)
	}
	t := *o.Vertices
	o.properties = t.Properties
	t.Properties = slices.Clone(t.Properties)
	for i, name := range o.VertexColumns {
		if slices.Contains(o.VertexColumns[:i], name) {
			return fmt.Errorf("arrow: %w: Options.VertexColumns names %q twice", graph.ErrOptions, name)
		}
		if !slices.Contains(t.Properties, name) {
			t.Properties = append(t.Properties, name)
		}
	}
	o.Vertices = &t
	return nil
}

// addVertexColumns gives a graph the columns of Options.VertexColumns.
func (d *Dataset) addVertexColumns(ctx context.Context, g *graph.Graph) error {
	if len(d.o.VertexColumns) == 0 {
		return nil
	}
	var columns []graph.Column
	for _, name := range d.o.VertexColumns {
		c, err := d.props.Column(ctx, name)
		if err != nil {
			return fmt.Errorf("columns of vertices: %w", err)
		}
		columns = append(columns, c)
	}
	return g.AddVertexColumns(columns...)
}

// shownProperties are the properties without what only VertexColumns names.
func (d *Dataset) shownProperties() *VertexProperties {
	if d.props == nil || len(d.o.VertexColumns) == 0 {
		return d.props
	}
	if len(d.o.properties) == 0 {
		return nil
	}
	p := &VertexProperties{ids: d.props.ids}
	for i, f := range d.props.fields {
		if i < len(d.o.properties) { // which come first
			p.fields, p.columns = append(p.fields, f), append(p.columns, d.props.columns[i])
		}
	}
	return p
}

// Column is arrow.Properties.Column.
func (p *VertexProperties) Column(ctx context.Context, name string) (graph.Column, error) {
	i := slices.IndexFunc(p.fields, func(f arrow.Field) bool { return f.Name == name })
	if i < 0 { // the file's name differs in case, and is the only one
		i = slices.IndexFunc(p.fields, func(f arrow.Field) bool { return strings.EqualFold(f.Name, name) })
	}
	if i < 0 {
		return graph.Column{}, fmt.Errorf("arrow: %w: there is no property %.100q", graph.ErrOptions, name)
	}
	c := &p.columns[i]
	to := graph.Column{Name: name, Logical: logicalOf(p.fields[i].Type)}
	present := func(v int) bool { return c.valid[v/64]>>(v%64)&1 != 0 }
	lack := func(v int) error {
		return fmt.Errorf("%w: vertex %.100s has no value in the column %.100q, whose values are %v and can't be missing; fill it, or cast the column to double",
			input.ErrNull, p.ids.Format(uint32(v)), name, p.fields[i].Type)
	}
	n := p.ids.Len
	switch {
	case c.refs != nil:
		s, valid := graph.Strings{Offsets: make([]int64, 1, n+1), Binary: c.class != columnar.Text}, make([]bool, n)
		for v := range n {
			if valid[v] = present(v); valid[v] {
				r := c.refs[v]
				s.Data = append(s.Data, c.blocks[r.block][r.off:][:r.len]...)
			}
			s.Offsets = append(s.Offsets, int64(len(s.Data)))
			if v%lookRows == 0 && ctx.Err() != nil {
				return to, ctx.Err()
			}
		}
		to.Values, to.Valid = s, valid
		return to, nil
	case c.doubles != nil:
		wide, narrow := c.doubles, []float32(nil)
		if p.fields[i].Type.ID() == arrow.FLOAT32 {
			narrow = make([]float32, n)
		} else {
			wide = slices.Clone(wide)
		}
		for v := range n {
			if v%lookRows == 0 && ctx.Err() != nil {
				return to, ctx.Err()
			}
			x := c.doubles[v]
			if !present(v) {
				x = math.NaN()
			}
			if narrow != nil {
				narrow[v] = float32(x)
			} else {
				wide[v] = x
			}
		}
		if to.Values = wide; narrow != nil {
			to.Values = narrow
		}
		return to, nil
	}
	for v := range n {
		if v%lookRows == 0 && ctx.Err() != nil {
			return to, ctx.Err()
		}
		if !present(v) {
			return to, lack(v)
		}
	}
	to.Values = p.integers(c, p.fields[i].Type)
	return to, nil
}

// integers returns the values of a column of integers, booleans, decimals, dates or times.
func (p *VertexProperties) integers(c *propertyColumn, t arrow.DataType) any {
	n := p.ids.Len
	switch t.ID() {
	case arrow.BOOL:
		a := make([]uint32, n)
		for v, x := range c.bools {
			if x {
				a[v] = 1
			}
		}
		return a
	case arrow.UINT8, arrow.UINT16, arrow.UINT32:
		return converted[uint32](c.ints)
	case arrow.UINT64:
		return converted[uint64](c.ints)
	case arrow.INT8, arrow.INT16, arrow.INT32:
		return converted[int32](c.ints)
	}
	return slices.Clone(c.ints)
}

func converted[T int32 | uint32 | uint64](from []int64) []T {
	to := make([]T, len(from))
	for i, x := range from {
		to[i] = T(x)
	}
	return to
}

// logicalOf is graph.Column.Logical of a property, as columns of edges have it.
func logicalOf(t arrow.DataType) string {
	switch t := t.(type) {
	case *arrow.BooleanType:
		return "bool"
	case *arrow.Date32Type:
		return "date32"
	case *arrow.Date64Type:
		return "date64"
	case *arrow.Time32Type:
		return "time[" + strings.ToLower(t.Unit.String()) + "]"
	case *arrow.Time64Type:
		return "time[" + strings.ToLower(t.Unit.String()) + "]"
	case *arrow.Decimal128Type:
		return fmt.Sprintf("decimal(18,%d)", t.Scale)
	case *arrow.FixedSizeBinaryType:
		return "uuid"
	case *arrow.TimestampType:
		zone := ""
		if t.TimeZone != "" {
			zone = ",UTC"
		}
		return "timestamp[" + strings.ToLower(t.Unit.String()) + zone + "]"
	}
	return ""
}
