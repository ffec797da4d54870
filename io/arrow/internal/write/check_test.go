// This file tests what is known to go wrong before there is a result.

package write

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testfile"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

func TestCheckOutput(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	file := filepath.Join(dir, "file.csv")
	if err := os.WriteFile(file, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	f := tests3.NewFake(t, "lake")
	f.Put("lake", "there/x", []byte("x"))
	by := WriteOptions{PartitionBy: "depth", S3: samples.S3Options(f.Env())}
	plain := WriteOptions{S3: by.S3}
	for _, c := range []struct {
		path string
		o    WriteOptions
		want error
	}{
		{"-", plain, nil},
		{file, plain, nil},
		{file, by, fs.ErrExist},
		{filepath.Join(dir, "new.parquet"), plain, nil},
		{filepath.Join(dir, "new"), by, nil},
		{filepath.Join(dir, "new"), plain, ErrOutputFormat},
		{filepath.Join(dir, "no", "new.parquet"), plain, fs.ErrNotExist},
		{filepath.Join(dir, "no", "new"), by, fs.ErrNotExist},
		{filepath.Join(file, "new"), by, syscall.ENOTDIR},
		{dir, WriteOptions{Format: "csv"}, syscall.EISDIR},
		{dir, by, fs.ErrExist},
		{testfile.FIFO(t), WriteOptions{Format: "csv"}, nil},
		{"s3://lake/x.csv", plain, nil},
		{"s3://lake/x", by, nil},
		{"s3://lake/there", by, fs.ErrExist},
		{"s3://lake/there/x", by, fs.ErrExist},
		{"s3://no-lake/x.csv", plain, fs.ErrNotExist},
		{"s3://no-lake/x", by, fs.ErrNotExist},
		{"s3://lake/", plain, ErrOutputFormat},
	} {
		if err := CheckOutput(ctx, c.path, c.o); !errors.Is(err, c.want) || c.want != nil && !strings.Contains(err.Error(), "cannot write "+c.path) {
			t.Errorf("%s, %+v: %v, want %v", c.path, c.o.PartitionBy, err, c.want)
		}
	}
	f.SetFault(func(q tests3.Request) tests3.Fault {
		if q.Op == tests3.Begin {
			return tests3.Fault{Status: 403, Code: "AccessDenied"}
		}
		return tests3.Fault{}
	})
	for path, o := range map[string]WriteOptions{"s3://lake/x.csv": plain, "s3://lake/x": by} {
		if err := CheckOutput(ctx, path, o); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || len(f.Keys("lake")) != 1 || f.Uploads() != 0 {
		t.Errorf("left behind: %v, %v, %q", entries, err, f.Keys("lake"))
	}
}

// discard opens outputs that go nowhere, or into files of partitions, which are counted, without waiting for the disk.
func discard(_ context.Context, s *WriteSpec) (Output, error) {
	if s.PartitionBy == "" {
		return Stdout{io.Discard}, nil
	}
	f, err := os.Create(s.Path)
	return unsynced{Stdout{f}, f}, err
}

type unsynced struct {
	Stdout
	f *os.File
}

func (o unsynced) Commit() error { return o.f.Close() }
func (o unsynced) Abort()        { o.f.Close() }

// TestCheckResult: what it says, WriteResult would have said.
func TestCheckResult(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(81, 82))
	const n = 8
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: n})
	p := randomProperties(rng, n)
	clash := &testProperties{fields: p.fields[:1], cells: p.cells[:1]}
	clash.fields[0].Name = "depth"
	p = randomProperties(rng, n)
	r := samples.TestResult{DepthList: make([]int32, n), ParentList: make([]uint32, n)}
	for v := range r.DepthList {
		r.DepthList[v] = int32(v)
	}
	found := 0
	for _, by := range []string{"", "vertex", "vertex_1", "depth", "parent", "p0", "p9", "p11", "none"} {
		for _, most := range []int{0, n - 1, n} {
			for _, reached := range []bool{false, true} {
				for _, props := range []Properties{nil, p, clash} {
					for _, parents := range []bool{false, true} {
						if by == "" && most > 0 {
							continue
						}
						o := WriteOptions{Format: "csv", PartitionBy: by, MaxPartitions: most, ReachedOnly: reached, Properties: props}
						result := r
						if !parents {
							result.ParentList = nil
						}
						path := filepath.Join(t.TempDir(), "r.csv")
						err := CheckResult(ctx, path, g, true, parents, o)
						werr := writeResult(ctx, path, g, result, o, discard)
						switch late := by == "depth" || by == "parent" || reached; {
						case err != nil && (werr == nil || err.Error() != werr.Error()):
							t.Errorf("by %q, %d, %v: %v, but writing says %v", by, most, reached, err, werr)
						case err == nil && werr != nil && !(late && strings.Contains(werr.Error(), "has more than")):
							t.Errorf("by %q, %d, %v: only writing says %v", by, most, reached, werr)
						}
						if err != nil {
							found++
						}
					}
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d errors were found", found)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := CheckResult(canceled, "r", g, true, false, WriteOptions{PartitionBy: "vertex"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, path := range []string{"r.csv", "r", "r.gz"} { // what is wrong with the result comes first
		if err := CheckResult(ctx, path, g, false, false, WriteOptions{}); !errors.Is(err, ErrResult) {
			t.Errorf("%s: neither depths nor parents: %v", path, err)
		}
		other := foreignProperties{&testProperties{}}
		if err := CheckResult(ctx, path, g, true, false, WriteOptions{Properties: other}); !errors.Is(err, ErrResult) {
			t.Errorf("%s: foreign properties: %v", path, err)
		}
		if err := CheckResult(ctx, path, nil, true, false, WriteOptions{}); !errors.Is(err, ErrResult) {
			t.Errorf("%s: no graph: %v", path, err)
		}
	}
	if err := CheckResult(ctx, "r.gz", g, true, false, WriteOptions{}); !errors.Is(err, ErrOutputFormat) {
		t.Error(err)
	}
	if err := CheckResult(ctx, "r.csv", nil, true, false, WriteOptions{}); !errors.Is(err, ErrResult) {
		t.Error(err)
	}
}

// foreignProperties are properties of another graph's vertices.
type foreignProperties struct{ *testProperties }

func (foreignProperties) IDs() *graph.IDs { return &graph.IDs{} }
