// This file tests columns with a value for each vertex: what records have of them is what files have.

package arrow_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

// texts are the rows that a reader gives, and its schema as text.
func texts(t *testing.T, r array.RecordReader) (schema string, rows []string) {
	t.Helper()
	defer r.Release()
	for r.Next() {
		rec := r.Record()
		for i := range int(rec.NumRows()) {
			var row []string
			for c := range int(rec.NumCols()) {
				row = append(row, rec.Column(c).ValueStr(i))
			}
			rows = append(rows, strings.Join(row, "|"))
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Schema().Fields() {
		schema += fmt.Sprint(f.Name, " ", f.Type, " ", f.Nullable, "; ")
	}
	return schema, rows
}

// fileTexts are the rows of an IPC stream.
func fileTexts(t *testing.T, path string) (string, []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return texts(t, r)
}

// lazy is values that are read when they are written.
type lazy[T any] struct {
	all []T
	err error
	of  *graph.Graph
}

func (l lazy[T]) Slice() ([]T, error) { return l.all, l.err }
func (l lazy[T]) Graph() *graph.Graph { return l.of }

func some[T any](n int, next func() T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = next()
	}
	return all
}

// both returns a column of a slice, or of values that are read later.
func both[T int32 | int64 | uint32 | uint64 | float32 | float64 | bool](r *rand.Rand, g *graph.Graph, name string, all []T, missing ...T) arrow.Column {
	if r.IntN(2) == 0 {
		return arrow.NewColumn(name, all, missing...)
	}
	return arrow.ValuesColumn(name, lazy[T]{all, nil, []*graph.Graph{g, nil}[r.IntN(2)]}, missing...)
}

// TestRecordsAreFiles: records of columns of every type have the rows and the schema of the file that Write writes.
func TestRecordsAreFiles(t *testing.T) {
	for seed := range uint64(testlong.Of(20, 500)) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := testgraph.Uniform(1+r.IntN(300), 4, testgraph.Undirected).Graph(seed)
		n := g.NumVertices()
		columns := []arrow.Column{
			both(r, g, "i32", some(n, func() int32 { return int32(r.IntN(4)) - 1 }), -1),
			both(r, g, "i64", some(n, r.Int64)),
			both(r, g, "u32", some(n, r.Uint32)),
			both(r, g, "u64", some(n, r.Uint64)),
			both(r, g, "f32", some(n, r.Float32)),
			both(r, g, "f64", some(n, func() float64 { return []float64{math.NaN(), math.Inf(1), r.Float64()}[r.IntN(3)] }), math.NaN()),
			both(r, g, "yes", some(n, func() bool { return r.IntN(2) == 0 })),
			both(r, g, "vertex_of", some(n, func() uint32 {
				if r.IntN(3) == 0 {
					return graph.NoVertex
				}
				return uint32(r.IntN(n))
			})).Vertices(),
			arrow.DegreeColumn("degree"),
		}
		r.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
		columns = columns[:1+r.IntN(len(columns))]
		path := filepath.Join(t.TempDir(), "x.arrows")
		only := r.IntN(2) == 0
		err := arrow.Write(t.Context(), path, g, columns, arrow.WriteOptions{ReachedOnly: only})
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		records, recordsErr := arrow.Records(t.Context(), g, columns, arrow.RecordOptions{Allocator: mem, BatchRows: 1 + r.IntN(n), ReachedOnly: only})
		if (err == nil) != (recordsErr == nil) || err != nil && (!only || !errors.Is(err, graph.ErrOptions) || !errors.Is(recordsErr, graph.ErrOptions)) {
			t.Fatalf("seed %d: %v and %v", seed, err, recordsErr)
		}
		if err != nil {
			continue // all of the first column count
		}
		schema, rows := texts(t, records)
		fileSchema, fileRows := fileTexts(t, path)
		if schema != fileSchema || !slices.Equal(rows, fileRows) {
			t.Fatalf("seed %d: %d rows of %s; the file has %d of %s", seed, len(rows), schema, len(fileRows), fileSchema)
		}
		mem.AssertSize(t, 0)
	}
}

