package arrow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// oddFS is a file system whose files do what read does.
type oddFS struct {
	fstest.MapFS
	read func(b []byte) (int, error)
}

type oddFile struct {
	fs.File
	read func(b []byte) (int, error)
}

func (f oddFile) Read(b []byte) (int, error) { return f.read(b) }

func (o *oddFS) Open(name string) (fs.File, error) {
	f, err := o.MapFS.Open(name)
	if err != nil || o.read == nil {
		return f, err
	}
	return oddFile{f, o.read}, nil
}

func edgesFile(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []uint32{0, 1}, []uint32{1, 2}, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := arrow.WriteEdges(context.Background(), "-", g, arrow.WriteOptions{Format: "parquet", Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestBatchesPanic has a file system panic under a loop over batches: the loop's goroutine can recover it.
func TestBatchesPanic(t *testing.T) {
	odd := &oddFS{MapFS: fstest.MapFS{"e.parquet": {Data: edgesFile(t)}}}
	d, err := arrow.Open(context.Background(), []string{"e.parquet"}, arrow.Options{FS: odd})
	if err != nil {
		t.Fatal(err)
	}
	run := func() (panicked any, err error) {
		defer func() { panicked = recover() }()
		for _, e := range d.Batches(context.Background()) {
			err = e
		}
		return nil, err
	}
	odd.read = func([]byte) (int, error) { panic("the file system's") }
	if p, err := run(); p == nil && err == nil {
		t.Error("neither a panic nor an error")
	}
	var none *arrow.Dataset
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic of a nil dataset")
			}
		}()
		for range none.Batches(context.Background()) {
		}
	}()
}

// unclosable is a file whose Close fails, and that can't be read at places.
type unclosable struct{ oddFile }

var errUnclosable = errors.New("it can't be closed")

func (unclosable) Close() error { return errUnclosable }

type unclosableFS struct{ fstest.MapFS }

func (u unclosableFS) Open(name string) (fs.File, error) {
	f, err := u.MapFS.Open(name)
	if err != nil {
		return nil, err
	}
	return unclosable{oddFile{f, f.Read}}, nil
}

// TestCloseFails: the error of a file that can't be closed names it.
func TestCloseFails(t *testing.T) {
	files := unclosableFS{fstest.MapFS{"e.parquet": {Data: edgesFile(t)}}}
	_, err := arrow.Open(t.Context(), []string{"e.parquet"}, arrow.Options{FS: files})
	if !errors.Is(err, errUnclosable) || !strings.Contains(err.Error(), "e.parquet: ") {
		t.Error(err)
	}
}

// TestReaderWithoutProgress has files that never give a byte.
func TestReaderWithoutProgress(t *testing.T) {
	odd := &oddFS{MapFS: fstest.MapFS{"e.parquet": {Data: edgesFile(t)}}, read: func([]byte) (int, error) { return 0, nil }}
	if _, err := arrow.Load(context.Background(), "e.parquet", arrow.Options{FS: odd}); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	odd.read = func(b []byte) (int, error) { time.Sleep(time.Millisecond); return min(len(b), 1), nil }
	odd.MapFS["e.parquet"].Data = make([]byte, 1<<20)
	if _, err := arrow.Load(ctx, "e.parquet", arrow.Options{FS: odd}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// wrongFS is a file system whose methods do what the functions say that aren't nil.
type wrongFS struct {
	fstest.MapFS
	open    func(name string) (fs.File, error)
	stat    func(name string) (fs.FileInfo, error)
	readDir func(name string) ([]fs.DirEntry, error)
	file    func(f fs.File) fs.File
}

func (w *wrongFS) Open(name string) (fs.File, error) {
	if w.open != nil {
		return w.open(name)
	}
	f, err := w.MapFS.Open(name)
	if _, dir := f.(fs.ReadDirFile); err != nil || dir || w.file == nil {
		return f, err
	}
	return w.file(f), nil
}

func (w *wrongFS) Stat(name string) (fs.FileInfo, error) {
	if w.stat != nil {
		return w.stat(name)
	}
	return w.MapFS.Stat(name)
}

func (w *wrongFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if w.readDir != nil {
		return w.readDir(name)
	}
	return w.MapFS.ReadDir(name)
}

// wrongFile is a file whose Stat and Read do what the functions say. wrongPlaces has ReadAt too.
type wrongFile struct {
	fs.File
	stat func(fs.FileInfo) fs.FileInfo
	read func(b []byte) (int, error)
}

func (f wrongFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	if err == nil && f.stat != nil {
		info = f.stat(info)
	}
	return info, err
}

func (f wrongFile) Read(b []byte) (int, error) {
	if f.read != nil {
		return f.read(b)
	}
	return f.File.Read(b)
}

type wrongPlaces struct {
	wrongFile
	readAt func(r io.ReaderAt, b []byte, at int64) (int, error)
}

func (f wrongPlaces) ReadAt(b []byte, at int64) (int, error) {
	return f.readAt(f.File.(io.ReaderAt), b, at)
}

// ofSize is a file's description with another size.
type ofSize struct {
	fs.FileInfo
	size int64
}

func (o ofSize) Size() int64 { return o.size }

// entry is a directory of any name.
type entry string

func (e entry) Name() string               { return string(e) }
func (e entry) IsDir() bool                { return true }
func (e entry) Type() fs.FileMode          { return fs.ModeDir }
func (e entry) Info() (fs.FileInfo, error) { return nil, fs.ErrNotExist }

// soon calls f in a goroutine, which f may end, and fails the test where that takes a minute.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal(what, "doesn't end")
	}
}

