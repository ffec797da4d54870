// This file tests that Foray reads what DuckDB writes: every codec, both
// versions of pages and encodings, with and without dictionaries and bloom
// filters, small and large row groups, every type that ids may have.

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	_ "github.com/foray-graph/foray/io/arrow/brotli"
)

// column is a pair of columns, <name>_src of few values and <name>_dst of many.
type column struct {
	name, typ string
	value     string // SQL that makes a value of the number %s
	text      string // SQL that makes %s text as IDs.Format does
	id        graph.IDType
	mayRefuse bool // as a type that isn't an id; what is read must be right
}

var columns = []column{
	{name: "i8", typ: "TINYINT", value: "%s %% 256 - 128", id: graph.Int8},
	{name: "i16", typ: "SMALLINT", value: "%s %% 65536 - 32768", id: graph.Int16},
	{name: "i32", typ: "INTEGER", value: "%s %% 4294967296 - 2147483648", id: graph.Int32},
	{name: "i64", typ: "BIGINT", value: "%s - 9223372036854775808", id: graph.Int64},
	{name: "near", typ: "BIGINT", value: "%s %% 5000", id: graph.Int64},
	{name: "u8", typ: "UTINYINT", value: "%s %% 256", id: graph.Uint8},
	{name: "u16", typ: "USMALLINT", value: "%s %% 65536", id: graph.Uint16},
	{name: "u32", typ: "UINTEGER", value: "%s %% 4294967296", id: graph.Uint32},
	{name: "u64", typ: "UBIGINT", value: "%s", id: graph.Uint64},
	{name: "str", typ: "VARCHAR", value: "'ü' || %[1]s || repeat('-', (%[1]s %% 30)::INT)", id: graph.String},
	{name: "enum", typ: "ENUM ('a', 'b', 'cc', '')", value: "['a', 'b', 'cc', ''][(%s %% 4 + 1)::INT]", id: graph.String},
	{name: "json", typ: "JSON", value: "'[' || %s %% 300 || ']'", id: graph.String},
	{name: "blob", typ: "BLOB", value: "unhex(substr(md5((%[1]s)::VARCHAR), 1, 2 * (%[1]s %% 16)::INT))", text: "lower(hex(%s))", id: graph.Binary},
	{name: "uuid", typ: "UUID", value: "md5((%s)::VARCHAR)::UUID", text: "replace(%s::VARCHAR, '-', '')", id: graph.Binary},
	{name: "date", typ: "DATE", value: "DATE '2000-01-01' + (%s %% 20000)::INT", text: "(%s - DATE '1970-01-01')", mayRefuse: true},
	{name: "time", typ: "TIMESTAMP", value: "make_timestamp((%s %% 2000000000000000)::BIGINT)", text: "epoch_us(%s)", mayRefuse: true},
	{name: "huge", typ: "HUGEINT", value: "%s::HUGEINT", mayRefuse: true},
	{name: "dec", typ: "DECIMAL(18, 2)", value: "(%s %% 1000000) / 4", mayRefuse: true},
}

const rows = 7000

// fill makes the table t of all columns and weights.
func (d duck) fill() {
	var cols []string
	for _, c := range columns {
		src := fmt.Sprintf("("+c.value+")::"+c.typ+" AS %[2]s_src", "(hash(i % 37))::HUGEINT", c.name)
		dst := fmt.Sprintf("("+c.value+")::"+c.typ+" AS %[2]s_dst", "(hash(i))::HUGEINT", c.name)
		cols = append(cols, src, dst)
	}
	cols = append(cols, "(i / 8)::FLOAT AS wf", "(i / 8)::DOUBLE AS wd", "(i % 3)::INTEGER AS wi",
		"CASE WHEN i % 11 <> 0 THEN i END AS null_src", "CASE WHEN i % 13 <> 0 THEN (hash(i) % 100)::BIGINT END AS null_dst")
	d.exec("CREATE TABLE t AS SELECT %s FROM range(%d) r(i)", strings.Join(cols, ", "), rows)
}

