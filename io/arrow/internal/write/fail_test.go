// This file tests that whatever goes wrong while writing, nothing half-written
// stays, an earlier file stays, and the error names a remedy.

package write

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// fullDisk is a file on a disk with some room left.
type fullDisk struct {
	Output
	room int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.room {
		n, _ := d.Output.Write(p[:d.room])
		d.room -= n
		return n, &fs.PathError{Op: "write", Path: "/the/temporary/name.tmp", Err: syscall.ENOSPC}
	}
	d.room -= len(p)
	return d.Output.Write(p)
}

// largeResult is a result of 150,000 rows that don't compress well.
func largeResult(t testing.TB, rng *rand.Rand) (*graph.Graph, samples.TestResult) {
	return resultOf(t, rng, 150_000)
}

// resultOf is a result of n vertices.
func resultOf(t testing.TB, rng *rand.Rand, n int) (*graph.Graph, samples.TestResult) {
	ids := &graph.IDs{Type: graph.Int64, Len: n}
	r := samples.TestResult{DepthList: make([]int32, n), ParentList: make([]uint32, n)}
	for v := range n {
		ids.Ints = append(ids.Ints, rng.Int64())
		r.DepthList[v], r.ParentList[v] = rng.Int32(), rng.Uint32N(uint32(n))
	}
	return samples.WithIDs(t, ids), r
}

func TestWriteFullDisk(t *testing.T) {
	testlong.Project(t)
	g, r := largeResult(t, rand.New(rand.NewPCG(9, 10)))
	for _, format := range []string{"parquet", "arrow", "arrows", "csv", "jsonl"} {
		full := filepath.Join(t.TempDir(), "full."+format)
		if err := WriteResult(context.Background(), full, g, r, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(full)
		if err != nil {
			t.Fatal(err)
		}
		size := int(info.Size())
		for _, room := range []int{0, 1, outputBuffer, outputBuffer + 1, size / 2, size - 1} {
			for _, before := range []string{"", "what was there before"} {
				dir := t.TempDir()
				path := filepath.Join(dir, "result."+format)
				if before != "" {
					if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				err := writeResult(context.Background(), path, g, r, WriteOptions{}, func(ctx context.Context, s *WriteSpec) (Output, error) {
					out, err := OpenOutput(ctx, s)
					return &fullDisk{out, room}, err
				})
				if !errors.Is(err, syscall.ENOSPC) {
					t.Fatalf("%s with room for %d of %d: %v", format, room, size, err)
				}
				want := "cannot write " + path + ": no space left on device: free space on the file system of " + dir +
					" or write elsewhere; nothing half-written is left, and what was there before is untouched"
				if err.Error() != want {
					t.Errorf("the message is\n%s, want\n%s", err, want)
				}
				samples.Unchanged(t, dir, path, before)
			}
		}
	}
}

// TestWriteTmpfs fills a real file system, where one can be mounted.
func TestWriteTmpfs(t *testing.T) {
	dir := t.TempDir()
	if err := mountTmpfs(dir, 1<<20); err != nil {
		t.Skip("needs the right to mount a small file system: run as root on Linux:", err)
	}
	defer unmount(dir)
	g, r := largeResult(t, rand.New(rand.NewPCG(11, 12)))
	for _, format := range []string{"parquet", "arrow", "csv"} {
		path := filepath.Join(dir, "result."+format)
		err := WriteResult(context.Background(), path, g, r, WriteOptions{})
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "free space") {
			t.Errorf("got %v", err)
		}
		samples.Unchanged(t, dir, path, "")
	}
}

func TestWriteDevFull(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("needs /dev/full, as Linux has:", err)
	}
	defer f.Close()
	g, r := largeResult(t, rand.New(rand.NewPCG(13, 14)))
	for _, format := range []string{"parquet", "arrow", "arrows", "csv", "jsonl"} {
		err := WriteResult(context.Background(), "-", g, r, WriteOptions{Format: format, Stdout: f})
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "standard output") {
			t.Errorf("to standard output: %v", err)
		}
		err = WriteResult(context.Background(), "/dev/full", g, r, WriteOptions{Format: format})
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/dev/full") {
			t.Errorf("to the device: %v", err)
		}
	}
	if info, err := os.Stat("/dev/full"); err != nil || info.Mode()&fs.ModeDevice == 0 {
		t.Errorf("/dev/full is now %v, %v", info, err)
	}
}

