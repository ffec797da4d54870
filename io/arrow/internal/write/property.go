// This file holds Properties, the columns that a graph's vertices have beside
// what a search finds, and how they get into batches.

package write

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// Properties are columns with a value for every vertex of a graph, as arrow.Properties.
type Properties interface {
	Fields() []goarrow.Field
	Gather(ctx context.Context, columns []int, vertices []uint32, mem memory.Allocator) (goarrow.Record, error)
}

// properties are Properties on their way out.
type properties struct {
	from   Properties
	types  []goarrow.DataType
	fields []outField
	which  []int
	mem    memory.Allocator
	record goarrow.Record // of the last batch, whose strings alias it
}

// belongs reports properties of another graph's vertices, where they know it.
func belongs(p Properties, ids *graph.IDs) error {
	if v, ok := p.(interface{ IDs() *graph.IDs }); ok && !input.IsNil(p) && v.IDs() != ids {
		return fmt.Errorf("%w: the properties are of another graph's vertices; read them for this one (Dataset.Properties)", ErrResult)
	}
	return nil
}

// newProperties checks the columns, which come after others.
func newProperties(p Properties, others []outField) (*properties, error) {
	q := &properties{from: p, mem: memory.DefaultAllocator}
	names := map[string]bool{}
	for i := range others {
		names[others[i].name] = true
	}
	for i, f := range p.Fields() {
		if names[f.Name] {
			return nil, fmt.Errorf("%w: a property is named %.100q, as another column is; rename it", ErrOutputOption, f.Name)
		}
		names[f.Name] = true
		t, ok := typeOf(f.Type)
		if !ok {
			return nil, fmt.Errorf("%w: property %.100q is of type %v; cast it to a bool, an integer, a float, a string, binary, "+
				"a decimal, a date, a time or a timestamp, or leave it out", ErrOutputOption, f.Name, f.Type)
		}
		if i := f.Metadata.FindKey("ARROW:extension:name"); i >= 0 && f.Metadata.Values()[i] == "arrow.uuid" {
			t.uuid = t.kind == kindFixed && t.wide == 16
		}
		q.types = append(q.types, f.Type)
		q.fields = append(q.fields, outField{name: f.Name, typ: t, optional: f.Nullable, repeats: true})
		q.which = append(q.which, i)
	}
	return q, nil
}

// only returns the properties with nothing but column i.
func (q *properties) only(i int) *properties {
	return &properties{from: q.from, types: q.types[i : i+1], fields: q.fields[i : i+1], which: q.which[i : i+1], mem: q.mem}
}

func (q *properties) release() {
	if q.record != nil {
		q.record.Release()
		q.record = nil
	}
}

// fill makes the columns those of the vertices.
func (q *properties) fill(ctx context.Context, cols []outColumn, vertices []uint32) error {
	q.release()
	record, err := q.from.Gather(ctx, q.which, vertices, q.mem)
	if err != nil {
		return fmt.Errorf("the vertices' properties: %w", err)
	}
	q.record = record
	if record.NumRows() != int64(len(vertices)) || record.NumCols() != int64(len(q.fields)) {
		return fmt.Errorf("%w: Properties.Gather returned %d rows and %d columns for %d vertices and %d columns",
			ErrOutputOption, record.NumRows(), record.NumCols(), len(vertices), len(q.fields))
	}
	for i := range q.fields {
		if a := record.Column(i); !goarrow.TypeEqual(a.DataType(), q.types[i]) {
			return fmt.Errorf("%w: Properties.Gather returned property %.100q as %v, but its field says %v",
				ErrOutputOption, q.fields[i].name, a.DataType(), q.types[i])
		}
		if err := cols[i].fillArray(&q.fields[i], record.Column(i)); err != nil {
			return fmt.Errorf("property %.100q: %w", q.fields[i].name, err)
		}
	}
	return nil
}

