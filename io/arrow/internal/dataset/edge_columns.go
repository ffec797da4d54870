// This file reads the columns of edges that a graph keeps (graph.Options.EdgeColumns).

package dataset

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// edgeColumn is a column of the edges.
type edgeColumn struct {
	pick    int
	name    string // as the options have it
	class   columnar.Class
	narrow  bool   // values have 32 bits
	logical string // graph.Column.Logical
}

// columnScratch holds the values of a batch in the type of the graph.
type columnScratch struct {
	i32 []int32
	u32 []uint32
	i64 []int64
	f32 []float32
}

// chooseColumns finds the columns of the edges.
func (c *choice) chooseColumns(cols []columnar.Column, o *Options) error {
	for _, name := range o.Graph.EdgeColumns {
		i, err := byName(cols, name, "EdgeColumns")
		if err != nil {
			return err
		}
		col := &cols[i]
		e := edgeColumn{name: name, class: col.Class}
		switch col.Class {
		case columnar.Signed, columnar.Unsigned:
			e.narrow = col.ID != graph.Int64 && col.ID != graph.Uint64
		case columnar.Float:
			e.narrow = col.Single
		case columnar.Bool:
			e.narrow, e.logical = true, "bool"
		case columnar.UUID:
			e.logical = "uuid"
		case columnar.Text, columnar.Bytes:
		case columnar.Date:
			if e.logical = "date32"; col.Unit != 0 {
				e.logical = "date64"
			}
		case columnar.Timestamp:
			e.logical = "timestamp[" + columnar.UnitNames[col.Unit] + "]"
			if col.UTC {
				e.logical = "timestamp[" + columnar.UnitNames[col.Unit] + ",UTC]"
			}
		case columnar.Time:
			e.logical = "time[" + columnar.UnitNames[col.Unit] + "]"
		case columnar.Decimal, columnar.BigDecimal:
			e.logical = fmt.Sprintf("decimal(18,%d)", col.Scale)
		case columnar.Int96:
			return atColumn(col.Path, fmt.Errorf("%w: it holds timestamps in Parquet's old INT96; write the column with timestamps of microseconds (in Spark, spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS)", input.ErrColumnType))
		default:
			return atColumn(col.Path, fmt.Errorf("%w: columns of edges are numbers, strings, binary, booleans, dates, times and timestamps, but it is %s; cast it", input.ErrColumnType, col.Type))
		}
		if col.Repeated {
			return atColumn(col.Path, fmt.Errorf("%w: it has several values in a row; columns of edges have one", input.ErrColumnType))
		}
		e.pick = c.add(cols, i, col.Class.Kind())
		c.columns = append(c.columns, e)
	}
	return nil
}

// mayLack reports whether values of the column may be missing: floats are NaN then, and strings graph.NoCode.
func (e *edgeColumn) mayLack() bool {
	return e.class == columnar.Float || e.strings()
}

// strings reports whether values become codes.
func (e *edgeColumn) strings() bool {
	return e.class == columnar.Text || e.class == columnar.Bytes || e.class == columnar.UUID
}

// before reports whether column i is one that comes before it, too.
func (c *choice) before(i int) bool {
	for j := range i {
		if c.columns[j].pick == c.columns[i].pick {
			return true
		}
	}
	return false
}

// columnRole names what an edge lacks if pick k is null, "" if it may be.
func (c *choice) columnRole(k int) string {
	for i := range c.columns {
		if e := &c.columns[i]; e.pick == k && !e.mayLack() {
			return fmt.Sprintf("an edge without %.100q", e.name)
		}
	}
	return ""
}

// settleColumns makes the columns of all tables of edges those of one graph: values have 32 bits only if they have in
// all files.
func settleColumns(tables []*table) error {
	if len(tables) == 0 {
		return nil
	}
	first := tables[0]
	for i := range first.choice.columns {
		all := first.choice.columns[i]
		for _, t := range tables[1:] {
			e := &t.choice.columns[i]
			if e.class != all.class && !(e.decimal() && all.decimal()) || e.logical != all.logical {
				return input.InFile(t.Path, t.part(), atColumn(e.name, fmt.Errorf("%w: it is %v, but in %s it is %v; cast one of them",
					input.ErrColumnType, e.what(), first.Path, all.what())))
			}
			all.narrow = all.narrow && e.narrow
		}
		for _, t := range tables {
			t.choice.columns[i].narrow = all.narrow
		}
	}
	return nil
}

