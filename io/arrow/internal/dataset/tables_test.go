// This file tests several tables of edges, tables of vertices and their
// properties, edge ids, and invalid weights.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	pqschema "github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/prepared"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// intsFile writes columns of integers, of names that a space separates.
func intsFile(t testing.TB, path, names string, groupRows int, columns ...[]int64) string {
	t.Helper()
	var cols []samples.ParquetColumn
	for i, name := range strings.Fields(names) {
		cols = append(cols, samples.ParquetColumn{Node: samples.Node(t, name, false, nil, parquet.Types.Int64, 0), Values: columns[i]})
	}
	return samples.WriteTo(t, path, samples.WriteParquet(t, len(columns[0]), groupRows, cols))
}

func randomInts(r *rand.Rand, n int, below int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = r.Int64N(below)
	}
	return out
}

// TestTables makes one graph of two tables with different columns, and of a
// table of vertices, and compares it with the graph of a Builder.
func TestTables(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 9))
		dir := t.TempDir()
		a, b, c, d := randomInts(r, 300, 100), randomInts(r, 300, 100), randomInts(r, 200, 100), randomInts(r, 200, 100)
		w, x := randomInts(r, 300, 9), randomInts(r, 200, 9)
		ids := randomInts(r, 80, 1000)
		o := Options{Graph: graph.Options{Bipartite: r.IntN(2) == 0, EdgeIDs: true, KeepDuplicates: r.IntN(2) == 0, Weights: true}, TwoPass: r.IntN(2) == 0}
		o.Vertices = &VertexTable{Paths: []string{intsFile(t, filepath.Join(dir, "people.parquet"), "id age", 30, ids, ids)}, Side: graph.Target}
		tables := []Table{
			{Paths: []string{intsFile(t, filepath.Join(dir, "follows.parquet"), "who whom w", 70, a, b, w)}, Source: "who", Target: "whom", Weight: "w"},
			{Paths: []string{intsFile(t, filepath.Join(dir, "likes.parquet"), "x user author", 50, x, c, d)}, Source: "user", Target: "author", Weight: "x", Where: "x > 2"},
		}
		got, err := LoadTables(context.Background(), tables, o)
		if err != nil {
			t.Fatal(err)
		}
		builder := graph.NewBuilder(o.Graph)
		add := func(src, dst, weights []int64, first int, keep func(w int64) bool) {
			var e graph.Batch
			for i := range src {
				if keep(weights[i]) {
					e.Src, e.Dst = append(e.Src, src[i]), append(e.Dst, dst[i])
					e.Weights, e.EdgeIDs = append(e.Weights, float32(weights[i])), append(e.EdgeIDs, uint64(first+i))
				}
			}
			if err := builder.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		add(a, b, w, 0, func(int64) bool { return true })
		add(c, d, x, 300, func(w int64) bool { return w > 2 })
		if err := graph.AddVertices(builder, graph.Target, ids); err != nil {
			t.Fatal(err)
		}
		want, err := builder.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Out().Targets, want.Out().Targets) || !slices.Equal(got.Out().EdgeIDs, want.Out().EdgeIDs) ||
			!slices.Equal(got.Out().Weights, want.Out().Weights) || got.NumVertices() != want.NumVertices() {
			t.Fatalf("seed %d: the graphs differ", seed)
		}
		for v := range uint32(want.NumVertices()) {
			if got.IDs().Format(v) != want.IDs().Format(v) {
				t.Fatalf("vertex %d is %s, want %s", v, got.IDs().Format(v), want.IDs().Format(v))
			}
		}
	}
}

// TestEdgeIDColumn carries a column of ids to the graph.
func TestEdgeIDColumn(t *testing.T) {
	path := intsFile(t, filepath.Join(t.TempDir(), "x.parquet"), "src dst eid", 2, []int64{1, 2, 1}, []int64{2, 3, 2}, []int64{-1, 7, 5})
	g, err := Load(context.Background(), path, Options{EdgeID: "eid", Graph: graph.Options{Directed: true, Reverse: true, Order: graph.OrderGiven}})
	if err != nil {
		t.Fatal(err)
	}
	// Of the two edges from 1 to 2 the lesser id stays; -1 is the largest.
	if !slices.Equal(g.Out().EdgeIDs, []uint64{5, 7}) || !slices.Equal(g.In().EdgeIDs, []uint64{5, 7}) {
		t.Errorf("%d, %d", g.Out().EdgeIDs, g.In().EdgeIDs)
	}
}

