// This file measures how long the metadata of large tables takes.

package iceberg

import (
	"math/rand/v2"
	"testing"

	craft "github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// BenchmarkManifest reads a manifest of 1,000 data files with bounds of 10 columns.
func BenchmarkManifest(b *testing.B) {
	var columns []craft.Column
	for i := range 10 {
		columns = append(columns, craft.Column{ID: i + 1, Name: string(rune('a' + i)), Type: "long"})
	}
	dir := b.TempDir()
	w := craft.New(dir, columns, rand.New(rand.NewPCG(2, 2)), craft.Options{Version: 2, Plain: true})
	w.SetSpec([]craft.Field{{Source: 1, Name: "p", Transform: "identity"}})
	var rows []craft.Row
	for i := range 1000 {
		r := craft.Row{}
		for k := range columns {
			r[k+1] = int64(i * k)
		}
		r[1] = int64(i)
		rows = append(rows, r)
	}
	w.AppendOnly(rows)
	for b.Loop() {
		s, err := openWhole(b.Context(), disk{}, dir, tables.At{})
		if err != nil || len(s.Files) != 1000 {
			b.Fatal(err)
		}
	}
}
