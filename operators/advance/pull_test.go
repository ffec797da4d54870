package advance_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
)

// elsewhere is a stream of a device that has no operators.
type elsewhere struct{ device.Stream }

func (elsewhere) Device() device.Device { return tpu{} }

type tpu struct{ device.Device }

func (tpu) Info() device.Info { return device.Info{Kind: "tpu", Name: "tpu:3"} }

// finds gathers what a pull finds.
type finds struct {
	mu      sync.Mutex
	parents map[uint32]uint32
	wrong   string
	workers int
	plain   int
}

func (f *finds) Found(w operators.Worker, vertices, parents []uint32) {
	if w.Alone {
		f.plain++
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(vertices) != len(parents) || len(vertices) == 0 || w.ID < 0 || w.ID >= f.workers || w.Alone != (f.workers == 1) {
		f.wrong = fmt.Sprintf("%d vertices and %d parents on worker %+v of %d", len(vertices), len(parents), w, f.workers)
	}
	for i, v := range vertices {
		if _, twice := f.parents[v]; twice {
			f.wrong = fmt.Sprintf("vertex %d twice", v)
		}
		f.parents[v] = parents[i]
	}
}

// bitmap makes a frontier of each vertex with a chance of share.
func bitmap(t *testing.T, b *bench, r *rand.Rand, share float64) *frontier.Frontier {
	f := frontier.New(b.p)
	must(t, f.Clear(frontier.Bitmap))
	for v := range uint32(b.g.NumVertices()) {
		if r.Float64() < share {
			must(t, f.Add(v))
		}
	}
	return f
}

// TestPull compares with the naive definition on all graphs that have a
// reverse: a vertex that isn't in seen is found if and only if it has an
// in-neighbor in the frontier.
func TestPull(t *testing.T) {
	for _, c := range testgraph.All() {
		if c.Kind == testgraph.Directed {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			g := c.Graph(5)
			r := rand.New(rand.NewPCG(9, uint64(g.NumVertices())))
			for _, workers := range workerCounts() {
				b := newBench(t, g, workers)
				out := frontier.New(b.p)
				must(t, out.Add())
				for _, share := range []float64{0, 0.002, 0.1, 0.6, 1} {
					for _, seenShare := range []float64{0, 0.3, 0.98} {
						what := fmt.Sprintf("%d workers, %g in the frontier, %g seen", workers, share, seenShare)
						b.comparePull(what, bitmap(t, b, r, share), bitmap(t, b, r, seenShare), out, r)
					}
					same := bitmap(t, b, r, share)
					b.comparePull(fmt.Sprintf("%d workers, %g in both", workers, share), same, same, out, r)
				}
			}
		})
	}
}

func (b *bench) comparePull(what string, in, seen, out *frontier.Frontier, r *rand.Rand) {
	t := b.t
	t.Helper()
	// The output may hold anything.
	must(t, out.Clear(frontier.Bitmap))
	if n := b.g.NumVertices(); n > 0 {
		must(t, out.Add(multiset(r, n, min(n, 40))...))
	}
	inBits, seenBits := slices.Clone(in.Bits()), slices.Clone(seen.Bits())
	f := &finds{parents: map[uint32]uint32{}, workers: b.s.Workers()}
	edges, err := b.a.Pull(in, seen, out, f)
	if err != nil || f.wrong != "" {
		t.Fatalf("%s: %v %s", what, err, f.wrong)
	}
	if !slices.Equal(inBits, in.Bits()) || !slices.Equal(seenBits, seen.Bits()) {
		t.Fatalf("%s: an input was written", what)
	}
	has := func(words []uint64, v uint32) bool { return words[v>>6]>>(v&63)&1 != 0 }
	var want []uint32
	least, most := uint64(0), uint64(0) // of edges to look at
	for v := range uint32(b.g.NumVertices()) {
		row := b.g.In().Neighbors(v)
		if has(seenBits, v) || len(row) == 0 {
			continue
		}
		i := slices.IndexFunc(row, func(u uint32) bool { return has(inBits, u) })
		if most += uint64(len(row)); i < 0 {
			least += uint64(len(row))
			continue
		}
		least++
		want = append(want, v)
		if u, ok := f.parents[v]; !ok || !has(inBits, u) || !slices.Contains(row, u) {
			t.Fatalf("%s: vertex %d has the parent %d (found: %v)", what, v, u, ok)
		}
	}
	if out.Form() != frontier.Bitmap || out.Len() != len(want) || !slices.Equal(out.Vertices(), want) || len(f.parents) != len(want) {
		t.Fatalf("%s: %d in the output, %d found, want %d", what, out.Len(), len(f.parents), len(want))
	}
	if edges < least || edges > most {
		t.Fatalf("%s: %d edges looked at, want %d to %d", what, edges, least, most)
	}
}

