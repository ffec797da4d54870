// This file writes Parquet files with arrow's own writer, for tests.

package arrow

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// pqColumn is a column to write: one of the slices, and which values are
// there (nil for all, of a required column).
type pqColumn struct {
	node   schema.Node
	values any // []int32, []int64, []float32, []float64, []parquet.ByteArray, []parquet.FixedLenByteArray
	valid  []bool
}

// writeParquet writes a file with row groups of so many rows.
func writeParquet(t testing.TB, rows, groupRows int, cols []pqColumn, opts ...parquet.WriterProperty) []byte {
	t.Helper()
	data, err := tryParquet(rows, groupRows, cols, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// tryParquet is writeParquet for what the writer may not be able to write: its
// encoder of delta lengths panics over some pages (slice bounds out of range).
func tryParquet(rows, groupRows int, cols []pqColumn, opts ...parquet.WriterProperty) (_ []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the writer panics: %v", p)
		}
	}()
	var nodes schema.FieldList
	for _, c := range cols {
		nodes = append(nodes, c.node)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(opts...)))
	for at := 0; at < rows; at += groupRows {
		end := min(at+groupRows, rows)
		rg := w.AppendRowGroup()
		for _, c := range cols {
			cw, err := rg.NextColumn()
			if err != nil {
				return nil, err
			}
			var defs []int16
			if c.valid != nil {
				for _, ok := range c.valid[at:end] {
					d := int16(0)
					if ok {
						d = 1
					}
					defs = append(defs, d)
				}
			}
			switch cw := cw.(type) {
			case *file.Int32ColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.values.([]int32), c.valid, at, end), defs, nil)
			case *file.Int64ColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.values.([]int64), c.valid, at, end), defs, nil)
			case *file.Float32ColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.values.([]float32), c.valid, at, end), defs, nil)
			case *file.Float64ColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.values.([]float64), c.valid, at, end), defs, nil)
			case *file.BooleanColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.values.([]bool), c.valid, at, end), defs, nil)
			case *file.ByteArrayColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.values.([]parquet.ByteArray), c.valid, at, end), defs, nil)
			case *file.FixedLenByteArrayColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.values.([]parquet.FixedLenByteArray), c.valid, at, end), defs, nil)
			case *file.Int96ColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.values.([]parquet.Int96), c.valid, at, end), defs, nil)
			default:
				return nil, fmt.Errorf("column writer %T", cw)
			}
			if err != nil {
				return nil, err
			}
			if err := cw.Close(); err != nil {
				return nil, err
			}
		}
		if err := rg.Close(); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// packed returns the values from at to end that are there.
func packed[T any](values []T, valid []bool, at, end int) []T {
	if valid == nil {
		return values[at:end]
	}
	var some []T
	for i := at; i < end; i++ {
		if valid[i] {
			some = append(some, values[i])
		}
	}
	return some
}

// node returns a primitive node; logical may be nil.
func node(t testing.TB, name string, optional bool, logical schema.LogicalType, typ parquet.Type, length int) schema.Node {
	t.Helper()
	rep := parquet.Repetitions.Required
	if optional {
		rep = parquet.Repetitions.Optional
	}
	var n schema.Node
	var err error
	if logical == nil {
		n, err = schema.NewPrimitiveNode(name, rep, typ, -1, int32(length))
	} else {
		n, err = schema.NewPrimitiveNodeLogical(name, rep, logical, typ, length, -1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}
