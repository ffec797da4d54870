// This file reads Parquet files that are put together by hand: odd ones that
// are fine, and those that mean harm.

package arrow

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Numbers of the Parquet format.
const (
	pqInt32, pqInt64, pqFloat, pqDouble, pqBytes, pqFixed = 1, 2, 4, 5, 6, 7
	pqPlain, pqRLEDict, pqDelta, pqDeltaBytes, pqSplit    = 0, 8, 5, 7, 9
	pqNone, pqSnappy, pqGzip, pqLZO, pqBrotli, pqLZ4      = 0, 1, 2, 3, 4, 5
	pqZstd, pqLZ4Raw                                      = 6, 7
)

func plain64(values ...int64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

func ramp(n int, from int64) []int64 {
	v := make([]int64, n)
	for i := range v {
		v[i] = from + int64(i)
	}
	return v
}

// splitBytes puts the k-th bytes of all values together.
func splitBytes(b []byte, width int) []byte {
	var out []byte
	for k := range width {
		for i := k; i < len(b); i += width {
			out = append(out, b[i])
		}
	}
	return out
}

func lz4Block(b []byte) []byte {
	out := make([]byte, lz4.CompressBlockBound(len(b)))
	n, err := lz4.CompressBlock(b, out, nil)
	if err != nil || n == 0 {
		panic(fmt.Sprint("lz4: ", n, err))
	}
	return out[:n]
}

func compressed(codec int, b []byte) []byte {
	var out bytes.Buffer
	switch codec {
	case pqSnappy:
		return snappy.Encode(nil, b)
	case pqGzip:
		w := gzip.NewWriter(&out)
		w.Write(b)
		w.Close()
	case pqBrotli:
		w := brotli.NewWriterLevel(&out, 4)
		w.Write(b)
		w.Close()
	case pqZstd:
		w, err := zstd.NewWriter(nil)
		if err != nil {
			panic(err)
		}
		defer w.Close()
		return w.EncodeAll(b, nil)
	case pqLZ4Raw:
		return lz4Block(b)
	default:
		return b
	}
	return out.Bytes()
}

// column64 is a column of plain int64 in one page.
func column64(name string, codec int, values []int64) *craft.Column {
	b := plain64(values...)
	return &craft.Column{Name: name, Type: pqInt64, Codec: codec, Rows: int64(len(values)),
		Pages: []craft.Page{{Values: len(values), Body: compressed(codec, b), Plain: len(b)}}}
}

// rle is a run of n times a value of one byte, after a byte for its width.
func rle(n, value int) []byte {
	return append([]byte{8}, append(binary.AppendUvarint(nil, uint64(n)<<1), byte(value))...)
}

// TestParquetOdd reads files that arrow's reader refuses.
func TestParquetOdd(t *testing.T) {
	const n = 1000
	src, dst := ramp(n, 0), ramp(n, 5)
	big := plain64(src...)
	hadoop := func(parts ...[]byte) []byte {
		var out []byte
		for _, p := range parts {
			c := lz4Block(p)
			out = binary.BigEndian.AppendUint32(out, uint32(len(p)))
			out = binary.BigEndian.AppendUint32(out, uint32(len(c)))
			out = append(out, c...)
		}
		return out
	}
	lz4Column := func(body []byte) *craft.Column {
		return &craft.Column{Name: "src", Type: pqInt64, Codec: pqLZ4, Rows: n, Pages: []craft.Page{{Values: n, Body: body, Plain: len(big)}}}
	}
	var floats, doubles, halves []byte
	for i := range n {
		floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(float32(i)/2))
		doubles = binary.LittleEndian.AppendUint64(doubles, math.Float64bits(float64(i)/2))
		halves = append(halves, 0, 0x38) // 0.5
	}
	one := func(name string, typ, length, enc int, body []byte, logical *craft.Struct) *craft.Column {
		return &craft.Column{Name: name, Type: typ, Length: length, Rows: n, Logical: logical, Pages: []craft.Page{{Values: n, Encoding: enc, Body: body}}}
	}
	level := []byte{3, 0, 0, 0, byte(n&63<<1 | 0x80), byte(n >> 6), 1} // n times level 1
	half := func(i int) string { return "0.5" }
	halved := func(i int) string { return fmt.Sprint(float32(i) / 2) }
	for _, c := range []struct {
		name   string
		src    *craft.Column
		weight *craft.Column
		want   func(i int) string
	}{
		{"LZ4_RAW", column64("src", pqLZ4Raw, src), nil, nil},
		{"LZ4 as Hadoop frames it", lz4Column(hadoop(big[:3000], big[3000:])), nil, nil},
		{"LZ4 without frames", lz4Column(lz4Block(big)), nil, nil},
		{"split int64", one("src", pqInt64, 0, pqSplit, splitBytes(big, 8), nil), nil, nil},
		{"split float", column64("src", 0, src), one("w", pqFloat, 0, pqSplit, splitBytes(floats, 4), nil), halved},
		{"split double", column64("src", 0, src), one("w", pqDouble, 0, pqSplit, splitBytes(doubles, 8), nil), halved},
		{"float16", column64("src", 0, src), one("w", pqFixed, 2, pqPlain, halves, new(craft.Struct).Sub(15, new(craft.Struct))), half},
		{"split float16", column64("src", 0, src), one("w", pqFixed, 2, pqSplit, splitBytes(halves, 2), new(craft.Struct).Sub(15, new(craft.Struct))), half},
		{"stored page of version 2", &craft.Column{Name: "src", Type: pqInt64, Codec: pqSnappy, Rows: n,
			Pages: []craft.Page{{Kind: 3, Values: n, Body: big, Stored: true}}}, nil, nil},
		{"pages to pass over, pages without values", &craft.Column{Name: "src", Type: pqInt64, Rows: n,
			Pages: []craft.Page{{Kind: 1, Body: []byte("index")}, {Values: 0}, {Kind: 9, Body: []byte("of the future")}, {Values: n, Body: big}}}, nil, nil},
		{"levels in a run", &craft.Column{Name: "src", Type: pqInt64, Optional: true, Rows: n,
			Pages: []craft.Page{{Values: n, Body: append(level, big...)}}}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			cols := []*craft.Column{c.src, column64("dst", 0, dst)}
			var o Options
			var want []edge
			if c.weight != nil {
				cols = append(cols, c.weight)
				o.Weight = "w"
			}
			for i := range n {
				e := edge{src: fmt.Sprint(src[i]), dst: fmt.Sprint(dst[i])}
				if c.weight != nil {
					e.weight = c.want(i)
				}
				want = append(want, e)
			}
			sortEdges(want)
			got, _, err := collect(t, []string{tempFile(t, "odd.parquet", craft.File(n, cols...))}, o)
			if err != nil {
				t.Fatal(err)
			}
			sameEdges(t, got, want)
		})
	}
}

