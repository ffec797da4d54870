// This file tests what Parquet files have besides rows: footers, statistics,
// bounds on pages and row groups.

package write

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// TestParquetFooter checks what engines read before any data: offsets, sizes
// and statistics of the column chunks.
func TestParquetFooter(t *testing.T) {
	ids := &graph.IDs{Type: graph.Uint64, Len: 5, Ints: []int64{3, -1, 7, 0, 9}}
	r := samples.TestResult{DepthList: []int32{-1, 5, 2, 9, -1}, ParentList: []uint32{graph.NoVertex, 2, 3, 3, graph.NoVertex}}
	var out bytes.Buffer
	if err := WriteResult(context.Background(), "-", samples.WithIDs(t, ids), r, WriteOptions{Format: "parquet", Stdout: &out, RowGroup: 3}); err != nil {
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

// TestParquetStatistics compares the statistics of every type with the values.
func TestParquetStatistics(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	floats := []float32{nan, 0, float32(math.Copysign(0, -1)), 1, -1, inf, -inf, 1e-45}
	for round := range 30 {
		for _, typ := range idTypes {
			float := typ == graph.Int64 && round%2 == 0
			f := outField{typ: idType(typ), optional: true, repeats: round%3 == 0}
			if float {
				f.typ = weightType
			}
			ids := randomResultIDs(rng, typ, 30)
			p := newParquetColumn(&f, &pagePool{})
			var c outColumn
			for range rng.IntN(4) {
				v := rng.IntN(ids.Len)
				c.ints = append(c.ints, ids.Int(uint32(v)))
				c.bytes = append(c.bytes, ids.Bytes(uint32(v)))
				c.floats = append(c.floats, floats[rng.IntN(len(floats))])
				c.valid = append(c.valid, rng.IntN(4) > 0)
			}
			p.append(&c, 0, len(c.valid))
			p.stats.nulls = int64(p.page.nulls)
			got := p.stats.encode(&f)

			nulls, lo, hi := 0, -1, -1
			less := func(a, b int) bool {
				switch {
				case float:
					return c.floats[a] < c.floats[b]
				case !typ.Integer():
					return bytes.Compare(c.bytes[a], c.bytes[b]) < 0
				case typ.Signed():
					return c.ints[a] < c.ints[b]
				}
				return uint64(c.ints[a]) < uint64(c.ints[b])
			}
			for i, valid := range c.valid {
				switch {
				case !valid:
					nulls++
					continue
				case float && c.floats[i] != c.floats[i]:
					continue
				}
				if lo < 0 || less(i, lo) {
					lo = i
				}
				if hi < 0 || less(hi, i) {
					hi = i
				}
			}
			plain := func(i int, zero float32) []byte {
				switch {
				case float && c.floats[i] == 0:
					return binary.LittleEndian.AppendUint32(nil, math.Float32bits(zero))
				case float:
					return binary.LittleEndian.AppendUint32(nil, math.Float32bits(c.floats[i]))
				case !typ.Integer():
					return c.bytes[i]
				}
				return binary.LittleEndian.AppendUint64(nil, uint64(c.ints[i]))[:max(4, intBits(typ)/8)]
			}
			if got.NullCount != int64(nulls) || got.HasMin != (lo >= 0) || got.HasMax != (lo >= 0) ||
				lo >= 0 && !(bytes.Equal(got.Min, plain(lo, float32(math.Copysign(0, -1)))) && bytes.Equal(got.Max, plain(hi, 0))) {
				t.Fatalf("%v (float: %t) of %v %q %v, valid %v: statistics %+v", typ, float, c.ints, c.bytes, c.floats, c.valid, got)
			}
		}
	}
	// Long strings have none, rather than a piece that is no bound.
	f := outField{typ: idType(graph.String)}
	p := newParquetColumn(&f, &pagePool{})
	p.append(&outColumn{bytes: [][]byte{[]byte("a"), bytes.Repeat([]byte("b"), maxStatBytes+1)}}, 0, 2)
	if got := p.stats.encode(&f); !got.HasMin || got.HasMax {
		t.Errorf("statistics of a long string: %v, %v", got.HasMin, got.HasMax)
	}
}

func TestParquetTooManyGroups(t *testing.T) {
	spec := WriteSpec{WriteOptions: WriteOptions{Compression: "none", RowGroup: 1}}
	e, err := newParquetEncoder(newCountingWriter(&bytes.Buffer{}), []outField{{name: "a", typ: idType(graph.Int8)}}, &spec)
	if err != nil {
		t.Fatal(err)
	}
	for range maxGroups - 1 {
		e.meta.AddGroup(0, nil)
	}
	err = e.write(&outBatch{n: 2, cols: []outColumn{{ints: []int64{1, 2}}}})
	if !errors.Is(err, ErrOutputOption) || !strings.Contains(err.Error(), "let WriteOptions.RowGroup be more than 1") {
		t.Errorf("got %v", err)
	}
}

// TestParquetSameBytes: a file doesn't depend on which goroutine compressed
// which page.
func TestParquetSameBytes(t *testing.T) {
	testlong.Only(t)
	t.Parallel()
	n := testlong.Of(150_000, 400_000)
	rng := rand.New(rand.NewPCG(8, 9))
	ids := &graph.IDs{Type: graph.Int64, Len: n}
	r := samples.TestResult{DepthList: make([]int32, n), ParentList: make([]uint32, n)}
	for v := range n {
		x := rng.Float64()
		ids.Ints = append(ids.Ints, int64(uint64(v)*0x9E3779B97F4A7C15>>20))
		r.DepthList[v], r.ParentList[v] = rng.Int32N(1<<rng.IntN(20)), uint32(x*x*x*float64(n))
	}
	g := samples.WithIDs(t, ids)
	for _, codec := range parquetCodecNames {
		var first []byte
		for run := range 3 {
			var out bytes.Buffer
			if err := WriteResult(context.Background(), "-", g, r, WriteOptions{Format: "parquet", Compression: codec, RowGroup: n * 2 / 3, Stdout: &out}); err != nil {
				t.Fatal(err)
			}
			if run == 0 {
				first = bytes.Clone(out.Bytes())
			} else if !bytes.Equal(first, out.Bytes()) {
				t.Errorf("%s: another file, %d bytes and %d", codec, len(first), out.Len())
			}
		}
	}
}

// TestParquetPages: pages are bounded in bytes and, where values are missing,
// in rows, and are otherwise as large as they may be.
func TestParquetPages(t *testing.T) {
	const n = 2*pageRows + 1000
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: n})
	r := samples.TestResult{DepthList: make([]int32, n), ParentList: make([]uint32, n)}
	for v := range n {
		r.DepthList[v], r.ParentList[v] = int32(v), graph.NoVertex
	}
	var out bytes.Buffer
	if err := WriteResult(context.Background(), "-", g, r, WriteOptions{Format: "parquet", Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	f, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int32{{pageRows / 2, pageRows / 2, pageRows / 2, pageRows / 2, 1000}, {pageRows, pageRows, 1000}, {pageRows, pageRows, 1000}} {
		pages, err := f.RowGroup(0).GetColumnPageReader(i)
		if err != nil {
			t.Fatal(err)
		}
		var got []int32
		for pages.Next() {
			got = append(got, pages.Page().NumValues())
		}
		if err := pages.Err(); err != nil || !slices.Equal(got, want) {
			t.Errorf("column %d has pages of %v rows, want %v (%v)", i, got, want, err)
		}
	}
}

// TestLongStrings writes strings past the limits on pages, row groups and
// record batches, with limits that are small.
func TestLongStrings(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	fields := []outField{{name: "a", typ: idType(graph.String)}, {name: "b", typ: idType(graph.Binary), optional: true}}
	b := outBatch{n: 500, cols: make([]outColumn, 2)}
	var rows [][]string
	longest := 0
	for range b.n {
		x, y := strings.Repeat("x", rng.IntN(50)), strings.Repeat("\xab", rng.IntN(200))
		valid := rng.IntN(3) > 0
		b.cols[0].bytes = append(b.cols[0].bytes, []byte(x))
		b.cols[1].bytes = append(b.cols[1].bytes, []byte(y))
		b.cols[1].valid = append(b.cols[1].valid, valid)
		y = fmt.Sprintf("%x", y)
		if !valid {
			y = samples.Null
			b.cols[1].bytes[len(rows)] = nil
		} else {
			longest = max(longest, len(y)/2)
		}
		rows = append(rows, []string{x, y})
	}
	spec := WriteSpec{WriteOptions: WriteOptions{Compression: "none", RowGroup: 400}}
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

// TestWriteMemoryLimit: a limit of memory makes row groups smaller, and leaves the rows; one that is too low is
// refused, and nothing is written.
func TestWriteMemoryLimit(t *testing.T) {
	testlong.Project(t)
	const n = 700_000
	src, dst := make([]int64, n), make([]int64, n)
	for i := range src {
		src[i], dst[i] = int64(i), int64(i*i)
	}
	read := func(_ context.Context, yield func(graph.Batch) error) error {
		return yield(graph.Batch{Type: graph.Int64, Src: src, Dst: dst})
	}
	for _, format := range []string{"parquet", "arrow", "csv", "jsonl"} {
		var out bytes.Buffer
		err := WriteEdgeBatches(context.Background(), "-", read, WriteOptions{Format: format, Stdout: &out, MemoryLimit: 1 << 20})
		if !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), "takes at least") {
			t.Errorf("%s: %v", format, err)
		}
	}
	for limit, groups := range map[uint64]int{0: 1, 1 << 40: 1, 24 << 20: 4} {
		var out bytes.Buffer
		if err := WriteEdgeBatches(context.Background(), "-", read, WriteOptions{Format: "parquet", Stdout: &out, MemoryLimit: limit}); err != nil {
			t.Fatal(err)
		}
		f, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if f.NumRows() != n || f.NumRowGroups() < groups || groups == 1 && f.NumRowGroups() > 1 {
			t.Errorf("with %d bytes: %d rows in %d groups, want %d", limit, f.NumRows(), f.NumRowGroups(), groups)
		}
	}
}
