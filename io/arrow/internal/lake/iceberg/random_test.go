// This file reads random tables, and compares their rows with those that were written.

package iceberg_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testlong"
	"github.com/foray-graph/foray/io/arrow"
	craft "github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
	"github.com/foray-graph/foray/io/arrow/internal/lake/iceberg"
)

const day = 86400

// randomValue returns a value of a type; of few different ones, so that equal ones occur.
func randomValue(rng *rand.Rand, typ string) any {
	n := rng.Int64N(40) - 20
	switch typ {
	case "int", "long":
		return n
	case "double":
		return float64(n) / 4
	case "string":
		return strings.Repeat("aé", int(rng.IntN(4))) + strconv.FormatInt(n, 10)
	case "date":
		return n * 100
	}
	return n * 11 * day * 1e6 / 3 // timestamp
}

func randomRow(rng *rand.Rand, columns []craft.Column) craft.Row {
	r := craft.Row{}
	for _, c := range columns {
		r[c.ID] = nil
		if c.Required || rng.IntN(6) != 0 {
			r[c.ID] = randomValue(rng, c.Type)
		}
	}
	return r
}

func randomRows(rng *rand.Rand, columns []craft.Column) [][]craft.Row {
	files := make([][]craft.Row, 1+rng.IntN(3))
	for i := range files {
		for range rng.IntN(20) {
			files[i] = append(files[i], randomRow(rng, columns))
		}
	}
	return files
}

// randomTransform returns a transform that a column may be partitioned by.
func randomTransform(rng *rand.Rand, typ string) string {
	of := map[string][]string{"int": {"identity", "bucket[5]", "truncate[7]", "void"}, "long": {"identity", "bucket[4]", "truncate[10]"},
		"double": {"identity"}, "string": {"identity", "bucket[3]", "truncate[2]"}, "date": {"identity", "year", "month", "day", "bucket[3]"},
		"timestamp": {"year", "month", "day", "hour", "bucket[6]", "identity"}}[typ]
	return of[rng.IntN(len(of))]
}

// randomTable writes a table.
func randomTable(rng *rand.Rand, dir string, o craft.Options) *craft.Table {
	columns := []craft.Column{{ID: 1, Name: "src", Type: "long", Required: true}, {ID: 2, Name: "dst", Type: "long", Required: true},
		{ID: 3, Name: "w", Type: "double", Required: true}, {ID: 4, Name: "i", Type: "int"}, {ID: 5, Name: "s", Type: "string"},
		{ID: 6, Name: "d", Type: "date"}, {ID: 7, Name: "t", Type: "timestamp"}}
	t := craft.New(dir, columns, rng, o)
	names := 0
	for range 2 + rng.IntN(8) {
		if rng.IntN(3) == 0 {
			changeColumns(rng, t, &names)
		}
		if rng.IntN(4) == 0 {
			changeSpec(rng, t)
		}
		switch n := rng.IntN(6); {
		case t.Files() == 0 || n < 2:
			t.Append(randomRows(rng, t.Columns())...)
		case n == 2:
			t.DropFile(rng.IntN(t.Files()))
		case n == 3 && o.Version > 1:
			deleteEqual(rng, t)
		case o.Version > 1:
			rows := map[int][]int{}
			for range 1 + rng.IntN(3) {
				if i := rng.IntN(t.Files()); t.Rows(i) > 0 {
					rows[i] = append(rows[i], rng.IntN(t.Rows(i)))
				}
			}
			for i := range rows {
				slices.Sort(rows[i])
				rows[i] = slices.Compact(rows[i])
			}
			if len(rows) > 0 {
				t.DeletePositions(rows)
			}
		}
	}
	return t
}

func changeColumns(rng *rand.Rand, t *craft.Table, names *int) {
	columns := slices.Clone(t.Columns())
	*names++
	name := fmt.Sprintf("c%d", *names)
	switch i := rng.IntN(len(columns)); rng.IntN(5) {
	case 0:
		columns[i].Name = name
	case 1:
		c := craft.Column{ID: t.NextID(), Name: name, Type: []string{"int", "long", "double", "string", "date"}[rng.IntN(5)]}
		if t.Version >= 3 && c.Type != "date" && rng.IntN(2) == 0 {
			c.Default = randomValue(rng, c.Type)
		}
		columns = slices.Insert(columns, i, c)
	case 2:
		used := slices.ContainsFunc(t.Specs[len(t.Specs)-1], func(f craft.Field) bool { return f.Source == columns[i].ID })
		if columns[i].ID > 3 && !used {
			columns = slices.Delete(columns, i, i+1)
		}
	case 3:
		rng.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	case 4:
		if columns[i].Type == "int" {
			columns[i].Type = "long"
		}
	}
	t.SetColumns(columns)
}

func changeSpec(rng *rand.Rand, t *craft.Table) {
	var fields []craft.Field
	for range rng.IntN(3) {
		c := t.Columns()[rng.IntN(len(t.Columns()))]
		if slices.ContainsFunc(fields, func(f craft.Field) bool { return f.Source == c.ID }) || c.Type == "double" && t.Plain {
			continue
		}
		fields = append(fields, craft.Field{Source: c.ID, Name: fmt.Sprintf("p%d", len(fields)), Transform: randomTransform(rng, c.Type)})
	}
	t.SetSpec(fields)
}

func deleteEqual(rng *rand.Rand, t *craft.Table) {
	part, ok := t.Partition(rng.IntN(t.Files()))
	if len(t.Specs[len(t.Specs)-1]) == 0 {
		part = []any{}
	} else if !ok {
		return
	}
	columns := slices.Clone(t.Columns())
	rng.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	columns = columns[:1+rng.IntN(2)]
	var rows []craft.Row
	for range 1 + rng.IntN(4) {
		rows = append(rows, randomRow(rng, columns))
	}
	t.DeleteEqual(columns, rows, part)
}

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
	v := randomValue(rng, c.Type)
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
	err = d.Batches(ctx, func(b graph.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		for i := range b.Src {
			all = append(all, fmt.Sprint(b.Src[i], b.Dst[i], b.Weights[i]))
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
	for seed := range testlong.Rounds(100, 2000) {
		rng := rand.New(rand.NewPCG(uint64(seed), 77))
		dir := filepath.Join(t.TempDir(), "table")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		o := craft.Options{Version: 1 + rng.IntN(3), Hash: iceberg.Murmur3}
		o.Location = []string{"", "/lake/elsewhere/table", "s3://bucket/elsewhere/t", "hdfs://node:9000/t", "data/t"}[rng.IntN(5)]
		w := randomTable(rng, dir, o)
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
			snap := d.Snapshots()[0]
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