// TestProperties reads properties of every type, for vertices that have them and
// for others.
func TestProperties(t *testing.T) {
	schema := goarrow.NewSchema([]goarrow.Field{
		{Name: "key", Type: goarrow.BinaryTypes.String},
		{Name: "name", Type: goarrow.BinaryTypes.String, Nullable: true},
		{Name: "age", Type: goarrow.PrimitiveTypes.Int8, Nullable: true},
		{Name: "score", Type: goarrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "ok", Type: goarrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "born", Type: goarrow.PrimitiveTypes.Date32, Nullable: true},
		{Name: "seen", Type: &goarrow.TimestampType{Unit: goarrow.Nanosecond, TimeZone: "UTC"}, Nullable: true},
		{Name: "raw", Type: goarrow.BinaryTypes.Binary, Nullable: true},
		{Name: "half", Type: goarrow.PrimitiveTypes.Float32, Nullable: true},
	}, nil)
	properties := []string{"raw", "seen", "born", "ok", "score", "age", "name", "half"}
	r := rand.New(rand.NewPCG(3, 14))
	before := runtime.NumGoroutine()
	rec, rows := randomRecord(r, schema, 700)
	// Ids that are there once, some of which have edges, and two that only edges have.
	names := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range 700 {
		names.Append(fmt.Sprint("v", i))
	}
	cols := rec.Columns()
	cols[0] = names.NewArray()
	rec = array.NewRecord(schema, cols, 700)
	dir := t.TempDir()
	vertices := samples.WriteTo(t, filepath.Join(dir, "v.arrow"), samples.WriteIPC(t, false, schema, []goarrow.Record{rec.NewSlice(0, 300), rec.NewSlice(300, 700)}))
	var src, dst []parquet.ByteArray
	for i := range 100 {
		src, dst = append(src, parquet.ByteArray(fmt.Sprint("v", i*5))), append(dst, parquet.ByteArray(fmt.Sprint([]string{"v", "w"}[i%2], i%7)))
	}
	edges := samples.WriteTo(t, filepath.Join(dir, "e.parquet"), samples.WriteParquet(t, 100, 30, []samples.ParquetColumn{
		{Node: samples.Node(t, "src", false, pqschema.StringLogicalType{}, parquet.Types.ByteArray, 0), Values: src},
		{Node: samples.Node(t, "dst", false, pqschema.StringLogicalType{}, parquet.Types.ByteArray, 0), Values: dst},
	}))
	o := Options{Vertices: &VertexTable{Paths: []string{vertices}, ID: "key", Properties: properties}}
	d, err := Open(context.Background(), []string{edges}, o)
	if err != nil {
		t.Fatal(err)
	}
	g, err := d.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p := d.Properties()
	var columns []int
	for i, f := range p.Fields() {
		if f.Name != properties[i] {
			t.Errorf("field %d is %s", i, f.Name)
		}
		columns = append(columns, i)
	}
	var all []uint32
	for v := range uint32(g.NumVertices()) {
		all = append(all, v)
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	out, err := p.Gather(context.Background(), columns, all, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Release()

	// The same by way of a prepared graph.
	again, err := prepared.OpenGraph(context.Background(), writeStoredTo(t, g), prepared.OpenGraphOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	q, err := LoadVertexProperties(context.Background(), again, *o.Vertices, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	same, err := q.Gather(context.Background(), columns, all, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	defer same.Release()
	if !array.RecordEqual(out, same) {
		t.Error("a prepared graph's vertices have other properties")
	}
	seen := 0
	for row, v := range all {
		at := 0
		has, _ := fmt.Sscanf(g.IDs().Format(v), "v%d", &at)
		for i, name := range properties {
			a, want := out.Column(i), rec.Column(schema.FieldIndices(name)[0])
			switch {
			case has == 0:
				if a.IsValid(row) {
					t.Fatalf("%s of %s, which isn't in the table, is %s", name, g.IDs().Format(v), a.ValueStr(row))
				}
			case a.ValueStr(row) != want.ValueStr(at) || a.IsNull(row) != want.IsNull(at):
				t.Fatalf("%s of %s is %s, want %s", name, g.IDs().Format(v), a.ValueStr(row), want.ValueStr(at))
			default:
				seen++
			}
		}
	}
	if seen != 700*len(properties) || len(rows) == 0 {
		t.Errorf("%d values", seen)
	}
	samples.NoMore(t, before)

	// What goes wrong.
	bad := func(name string, change func(v *VertexTable, o *Options), is error, says string) {
		t.Helper()
		o := Options{Vertices: &VertexTable{Paths: []string{vertices}, ID: "key", Properties: properties}}
		change(o.Vertices, &o)
		_, err := Load(context.Background(), edges, o)
		if !errors.Is(err, is) || !regexp.MustCompile(says).MatchString(err.Error()) {
			t.Errorf("%s: %v, want %v that says %s", name, err, is, says)
		}
	}
	bad("twice", func(v *VertexTable, _ *Options) {
		v.Paths = append(v.Paths, samples.WriteTo(t, filepath.Join(dir, "again.arrow"), samples.WriteIPC(t, true, schema, []goarrow.Record{rec.NewSlice(5, 6)})))
	}, ErrTwice, "v5")
	bad("no such column", func(v *VertexTable, _ *Options) { v.Properties = []string{"nobody"} }, input.ErrColumn, `properties of vertices: .*v\.arrow: column "nobody".*Vertices\.Properties`)
	bad("the same twice", func(v *VertexTable, _ *Options) { v.Properties = []string{"age", "age"} }, graph.ErrOptions, `"age" twice`)
	bad("ids of another type", func(v *VertexTable, _ *Options) { v.ID = "age" }, input.ErrColumnType, `vertices: .*v\.arrow: .*it is int8, but in .*e\.parquet ids are string`)
	bad("tuples", func(v *VertexTable, _ *Options) { v.ID = "key,name" }, input.ErrColumnType, "tuple")
	bad("no paths", func(v *VertexTable, _ *Options) { v.Paths = nil }, graph.ErrOptions, "Paths")
	bad("a null id", func(v *VertexTable, _ *Options) { v.ID = "name" }, input.ErrNull, "a vertex without id")
	skip := Options{SkipNulls: true, Vertices: &VertexTable{Paths: []string{vertices}, ID: "name"}}
	if _, err := Load(context.Background(), edges, skip); err != nil {
		t.Errorf("null ids left out: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := d.LoadProperties(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if _, err := p.Gather(context.Background(), []int{99}, nil, memory.DefaultAllocator); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("a column that isn't there: %v", err)
	}
	if _, err := p.Gather(context.Background(), []int{0}, []uint32{math.MaxUint32}, memory.DefaultAllocator); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("a vertex that isn't there: %v", err)
	}
}