// fillArray makes the column that of an array, which strings alias.
func (c *outColumn) fillArray(f *outField, a goarrow.Array) error {
	n := a.Len()
	c.ints, c.bytes, c.floats, c.doubles, c.valid = c.ints[:0], c.bytes[:0], c.floats[:0], c.doubles[:0], c.valid[:0]
	if a.NullN() > 0 && !f.optional {
		return fmt.Errorf("%w: %d values are null, but the field isn't nullable", ErrOutputOption, a.NullN())
	}
	if f.optional {
		for i := range n {
			c.valid = append(c.valid, a.IsValid(i))
		}
	}
	switch a := a.(type) {
	case *array.Boolean:
		for i := range n {
			x := int64(0)
			if a.IsValid(i) && a.Value(i) {
				x = 1
			}
			c.ints = append(c.ints, x)
		}
	case *array.Int8:
		c.ints = widened(c.ints, a.Int8Values())
	case *array.Int16:
		c.ints = widened(c.ints, a.Int16Values())
	case *array.Int32:
		c.ints = widened(c.ints, a.Int32Values())
	case *array.Int64:
		c.ints = widened(c.ints, a.Int64Values())
	case *array.Uint8:
		c.ints = widened(c.ints, a.Uint8Values())
	case *array.Uint16:
		c.ints = widened(c.ints, a.Uint16Values())
	case *array.Uint32:
		c.ints = widened(c.ints, a.Uint32Values())
	case *array.Uint64:
		c.ints = widened(c.ints, a.Uint64Values())
	case *array.Float32:
		c.floats = append(c.floats, a.Float32Values()...)
	case *array.Float64:
		c.doubles = append(c.doubles, a.Float64Values()...)
	case *array.Date32:
		c.ints = widened(c.ints, a.Date32Values())
	case *array.Date64:
		const day = 24 * 60 * 60 * 1000
		for _, x := range a.Date64Values() {
			days := int64(x) / day
			if int64(x)%day < 0 {
				days--
			}
			c.ints = append(c.ints, days)
		}
		return c.checkBounds(math.MinInt32, math.MaxInt32)
	case *array.Time32:
		c.ints = widened(c.ints, a.Time32Values())
		return c.checkTimes(f.typ.unit)
	case *array.Time64:
		c.ints = widened(c.ints, a.Time64Values())
		return c.checkTimes(f.typ.unit)
	case *array.Decimal128:
		for _, x := range a.Values() {
			if f.typ.kind == kindDecimal {
				c.ints = append(c.ints, int64(x.LowBits()))
				continue
			}
			var b [16]byte
			binary.BigEndian.PutUint64(b[:8], uint64(x.HighBits()))
			binary.BigEndian.PutUint64(b[8:], x.LowBits())
			c.bytes = append(c.bytes, b[:])
		}
	case *array.Timestamp:
		c.ints = widened(c.ints, a.TimestampValues())
		if f.typ.unit == goarrow.Second { // Parquet has milliseconds
			return c.checkBounds(math.MinInt64/1000, math.MaxInt64/1000)
		}
	default:
		return c.fillText(a)
	}
	return nil
}

func widened[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](to []int64, from []T) []int64 {
	for _, x := range from {
		to = append(to, int64(x))
	}
	return to
}

// checkBounds reports a value of a date or timestamp that can't be written.
// Missing values are set to 0, since they may hold anything.
func (c *outColumn) checkBounds(lo, hi int64) error {
	for i, x := range c.ints {
		if c.missing(i) {
			c.ints[i] = 0
		} else if x < lo || x > hi {
			return fmt.Errorf("%w: the time %d is too far from 1970", ErrOutputOption, x)
		}
	}
	return nil
}

// checkTimes reports a time of day that isn't within a day. Missing values are set to 0.
func (c *outColumn) checkTimes(unit goarrow.TimeUnit) error {
	day := int64(24 * 3600)
	for range unit {
		day *= 1000
	}
	for i, x := range c.ints {
		if c.missing(i) {
			c.ints[i] = 0
		} else if x < 0 || x >= day {
			return fmt.Errorf("%w: the time of day %d isn't within a day", ErrOutputOption, x)
		}
	}
	return nil
}

// fillText is fillArray for strings and binary.
func (c *outColumn) fillText(a goarrow.Array) error {
	var value func(i int) []byte
	switch a := a.(type) {
	case *array.String:
		value = func(i int) []byte { return []byte(a.Value(i)) }
	case *array.LargeString:
		value = func(i int) []byte { return []byte(a.Value(i)) }
	case *array.Binary:
		value = a.Value
	case *array.LargeBinary:
		value = a.Value
	case *array.FixedSizeBinary:
		value = a.Value
	default:
		return fmt.Errorf("%w: values of type %v", ErrOutputOption, a.DataType())
	}
	for i := range a.Len() {
		if a.IsNull(i) {
			c.bytes = append(c.bytes, nil)
			continue
		}
		x := value(i)
		if err := checkIDLength(uint64(len(x))); err != nil {
			return err
		}
		c.bytes = append(c.bytes, x)
	}
	return nil
}
