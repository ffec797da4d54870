// This file reads Parquet files that are put together by hand and mean harm.

package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// harm returns files that mean harm, by name.
func harm() map[string][]byte {
	files := map[string][]byte{}
	ok := func(n int) *craft.Column { return column64("dst", 0, ramp(n, 0)) }
	add := func(name string, rows int64, cols ...*craft.Column) { files[name] = craft.File(rows, cols...) }
	zeros := make([]byte, testlong.Of(160<<20, 512<<20))
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
	testlong.Only(t)
	t.Parallel()
	if samples.Raced {
		t.Skip("needs a build without -race: the detector changes memory and times")
	}
	dir := t.TempDir()
	var paths []string
	for name, data := range harm() {
		paths = append(paths, samples.WriteTo(t, filepath.Join(dir, name+".parquet"), data))
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