// want returns the edges of a pair of columns as DuckDB has them, sorted.
func (d duck) want(c column) []string {
	text := c.text
	if text == "" {
		text = "%s::VARCHAR"
	}
	edges := d.strings("SELECT "+text+" || '\t' || "+text+" FROM t", c.name+"_src", c.name+"_dst")
	slices.Sort(edges)
	return edges
}

// got returns the edges that Foray reads, sorted, and the type of their ids.
func got(path string, o arrow.Options) ([]string, graph.IDType, error) {
	ctx := context.Background()
	set, err := arrow.Open(ctx, []string{path}, o)
	if err != nil {
		return nil, 0, err
	}
	var edges []string
	for b, err := range set.Batches(ctx) {
		if err != nil {
			return nil, 0, err
		}
		ids := func(ints []int64, s *graph.Strings) *graph.IDs {
			if s == nil {
				return &graph.IDs{Type: b.Type, Ints: ints}
			}
			m := &graph.IDs{Type: b.Type, Data: s.Data}
			for _, at := range s.Offsets {
				m.StringOffsets = append(m.StringOffsets, uint64(at))
			}
			return m
		}
		src, dst, n := ids(b.Src, b.SrcStrings), ids(b.Dst, b.DstStrings), len(b.Src)
		if b.SrcStrings != nil {
			n = b.SrcStrings.Len()
		}
		for i := range uint32(n) {
			edge := src.Format(i) + "\t" + dst.Format(i)
			if b.Weighted() {
				edge += fmt.Sprintf("\t%g", b.FloatWeight(int(i)))
			}
			edges = append(edges, edge)
		}
	}
	slices.Sort(edges)
	return edges, set.Info().IDType, nil
}

func diff(t *testing.T, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: %d edges, want %d; the first that differs is %q, want %q", what, len(got), len(want), got[i], want[i])
		}
	}
	t.Fatalf("%s: %d edges, want %d", what, len(got), len(want))
}

// file is a codec, what parquet_metadata must then say of it, and what it is
// tested with.
type file struct {
	options  string
	codec    string
	variants []string
}

var files = []file{
	{"CODEC uncompressed", "UNCOMPRESSED", variants},
	{"CODEC snappy", "SNAPPY", variants},
	{"CODEC gzip", "GZIP", variants},
	{"CODEC zstd", "ZSTD", variants},
	{"CODEC zstd, COMPRESSION_LEVEL 9", "ZSTD", variants},
	{"CODEC brotli", "BROTLI", variants[5:7]}, // DuckDB takes seconds for each,
	{"CODEC lz4", "LZ4_RAW", variants},
	{"CODEC lz4_raw", "LZ4_RAW", variants},
}

var variants = []string{
	"PARQUET_VERSION V1",
	"PARQUET_VERSION V2",
	"PARQUET_VERSION V1, ROW_GROUP_SIZE 2048",
	"PARQUET_VERSION V2, ROW_GROUP_SIZE 2048",
	"PARQUET_VERSION V1, DICTIONARY_SIZE_LIMIT 1",
	"PARQUET_VERSION V2, DICTIONARY_SIZE_LIMIT 1, ROW_GROUP_SIZE 4096",
	"PARQUET_VERSION V2, DICTIONARY_SIZE_LIMIT 100000, WRITE_BLOOM_FILTER true, BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.001",
	"PARQUET_VERSION V1, DICTIONARY_SIZE_LIMIT 100000, STRING_DICTIONARY_PAGE_SIZE_LIMIT 100000, WRITE_BLOOM_FILTER false, ROW_GROUP_SIZE 2048",
}

