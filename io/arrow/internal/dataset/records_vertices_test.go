// This file tests edges that are records with a table of vertices in a file.

package dataset

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	aarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// recordsOf returns records of columns of a type, with one record of all rows, or none.
func recordsOf(t *testing.T, typ aarrow.DataType, names string, rows ...string) array.RecordReader {
	t.Helper()
	var fields []aarrow.Field
	for name := range strings.FieldsSeq(names) {
		fields = append(fields, aarrow.Field{Name: name, Type: typ})
	}
	schema := aarrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, row := range rows {
		for k, value := range strings.Fields(row) {
			if err := b.Field(k).AppendValueFromString(value); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := array.NewRecordReader(schema, []aarrow.Record{b.NewRecord()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestLoadRecordsWithVertices(t *testing.T) {
	p := aarrow.PrimitiveTypes
	for name, c := range map[string]struct {
		edges, vertices aarrow.DataType
		rows, ids       []string
		want            string // ids, then the number of edges
		is              error
	}{
		"more vertices":        {p.Int64, p.Int64, []string{"1 2", "2 5"}, []string{"5", "7"}, "int64 1 2 5 7, 2 edges", nil},
		"wider vertices":       {p.Int32, p.Int64, []string{"1 2"}, []string{"5000000000"}, "int64 1 2 5000000000, 1 edges", nil},
		"wider edges":          {p.Int64, p.Int16, []string{"1 2"}, []string{"3"}, "int64 1 2 3, 1 edges", nil},
		"strings":              {aarrow.BinaryTypes.String, aarrow.BinaryTypes.String, []string{"a b"}, []string{"c", "b"}, "string a b c, 1 edges", nil},
		"no edges":             {p.Int32, p.Int32, nil, []string{"4", "3"}, "int32 3 4, 0 edges", nil},
		"no vertices":          {p.Int32, p.Int32, []string{"1 2"}, nil, "int32 1 2, 1 edges", nil},
		"nothing":              {p.Int32, p.Int32, nil, nil, "", graph.ErrEmpty},
		"strings and integers": {p.Int32, aarrow.BinaryTypes.String, []string{"1 2"}, []string{"a"}, "", input.ErrColumnType},
	} {
		t.Run(name, func(t *testing.T) {
			var file bytes.Buffer
			vertices := recordsOf(t, c.vertices, "id", c.ids...)
			w := ipc.NewWriter(&file, ipc.WithSchema(vertices.Schema()))
			for vertices.Next() {
				if err := w.Write(vertices.Record()); err != nil {
					t.Fatal(err)
				}
			}
			w.Close()
			o := Options{FS: fstest.MapFS{"v": {Data: file.Bytes()}}, Vertices: &VertexTable{Paths: []string{"v"}}, Graph: graph.Options{Order: graph.OrderGiven}}
			g, err := LoadRecords(context.Background(), recordsOf(t, c.edges, "src dst", c.rows...), o)
			if c.is != nil {
				if !errors.Is(err, c.is) {
					t.Errorf("%v, want %v", err, c.is)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := []string{g.IDs().Type.String()}
			for v := range uint32(g.NumVertices()) {
				got = append(got, g.IDs().Format(v))
			}
			slices.Sort(got[1:])
			if s := strings.Join(got, " ") + ", " + string(rune('0'+g.NumEdges())) + " edges"; s != c.want {
				t.Errorf("%s, want %s", s, c.want)
			}
		})
	}
	o := Options{Vertices: &VertexTable{Paths: []string{"v"}, Properties: []string{"x"}}}
	if _, err := LoadRecords(context.Background(), recordsOf(t, p.Int64, "src dst"), o); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("properties: %v", err)
	}
}
