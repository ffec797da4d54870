// This file tests what reading says when it fails.

package dataset

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// people is a Parquet file with columns of many types.
func people(t testing.TB) []byte {
	ty := parquet.Types
	n := 3
	i64, i32, f64 := []int64{1, 2, 3}, []int32{1, 2, 3}, []float64{1, 2, 3}
	text := []parquet.ByteArray{[]byte("a"), []byte("b"), []byte("c")}
	return samples.WriteParquet(t, n, n, []samples.ParquetColumn{
		{Node: samples.Node(t, "src", false, nil, ty.Int64, 0), Values: i64},
		{Node: samples.Node(t, "dst", true, nil, ty.Int64, 0), Values: i64, Valid: []bool{true, false, true}},
		{Node: samples.Node(t, "small", false, nil, ty.Int32, 0), Values: i32},
		{Node: samples.Node(t, "when", false, schema.NewTimestampLogicalType(true, schema.TimeUnitMicros), ty.Int64, 0), Values: i64},
		{Node: samples.Node(t, "day", false, schema.DateLogicalType{}, ty.Int32, 0), Values: i32},
		{Node: samples.Node(t, "price", false, schema.NewDecimalLogicalType(9, 2), ty.Int32, 0), Values: i32},
		{Node: samples.Node(t, "score", false, nil, ty.Double, 0), Values: f64},
		{Node: samples.Node(t, "name", false, schema.StringLogicalType{}, ty.ByteArray, 0), Values: text},
	})
}

// check fails the test unless err is of the kind and its text matches.
func check(t *testing.T, err, kind error, says string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%v is not %v", err, kind)
		return
	}
	if ok, _ := regexp.MatchString(says, err.Error()); !ok {
		t.Errorf("%q, want %q", err, says)
	}
}

