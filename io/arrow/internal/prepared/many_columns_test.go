// This file tests graphs with many columns.

package prepared

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// TestManyColumns: what is written is read again, and what can't be read isn't written.
func TestManyColumns(t *testing.T) {
	for _, n := range []int{2100, mostColumns + 1} {
		o, batch := graph.Options{Merge: graph.MergeFirst}, graph.Batch{Src: []int64{1}, Dst: []int64{2}}
		for i := range n {
			o.EdgeColumns = append(o.EdgeColumns, fmt.Sprint("c", i))
			batch.Columns = append(batch.Columns, graph.Column{Values: []int32{int32(i)}})
		}
		b := graph.NewBuilder(o)
		defer b.Close()
		if err := b.Add(batch); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "g.foray")
		err = WriteGraph(t.Context(), path, g, WriteGraphOptions{})
		if n > mostColumns {
			if !errors.Is(err, graph.ErrOptions) {
				t.Errorf("%d columns: %v", n, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		back, err := OpenGraph(t.Context(), path, OpenGraphOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := back.EdgeColumns(); len(got) != n || got[n-1].Values.([]int32)[0] != int32(n-1) {
			t.Errorf("%d columns of %d are back", len(got), n)
		}
		if err := back.Close(); err != nil {
			t.Error(err)
		}
	}
}
