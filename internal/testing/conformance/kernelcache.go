// This file holds the tests of the cache of machine code on disk, with functors that aren't compiled ahead.

package conformance

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu/kernelcache"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// relaxed finds shortest paths by a functor of the tests.
func relaxed(ctx context.Context, p *graph.Placed) (found outcome, err error) {
	t := traverse.New(ctx, p, traverse.Options{})
	defer t.Close()
	far := float32(math.Inf(1))
	dist := traverse.Array[float32](t, far)
	traverse.Set(t, dist, 1, 0)
	t.Repeat(t.From(1), advance.Push(composed.NewRelax(dist, far)), filter.Unique())
	r, err := traverse.Result(t, dist)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return found, add(&found, r)
}

// kept returns the files of a folder by name.
func kept(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		if all[filepath.Base(f)], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// KernelCache tests that a second device takes what the first left on disk, and that no fault there changes a result.
func KernelCache(t *testing.T, open func() (device.Device, error)) {
	g := testgraph.Skewed(40, 4, testgraph.Undirected).Weighted(3)
	run := func(what string) outcome {
		t.Helper()
		dev, err := open()
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.On(dev)
		if err != nil {
			t.Fatal(err)
		}
		found, err := relaxed(t.Context(), p)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for _, err := range []error{p.Close(), dev.Close()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return found
	}
	dir := filepath.Join(t.TempDir(), "kernels")
	t.Setenv(kernelcache.Variable, "off")
	want := run("without a cache")
	same := func(what string) {
		t.Helper()
		if found := run(what); !found.is(want) {
			t.Errorf("%s: %v, want %v", what, found, want)
		}
	}
	t.Setenv(kernelcache.Variable, dir)
	same("with an empty cache")
	first := kept(t, dir)
	if len(first) == 0 {
		t.Fatal("nothing is kept; the emulated GPU needs FORAY_EMULATOR_LINK=1")
	}
	stamps := map[string]os.FileInfo{}
	for name := range first {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		stamps[name] = info
	}
	same("with the cache of the first device")
	for name, before := range stamps {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !os.SameFile(info, before) {
			t.Errorf("%s was written again: %v", name, err)
		}
	}
	write := func(name string, b []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole := func(what string) {
		t.Helper()
		same(what)
		for name, b := range kept(t, dir) {
			if !bytes.Equal(b, first[name]) {
				t.Errorf("%s: %s isn't as it was", what, name)
			}
		}
		if n := len(kept(t, dir)); n != len(first) {
			t.Errorf("%s: %d files, want %d", what, n, len(first))
		}
	}
	for name, b := range first {
		write(name, b[:len(b)/2])
	}
	whole("with files cut short")
	for name, b := range first {
		bad := bytes.Clone(b)
		bad[len(bad)/2] ^= 4
		write(name, bad)
	}
	whole("with flipped bits")
	for name := range first {
		write(name, nil)
	}
	whole("with empty files")
	// The checksum is right, and the code isn't: another driver may refuse what this one made.
	f := kernelcache.At(dir)
	for name := range first {
		if err := f.Put(kernelcache.KeyOfFile(name), []byte("no machine code, which the driver refuses")); err != nil {
			t.Fatal(err)
		}
	}
	whole("with code that the driver refuses")
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	same("with a folder that others can write to")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	same("with a file in place of the folder")
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	// Several devices at once, with one cache.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			dev, err := open()
			if err != nil {
				t.Error(err)
				return
			}
			p, err := g.On(dev)
			if err != nil {
				t.Error(err)
				return
			}
			if found, err := relaxed(t.Context(), p); err != nil || !found.is(want) {
				t.Errorf("at once: %v, %v, want %v", found, err, want)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	whole("after several at once")
}

// KernelCacheFailures has calls of the driver fail while kernels are compiled for the cache, and while they come from there.
func KernelCacheFailures(t *testing.T, open func() (device.Device, error), fail Fail) {
	t.Cleanup(func() { fail(0, false) })
	dir := t.TempDir()
	t.Setenv(kernelcache.Variable, dir)
	for _, empty := range []bool{true, false} {
		f := failing{"relax", testgraph.Skewed(40, 4, testgraph.Undirected), func(ctx context.Context, p *graph.Placed) (outcome, error) {
			for name := range kept(t, dir) {
				if empty {
					os.Remove(filepath.Join(dir, name))
				}
			}
			return relaxed(ctx, p)
		}}
		for _, breaks := range []bool{false, true} {
			failedOnce(t, f, f.graph.Weighted(3), open, fail, breaks)
		}
	}
}
