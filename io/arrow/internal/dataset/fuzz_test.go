// This file reads what fuzzing and mutation make of small files that are fine.

package dataset

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// small are files that several tests read; it takes a while to make them.
var small struct {
	parquetOnce, ipcOnce sync.Once
	parquets, ipcs       [][]byte
}

// smallParquets returns small files of all types, encodings and codecs.
func smallParquets(t testing.TB) [][]byte {
	small.parquetOnce.Do(func() { small.parquets = makeParquets(t) })
	return slices.Clone(small.parquets)
}

func makeParquets(t testing.TB) [][]byte {
	var files [][]byte
	codecs := []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Zstd, compress.Codecs.Brotli}
	for i, k := range idKinds() {
		for _, enc := range k.encs {
			for v := range 4 {
				r := rand.New(rand.NewPCG(uint64(i), uint64(v)))
				rows := 20 + r.IntN(60)
				src, _ := randomIDs(t, r, "src", k, rows)
				dst, _ := randomIDs(t, r, "dst", k, rows)
				w, _ := randomWeights(t, r, rows)
				props := []parquet.WriterProperty{
					parquet.WithEncoding(enc), parquet.WithDictionaryDefault(v&1 == 0),
					parquet.WithDictionaryFor("w", v&1 == 0), parquet.WithEncodingFor("w", parquet.Encodings.Plain),
					parquet.WithCompression(codecs[(len(files)+v)%len(codecs)]), parquet.WithDataPageSize(200),
				}
				if v > 1 {
					props = append(props, parquet.WithDataPageVersion(parquet.DataPageV2))
				}
				data, err := samples.TryParquet(rows, 40, []samples.ParquetColumn{src, w, dst}, props...)
				if err != nil {
					continue // the writer doesn't like all of them
				}
				files = append(files, data)
			}
		}
	}
	big := plain64(ramp(50, 0)...)
	for _, c := range []*craft.Column{
		column64("src", pqLZ4Raw, ramp(50, 0)),
		{Name: "src", Type: pqInt64, Codec: pqLZ4, Rows: 50, Pages: []craft.Page{{Values: 50, Body: lz4Block(big), Plain: len(big)}}},
		{Name: "src", Type: pqInt64, Rows: 50, Pages: []craft.Page{{Values: 50, Encoding: pqSplit, Body: splitBytes(big, 8)}}},
	} {
		files = append(files, craft.File(50, c, column64("dst", 0, ramp(50, 3))))
	}
	return files
}

// smallIPCs returns small files and streams of all types and codecs.
func smallIPCs(t testing.TB) [][]byte {
	small.ipcOnce.Do(func() { small.ipcs = makeIPCs(t) })
	return slices.Clone(small.ipcs)
}

func makeIPCs(t testing.TB) [][]byte {
	var files [][]byte
	for i, k := range arrowKinds() {
		for v := range 6 {
			r := rand.New(rand.NewPCG(uint64(i), uint64(v)))
			schema, _ := randomSchema(r, k.typ, v&1 == 0)
			stream := v&2 == 0
			records := 2
			if !stream && dictionaries(schema) {
				records = 1
			}
			var recs []arrow.Record
			for range records {
				rec, _ := randomRecord(r, schema, 10+r.IntN(20))
				recs = append(recs, rec)
			}
			var opts []ipc.Option
			if v%3 == 1 && !strings.Contains(schema.String(), "union") {
				opts = append(opts, ipc.WithLZ4())
			} else if v%3 == 2 && !strings.Contains(schema.String(), "union") {
				opts = append(opts, ipc.WithZstd())
			}
			files = append(files, samples.WriteIPC(t, stream, schema, recs, opts...))
		}
	}
	return append(files, smallViews())
}

