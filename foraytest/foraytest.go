// Package foraytest helps to test your own traversals and functors: it has an emulated GPU, which runs
// kernels on the CPU, and small graphs of many shapes.
//
//	func TestReach(t *testing.T) {
//		gpu := foraytest.EmulatedGPU(t)
//		for _, g := range foraytest.Graphs(1) {
//			p, err := g.Graph.On(gpu)
//			...
//		}
//	}
//
// The guide is [docs/compose.md].
//
// [docs/compose.md]: https://github.com/foray-graph/foray/blob/main/docs/compose.md
package foraytest

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functor/ahead"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/testing/emulator"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// EmulatedGPU returns a GPU that runs kernels on the CPU, the same kernels that a real GPU runs: Foray's
// kernels compiled for the CPU, and the generated PTX of functors written in Go. The device is closed when
// the test ends; the test must free everything that it placed there.
//
// It is slow, and designed to find mistakes: threads take turns in random order, and accesses past the end
// of a buffer, to freed memory or at a misaligned address fail the launch with an error that names the
// place. That error is sticky: later calls in the process fail too. Environment variables configure the GPU:
// for example, FORAY_EMULATOR_SEED sets the order of threads, FORAY_EMULATOR_SMS the number of
// multiprocessors, and FORAY_EMULATOR_SM the compute capability, 70, 80 or 90.
//
// The first call builds the library into the user's cache folder, in about a minute on two idle cores (two minutes of processor time);
// it is used again until Foray or the compiler changes. Meanwhile lines on the standard error, which go test -v shows at
// once, say how far it is. The test is skipped without g++, on systems other
// than Linux on amd64 and arm64, and in a run with -short if the library isn't built yet.
//
// A process has one driver. Tests that use a real GPU must be in another package: if the process has already
// looked for a GPU, EmulatedGPU fails the test; after the call cuda:0 is the emulated GPU.
func EmulatedGPU(t testing.TB) device.Device {
	t.Helper()
	path, err := library()
	if err == nil {
		err = driver.UseLibrary(path)
	}
	if err == errShort || errors.Is(err, emulator.ErrNoCompiler) || errors.Is(err, driver.ErrNotSupported) {
		t.Skip("needs the emulated GPU:", err)
	}
	if err != nil {
		t.Fatal("no emulated GPU:", err)
	}
	record()
	d, err := gpu.Open(0)
	if err != nil {
		t.Fatal("no emulated GPU:", err)
	}
	t.Cleanup(func() {
		// A test that failed needn't have freed anything.
		if err := d.Close(); err != nil && !t.Failed() {
			t.Error(err)
		}
		if err := unrecorded.Load(); err != nil {
			t.Error("a kernel isn't recorded:", *err)
		}
	})
	return d
}

// record saves the modules that are made of kernels and functors, for foray generate -aot.
var record = sync.OnceFunc(func() {
	folder := os.Getenv(ahead.RecordVariable)
	if folder == "" {
		return
	}
	link.Record(func(m gpu.Ahead) {
		if err := ahead.Save(folder, m); err != nil {
			unrecorded.CompareAndSwap(nil, &err)
		}
	})
})

// unrecorded is the first error of record.
var unrecorded atomic.Pointer[error]

// library returns the path of the emulated GPU's library, which is searched once.
var library = sync.OnceValues(func() (string, error) {
	root, err := emulator.Root()
	if err != nil {
		return "", err
	}
	folder, err := emulator.Folder()
	if err != nil {
		return "", err
	}
	if testing.Short() && !emulator.Built(root, folder) {
		return "", errShort
	}
	if !emulator.Built(root, folder) {
		say("building the emulated GPU, once until Foray or the compiler changes: it takes a minute on two idle cores")
		emulator.Progress = progress()
	}
	return emulator.Cached(root, folder)
})

// progress returns a function that says, every few seconds, how far the build is.
func progress() func(done, all int, took time.Duration) {
	var mu sync.Mutex
	var last time.Duration
	return func(done, all int, took time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		if took-last >= sayEvery || done == all {
			last = took
			say(fmt.Sprintf("building the emulated GPU: %d of %d files in %d s", done, all, int(took.Seconds())))
		}
	}
}

// sayEvery is how often progress is printed.
const sayEvery = 5 * time.Second

// say prints a line at once: a test's log comes when the test has ended.
func say(text string) { fmt.Fprintln(os.Stderr, "foraytest:", text) }

var errShort = errors.New("needs a run without -short: the first build of the emulated GPU takes a minute or more")

// Graph is a graph to test with.
type Graph struct {
	Name  string
	Graph *graph.Graph
}

// Graphs returns small graphs of many shapes: without vertices, of one, of isolated ones, with self-loops
// and parallel edges; stars, paths, cycles, cliques, trees and lattices, and random ones of even and of
// skewed degrees; undirected, directed, and directed with their reverse, which reduce.In and pulls need. All
// have weights, multiples of 1/8 from 0 to 8, edge ids, and edge columns: time, an int64 from 0 to 63, duration, an
// int64 from 0 to 7, and kind, the strings follows and likes. Rows are sorted in ascending order, as a Builder
// makes them. Document it if a traversal requires that, since graphs from graph.FromCSR may have unsorted rows.
// Equal seeds give equal graphs.
func Graphs(seed uint64) []Graph {
	cases := testgraph.Tiny()
	all := make([]Graph, len(cases))
	for i, c := range cases {
		all[i] = Graph{c.Name, ascending(c.Weighted(seed))}
	}
	return all
}

// ascending returns a graph with its rows sorted.
func ascending(g *graph.Graph) *graph.Graph {
	o := graph.CSROptions{Directed: g.Directed(), IDs: g.IDs(), Order: g.Order(), Stats: g.Stats()}
	if g.Directed() && g.HasReverse() {
		in := sorted(g.In())
		o.In = &in
	}
	out := sorted(g.Out())
	o.EdgeColumns = columns(out.EdgeIDs)
	to, err := graph.FromCSR(out, o)
	if err != nil {
		panic(err) // it was a graph before
	}
	return to
}

// columns returns columns of edges with those ids.
func columns(ids []uint64) []graph.Column {
	times, durations, kinds := make([]int64, len(ids)), make([]int64, len(ids)), make([]uint32, len(ids))
	for e, id := range ids {
		x := id*0x9e3779b97f4a7c15 ^ id>>7
		times[e], durations[e], kinds[e] = int64(x>>58), int64(x>>40&7), uint32(x>>32&1)
	}
	return []graph.Column{
		{Name: "time", Values: times, Logical: "timestamp(s)"},
		{Name: "duration", Values: durations},
		{Name: "kind", Values: kinds, Dictionary: &graph.Strings{Offsets: []int64{0, 7, 12}, Data: []byte("followslikes")}},
	}
}

// sorted returns rows in ascending order, entries with the same target as they were.
func sorted(c *graph.CSR) graph.CSR {
	t := c.Transpose() // whose rows ascend
	return t.Transpose()
}
