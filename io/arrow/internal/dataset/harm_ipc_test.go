// This file reads Arrow IPC streams that are put together by hand and mean
// harm.

package dataset

import (
	"bytes"
	"encoding/binary"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/klauspost/compress/zstd"
)

// squeezed is a compressed buffer that states its decompressed length.
func squeezed(plain int64, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(plain)), data...)
}

// view is a view of a string in a buffer, or of one that is short.
func view(s string, buffer, at int32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(s)))
	if len(s) <= 12 {
		return append(append(b, s...), make([]byte, 12-len(s))...)
	}
	b = append(b, s[:4]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(buffer))
	return binary.LittleEndian.AppendUint32(b, uint32(at))
}

// harmIPC returns streams that mean harm, by name.
func harmIPC(t *testing.T) map[string][]byte {
	files := map[string][]byte{}
	ints := craft.Schema(&craft.Field{Name: "src"}, &craft.Field{Name: "dst"})
	text := craft.Schema(&craft.Field{Name: "src", Text: true}, &craft.Field{Name: "dst", Text: true})
	stream := func(name string, schema []byte, batches ...*craft.Batch) {
		out := bytes.Clone(schema)
		for _, b := range batches {
			out = append(out, b.Message()...)
		}
		files[name] = out
	}
	eight := plain64(ramp(8, 0)...)
	good := func() *craft.Batch {
		return (&craft.Batch{Rows: 8, Codec: -1}).Column(0, nil, eight).Column(0, nil, eight)
	}
	stream("good", ints, good(), good())

	b := good()
	b.Rows = 1 << 60
	stream("rows", ints, b)
	b = good()
	b.Rows, b.Nodes = 1<<26, [][2]int64{{1 << 26, 0}, {1 << 26, 0}}
	stream("rows-short", ints, b)
	b = good()
	b.Nodes[0][1] = 9
	stream("nulls", ints, b)
	b = good()
	b.Nodes[0][1] = 3
	stream("nulls-without-bits", ints, b)
	b = good()
	b.Nodes = b.Nodes[:1]
	stream("nodes", ints, b)
	b = good()
	b.Buffers = append(b.Buffers, b.Buffers...)
	stream("buffers", ints, b)
	for name, v := range map[string][2]int64{"negative": {-8, 64}, "far": {math.MaxInt64 - 8, 64}, "long": {0, math.MaxInt64}, "short": {0, 8}, "minus": {0, -1}} {
		b = good()
		b.Buffers[1] = v
		stream("buffer-"+name, ints, b)
	}
	b = good()
	b.BodyLength = 1 << 62
	stream("body", ints, b)
	b = good()
	b.BodyLength = -8
	stream("body-negative", ints, b)
	for name, size := range map[string]int64{"huge": 1 << 62, "negative": -5, "little": 8, "bare": -1} {
		for codec := range 2 {
			b = (&craft.Batch{Rows: 8, Codec: codec}).Column(0, nil, squeezed(size, eight)).Column(0, nil, squeezed(size, eight))
			stream("squeezed-"+name+[]string{"-lz4", "-zstd"}[codec], ints, b)
		}
	}
	b = good()
	b.Codec = 7
	stream("codec", ints, b)

	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	bomb := enc.EncodeAll(make([]byte, 8<<24), nil)
	zeros := func() *craft.Batch {
		return (&craft.Batch{Rows: 1 << 24, Codec: 1}).Column(0, nil, squeezed(8<<24, bomb)).Column(0, nil, squeezed(8<<24, bomb))
	}
	stream("bomb", ints, zeros()) // slow to fill memory, for it is not held
	stream("bombs", ints, zeros(), zeros(), zeros(), zeros(), zeros())
	window := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0} // two gigabytes
	stream("window", ints, (&craft.Batch{Rows: 8, Codec: 1}).Column(0, nil, squeezed(64, window)).Column(0, nil, squeezed(64, window)))

	offsets := func(v ...int32) []byte {
		var out []byte
		for _, x := range v {
			out = binary.LittleEndian.AppendUint32(out, uint32(x))
		}
		return out
	}
	for name, v := range map[string][]byte{"descend": offsets(0, 5, 3), "negative": offsets(-4, 0, 4), "beyond": offsets(0, 4, 400), "start": offsets(100, 100, 100)} {
		stream("strings-"+name, text, (&craft.Batch{Rows: 2, Codec: -1}).Column(0, nil, v, []byte("12345678")).Column(0, nil, v, []byte("12345678")))
	}
	long := offsets(0, 70_000)
	stream("string-long", text, (&craft.Batch{Rows: 1, Codec: -1}).Column(0, nil, long, make([]byte, 70_000)).Column(0, nil, long, make([]byte, 70_000)))

	views := craft.Schema(&craft.Field{Name: "src", View: true}, &craft.Field{Name: "dst", View: true})
	seen := func(name string, counts []int64, v []byte) {
		part := []byte("a string that is not short")
		stream("views-"+name, views, (&craft.Batch{Rows: 1, Codec: -1, Views: counts}).Column(0, nil, v, part).Column(0, nil, v, part))
	}
	one := []int64{1, 1}
	seen("good", one, view("not short a string", 0, 2))
	seen("length", one, view("not short a string, not at all", 0, 2))
	seen("negative", one, plain64(-1, 0))
	seen("buffer", one, view("not short a string", 1, 2))
	seen("buffer-negative", one, view("not short a string", -1, 2))
	seen("place", one, view("not short a string", 0, 1<<30))
	seen("place-negative", one, view("not short a string", 0, -2))
	seen("count", []int64{1}, view("not short a string", 0, 2))
	seen("count-more", []int64{1, 2}, view("not short a string", 0, 2))
	seen("count-huge", []int64{1 << 62, 1 << 62}, view("not short a string", 0, 2))
	seen("count-negative", []int64{-1, 3}, view("not short a string", 0, 2))

	id, none := int64(3), int64(4)
	coded := craft.Schema(&craft.Field{Name: "src", Text: true, Dictionary: &id}, &craft.Field{Name: "dst", Text: true, Dictionary: &id})
	dict := (&craft.Batch{Rows: 1, Codec: -1, Dictionary: &id}).Column(0, nil, offsets(0, 60_000), make([]byte, 60_000))
	idx := enc.EncodeAll(make([]byte, 4<<20), nil)
	stream("dictionary-long", coded, dict, (&craft.Batch{Rows: 1 << 20, Codec: 1}).Column(0, nil, squeezed(4<<20, idx)).Column(0, nil, squeezed(4<<20, idx)))
	stream("dictionary-index", coded, dict, (&craft.Batch{Rows: 2, Codec: -1}).Column(0, nil, offsets(0, 1)).Column(0, nil, offsets(0, 1)))
	stream("dictionary-negative", coded, dict, (&craft.Batch{Rows: 2, Codec: -1}).Column(0, nil, offsets(0, -1)).Column(0, nil, offsets(0, -1)))
	other := (&craft.Batch{Rows: 1, Codec: -1, Dictionary: &none}).Column(0, nil, offsets(0, 0), nil)
	stream("dictionary-missing", coded, other, (&craft.Batch{Rows: 2, Codec: -1}).Column(0, nil, offsets(0, 0)).Column(0, nil, offsets(0, 0)))
	huge := (&craft.Batch{Rows: 1 << 62, Codec: -1, Dictionary: &id}).Column(0, nil, offsets(0, 0), nil)
	stream("dictionary-rows", coded, huge, (&craft.Batch{Rows: 2, Codec: -1}).Column(0, nil, offsets(0, 0)).Column(0, nil, offsets(0, 0)))
	wide := (&craft.Batch{Rows: 1 << 25, Codec: 1, Dictionary: &id}).Column(0, nil, squeezed(8<<24+4, bomb), nil)
	wide.Rows, wide.Nodes[0][0] = 1<<25, 1<<25
	stream("dictionary-wide", coded, wide, (&craft.Batch{Rows: 2, Codec: -1}).Column(0, nil, offsets(0, 0)).Column(0, nil, offsets(0, 0)))

	// Few tables that unfold to 2^60 columns, and to ever longer names.
	f := &craft.Field{Name: "x"}
	for range 60 {
		f = &craft.Field{Name: "s", Children: []*craft.Field{f, f}}
	}
	stream("unfold", craft.Schema(f), good())
	f = &craft.Field{Name: "x"}
	for range 1000 {
		f = &craft.Field{Name: "s", Children: []*craft.Field{f}}
	}
	stream("deep", craft.Schema(f), good())
	f = &craft.Field{Name: strings.Repeat("n", 100_000)}
	for range 12 {
		f = &craft.Field{Name: "s", Children: []*craft.Field{f, f}}
	}
	stream("names", craft.Schema(f), good())

	// As many fields as a schema may have, and more, four bytes each.
	f = &craft.Field{Name: "x"}
	wideFields := slices.Repeat([]*craft.Field{f}, 100_000)
	stream("fields", craft.Schema(wideFields...), good())
	stream("fields-more", craft.Schema(append(wideFields, f)...), good())
	f = &craft.Field{Name: "s", Children: wideFields[1:]}
	stream("fields-struct", craft.Schema(f), good())

	// A table that is its own field, by way of an offset that wraps around.
	for at := 12; at+4 < len(ints); at += 4 {
		turned := bytes.Clone(ints)
		binary.LittleEndian.PutUint32(turned[at:], uint32(-at))
		files["wrap-"+string(rune('a'+at/4%26))+string(rune('a'+at/4/26))] = append(turned, good().Message()...)
	}
	files["length"] = append(binary.LittleEndian.AppendUint32(nil, 0xffffffff), 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0)
	files["nothing"] = ints[:8]
	return files
}

// TestHarmIPC reads streams that mean harm.
func TestHarmIPC(t *testing.T) {
	testlong.Only(t)
	t.Parallel()
	if samples.Raced {
		t.Skip("needs a build without -race: the detector changes memory and times")
	}
	dir := t.TempDir()
	var paths []string
	for name, data := range harmIPC(t) {
		paths = append(paths, samples.WriteTo(t, filepath.Join(dir, name+".arrows"), data))
	}
	fine := map[string]bool{"good": true, "bomb": true, "views-good": true, "squeezed-bare-lz4": true, "squeezed-bare-zstd": true}
	for _, r := range watch(t, paths) {
		name := strings.TrimSuffix(filepath.Base(r.Path), ".arrows")
		t.Logf("%s: %d bytes, %d rows, %d MB, %.200q", name, r.Bytes, r.Rows, r.PeakKB>>10, r.Errors)
		if fine[name] != (len(r.Errors) == 0) && !strings.HasPrefix(name, "wrap-") {
			t.Errorf("%s: %q", name, r.Errors)
		}
	}
}
