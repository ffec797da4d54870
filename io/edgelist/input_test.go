// This file holds the tests of opening, compression, limits, canceling and
// the pipeline's end.

package edgelist

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/foray-graph/foray/graph"
)

func gz(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zst(t testing.TB, data []byte, o ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, o...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(data, nil)
}

// sampleList is a list and its edges.
func sampleList(lines int) ([]byte, []edge) {
	r := rand.New(rand.NewPCG(17, 18))
	var b bytes.Buffer
	var es []edge
	for range lines {
		e := edge{u: fmt.Sprint(r.IntN(1000)), v: fmt.Sprint(r.IntN(1000))}
		fmt.Fprintln(&b, e.u, e.v)
		es = append(es, e)
	}
	return b.Bytes(), es
}

func TestCompression(t *testing.T) {
	list, want := sampleList(5000)
	half := bytes.IndexByte(list[len(list)/2:], '\n') + len(list)/2 - 2 // inside a line
	cases := map[string][]byte{
		"x.el":           list,
		"x.txt":          gz(t, list), // known by the content
		"x.csv":          zst(t, list),
		"one.el.gz":      gz(t, list),
		"two.el.gz":      append(gz(t, list[:half]), gz(t, list[half:])...),
		"one.el.zst":     zst(t, list),
		"two.el.ZST":     append(zst(t, list[:half]), zst(t, list[half:])...),
		"skipped.el.zst": append([]byte{0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3}, zst(t, list)...),
		"empty.el.gz":    append(append(gz(t, nil), gz(t, list)...), gz(t, nil)...),
	}
	for name, data := range cases {
		path := write(t, name, data)
		var got []edge
		calls, last := 0, uint64(0)
		err := ReadFile(ctx, path, Options{Workers: 1, Progress: func(p graph.Progress) {
			calls++
			last = p.Done
			if p.Phase != "read bytes" || p.Total != uint64(len(data)) {
				t.Errorf("%s: total %d of %d", p.Phase, p.Total, len(data))
			}
		}}, func(b graph.Batch) error {
			for i := range b.Src {
				got = append(got, edge{u: fmt.Sprint(b.Src[i]), v: fmt.Sprint(b.Dst[i])})
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := sameEdges(got, want, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if calls == 0 || last != uint64(len(data)) {
			t.Errorf("%s: progress came to %d of %d in %d calls", name, last, len(data), calls)
		}
	}
}

func TestCompressionDamage(t *testing.T) {
	list, _ := sampleList(2000)
	g, z := gz(t, list), zst(t, list)
	flip := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0x55
		return b
	}
	for _, c := range []struct {
		name string
		data []byte
		is   error
		says string
	}{
		{"x.el.gz", nil, errTruncated, "empty"},
		{"x.el.gz", g[:3], errTruncated, "breaks off"},
		{"x.el.gz", g[:len(g)/2], errTruncated, "breaks off"},
		{"x.el.gz", g[:len(g)-1], errTruncated, "breaks off"},
		{"x.el.gz", append(bytes.Clone(g), "what is no member"...), errCorrupt, "trailing garbage"},
		{"x.el.gz", append(bytes.Clone(g), 'x'), errCorrupt, "trailing garbage"},
		{"x.el.gz", append(bytes.Clone(g), 0x1f), errCorrupt, "trailing garbage"},
		{"x.el.gz", append(bytes.Clone(g), "\x00\x00x"...), errCorrupt, "trailing garbage"},
		{"x.el.gz", append(append(bytes.Clone(g), 0), g...), errCorrupt, "trailing garbage"},
		{"x.el.gz", append(bytes.Clone(g), g[:12]...), errTruncated, "breaks off"},
		{"x.el.gz", append(bytes.Clone(g), g[:2]...), errTruncated, "breaks off"},
		{"x.el.bz2", append(bytes.Clone(bzip2Edges), "xyz"...), errCorrupt, "trailing garbage"},
		{"x.el.bz2", bzip2Edges[:len(bzip2Edges)-1], errTruncated, "breaks off"},
		{"x.el.bz2", flip(bzip2Edges, 20), errCorrupt, "bzip2"},
		{"x.el.bz2", list, ErrFormat, "rename"},
		{"x.el.bz2", nil, errTruncated, "empty"},
		{"x.csv", []byte("\xfd7zXZ\x00\x00\x04"), errCompression, "xz"},
		{"x.csv", []byte("PK\x03\x04abcdef"), errCompression, "zip"},
		{"x.el.gz", flip(g, len(g)-6), errCorrupt, "checksum"},
		{"x.el.gz", list, ErrFormat, "rename"},
		{"x.el.zst", nil, errTruncated, "empty"},
		{"x.el.zst", z[:5], errTruncated, "breaks off"},
		{"x.el.zst", z[:len(z)/2], errTruncated, "breaks off"},
		{"x.el.zst", z[:len(z)-1], errTruncated, "breaks off"},
		{"x.el.zst", append(bytes.Clone(z), "trailing"...), errCorrupt, "trailing garbage"},
		{"x.el.zst", flip(z, len(z)-2), errCorrupt, "CRC"},
		{"x.el.zst", g, ErrFormat, "rename"},
		// A frame that asks for a window of 1 GiB.
		{"x.el.zst", []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 20 << 3, 1, 0, 0}, errCorrupt, "--long"},
	} {
		path := write(t, c.name, c.data)
		err := ReadFile(ctx, path, Options{}, func(graph.Batch) error { return nil })
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s of %d bytes: error %v, want %v", c.name, len(c.data), err, c.is)
		}
	}
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]string{"a.el": "text", "a.WEL": "text", "a/b.c.csv.gz": "text", "a.tsv.zst": "text",
		"a.edges": "text", "a.edgelist": "text", "a.txt": "text", "a.mtx.GZ": "mtx", "a.gr": "gr",
		"a.sg": "sg", "a.wsg.zst": "wsg", "a.el.bz2": "text", "a.MTX.BZ2": "mtx"} {
		if f, err := FormatOf(name); f != want || err != nil {
			t.Errorf("%s: %v %v, want %v", name, f, err, want)
		}
	}
	for _, name := range []string{"", "a", "a.gz", "a.parquet", "a.xz", "a.parquet.bz2"} {
		if _, err := FormatOf(name); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for name, says := range map[string]string{"a.csv.xz": "by xz", "b/a.EL.LZ4": "by lz4", "a.mtx.zip": "by zip", "a.tsv.Z": "by compress", "a.txt.7z": "by 7-Zip", "a.csv.br": "by brotli"} {
		if _, err := FormatOf(name); !errors.Is(err, errCompression) || !strings.HasPrefix(err.Error(), name+": ") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestFileErrors(t *testing.T) {
	none := func(graph.Batch) error { return nil }
	missing := filepath.Join(t.TempDir(), "x.el")
	if err := ReadFile(ctx, missing, Options{}, none); !errors.Is(err, os.ErrNotExist) || strings.Count(err.Error(), missing) != 1 {
		t.Error(err)
	}
	dir := filepath.Join(t.TempDir(), "d.el")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := ReadFile(ctx, dir, Options{}, none); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	// A failing disk isn't a damaged stream.
	list, _ := sampleList(3000)
	for _, data := range [][]byte{list, gz(t, list), zst(t, list)} {
		bad := errors.New("disk on fire")
		r := io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(bad))
		err := Read(ctx, r, Options{Name: "tape"}, none)
		if !errors.Is(err, bad) || errors.Is(err, errCorrupt) || !strings.HasPrefix(err.Error(), "tape: ") {
			t.Error(err)
		}
	}
	// One that does nothing must not be asked for ever.
	if err := Read(ctx, idle{}, Options{}, none); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
	// Readers that give little at a time.
	for _, r := range []io.Reader{iotest.OneByteReader(bytes.NewReader(list)), iotest.DataErrReader(bytes.NewReader(list)), iotest.HalfReader(bytes.NewReader(list))} {
		n := 0
		if err := Read(ctx, r, Options{Workers: 1}, func(b graph.Batch) error { n += len(b.Src); return nil }); err != nil || n != 3000 {
			t.Error(n, err)
		}
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// endless repeats a line for ever.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// settled waits for the number of goroutines to come down to its earlier value.
func settled(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, there were %d before", runtime.NumGoroutine(), before)
}

func TestCancel(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, line := range []endless{"1 2\n", "a b\n"} {
		for _, workers := range []int{1, 4} {
			cctx, cancel := context.WithCancel(ctx)
			err := Read(cctx, line, Options{Workers: workers, batch: 100}, func(graph.Batch) error { cancel(); return nil })
			if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "input: ") {
				t.Errorf("error %v", err)
			}
			full := errors.New("full")
			if err := Read(ctx, line, Options{Workers: workers, batch: 100}, func(graph.Batch) error { return full }); err != full {
				t.Errorf("error %v, want that of yield", err)
			}
		}
	}
	cctx, cancel := context.WithCancel(ctx)
	cancel()
	list, _ := sampleList(10)
	sg := sgBytes(false, false, [][]edge32{{{1, 0}}, {{0, 0}}})
	for _, c := range []struct {
		f string
		b []byte
	}{{"text", list}, {"text", zst(t, list)}, {"sg", sg}} {
		if err := Read(cctx, bytes.NewReader(c.b), Options{Format: c.f}, func(graph.Batch) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	}
	if err := Read(ctx, bytes.NewReader(sg), Options{Format: "sg"}, func(graph.Batch) error { return io.ErrClosedPipe }); err != io.ErrClosedPipe {
		t.Errorf("error %v, want that of yield", err)
	}
	settled(t, before)
}

// TestBomb wants bounded memory and an end where a small file holds one
// endless line, or a head that promises what isn't there.
func TestBomb(t *testing.T) {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for range 256 {
		if _, err := w.Write(bytes.Repeat([]byte{'7'}, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	sg := append([]byte{0}, bytes.Repeat([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0}, 1)...)
	sg = append(sg, 0, 0, 0, 0x80, 0, 0, 0, 0) // 2^31 vertices
	for _, c := range []struct {
		f    string
		data []byte
		is   error
	}{
		{"text", b.Bytes(), ErrSyntax},
		{"mtx", []byte(banner + " matrix coordinate pattern general\n9000000000000000000 9000000000000000000 9000000000000000000\n1 1\n"), errCount},
		{"gr", []byte("p sp 9000000000000000000 9000000000000000000\na 1 1 1\n"), errCount},
		{"sg", sg, errTruncated},
	} {
		var m0, m1 runtime.MemStats
		runtime.ReadMemStats(&m0)
		err := Read(ctx, bytes.NewReader(c.data), Options{Format: c.f, Workers: 2}, func(graph.Batch) error { return nil })
		runtime.ReadMemStats(&m1)
		if !errors.Is(err, c.is) {
			t.Errorf("%v: error %v, want %v", c.f, err, c.is)
		}
		if took := m1.TotalAlloc - m0.TotalAlloc; took > 64<<20 {
			t.Errorf("%v: took %d MiB of memory", c.f, took>>20)
		}
	}
}

// TestNoReaderNoYield: a nil reader or a nil callback is an
// error before anything is read.
func TestNoReaderNoYield(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "x.el")
	if err := os.WriteFile(path, []byte("1 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"no reader":        Read(ctx, nil, Options{}, func(graph.Batch) error { return nil }),
		"no yield":         Read(ctx, strings.NewReader("1 2\n"), Options{}, nil),
		"a file, no yield": ReadFile(ctx, path, Options{}, nil),
	} {
		if !errors.Is(err, graph.ErrOptions) {
			t.Errorf("%s: %v, want graph.ErrOptions", name, err)
		}
	}
}
