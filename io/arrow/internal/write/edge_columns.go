// This file writes the columns of a graph's edges.

package write

import (
	"fmt"
	"unicode/utf8"

	goarrow "github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
)

// edgeColumn is a column of edges on its way out.
type edgeColumn struct {
	from  graph.Column
	field outField
	days  bool // values are milliseconds, and days are written
}

// edgeColumns returns the columns of a graph, which come after others. Values that stand for times of day and decimals
// are written as the integers that they are.
func edgeColumns(g *graph.Graph, others []outField) ([]edgeColumn, error) {
	names := map[string]bool{}
	for i := range others {
		names[others[i].name] = true
	}
	var all []edgeColumn
	for _, c := range g.EdgeColumns() {
		if names[c.Name] {
			return nil, fmt.Errorf("%w: a column of the edges is named %.100q, as another column is; load it by another name", ErrOutputOption, c.Name)
		}
		names[c.Name] = true
		e := edgeColumn{from: c, days: c.Logical == "date64"}
		t, ok := typeOf(columnType(&c))
		if !ok {
			return nil, fmt.Errorf("%w: column %.100q of the edges has values of type %T", ErrOutputOption, c.Name, c.Values)
		}
		e.field = outField{name: c.Name, typ: t, optional: c.Dictionary != nil, repeats: true}
		all = append(all, e)
	}
	return all, nil
}

// columnType returns the type that a column is written in.
func columnType(c *graph.Column) goarrow.DataType {
	switch c.Values.(type) {
	case []int32:
		return goarrow.PrimitiveTypes.Int32
	case []float32:
		return goarrow.PrimitiveTypes.Float32
	case []float64:
		return goarrow.PrimitiveTypes.Float64
	case []uint64:
		return goarrow.PrimitiveTypes.Uint64
	case []uint32:
		switch {
		case c.Dictionary != nil && (c.Dictionary.Binary || !textOnly(c.Dictionary)):
			return goarrow.BinaryTypes.Binary
		case c.Dictionary != nil:
			return goarrow.BinaryTypes.String
		case c.Logical == "bool":
			return goarrow.FixedWidthTypes.Boolean
		}
		return goarrow.PrimitiveTypes.Uint32
	}
	t, err := logical.Parse(c.Logical)
	switch {
	case err != nil:
	case t.Kind == logical.Date32:
		return goarrow.FixedWidthTypes.Date32
	case t.Kind == logical.Date64:
		return goarrow.FixedWidthTypes.Date64
	case t.Kind == logical.Timestamp:
		return &goarrow.TimestampType{Unit: timeUnits[t.Unit], TimeZone: t.Zone}
	}
	return goarrow.PrimitiveTypes.Int64
}

// textOnly reports whether all strings are UTF-8, which Arrow's and Parquet's must be.
func textOnly(s *graph.Strings) bool {
	for i := range s.Len() {
		if !utf8.Valid(s.Value(i)) {
			return false
		}
	}
	return true
}

var timeUnits = map[string]goarrow.TimeUnit{"s": goarrow.Second, "ms": goarrow.Millisecond, "us": goarrow.Microsecond, "ns": goarrow.Nanosecond}

// add appends the value of an entry.
func (e *edgeColumn) add(to *outColumn, entry uint64) {
	switch a := e.from.Values.(type) {
	case []int32:
		to.ints = append(to.ints, int64(a[entry]))
	case []uint32:
		if e.from.Dictionary == nil {
			to.ints = append(to.ints, int64(a[entry]))
			return
		}
		var s []byte
		code := a[entry]
		if code != graph.NoCode {
			s = e.from.Dictionary.Value(int(code))
		}
		to.bytes, to.valid = append(to.bytes, s), append(to.valid, code != graph.NoCode)
	case []int64:
		x := a[entry]
		if e.days {
			const day = 24 * 60 * 60 * 1000
			if x%day < 0 {
				x -= day
			}
			x /= day
		}
		to.ints = append(to.ints, x)
	case []uint64:
		to.ints = append(to.ints, int64(a[entry]))
	case []float32:
		to.floats = append(to.floats, a[entry])
	case []float64:
		to.doubles = append(to.doubles, a[entry])
	}
}

// reset empties the column for the next batch.
func (c *outColumn) reset() {
	c.ints, c.bytes, c.floats, c.doubles, c.valid = c.ints[:0], c.bytes[:0], c.floats[:0], c.doubles[:0], c.valid[:0]
}

// check reports values of the batch that can't be written.
func (e *edgeColumn) check(c *outColumn) error {
	if e.field.typ.kind == kindTimestamp && e.field.typ.unit == goarrow.Second { // Parquet has milliseconds
		if err := c.checkBounds(-1<<63/1000, (1<<63-1)/1000); err != nil {
			return fmt.Errorf("column %.100q: %w", e.field.name, err)
		}
	}
	if e.field.typ.kind == kindDate {
		if err := c.checkBounds(-1<<31, 1<<31-1); err != nil {
			return fmt.Errorf("column %.100q: %w", e.field.name, err)
		}
	}
	return nil
}
