package write

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/file"

	"github.com/foray-graph/foray/graph"
)

// typedEdge is a graph of one edge with a column of int64.
func typedEdge(t *testing.T, columns ...graph.Column) *graph.Graph {
	t.Helper()
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 1, 1}, Targets: []uint32{1}}, graph.CSROptions{Directed: true, EdgeColumns: columns})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestEdgeTypes writes columns of times, decimals and UUIDs: Apache's reader finds their types, and texts have them as people
// write them.
func TestEdgeTypes(t *testing.T) {
	ctx := context.Background()
	uuid := &graph.Strings{Offsets: []int64{0, 16}, Data: []byte("0123456789abcdef"), Binary: true}
	for _, c := range []struct {
		what          string
		x             int64
		logical, text string
		quotes        bool // in JSON
	}{
		{"time[s]", 3661, "Time(isAdjustedToUTC=false, timeUnit=milliseconds)", "01:01:01", true},
		{"time[ms]", 86_399_999, "Time(isAdjustedToUTC=false, timeUnit=milliseconds)", "23:59:59.999", true},
		{"time[us]", 1, "Time(isAdjustedToUTC=false, timeUnit=microseconds)", "00:00:00.000001", true},
		{"time[ns]", 1_000_000_001, "Time(isAdjustedToUTC=false, timeUnit=nanoseconds)", "00:00:01.000000001", true},
		{"decimal(18,2)", -5, "Decimal(precision=18, scale=2)", "-0.05", false},
		{"decimal(18,2)", 12345, "Decimal(precision=18, scale=2)", "123.45", false},
		{"decimal(18,0)", 7, "Decimal(precision=18, scale=0)", "7", false},
		{"decimal(18,3)", -9_223_372_036_854_775_808, "Decimal(precision=19, scale=3)", "-9223372036854775.808", false},
		{"decimal(18,20)", 7, "Decimal(precision=20, scale=20)", "0.00000000000000000007", false},
		{"decimal(18,-2)", 3, "Int(bitWidth=64, isSigned=true)", "3", false},
		{"furlongs", 3, "Int(bitWidth=64, isSigned=true)", "3", false},
		{"uuid", 0, "UUID", "30313233-3435-3637-3839-616263646566", true},
	} {
		column := graph.Column{Name: "x", Values: []int64{c.x}, Logical: c.what}
		if c.what == "uuid" {
			column.Values, column.Dictionary = []uint32{0}, uuid
		}
		g := typedEdge(t, column)
		for _, name := range []string{"e.parquet", "e.csv", "e.jsonl"} {
			path := filepath.Join(t.TempDir(), name)
			if err := WriteEdges(ctx, path, g, WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text := c.text
			if c.quotes {
				text = `"` + text + `"`
			}
			switch {
			case name == "e.csv" && string(data) != "src,dst,x\n0,1,"+c.text+"\n":
				t.Errorf("%s: %q", c.what, data)
			case name == "e.jsonl" && !strings.HasSuffix(string(data), `"x":`+text+"}\n"):
				t.Errorf("%s: %q", c.what, data)
			case name == "e.parquet":
				r, err := file.NewParquetReader(bytes.NewReader(data))
				if err != nil {
					t.Fatal(err)
				}
				if got := r.MetaData().Schema.Column(2).LogicalType().String(); got != c.logical {
					t.Errorf("%s: %s, want %s", c.what, got, c.logical)
				}
			}
		}
	}
	for _, x := range []int64{-1, 86400} {
		err := WriteEdges(ctx, filepath.Join(t.TempDir(), "e.csv"), typedEdge(t, graph.Column{Name: "x", Values: []int64{x}, Logical: "time[s]"}), WriteOptions{})
		if !errors.Is(err, ErrOutputOption) || !strings.Contains(err.Error(), "isn't within a day") {
			t.Errorf("%d: %v", x, err)
		}
	}
}
