// This file reads the same files from this machine's directories and from file systems.

package arrow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// onlyRead is a file system whose files can't be read at places.
type onlyRead struct{ fs.FS }

func (o onlyRead) Open(name string) (fs.File, error) {
	f, err := o.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if d, ok := f.(fs.ReadDirFile); ok {
		return d, nil
	}
	return struct{ fs.File }{f}, nil
}

// writeSome writes edges to a file, and returns them.
func writeSome(t *testing.T, name string, r *rand.Rand) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	n := 1 + r.IntN(500)
	b := graph.Batch{Src: make([]int64, n), Dst: make([]int64, n), Weights: make([]float32, n)}
	for i := range n {
		b.Src[i], b.Dst[i], b.Weights[i] = r.Int64N(100), r.Int64N(100), float32(r.IntN(9))
	}
	o := arrow.WriteOptions{RowGroup: 1 + r.IntN(n)}
	if e := filepath.Ext(name); e != ".arrow" && e != ".arrows" {
		o.Format = "parquet"
	}
	err := arrow.WriteBatches(t.Context(), name, func(_ context.Context, yield func(graph.Batch) error) error { return yield(b) }, o)
	if err != nil {
		t.Fatal(err)
	}
}

// rowsOf are the edges that paths stand for, and which columns there are.
func rowsOf(t *testing.T, paths []string, o arrow.Options) (rows []string, info arrow.Info, err error) {
	d, err := arrow.Open(t.Context(), paths, o)
	if err != nil {
		return nil, info, err
	}
	for b, err := range d.Batches(t.Context()) {
		if err != nil {
			return nil, info, err
		}
		for i := range b.Src {
			rows = append(rows, fmt.Sprint(b.Src[i], b.Dst[i], b.FloatWeight(i), b.Vertices))
		}
	}
	slices.Sort(rows)
	if s := d.Stats(); s.Rows != d.Info().Rows {
		t.Errorf("%d rows read, and Info says %d", s.Rows, d.Info().Rows)
	}
	return rows, d.Info(), nil
}

