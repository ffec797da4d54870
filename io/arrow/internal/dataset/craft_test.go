// This file reads Parquet files that are put together by hand: odd, but fine.

package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
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
		got, d, err := collect(t, []string{path}, Options{SkipNulls: true})
		if err != nil || len(got) != 0 || d.Stats().NullRows != 10 {
			t.Errorf("codec %d: %d edges, %+v, %v", codec, len(got), d, err)
		}
	}
}
