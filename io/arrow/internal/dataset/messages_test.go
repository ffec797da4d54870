package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/prepared"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// TestMessagesOfSecondFiles: where the first file decided about the columns, no
// option is blamed for a column that another file lacks.
func TestMessagesOfSecondFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		samples.WriteTo(t, path, data)
		return path
	}
	one := []int64{1}
	put("x/a.parquet", craft.File(1, column64("src", 0, one), column64("dst", 0, one), column64("weight", 0, one)))
	put("x/b.parquet", craft.File(1, column64("from", 0, one), column64("to", 0, one), column64("weight", 0, one)))
	put("y/a.parquet", craft.File(1, column64("src", 0, one), column64("dst", 0, one), column64("weight", 0, one)))
	put("y/b.parquet", craft.File(1, column64("src", 0, one), column64("dst", 0, one), column64("cost", 0, one)))
	x, y := filepath.Join(dir, "x"), filepath.Join(dir, "y")
	_, err := Load(context.Background(), x, Options{})
	check(t, err, input.ErrColumn, `b\.parquet: column "src": \S*a\.parquet has its sources there, and all files have to, but here the columns are "from"`)
	_, err = Load(context.Background(), x, Options{Source: "src"})
	check(t, err, input.ErrColumn, `b\.parquet: column "src": the file lacks it, and \S*a\.parquet has it; set Options\.UnionByName`)
	_, err = Load(context.Background(), y, Options{Graph: graph.Options{Weights: true}})
	check(t, err, input.ErrColumn, `b\.parquet: column "weight": \S*a\.parquet has its weights there, and all files have to, but here`)
	put("v/a.parquet", craft.File(1, column64("id", 0, one)))
	put("v/b.parquet", craft.File(1, column64("key", 0, one)))
	_, err = Load(context.Background(), filepath.Join(y, "a.parquet"), Options{Vertices: &VertexTable{Paths: []string{filepath.Join(dir, "v")}}})
	check(t, err, input.ErrColumn, `v.b\.parquet: column "id": \S*a\.parquet has its vertices' ids there`)

	// A condition that nothing meets says that, of the path that was given.
	for _, year := range []string{"2020", "2021"} {
		put("z/year="+year+"/a.parquet", craft.File(2, column64("src", 0, []int64{1, 2}), column64("dst", 0, []int64{2, 3})))
	}
	z := filepath.Join(dir, "z")
	_, err = Load(context.Background(), z, Options{Where: "year = 2031"})
	check(t, err, graph.ErrEmpty, `z: no row meets the condition "year = 2031"; of 2 files it left out 1 unopened, then 1 row group by their statistics and 0 rows by their values$`)
	_, err = Load(context.Background(), z, Options{Where: "src > 5"})
	check(t, err, graph.ErrEmpty, `z: no row meets the condition "src > 5"; of 2 files it left out 0 unopened, then 0 row groups by their statistics and 4 rows by their values$`)
	if strings.Contains(err.Error(), "empty") || strings.Contains(err.Error(), ".parquet") {
		t.Errorf("%v sounds as if a file were wrong", err)
	}
}

// TestMessagesOfINT96: a column of them is refused as ids by its name.
func TestMessagesOfINT96(t *testing.T) {
	file := tempFile(t, "old.parquet", samples.WriteParquet(t, 1, 1, []samples.ParquetColumn{
		{Node: samples.Node(t, "src", false, nil, parquet.Types.Int96, 0), Values: []parquet.Int96{{}}},
		{Node: samples.Node(t, "dst", false, nil, parquet.Types.Int96, 0), Values: []parquet.Int96{{}}}}))
	_, err := Load(context.Background(), file, Options{})
	check(t, err, input.ErrColumnType, `old\.parquet: column "src": wrong column type: it holds timestamps in Parquet's old INT96, which ids are not read from; write the column with`)
}

// TestMessagesOfStopping: whatever is being loaded is named.
func TestMessagesOfStopping(t *testing.T) {
	data, _, _ := edgesFile(t, 100, 50)
	file := tempFile(t, "edges.parquet", data)
	stored := filepath.Join(t.TempDir(), "edges.foray")
	g, err := Load(context.Background(), file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := prepared.WriteGraph(context.Background(), stored, g, prepared.WriteGraphOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, load := Load(ctx, file, Options{})
	_, all := LoadAll(ctx, []string{file, file}, Options{})
	_, twice := Load(ctx, file, Options{TwoPass: true})
	_, open := prepared.OpenGraph(ctx, stored, prepared.OpenGraphOptions{})
	for name, err := range map[string]error{file: load, file + " and 1 more": all, file + "\x00": twice, stored: open} {
		if want := fmt.Sprintf("arrow: loading %s: context canceled", strings.TrimSuffix(name, "\x00")); err == nil || err.Error() != want || !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestMessagesOfFormats: a file of an unknown format shows how it begins, escaped.
func TestMessagesOfFormats(t *testing.T) {
	for begin, want := range map[string]string{
		"PK\x03\x04\x14\x00\x08\x08rest": `it begins with "PK\\x03\\x04\\x14\\x00\\b\\b"`,
		"\x1b]0;a\x07bc":                 `it begins with "\\x1b\]0;a\\abc"`,
		"\x1f\x8b":                       `it begins with "\\x1f\\x8b"`,
	} {
		file := tempFile(t, "x.parquet", []byte(begin))
		_, err := Load(context.Background(), file, Options{})
		check(t, err, input.ErrFormat, want)
	}
}
