// This file tests properties of the vertices of graphs that were opened, not built.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/prepared"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// vertexTable writes a table of vertices, with a column x of the numbers of rows.
func vertexTable(t *testing.T, typ goarrow.DataType, ids ...string) string {
	t.Helper()
	schema := goarrow.NewSchema([]goarrow.Field{{Name: "id", Type: typ}, {Name: "x", Type: goarrow.PrimitiveTypes.Int32}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i, id := range ids {
		if err := errors.Join(b.Field(0).AppendValueFromString(id), b.Field(1).AppendValueFromString(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	return samples.WriteTo(t, filepath.Join(t.TempDir(), "v.arrow"), samples.WriteIPC(t, false, schema, []goarrow.Record{b.NewRecord()}))
}

func TestLoadVertexProperties(t *testing.T) {
	ctx := context.Background()
	build := func(e graph.Batch) *graph.Graph {
		b := graph.NewBuilder(graph.Options{Order: graph.OrderGiven})
		if err := b.Add(e); err != nil {
			t.Fatal(err)
		}
		g, err := prepared.OpenGraph(ctx, writeStoredTo(t, samples.Built(t, b)), prepared.OpenGraphOptions{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	word := graph.Strings{Offsets: []int64{0, 1, 2}, Data: []byte("ab")}
	ints := build(graph.Batch{Type: graph.Int32, Src: []int64{5, 6}, Dst: []int64{7, 5}})
	dates := build(graph.Batch{Type: graph.Int32, Logical: "date32", Src: []int64{5, 6}, Dst: []int64{7, 5}})
	text := build(graph.Batch{SrcStrings: &word, DstStrings: &word})
	large := build(graph.Batch{Type: graph.Uint64, Src: []int64{5, -1}, Dst: []int64{7, 5}})
	for _, c := range []struct {
		name string
		g    *graph.Graph
		typ  goarrow.DataType
		ids  []string
		want string // the property of each vertex
		err  error
		text string
	}{
		{"ints", ints, goarrow.PrimitiveTypes.Int32, []string{"7", "5"}, "[1 (null) 0]", nil, ""},
		{"wider", ints, goarrow.PrimitiveTypes.Int64, []string{"7", "5"}, "[1 (null) 0]", nil, ""},
		{"narrower", ints, goarrow.PrimitiveTypes.Uint8, []string{"6"}, "[(null) 0 (null)]", nil, ""},
		{"past it", ints, goarrow.PrimitiveTypes.Int64, []string{"4294967301"}, "", graph.ErrNoVertex, "4294967301 is in the table"},
		{"not there", ints, goarrow.PrimitiveTypes.Int32, []string{"8"}, "", graph.ErrNoVertex, "8 is in the table"},
		{"twice", ints, goarrow.PrimitiveTypes.Int32, []string{"7", "5", "7"}, "", ErrTwice, "7"},
		{"none", ints, goarrow.PrimitiveTypes.Int32, nil, "[(null) (null) (null)]", nil, ""},
		{"strings for ints", ints, goarrow.BinaryTypes.String, []string{"7"}, "", input.ErrColumnType, "ids of the graph are int32"},
		{"dates for ints", ints, goarrow.FixedWidthTypes.Date32, []string{"1970-01-06"}, "", input.ErrColumnType, "date32"},
		{"uint64 for int32", ints, goarrow.PrimitiveTypes.Uint64, []string{"7"}, "", input.ErrColumnType, "uint64"},
		{"dates", dates, goarrow.FixedWidthTypes.Date32, []string{"1970-01-06"}, "[0 (null) (null)]", nil, ""},
		{"no such date", dates, goarrow.FixedWidthTypes.Date32, []string{"1970-01-02"}, "", graph.ErrNoVertex, "1970-01-02 is in the table"},
		{"ints for dates", dates, goarrow.PrimitiveTypes.Int32, []string{"5"}, "", input.ErrColumnType, "date32"},
		{"strings", text, goarrow.BinaryTypes.String, []string{"b", "a"}, "[1 0]", nil, ""},
		{"no such string", text, goarrow.BinaryTypes.String, []string{"c"}, "", graph.ErrNoVertex, "c is in the table"},
		{"uint64", large, goarrow.PrimitiveTypes.Uint64, []string{"18446744073709551615", "5"}, "[1 (null) 0]", nil, ""},
		{"uint8 for uint64", large, goarrow.PrimitiveTypes.Uint8, []string{"5"}, "[0 (null) (null)]", nil, ""},
	} {
		table := VertexTable{Paths: []string{vertexTable(t, c.typ, c.ids...)}, Properties: []string{"x"}}
		p, err := LoadVertexProperties(ctx, c.g, table, Options{})
		if !errors.Is(err, c.err) || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil {
			continue
		}
		var all []uint32
		for v := range uint32(c.g.NumVertices()) {
			all = append(all, v)
		}
		rec, err := p.Gather(ctx, []int{0}, all, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(rec.Column(0)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		rec.Release()
	}
	good := VertexTable{Paths: []string{vertexTable(t, goarrow.PrimitiveTypes.Int32, "5")}, Properties: []string{"x"}}
	for name, change := range map[string]func(v *VertexTable, o *Options){
		"no paths":      func(v *VertexTable, _ *Options) { v.Paths = nil },
		"no properties": func(v *VertexTable, _ *Options) { v.Properties = nil },
		"no column":     func(v *VertexTable, _ *Options) { v.Properties = []string{"y"} },
		"twice":         func(v *VertexTable, _ *Options) { v.Properties = []string{"x", "x"} },
		"workers":       func(_ *VertexTable, o *Options) { o.Workers = -1 },
	} {
		v, o := good, Options{}
		change(&v, &o)
		if _, err := LoadVertexProperties(ctx, ints, v, o); !errors.Is(err, graph.ErrOptions) && !errors.Is(err, input.ErrColumn) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := LoadVertexProperties(ctx, nil, good, Options{}); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := LoadVertexProperties(done, ints, good, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := ints.Close(); err != nil {
		t.Error(err)
	}
	if _, err := LoadVertexProperties(ctx, ints, good, Options{}); !errors.Is(err, device.ErrClosed) {
		t.Error(err)
	}
}

// writeStoredTo writes the graph to a file of the test's.
func writeStoredTo(t testing.TB, g *graph.Graph) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g.foray")
	if err := prepared.WriteGraph(context.Background(), path, g, prepared.WriteGraphOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}
