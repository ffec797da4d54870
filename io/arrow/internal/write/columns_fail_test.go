// This file tests what WriteColumns refuses, and that nothing is left behind then.

package write

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

func TestWriteColumnsErrors(t *testing.T) {
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 3})
	other := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 3})
	tuples := samples.WithIDs(t, &graph.IDs{Type: graph.Binary, Logical: "tuple(int32,int32)", Len: 0, StringOffsets: []uint64{0}})
	ints := []int32{1, 2, 3}
	one := func(name string, values any) []ResultColumn { return []ResultColumn{{Name: name, Values: values}} }
	null := func(values, null any) []ResultColumn { return []ResultColumn{{Name: "x", Values: values, Null: null}} }
	vertices := func(values any) []ResultColumn {
		return []ResultColumn{{Name: "x", Values: values, Vertices: true}}
	}
	type strange []int32
	for name, c := range map[string]struct {
		g    *graph.Graph
		cols []ResultColumn
		o    WriteOptions
		want error
		says string
	}{
		"no graph":        {nil, one("x", ints), WriteOptions{}, ErrResult, "the graph is nil"},
		"no columns":      {g, nil, WriteOptions{}, ErrOutputColumn, "give one at least"},
		"no name":         {g, []ResultColumn{{Name: "x", Values: ints}, {Values: ints}}, WriteOptions{}, ErrOutputColumn, "column 1, counted from 0, has no name"},
		"not UTF-8":       {g, one("x\xff", ints), WriteOptions{}, ErrOutputColumn, `"x\xff" isn't UTF-8; rename it`},
		"twice":           {g, append(one("x", ints), one("x", ints)...), WriteOptions{}, ErrOutputColumn, `two are named "x"; rename one`},
		"the id's name":   {g, one("vertex", ints), WriteOptions{}, ErrOutputColumn, `two columns are named "vertex", one of them that of the vertices' ids`},
		"an id's part":    {tuples, one("vertex_2", []int32{}), WriteOptions{}, ErrOutputColumn, `two columns are named "vertex_2", one of them that of the vertices' ids`},
		"a vertex's part": {tuples, append(vertices([]uint32{}), one("x_1", []int32{})...), WriteOptions{}, ErrOutputColumn, `two are named "x_1"`},
		"no values":       {g, one("x", nil), WriteOptions{}, ErrOutputColumn, `"x" has no values (nil)`},
		"nil values":      {g, one("x", (*values[int32])(nil)), WriteOptions{}, ErrOutputColumn, `"x" has no values (nil)`},
		"strings":         {g, one("x", []string{"a", "b", "c"}), WriteOptions{}, ErrOutputColumn, `the values of "x" are []string; give a slice of int32,`},
		"bytes":           {g, one("x", []int8{1, 2, 3}), WriteOptions{}, ErrOutputColumn, "are []int8"},
		"own type":        {g, one("x", strange(ints)), WriteOptions{}, ErrOutputColumn, "are write.strange"},
		"a number":        {g, one("x", 3), WriteOptions{}, ErrOutputColumn, "are int"},
		"few":             {g, one("x", ints[:2]), WriteOptions{}, ErrResult, `"x" has 2 values for 3 vertices; write it with`},
		"many":            {g, one("x", []float64{1, 2, 3, 4}), WriteOptions{}, ErrResult, `4 values for 3 vertices`},
		"no slice":        {g, one("x", []int32(nil)), WriteOptions{}, ErrResult, `0 values for 3 vertices`},
		"another graph":   {g, []ResultColumn{(&values[int32]{ints, other, nil}).column(ResultColumn{Name: "x"})}, WriteOptions{}, ErrResult, `column "x": the result doesn't fit the graph: it is of another graph`},
		"freed":           {g, []ResultColumn{(&values[int32]{nil, g, device.ErrClosed}).column(ResultColumn{Name: "x"})}, WriteOptions{}, device.ErrClosed, `column "x"`},
		"outside":         {g, vertices([]uint32{0, 3, graph.NoVertex}), WriteOptions{}, ErrResult, `the x of vertex 1 is 3, of 3 vertices`},
		"ints as vertex":  {g, vertices(ints), WriteOptions{}, ErrOutputColumn, `are []int32, but vertices are uint32; give vertices`},
		"vertex and null": {g, []ResultColumn{{Name: "x", Values: []uint32{0, 0, 0}, Vertices: true, Null: 0}}, WriteOptions{}, ErrOutputColumn, "graph.NoVertex is missing"},
		"null too large":  {g, null(ints, math.MaxUint32), WriteOptions{}, ErrOutputColumn, "Null of \"x\" is 4294967295 (int), which no int32 is"},
		"null negative":   {g, null([]uint64{1, 2, 3}, -1), WriteOptions{}, ErrOutputColumn, "which no uint64 is"},
		"null past int64": {g, null([]int64{1, 2, 3}, uint64(math.MaxUint64)), WriteOptions{}, ErrOutputColumn, "which no int64 is"},
		"null fraction":   {g, null(ints, 0.5), WriteOptions{}, ErrOutputColumn, "which no int32 is"},
		"null NaN":        {g, null(ints, math.NaN()), WriteOptions{}, ErrOutputColumn, "which no int32 is"},
		"null inexact":    {g, null([]float32{1, 2, 3}, 0.1), WriteOptions{}, ErrOutputColumn, "which no float32 is"},
		"null text":       {g, null(ints, "-1"), WriteOptions{}, ErrOutputColumn, "-1 (string), which no int32 is"},
		"null and bool":   {g, null([]bool{true, true, true}, 0), WriteOptions{}, ErrOutputColumn, "which no bool is"},
		"all count":       {g, one("x", ints), WriteOptions{ReachedOnly: true}, ErrOutputOption, `all of "x" count; give the value`},
		"by floats":       {g, one("x", []float32{1, 2, 3}), WriteOptions{PartitionBy: "x"}, ErrOutputOption, "column of floats"},
		"by a hidden one": {g, one("_x", ints), WriteOptions{PartitionBy: "_x"}, ErrOutputOption, `PartitionBy "_x": readers leave out directories`},
		"by a dot":        {g, one(".x", ints), WriteOptions{PartitionBy: ".x"}, ErrOutputOption, "rename the column"},
		"by none":         {g, one("x", ints), WriteOptions{PartitionBy: "depth"}, ErrOutputOption, "choose vertex or x"},
		"format":          {g, one("x", ints), WriteOptions{Format: "orc"}, ErrOutputFormat, "choose"},
		"unfit ids":       {samples.WithIDs(t, &graph.IDs{Type: graph.Int8, Len: 3, Ints: []int64{1, 128, 3}}), one("x", ints), WriteOptions{}, graph.ErrIDRange, "128"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "columns.parquet")
		err := WriteColumns(context.Background(), path, c.g, c.cols, c.o)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || c.o.Format == "" && !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		samples.Unchanged(t, dir, path, "")
	}
}

// TestWriteColumnsStopped ends writing early in every way.
func TestWriteColumnsStopped(t *testing.T) {
	const n = 3 * batchRows
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Uint32, Len: n})
	cols := []ResultColumn{{Name: "x", Values: make([]float64, n)}}
	dir := t.TempDir()
	path := filepath.Join(dir, "columns.parquet")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for left := range 4 { // batches, and the end
		if err := WriteColumns(&samples.Countdown{Context: context.Background(), Left: left}, path, g, cols, WriteOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d: %v", left, err)
		}
		samples.Unchanged(t, dir, path, "before")
	}
	err := writeColumns(context.Background(), path, g, cols, WriteOptions{}, func(ctx context.Context, s *WriteSpec) (Output, error) {
		out, err := OpenOutput(ctx, s)
		return &fullDisk{out, 1000}, err
	})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk: %v", err)
	}
	samples.Unchanged(t, dir, path, "before")
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if err := WriteColumns(context.Background(), path, g, cols, WriteOptions{}); !errors.Is(err, device.ErrClosed) {
		t.Errorf("a closed graph: %v", err)
	}
	samples.Unchanged(t, dir, path, "before")
}