func TestWriteCanceled(t *testing.T) {
	g, r := largeResult(t, rand.New(rand.NewPCG(15, 16)))
	const batches = (150_000 + batchRows - 1) / batchRows
	for _, only := range []bool{false, true} {
		if only {
			for v := range r.DepthList {
				r.DepthList[v] = -1 // no row is written, yet the context is asked
			}
		}
		for left := 0; ; left++ {
			dir := t.TempDir()
			path := filepath.Join(dir, "result.parquet")
			err := WriteResult(&samples.Countdown{Context: context.Background(), Left: left}, path, g, r, WriteOptions{ReachedOnly: only})
			if err == nil {
				if left != batches+1 {
					t.Errorf("the context was asked %d times for %d batches and the end", left, batches)
				}
				break
			}
			var e *atomicfile.Error
			if !errors.Is(err, context.Canceled) || !errors.As(err, &e) || !strings.Contains(err.Error(), path) ||
				!strings.Contains(err.Error(), "stopped after") {
				t.Fatalf("after %d: %v", left, err)
			}
			samples.Unchanged(t, dir, path, "")
		}
	}
}

func TestWriteEdgesCanceled(t *testing.T) {
	// A star whose hub has the highest id: all its entries are skipped, and
	// the context is asked all the same.
	const n = 3 * batchRows
	csr := graph.CSR{Offsets: make([]uint64, n+1)}
	for v := range uint32(n - 1) {
		csr.Targets = append(csr.Targets, n-1)
		csr.Offsets[v+1] = uint64(v) + 1
	}
	for v := range uint32(n - 1) {
		csr.Targets = append(csr.Targets, v)
	}
	csr.Offsets[n] = uint64(len(csr.Targets))
	g, err := graph.FromCSR(csr, graph.CSROptions{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "edges.csv")
	for left := 0; ; left++ {
		err := WriteEdges(&samples.Countdown{Context: context.Background(), Left: left}, path, g, WriteOptions{})
		if err == nil {
			if left < 5 {
				t.Errorf("the context was asked %d times", left)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d: %v", left, err)
		}
		samples.Unchanged(t, dir, path, "")
	}
}

func TestWriteWhere(t *testing.T) {
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 1})
	r := samples.TestResult{DepthList: []int32{0}}
	dir := t.TempDir()
	for path, c := range map[string]struct {
		remedy string
		want   error
	}{
		filepath.Join(dir, "missing", "r.csv"): {"make the directory " + filepath.Join(dir, "missing"), fs.ErrNotExist},
		dir:                                    {"name a file in that directory", syscall.EISDIR},
	} {
		err := WriteResult(context.Background(), path, g, r, WriteOptions{Format: "csv"})
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.remedy) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	samples.Unchanged(t, dir, "", "")

	t.Run("permission", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("needs a user other than root, who may write everywhere")
		}
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(dir, 0o755)
		err := WriteResult(context.Background(), filepath.Join(dir, "r.csv"), g, r, WriteOptions{})
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "change the permissions of "+dir) {
			t.Error(err)
		}
	})
}

// TestWritePanic: a reader that panics leaves nothing behind either.
func TestWritePanic(t *testing.T) {
	dir := t.TempDir()
	defer func() {
		if recover() == nil {
			t.Error("the panic was lost")
		}
		samples.Unchanged(t, dir, "", "")
	}()
	_ = WriteEdgeBatches(context.Background(), filepath.Join(dir, "edges.csv"), func(_ context.Context, yield func(graph.Batch) error) error { panic("reader") }, WriteOptions{})

}

// TestWriteStdout writes a whole file to a stand-in for standard output.
func TestWriteStdout(t *testing.T) {
	g, r := largeResult(t, rand.New(rand.NewPCG(17, 18)))
	for _, format := range []string{"", "parquet", "arrow", "arrows"} {
		var out bytes.Buffer
		if err := WriteResult(context.Background(), "-", g, r, WriteOptions{Format: format, Stdout: &out}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "a")
		if format == "" {
			format = "csv"
		}
		if err := WriteResult(context.Background(), path, g, r, WriteOptions{Format: format}); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%s differs between a file and standard output", format)
		}
	}
}
