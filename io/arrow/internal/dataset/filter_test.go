// This file compares filtered loading with filtering what was loaded.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	pqschema "github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// filterRow is a row of the files that are filtered.
type filterRow struct {
	src, dst int64
	amount   int64 // grows with the row
	kind     string
	year     int // of the directory
}

// writeLake writes rows into a directory per year, and returns them.
func writeLake(t testing.TB, dir string, r *rand.Rand, rows, groupRows, pageBytes int) []filterRow {
	t.Helper()
	var all []filterRow
	for year := 2020; year < 2024; year++ {
		part := make([]filterRow, rows)
		src, dst := make([]int64, rows), make([]int64, rows)
		amount, kind := make([]int64, rows), make([]string, rows)
		for i := range part {
			part[i] = filterRow{r.Int64N(100), r.Int64N(100), int64(i*10) + r.Int64N(10), []string{"follow", "like", "block"}[r.IntN(3)], year}
			src[i], dst[i], amount[i], kind[i] = part[i].src, part[i].dst, part[i].amount, part[i].kind
		}
		all = append(all, part...)
		var kinds []parquet.ByteArray
		for _, k := range kind {
			kinds = append(kinds, parquet.ByteArray(k))
		}
		data := samples.WriteParquet(t, rows, groupRows, []samples.ParquetColumn{
			{Node: samples.Node(t, "amount", false, nil, parquet.Types.Int64, 0), Values: amount},
			{Node: samples.Node(t, "src", false, nil, parquet.Types.Int64, 0), Values: src},
			{Node: samples.Node(t, "kind", false, pqschema.StringLogicalType{}, parquet.Types.ByteArray, 0), Values: kinds},
			{Node: samples.Node(t, "dst", false, nil, parquet.Types.Int64, 0), Values: dst},
		}, parquet.WithDataPageSize(int64(pageBytes)), parquet.WithDictionaryDefault(false))
		sub := filepath.Join(dir, fmt.Sprintf("year=%d", year))
		if err := os.MkdirAll(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		samples.WriteTo(t, filepath.Join(sub, "edges.parquet"), data)
	}
	return all
}

// pairsOf reads the edges of a dataset.
func pairsOf(t testing.TB, path string, o Options) ([]string, Stats) {
	t.Helper()
	d, err := Open(context.Background(), []string{path}, o)
	if err != nil {
		t.Fatalf("%s: %v", o.Where, err)
	}
	var pairs []string
	o.Workers = 1
	d.o.Workers = 1
	err = d.Batches(context.Background(), func(b graph.Batch) error {
		for i := range b.Src {
			pairs = append(pairs, fmt.Sprint(b.Src[i], b.Dst[i]))
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", o.Where, err)
	}
	slices.Sort(pairs)
	return pairs, d.Stats()
}

// TestWhere: rows that meet a condition are those that a scan finds, whatever
// was left out unread.
func TestWhere(t *testing.T) {
	for seed := range uint64(seeds(6) + 2) {
		r := rand.New(rand.NewPCG(7, seed))
		dir := t.TempDir()
		rows := 200 + r.IntN(3000)
		all := writeLake(t, dir, r, rows, 100+r.IntN(1000), 100+r.IntN(2000))
		for range 25 {
			lo := r.Int64N(int64(rows) * 10)
			hi := lo + r.Int64N(300)
			year := 2019 + r.IntN(6)
			conditions := []struct {
				text string
				ok   func(x filterRow) bool
			}{
				{fmt.Sprintf("amount between %d and %d", lo, hi), func(x filterRow) bool { return x.amount >= lo && x.amount <= hi }},
				{fmt.Sprintf("amount < %d or amount >= %d", lo, hi), func(x filterRow) bool { return x.amount < lo || x.amount >= hi }},
				{fmt.Sprintf("year = %d and kind <> 'like'", year), func(x filterRow) bool { return x.year == year && x.kind != "like" }},
				{fmt.Sprintf("not year > %d and amount > %d and kind in ('block', 'x')", year, lo), func(x filterRow) bool {
					return x.year <= year && x.amount > lo && x.kind == "block"
				}},
				{fmt.Sprintf("src = %d and year in (2020, 2023)", lo%100), func(x filterRow) bool { return x.src == lo%100 && (x.year == 2020 || x.year == 2023) }},
				{"src is null or dst < 3", func(x filterRow) bool { return x.dst < 3 }},
			}
			c := conditions[r.IntN(len(conditions))]
			var want []string
			for _, x := range all {
				if c.ok(x) {
					want = append(want, fmt.Sprint(x.src, x.dst))
				}
			}
			slices.Sort(want)
			got, stats := pairsOf(t, dir, Options{Where: c.text})
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s: %d edges, want %d", seed, c.text, len(got), len(want))
			}
			if stats.Rows-stats.RowsPassed != int64(len(want)) {
				t.Errorf("%s: %+v, want %d rows", c.text, stats, len(want))
			}
		}
		_, stats := pairsOf(t, dir, Options{Where: "year = 2021"})
		if stats.Files != 1 || stats.FilesPassed != 3 {
			t.Errorf("a year: %+v", stats)
		}
		_, stats = pairsOf(t, dir, Options{Where: "amount < 50"})
		if stats.RowGroups != 4 || stats.RowGroupsPassed == 0 {
			t.Errorf("the first rows: %+v", stats)
		}
	}
}

// TestWhereReadsLittle: a condition that one row group in a hundred meets
// reads no more than 3% of the bytes.
func TestWhereReadsLittle(t *testing.T) {
	testlong.Only(t)
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(3, 3))
	writeLake(t, dir, r, 400_000, 4_000, 1<<20)
	path := filepath.Join(dir, "year=2020", "edges.parquet")
	_, stats := pairsOf(t, path, Options{Where: "amount between 1000000 and 1009999"})
	if stats.RowGroups > 2 || stats.Rows-stats.RowsPassed != 1000 {
		t.Errorf("%+v", stats)
	}
	if stats.BytesRead*100 > stats.Bytes*3 {
		t.Errorf("%d bytes of %d read, more than 3%%", stats.BytesRead, stats.Bytes)
	}
}

// TestPartitionColumns: names of directories are columns, of ids too.
func TestPartitionColumns(t *testing.T) {
	dir := t.TempDir()
	writeLake(t, dir, rand.New(rand.NewPCG(5, 5)), 10, 10, 1000)
	g, err := Load(context.Background(), dir, Options{Source: "year", Target: "dst", Graph: graph.Options{Directed: true}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Vertex(2022); err != nil {
		t.Error(err)
	}
	d, err := Open(context.Background(), []string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c := d.Schema().Columns[4]; c != (Column{Name: "year", Type: "int64", IDs: true, Weights: true, Partition: true}) {
		t.Errorf("%+v", c)
	}
	// Of several kinds: dates, strings, nulls, escapes, a file's own name.
	odd := t.TempDir()
	data, err := os.ReadFile(filepath.Join(dir, "year=2020", "edges.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"day=2025-03-01/who=a%2Fb", "day=2025-03-02/who=__HIVE_DEFAULT_PARTITION__", "day=2025-03-03/who=5"} {
		if err := os.MkdirAll(filepath.Join(odd, "kind=x", filepath.FromSlash(sub)), 0o777); err != nil {
			t.Fatal(err)
		}
		samples.WriteTo(t, filepath.Join(odd, "kind=x", filepath.FromSlash(sub), "e.parquet"), data)
	}
	for text, want := range map[string]int{
		"day >= '2025-03-02'": 2, "day = date '2025-03-01' and who = 'a/b'": 1, "who is null": 1, "who = '5'": 1,
		"who <> '5'": 1, "kind = 'x'": 3, "kind = 'like'": 0, "day > '2026-01-01'": 0,
	} {
		if got, _ := pairsOf(t, odd, Options{Where: text}); len(got) != want*10 {
			t.Errorf("%s: %d rows, want %d", text, len(got), want*10)
		}
	}
	_, err = Load(context.Background(), odd, Options{Where: "day > '2026-01-01'"})
	if !errors.Is(err, graph.ErrEmpty) || !strings.Contains(err.Error(), "no row meets the condition") {
		t.Errorf("no row: %v", err)
	}
}

// TestWhereErrors: a condition that can't be met says why.
func TestWhereErrors(t *testing.T) {
	dir := t.TempDir()
	writeLake(t, dir, rand.New(rand.NewPCG(5, 5)), 10, 10, 1000)
	for text, want := range map[string]string{
		"amount >":      "at byte 9: the end, where a value belongs",
		"nope = 1":      `column "nope": Options.Where names it, but the columns are "amount" (int64)`,
		"kind = 3":      "column \"kind\" (string) =: wrong type",
		"year = 'x'":    "is no number",
		"amount = true": "compare it with a number",
	} {
		_, err := Open(context.Background(), []string{dir}, Options{Where: text})
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "wrong type: column \"kind\" (string) =", "column \"kind\" (string) =: wrong type"), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if !errors.Is(err, ErrWhere) && !errors.Is(err, input.ErrColumn) {
			t.Errorf("%s: %v is no ErrWhere", text, err)
		}
	}
}

// TestWhereRecords: records are filtered as files are, and IPC files as
// Parquet.
func TestWhereRecords(t *testing.T) {
	schema := goarrow.NewSchema([]goarrow.Field{
		{Name: "src", Type: goarrow.PrimitiveTypes.Int32}, {Name: "dst", Type: goarrow.PrimitiveTypes.Int32},
		{Name: "on", Type: goarrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "at", Type: &goarrow.TimestampType{Unit: goarrow.Millisecond, TimeZone: "UTC"}},
		{Name: "w", Type: goarrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "price", Type: &goarrow.Decimal128Type{Precision: 10, Scale: 2}},
		{Name: "day", Type: goarrow.FixedWidthTypes.Date32},
	}, nil)
	r := rand.New(rand.NewPCG(9, 9))
	var recs []goarrow.Record
	var rows []string
	for range 3 {
		var b strings.Builder
		b.WriteString("[")
		for i := range 500 {
			on := []string{"true", "false", "null"}[r.IntN(3)]
			ms := r.IntN(4000)
			w := []string{"0.5", "1.5", "null", "-1"}[r.IntN(4)]
			price, day := r.IntN(300), r.IntN(5)
			if i > 0 {
				b.WriteString(",")
			}
			id := len(rows)
			fmt.Fprintf(&b, `{"src":%d,"dst":%d,"on":%s,"at":"2025-03-01T00:00:%02d.%03dZ","w":%s,"price":"%d.%02d","day":"2025-03-%02d"}`,
				id, id+1, on, ms/1000, ms%1000, w, price/100, price%100, day+1)
			meets := on == "true" && ms >= 1500 && ms < 3000 && w != "null" && w != "-1" && price != 150 && day >= 2
			rows = append(rows, fmt.Sprint(meets))
		}
		b.WriteString("]")
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	o := Options{Where: `"on" and at >= '2025-03-01T00:00:01.5Z' and at < '2025-03-01 00:00:03' and w > 0 and price <> 1.5 and day >= '2025-03-03'`}
	var want []int64
	for i, meets := range rows {
		if meets == "true" {
			want = append(want, int64(i))
		}
	}
	reader, err := array.NewRecordReader(schema, recs)
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	note := func(b graph.Batch) error {
		got = append(got, b.Src...)
		return nil
	}
	stats, err := ReadRecords(context.Background(), reader, o, note)
	if err != nil || !slices.Equal(got, want) || stats.RowsPassed != int64(len(rows)-len(want)) {
		t.Errorf("records: %d rows, want %d, %+v, %v", len(got), len(want), stats, err)
	}
	for _, stream := range []bool{false, true} {
		got = nil
		path := tempFile(t, "edges.arrow", samples.WriteIPC(t, stream, schema, recs))
		o.Workers = 1
		d, err := Open(context.Background(), []string{path}, o)
		if err == nil {
			err = d.Batches(context.Background(), note)
		}
		if slices.Sort(got); err != nil || !slices.Equal(got, want) {
			t.Errorf("IPC, stream %v: %d rows, want %d, %v", stream, len(got), len(want), err)
		}
	}
}

// TestSameGraph: the graph of a lake is the same for any number of workers, and
// on every run.
func TestSameGraph(t *testing.T) {
	dir := t.TempDir()
	writeLake(t, dir, rand.New(rand.NewPCG(21, 21)), 20_000, 700, 3000)
	for _, o := range []Options{
		{Where: "amount > 500 and year <> 2021"},
		{Source: "kind,src", Target: "kind,dst", Graph: graph.Options{Directed: true, Reverse: true, EdgeIDs: true}},
	} {
		var want [32]byte
		for i, workers := range []int{1, 2, 7, 7, 3} {
			o.Workers, o.Graph.Workers = workers, workers
			g, err := Load(t.Context(), dir, o)
			if err != nil {
				t.Fatal(err)
			}
			sum, err := g.Checksum(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && (sum != want || g.Out().EdgeIDs != nil && !slices.Equal(g.Out().EdgeIDs, edgeIDsOf(t, dir, o))) {
				t.Errorf("%d workers: another graph than with one", workers)
			}
			want = sum
		}
	}
}

// edgeIDsOf returns the edge ids of the graph that one worker makes.
func edgeIDsOf(t *testing.T, dir string, o Options) []uint64 {
	t.Helper()
	o.Workers, o.Graph.Workers = 1, 1
	g, err := Load(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return g.Out().EdgeIDs
}
