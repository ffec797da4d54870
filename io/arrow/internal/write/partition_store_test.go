// This file tests partitioned results in stores: the same files as in a
// directory, all of them or none, whatever fails.

package write

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/s3/client"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// oddIDs are strings that names of directories and keys make trouble of.
var oddIDs = []string{"", " ", "%", "%2F", "*?", "..", "/", "//a/", "=", "\n", "\x00", `\`, "a b+c", "a=b/c=d", "part-0", "q\"uote", "ä/漢%", "ﬀ\u0301", "😀"}

// oddGraph has a vertex for each of the odd ids.
func oddGraph(t testing.TB) (*graph.Graph, samples.TestResult) {
	texts := slices.Clone(oddIDs)
	slices.Sort(texts)
	ids := &graph.IDs{Type: graph.String, Len: len(texts), StringOffsets: []uint64{0}}
	r := samples.TestResult{}
	for v, s := range texts {
		ids.Data = append(ids.Data, s...)
		ids.StringOffsets = append(ids.StringOffsets, uint64(len(ids.Data)))
		parent := uint32(v / 2)
		if v%5 == 4 {
			parent = graph.NoVertex
		}
		r.DepthList, r.ParentList = append(r.DepthList, int32(v%4)-1), append(r.ParentList, parent)
	}
	return samples.WithIDs(t, ids), r
}

// objectsOf reads all objects below a prefix, by the names below it without what
// the group's mark adds.
func objectsOf(t testing.TB, o input.S3Options, path string) map[string]string {
	t.Helper()
	c := o.Client()
	defer c.Close()
	found := map[string]string{}
	objects, err := c.List(context.Background(), path+"/")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, x := range objects {
		if strings.HasPrefix(x.Below, listName) {
			continue
		}
		r, err := c.Open(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, x.Size)
		if n, err := r.ReadAt(b, 0); int64(n) != x.Size {
			t.Fatal(err)
		}
		name := regexp.MustCompile(`/part-0-[0-9a-f]{16}\.`).ReplaceAllString("/"+x.Below, "/part-0.")
		if found[name] != "" {
			t.Errorf("%s is there twice", name)
		}
		found[name] = string(b)
	}
	return found
}

// parts returns the keys of partitions, without the lists of them.
func parts(f *tests3.Fake) []string {
	return slices.DeleteFunc(f.Keys("lake"), func(key string) bool { return strings.Contains(key, listName) })
}

// filesOf reads all files of a directory, by the names below it, without the list of them.
func filesOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && e.Name() != listName {
			var b []byte
			b, err = os.ReadFile(p)
			found[filepath.ToSlash(strings.TrimPrefix(p, dir))] = string(b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func same(a, b map[string]string) bool {
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return len(a) == len(b)
}

func names(m map[string]string) []string {
	var s []string
	for k := range m {
		s = append(s, k)
	}
	slices.Sort(s)
	return s
}

// TestPartitionStore: a store has the files that a directory has.
func TestPartitionStore(t *testing.T) {
	testlong.Only(t)
	odd, oddResult := oddGraph(t)
	large, largeR := largeResult(t, rand.New(rand.NewPCG(71, 72)))
	for v := range largeR.DepthList {
		largeR.DepthList[v] &= 1
	}
	none := samples.WithIDs(t, &graph.IDs{Type: graph.Int64})
	try := func(t *testing.T, env map[string]string, root string, count int, uploads func() int) {
		o := samples.S3Options(env)
		many, manyResult := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: count}), samples.TestResult{DepthList: make([]int32, count)}
		for name, c := range map[string]struct {
			g  *graph.Graph
			r  samples.TestResult
			by string
			n  int
		}{
			"odd/":       {odd, oddResult, "vertex", len(oddIDs)},
			"parents":    {odd, oddResult, "parent", 10},
			"depths.csv": {odd, oddResult, "depth", 4},
			"many.jsonl": {many, manyResult, "vertex", count},
			"large":      {large, largeR, "depth", 2},
			"none":       {none, samples.TestResult{DepthList: []int32{}}, "depth", 0},
		} {
			wo := WriteOptions{PartitionBy: c.by, S3: o}
			want := map[string]string{}
			if c.g == many { // so many files of the file system's would take long
				for v := range count {
					want[fmt.Sprintf("/vertex=%d/part-0.jsonl", v)] = "{\"depth\":0}\n"
				}
			} else {
				dir := filepath.Join(t.TempDir(), name)
				if err := WriteResult(context.Background(), dir, c.g, c.r, wo); err != nil {
					t.Fatal(err)
				}
				want = filesOf(t, dir)
			}
			if err := CheckOutput(context.Background(), root+name, wo); err != nil {
				t.Error(err)
			}
			if err := WriteResult(context.Background(), root+name, c.g, c.r, wo); err != nil {
				t.Fatal(err)
			}
			got := objectsOf(t, o, strings.TrimSuffix(root+name, "/"))
			if !same(got, want) || len(got) != c.n || uploads() != 0 {
				t.Errorf("%s: %q, want %q; %d uploads", name, names(got), names(want), uploads())
			}
			if c.n == 0 {
				continue
			}
			for _, err := range []error{WriteResult(context.Background(), root+name, c.g, c.r, wo), CheckOutput(context.Background(), root+name, wo)} {
				if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "or ask for it to be overwritten") {
					t.Errorf("%s again: %v", name, err)
				}
			}
			wo.Overwrite = true
			if err := CheckOutput(context.Background(), root+name, wo); err != nil {
				t.Error(err)
			}
			if err := WriteResult(context.Background(), root+name, c.g, samples.TestResult{DepthList: make([]int32, len(c.r.DepthList)), ParentList: c.r.ParentList}, wo); err != nil {
				t.Fatal(err)
			}
			if now := objectsOf(t, o, strings.TrimSuffix(root+name, "/")); c.by == "depth" && len(now) != 1 || c.by != "depth" && len(now) != c.n {
				t.Errorf("%s: overwritten with %q", name, names(now))
			}
		}
	}
	t.Run("fake", func(t *testing.T) {
		f := tests3.NewFake(t, "lake")
		try(t, f.Env(), "s3://lake/", testlong.Of(300, 1000), f.Uploads)
	})
	t.Run("versitygw", func(t *testing.T) {
		g := tests3.NewGateway(t)
		try(t, g.Env(), g.Path(""), 150, func() int { return g.Uploads(t) })
	})
}

// TestPartitionStoreFaults: each request fails in turn, and its answer is lost.
func TestPartitionStoreFaults(t *testing.T) {
	testlong.Only(t)
	t.Parallel()
	g, r := resultOf(t, rand.New(rand.NewPCG(73, 74)), 3000)
	for v := range r.DepthList {
		r.DepthList[v] &= 1
	}
	for _, w := range []tests3.Fault{{Status: 403, Code: "AccessDenied"}, {Cut: true, Effect: true}} {
		tests3.EveryRequest(10, func(k int) bool {
			f := tests3.NewFake(t, "lake")
			o := WriteOptions{PartitionBy: "depth", Format: "csv", S3: samples.S3Options(f.Env())}
			o.S3.Attempts = 1
			var hit atomic.Bool
			f.SetFault(func(q tests3.Request) tests3.Fault {
				if q.All != k {
					return tests3.Fault{}
				}
				hit.Store(true)
				return w
			})
			err := WriteResult(context.Background(), "s3://lake/out", g, r, o)
			n := len(f.Keys("lake"))
			if err == nil && n != 3 || err != nil && n != 0 || f.Uploads() != 0 {
				t.Errorf("request %d, %+v: %v: %q, %d uploads", k, w, err, f.Keys("lake"), f.Uploads())
			}
			if err != nil && (strings.Count(err.Error(), "cannot write") != 1 || !strings.Contains(err.Error(), "s3://lake/out")) {
				t.Error(err)
			}
			f.Close()
			return hit.Load()
		})
	}
}

// TestPartitionStoreStops: what isn't the store's fault leaves nothing either.
func TestPartitionStoreStops(t *testing.T) {
	testlong.Only(t)
	f := tests3.NewFake(t, "lake")
	g, r := largeResult(t, rand.New(rand.NewPCG(75, 76)))
	for v := range r.DepthList {
		r.DepthList[v] &= 3
	}
	o := WriteOptions{PartitionBy: "depth", Format: "csv", S3: samples.S3Options(f.Env())}
	check := func(what string, err error) {
		t.Helper()
		if n := len(f.Keys("lake")); n != 0 || f.Uploads() != 0 || strings.Count(fmt.Sprint(err), "cannot write") != 1 {
			t.Errorf("%s: %v: %d objects, %d uploads", what, err, n, f.Uploads())
		}
	}
	for left := 0; ; left += 2 {
		err := WriteResult(&samples.Countdown{Context: context.Background(), Left: left}, "s3://lake/out", g, r, o)
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		check("canceled", err)
	}
	if len(parts(f)) != 4 {
		t.Errorf("%q", f.Keys("lake"))
	}
	for _, k := range f.Keys("lake") {
		f.Delete("lake", k)
	}
	opened := 0
	err := writeResult(context.Background(), "s3://lake/out", g, r, o, func(ctx context.Context, s *WriteSpec) (Output, error) {
		out, err := OpenOutput(ctx, s)
		if opened++; opened > 2 {
			out = &fullDisk{out, 300_000}
		}
		return out, err
	})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	check("a part fails", err)
	many := o
	many.MaxPartitions = 3
	if err = WriteResult(context.Background(), "s3://lake/out", g, r, many); !errors.Is(err, ErrOutputOption) {
		t.Error(err)
	}
	check("too many", err)
	long, result := oddGraph(t)
	p := &testProperties{fields: randomProperties(rand.New(rand.NewPCG(1, 1)), 0).fields[11:12], cells: [][]any{make([]any, len(oddIDs))}}
	for i := range p.cells[0] {
		p.cells[0][i] = strings.Repeat("x", 100*i)
	}
	o.PartitionBy, o.Properties = p.fields[0].Name, p
	if err = WriteResult(context.Background(), "s3://lake/out", long, result, o); !errors.Is(err, syscall.ENAMETOOLONG) || !strings.Contains(err.Error(), "too long for the key of an object") {
		t.Error(err)
	}
	check("a long value", err)
	for key, says := range map[string]string{"depth=0/thesis.txt": "lake/out/depth=0/thesis.txt and no .foray-partitions", "data/part-0": "data/part-0", "plain.parquet": "plain"} {
		f.Put("lake", "out/"+key, nil)
		err = WriteResult(context.Background(), "s3://lake/out", g, r, WriteOptions{PartitionBy: "depth", Overwrite: true, S3: o.S3})
		if _, there := f.Object("lake", "out/"+key); !errors.Is(err, ErrOutputOption) || !strings.Contains(err.Error(), says) || !there {
			t.Errorf("over %s: %v", key, err)
		}
		f.Delete("lake", "out/"+key)
	}
}

// TestPartitionSlowStore: a store that takes its time for each request has all in
// the end.
func TestPartitionSlowStore(t *testing.T) {
	testlong.Project(t)
	f := tests3.NewFake(t, "lake")
	f.SetFault(func(tests3.Request) tests3.Fault { return tests3.Fault{Delay: 20 * time.Millisecond} })
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 100})
	o := WriteOptions{PartitionBy: "vertex", S3: samples.S3Options(f.Env())}
	if err := WriteResult(context.Background(), "s3://lake/out", g, samples.TestResult{DepthList: make([]int32, 100)}, o); err != nil {
		t.Fatal(err)
	}
	if n := len(parts(f)); n != 100 || f.Uploads() != 0 {
		t.Errorf("%d objects, %d uploads", n, f.Uploads())
	}
}

// TestPartitionGateway: a real store loses each request, or the answer to it.
func TestPartitionGateway(t *testing.T) {
	testlong.Only(t)
	t.Parallel()
	gw := tests3.NewGateway(t)
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 100})
	r := samples.TestResult{DepthList: make([]int32, 100)}
	for v := range r.DepthList {
		r.DepthList[v] = int32(v % 3)
	}
	for _, effect := range []bool{false, true} {
		tests3.EveryRequest(8, func(k int) bool {
			lossy := tests3.NewLossy(int64(k), effect)
			path := gw.Path(fmt.Sprintf("out%v%d", effect, k))
			o := WriteOptions{PartitionBy: "depth", S3: samples.S3Options(gw.Env())}
			o.S3.Attempts = 1
			err := WriteResult(client.WithTransport(context.Background(), lossy), path, g, r, o)
			lossy.Close()
			objects := objectsOf(t, samples.S3Options(gw.Env()), path)
			if n := gw.Uploads(t, path); err == nil && len(objects) != 3 || err != nil && len(objects) != 0 || n != 0 {
				t.Errorf("request %d, effect %v: %v: %q, %d uploads", k, effect, err, names(objects), n)
			}
			return lossy.Hit() && !t.Failed()
		})
	}
}
