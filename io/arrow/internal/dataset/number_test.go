// This file tests that a row's number doesn't depend on the condition.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// numbered returns the edges of tables by the numbers of their rows.
func numbered(t *testing.T, tables []Table, o Options) (map[uint64]string, Stats, error) {
	t.Helper()
	o.Graph.EdgeIDs = true
	d, err := OpenTables(context.Background(), tables, o)
	if err != nil {
		return nil, Stats{}, err
	}
	edges := map[uint64]string{}
	var mu sync.Mutex
	err = d.Batches(context.Background(), func(b graph.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		for i, e := range b.EdgeIDs {
			if edges[e] != "" {
				return fmt.Errorf("two rows have the number %d", e)
			}
			edges[e] = fmt.Sprintf("%d-%d", b.Src[i], b.Dst[i])
		}
		return nil
	})
	return edges, d.Stats(), err
}

// TestRowNumbers: what a condition leaves out counts, be it a row, a row group or
// a file that isn't opened otherwise, in any of several tables.
func TestRowNumbers(t *testing.T) {
	testlong.Project(t)
	r := rand.New(rand.NewPCG(77, 7))
	dir := t.TempDir()
	for i, year := range []int{2020, 2021, 2022, 2023, 2024, 2025} { // of all formats
		sub := filepath.Join(dir, fmt.Sprintf("year=%d", year))
		if err := os.MkdirAll(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		for k := range 1 + r.IntN(2) {
			var e graph.Batch
			for range r.IntN(40) * (1 + r.IntN(10)) {
				e.Src, e.Dst = append(e.Src, r.Int64N(500)), append(e.Dst, r.Int64N(500))
			}
			name := fmt.Sprintf("%d.%s", k, []string{"parquet", "arrow", "arrows"}[(i+k)%3])
			err := write.WriteEdgeBatches(context.Background(), filepath.Join(sub, name), func(_ context.Context, yield func(graph.Batch) error) error {
				return yield(e)
			}, write.WriteOptions{RowGroup: 50})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	f := tests3.NewFake(t, "lake")
	stock(t, fakeShelf{f}, dir, "")
	for _, root := range []string{dir, "s3://lake/"} {
		o := Options{S3: samples.S3Options(f.Env())}
		tables := []Table{{Paths: []string{root}}, {Paths: []string{root}}}
		all, _, err := numbered(t, tables, o)
		if err != nil {
			t.Fatal(err)
		}
		for at := range uint64(len(all)) {
			if all[at] == "" {
				t.Fatalf("%s: there is no row %d of %d", root, at, len(all))
			}
		}
		passed := 0
		for range 40 {
			conditions := [2]string{}
			for i := range tables {
				conditions[i] = []string{
					fmt.Sprintf("year = %d", 2019+r.IntN(8)), fmt.Sprintf("year <> %d and src > 250", 2019+r.IntN(8)),
					fmt.Sprintf("src < %d", r.IntN(500)), fmt.Sprintf("year in (%d, %d) or year = 2022 and dst = 7", 2019+r.IntN(8), 2019+r.IntN(8)), "",
				}[r.IntN(5)]
				tables[i].Where = conditions[i]
			}
			o.Workers = 1 + r.IntN(3)
			some, stats, err := numbered(t, tables, o)
			if err != nil {
				t.Fatalf("%q: %v", conditions, err)
			}
			passed += stats.FilesPassed
			for at, edge := range some {
				if all[at] != edge {
					t.Fatalf("%s, %q: row %d is %s, without the condition it is %q", root, conditions, at, edge, all[at])
				}
			}
		}
		if passed == 0 {
			t.Error("no file was passed by")
		}
	}

	// Who doesn't ask for numbers doesn't open what is ruled out.
	samples.WriteTo(t, filepath.Join(dir, "year=2023", "x.parquet"), []byte("PAR1 damaged PAR1"))
	o := Options{Where: "year = 2021"}
	if _, err := Open(context.Background(), []string{dir}, o); err != nil {
		t.Error(err)
	}
	o.Graph.EdgeIDs = true
	var file *input.FileError
	if _, err := Open(context.Background(), []string{dir}, o); !errors.As(err, &file) || !strings.HasSuffix(file.Path, "x.parquet") || !strings.Contains(err.Error(), "numbered by row") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, []string{dir}, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
