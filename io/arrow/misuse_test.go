package arrow_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
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