// TestDegreeColumn: a degree is the length of the vertex's row.
func TestDegreeColumn(t *testing.T) {
	for _, kind := range []testgraph.Kind{testgraph.Undirected, testgraph.Directed} {
		g := testgraph.Uniform(200, 3, kind).Graph(1)
		records, err := arrow.Records(t.Context(), g, []arrow.Column{arrow.DegreeColumn("d")}, arrow.RecordOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, rows := texts(t, records)
		for v, row := range rows {
			if want := fmt.Sprintf("%s|%d", g.IDs().Format(uint32(v)), g.Degree(uint32(v))); row != want {
				t.Fatalf("%q, want %q", row, want)
			}
		}
	}
}

// TestResultsOfAlgorithms: what each algorithm finds becomes records, with one row per vertex.
func TestResultsOfAlgorithms(t *testing.T) {
	ctx := t.Context()
	g := testgraph.Uniform(300, 5, testgraph.Undirected).Graph(1)
	p, err := g.On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ranks, err := pagerank.Run(ctx, p, pagerank.Options{})
	if err != nil {
		t.Fatal(err)
	}
	components, err := cc.Run(ctx, p, cc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cores, err := kcore.Run(ctx, p, kcore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	labels, err := lpa.Run(ctx, p, lpa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	counts, err := triangles.Run(ctx, p, triangles.Options{})
	if err != nil {
		t.Fatal(err)
	}
	near, err := closeness.Run(ctx, p, closeness.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := bfs.Run(ctx, p, 0, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
	if err != nil {
		t.Fatal(err)
	}
	columns := append(arrow.ResultColumns(found),
		arrow.ValuesColumn("rank", ranks.Ranks),
		arrow.ValuesColumn("component", components.Component).Vertices(),
		arrow.ValuesColumn("core", cores.Core),
		arrow.ValuesColumn("label", labels.Labels).Vertices(),
		arrow.ValuesColumn("triangles", counts.Triangles),
		arrow.ValuesColumn("eccentricity", near.Eccentricity, -1),
		arrow.DegreeColumn("degree"))
	records, err := arrow.Records(ctx, g, columns, arrow.RecordOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer records.Release()
	if !records.Next() {
		t.Fatal(records.Err())
	}
	rec := records.Record()
	want, err := ranks.Ranks.Slice()
	if err != nil {
		t.Fatal(err)
	}
	if got := rec.Column(3).(*array.Float64).Float64Values(); !slices.Equal(got, want) {
		t.Error("other ranks")
	}
	if n := rec.NumRows(); n != 300 {
		t.Errorf("%d rows", n)
	}
	if typ := rec.Schema().Field(6).Type; !goarrow.TypeEqual(typ, goarrow.PrimitiveTypes.Int64) { // of the ids
		t.Errorf("labels are %v", typ)
	}
	other, err := g.Reorder(ctx, graph.ReorderOptions{Order: graph.OrderDegree})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range columns[:8] { // all but the degree
		if _, err := arrow.Records(ctx, other, []arrow.Column{c}, arrow.RecordOptions{}); !errors.Is(err, arrow.ErrResult) {
			t.Errorf("of another order: %v", err)
		}
	}
}

// TestWrongColumns: what isn't known when a program is compiled is an error of writing, and of Check.
func TestWrongColumns(t *testing.T) {
	g := testgraph.Uniform(3, 1, testgraph.Undirected).Graph(1)
	three := []int32{1, 2, 3}
	broken := errors.New("it broke")
	for name, c := range map[string]struct {
		columns []arrow.Column
		want    error
		checked bool // Check reports it too
	}{
		"none":            {[]arrow.Column{}, arrow.ErrResult, true},
		"a zero column":   {[]arrow.Column{{}}, graph.ErrOptions, true},
		"no name":         {[]arrow.Column{arrow.NewColumn("", three)}, graph.ErrOptions, true},
		"two names":       {[]arrow.Column{arrow.NewColumn("x", three), arrow.DegreeColumn("x")}, graph.ErrOptions, true},
		"the id's name":   {[]arrow.Column{arrow.NewColumn("vertex", three)}, graph.ErrOptions, true},
		"many missing":    {[]arrow.Column{arrow.NewColumn("x", three, 1, 2)}, graph.ErrOptions, true},
		"ints as vertex":  {[]arrow.Column{arrow.NewColumn("x", three).Vertices()}, graph.ErrOptions, true},
		"vertex, missing": {[]arrow.Column{arrow.NewColumn("x", []uint32{0, 1, 2}, 0).Vertices()}, graph.ErrOptions, true},
		"nil values":      {[]arrow.Column{arrow.ValuesColumn("x", (*traverse.Values[int32])(nil))}, graph.ErrOptions, true},
		"no result":       {arrow.ResultColumns(nil), arrow.ErrResult, true},
		"few":             {[]arrow.Column{arrow.NewColumn("x", three[:2])}, arrow.ErrResult, false},
		"no vertex":       {[]arrow.Column{arrow.NewColumn("x", []uint32{0, 1, 3}).Vertices()}, arrow.ErrResult, false},
		"an error":        {[]arrow.Column{arrow.ValuesColumn("x", lazy[bool]{nil, broken, nil})}, broken, false},
	} {
		path := filepath.Join(t.TempDir(), "x.csv")
		err := arrow.Write(t.Context(), path, g, c.columns, arrow.WriteOptions{})
		if name == "none" {
			c.want = graph.ErrOptions
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if err := arrow.Check(t.Context(), path, g, c.columns, arrow.WriteOptions{}); (err != nil) != c.checked {
			t.Errorf("%s: Check says %v", name, err)
		}
		if _, err := arrow.Records(t.Context(), g, c.columns, arrow.RecordOptions{}); !errors.Is(err, c.want) {
			t.Errorf("%s: Records says %v, want %v", name, err, c.want)
		}
	}
}

// TestBatches: a loop over batches has the edges that Read has, ends with the first error, and leaves nothing
// behind where it ends early.
func TestBatches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := arrow.WriteEdges(t.Context(), path, testgraph.Uniform(20_000, 20, testgraph.Undirected).Graph(1), arrow.WriteOptions{RowGroup: 5000}); err != nil {
		t.Fatal(err)
	}
	d, err := arrow.Open(t.Context(), []string{path}, arrow.Options{Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	sum, rows := int64(0), int64(0)
	for b, err := range d.Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Src {
			sum += b.Src[i]*3 + b.Dst[i]
		}
		rows += int64(len(b.Src))
	}
	again := int64(0)
	d1, err := arrow.Open(t.Context(), []string{path}, arrow.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := d1.Read(t.Context(), func(b graph.Batch) error {
		for i := range b.Src {
			again += b.Src[i]*3 + b.Dst[i]
		}
		return nil
	}); err != nil || sum != again || rows != d.Info().Rows {
		t.Errorf("%d rows and %d, want %d and %d; %v", rows, sum, d.Info().Rows, again, err)
	}
	for stop := range 6 {
		n := 0
		for _, err := range d.Batches(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n > stop {
				break
			}
		}
		func() {
			defer func() {
				if recover() != "of the loop" {
					t.Error("no panic")
				}
			}()
			for range d.Batches(t.Context()) {
				panic("of the loop")
			}
		}()
		ctx, cancel := context.WithCancel(t.Context())
		var last error
		for _, err := range d.Batches(ctx) {
			last = err
			cancel()
		}
		cancel()
		if !errors.Is(last, context.Canceled) {
			t.Errorf("canceled: %v", last)
		}
		for range arrow.IDs(t.Context(), arrow.VertexTable{Paths: []string{path}, ID: "src"}, arrow.Options{}) {
			break
		}
	}
	for wait := time.Millisecond; runtime.NumGoroutine() > before; wait *= 2 {
		if wait > 5*time.Second {
			t.Fatalf("%d goroutines, before %d", runtime.NumGoroutine(), before)
		}
		time.Sleep(wait)
	}
	errs := 0
	for id, err := range arrow.IDs(t.Context(), arrow.VertexTable{Paths: []string{path}, ID: "none"}, arrow.Options{}) {
		if errs++; id != "" || !errors.Is(err, arrow.ErrColumn) {
			t.Errorf("%q, %v", id, err)
		}
	}
	if errs != 1 {
		t.Errorf("%d errors", errs)
	}
}