func (e *edgeColumn) decimal() bool {
	return e.class == columnar.Decimal || e.class == columnar.BigDecimal
}

func (e *edgeColumn) what() string {
	if e.logical != "" {
		return e.logical
	}
	return e.class.String()
}

// checkColumns reports values that the graph's type doesn't hold.
func (s *slot) checkColumns(c *choice, rows int, keep []bool) (col, row int, err error) {
	for i := range c.columns {
		e := &c.columns[i]
		v := &s.cols[e.pick]
		switch e.class {
		case columnar.Decimal:
			if row, err = checkDecimals(v, rows, keep); err != nil {
				return e.pick, row, err
			}
		case columnar.BigDecimal:
			for i := range rows {
				if keep != nil && !keep[i] || v.Nulls > 0 && !v.Valid[i] {
					continue
				}
				if _, ok := int64Of(v.Data[v.Offsets[i]:v.Offsets[i+1]]); !ok {
					return e.pick, i, errBigDecimal()
				}
			}
		}
	}
	return 0, 0, nil
}

func errBigDecimal() error {
	return fmt.Errorf("%w: a decimal that 64 bits don't hold; cast the column to double", input.ErrColumnType)
}

// int64Of returns a big-endian integer in two's complement, if an int64 holds it.
func int64Of(b []byte) (x int64, ok bool) {
	if len(b) > 0 {
		x = int64(int8(b[0])) >> 7
	}
	for i, c := range b {
		if i < len(b)-8 && int64(int8(c)) != x { // only the sign
			return 0, false
		}
		if i >= len(b)-8 {
			if i == len(b)-8 && len(b) > 8 && int64(int8(c))>>7 != x {
				return 0, false
			}
			x = x<<8 | int64(c)
		}
	}
	return x, true
}

// setColumns makes the first n values of the columns those of the batch.
func (s *slot) setColumns(c *choice, n int) {
	if len(c.columns) == 0 {
		return
	}
	for len(s.scratch) < len(c.columns) {
		s.scratch = append(s.scratch, columnScratch{})
	}
	s.columns = s.columns[:0]
	for i := range c.columns {
		s.columns = append(s.columns, c.columns[i].of(&s.cols[c.columns[i].pick], &s.scratch[i], n))
	}
	s.batch.Columns = s.columns
}

// noEdges returns a batch without edges that has the types of the columns.
func (c *choice) noEdges() graph.Batch {
	b := graph.Batch{Src: []int64{}, Dst: []int64{}}
	for i := range c.columns {
		b.Columns = append(b.Columns, c.columns[i].of(&columnar.Vector{Offsets: []int64{0}}, &columnScratch{}, 0))
	}
	return b
}

// of returns the first n values of a vector as a column.
func (e *edgeColumn) of(v *columnar.Vector, s *columnScratch, n int) graph.Column {
	to := graph.Column{Name: e.name, Logical: e.logical}
	var valid []bool
	if v.Nulls > 0 {
		valid = v.Valid[:n]
	}
	switch {
	case e.strings():
		to.Values, to.Valid = graph.Strings{Offsets: v.Offsets[:n+1], Data: v.Data, Binary: e.class != columnar.Text}, valid
	case e.class == columnar.BigDecimal:
		s.i64 = s.i64[:0]
		for i := range n {
			x, _ := int64Of(v.Data[v.Offsets[i]:v.Offsets[i+1]]) // they were checked
			s.i64 = append(s.i64, x)
		}
		to.Values = s.i64
	case e.class == columnar.Float:
		for i, ok := range valid {
			if !ok {
				v.Doubles[i] = math.NaN()
			}
		}
		if !e.narrow {
			to.Values = v.Doubles[:n]
			break
		}
		s.f32 = s.f32[:0]
		for _, x := range v.Doubles[:n] {
			s.f32 = append(s.f32, float32(x))
		}
		to.Values = s.f32
	case e.narrow && (e.class == columnar.Unsigned || e.class == columnar.Bool):
		s.u32 = s.u32[:0]
		for _, x := range v.Ints[:n] {
			s.u32 = append(s.u32, uint32(x))
		}
		to.Values = s.u32
	case e.narrow:
		s.i32 = s.i32[:0]
		for _, x := range v.Ints[:n] {
			s.i32 = append(s.i32, int32(x))
		}
		to.Values = s.i32
	case e.class == columnar.Unsigned:
		to.Values = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(v.Ints))), n)
	default:
		to.Values = v.Ints[:n]
	}
	return to
}
