// This file tests properties of vertices that are read by the places of rows.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

func TestReadProperties(t *testing.T) {
	b := graph.NewBuilder(graph.Options{DenseIDs: true, Vertices: 6})
	if err := b.Add(graph.Batch{Src: []int64{0, 1, 2}, Dst: []int64{1, 2, 5}}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name string, groups int, cols ...samples.ParquetColumn) string {
		return samples.WriteTo(t, filepath.Join(dir, name), samples.WriteParquet(t, 3, groups, cols))
	}
	ints := func(name string, values ...int64) samples.ParquetColumn {
		return samples.ParquetColumn{Node: samples.Node(t, name, false, nil, parquet.Types.Int64, 0), Values: values}
	}
	words := func(name string, valid []bool, values ...parquet.ByteArray) samples.ParquetColumn {
		return samples.ParquetColumn{Node: samples.Node(t, name, valid != nil, schema.StringLogicalType{}, parquet.Types.ByteArray, 0), Values: values, Valid: valid}
	}
	a := file("a.parquet", 2, ints("n", 10, 11, 12), words("s", []bool{true, false, true}, []byte("x"), []byte("y"), []byte("z")))
	c := file("c.parquet", 1, ints("n", 20, 21, 22), words("t", nil, []byte("p"), nil, []byte("r")))
	files := []PropertyFile{{Path: a, Columns: []string{"n", "s"}, Vertices: []uint32{5, 0, 3}}, {Path: c, Columns: []string{"n", "t"}, Vertices: []uint32{1, 2, 0}}}
	p, err := ReadProperties(context.Background(), g, []string{"t", "n", "s"}, files)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := p.Gather(context.Background(), []int{0, 1, 2}, []uint32{0, 1, 2, 3, 4, 5}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	var got []string
	for k := range 3 {
		got = append(got, rec.ColumnName(k)+fmt.Sprint(rec.Column(k)))
	}
	const want = `t["r" "p" "" (null) (null) (null)] n[22 20 21 12 (null) 10] s[(null) (null) (null) "z" (null) "x"]`
	if strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", strings.Join(got, " "), want)
	}
	list := file("list.parquet", 3, samples.ParquetColumn{Node: samples.Node(t, "n", false, nil, parquet.Types.Int96, 0), Values: make([]parquet.Int96, 3)})
	one := func(path, column string, vertices ...uint32) []PropertyFile {
		return []PropertyFile{{Path: path, Columns: []string{column}, Vertices: vertices}}
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx   context.Context
		names []string
		files []PropertyFile
		want  error
		text  string
	}{
		{t.Context(), []string{"n", "n"}, files, graph.ErrOptions, "twice"},
		{t.Context(), []string{"n", "u"}, files, graph.ErrOptions, `no file has property "u"`},
		{t.Context(), []string{"n"}, one(a, "n", 1, 2), ErrRows, "3, for 2 vertices"},
		{t.Context(), []string{"n"}, one(a, "n", 1, 2, 6), graph.ErrNoVertex, "a.parquet"},
		{t.Context(), []string{"n"}, one(a, "n", 1, 2, graph.NoVertex), graph.ErrNoVertex, "a.parquet"},
		{t.Context(), []string{"u"}, one(a, "u", 1, 2, 3), input.ErrColumn, `the columns are "n" (int64)`},
		{t.Context(), []string{"n"}, one(list, "n", 1, 2, 3), input.ErrColumnType, "but it is"},
		{t.Context(), []string{"n"}, append(one(a, "n", 1, 2, 3), one(file("f.parquet", 2, words("n", nil, nil, nil, nil)), "n", 1, 2, 3)...), input.ErrColumnType, "a.parquet it is int64"},
		{canceled, []string{"n"}, files, context.Canceled, ""},
	} {
		if _, err := ReadProperties(c.ctx, g, c.names, c.files); !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%v: %v, want %v and %q", c.names, err, c.want, c.text)
		}
	}
}
