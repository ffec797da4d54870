// This file writes the columns of a graph's edges.

package write

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	goarrow "github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// edgeColumn is a column of edges on its way out.
type edgeColumn struct {
	from  graph.Column
	field outField
	days  bool // values are milliseconds, and days are written
}

// edgeColumns returns the columns of a graph, which come after others.
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
		t := columnType(&c)
		e.field = outField{name: c.Name, typ: t, optional: c.Dictionary != nil, repeats: true}
		all = append(all, e)
	}
	return all, nil
}

// columnType returns the type that a column is written in.
func columnType(c *graph.Column) outType {
	switch c.Values.(type) {
	case []int32:
		return outType{kind: kindInt, bits: 32}
	case []float32:
		return outType{kind: kindFloat, bits: 32}
	case []float64:
		return outType{kind: kindFloat, bits: 64}
	case []uint64:
		return outType{kind: kindUint, bits: 64}
	case []uint32:
		switch {
		case c.Dictionary != nil && c.Logical == "uuid" && allWide(c.Dictionary, 16):
			return outType{kind: kindFixed, wide: 16, uuid: true}
		case c.Dictionary != nil && (c.Dictionary.Binary || !textOnly(c.Dictionary)):
			return outType{kind: kindBinary}
		case c.Dictionary != nil:
			return outType{kind: kindString}
		case c.Logical == "bool":
			return outType{kind: kindBool}
		}
		return outType{kind: kindUint, bits: 32}
	}
	return numberType(c.Values.([]int64), c.Logical)
}

// numberType returns the type that values of int64 are written in, which stand for something.
func numberType(values []int64, what string) outType {
	if unit, ok := strings.CutPrefix(what, "time["); ok {
		if u, ok := timeUnits[strings.TrimSuffix(unit, "]")]; ok {
			return timeType(u)
		}
	}
	scale := int32(0)
	if n, err := fmt.Sscanf(what, "decimal(18,%d)", &scale); n == 1 && err == nil {
		digits := int32(columnar.MaxDigits)
		if slices.ContainsFunc(values, func(x int64) bool { return x >= 1e18 || x <= -1e18 }) {
			digits++
		}
		if t, ok := decimalType(digits, scale); ok {
			return t
		}
	}
	t, err := logical.Parse(what)
	switch {
	case err != nil:
	case t.Kind == logical.Date32, t.Kind == logical.Date64:
		return outType{kind: kindDate, bits: 32}
	case t.Kind == logical.Timestamp:
		return outType{kind: kindTimestamp, bits: 64, unit: timeUnits[t.Unit], zone: t.Zone}
	}
	return outType{kind: kindInt, bits: 64}
}

// allWide reports whether all strings have so many bytes.
func allWide(s *graph.Strings, width int) bool {
	for i := range s.Len() {
		if len(s.Value(i)) != width {
			return false
		}
	}
	return true
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
		if e.field.typ.kind == kindFixed { // a decimal
			var b [16]byte
			binary.BigEndian.PutUint64(b[8:], uint64(x))
			binary.BigEndian.PutUint64(b[:8], uint64(x>>63))
			to.bytes = append(to.bytes, b[:])
			return
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
	if e.field.typ.kind == kindTime {
		if err := c.checkTimes(e.field.typ.unit); err != nil {
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