func TestDuckDBWrites(t *testing.T) {
	d := open(t)
	d.fill()
	want := map[string][]string{}
	for _, c := range columns {
		want[c.name] = d.want(c)
	}
	dir := t.TempDir()
	seen := map[string]bool{}
	for i, f := range files {
		for j, v := range f.variants {
			path := filepath.Join(dir, fmt.Sprintf("%d-%d.parquet", i, j))
			how := f.options + ", " + v
			d.exec("COPY t TO '%s' (FORMAT parquet, %s)", path, how)
			if codecs := d.strings("SELECT DISTINCT compression FROM parquet_metadata('%s')", path); !slices.Equal(codecs, []string{f.codec}) {
				t.Fatalf("%s: DuckDB wrote %v, want %s", how, codecs, f.codec)
			}
			for _, s := range d.strings("SELECT DISTINCT encodings || CASE WHEN bloom_filter_offset IS NULL THEN '' ELSE ' bloom' END FROM parquet_metadata('%s')", path) {
				seen[s] = true
			}
			for _, c := range columns {
				edges, id, err := got(path, arrow.Options{Source: c.name + "_src", Target: c.name + "_dst"})
				switch {
				case c.mayRefuse && errors.Is(err, arrow.ErrColumnType):
					continue
				case err != nil:
					t.Fatalf("%s: %s: %v", how, c.typ, err)
				case !c.mayRefuse && id != c.id:
					t.Fatalf("%s: %s is read as %v, want %v", how, c.typ, id, c.id)
				}
				diff(t, how+": "+c.typ, edges, want[c.name])
			}
		}
	}
	t.Log("encodings that DuckDB wrote:", seen)
	for _, encoding := range []string{"PLAIN", "RLE_DICTIONARY", "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "bloom"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(seen)), func(s string) bool { return strings.Contains(s, encoding) }) {
			t.Errorf("DuckDB never wrote %s: the test lacks it", encoding)
		}
	}
}

func TestDuckDBWeightsAndNulls(t *testing.T) {
	d := open(t)
	d.fill()
	for _, v := range variants {
		path := filepath.Join(t.TempDir(), "t.parquet")
		d.exec("COPY t TO '%s' (FORMAT parquet, CODEC zstd, %s)", path, v)
		for _, w := range []string{"wf", "wd", "wi"} {
			edges, _, err := got(path, arrow.Options{Source: "i64_src", Target: "i64_dst", Weight: w})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for i, s := range d.strings("SELECT i64_src::VARCHAR || '\t' || i64_dst::VARCHAR || '\t' FROM t") {
				x := float32(i) / 8
				if w == "wi" {
					x = float32(i % 3)
				}
				want = append(want, fmt.Sprintf("%s%g", s, x))
			}
			slices.Sort(want)
			diff(t, v+": weights "+w, edges, want)
		}
		o := arrow.Options{Source: "null_src", Target: "null_dst"}
		if _, _, err := got(path, o); !errors.Is(err, arrow.ErrNull) {
			t.Fatalf("%s: nulls: %v, want ErrNull", v, err)
		}
		o.SkipNulls = true
		edges, _, err := got(path, o)
		if err != nil {
			t.Fatal(err)
		}
		want := d.strings("SELECT null_src::VARCHAR || '\t' || null_dst::VARCHAR FROM t WHERE null_src IS NOT NULL AND null_dst IS NOT NULL")
		slices.Sort(want)
		diff(t, v+": without nulls", edges, want)
	}
}

// Whole columns of one value, of one value with a single exception, ascending,
// descending and of extremes, since these have special encodings.
func TestDuckDBPatterns(t *testing.T) {
	d := open(t)
	d.exec(`CREATE TABLE p AS SELECT 7::BIGINT AS one, CASE WHEN i = 3000 THEN %d ELSE %d END AS almost,
		i AS up, -i AS down, CASE WHEN i %% 2 = 0 THEN %[1]d ELSE %[2]d END AS ends, (i * i * i)::BIGINT AS cubes
		FROM range(5000) r(i)`, int64(math.MaxInt64), int64(math.MinInt64))
	names := []string{"one", "almost", "up", "down", "ends", "cubes"}
	for _, v := range variants {
		path := filepath.Join(t.TempDir(), "p.parquet")
		d.exec("COPY p TO '%s' (FORMAT parquet, CODEC snappy, %s)", path, v)
		for i, src := range names {
			dst := names[(i+1)%len(names)]
			edges, _, err := got(path, arrow.Options{Source: src, Target: dst})
			if err != nil {
				t.Fatalf("%s: %s, %s: %v", v, src, dst, err)
			}
			want := d.strings("SELECT %s::VARCHAR || '\t' || %s::VARCHAR FROM p", src, dst)
			slices.Sort(want)
			diff(t, fmt.Sprintf("%s: %s, %s", v, src, dst), edges, want)
		}
	}
}