// TestWrongFS has file systems break what package io/fs says. All is an error, which names the file or directory.
func TestWrongFS(t *testing.T) {
	data := edgesFile(t)
	size := int64(len(data))
	of := func(file func(f fs.File) fs.File) wrongFS { return wrongFS{file: file} }
	info := func(stat func(fs.FileInfo) fs.FileInfo) wrongFS {
		return of(func(f fs.File) fs.File { return wrongFile{File: f, stat: stat} })
	}
	read := func(read func(b []byte) (int, error)) wrongFS {
		return of(func(f fs.File) fs.File { return wrongFile{File: f, read: read} })
	}
	readAt := func(readAt func(r io.ReaderAt, b []byte, at int64) (int, error)) wrongFS {
		return of(func(f fs.File) fs.File { return wrongPlaces{wrongFile{File: f}, readAt} })
	}
	sized := func(size int64) wrongFS {
		return info(func(i fs.FileInfo) fs.FileInfo { return ofSize{i, size} })
	}
	for _, c := range []struct {
		what string
		fs   wrongFS
		path string
		want error
		says string
	}{
		{"Open returns nothing", wrongFS{open: func(string) (fs.File, error) { return nil, nil }}, "d/e.parquet", graph.ErrOptions, "d/e.parquet"},
		{"Open returns a nil pointer", wrongFS{open: func(string) (fs.File, error) { return (*os.File)(nil), nil }}, "d/e.parquet", graph.ErrOptions, "d/e.parquet"},
		{"Stat of the file returns nothing", info(func(fs.FileInfo) fs.FileInfo { return nil }), "d/e.parquet", graph.ErrOptions, "d/e.parquet"},
		{"Stat returns nothing", wrongFS{stat: func(string) (fs.FileInfo, error) { return nil, nil }}, "d/e.parquet", graph.ErrOptions, "d/e.parquet"},
		{"Stat returns nothing for a directory", wrongFS{stat: func(string) (fs.FileInfo, error) { return nil, nil }}, "d", graph.ErrOptions, "stat d"},
		{"Stat returns nothing for a pattern", wrongFS{stat: func(string) (fs.FileInfo, error) { return nil, nil }}, "d/*.parquet", graph.ErrOptions, "d/*.parquet"},
		{"a size below 0", sized(-1), "d/e.parquet", graph.ErrOptions, "d/e.parquet"},
		{"a size that is too small", sized(size - 1), "d/e.parquet", arrow.ErrStore, "d/e.parquet"},
		{"a size that is too large", sized(size + 1), "d/e.parquet", arrow.ErrStore, "d/e.parquet"},
		{"the largest size", sized(math.MaxInt64), "d/e.parquet", arrow.ErrStore, "d/e.parquet"},
		{"Read returns more than there is room", read(func(b []byte) (int, error) { return len(b) + 1, nil }), "d/e.parquet", graph.ErrOptions, "d/e.parquet"},
		{"Read returns less than 0", read(func([]byte) (int, error) { return -1, nil }), "d/e.parquet", graph.ErrOptions, "d/e.parquet"},
		{"Read returns more, of a file without an extension", read(func(b []byte) (int, error) { return len(b) + 1, nil }), "plain", graph.ErrOptions, "plain/part-0"},
		{"Read fails", read(func([]byte) (int, error) { return 0, fs.ErrPermission }), "d/e.parquet", fs.ErrPermission, "d/e.parquet"},
		{"ReadAt returns more than there is room", readAt(func(_ io.ReaderAt, b []byte, _ int64) (int, error) { return len(b) + 1, nil }), "d/e.parquet", graph.ErrOptions, "d/e.parquet"},
		{"ReadAt returns less than 0", readAt(func(_ io.ReaderAt, b []byte, _ int64) (int, error) { return -1, nil }), "d/e.parquet", graph.ErrOptions, "d/e.parquet"},
		{"ReadAt returns less without an error", readAt(func(r io.ReaderAt, b []byte, at int64) (int, error) { return r.ReadAt(b[:len(b)-1], at) }), "d/e.parquet", graph.ErrOptions, "d/e.parquet"},
		{"ReadAt has half of a file that shrank", readAt(func(_ io.ReaderAt, b []byte, at int64) (int, error) {
			return bytes.NewReader(data[:size/2]).ReadAt(b, at)
		}), "d/e.parquet", arrow.ErrDamaged, "d/e.parquet"},
		{"ReadAt returns io.EOF with the last byte", readAt(func(r io.ReaderAt, b []byte, at int64) (int, error) {
			n, err := r.ReadAt(b, at)
			if err == nil && at+int64(n) == size {
				err = io.EOF
			}
			return n, err
		}), "d/e.parquet", nil, ""},
		{"ReadDir returns nil entries", wrongFS{readDir: func(string) ([]fs.DirEntry, error) { return make([]fs.DirEntry, 1), nil }}, "d", graph.ErrOptions, "readdir d"},
		{"a directory has the entry .", wrongFS{readDir: func(string) ([]fs.DirEntry, error) { return []fs.DirEntry{entry(".")}, nil }}, "d", graph.ErrOptions, "readdir d"},
		{"a directory has the entry ..", wrongFS{readDir: func(string) ([]fs.DirEntry, error) { return []fs.DirEntry{entry("..")}, nil }}, "d", graph.ErrOptions, "readdir d"},
		{"a directory has an entry of another", wrongFS{readDir: func(string) ([]fs.DirEntry, error) { return []fs.DirEntry{entry("x/y")}, nil }}, "d", graph.ErrOptions, "readdir d"},
		{"a directory contains itself", wrongFS{readDir: func(string) ([]fs.DirEntry, error) { return []fs.DirEntry{entry("d")}, nil }}, "d", graph.ErrOptions, "readdir d/d"},
	} {
		soon(t, c.what, func() {
			fsys := c.fs
			fsys.MapFS = fstest.MapFS{"d/e.parquet": {Data: data}, "plain/part-0": {Data: data}}
			g, err := arrow.Load(context.Background(), c.path, arrow.Options{FS: &fsys})
			switch {
			case c.want == nil && (err != nil || g.NumEdges() != 2):
				t.Errorf("%s: %v", c.what, err)
			case c.want != nil && (!errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says)):
				t.Errorf("%s: %v, want %v and %q", c.what, err, c.want, c.says)
			}
		})
	}
}