// smallViews returns a stream with columns of views.
func smallViews() []byte {
	part := []byte("strings that are not short")
	v := append(view("short", 0, 0), view("that are not short", 0, 8)...)
	b := (&craft.Batch{Rows: 2, Codec: -1, Views: []int64{1, 0}}).Column(1, []byte{2}, v, part).Column(0, nil, append(v[:16:16], v[:16]...))
	return append(craft.Schema(&craft.Field{Name: "src", View: true}, &craft.Field{Name: "dst", View: true}), b.Message()...)
}

// mutate damages a file; others are what it may be spliced with.
func mutate(r *rand.Rand, data []byte, others [][]byte) []byte {
	b := append([]byte{}, data...)
	for range 1 + r.IntN(4) {
		if len(b) < 16 {
			return b
		}
		// Half of the time near the end, where the metadata of files is.
		at := r.IntN(len(b))
		if r.IntN(2) == 0 {
			at = len(b) - 1 - r.IntN(min(len(b), 600))
		}
		n := 1 + r.IntN(min(16, len(b)-at))
		switch r.IntN(8) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		case 2:
			b[at] = []byte{0, 1, 0x7f, 0x80, 0xff}[r.IntN(5)]
		case 3:
			for i := range n {
				b[at+i] = 0xff
			}
		case 4:
			b = append(b[:at], b[at+n:]...)
		case 5:
			b = append(b[:at:at], append(append([]byte{}, b[at:at+n]...), b[at:]...)...)
		case 6:
			b = b[:at]
		case 7:
			o := others[r.IntN(len(others))]
			from := r.IntN(len(o))
			b = append(b[:at:at], o[from:]...)
		}
	}
	return b
}

// TestMutated reads damaged copies of files that are fine.
func TestMutated(t *testing.T) {
	testlong.Only(t)
	t.Parallel()
	dir := t.TempDir()
	var paths []string
	r := rand.New(rand.NewPCG(1, 1))
	for kind, files := range [][][]byte{smallParquets(t), smallIPCs(t)} {
		for i, data := range files {
			name := filepath.Join(dir, fmt.Sprintf("%d-%03d", kind, i))
			paths = append(paths, samples.WriteTo(t, name, data))
			for k := range max(1, seeds(4)+testlong.Of[uint64](0, 1)) {
				paths = append(paths, samples.WriteTo(t, fmt.Sprintf("%s-%d", name, k), mutate(r, data, files)))
			}
		}
	}
	good, bad := 0, 0
	for _, r := range watch(t, paths) {
		switch {
		case len(r.Errors) > 0:
			bad++
		case r.Rows > 0:
			good++
		}
		name := filepath.Base(r.Path)
		if strings.Count(name, "-") == 1 && (r.Columns == 0 || r.Rows == 0 || name[0] == '0' && len(r.Errors) > 0) {
			t.Errorf("%s, which is fine: %q", r.Path, r.Errors)
		}
	}
	t.Logf("%d files, %d with data alone, %d with errors", len(paths), good, bad)
	if good == 0 || bad < len(paths)/4 {
		t.Errorf("of %d files %d with data alone and %d with errors", len(paths), good, bad)
	}
}

func fuzz(f *testing.F, seeds [][]byte) {
	for _, s := range seeds {
		f.Add(s)
	}
	path := filepath.Join(f.TempDir(), fmt.Sprint(os.Getpid()))
	f.Fuzz(func(t *testing.T, data []byte) {
		samples.WriteTo(t, path, data)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := readEverything(path)
		runtime.ReadMemStats(&after)
		for _, e := range r.Errors {
			if strings.Contains(e, samples.Panicked) {
				t.Error(e)
			}
		}
		// All allocations, for some dozens of readings.
		if n := after.TotalAlloc - before.TotalAlloc; n > 64*uint64(len(data))+(1<<30) {
			t.Errorf("%d bytes allocated for a file of %d", n, len(data))
		}
	})
}

func FuzzParquet(f *testing.F) { fuzz(f, smallParquets(f)) }

func FuzzIPC(f *testing.F) { fuzz(f, smallIPCs(f)) }
