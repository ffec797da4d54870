// This file tests loading: which files, which columns, what graph, and that
// it stops when told to.

package dataset

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// TestDiscover finds the files of directories and patterns.
func TestDiscover(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.parquet", "a.PARQUET", "c.arrow", "d.feather", "e.ipc", "f.arrows", "year=2024/x.parquet",
		"g.txt", "_meta.parquet", ".x.parquet", "_tmp/x.parquet", ".git/x.arrow", "other/deep/y.arrow", "none/"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if filepath.Base(name) != "none" {
			samples.WriteTo(t, path, nil)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		paths, want []string
	}{
		{[]string{dir}, []string{"a.PARQUET", "b.parquet", "c.arrow", "d.feather", "e.ipc", "f.arrows", "other/deep/y.arrow", "year=2024/x.parquet"}},
		{[]string{link}, []string{"a.PARQUET", "b.parquet", "c.arrow", "d.feather", "e.ipc", "f.arrows", "other/deep/y.arrow", "year=2024/x.parquet"}},
		{[]string{dir + "/*.parquet"}, []string{"b.parquet"}},
		{[]string{dir + "/*"}, []string{"a.PARQUET", "b.parquet", "c.arrow", "d.feather", "e.ipc", "f.arrows", "g.txt", "other/deep/y.arrow", "year=2024/x.parquet"}},
		{[]string{dir + "/**/*.parquet"}, []string{"b.parquet", "year=2024/x.parquet"}},
		{[]string{dir + "/year=*/"}, []string{"year=2024/x.parquet"}},
		{[]string{dir + "/e.ipc", dir + "/other", dir + "/./e.ipc", dir + "/_meta.parquet"}, []string{"e.ipc", "other/deep/y.arrow", "e.ipc", "_meta.parquet"}},
	} {
		found, err := (&input.Store{}).Discover(context.Background(), c.paths, tables.At{})
		if err != nil {
			t.Errorf("%q: %v", c.paths, err)
			continue
		}
		var got []string
		for _, f := range found {
			got = append(got, f.Path)
		}
		for i := range got {
			base := dir
			if c.paths[0] == link {
				base = link
			}
			if got[i], err = filepath.Rel(base, got[i]); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.paths, got, c.want)
		}
	}
}

// TestColumns chooses columns by name and by convention.
func TestColumns(t *testing.T) {
	for _, c := range []struct {
		names      []string
		o          Options
		src, dst   string
		weight     string
		isWeighted bool
	}{
		{[]string{"id", "src", "dst"}, Options{}, "src", "dst", "", false},
		{[]string{"Target", "Source", "x"}, Options{}, "Source", "Target", "", false},
		{[]string{"to", "x", "from"}, Options{}, "from", "to", "", false},
		{[]string{"a", "b"}, Options{}, "a", "b", "", false},
		{[]string{"a", "b"}, Options{Source: "b"}, "b", "a", "", false},
		{[]string{"a", "src", "dst"}, Options{Target: "dst"}, "src", "dst", "", false},
		{[]string{"a", "src", "dst"}, Options{Source: "src"}, "src", "dst", "", false},
		{[]string{"a", "src", "dst"}, Options{Source: "dst", Target: "a"}, "dst", "a", "", false},
		{[]string{"src", "dst", "from", "to"}, Options{Source: "from"}, "from", "to", "", false},
		{[]string{"src", "dst", "Weight"}, Options{Graph: graph.Options{Weights: true}}, "src", "dst", "Weight", true},
		{[]string{"src", "dst", "weight"}, Options{}, "src", "dst", "", false},
		{[]string{"src", "dst", "km"}, Options{Weight: "km"}, "src", "dst", "km", true},
	} {
		var cols []*craft.Column
		for i, name := range c.names {
			cols = append(cols, column64(name, 0, []int64{int64(i)}))
		}
		d, err := Open(context.Background(), []string{tempFile(t, "x.parquet", craft.File(1, cols...))}, c.o)
		if err != nil {
			t.Errorf("%q: %v", c.names, err)
			continue
		}
		s := d.Schema()
		weight := ""
		if s.Weight >= 0 {
			weight = s.Columns[s.Weight].Name
		}
		if s.Columns[s.Source].Name != c.src || s.Columns[s.Target].Name != c.dst || weight != c.weight || d.o.Graph.Weights != c.isWeighted {
			t.Errorf("%q: %+v, want %s, %s and %q", c.names, s, c.src, c.dst, c.weight)
		}
	}
}

