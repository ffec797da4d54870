// This file tests that DuckDB reads the columns that Foray writes of any traversal.

package main

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

func TestDuckDBReadsColumns(t *testing.T) {
	d := open(t)
	b := graph.NewBuilder(graph.Options{Order: graph.OrderGiven})
	if err := graph.AddInts(b, []int64{1, 2, 3}, []int64{2, 3, 4}, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	columns := []arrow.Column{
		arrow.NewColumn("i32", []int32{math.MinInt32, -1, 0, math.MaxInt32}, -1),
		arrow.NewColumn("i64", []int64{math.MinInt64, -1, 0, math.MaxInt64}),
		arrow.NewColumn("u32", []uint32{0, 1, 2, math.MaxUint32}),
		arrow.NewColumn("u64", []uint64{0, 1, 2, math.MaxUint64}),
		arrow.NewColumn("f32", []float32{float32(math.NaN()), float32(math.Inf(-1)), 0.5, math.MaxFloat32}),
		arrow.NewColumn("f64", []float64{math.NaN(), math.Inf(1), 0.5, math.MaxFloat64}, math.NaN()),
		arrow.NewColumn("yes", []bool{true, false, false, true}),
		arrow.NewColumn("a root", []uint32{0, 0, graph.NoVertex, 3}).Vertices(),
	}
	for _, codec := range []string{"none", "zstd", "snappy"} {
		path := filepath.Join(t.TempDir(), "columns.parquet")
		if err := arrow.Write(context.Background(), path, g, columns, arrow.WriteOptions{Compression: codec, RowGroup: 3}); err != nil {
			t.Fatal(err)
		}
		diff(t, "types", d.strings("SELECT column_name || ' ' || column_type FROM (DESCRIBE SELECT * FROM '%s')", path), []string{
			"vertex BIGINT", "i32 INTEGER", "i64 BIGINT", "u32 UINTEGER", "u64 UBIGINT", "f32 FLOAT", "f64 DOUBLE", "yes BOOLEAN", "a root BIGINT"})
		diff(t, "rows", d.strings(`SELECT concat_ws(' ', vertex, coalesce(i32::VARCHAR, '-'), i64, u32, u64, f32, coalesce(f64::VARCHAR, '-'), yes,
			coalesce("a root"::VARCHAR, '-')) FROM '%s' ORDER BY vertex`, path), strings.Split(
			`1 -2147483648 -9223372036854775808 0 0 nan - true 1
2 - -1 1 1 -inf inf false 1
3 0 0 2 2 0.5 0.5 false -
4 2147483647 9223372036854775807 4294967295 18446744073709551615 3.4028235e+38 1.7976931348623157e+308 true 4`, "\n"))
		// Row groups are skipped by their statistics; rows of the others are counted.
		if n := d.count("SELECT count(*) FROM '%s' WHERE u64 = 18446744073709551615 AND f32 > 1e38", path); n != 1 {
			t.Errorf("%s: %d rows with the largest values, want 1", codec, n)
		}
		if n := d.count("SELECT count(*) FROM '%s' WHERE f32 = 'nan'", path); n != 1 {
			t.Errorf("%s: %d rows with NaN, want 1", codec, n)
		}
	}
}
