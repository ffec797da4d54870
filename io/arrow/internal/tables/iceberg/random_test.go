// This file reads random tables, and compares their rows with those that were written.

package iceberg_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	craft "github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
	"github.com/foray-graph/foray/io/arrow/internal/tables/iceberg"
)

const day = 86400

// condition is a condition, and what it is for a row: 1, 0, or -1 for unknown.
type condition struct {
	text string
	of   func(craft.Row) int
}

func randomCondition(rng *rand.Rand, columns []craft.Column, depth int) condition {
	if depth > 0 && rng.IntN(2) == 0 {
		a, b := randomCondition(rng, columns, depth-1), randomCondition(rng, columns, depth-1)
		switch rng.IntN(3) {
		case 0:
			return condition{"(" + a.text + " and " + b.text + ")", func(r craft.Row) int {
				x, y := a.of(r), b.of(r)
				if x == 0 || y == 0 {
					return 0
				}
				return min(x, y)
			}}
		case 1:
			return condition{"(" + a.text + " or " + b.text + ")", func(r craft.Row) int {
				x, y := a.of(r), b.of(r)
				if x == 1 || y == 1 {
					return 1
				}
				return min(x, y)
			}}
		}
		return condition{"not (" + a.text + ")", func(r craft.Row) int {
			if x := a.of(r); x >= 0 {
				return 1 - x
			}
			return -1
		}}
	}
	c := columns[rng.IntN(len(columns))]
	yes := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	if rng.IntN(6) == 0 {
		return condition{c.Name + " is null", func(r craft.Row) int { return yes(craft.Value(r, &c) == nil) }}
	}
	v := craft.RandomValue(rng, c.Type)
	op := []string{"=", "<", "<=", ">", ">=", "<>", "=", "="}[rng.IntN(8)]
	return condition{c.Name + " " + op + " " + literal(c.Type, v), func(r craft.Row) int {
		x := craft.Value(r, &c)
		if x == nil {
			return -1
		}
		n := compare(x, v)
		return yes(map[string]bool{"=": n == 0, "<": n < 0, "<=": n <= 0, ">": n > 0, ">=": n >= 0, "<>": n != 0}[op])
	}}
}

func compare(a, b any) int {
	switch a := a.(type) {
	case int64:
		return int(min(1, max(-1, a-b.(int64))))
	case float64:
		return int(min(1, max(-1, (a-b.(float64))*8)))
	}
	return strings.Compare(a.(string), b.(string))
}

func literal(typ string, v any) string {
	switch typ {
	case "string":
		return "'" + v.(string) + "'"
	case "date":
		return time.Unix(v.(int64)*day, 0).UTC().Format("'2006-01-02'")
	case "timestamp":
		return time.UnixMicro(v.(int64)).UTC().Format("'2006-01-02 15:04:05.999999'")
	}
	if strings.HasPrefix(typ, "decimal") {
		return fmt.Sprintf("%.2f", float64(v.(int64))/100)
	}
	return fmt.Sprint(v)
}

// read returns the edges of a table, as text, sorted.
func read(ctx context.Context, path string, columns []craft.Column, o arrow.Options) ([]string, *arrow.Dataset, error) {
	name := func(id int) string {
		return columns[slices.IndexFunc(columns, func(c craft.Column) bool { return c.ID == id })].Name
	}
	o.Source, o.Target, o.Weight = name(1), name(2), name(3)
	o.Graph.Weights = true
	d, err := arrow.Open(ctx, []string{path}, o)
	if err != nil {
		return nil, nil, err
	}
	return edges(ctx, d)
}

func edges(ctx context.Context, d *arrow.Dataset) (all []string, _ *arrow.Dataset, err error) {
	var mu sync.Mutex
	err = d.Read(ctx, func(b graph.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		for i := range b.Src {
			all = append(all, fmt.Sprint(b.Src[i], b.Dst[i], b.FloatWeight(i)))
		}
		return nil
	})
	slices.Sort(all)
	return all, d, err
}

func expected(rows []craft.Row, where *condition) (all []string) {
	for _, r := range rows {
		if where == nil || where.of(r) == 1 {
			all = append(all, fmt.Sprint(r[1], r[2], float32(r[3].(float64))))
		}
	}
	slices.Sort(all)
	return all
}

// TestRandomTables: every snapshot of a table has the rows that were written, under any
// condition, wherever the table lies.
func TestRandomTables(t *testing.T) {
	skipped, files := 0, 0
	for seed := range testlong.Rounds(5, 200) {
		rng := rand.New(rand.NewPCG(uint64(seed), 77))
		dir := filepath.Join(t.TempDir(), "table")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		o := craft.Options{Version: 1 + rng.IntN(3), Hash: iceberg.Murmur3, Nullable: seed%3 == 0, Miscounted: seed%4 == 0}
		o.Location = []string{"", "/lake/elsewhere/table", "s3://bucket/elsewhere/t", "hdfs://node:9000/t", "data/t", "./data/t", "./table", "."}[rng.IntN(8)]
		w := craft.Random(rng, dir, o)
		at := func(s *craft.Snapshot, columns []craft.Column, o arrow.Options) {
			t.Helper()
			var where *condition
			if rng.IntN(3) > 0 {
				c := randomCondition(rng, columns, 2)
				where, o.Where = &c, c.text
			}
			got, d, err := read(t.Context(), dir, columns, o)
			if err != nil {
				t.Fatalf("seed %d: %s, version %d, snapshot %d: %v", seed, dir, w.Version, s.ID, err)
			}
			if want := expected(s.Rows, where); !slices.Equal(got, want) {
				t.Fatalf("seed %d: snapshot %d where %q: %d rows\n%v\nwant %d\n%v", seed, s.ID, o.Where, len(got), got, len(want), want)
			}
			snap := d.Info().Snapshots[0]
			if snap.ID != fmt.Sprint(s.ID) || snap.Files+snap.FilesOut != s.Files {
				t.Fatalf("seed %d: %+v, where %d was written with %d files", seed, snap, s.ID, s.Files)
			}
			skipped, files = skipped+s.Files-snap.Files, files+s.Files
		}
		for i := range w.Snapshots {
			s := &w.Snapshots[i]
			o := arrow.Options{Snapshot: fmt.Sprint(s.ID)}
			if rng.IntN(2) == 0 {
				o = arrow.Options{AsOf: time.UnixMilli(s.Millis).Add(time.Duration(rng.IntN(100)) * time.Microsecond)}
			}
			at(s, w.Schemas[s.Schema], o)
		}
		if n := len(w.Snapshots); n > 0 {
			w.WriteMetadata()
			at(&w.Snapshots[n-1], w.Columns(), arrow.Options{})
		}
	}
	t.Logf("%d of %d files left out", skipped, files)
}
