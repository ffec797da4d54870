// This file tests what a process leaves in a store, or on a full disk, that ends
// while it writes partitions.

package write

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// killedPartitions is a result with four partitions.
func killedPartitions(t *testing.T) (*graph.Graph, samples.TestResult) {
	g, r := largeResult(t, rand.New(rand.NewPCG(95, 96)))
	for v := range r.DepthList {
		r.DepthList[v] &= 3
	}
	return g, r
}

// TestKilledStore ends a process at one request after another: nothing is to be
// seen before all is sent. Files that become visible during completion are removed by the
// next run.
func TestKilledStore(t *testing.T) {
	testlong.Only(t)
	t.Parallel()
	if endpoint := os.Getenv("FORAY_TEST_KILLED_STORE"); endpoint != "" {
		g, r := killedPartitions(t)
		o := WriteOptions{PartitionBy: "depth", Format: "csv", Overwrite: true}
		o.S3 = input.S3Options{Endpoint: endpoint, AccessKey: tests3.AccessKey, SecretKey: tests3.SecretKey}
		t.Fatal("it was not killed:", WriteResult(context.Background(), "s3://lake/out", g, r, o))
	}
	for _, at := range []struct {
		op tests3.Op
		n  int
	}{{tests3.Begin, 0}, {tests3.Begin, 3}, {tests3.Part, 2}, {tests3.Complete, 0}, {tests3.Complete, 2}, {tests3.Remove, 2}} {
		f := tests3.NewFake(t, "lake")
		f.Put("lake", "out/depth=7/part-0-0123456789abcdef.csv", []byte("before"))
		f.Put("lake", "out/depth=8/part-0-0123456789abcdef.csv", []byte("before"))
		f.Put("lake", "out/"+listName+"-0123456789abcdef", fileList{"depth=7/part-0-0123456789abcdef.csv": 6, "depth=8/part-0-0123456789abcdef.csv": 6}.encode())
		reached := make(chan struct{})
		var once atomic.Bool
		f.SetFault(func(q tests3.Request) tests3.Fault {
			if q.Op == at.op && q.N >= at.n {
				if once.CompareAndSwap(false, true) {
					close(reached)
				}
				return tests3.Fault{Stall: true}
			}
			return tests3.Fault{}
		})
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledStore$")
		cmd.Env = append(os.Environ(), "FORAY_TEST_KILLED_STORE="+f.Endpoint)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-reached:
		case <-time.After(time.Minute):
			t.Errorf("%v: the process doesn't come that far", at)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // reports that it was killed
		keys := f.Keys("lake")
		if before := at.op == tests3.Begin || at.op == tests3.Part || at.n == 0; before && len(keys) != 3 {
			t.Errorf("%v: after the kill there is %q", at, keys)
		}
		if old := strings.Join(keys, " "); at.op != tests3.Remove && strings.Count(old, "0123456789abcdef") != 3 {
			t.Errorf("%v: of what was there, there is %q", at, keys)
		}

		f.SetFault(nil)
		g, r := killedPartitions(t)
		o := WriteOptions{PartitionBy: "depth", Format: "csv", S3: samples.S3Options(f.Env())}
		if err := WriteResult(context.Background(), "s3://lake/out", g, r, o); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%v: another run that mayn't overwrite: %v", at, err)
		}
		o.Overwrite = true
		err := WriteResult(context.Background(), "s3://lake/out", g, r, o)
		for range 3 {
			if errors.Is(err, fs.ErrExist) { // what the killed process asked for last has come
				err = WriteResult(context.Background(), "s3://lake/out", g, r, o)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if now := f.Keys("lake"); len(now) != 5 || strings.Contains(strings.Join(now, " "), "0123456789abcdef") {
			t.Errorf("%v: after another run there is %q", at, now)
		}
		f.Close()
	}
}

// TestPartitionTmpfs fills a real file system with partitions.
func TestPartitionTmpfs(t *testing.T) {
	dir := t.TempDir()
	if err := mountTmpfs(dir, 1<<20); err != nil {
		t.Skip("needs the right to mount a small file system: run as root on Linux:", err)
	}
	defer unmount(dir)
	g, r := killedPartitions(t)
	path := filepath.Join(dir, "out")
	before := samples.TestResult{DepthList: make([]int32, len(r.DepthList))}
	for _, overwrite := range []bool{false, true} {
		for _, format := range []string{"parquet", "csv"} {
			o := WriteOptions{PartitionBy: "depth", Format: format, Overwrite: overwrite}
			err := WriteResult(context.Background(), path, g, r, o)
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "cannot write "+path) || !strings.Contains(err.Error(), "free space") {
				t.Errorf("got %v", err)
			}
			if overwrite {
				continue // see below
			}
			samples.Unchanged(t, dir, path, "")
		}
		// Something small that is there stays.
		if !overwrite {
			small := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 3})
			if err := WriteResult(context.Background(), path, small, samples.TestResult{DepthList: before.DepthList[:3]}, WriteOptions{PartitionBy: "depth"}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if files := partitionFiles(t, path, "parquet"); len(files) != 1 {
			t.Errorf("of what was there, there is %q", files)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
	}
}

// TestPartitionOutputEnds: a store that is slow at one object, and a context that
// ends meanwhile, leave nothing.
func TestPartitionOutputEnds(t *testing.T) {
	f := tests3.NewFake(t, "lake")
	g, r := killedPartitions(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f.SetFault(func(q tests3.Request) tests3.Fault {
		if q.Op == tests3.Complete && q.N == 1 {
			time.AfterFunc(20*time.Millisecond, cancel)
			return tests3.Fault{Delay: time.Hour}
		}
		return tests3.Fault{}
	})
	err := WriteResult(ctx, "s3://lake/out", g, r, WriteOptions{PartitionBy: "depth", S3: samples.S3Options(f.Env())})
	if !errors.Is(err, context.Canceled) || len(f.Keys("lake")) != 0 || f.Uploads() != 0 {
		t.Errorf("%v: %q, %d uploads", err, f.Keys("lake"), f.Uploads())
	}
}

// TestPartitionsReadBack: what partitions of odd values hold, and their names say,
// is read as it was.
func TestPartitionsReadBack(t *testing.T) {
	testlong.Only(t)
	t.Parallel()
	g, r := oddGraph(t)
	for v := range r.ParentList {
		r.ParentList[v] = uint32(v / 2) // all have one
	}
	try := func(t *testing.T, root string, o input.S3Options) {
		for _, format := range []string{"parquet", "arrow"} {
			path := root + format
			if err := WriteResult(context.Background(), path, g, r, WriteOptions{PartitionBy: "vertex", Format: format, S3: o}); err != nil {
				t.Fatal(err)
			}
			back, err := dataset.Load(context.Background(), path, dataset.Options{Source: "vertex", Target: "parent", S3: o, SkipNulls: true,
				Graph: graph.Options{Directed: true, KeepSelfLoops: true, KeepDuplicates: true}})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			for v := range r.ParentList {
				if id := g.IDs().Format(uint32(v)); id != "" { // Hive doesn't tell it from a missing one
					want[id] = g.IDs().Format(r.ParentList[v])
				}
			}
			n := 0
			for u := range uint32(back.NumVertices()) {
				for _, v := range back.Out().Neighbors(u) {
					n++
					if id := back.IDs().Format(u); want[id] != back.IDs().Format(v) {
						t.Errorf("%s: the parent of %q is %q, want %q", format, id, back.IDs().Format(v), want[id])
					}
				}
			}
			if n != len(want) {
				t.Errorf("%s: %d rows, want %d", format, n, len(want))
			}
		}
	}
	t.Run("files", func(t *testing.T) { try(t, t.TempDir()+"/", input.S3Options{}) })
	t.Run("fake", func(t *testing.T) {
		f := tests3.NewFake(t, "lake")
		try(t, "s3://lake/", samples.S3Options(f.Env()))
	})
	t.Run("versitygw", func(t *testing.T) {
		g := tests3.NewGateway(t)
		try(t, g.Path(""), samples.S3Options(g.Env()))
	})
}
