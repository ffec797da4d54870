package arrow_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// TestLogicalColumns writes values that stand for dates and timestamps.
func TestLogicalColumns(t *testing.T) {
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 1, 1, 1}, Targets: []uint32{1}}, graph.CSROptions{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "r.csv")
	values := []int64{20517, -1, 0}
	columns := []arrow.Column{arrow.NewColumn("day", values, -1).Logical("date32"), arrow.NewColumn("at", values, -1).Logical("timestamp[s,UTC]"),
		arrow.NewColumn("n", values, -1).Logical("time[us]")}
	if err := arrow.Write(context.Background(), path, g, columns, arrow.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := "vertex,day,at,n\n0,2026-03-05,1970-01-01T05:41:57Z,00:00:00.020517\n1,,,\n2,1970-01-01,1970-01-01T00:00:00Z,00:00:00.000000\n"; err != nil || !bytes.Equal(got, []byte(want)) {
		t.Errorf("%s\nwant\n%s (%v)", got, want, err)
	}
}
