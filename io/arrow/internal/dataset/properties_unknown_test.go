// This file tests tables of vertices with some that the graph doesn't have.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// peopleTable writes a table of vertices, with properties that its ids tell, some
// null, in record batches of a few rows.
func peopleTable(t *testing.T, r *rand.Rand, strings bool, ids []int64) string {
	t.Helper()
	id := goarrow.DataType(goarrow.PrimitiveTypes.Int64)
	if strings {
		id = goarrow.BinaryTypes.String
	}
	schema := goarrow.NewSchema([]goarrow.Field{{Name: "id", Type: id}, {Name: "n", Type: goarrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "s", Type: goarrow.BinaryTypes.String, Nullable: true}, {Name: "b", Type: goarrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "f", Type: goarrow.PrimitiveTypes.Float64, Nullable: true}}, nil)
	var records []goarrow.Record
	for len(ids) > 0 || records == nil {
		n := min(len(ids), 1+r.IntN(200))
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for _, x := range ids[:n] {
			for i, text := range []string{fmt.Sprint(x), fmt.Sprint(x * 3), fmt.Sprint("name ", x), fmt.Sprint(x%2 == 0), fmt.Sprint(float64(x) / 4)} {
				if i > 0 && x%int64(i+2) == 0 {
					b.Field(i).AppendNull()
				} else if err := b.Field(i).AppendValueFromString(text); err != nil {
					t.Fatal(err)
				}
			}
		}
		records = append(records, b.NewRecord())
		ids = ids[n:]
	}
	return samples.WriteTo(t, filepath.Join(t.TempDir(), "v.arrow"), samples.WriteIPC(t, false, schema, records))
}

// TestSkipUnknown compares random tables with those of the rows that the graph has.
func TestSkipUnknown(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(51, 52))
	for range 40 {
		texts := r.IntN(2) == 0
		var all, known []int64
		for x := range int64(1 + r.IntN(600)) {
			if all = append(all, x); r.IntN(3) > 0 {
				known = append(known, x)
			}
		}
		known = append(known, 700) // is in no table
		b := graph.NewBuilder(graph.Options{})
		for _, x := range known {
			var err error
			if texts {
				s := graph.Strings{Offsets: []int64{0, int64(len(fmt.Sprint(x)))}, Data: []byte(fmt.Sprint(x))}
				err = b.AddStrings(s, s, nil)
			} else {
				err = graph.AddInts(b, []int64{x}, known[:1], nil)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		g := samples.Built(t, b)
		rows := slices.Clone(all)
		r.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
		filtered := slices.DeleteFunc(slices.Clone(rows), func(x int64) bool { return !slices.Contains(known, x) })
		read := func(ids []int64, skip bool) (string, Stats, error) {
			var s Stats
			table := VertexTable{Paths: []string{peopleTable(t, r, texts, ids)}, ID: "id", Properties: []string{"n", "s", "b", "f", "id"}, SkipUnknown: skip}
			p, err := LoadVertexProperties(ctx, g, table, Options{Stats: &s})
			if err != nil {
				return "", s, err
			}
			return gathered(t, g, p), s, nil
		}
		want, _, err := read(filtered, false)
		if err != nil {
			t.Fatal(err)
		}
		got, s, err := read(rows, true)
		if err != nil || got != want || s.Rows != int64(len(rows)) || s.UnknownRows != int64(len(rows)-len(filtered)) {
			t.Errorf("%v, %+v of %d rows, %d known:\n%s, want\n%s", err, s, len(rows), len(filtered), got, want)
		}
		if _, _, err := read(rows, false); len(filtered) < len(rows) && !errors.Is(err, graph.ErrNoVertex) {
			t.Errorf("%v, want ErrNoVertex", err)
		}
		if _, _, err := read(append(rows, filtered...), true); len(filtered) > 0 && !errors.Is(err, ErrTwice) {
			t.Errorf("%v, want ErrTwice", err)
		}
	}
}

// gathered is the properties of all vertices as text.
func gathered(t *testing.T, g *graph.Graph, p *VertexProperties) string {
	t.Helper()
	var all []uint32
	for v := range uint32(g.NumVertices()) {
		all = append(all, v)
	}
	var columns []int
	for i := range p.Fields() {
		columns = append(columns, i)
	}
	rec, err := p.Gather(context.Background(), columns, all, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	return fmt.Sprint(rec)
}

// TestSkipUnknownParquet: the same of a Parquet file with several row groups.
func TestSkipUnknownParquet(t *testing.T) {
	ctx := context.Background()
	whole, part := graph.NewBuilder(graph.Options{}), graph.NewBuilder(graph.Options{})
	for x := range int64(1000) {
		if err := graph.AddInts(whole, []int64{x}, []int64{x + 1}, nil); err != nil {
			t.Fatal(err)
		}
		if x%3 == 0 {
			if err := graph.AddInts(part, []int64{x}, []int64{0}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	g, small := samples.Built(t, whole), samples.Built(t, part)
	depths := make([]int32, g.NumVertices())
	for v := range depths {
		depths[v] = int32(g.IDs().Int(uint32(v)) % 7)
	}
	path := filepath.Join(t.TempDir(), "r.parquet")
	if err := write.WriteColumns(ctx, path, g, write.ResultColumns(samples.TestResult{DepthList: depths}), write.WriteOptions{RowGroup: 64}); err != nil {
		t.Fatal(err)
	}
	var s Stats
	p, err := LoadVertexProperties(ctx, small, VertexTable{Paths: []string{path}, Properties: []string{"depth"}, SkipUnknown: true}, Options{Stats: &s})
	if err != nil || s.UnknownRows != int64(g.NumVertices()-small.NumVertices()) {
		t.Fatal(err, s.UnknownRows)
	}
	var want []string
	var vertices []uint32
	for v := range uint32(small.NumVertices()) {
		vertices = append(vertices, v)
		want = append(want, fmt.Sprint(small.IDs().Int(v)%7))
	}
	rec, err := p.Gather(ctx, []int{0}, vertices, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	if got := fmt.Sprint(rec.Column(0)); got != fmt.Sprint(want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSkipUnknownRefused: a graph that is built with the table has all vertices.
func TestSkipUnknownRefused(t *testing.T) {
	path := vertexTable(t, goarrow.PrimitiveTypes.Int64, "1")
	g, _ := searchedGraph(t)
	edges := filepath.Join(t.TempDir(), "e.parquet")
	if err := write.WriteEdges(context.Background(), edges, g, write.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	o := Options{Vertices: &VertexTable{Paths: []string{path}, ID: "id", SkipUnknown: true}}
	if _, err := Load(context.Background(), edges, o); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("%v, want ErrOptions", err)
	}
	o.Vertices.SkipUnknown = false
	if _, err := Load(context.Background(), edges, o); err != nil {
		t.Error(err)
	}
}

func searchedGraph(t *testing.T) (*graph.Graph, *bfs.Result) {
	t.Helper()
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []int64{1, 2}, []int64{2, 3}, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	r, err := bfs.Run(context.Background(), p, 0, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
	if err != nil {
		t.Fatal(err)
	}
	return g, r
}
