// This file tests paths to targets against naive ones, in every format.

package write

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// randomTree is a result whose parents lead to one of a few sources, which are
// far away if deep is set.
func randomTree(rng *rand.Rand, n int, deep bool) samples.TestResult {
	r := samples.TestResult{DepthList: make([]int32, n), ParentList: make([]uint32, n)}
	order := rng.Perm(n)
	for i, v := range order {
		switch {
		case i > 0 && rng.IntN(10) == 0:
			r.DepthList[v], r.ParentList[v] = -1, graph.NoVertex
			order[i] = order[0]
		case i < 3:
			r.DepthList[v], r.ParentList[v] = 0, uint32(v)
		default:
			p := order[rng.IntN(i)]
			if deep {
				p = order[i-1]
			}
			r.DepthList[v], r.ParentList[v] = r.DepthList[p]+1, uint32(p)
		}
	}
	return r
}

// wantPaths makes the rows that a format should have.
func wantPaths(g *graph.Graph, r samples.TestResult, targets []uint32, format string, reachedOnly bool) (names, types []string, rows [][]string) {
	typ := g.IDs().Type.String()
	names, types = []string{"target", "depth", "path"}, []string{typ, "int32?", "list " + typ + "?"}
	for _, target := range targets {
		var path []string
		if r.DepthList[target] >= 0 {
			for v := target; ; v = r.ParentList[v] {
				cell := idCell(g.IDs(), v, format)
				if format == "csv" && !g.IDs().Type.Integer() {
					cell = strings.ReplaceAll(strings.ReplaceAll(cell, `\`, `\\`), ";", `\;`)
				}
				path = append(path, cell)
				if r.ParentList[v] == v {
					break
				}
			}
		} else if reachedOnly {
			continue
		}
		slices.Reverse(path)
		row := []string{idCell(g.IDs(), target, format), strconv.Itoa(len(path) - 1), strings.Join(path, samples.ListJoint)}
		switch {
		case format == "csv":
			row[2] = strings.Join(path, ";")
		case path == nil:
			row[1], row[2] = samples.Null, samples.Null
		}
		rows = append(rows, row)
	}
	return names, types, rows
}

func TestWritePaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	ctx := context.Background()
	for _, typ := range idTypes {
		for _, format := range []string{"parquet", "arrow", "arrows", "csv", "jsonl"} {
			for _, n := range []int{1, 10, 250} {
				g := samples.WithIDs(t, randomResultIDs(rng, typ, n))
				r := randomTree(rng, n, rng.IntN(2) == 0)
				targets := make([]uint32, rng.IntN(2*n))
				for i := range targets {
					targets[i] = rng.Uint32N(uint32(n))
				}
				o := WriteOptions{ReachedOnly: rng.IntN(2) == 0, RowGroup: rng.IntN(n + 1)}
				path := filepath.Join(t.TempDir(), "p."+format)
				if err := WritePaths(ctx, path, g, r, targets, o); err != nil {
					t.Fatal(err)
				}
				names, types, rows := wantPaths(g, r, targets, format, o.ReachedOnly)
				readBack(t, path).equal(t, names, types, rows)

				if format != "arrow" {
					continue
				}
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				records, err := PathRecords(ctx, g, r, targets, RecordOptions{Allocator: mem, BatchRows: 7, ReachedOnly: o.ReachedOnly})
				if err != nil {
					t.Fatal(err)
				}
				readRecords(t, records, 7).equal(t, names, types, rows)
				records.Release()
				mem.AssertSize(t, 0)
				// Without depths the paths define them.
				var out bytes.Buffer
				o.Stdout, o.Format = &out, format
				if err := WritePaths(ctx, "-", g, samples.TestResult{ParentList: r.ParentList}, targets, o); err != nil {
					t.Fatal(err)
				}
				readBytes(t, format, out.Bytes()).equal(t, names, types, rows)
			}
		}
	}
}

// TestLongPaths writes paths that are longer than pages and batches, whose ids
// fill a dictionary in the middle of a row.
func TestLongPaths(t *testing.T) {
	testlong.Project(t)
	const n = pathElements + 100_000
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: n})
	r := samples.TestResult{DepthList: make([]int32, n), ParentList: make([]uint32, n)}
	for v := range n {
		r.DepthList[v], r.ParentList[v] = int32(v), uint32(max(0, v-1))
	}
	targets := []uint32{3, 20_000, 20_001, 20_000, 140_000, 5, n - 1, n - 2, 0, n - 1}
	for _, format := range []string{"parquet", "arrow"} {
		var out bytes.Buffer
		if err := WritePaths(context.Background(), "-", g, r, targets, WriteOptions{Format: format, Stdout: &out}); err != nil {
			t.Fatal(err)
		}
		names, types, rows := wantPaths(g, r, targets, format, false)
		readBytes(t, format, out.Bytes()).equal(t, names, types, rows)
	}
	// Paths that share vertices take a page of indices each, no page a row's part.
	targets = targets[:0]
	for v := range uint32(3000) {
		targets = append(targets, v%400)
	}
	var out bytes.Buffer
	if err := WritePaths(context.Background(), "-", g, r, targets, WriteOptions{Format: "parquet", Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	names, types, rows := wantPaths(g, r, targets, "parquet", false)
	got := readBytes(t, "parquet", out.Bytes())
	got.equal(t, names, types, rows)
	if !slices.Contains(got.encodings[2], "RLE_DICTIONARY") {
		t.Errorf("paths have %v", got.encodings[2])
	}
	f, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pages, err := f.RowGroup(0).GetColumnPageReader(2)
	if err != nil {
		t.Fatal(err)
	}
	count, values := 0, int32(0)
	for pages.Next() {
		if count++; pages.Page().Type() != 0 {
			count--
			continue
		}
		values += pages.Page().NumValues()
	}
	if want := int32(3000/400*(400*401/2) + 200*201/2); values != want || count < 2 {
		t.Errorf("%d pages of %d values, want %d values", count, values, want)
	}
}

func TestPathErrors(t *testing.T) {
	ctx := context.Background()
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 4})
	const none = graph.NoVertex
	for _, c := range []struct {
		r       Result
		targets []uint32
		o       WriteOptions
		want    error
		says    string
	}{
		{nil, nil, WriteOptions{}, ErrResult, "is nil"},
		{samples.TestResult{DepthList: make([]int32, 4)}, nil, WriteOptions{}, ErrResult, "search with Options.Parents"},
		{samples.TestResult{ParentList: []uint32{0, 0, 0, 0}}, []uint32{4}, WriteOptions{}, graph.ErrNoVertex, "vertex 4 of 4"},
		{samples.TestResult{ParentList: []uint32{0, 2, 1, 0}}, []uint32{3, 2}, WriteOptions{}, ErrResult, "the parents of vertex 2 lead in a circle"},
		{samples.TestResult{ParentList: []uint32{0, none, 1, 0}}, []uint32{2}, WriteOptions{}, ErrResult, "vertex 1 is the parent of another"},
		{samples.TestResult{ParentList: []uint32{0, 0, 1, 0}, DepthList: []int32{0, 1, 1, 1}}, []uint32{2}, WriteOptions{}, ErrResult, "vertex 2 is at depth 1, but"},
		{samples.TestResult{ParentList: []uint32{0, 0, 1, 4}}, []uint32{2}, WriteOptions{}, ErrResult, "the parent of vertex 3 is 4"},
		{samples.TestResult{ParentList: []uint32{0, 0, 0, 0}}, nil, WriteOptions{PartitionBy: "depth"}, ErrOutputOption, "not for paths"},
		{samples.TestResult{ParentList: []uint32{0, 0, 0, 0}}, nil, WriteOptions{Properties: &testProperties{}}, ErrOutputOption, "not for paths"},
		{samples.TestResult{ParentList: []uint32{0, 0, 0, 0}}, nil, WriteOptions{Format: "x"}, ErrOutputFormat, "choose"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "p.csv")
		if err := WritePaths(ctx, path, g, c.r, c.targets, c.o); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("got %v, want %q", err, c.says)
		}
		samples.Unchanged(t, dir, path, "")
	}
	// A canceled context ends a long path too.
	const n = 10 * batchRows
	long := samples.TestResult{ParentList: make([]uint32, n)}
	for v := range n {
		long.ParentList[v] = uint32(max(0, v-1))
	}
	g = samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: n})
	for left := 0; ; left++ {
		dir := t.TempDir()
		path := filepath.Join(dir, "p.jsonl")
		err := WritePaths(&samples.Countdown{Context: ctx, Left: left}, path, g, long, []uint32{n - 1}, WriteOptions{})
		if err == nil {
			if left < 11 {
				t.Errorf("the context was looked at %d times", left)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		samples.Unchanged(t, dir, path, "")
	}
}

var _ array.RecordReader = (*recordReader)(nil)
