// This file counts the files that conditions leave.

package iceberg_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	craft "github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
	"github.com/foray-graph/foray/io/arrow/internal/tables/iceberg"
)

// TestPruning: of 1,000 files of which 10 have rows that meet a condition, no others are
// opened, nor manifests whose partitions can't have such rows: they are removed first.
func TestPruning(t *testing.T) {
	testlong.Only(t)
	columns := []craft.Column{{ID: 1, Name: "src", Type: "long", Required: true}, {ID: 2, Name: "dst", Type: "long", Required: true},
		{ID: 3, Name: "w", Type: "double", Required: true}, {ID: 4, Name: "d", Type: "date"}, {ID: 5, Name: "t", Type: "timestamp"}, {ID: 6, Name: "s", Type: "string"}}
	for _, c := range []struct {
		transform string // of the column
		column    int
		where     string
		manifests int // that are left; of 10 with 100 files each
	}{
		{"", 0, "src between 3300 and 3399", 10},
		{"", 0, "d >= '1971-01-01' and d < '1971-01-11'", 10},
		{"identity", 4, "d >= '1971-01-01' and d < '1971-01-11'", 1},
		{"day", 5, "t >= '1971-01-01' and t < '1971-01-11'", 1},
		{"truncate[100]", 1, "src in (7705, 7710) or src > 7600 and src < 7700", 1},
		{"truncate[3]", 6, "s >= 'x04' and s < 'x05'", 1},
	} {
		t.Run(fmt.Sprint(c.transform, " ", c.where), func(t *testing.T) {
			dir := t.TempDir()
			w := craft.New(dir, columns, rand.New(rand.NewPCG(1, 1)), craft.Options{Version: 2, Plain: true, Location: "/was/here", Hash: iceberg.Murmur3})
			if c.transform != "" {
				w.SetSpec([]craft.Field{{Source: c.column, Name: "p", Transform: c.transform}})
			}
			var files [][]craft.Row
			for i := range 1000 {
				var rows []craft.Row
				for k := range 10 {
					n := int64(i*10 + k)
					rows = append(rows, craft.Row{1: n, 2: n + 1, 3: 0.5, 4: int64(i), 5: int64(i)*86400e6 + int64(k)*1e6, 6: fmt.Sprintf("x%03d%d", i, k)})
				}
				files = append(files, rows)
			}
			for i := 0; i < 1000; i += 100 {
				w.AppendOnly(files[i : i+100]...)
			}
			last := w.Snapshots[len(w.Snapshots)-1]
			d, err := arrow.Open(t.Context(), []string{dir}, arrow.Options{Where: c.where})
			if err != nil {
				t.Fatal(err)
			}
			snap := d.Info().Snapshots[0]
			t.Logf("%d of %d files are opened", snap.Files, last.Files)
			if last.Files < 100 || snap.Files+snap.FilesOut != last.Files || snap.Files > 12 {
				t.Fatalf("%+v of %d files", snap, last.Files)
			}
			want, _, err := read(t.Context(), dir, columns, arrow.Options{Where: c.where})
			if err != nil || len(want) == 0 {
				t.Fatal(len(want), err)
			}
			// All are hidden, and those come back that reading misses.
			names, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
			for _, name := range names {
				if filepath.Ext(name) == ".parquet" || strings.HasSuffix(name, "-m.avro") {
					if err := os.Rename(name, name+".hidden"); err != nil {
						t.Fatal(err)
					}
				}
			}
			left := map[string]int{}
			for {
				_, err := arrow.Open(t.Context(), []string{dir}, arrow.Options{Where: c.where})
				var missing *fs.PathError
				if err == nil {
					break
				} else if !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				left[filepath.Ext(missing.Path)]++
				if err := os.Rename(missing.Path+".hidden", missing.Path); err != nil {
					t.Fatal(err)
				}
			}
			if left[".parquet"] != snap.Files || left[".avro"] != c.manifests {
				t.Errorf("%v are opened", left)
			}
			got, _, err := read(t.Context(), dir, columns, arrow.Options{Where: c.where})
			if err != nil || !slices.Equal(got, want) {
				t.Fatal(got, want, err)
			}
		})
	}
}
