// This file loads the files that were read wrongly once.

package arrow_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	_ "github.com/foray-graph/foray/io/arrow/iceberg"
	"github.com/foray-graph/foray/io/edgelist"
)

// fault is a file, or a directory that is read as one, and what is right of it: rows of edges and vertices of their
// graph, or an error.
type fault struct {
	path     string
	o        arrow.Options
	text     *edgelist.Options // for package edgelist; nil for package arrow
	rows     int
	vertices int
	want     error
	says     string
}

// faults are what FORAY_DATA/faults has.
var faults = []fault{
	{path: "avro-schema/table", want: errors.ErrUnsupported, says: "metadata/m.avro: "},
	{path: "bc-sampled/cu4941.csv", text: &edgelist.Options{}, rows: 8, vertices: 6},
	// Columns a, k and v are column s as a decimal, in files of other types.
	{path: "decimal-widened/d1-decimal4_1.parquet", o: decimals(""), rows: 10, vertices: 11},
	{path: "decimal-widened/d1-decimal4_1.parquet", o: decimals("v > 7"), rows: 2, vertices: 3},
	{path: "decimal-widened/d3-decimal30_1.parquet", o: decimals(""), rows: 10, vertices: 11},
	{path: "decimal-widened/d3-decimal30_1.parquet", o: decimals("v > 27"), rows: 2, vertices: 3},
	{path: "decimal-widened/d3-decimal30_1.parquet", want: arrow.ErrColumn, says: `"v" (decimal`},
	{path: "decimal-widened/dir", o: decimals(""), rows: 20, vertices: 21},
	{path: "decimal-widened/dir", o: decimals("a >= 7 and a < 13"), rows: 6, vertices: 7},
	{path: "decimal-widened/dir", o: decimals("k = 9 or k = 10"), rows: 2, vertices: 3},
	{path: "decimal-widened/dir/old.parquet", o: decimals("a > 8"), rows: 1, vertices: 2},
	{path: "decimal-widened/dir/new.parquet", o: decimals("k <= 11"), rows: 2, vertices: 3},
	{path: "decimal-widened/ice", o: decimals(""), rows: 20, vertices: 21},
	{path: "decimal-widened/ice", o: decimals("a >= 7 and a < 13"), rows: 6, vertices: 7},
	{path: "decimal-widened/ice", o: decimals("k = 9 or k = 10"), rows: 2, vertices: 3},
	{path: "decimal-widened/ice/data/*.parquet", want: arrow.ErrTable, says: "decimal-widened/ice is an Apache Iceberg table"},
	{path: "empty-cell/t1.tsv", text: &edgelist.Options{}, want: edgelist.ErrSyntax, says: "t1.tsv:2: column 2 is empty"},
	{path: "hive-default/e.csv", text: &edgelist.Options{}, rows: 4, vertices: 5},
	{path: "hive-default/e.parquet", rows: 4, vertices: 5},
	{path: "hive-default/hv.csv", text: &edgelist.Options{}, rows: 5, vertices: 10},
	{path: "hive-default/n.csv", text: &edgelist.Options{}, rows: 3, vertices: 5},
	{path: "hive-default/par.csv", text: &edgelist.Options{}, rows: 4, vertices: 6},
	{path: "hive-default/v.csv", text: &edgelist.Options{}, want: edgelist.ErrFormat, says: "v.csv:1: the line looks like a header"},
	{path: "hive-default/v.jsonl", text: &edgelist.Options{}, want: edgelist.ErrSyntax, says: "v.jsonl:1: want an integer id"},
	{path: "hive-default/v.parquet", want: arrow.ErrColumnType, says: `v.parquet: column "name"`},
	{path: "iceberg-counts/ch_existing", rows: 20, vertices: 21},
	{path: "iceberg-nullable-elements/nullelems", rows: 20, vertices: 21},
	{path: "isolated-vertices-declared/g.gr", text: &edgelist.Options{}, rows: 2, vertices: 5},
	{path: "isolated-vertices-declared/g.metis", text: &edgelist.Options{}, rows: 2, vertices: 5},
	{path: "isolated-vertices-declared/g.mtx", text: &edgelist.Options{}, rows: 2, vertices: 5},
	// Its column x is 0 to 99, and the page index says wrongly that its pages are null.
	{path: "null-pages/p3457.parquet", rows: 100, vertices: 200},
	{path: "null-pages/p3457.parquet", o: arrow.Options{Where: "x is not null"}, rows: 100, vertices: 200},
	{path: "null-pages/p3457.parquet", o: arrow.Options{Where: "x >= 50"}, rows: 50, vertices: 100},
	{path: "null-pages/p3457.parquet", o: arrow.Options{Where: "x is null"}, want: graph.ErrEmpty},
	{path: "pagerank-weights-underflow/w.parquet", o: arrow.Options{Weight: "weight"}, rows: 4, vertices: 3},
	{path: "quoted-newline/q3.csv", text: &edgelist.Options{}, rows: 2, vertices: 4},
	{path: "run-bfs-csv-depth/u.csv", text: &edgelist.Options{}, rows: 2, vertices: 4},
	{path: "self-loops/ig1639.csv", text: &edgelist.Options{}, rows: 3, vertices: 3},
	{path: "sssp-float32/wrong.csv", text: &edgelist.Options{}, rows: 1003, vertices: 1003},
	{path: "union-by-name", rows: 6, vertices: 7},
	{path: "union-by-name", o: arrow.Options{Where: "k = 1"}, want: arrow.ErrColumn, says: "aaa.parquet"},
	{path: "union-by-name", o: arrow.Options{Where: "k = 1", UnionByName: true}, rows: 3, vertices: 4},
	{path: "union-by-name", o: arrow.Options{Where: "k is null", UnionByName: true}, rows: 3, vertices: 4},
	{path: "union-by-name/k=1/a.parquet", o: arrow.Options{Where: "k = 1"}, rows: 3, vertices: 4},
}