// edgesFile is a Parquet file of random edges in several row groups.
func edgesFile(t testing.TB, rows, groupRows int) ([]byte, []int64, []int64) {
	r := rand.New(rand.NewPCG(5, uint64(rows)))
	src, dst := make([]int64, rows), make([]int64, rows)
	for i := range src {
		src[i], dst[i] = r.Int64N(500), r.Int64N(500)
	}
	return samples.WriteParquet(t, rows, groupRows, []samples.ParquetColumn{
		{Node: samples.Node(t, "src", false, nil, parquet.Types.Int64, 0), Values: src},
		{Node: samples.Node(t, "dst", false, nil, parquet.Types.Int64, 0), Values: dst}}), src, dst
}

// TestLoad compares the graphs of all ways to load with that of the edges.
func TestLoad(t *testing.T) {
	data, src, dst := edgesFile(t, 20_000, 3000)
	path := tempFile(t, "edges.parquet", data)
	for _, directed := range []bool{false, true} {
		o := Options{Graph: graph.Options{Directed: directed}}
		b := graph.NewBuilder(o.Graph)
		if err := b.Add(graph.Batch{Src: src, Dst: dst}); err != nil {
			t.Fatal(err)
		}
		want, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, twice := range []bool{false, true} {
			o.TwoPass = twice
			o.Stats = new(Stats)
			var last atomic.Int64
			o.Progress = func(p graph.Progress) {
				if p.Phase != ReadRows || p.Total != uint64(len(src)) {
					t.Errorf("%s: %d rows of %d", p.Phase, p.Done, p.Total)
				}
				last.Store(int64(p.Done))
			}
			got, err := Load(context.Background(), path, o)
			if err != nil {
				t.Fatal(err)
			}
			sameGraph(t, got, want)
			passes := 1
			if twice {
				passes = 2
			}
			want := Stats{Files: 1, RowGroups: 7, Rows: 20_000, Bytes: int64(len(data)), BytesRead: o.Stats.BytesRead}
			// But for the magic number, which is looked at and belongs to no column.
			if read := want.BytesRead; read < int64(len(data))-16 || read > int64(passes*(len(data)+16)) {
				t.Errorf("%d bytes read of %d", read, len(data))
			}
			if s := *o.Stats; s != want || last.Load() != s.Rows {
				t.Errorf("%+v, progress to %d", s, last.Load())
			}
		}
	}
	d, err := Open(context.Background(), []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi, ok := d.IDRange(); !ok || lo != 0 || hi != 499 {
		t.Errorf("ids from %d to %d, %v", lo, hi, ok)
	}
	if got, want := d.Estimate(0, 0), graph.Estimate(graph.Options{}, 20_000, 500, 0); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func sameGraph(t testing.TB, got, want *graph.Graph) {
	t.Helper()
	if got.NumVertices() != want.NumVertices() || !slices.Equal(got.Out().Offsets, want.Out().Offsets) ||
		!slices.Equal(got.Out().Targets, want.Out().Targets) || !slices.Equal(got.Out().Weights, want.Out().Weights) {
		t.Fatalf("%d vertices and %d edges, want %d and %d", got.NumVertices(), got.NumEdges(), want.NumVertices(), want.NumEdges())
	}
	for v := range uint32(got.NumVertices()) {
		if a, b := got.IDs().Format(v), want.IDs().Format(v); a != b {
			t.Fatalf("vertex %d is %s, want %s", v, a, b)
		}
	}
}

// TestLoadRecords compares the graph of records with that of the same edges
// in a file.
func TestLoadRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	schema, _ := randomSchema(r, goarrow.BinaryTypes.String, true)
	for schema.Field(0).Name == "edge" || len(schema.FieldIndices("src")) == 0 {
		schema, _ = randomSchema(r, goarrow.BinaryTypes.String, true)
	}
	var recs []goarrow.Record
	for range 3 {
		rec, _ := randomRecord(r, schema, 3000)
		recs = append(recs, rec)
	}
	reader, err := array.NewRecordReader(schema, recs)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Weight: "w", Nulls: NullSkip, Stats: new(Stats)}
	got, err := LoadRecords(context.Background(), reader, o)
	if err != nil {
		t.Fatal(err)
	}
	path := tempFile(t, "edges.arrows", samples.WriteIPC(t, true, schema, recs))
	stats := *o.Stats
	want, err := Load(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	sameGraph(t, got, want)
	if stats.Rows != 9000 || stats.NullRows != o.Stats.NullRows {
		t.Errorf("%+v, of the file %+v", stats, *o.Stats)
	}
	if got.Out().Weights == nil {
		t.Error("no weights")
	}
	if _, err := LoadRecords(context.Background(), empty(t, schema), o); !errors.Is(err, graph.ErrEmpty) {
		t.Errorf("no records: %v", err)
	}
}
