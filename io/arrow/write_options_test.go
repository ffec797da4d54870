// This file tests how options and extensions choose formats, compressions and
// row groups, and that wrong ones are told apart before anything is written.

package arrow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/foray-graph/foray/graph"
)

func TestWriteOptionErrors(t *testing.T) {
	g := withIDs(t, &graph.IDs{Type: graph.Int64, Len: 1})
	r := testResult{depths: []int32{0}}
	const formats = "arrow, arrows, csv, feather, ipc, jsonl, ndjson or parquet"
	for _, c := range []struct {
		name string
		o    []WriteOptions
		want error
		says string
	}{
		{"r", nil, ErrOutputFormat, "r has no extension to tell it: end it in ." + formats + ", or name the format"},
		{"r.", nil, ErrOutputFormat, formats},
		{"r.xlsx", nil, ErrOutputFormat, `extension "xlsx"; choose ` + formats},
		{"r.csv.gz", nil, ErrOutputFormat, "write it without .gz"},
		{"r.csv.ZST", nil, ErrOutputFormat, "write it without .zst"},
		{"r.csv", []WriteOptions{{Format: "orc"}}, ErrOutputFormat, `format "orc"; choose ` + formats},
		{"r.csv", []WriteOptions{{Compression: "gzip"}}, ErrOutputOption, `compression "gzip" for csv; choose none`},
		{"r.jsonl", []WriteOptions{{Compression: "zstd"}}, ErrOutputOption, "choose none"},
		{"r.arrow", []WriteOptions{{Compression: "snappy"}}, ErrOutputOption, "for arrow; choose none, zstd or lz4"},
		{"r.parquet", []WriteOptions{{Compression: "lzo"}}, ErrOutputOption, "choose zstd, snappy, gzip, brotli or none"},
		{"r.parquet", []WriteOptions{{RowGroup: -1}}, ErrOutputOption, "row groups of -1 rows"},
		{"r.csv", []WriteOptions{{}, {}}, ErrOutputOption, "give one or none"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		for what, err := range map[string]error{
			"result": WriteResult(context.Background(), path, g, r, c.o...),
			"edges":  WriteEdges(context.Background(), path, g, c.o...),
			"batches": WriteEdgeBatches(context.Background(), path,
				func(context.Context, func(graph.Batch) error) error { return nil }, c.o...),
		} {
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s to %s with %+v: %v, want %q", what, c.name, c.o, err, c.says)
			}
		}
		unchanged(t, dir, path, "")
	}
	if err := WriteEdges(context.Background(), "x.csv", nil); !errors.Is(err, graph.ErrMalformed) {
		t.Errorf("edges of no graph: %v", err)
	}
}

