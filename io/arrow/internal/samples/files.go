// This file writes files, for tests.

// Package samples makes files, graphs and faults for the tests of the packages beside it.
package samples

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

func WriteTo(t testing.TB, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// WriteIPC writes records as a file or as a stream.
func WriteIPC(t testing.TB, stream bool, schema *arrow.Schema, records []arrow.Record, opts ...ipc.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	opts = append(opts, ipc.WithSchema(schema))
	var w interface {
		Write(arrow.Record) error
		Close() error
	}
	if stream {
		w = ipc.NewWriter(&out, opts...)
	} else {
		path := filepath.Join(t.TempDir(), "file")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		fw, err := ipc.NewFileWriter(f, opts...)
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range records {
			if err := fw.Write(rec); err != nil {
				t.Fatal(err)
			}
		}
		if err := fw.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, rec := range records {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TextTable writes a file of columns, whose values are given as their builders read
// them; "" is null.
func TextTable(t testing.TB, path string, fields []arrow.Field, rows [][]string) string {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, row := range rows {
		for i, x := range row {
			if x == "" {
				b.Field(i).AppendNull()
			} else if err := b.Field(i).AppendValueFromString(x); err != nil {
				t.Fatal(err)
			}
		}
	}
	return WriteTo(t, path, WriteIPC(t, false, schema, []arrow.Record{b.NewRecord()}))
}

func Nullable(name string, typ arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: typ, Nullable: true}
}

// ParquetColumn is a column to write: one of the slices, and which values are
// there (nil for all, of a required column).
type ParquetColumn struct {
	Node   schema.Node
	Values any // []int32, []int64, []float32, []float64, []parquet.ByteArray, []parquet.FixedLenByteArray
	Valid  []bool
}

// WriteParquet writes a file with row groups of so many rows.
func WriteParquet(t testing.TB, rows, groupRows int, cols []ParquetColumn, opts ...parquet.WriterProperty) []byte {
	t.Helper()
	data, err := TryParquet(rows, groupRows, cols, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Node returns a primitive node; logical may be nil.
func Node(t testing.TB, name string, optional bool, logical schema.LogicalType, typ parquet.Type, length int) schema.Node {
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

func S3Options(env map[string]string) input.S3Options {
	return input.S3Options{Endpoint: env["AWS_ENDPOINT_URL"], AccessKey: env["AWS_ACCESS_KEY_ID"], SecretKey: env["AWS_SECRET_ACCESS_KEY"], Region: "us-east-1"}
}

// TryParquet is writeParquet for columns that the writer may not be able to write: its
// encoder of delta lengths panics over some pages (slice bounds out of range).
func TryParquet(rows, groupRows int, cols []ParquetColumn, opts ...parquet.WriterProperty) (_ []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the writer panics: %v", p)
		}
	}()
	var nodes schema.FieldList
	for _, c := range cols {
		nodes = append(nodes, c.Node)
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
			if c.Valid != nil {
				for _, ok := range c.Valid[at:end] {
					d := int16(0)
					if ok {
						d = 1
					}
					defs = append(defs, d)
				}
			}
			switch cw := cw.(type) {
			case *file.Int32ColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.Values.([]int32), c.Valid, at, end), defs, nil)
			case *file.Int64ColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.Values.([]int64), c.Valid, at, end), defs, nil)
			case *file.Float32ColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.Values.([]float32), c.Valid, at, end), defs, nil)
			case *file.Float64ColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.Values.([]float64), c.Valid, at, end), defs, nil)
			case *file.BooleanColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.Values.([]bool), c.Valid, at, end), defs, nil)
			case *file.ByteArrayColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.Values.([]parquet.ByteArray), c.Valid, at, end), defs, nil)
			case *file.FixedLenByteArrayColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.Values.([]parquet.FixedLenByteArray), c.Valid, at, end), defs, nil)
			case *file.Int96ColumnChunkWriter:
				_, err = cw.WriteBatch(packed(c.Values.([]parquet.Int96), c.Valid, at, end), defs, nil)
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
