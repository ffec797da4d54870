// This file makes records of the properties of vertices.

package dataset

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// Fields is arrow.Properties.Fields.
func (p *VertexProperties) Fields() []arrow.Field { return append([]arrow.Field(nil), p.fields...) }

// Gather is arrow.Properties.Gather.
func (p *VertexProperties) Gather(ctx context.Context, columns []int, vertices []uint32, mem memory.Allocator) (arrow.Record, error) {
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	var fields []arrow.Field
	var arrays []arrow.Array
	defer func() {
		for _, a := range arrays {
			a.Release()
		}
	}()
	for _, c := range columns {
		if err := input.Stopped(ctx); err != nil {
			return nil, err
		}
		if c < 0 || c >= len(p.columns) {
			return nil, fmt.Errorf("arrow: %w: property %d of %d", graph.ErrOptions, c, len(p.columns))
		}
		a, err := p.columns[c].array(p.fields[c].Type, vertices, mem)
		if err != nil {
			return nil, err
		}
		fields, arrays = append(fields, p.fields[c]), append(arrays, a)
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, int64(len(vertices))), nil
}

// array returns the values of vertices.
func (c *propertyColumn) array(t arrow.DataType, vertices []uint32, mem memory.Allocator) (arrow.Array, error) {
	b := array.NewBuilder(mem, t)
	defer b.Release()
	b.Reserve(len(vertices))
	add := c.adder(b)
	for _, v := range vertices {
		if int64(v) >= int64(len(c.valid))*64 {
			return nil, fmt.Errorf("arrow: %w: vertex %d has no properties; they are another graph's", graph.ErrOptions, v)
		}
		if c.valid[v/64]>>(v%64)&1 == 0 {
			b.AppendNull()
			continue
		}
		add(v)
	}
	return b.NewArray(), nil
}

// adder returns what appends the value of a vertex to a builder.
func (c *propertyColumn) adder(b array.Builder) func(v uint32) {
	switch b := b.(type) {
	case *array.BooleanBuilder:
		return func(v uint32) { b.Append(c.bools[v]) }
	case *array.Int8Builder:
		return func(v uint32) { b.Append(int8(c.ints[v])) }
	case *array.Int16Builder:
		return func(v uint32) { b.Append(int16(c.ints[v])) }
	case *array.Int32Builder:
		return func(v uint32) { b.Append(int32(c.ints[v])) }
	case *array.Int64Builder:
		return func(v uint32) { b.Append(c.ints[v]) }
	case *array.Uint8Builder:
		return func(v uint32) { b.Append(uint8(c.ints[v])) }
	case *array.Uint16Builder:
		return func(v uint32) { b.Append(uint16(c.ints[v])) }
	case *array.Uint32Builder:
		return func(v uint32) { b.Append(uint32(c.ints[v])) }
	case *array.Uint64Builder:
		return func(v uint32) { b.Append(uint64(c.ints[v])) }
	case *array.Date32Builder:
		return func(v uint32) { b.Append(arrow.Date32(c.ints[v])) }
	case *array.Date64Builder:
		return func(v uint32) { b.Append(arrow.Date64(c.ints[v])) }
	case *array.TimestampBuilder:
		return func(v uint32) { b.Append(arrow.Timestamp(c.ints[v])) }
	case *array.Time32Builder:
		return func(v uint32) { b.Append(arrow.Time32(c.ints[v])) }
	case *array.Time64Builder:
		return func(v uint32) { b.Append(arrow.Time64(c.ints[v])) }
	case *array.Decimal128Builder:
		return func(v uint32) { b.Append(decimal128.FromI64(c.ints[v])) }
	case *array.FixedSizeBinaryBuilder:
		return func(v uint32) { b.Append(c.bytes(v)) }
	case *array.Float32Builder:
		return func(v uint32) { b.Append(float32(c.doubles[v])) }
	case *array.Float64Builder:
		return func(v uint32) { b.Append(c.doubles[v]) }
	case *array.StringBuilder:
		return func(v uint32) { b.Append(string(c.bytes(v))) }
	case *array.BinaryBuilder:
		return func(v uint32) { b.Append(c.bytes(v)) }
	}
	return func(uint32) { b.AppendNull() } // propertyType names no other
}

func (c *propertyColumn) bytes(v uint32) []byte {
	r := c.refs[v]
	return c.blocks[r.block][r.off : r.off+r.len]
}
