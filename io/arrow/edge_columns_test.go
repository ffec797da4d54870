package arrow_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// columnGraph returns a graph with columns of all types.
func columnGraph(t *testing.T, r *rand.Rand, directed bool) *graph.Graph {
	t.Helper()
	n := 1 + r.IntN(3000)
	src, dst := make([]int64, n), make([]int64, n)
	i32, u32, i64, u64, f32, f64 := make([]int32, n), make([]uint32, n), make([]int64, n), make([]uint64, n), make([]float32, n), make([]float64, n)
	flags, days, times := make([]uint32, n), make([]int64, n), make([]int64, n)
	clock, fine, prices, sums, keys := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n), graph.Strings{Offsets: []int64{0}, Binary: true}
	kinds, valid, blobs := graph.Strings{Offsets: []int64{0}}, make([]bool, n), graph.Strings{Offsets: []int64{0}, Binary: true}
	for i := range n {
		src[i], dst[i] = r.Int64N(50), 50+r.Int64N(50)
		i32[i], u32[i], i64[i], u64[i], f32[i], f64[i] = int32(r.Uint32()), r.Uint32(), int64(r.Uint64()), r.Uint64(), r.Float32(), r.Float64()
		flags[i], days[i], times[i], valid[i] = r.Uint32N(2), r.Int64N(40000)-20000, int64(r.Uint64())>>8, r.IntN(4) > 0
		kinds.Data = append(kinds.Data, []string{"", "follows", "likes"}[r.IntN(3)]...)
		blobs.Data = append(blobs.Data, byte(r.Uint32()), 0)
		clock[i], fine[i], prices[i], sums[i] = r.Int64N(86_400_000), r.Int64N(86_400_000_000_000), r.Int64N(2e18)-1e18, int64(r.Uint64())
		for range 4 {
			keys.Data = binary.LittleEndian.AppendUint32(keys.Data, r.Uint32N(3))
		}
		keys.Offsets = append(keys.Offsets, int64(len(keys.Data)))
		kinds.Offsets, blobs.Offsets = append(kinds.Offsets, int64(len(kinds.Data))), append(blobs.Offsets, int64(len(blobs.Data)))
	}
	b := graph.NewBuilder(graph.Options{Directed: directed, KeepDuplicates: true, EdgeColumns: allColumns})
	err := b.Add(graph.Batch{Type: graph.Int64, Src: src, Dst: dst, Columns: []graph.Column{
		{Values: i32}, {Values: u32}, {Values: i64}, {Values: u64}, {Values: f32}, {Values: f64}, {Values: flags, Logical: "bool"},
		{Values: days, Logical: "date32"}, {Values: times, Logical: "timestamp[us,UTC]"}, {Values: kinds, Valid: valid}, {Values: blobs},
		{Values: clock, Logical: "time[ms]"}, {Values: fine, Logical: "time[ns]"}, {Values: prices, Logical: "decimal(18,2)"}, {Values: sums, Logical: "decimal(18,0)"},
		{Values: keys, Logical: "uuid"}}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

var allColumns = []string{"i32", "u32", "i64", "u64", "f32", "f64", "flag", "day", "at", "kind", "blob", "clock", "fine", "price", "sum", "key"}

// edgeRows returns the edges with their columns as text, sorted.
func edgeRows(g *graph.Graph) (rows []string) {
	out, columns := g.Out(), g.EdgeColumns()
	for v := range uint32(out.NumVertices()) {
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			row := fmt.Sprint(g.IDs().Int(v), g.IDs().Int(out.Targets[e]))
			for _, c := range columns {
				row += fmt.Sprintf(" %s(%s)=", c.Name, c.Logical)
				switch a := c.Values.(type) {
				case []uint32:
					if c.Dictionary != nil && a[e] != graph.NoCode {
						row += fmt.Sprintf("%q", c.Dictionary.Value(int(a[e])))
					} else {
						row += fmt.Sprint(a[e])
					}
				case []int32:
					row += fmt.Sprint(a[e])
				case []int64:
					row += fmt.Sprint(a[e])
				case []uint64:
					row += fmt.Sprint(a[e])
				case []float32:
					row += fmt.Sprint(a[e])
				case []float64:
					row += fmt.Sprint(a[e])
				}
			}
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return rows
}

// TestEdgeColumnsWritten writes edges with columns, and a prepared graph, and loads both again.
func TestEdgeColumnsWritten(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(testlong.Rounds(2, 6)) {
		r := rand.New(rand.NewPCG(seed, 46))
		g := columnGraph(t, r, seed%2 == 0)
		want := edgeRows(g)
		for _, name := range []string{"edges.parquet", "edges.arrow"} {
			path := filepath.Join(t.TempDir(), name)
			if err := arrow.WriteEdges(ctx, path, g, arrow.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			again, err := arrow.Load(ctx, path, arrow.Options{EdgeColumns: allColumns, Graph: graph.Options{Directed: g.Directed(), KeepDuplicates: true}})
			if err != nil {
				t.Fatal(err)
			}
			if got := edgeRows(again); !slices.Equal(got, want) {
				t.Errorf("seed %d, %s: the edges differ: %s, want %s", seed, name, got[0], want[0])
			}
		}
		path := filepath.Join(t.TempDir(), "g.foray")
		if err := arrow.WriteGraph(ctx, path, g, arrow.WriteGraphOptions{}); err != nil {
			t.Fatal(err)
		}
		again, _, err := arrow.OpenGraph(ctx, path, arrow.OpenGraphOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(edgeRows(again), want) {
			t.Errorf("seed %d: the edges of the prepared graph differ", seed)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestEdgeColumnsOfRecords reads columns of records, with nulls.
func TestEdgeColumnsOfRecords(t *testing.T) {
	schema := goarrow.NewSchema([]goarrow.Field{{Name: "src", Type: goarrow.PrimitiveTypes.Int64}, {Name: "dst", Type: goarrow.PrimitiveTypes.Int64},
		{Name: "ts", Type: &goarrow.TimestampType{Unit: goarrow.Millisecond}, Nullable: true}, {Name: "kind", Type: goarrow.BinaryTypes.String, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, nil)
	b.Field(1).(*array.Int64Builder).AppendValues([]int64{2, 3, 1}, nil)
	b.Field(2).(*array.TimestampBuilder).AppendValues([]goarrow.Timestamp{30, 0, 10}, []bool{true, false, true})
	b.Field(3).(*array.StringBuilder).AppendValues([]string{"b", "a", ""}, []bool{true, true, false})
	record := b.NewRecord()
	defer record.Release()
	load := func(o arrow.Options) (*graph.Graph, error) {
		r, err := array.NewRecordReader(schema, []goarrow.Record{record})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		o.EdgeColumns, o.Graph.Directed = []string{"ts", "kind"}, true
		return arrow.LoadRecords(context.Background(), r, o)
	}
	if _, err := load(arrow.Options{}); !errors.Is(err, arrow.ErrNull) || !strings.Contains(err.Error(), `an edge without "ts"`) {
		t.Errorf("a null: %v", err)
	}
	g, err := load(arrow.Options{SkipNulls: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := edgeRows(g), []string{`1 2 ts(timestamp[ms])=30 kind()="b"`, fmt.Sprintf(`3 1 ts(timestamp[ms])=10 kind()=%d`, graph.NoCode)}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