// TestFS: files, directories and patterns stand for the same edges in a file system.
func TestFS(t *testing.T) {
	for seed := range uint64(testlong.Of(6, 200)) {
		r := rand.New(rand.NewPCG(seed, 7))
		dir := t.TempDir()
		for range 1 + r.IntN(6) {
			parts := []string{[]string{"", "a", "b/c", "year=2025", "b/year=2024/month=1", "_hidden", ".h/x"}[r.IntN(7)],
				fmt.Sprintf("%s%d%s", []string{"x", "y", "_", "."}[r.IntN(4)], r.IntN(3), []string{".parquet", ".arrow", ".arrows", "", ".odd"}[r.IntN(5)])}
			writeSome(t, filepath.Join(dir, filepath.Join(parts...)), r)
		}
		if r.IntN(2) == 0 {
			if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("no data"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		held := fstest.MapFS{}
		for _, name := range filesOf(t, dir) {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			held[filepath.ToSlash(name)] = &fstest.MapFile{Data: b}
		}
		names := []string{".", "*", "**/*.parquet", "b/**", "*/*", "[ab]", "year=*", "b", "a/x*", "x0.parquet", "*.txt", "_*", ".h/*", "nowhere", "no/*"}
		for name := range held {
			names = append(names, name)
		}
		for _, name := range names {
			o := arrow.Options{Graph: graph.Options{Weights: true}, Workers: 1 + r.IntN(3)}
			local := filepath.Join(dir, filepath.FromSlash(name))
			want, wantInfo, wantErr := rowsOf(t, []string{local}, o)
			for kind, fsys := range map[string]fs.FS{"os.DirFS": os.DirFS(dir), "fstest.MapFS": held, "read only": onlyRead{held}} {
				o.FS = fsys
				rows, info, err := rowsOf(t, []string{name}, o)
				if (err == nil) != (wantErr == nil) || err == nil && (!slices.Equal(rows, want) || !slices.Equal(info.Columns, wantInfo.Columns)) {
					t.Fatalf("seed %d, %s, %s: %d rows, %v, %v; of this machine's files %d rows, %v, %v", seed, kind, name, len(rows), info.Columns, err, len(want), wantInfo.Columns, wantErr)
				}
				for _, is := range []error{fs.ErrNotExist, arrow.ErrFormat, arrow.ErrColumn} {
					if errors.Is(err, is) != errors.Is(wantErr, is) {
						t.Errorf("seed %d, %s, %s: %v; of this machine's files %v", seed, kind, name, err, wantErr)
					}
				}
			}
		}
	}
}

func filesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestFSErrors: errors of a file system's files name the file, and wrap the same errors as others.
func TestFSErrors(t *testing.T) {
	good, err := os.ReadFile("../../testdata/karate.parquet")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{
		"good.parquet":                      {Data: good},
		"bad.parquet":                       {Data: good[:len(good)/2]},
		"empty/x.txt":                       {Data: []byte("x")},
		"lake/_delta_log/0.json":            {Data: []byte("{}")},
		"lake/part.parquet":                 {Data: good},
		"ice/metadata/v1.metadata.json":     {Data: []byte("{}")},
		"ice/data/a.parquet":                {Data: good},
		"pipe.parquet":                      {Mode: fs.ModeNamedPipe},
		"above/.hoodie/hoodie.properties":   {Data: []byte("x")},
		"above/year=2025/part.parquet":      {Data: good},
		"fine/metadata/notes.txt":           {Data: []byte("x")},
		"fine/data/part-0.parquet":          {Data: good},
		"fine/data/_delta_log_of_yesterday": {Data: []byte("x")},
	}
	for name, c := range map[string]struct {
		want error
		says string
	}{
		"bad.parquet":       {arrow.ErrDamaged, "bad.parquet: "},
		"none.parquet":      {fs.ErrNotExist, "none.parquet"},
		"empty":             {fs.ErrNotExist, "empty"},
		"*.csv":             {fs.ErrNotExist, "*.csv"},
		"../x.parquet":      {fs.ErrInvalid, "../x.parquet"},
		"/good.parquet":     {fs.ErrInvalid, "/good.parquet"},
		"a/[":               {filepath.ErrBadPattern, "a/["},
		"pipe.parquet":      {errors.ErrUnsupported, "pipe.parquet"},
		"lake":              {arrow.ErrTable, "lake is a table of Delta Lake"},
		"lake/*.parquet":    {arrow.ErrTable, "lake is a table of Delta Lake"},
		"ice/data":          {arrow.ErrTable, "ice is a table of Apache Iceberg"},
		"above/year=2025":   {arrow.ErrTable, "above is a table of Apache Hudi"},
		"lake/part.parquet": {nil, ""},
		"fine":              {nil, ""},
		"good.parquet":      {nil, ""},
	} {
		for kind, fsys := range map[string]fs.FS{"MapFS": files, "read only": onlyRead{files}} {
			g, err := arrow.Load(t.Context(), name, arrow.Options{FS: fsys})
			switch {
			case c.want == nil && (err != nil || g.NumEdges() != 78):
				t.Errorf("%s, %s: %v", kind, name, err)
			case c.want != nil && (!errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says)):
				t.Errorf("%s, %s: %v, want %v and %q", kind, name, err, c.want, c.says)
			}
		}
	}
	if _, err := arrow.Load(t.Context(), "lake", arrow.Options{FS: files, Snapshot: "1"}); err == nil {
		t.Error("a snapshot of a table in a file system")
	}
}

// TestFSOfAll: tables, files beside others, CSV, vertices, properties and ids are read of a file system.
func TestFSOfAll(t *testing.T) {
	files := fstest.MapFS{
		"e/edges.csv":    {Data: []byte("src,dst\n1,2\n2,3\n")},
		"e/weights.csv":  {Data: []byte("w\n0.5\n1.5\n")},
		"v/vertices.csv": {Data: []byte("id\n1\n")},
	}
	csv := map[string][]arrow.Field{
		"e/edges.csv":   {{Name: "src", Type: "int64"}, {Name: "dst", Type: "int64"}},
		"e/weights.csv": {{Name: "w", Type: "double"}},
	}
	table := arrow.Table{Paths: []string{"e/edges.csv"}, Beside: [][]string{{"e/weights.csv"}}, CSV: csv, Weight: "w"}
	var vertices bytes.Buffer
	three := graph.CSR{Offsets: make([]uint64, 4), Targets: []uint32{}}
	g, err := graph.FromCSR(three, graph.CSROptions{IDs: &graph.IDs{Type: graph.Int64, Len: 3, Ints: []int64{3, 7, 1}}, Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := arrow.Write(t.Context(), "-", g, []arrow.Column{arrow.NewColumn("age", []int32{30, 70, 10})}, arrow.WriteOptions{Format: "parquet", Stdout: &vertices}); err != nil {
		t.Fatal(err)
	}
	files["v/vertices.parquet"] = &fstest.MapFile{Data: vertices.Bytes()}
	for kind, fsys := range map[string]fs.FS{"MapFS": files, "read only": onlyRead{files}} {
		o := arrow.Options{FS: fsys, Vertices: &arrow.VertexTable{Paths: []string{"v/*.parquet"}, Properties: []string{"age"}}}
		d, err := arrow.OpenTables(t.Context(), []arrow.Table{table}, o)
		if err != nil {
			t.Fatal(kind, err)
		}
		g, err := d.Load(t.Context())
		if err != nil {
			t.Fatal(kind, err)
		}
		p, err := d.Properties(t.Context(), g)
		if err != nil {
			t.Fatal(kind, err)
		}
		again, err := arrow.LoadProperties(t.Context(), g, *o.Vertices, arrow.Options{FS: fsys})
		if err != nil {
			t.Fatal(kind, err)
		}
		for _, p := range []*arrow.Properties{p, again} {
			ages, err := p.Numbers("age", -1)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for v, age := range ages {
				got = append(got, fmt.Sprint(g.IDs().Format(uint32(v)), " ", age))
			}
			if slices.Sort(got); !slices.Equal(got, []string{"1 10", "2 -1", "3 30", "7 70"}) || p.Stats().Files != 1 || p.Stats().Rows != 3 {
				t.Errorf("%s: %q, %+v", kind, got, p.Stats())
			}
		}
		if g.NumEdges() != 2 || g.Out().Weights == nil {
			t.Errorf("%s: %d edges", kind, g.NumEdges())
		}
		var ids []string
		for id, err := range arrow.IDs(t.Context(), *o.Vertices, arrow.Options{FS: fsys}) {
			if err != nil {
				t.Fatal(err)
			}
			if ids = append(ids, id); len(ids) == 2 {
				break
			}
		}
		if !slices.Equal(ids, []string{"3", "7"}) {
			t.Errorf("%s: ids %q", kind, ids)
		}
		c, err := arrow.DescribeColumn(t.Context(), []string{"v/vertices.parquet"}, "age", arrow.Options{FS: fsys})
		if err != nil || c.Max != "70" {
			t.Errorf("%s: %+v, %v", kind, c, err)
		}
	}
	wrong := fstest.MapFS{"e/edges.csv": {Data: []byte("src,dst\n1,2\nx,3\n")}}
	table.Beside, table.Weight = nil, ""
	var f *arrow.FileError
	_, err = arrow.OpenTables(t.Context(), []arrow.Table{table}, arrow.Options{FS: wrong})
	if !errors.As(err, &f) || f.Path != "e/edges.csv" || f.Block != 3 || f.Part != "line" {
		t.Errorf("%v, %+v", err, f)
	}
}

// TestFileFS: a file system of one file passes the tests of package fstest as far as they are for files.
func TestFileFS(t *testing.T) {
	data, err := os.ReadFile("../../testdata/karate.parquet")
	if err != nil {
		t.Fatal(err)
	}
	fsys := arrow.FileFS("in/karate.parquet", bytes.NewReader(data), int64(len(data)))
	g, err := arrow.Load(t.Context(), "in/karate.parquet", arrow.Options{FS: fsys})
	if err != nil || g.NumEdges() != 78 {
		t.Error(err)
	}
	if b, err := fs.ReadFile(fsys, "in/karate.parquet"); err != nil || !bytes.Equal(b, data) {
		t.Error(err)
	}
	info, err := fs.Stat(fsys, "in/karate.parquet")
	if err != nil || info.Name() != "karate.parquet" || info.Size() != int64(len(data)) || !info.Mode().IsRegular() {
		t.Error(info, err)
	}
	for _, name := range []string{"karate.parquet", "in", ".", "in/*"} {
		if _, err := arrow.Load(t.Context(), name, arrow.Options{FS: fsys}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := fsys.Open(path.Join("..", "x")); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
}