// TestEmptyPage reads pages of version 2 that have only nulls, compressed to
// nothing, as some writers do.
func TestEmptyPage(t *testing.T) {
	levels := []byte{20, 0} // ten times level 0
	for codec := range 8 {
		if codec == pqLZO {
			continue
		}
		src := &craft.Column{Name: "src", Type: pqInt64, Optional: true, Codec: codec, Rows: 10,
			Pages: []craft.Page{{Kind: 3, Values: 10, Body: levels, Levels: 2}}}
		path := tempFile(t, "empty.parquet", craft.File(10, src, column64("dst", 0, ramp(10, 0))))
		got, d, err := collect(t, []string{path}, Options{Nulls: NullSkip})
		if err != nil || len(got) != 0 || d.Stats().NullRows != 10 {
			t.Errorf("codec %d: %d edges, %+v, %v", codec, len(got), d, err)
		}
	}
}

// harm returns files that mean harm, by name.
func harm() map[string][]byte {
	files := map[string][]byte{}
	ok := func(n int) *craft.Column { return column64("dst", 0, ramp(n, 0)) }
	add := func(name string, rows int64, cols ...*craft.Column) { files[name] = craft.File(rows, cols...) }
	zeros := make([]byte, 512<<20)
	for codec, name := range []string{"none", "snappy", "gzip", "lzo", "brotli", "lz4", "zstd", "lz4raw"} {
		body := compressed(codec, plain64(ramp(10, 0)...))
		if codec == pqLZ4 {
			body = lz4Block(plain64(ramp(10, 0)...))
		}
		add("size-"+name, 10, &craft.Column{Name: "src", Type: pqInt64, Codec: codec, Rows: 10,
			Pages: []craft.Page{{Values: 10, Body: body, Plain: math.MaxInt32}}}, ok(10))
	}
	for _, codec := range []int{pqSnappy, pqGzip, pqBrotli, pqZstd, pqLZ4Raw} {
		n := len(zeros)
		bomb := compressed(codec, zeros)
		add(fmt.Sprintf("bomb-%d", codec), 10, &craft.Column{Name: "src", Type: pqInt64, Codec: codec, Rows: 10,
			Pages: []craft.Page{{Values: 10, Body: bomb, Plain: n}}}, ok(10))
		// The header says less than what comes.
		add(fmt.Sprintf("bomb-hidden-%d", codec), 10, &craft.Column{Name: "src", Type: pqInt64, Codec: codec, Rows: 10,
			Pages: []craft.Page{{Values: 10, Body: bomb, Plain: 80}}}, ok(10))
	}
	small := compressed(pqZstd, zeros[:30<<20])
	var many []craft.Page
	for range 200 {
		many = append(many, craft.Page{Values: 1, Body: small, Plain: 30 << 20})
	}
	add("bombs", 200, &craft.Column{Name: "src", Type: pqInt64, Codec: pqZstd, Rows: 200, Pages: many}, ok(200))
	many = nil
	for i := range 39 { // each a little larger, to make buffers grow
		n := (i + 1) << 20
		many = append(many, craft.Page{Values: 1, Body: compressed(pqZstd, zeros[:n]), Plain: n})
	}
	add("growing", 39, &craft.Column{Name: "src", Type: pqInt64, Codec: pqZstd, Rows: 39, Pages: many}, ok(39))

	one := craft.Page{Kind: 2, Values: 1, Body: plain64(7)}
	run := func(name string, rows int) *craft.Column {
		return &craft.Column{Name: name, Type: pqInt64, Rows: int64(rows), Pages: []craft.Page{one, {Values: rows, Encoding: pqRLEDict, Body: rle(rows, 0)}}}
	}
	add("rows", math.MaxInt32, run("src", math.MaxInt32), run("dst", math.MaxInt32))
	add("rows-many", 1<<25, run("src", 1<<25), run("dst", 1<<25))
	files["groups"] = craft.Groups(1<<20, 60, run("src", 1<<20), run("dst", 1<<20))
	long := append(binary.LittleEndian.AppendUint32(nil, 60_000), make([]byte, 60_000)...)
	text := func(name string) *craft.Column {
		return &craft.Column{Name: name, Type: pqBytes, Rows: 1 << 25, Pages: []craft.Page{
			{Kind: 2, Values: 1, Body: long}, {Values: 1 << 25, Encoding: pqRLEDict, Body: rle(1<<25, 0)}}}
	}
	add("long-strings", 1<<25, text("src"), text("dst"))
	add("dictionary-size", 10, &craft.Column{Name: "src", Type: pqInt64, Rows: 10, Pages: []craft.Page{
		{Kind: 2, Values: math.MaxInt32, Body: plain64(1)}, {Values: 10, Encoding: pqRLEDict, Body: rle(10, 0)}}}, ok(10))
	add("dictionary-index", 10, &craft.Column{Name: "src", Type: pqInt64, Rows: 10, Pages: []craft.Page{
		one, {Values: 10, Encoding: pqRLEDict, Body: rle(10, 200)}}}, ok(10))
	varints := func(v ...uint64) []byte {
		var b []byte
		for _, x := range v {
			b = binary.AppendUvarint(b, x)
		}
		return b
	}
	delta := func(name string, rows int, body []byte) *craft.Column {
		return &craft.Column{Name: name, Type: pqInt64, Rows: int64(rows), Pages: []craft.Page{{Values: rows, Encoding: pqDelta, Body: body}}}
	}
	add("delta-block", 10, delta("src", 10, varints(1<<31, 1, 10, 0, 0, 0)), ok(10))
	add("delta-minis", 10, delta("src", 10, varints(1<<31, 1<<26, 10, 0, 0, 0)), ok(10))
	add("delta-total", 10, delta("src", 10, varints(128, 4, 1<<40, 0, 0, 0)), ok(10))
	add("delta-zero", 10, delta("src", 10, varints(0, 0, 10, 0)), ok(10))
	add("delta-wide", 10, delta("src", 10, append(varints(128, 4, 10, 0, 0), 65, 0, 0, 0, 1, 2, 3)), ok(10))
	// Values that are each all of the one before.
	share := append(varints(1<<31, 1, 1<<25, 120_000, 0, 0), varints(1<<31, 1, 1<<25, 0, 0, 0)...)
	first := append(varints(128, 4, 1, 0), varints(128, 4, 1, 120_000)...)
	add("delta-strings", 1<<25, &craft.Column{Name: "src", Type: pqBytes, Rows: 1 << 25, Pages: []craft.Page{
		{Values: 1, Encoding: pqDeltaBytes, Body: append(first, make([]byte, 60_000)...)},
		{Values: 1<<25 - 1, Encoding: pqDeltaBytes, Body: share}}}, text("dst"))
	add("fixed-width", 10, &craft.Column{Name: "src", Type: pqFixed, Length: math.MaxInt32, Rows: 10, Pages: []craft.Page{
		{Values: 10, Encoding: pqSplit, Body: plain64(ramp(10, 0)...)}}}, ok(10))
	add("levels", 10, &craft.Column{Name: "src", Type: pqInt64, Optional: true, Rows: 10, Pages: []craft.Page{
		{Values: 10, Body: append([]byte{0xff, 0xff, 0xff, 0x7f}, plain64(1)...)}}}, ok(10))
	add("levels-2", 10, &craft.Column{Name: "src", Type: pqInt64, Optional: true, Rows: 10, Pages: []craft.Page{
		{Kind: 3, Values: 10, Levels: math.MaxInt32, Body: plain64(1)}}}, ok(10))

	schema := func(elements ...*craft.Struct) []byte {
		return craft.Footer([]byte("PAR1"), new(craft.Struct).Int(1, 1).List(2, elements...).Int(3, 0).ListHead(4, 12, 0))
	}
	var deep []*craft.Struct
	for range 90_000 {
		deep = append(deep, new(craft.Struct).Bytes(4, "g").Int(5, 1))
	}
	files["deep"] = schema(deep...)
	wide := []*craft.Struct{new(craft.Struct).Bytes(4, "s").Int(5, 1), new(craft.Struct).Bytes(4, strings.Repeat("n", 500_000)).Int(5, 90_000)}
	for range 90_000 {
		wide = append(wide, new(craft.Struct).Int(1, 2).Int(3, 0).Bytes(4, "c"))
	}
	files["wide-names"] = schema(wide...)
	cols := []*craft.Struct{new(craft.Struct).Bytes(4, "s").Int(5, 90_000)}
	for range 90_000 {
		cols = append(cols, new(craft.Struct).Int(1, 2).Int(3, 0).Bytes(4, "c"))
	}
	files["wide"] = schema(cols...)
	files["list"] = craft.Footer([]byte("PAR1"), new(craft.Struct).Int(1, 1).ListHead(2, 12, math.MaxInt32))
	files["groups-list"] = craft.Footer([]byte("PAR1"), new(craft.Struct).Int(1, 1).List(2, new(craft.Struct).Bytes(4, "s").Int(5, 1),
		new(craft.Struct).Int(1, 2).Int(3, 0).Bytes(4, "c")).Int(3, 0).ListHead(4, 12, 1<<30))
	nested := new(craft.Struct).Int(1, 1)
	nested.Raw(bytes.Repeat([]byte{0xfc, 0x1c}, 500_000)...) // structs in structs
	files["nested"] = craft.Footer([]byte("PAR1"), nested)
	return files
}

// TestHarm reads files that mean harm.
func TestHarm(t *testing.T) {
	if raced {
		t.Skip("it is about memory and about much work, neither of which is as usual under the race detector")
	}
	dir := t.TempDir()
	var paths []string
	for name, data := range harm() {
		paths = append(paths, writeTo(t, filepath.Join(dir, name+".parquet"), data))
	}
	for _, r := range watch(t, paths) {
		name := strings.TrimSuffix(filepath.Base(r.Path), ".parquet")
		t.Logf("%s: %d bytes, %d rows, %d MB, %.200q", name, r.Bytes, r.Rows, r.PeakKB>>10, r.Errors)
		// Strange, but in order, is what these two say.
		if fine := name == "rows-many" || name == "delta-block"; fine != (len(r.Errors) == 0) {
			t.Errorf("%s: %q", name, r.Errors)
		}
	}
}