func TestWriteCompression(t *testing.T) {
	g, r := largeResult(t, rand.New(rand.NewPCG(19, 20)))
	for v := range r.depths {
		r.depths[v] %= 4
	}
	sizes := map[string]int64{}
	for _, codec := range append([]string{""}, parquetCodecNames...) {
		path := filepath.Join(t.TempDir(), "r.parquet")
		if err := WriteResult(context.Background(), path, g, r, WriteOptions{Compression: codec}); err != nil {
			t.Fatal(err)
		}
		want := codec
		switch codec {
		case "":
			want = "zstd"
		case "none":
			want = "uncompressed"
		}
		if got := readBack(t, path).codecs; len(got) != 1 || !got[want] {
			t.Errorf("compression %q writes %v", codec, got)
		}
	}
	for _, codec := range append([]string{""}, ipcCodecNames...) {
		path := filepath.Join(t.TempDir(), "r.arrow")
		if err := WriteResult(context.Background(), path, g, r, WriteOptions{Compression: codec}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		sizes[codec] = info.Size()
	}
	if sizes[""] != sizes["none"] || sizes["zstd"] >= sizes["none"] || sizes["lz4"] >= sizes["none"] || sizes["zstd"] == sizes["lz4"] {
		t.Errorf("IPC sizes: %v", sizes)
	}
}

// TestWriteDeterministic: the same input makes the same bytes.
func TestWriteDeterministic(t *testing.T) {
	g, r := largeResult(t, rand.New(rand.NewPCG(21, 22)))
	o := WriteOptions{Metadata: map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"}}
	for _, format := range []string{"parquet", "arrow"} {
		var outs [2]bytes.Buffer
		for i := range outs {
			o.Format, o.Stdout = format, &outs[i]
			if err := WriteResult(context.Background(), "-", g, r, o); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(outs[0].Bytes(), outs[1].Bytes()) {
			t.Errorf("%s differs from one time to the next", format)
		}
	}
}

// TestParquetFooter checks what engines read before any data: offsets, sizes
// and statistics of the column chunks.
func TestParquetFooter(t *testing.T) {
	ids := &graph.IDs{Type: graph.Uint64, Len: 5, Ints: []int64{3, -1, 7, 0, 9}}
	r := testResult{[]int32{-1, 5, 2, 9, -1}, []uint32{graph.NoVertex, 2, 3, 3, graph.NoVertex}}
	var out bytes.Buffer
	if err := WriteResult(context.Background(), "-", withIDs(t, ids), r, WriteOptions{Format: "parquet", Stdout: &out, RowGroup: 3}); err != nil {
		t.Fatal(err)
	}
	f, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	// Least, greatest and missing values: of unsigned ids as unsigned numbers.
	want := [][]string{{"3..18446744073709551615 0", "2..5 1", "0..7 1"}, {"0..9 0", "9..9 1", "0..0 1"}}
	next := int64(4) // after the magic bytes
	for g := range f.NumRowGroups() {
		rg := f.MetaData().RowGroup(g)
		var size int64
		for i := range 3 {
			meta, err := rg.ColumnChunk(i)
			if err != nil {
				t.Fatal(err)
			}
			begin := meta.DataPageOffset()
			if meta.HasDictionaryPage() {
				begin = min(begin, meta.DictionaryPageOffset())
			}
			if begin < next {
				t.Errorf("row group %d, column %d begins at %d, before %d", g, i, begin, next)
			}
			next = begin + meta.TotalCompressedSize()
			size += meta.TotalUncompressedSize()
			stats, err := meta.Statistics()
			if err != nil || stats == nil {
				t.Fatalf("row group %d, column %d: statistics %v, %v", g, i, stats, err)
			}
			lo, hi := stats.EncodeMin(), stats.EncodeMax()
			if got := fmt.Sprintf("%d..%d %d", littleEndian(lo), littleEndian(hi), stats.NullCount()); got != want[g][i] {
				t.Errorf("row group %d, column %d: statistics %s, want %s", g, i, got, want[g][i])
			}
		}
		if got := rg.TotalByteSize(); got != size {
			t.Errorf("row group %d says %d bytes, its columns %d", g, got, size)
		}
	}
	if f.NumRowGroups() != 2 || next > int64(out.Len()) {
		t.Errorf("%d row groups, data to %d of %d", f.NumRowGroups(), next, out.Len())
	}
}

func littleEndian(b []byte) (x uint64) {
	for i, v := range b {
		x |= uint64(v) << (8 * i)
	}
	return x
}

func TestParquetTooManyGroups(t *testing.T) {
	spec := writeSpec{WriteOptions: WriteOptions{Compression: "none", RowGroup: 1}}
	e, err := newParquetEncoder(newCountingWriter(&bytes.Buffer{}), []outField{{name: "a", typ: graph.Int8}}, &spec)
	if err != nil {
		t.Fatal(err)
	}
	e.groups = maxGroups - 1
	err = e.write(&outBatch{n: 2, cols: []outColumn{{ints: []int64{1, 2}}}})
	if !errors.Is(err, ErrOutputOption) || !strings.Contains(err.Error(), "let WriteOptions.RowGroup be more than 1") {
		t.Errorf("got %v", err)
	}
}

// TestLongStrings writes strings past the limits on pages, row groups and
// record batches, with limits that are small.
func TestLongStrings(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	fields := []outField{{name: "a", typ: graph.String}, {name: "b", typ: graph.Binary, optional: true}}
	b := outBatch{n: 500, cols: make([]outColumn, 2)}
	var rows [][]string
	longest := 0
	for range b.n {
		x, y := strings.Repeat("x", rng.IntN(50)), strings.Repeat("\xab", rng.IntN(200))
		valid := rng.IntN(3) > 0
		b.cols[0].bytes = append(b.cols[0].bytes, parquet.ByteArray(x))
		b.cols[1].bytes = append(b.cols[1].bytes, parquet.ByteArray(y))
		b.cols[1].valid = append(b.cols[1].valid, valid)
		y = fmt.Sprintf("%x", y)
		if !valid {
			y = null
			b.cols[1].bytes[len(rows)] = nil
		} else {
			longest = max(longest, len(y)/2)
		}
		rows = append(rows, []string{x, y})
	}
	spec := writeSpec{WriteOptions: WriteOptions{Compression: "none", RowGroup: 400}}
	names, types := []string{"a", "b"}, []string{"string", "binary?"}

	for _, limit := range []int{1, 100, 1000, 1 << 20} {
		var out bytes.Buffer
		w := newCountingWriter(&out)
		p, err := newParquetEncoder(w, fields, &spec)
		if err != nil {
			t.Fatal(err)
		}
		p.groupBytes = limit
		p.cols[0].pageBytes, p.cols[1].pageBytes = limit, limit
		for range 2 {
			if err := p.write(&b); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(p.close(), w.Flush()); err != nil {
			t.Fatal(err)
		}
		got := readBytes(t, "parquet", out.Bytes())
		got.equal(t, names, types, append(slices.Clone(rows), rows...))
		if want := map[bool]int{true: 4, false: 3}[limit < 1<<20]; len(got.groups) != want {
			t.Errorf("row groups of %v rows with a limit of %d bytes", got.groups, limit)
		}

		out.Reset()
		w = newCountingWriter(&out)
		i, err := newIPCEncoder(w, fields, &spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(i.writeRows(&b, 0, b.n, limit), i.close(), w.Flush()); err != nil {
			t.Fatal(err)
		}
		got = readBytes(t, "arrow", out.Bytes())
		got.equal(t, names, types, rows)
		first := 0
		for _, n := range got.groups {
			size := columnBytes(&fields[1], &b.cols[1], first, first+n)
			if size > limit && n > 1 {
				t.Errorf("a record batch of %d rows and %d bytes with a limit of %d", n, size, limit)
			}
			first += n
		}
	}
}

func TestIDTooLong(t *testing.T) {
	if err := checkIDLength(maxIDBytes); err != nil {
		t.Error(err)
	}
	if err := checkIDLength(maxIDBytes + 1); !errors.Is(err, graph.ErrIDRange) {
		t.Errorf("got %v", err)
	}
}
