// This file reads back Parquet, value by value.

package write

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

func (t *writtenTable) parquet(data []byte) error {
	r, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	defer r.Close()
	s := r.MetaData().Schema
	for i := range s.NumColumns() {
		t.names = append(t.names, s.Column(i).ColumnPath()[0])
		t.types = append(t.types, parquetType(s.Column(i)))
	}
	for i, key := range r.MetaData().KeyValueMetadata().Keys() {
		t.metadata[key] = r.MetaData().KeyValueMetadata().Values()[i]
	}
	for g := range r.NumRowGroups() {
		group := r.RowGroup(g)
		n := int(group.NumRows())
		t.groups = append(t.groups, n)
		first := len(t.rows)
		for range n {
			t.rows = append(t.rows, nil)
		}
		for i := range s.NumColumns() {
			meta, err := group.MetaData().ColumnChunk(i)
			if err != nil {
				return err
			}
			t.codecs[strings.ToLower(meta.Compression().String())] = true
			if g == 0 {
				var names []string
				for _, e := range meta.Encodings() {
					names = append(names, e.String())
				}
				t.encodings = append(t.encodings, names)
			}
			c, err := group.Column(i)
			if err != nil {
				return err
			}
			cells, err := parquetCells(c, n)
			if err != nil {
				return fmt.Errorf("row group %d, column %d: %w", g, i, err)
			}
			for row, cell := range cells {
				t.rows[first+row] = append(t.rows[first+row], cell)
			}
		}
	}
	if got := int(r.NumRows()); got != len(t.rows) {
		return fmt.Errorf("the footer says %d rows, the row groups %d", got, len(t.rows))
	}
	return nil
}

// parquetType returns a column's type in Arrow's words.
func parquetType(c *schema.Column) string {
	typ := ""
	switch logical := c.LogicalType().(type) {
	case *schema.IntLogicalType:
		typ = fmt.Sprintf("int%d", logical.BitWidth())
		if !logical.IsSigned() {
			typ = "u" + typ
		}
	case schema.StringLogicalType:
		typ = "string"
	case schema.DateLogicalType:
		typ = "date"
	case *schema.TimestampLogicalType:
		typ = fmt.Sprintf("timestamp[%s,%t]", parquetUnit(logical), logical.IsAdjustedToUTC())
	default:
		typ = map[parquet.Type]string{parquet.Types.Float: "float32", parquet.Types.Double: "float64",
			parquet.Types.Boolean: "bool", parquet.Types.ByteArray: "binary"}[c.PhysicalType()]
	}
	optional := c.SchemaNode().RepetitionType() == parquet.Repetitions.Optional
	if c.MaxRepetitionLevel() > 0 {
		list := c.SchemaNode().Parent().Parent()
		if list.LogicalType().String() != (schema.ListLogicalType{}).String() || c.SchemaNode().Parent().Name() != "list" || c.Name() != "element" {
			return "no list of three levels"
		}
		typ, optional = "list "+typ, list.RepetitionType() == parquet.Repetitions.Optional
	}
	if optional {
		typ += "?"
	}
	return typ
}

func parquetUnit(t *schema.TimestampLogicalType) goarrow.TimeUnit {
	return map[schema.TimeUnitType]goarrow.TimeUnit{schema.TimeUnitMillis: goarrow.Millisecond,
		schema.TimeUnitMicros: goarrow.Microsecond, schema.TimeUnitNanos: goarrow.Nanosecond}[t.TimeUnit()]
}

// parquetCells reads n values of a column chunk.
func parquetCells(c file.ColumnChunkReader, n int) ([]string, error) {
	var cells []string
	var err error
	unsigned, text, date := false, false, false
	var stamp *schema.TimestampLogicalType
	switch logical := c.Descriptor().LogicalType().(type) {
	case *schema.IntLogicalType:
		unsigned = !logical.IsSigned()
	case schema.StringLogicalType:
		text = true
	case schema.DateLogicalType:
		date = true
	case *schema.TimestampLogicalType:
		stamp = logical
	}
	switch r := c.(type) {
	case *file.Int32ColumnChunkReader:
		cells, err = chunkCells(c, n, r.ReadBatch, func(x int32) string {
			if unsigned {
				return strconv.FormatUint(uint64(uint32(x)), 10)
			}
			if date {
				return goarrow.Date32(x).FormattedString()
			}
			return strconv.Itoa(int(x))
		})
	case *file.Int64ColumnChunkReader:
		cells, err = chunkCells(c, n, r.ReadBatch, func(x int64) string {
			if unsigned {
				return strconv.FormatUint(uint64(x), 10)
			}
			if stamp != nil {
				return timeCell(x, parquetUnit(stamp), stamp.IsAdjustedToUTC())
			}
			return strconv.FormatInt(x, 10)
		})
	case *file.Float32ColumnChunkReader:
		cells, err = chunkCells(c, n, r.ReadBatch, func(x float32) string {
			return strconv.FormatFloat(float64(x), 'g', -1, 32)
		})
	case *file.Float64ColumnChunkReader:
		cells, err = chunkCells(c, n, r.ReadBatch, func(x float64) string {
			return strconv.FormatFloat(x, 'g', -1, 64)
		})
	case *file.BooleanColumnChunkReader:
		cells, err = chunkCells(c, n, r.ReadBatch, strconv.FormatBool)
	case *file.ByteArrayColumnChunkReader:
		cells, err = chunkCells(c, n, r.ReadBatch, func(x parquet.ByteArray) string {
			if text {
				return string(x)
			}
			return hex.EncodeToString(x)
		})
	default:
		err = fmt.Errorf("unexpected column %T", c)
	}
	return cells, err
}

// chunkCells reads n rows of a column chunk.
func chunkCells[T any](c file.ColumnChunkReader, n int,
	read func(int64, []T, []int16, []int16) (int64, int, error), format func(T) string) ([]string, error) {
	values, defs, reps := make([]T, 1000), make([]int16, 1000), make([]int16, 1000)
	most := c.Descriptor().MaxDefinitionLevel()
	list := c.Descriptor().MaxRepetitionLevel() > 0
	var cells []string
	var elements []string // of the last row, after its first
	end := func() {
		if len(elements) > 0 {
			cells[len(cells)-1] += samples.ListJoint + strings.Join(elements, samples.ListJoint)
			elements = elements[:0]
		}
	}
	for {
		total, present, err := read(int64(len(values)), values, defs, reps)
		if err != nil {
			return nil, err
		}
		if total == 0 {
			break
		}
		next := 0
		for i := range int(total) {
			cell := samples.Null
			switch {
			case most == 0 || defs[i] == most:
				cell = format(values[next])
				next++
			case list && defs[i] == most-1:
				cell = "" // an empty list
			}
			if list && reps[i] > 0 {
				elements = append(elements, cell)
			} else {
				end()
				cells = append(cells, cell)
			}
		}
		if next != present {
			return nil, fmt.Errorf("%d values where the levels have %d", present, next)
		}
	}
	end()
	if len(cells) != n {
		return nil, fmt.Errorf("it has %d of %d rows", len(cells), n)
	}
	return cells, nil
}