// TestFileChanges: a file changes or is removed after it was opened.
func TestFileChanges(t *testing.T) {
	data := edgesFile(t)
	for what, c := range map[string]struct {
		then func() (fs.File, error)
		want error
	}{
		"Open returns nothing": {func() (fs.File, error) { return nil, nil }, graph.ErrOptions},
		"it is gone":           {func() (fs.File, error) { return nil, fs.ErrNotExist }, fs.ErrNotExist},
		"it has shrunk":        {func() (fs.File, error) { return fstest.MapFS{"e.parquet": {Data: data[:9]}}.Open("e.parquet") }, arrow.ErrStore},
	} {
		soon(t, what, func() {
			fsys := &wrongFS{MapFS: fstest.MapFS{"e.parquet": {Data: data}}}
			d, err := arrow.Open(context.Background(), []string{"e.parquet"}, arrow.Options{FS: fsys})
			if err != nil {
				t.Error(err)
				return
			}
			fsys.open = func(string) (fs.File, error) { return c.then() }
			if _, err := d.Load(context.Background()); !errors.Is(err, c.want) || !strings.Contains(err.Error(), "e.parquet") {
				t.Errorf("%s: %v, want %v", what, err, c.want)
			}
		})
	}
}

// TestExitedGoroutine has file systems and callbacks end the goroutine that called them. If the library
// started that goroutine, no edge may be missing without an error.
func TestExitedGoroutine(t *testing.T) {
	data := edgesFile(t)
	files := fstest.MapFS{"0.parquet": {Data: data}, "1.parquet": {Data: data}, "2.parquet": {Data: data}}
	whole, err := arrow.Load(context.Background(), "*.parquet", arrow.Options{FS: files})
	if err != nil {
		t.Fatal(err)
	}
	exit := func(from int64, calls *atomic.Int64) {
		if calls.Add(1) >= from {
			runtime.Goexit()
		}
	}
	readAt := func(f fs.File, from int64, calls *atomic.Int64) fs.File {
		return wrongPlaces{wrongFile{File: f}, func(r io.ReaderAt, b []byte, at int64) (int, error) {
			exit(from, calls)
			return r.ReadAt(b, at)
		}}
	}
	for _, workers := range []int{1, 2, 8} {
		for from := int64(1); ; from++ {
			var calls atomic.Int64
			var g *graph.Graph
			err := errors.New("the caller's goroutine was ended")
			what := fmt.Sprintf("%d workers, ReadAt from call %d on", workers, from)
			soon(t, what, func() {
				fsys := &wrongFS{MapFS: files, file: func(f fs.File) fs.File { return readAt(f, from, &calls) }}
				g, err = arrow.Load(context.Background(), "*.parquet", arrow.Options{FS: fsys, Workers: workers})
			})
			if calls.Load() < from { // all calls returned
				if err != nil || g.NumEdges() != whole.NumEdges() || from < 10 {
					t.Errorf("%s: %v", what, err)
				}
				break
			}
			if err == nil {
				t.Errorf("%s: no error, and %d edges", what, g.NumEdges())
			}
		}
		d, err := arrow.Open(context.Background(), []string{"*.parquet"}, arrow.Options{FS: files, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		soon(t, "Read", func() {
			err := d.Read(context.Background(), func(graph.Batch) error { runtime.Goexit(); return nil })
			if err == nil || !strings.Contains(err.Error(), "let it return") {
				t.Errorf("Read, %d workers: %v", workers, err)
			}
		})
		fsys := &wrongFS{MapFS: files}
		d, err = arrow.Open(context.Background(), []string{"*.parquet"}, arrow.Options{FS: fsys, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		fsys.open = func(string) (fs.File, error) { runtime.Goexit(); return nil, nil }
		soon(t, "Load", func() {
			_, err := d.Load(context.Background())
			if err == nil || !strings.Contains(err.Error(), ".parquet: a callback or file system ended") {
				t.Errorf("Load, %d workers: %v", workers, err)
			}
		})
	}
}

func TestFileFSMisuse(t *testing.T) {
	data := edgesFile(t)
	r, size := bytes.NewReader(data), int64(len(data))
	for _, c := range []struct {
		name string
		r    io.ReaderAt
		size int64
	}{{"e.parquet", r, -1}, {"e.parquet", nil, size}, {"e.parquet", (*bytes.Reader)(nil), size}, {".", r, size}} {
		if _, err := arrow.Load(context.Background(), c.name, arrow.Options{FS: arrow.FileFS(c.name, c.r, c.size)}); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("%s of %d bytes: %v", c.name, c.size, err)
		}
	}
}

// TestCheckNoColumn has Check and Write agree about no columns.
func TestCheckNoColumn(t *testing.T) {
	ctx, path := context.Background(), t.TempDir()+"/x.csv"
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []uint32{0}, []uint32{1}, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range [][]arrow.Column{nil, {}} {
		check, write := arrow.Check(ctx, path, g, columns, arrow.WriteOptions{}), arrow.Write(ctx, path, g, columns, arrow.WriteOptions{})
		if !errors.Is(check, graph.ErrOptions) || write == nil || check.Error() != write.Error() {
			t.Errorf("Check: %v; Write: %v", check, write)
		}
	}
}

// writeFunc is an io.Writer.
type writeFunc func(b []byte) (int, error)

func (w writeFunc) Write(b []byte) (int, error) { return w(b) }

// TestWrongStdout has writers return counts that can't be.
func TestWrongStdout(t *testing.T) {
	g, err := arrow.Load(context.Background(), "e.parquet", arrow.Options{FS: fstest.MapFS{"e.parquet": {Data: edgesFile(t)}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"parquet", "arrow", "csv", "jsonl"} {
		for _, c := range []struct {
			write writeFunc
			want  error
		}{
			{func(b []byte) (int, error) { return len(b), nil }, nil},
			{func(b []byte) (int, error) { return len(b) + 1, nil }, graph.ErrOptions},
			{func([]byte) (int, error) { return -1, nil }, graph.ErrOptions},
			{func(b []byte) (int, error) { return len(b) - 1, nil }, io.ErrShortWrite},
			{func([]byte) (int, error) { return 0, nil }, io.ErrShortWrite},
		} {
			err := arrow.WriteEdges(context.Background(), "-", g, arrow.WriteOptions{Format: format, Stdout: c.write})
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("%s: %v, want %v", format, err, c.want)
			}
		}
	}
}