func TestPullErrors(t *testing.T) {
	g := testgraph.ByName("uniform-reverse").Graph(1)
	b := newBench(t, g, 2)
	mask := func() *frontier.Frontier {
		f := frontier.New(b.p)
		must(t, f.Clear(frontier.Bitmap))
		return f
	}
	sink := &finds{parents: map[uint32]uint32{}, workers: 2}
	in, seen, out, queue := mask(), mask(), mask(), b.load([]uint32{1})
	must(t, in.Add(1))
	for what, call := range map[string]func() (uint64, error){
		"a queue for the frontier":       func() (uint64, error) { return b.a.Pull(queue, seen, out, sink) },
		"a queue for the mask":           func() (uint64, error) { return b.a.Pull(in, queue, out, sink) },
		"the output is the frontier":     func() (uint64, error) { return b.a.Pull(in, seen, in, sink) },
		"the output is the mask":         func() (uint64, error) { return b.a.Pull(in, seen, seen, sink) },
		"the output is all of the input": func() (uint64, error) { return b.a.Pull(in, in, in, sink) },
	} {
		if _, err := call(); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if in.Len() != 1 || len(sink.parents) > 0 {
		t.Error("something was done in spite of the error")
	}
	// A queue as the output is made a bitmap.
	if _, err := b.a.Pull(in, seen, queue, sink); err != nil || queue.Form() != frontier.Bitmap {
		t.Error(err)
	}

	oneWay := newBench(t, testgraph.ByName("uniform-directed").Graph(1), 2)
	f := frontier.New(oneWay.p)
	must(t, f.Clear(frontier.Bitmap))
	if _, err := oneWay.a.Pull(f, f, frontier.New(oneWay.p), sink); !errors.Is(err, graph.ErrNoReverse) {
		t.Errorf("without a reverse: %v", err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := host.New(2).Stream(ctx)
	defer s.Close()
	if !b.a.Bind(s) {
		t.Fatal("the stream doesn't fit")
	}
	if _, err := b.a.Pull(in, seen, out, sink); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped stream: %v", err)
	}
}

// TestPullCanceled cancels from within the sink.
func TestPullCanceled(t *testing.T) {
	g := testgraph.Uniform(60_000, 4, testgraph.Undirected).Graph(1)
	for _, workers := range []int{1, 2} {
		ctx, cancel := context.WithCancel(context.Background())
		b := newBenchOf(t, ctx, g, workers)
		in, seen := bitmap(t, b, rand.New(rand.NewPCG(1, 1)), 1), bitmap(t, b, rand.New(rand.NewPCG(1, 1)), 0)
		f := &canceling{s: b.s, cancel: cancel}
		_, err := b.a.Pull(in, seen, frontier.New(b.p), f)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d workers: %v", workers, err)
		}
		if n := int(f.found.Load()); n >= g.NumVertices()*9/10 {
			t.Errorf("%d workers: %d found in spite of being canceled", workers, n)
		}
	}
}

type canceling struct {
	s      *host.Stream
	cancel func()
	found  atomic.Int64
}

func (f *canceling) Found(_ operators.Worker, vertices, _ []uint32) {
	f.found.Add(int64(len(vertices)))
	f.cancel()
	for !f.s.Stopped() {
		runtime.Gosched()
	}
}

func TestPullAllocatesNothing(t *testing.T) {
	g := testgraph.ByName("skewed-reverse").Graph(1)
	for _, workers := range []int{1, 2} {
		b := newBench(t, g, workers)
		r := rand.New(rand.NewPCG(1, 1))
		in, out := bitmap(t, b, r, 0.3), frontier.New(b.p)
		for _, sink := range []advance.Sink{silent{}, silentEdges{}} {
			round := func() {
				_, err := b.a.Pull(in, in, out, sink)
				must(t, err)
			}
			for range 20 { // until every worker has found something
				round()
			}
			if n := testing.AllocsPerRun(20, round); n != 0 {
				t.Errorf("%d workers, %T: %v allocations", workers, sink, n)
			}
		}
	}
}

type silent struct{}

func (silent) Found(operators.Worker, []uint32, []uint32) {}

type silentEdges struct{ silent }

func (silentEdges) FoundEdges(operators.Worker, []uint32, []uint32, []uint64) {}

// byEdge checks that edges come with their ends, and nothing comes by Found.
type byEdge struct {
	g     *graph.Graph
	in    []uint64
	mu    sync.Mutex
	edges map[uint32]uint64
	wrong string
}

func (f *byEdge) Found(operators.Worker, []uint32, []uint32) { f.wrong = "Found was called" }

func (f *byEdge) FoundEdges(_ operators.Worker, vertices, parents []uint32, edges []uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(edges) != len(vertices) || len(parents) != len(vertices) {
		f.wrong = fmt.Sprintf("%d vertices, %d parents, %d edges", len(vertices), len(parents), len(edges))
		return
	}
	in := f.g.In()
	for i, v := range vertices {
		first, e := in.Offsets[v], edges[i]
		if e < first || e >= in.Offsets[v+1] || in.Targets[e] != parents[i] {
			f.wrong = fmt.Sprintf("vertex %d: edge %d isn't one from %d", v, e, parents[i])
			return
		}
		n := slices.IndexFunc(in.Neighbors(v), func(u uint32) bool { return f.in[u>>6]>>(u&63)&1 != 0 })
		if n < 0 || e != first+uint64(n) {
			f.wrong = fmt.Sprintf("vertex %d: place %d of its row, want %d", v, e-first, n)
		}
		f.edges[v] = e
	}
}

// TestPullEdges: an EdgeSink gets the first edge of the row from the frontier, the first
// of parallel ones too.
func TestPullEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	several := make([]testgraph.Edge, 4000) // many of them parallel
	for i := range several {
		several[i] = testgraph.Edge{From: uint32(r.IntN(60)), To: uint32(r.IntN(60))}
	}
	graphs := map[string]*graph.Graph{"parallel edges": testgraph.Build(60, several, testgraph.Undirected)}
	for _, c := range testgraph.All() {
		if c.Kind != testgraph.Directed {
			graphs[c.Name] = c.Graph(8)
		}
	}
	for name, g := range graphs {
		for _, workers := range workerCounts() {
			b := newBench(t, g, workers)
			for _, share := range []float64{0.002, 0.1, 0.6, 1} {
				in, seen, out := bitmap(t, b, r, share), bitmap(t, b, r, 0.2), frontier.New(b.p)
				f := &byEdge{g: g, in: in.Bits(), edges: map[uint32]uint64{}}
				_, err := b.a.Pull(in, seen, out, f)
				must(t, err)
				if f.wrong != "" || len(f.edges) != out.Len() {
					t.Fatalf("%s, %d workers, share %g: %d edges for %d vertices; %s", name, workers, share, len(f.edges), out.Len(), f.wrong)
				}
			}
		}
	}
}