func TestReadFails(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		return samples.WriteTo(t, filepath.Join(dir, name), data)
	}
	good := people(t)
	file := put("people.parquet", good)
	put("empty/_SUCCESS", nil)
	put("empty/.hidden.parquet", good)
	put("empty/_temporary/part.parquet", good)
	put("empty/notes.txt", []byte("no data"))
	put("texts/below/notes.txt", []byte("no data"))
	put("left/_SUCCESS", nil)
	if err := os.MkdirAll(filepath.Join(dir, "nested", "x.parquet"), 0o777); err != nil {
		t.Fatal(err)
	}
	ints := column64("src", 0, ramp(10, 0))
	put("mixed/a.parquet", craft.File(10, ints, column64("dst", 0, ramp(10, 0))))
	put("mixed/b.parquet", samples.WriteParquet(t, 1, 1, []samples.ParquetColumn{
		{Node: samples.Node(t, "src", false, schema.StringLogicalType{}, parquet.Types.ByteArray, 0), Values: []parquet.ByteArray{[]byte("a")}},
		{Node: samples.Node(t, "dst", false, schema.StringLogicalType{}, parquet.Types.ByteArray, 0), Values: []parquet.ByteArray{[]byte("b")}}}))
	cut := put("cut.parquet", good[:len(good)/2])
	short := bytes.Clone(good)
	copy(short[len(short)-8:], []byte{0xff, 0xff, 0xff, 0x7f})
	footer := put("footer.parquet", short)
	text := put("text.parquet", []byte("src,dst\n1,2\n"))
	feather := put("old.feather", []byte("FEA1...."))
	locked := put("locked.parquet", []byte("PAR1............PARE"))
	blank := put("blank.parquet", nil)
	lists := put("lists.parquet", craft.Footer([]byte("PAR1"), new(craft.Struct).Int(1, 1).List(2,
		new(craft.Struct).Bytes(4, "s").Int(5, 2),
		new(craft.Struct).Int(1, 2).Int(3, 2).Bytes(4, "src"), new(craft.Struct).Int(1, 2).Int(3, 0).Bytes(4, "dst")).Int(3, 0)))
	pairs := put("pairs.parquet", craft.File(1, column64("src", 0, ramp(1, 0)), column64("dst", 0, ramp(1, 0)),
		column64("from", 0, ramp(1, 0)), column64("to", 0, ramp(1, 0))))
	twice := put("twice.parquet", craft.File(1, column64("a", 0, ramp(1, 0)), column64("a", 0, ramp(1, 0)), column64("b", 0, ramp(1, 0))))
	lzo := put("lzo.parquet", craft.File(10, &craft.Column{Name: "src", Type: pqInt64, Codec: pqLZO, Rows: 10,
		Pages: []craft.Page{{Values: 10, Body: plain64(ramp(10, 0)...)}}}, column64("dst", 0, ramp(10, 0))))
	broken := craft.File(10, ints, column64("dst", 0, ramp(10, 0)))
	broken[6] ^= 0xff // in the first page's header
	page := put("page.parquet", broken)

	for _, c := range []struct {
		name, path string
		o          Options
		kind       error
		says       string
	}{
		{"missing file", filepath.Join(dir, "none.parquet"), Options{}, fs.ErrNotExist, `^arrow: .*none\.parquet: no such file`},
		{"missing directory", filepath.Join(dir, "none/"), Options{}, fs.ErrNotExist, `none`},
		{"directory without data", filepath.Join(dir, "empty"), Options{}, input.ErrNoData, `empty: no data: the directory has no files that end in \.parquet`},
		{"directory with another format", filepath.Join(dir, "texts"), Options{}, input.ErrNoData, `ipc or \.arrows, but others, such as below.notes\.txt; name such files, or a pattern of them`},
		{"directory of hidden files", filepath.Join(dir, "empty", "_temporary", ".."), Options{}, input.ErrNoData, `empty.*but others, such as notes\.txt`},
		{"directory with a directory", filepath.Join(dir, "nested"), Options{}, input.ErrNoData, `ipc or \.arrows, only directories without a file; check what wrote it$`},
		{"directory of what is left out", filepath.Join(dir, "left"), Options{}, input.ErrNoData, `only names that begin with a dot or an underscore, which are left out$`},
		{"empty directory", filepath.Join(dir, "nested", "x.parquet"), Options{}, input.ErrNoData, `ipc or \.arrows: it is empty$`},
		{"JSON lines", put("a.jsonl", []byte(`{"src":1,"dst":2}`)), Options{}, input.ErrFormat, `a\.jsonl: unknown format: it begins with "{\\"src\\":1" like JSON; package edgelist reads JSON lines, an object per edge, by the name \.jsonl$`},
		{"pattern without matches", filepath.Join(dir, "*.orc"), Options{}, input.ErrNoData, `no data: no file matches ".*\.orc"`},
		{"bad pattern", filepath.Join(dir, "[.parquet"), Options{}, filepath.ErrBadPattern, `pattern ".*": syntax error`},
		{"not a data file", text, Options{}, input.ErrFormat, `text\.parquet: unknown format: neither Parquet nor Arrow IPC; it begins with "src,dst`},
		{"empty file is damaged", blank, Options{}, input.ErrDamaged, `blank\.parquet: unknown format: the file is empty; check what wrote it$`},
		{"empty file", blank, Options{}, input.ErrFormat, `blank\.parquet: unknown format: the file is empty; check what wrote it$`},
		{"feather 1", feather, Options{}, input.ErrUnsupported, `old\.feather: unsupported: Feather version 1; write the file again`},
		{"encrypted", locked, Options{}, input.ErrUnsupported, `locked\.parquet: unsupported: the file is encrypted$`},
		{"truncated", cut, Options{}, input.ErrDamaged, `cut\.parquet: damaged file: it doesn't end with PAR1; it may be truncated$`},
		{"footer", footer, Options{}, input.ErrDamaged, `footer\.parquet: damaged file: a footer of 2147483647 bytes in a file of \d+$`},
		{"missing column", file, Options{Source: "src", Target: "dest"}, input.ErrColumn,
			`people\.parquet: column "dest": Options\.Target names it, but the columns are "src" \(int64\), "dst" \(int64\), "small" \(int32\), "when" \(timestamp\)`},
		{"missing weight", file, Options{Weight: "w"}, input.ErrColumn, `column "w": Options\.Weight names it`},
		{"no weight", file, Options{Graph: graph.Options{Weights: true}}, input.ErrColumn, `no column is named "weight"; name it in Options\.Weight`},
		{"timestamp", file, Options{Source: "src", Target: "when"}, input.ErrColumnType, `column "when": wrong column type: it is timestamp\[us,UTC\], but column "src" is int64; ids have to be`},
		{"date", file, Options{Source: "day", Target: "small"}, input.ErrColumnType, `column "small": .* it is int32, but column "day" is date32; ids`},
		{"decimal", file, Options{Source: "price", Target: "small"}, input.ErrColumnType, `column "price": .* but it is decimal of scale 2$`},
		{"float", file, Options{Source: "score", Target: "src"}, input.ErrColumnType, `column "score": .* but it is double$`},
		{"string as weight", file, Options{Weight: "name"}, input.ErrColumnType, `column "name": wrong column type: weights are numbers, but it is string$`},
		{"two types", file, Options{Source: "src", Target: "name"}, input.ErrColumnType,
			`people\.parquet: column "name": wrong column type: it is string, but column "src" is int64; ids have to be all integers \(uint64 with unsigned ones only\), all strings, all binary, or all of one date, timestamp or decimal type; where sources and targets are different things, give both columns kinds, as in user:u$`},
		{"two types in two files", filepath.Join(dir, "mixed"), Options{}, input.ErrColumnType,
			`b\.parquet: column "src": wrong column type: it is string, but in .*a\.parquet ids are int64; ids have to be all integers .*$`},
		{"one column twice", file, Options{Source: "src", Target: "src"}, input.ErrColumn, `column "src": it can't be both ends of an edge; Options\.Source and Options\.Target have to differ; the columns are "src"`},
		{"repeated", lists, Options{}, input.ErrColumnType, `column "src": wrong column type: ids are .*, but it is list of int64$`},
		{"several pairs", pairs, Options{}, input.ErrColumn, `several pairs of columns may be source and target; name them in Options\.Source`},
		{"nothing to guess", file, Options{Source: "small"}, input.ErrColumn, `which column goes with "small" isn't clear; name it in Options\.Target; the columns are`},
		{"two of a name", twice, Options{Source: "a", Target: "b"}, input.ErrColumn, `column "a": Options\.Source names it, but there are several`},
		{"codec", lzo, Options{}, input.ErrUnsupported, `lzo\.parquet: row group 0, column "src": unsupported: codec LZO$`},
		{"page", page, Options{}, input.ErrDamaged, `page\.parquet: row group 0, column "src": damaged file: `},
		{"null", file, Options{}, input.ErrNull, `people\.parquet: row group 0, column "dst", row 1: null: an edge without target; set Options\.SkipNulls`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(context.Background(), c.path, c.o)
			check(t, err, c.kind, c.says)
		})
	}
	none := put("none/a.parquet", craft.File(0, column64("src", 0, nil), column64("dst", 0, nil)))
	put("none/b.parquet", craft.File(0, column64("src", 0, nil), column64("dst", 0, nil)))
	for _, twoPass := range []bool{false, true} {
		_, err := Load(context.Background(), none, Options{TwoPass: twoPass})
		check(t, err, graph.ErrEmpty, `a\.parquet: graph: empty input: there are no rows; check what wrote it$`)
		_, err = Load(context.Background(), filepath.Dir(none), Options{TwoPass: twoPass})
		check(t, err, graph.ErrEmpty, `none: graph: empty input: there are no rows in the 2 files; check what wrote it$`)
	}
	if _, err := LoadAll(context.Background(), nil, Options{}); !errors.Is(err, input.ErrNoData) {
		t.Errorf("no paths: %v", err)
	}
	var where *input.FileError
	if _, err := Load(context.Background(), file, Options{}); !errors.As(err, &where) ||
		where.Path != file || where.Part != "row group" || where.Block != 0 || where.Column != "dst" || where.Row != 1 {
		t.Errorf("%+v", where)
	}
}
