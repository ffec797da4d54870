// This file holds Table, the values of a whole file.

package csv

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Table has the values of a file in memory: of those columns that the caller names and the file has.
type Table struct {
	Columns []columnar.Column
	Rows    int64
	values  []columnar.Vector
}

// ReadTable reads a whole file of so many bytes.
func ReadTable(ctx context.Context, r io.Reader, size int64, cols []Column) (*Table, error) {
	c, err := Open(r, cols)
	if err != nil {
		return nil, err
	}
	t := &Table{}
	var of []int // the column of each vector
	for k, col := range cols {
		if c.Has(k) {
			of = append(of, k)
			t.Columns = append(t.Columns, describe(col))
			t.values = append(t.values, newVector(col.Type))
		}
	}
	if len(of) == 0 {
		return nil, &NoColumnError{Wanted: cols[0].Name, Header: c.header}
	}
	for {
		if t.Rows%batchRows == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if t.Rows == batchRows {
			t.reserve(size, c.bytes)
		}
		if err := c.Skip(); err == io.EOF {
			return t, nil
		} else if err != nil {
			return nil, err
		}
		for i, k := range of {
			if err := add(&t.values[i], cols[k].Type, c.fields[c.at[k]]); err != nil {
				return nil, &LineError{c.line, cols[k].Name, err}
			}
		}
		t.Rows++
	}
}

// reserve makes room for all rows, if the following rows have the same mean length as the first ones.
func (t *Table) reserve(size, first int64) {
	more := int(float64(t.Rows) * float64(size-first) / float64(first) * spareRows)
	for i := range t.values {
		v := &t.values[i]
		v.Valid = slices.Grow(v.Valid, more)
		switch v.Kind {
		case columnar.Ints:
			v.Ints = slices.Grow(v.Ints, more)
		case columnar.Weights:
			v.Floats = slices.Grow(v.Floats, more)
		case columnar.Numbers:
			v.Doubles = slices.Grow(v.Doubles, more)
		default:
			v.Offsets = slices.Grow(v.Offsets, more)
			v.Data = slices.Grow(v.Data, int(float64(more)*float64(len(v.Data))/float64(t.Rows)))
		}
	}
}

// describe returns what can be read from a column.
func describe(c Column) columnar.Column {
	col := columnar.Column{Path: c.Name, Type: c.Type.String(), Nullable: true}
	switch c.Type {
	case Bool:
		col.Type, col.Class = "boolean", columnar.Bool
	case Int32:
		col.IsID, col.ID, col.Numeric, col.Class = true, graph.Int32, true, columnar.Signed
	case Int64:
		col.IsID, col.ID, col.Numeric, col.Class = true, graph.Int64, true, columnar.Signed
	case Float, Double:
		col.Numeric, col.Class, col.Single = true, columnar.Float, c.Type == Float
	case String:
		col.IsID, col.ID, col.Class = true, graph.String, columnar.Text
	case Date:
		col.Class = columnar.Date
	case Timestamp:
		col.Class, col.Unit = columnar.Timestamp, 1e3
	}
	return col
}

// Nulls returns how many values of each column are missing.
func (t *Table) Nulls() []int64 {
	nulls := make([]int64, len(t.values))
	for i := range t.values {
		nulls[i] = int64(t.values[i].Nulls)
	}
	return nulls
}

// Bounds returns the least and the greatest value of each column.
func (t *Table) Bounds() []columnar.Bounds {
	all := make([]columnar.Bounds, len(t.values))
	for i := range t.values {
		v := &t.values[i]
		switch v.Kind {
		case columnar.Ints:
			if lo, hi, ok := bounds(v.Ints, v.Valid); ok {
				all[i] = between(columnar.Scalar{Int: lo}, columnar.Scalar{Int: hi})
			}
		case columnar.Weights:
			if lo, hi, ok := bounds(v.Floats, v.Valid); ok {
				all[i] = between(columnar.Scalar{Double: float64(lo)}, columnar.Scalar{Double: float64(hi)})
			}
		case columnar.Numbers:
			if lo, hi, ok := bounds(v.Doubles, v.Valid); ok {
				all[i] = between(columnar.Scalar{Double: lo}, columnar.Scalar{Double: hi})
			}
		default:
			var lo, hi []byte
			for row, ok := range v.Valid {
				x := v.Data[v.Offsets[row]:v.Offsets[row+1]]
				if ok && (lo == nil || bytes.Compare(x, lo) < 0) {
					lo = x
				}
				if ok && (hi == nil || bytes.Compare(x, hi) > 0) {
					hi = x
				}
			}
			if lo != nil {
				all[i] = between(columnar.Scalar{Bytes: bytes.Clone(lo)}, columnar.Scalar{Bytes: bytes.Clone(hi)})
			}
		}
	}
	return all
}

func between(lo, hi columnar.Scalar) columnar.Bounds {
	return columnar.Bounds{HasMin: true, HasMax: true, Min: lo, Max: hi}
}

// bounds returns the least and the greatest of the valid values. NaN has no place in their order.
func bounds[T int64 | float32 | float64](values []T, valid []bool) (lo, hi T, ok bool) {
	for i, x := range values {
		switch {
		case !valid[i] || x != x:
		case !ok:
			lo, hi, ok = x, x, true
		default:
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	return lo, hi, ok
}

// Read fills v with at most n rows of column k, from row at on: fewer where strings are long.
func (t *Table) Read(k int, v *columnar.Vector, mem *columnar.Memory, want columnar.Kind, at int64, n int) error {
	if err := v.Reset(mem, want, n); err != nil {
		return err
	}
	from, to := &t.values[k], at+int64(n)
	switch {
	case want == columnar.Strings:
		for row := at; row < to && !v.Full(); row++ {
			if err := v.AppendFrom(mem, from.Data, from.Offsets[row], from.Offsets[row+1]); err != nil {
				return err
			}
		}
		to = at + int64(v.Len())
	case want == columnar.Ints:
		v.Ints = append(v.Ints, from.Ints[at:to]...)
	case want == columnar.Weights && from.Kind == columnar.Weights:
		v.Floats = append(v.Floats, from.Floats[at:to]...)
	case want == columnar.Weights:
		for _, x := range from.Doubles[at:to] {
			v.Floats = append(v.Floats, float32(x))
		}
	case from.Kind == columnar.Weights:
		for _, x := range from.Floats[at:to] {
			v.Doubles = append(v.Doubles, float64(x))
		}
	default:
		v.Doubles = append(v.Doubles, from.Doubles[at:to]...)
	}
	if from.Nulls == 0 {
		return nil
	}
	valid, nulls := from.Valid[at:to], 0
	for _, ok := range valid {
		if !ok {
			nulls++
		}
	}
	return v.MarkValid(mem, 0, valid, nulls)
}