// decimals are the options for the files of decimal-widened.
func decimals(where string) arrow.Options {
	return arrow.Options{Source: "s", Target: "d", Where: where}
}

// TestFaults loads each file of FORAY_DATA/faults, in a table of its format where it is of one.
func TestFaults(t *testing.T) {
	root := os.Getenv("FORAY_DATA")
	if root == "" || root == "none" {
		testlong.Missing(t, "data", "needs test data: set FORAY_DATA (CONTRIBUTING.md)")
	}
	root = filepath.Join(root, "faults")
	for _, c := range faults {
		soon(t, c.path, func() {
			path := filepath.Join(root, filepath.FromSlash(c.path))
			var g *graph.Graph
			var err error
			if c.text != nil {
				g, err = edgelist.Load(context.Background(), path, *c.text)
			} else {
				g, err = arrow.Load(context.Background(), path, c.o)
			}
			switch {
			case c.want != nil:
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s, where %q: %v, want %v and %q", c.path, c.o.Where, err, c.want, c.says)
				}
				return
			case err != nil:
				t.Errorf("%s, where %q: %v", c.path, c.o.Where, err)
				return
			}
			rows := int64(g.NumEdges())
			if c.text == nil { // a graph has each pair once
				rows = rowsIn(t, path, c.o)
			}
			if rows != int64(c.rows) || g.NumVertices() != c.vertices {
				t.Errorf("%s, where %q: %d rows, %d vertices, want %d, %d", c.path, c.o.Where, rows, g.NumVertices(), c.rows, c.vertices)
			}
		})
	}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		for _, c := range faults {
			if name := filepath.ToSlash(name); name == c.path || strings.HasPrefix(name, c.path+"/") {
				return nil
			}
		}
		t.Errorf("%s isn't loaded", name)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// rowsIn counts the edges of a dataset.
func rowsIn(t *testing.T, path string, o arrow.Options) int64 {
	d, err := arrow.Open(context.Background(), []string{path}, o)
	if err != nil {
		t.Error(err)
		return 0
	}
	var rows atomic.Int64
	err = d.Read(context.Background(), func(b graph.Batch) error {
		rows.Add(int64(len(b.Src)))
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return rows.Load()
}
