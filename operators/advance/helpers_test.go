// This file holds the functors that the tests visit with: each notes every
// edge that it gets, and lets through what a hash of the edge says.

package advance_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	bits "github.com/foray-graph/foray/internal/engine/bitmap"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
)

// bench is a placed graph, a stream and an Advancer on it.
type bench struct {
	t  *testing.T
	g  *graph.Graph
	p  *graph.Placed
	s  *host.Stream
	a  *advance.Advancer
	in *frontier.Frontier
}

func newBench(t *testing.T, g *graph.Graph, workers int) *bench {
	return newBenchOf(t, context.Background(), g, workers)
}

func newBenchOf(t *testing.T, ctx context.Context, g *graph.Graph, workers int) *bench {
	t.Helper()
	p := testgraph.Place(g, workers)
	s := host.New(workers).Stream(ctx)
	t.Cleanup(func() { s.Close() })
	a, err := advance.New(s, p)
	must(t, err)
	return &bench{t: t, g: g, p: p, s: s, a: a, in: frontier.New(p)}
}

// load puts the vertices into the frontier in.
func (b *bench) load(vs []uint32) *frontier.Frontier {
	b.t.Helper()
	must(b.t, b.in.Clear(frontier.Queue))
	must(b.t, b.in.Add(vs...))
	return b.in
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bounded fails the test where f hangs; it passes a panic of f on.
func bounded(t *testing.T, what string, f func()) (panicked any) {
	t.Helper()
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		f()
	}()
	select {
	case p := <-done:
		return p
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s: hangs", what)
		return nil
	}
}

// hash decides which edges are let through: the same for all copies of an
// edge, so that it can be said without knowing which one was visited.
func hash(source, target uint32) uint32 {
	x := source*0x9e3779b1 ^ target*0x85ebca6b
	x ^= x >> 15
	return x * 0xc2b2ae35 >> 24
}

// visitor notes what it gets. share of 256 edges are let through.
type visitor struct {
	g       *graph.Graph
	workers int
	share   uint32
	seen    []uint64       // if not nil, targets are claimed here instead
	edges   []atomic.Int32 // visits, by edge
	wrong   atomic.Pointer[string]
	plain   int // written where the functor is told that it is alone
}

func newVisitor(b *bench, share uint32) *visitor {
	return &visitor{g: b.g, workers: b.s.Workers(), share: share, edges: make([]atomic.Int32, b.g.NumDirectedEdges())}
}

func (f *visitor) complain(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	f.wrong.CompareAndSwap(nil, &s)
}

func (f *visitor) worker(w operators.Worker, edges, room int) {
	if w.ID < 0 || w.ID >= f.workers {
		f.complain("worker %d of %d", w.ID, f.workers)
	}
	if w.Alone {
		f.plain++ // the race detector objects where others run too
	} else if f.workers == 1 {
		f.complain("the only worker isn't told that it is alone")
	}
	if room < edges {
		f.complain("room for %d of %d", room, edges)
	}
}

// let reports whether an edge is let through.
func (f *visitor) let(source, target uint32) bool {
	if f.seen != nil {
		return bits.Claim(f.seen, target)
	}
	return hash(source, target) < f.share
}

func (f *visitor) Visit(w operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int {
	f.worker(w, len(targets), len(out))
	out0 := f.g.Out()
	if len(targets) == 0 || len(targets) > advance.TileEdges {
		f.complain("a tile of %d edges", len(targets))
	}
	if firstEdge < out0.Offsets[source] || firstEdge+uint64(len(targets)) > out0.Offsets[source+1] {
		f.complain("edges %d to %d of vertex %d, which has %d to %d",
			firstEdge, firstEdge+uint64(len(targets)), source, out0.Offsets[source], out0.Offsets[source+1])
		return 0
	}
	k := 0
	for i, t := range targets {
		e := firstEdge + uint64(i)
		if t != out0.Targets[e] {
			f.complain("edge %d leads to %d, got %d", e, out0.Targets[e], t)
		}
		f.edges[e].Add(1)
		if f.let(source, t) {
			out[k] = t
			k++
		}
	}
	return k
}

// check compares the visits with the naive definition: every out-edge of every
// entry of the frontier once.
func (f *visitor) check(t *testing.T, what string, vs []uint32) {
	t.Helper()
	if s := f.wrong.Load(); s != nil {
		t.Fatalf("%s: %s", what, *s)
	}
	times := make([]int32, f.g.NumVertices())
	for _, v := range vs {
		times[v]++
	}
	for v := range times {
		for e := f.g.Out().Offsets[v]; e < f.g.Out().Offsets[v+1]; e++ {
			if n := f.edges[e].Load(); n != times[v] {
				t.Fatalf("%s: edge %d of vertex %d visited %d times, want %d", what, e, v, n, times[v])
			}
		}
	}
}

// degrees is the number of edges that a push of the vertices visits.
func degrees(g *graph.Graph, vs []uint32) (sum uint64) {
	for _, v := range vs {
		sum += g.Out().Degree(v)
	}
	return sum
}

// emitted is what the visitor lets through, by the naive definition, sorted.
func (f *visitor) emitted(vs []uint32) (all []uint32) {
	for _, v := range vs {
		for _, t := range f.g.Out().Neighbors(v) {
			if hash(v, t) < f.share {
				all = append(all, t)
			}
		}
	}
	slices.Sort(all)
	return all
}

// rowsVisitor gets rows.
type rowsVisitor struct {
	*visitor
	called atomic.Int64
}

func (f *rowsVisitor) VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int {
	f.called.Add(1)
	edges := 0
	for _, r := range rows {
		edges += int(r.Len)
	}
	if edges > advance.TileEdges || len(targets) != len(f.g.Out().Targets) {
		f.complain("%d rows of %d edges, out of %d", len(rows), edges, len(targets))
	}
	f.worker(w, edges, len(out))
	k := 0
	for _, r := range rows {
		k += f.Visit(w, r.Source, r.First, targets[r.First:r.First+uint64(r.Len)], out[k:])
	}
	return k
}

// ell4Visitor gets ELL4 rows. Self-loops it doesn't let through: in
// such a row they can't be told from filling.
type ell4Visitor struct {
	rowsVisitor
	ell4   []atomic.Int32 // visits, by vertex
	warned []atomic.Int32 // Ahead, by vertex
	late   atomic.Bool
}

func newEll4Visitor(b *bench, share uint32) *ell4Visitor {
	n := b.g.NumVertices()
	return &ell4Visitor{rowsVisitor: rowsVisitor{visitor: newVisitor(b, share)},
		ell4: make([]atomic.Int32, n), warned: make([]atomic.Int32, n)}
}

func (f *ell4Visitor) Ahead(sources []uint32) {
	for _, v := range sources {
		f.warned[v].Add(1)
	}
}

func (f *ell4Visitor) VisitEll4(w operators.Worker, sources []uint32, rows [][4]uint32, out []uint32) int {
	f.worker(w, 4*len(sources), len(out))
	k := 0
	for _, v := range sources {
		if f.warned[v].Load() == 0 {
			f.late.Store(true)
		}
		f.ell4[v].Add(1)
		for _, t := range rows[v] {
			if t != v && f.let(v, t) {
				out[k] = t
				k++
			}
		}
	}
	return k
}

func (f *ell4Visitor) VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int {
	k := 0
	for i := range rows {
		r := rows[i]
		part := f.rowsVisitor.VisitRows(w, rows[i:i+1], targets, out[k:])
		for _, t := range out[k : k+part] { // without self-loops
			if t != r.Source {
				out[k] = t
				k++
			}
		}
	}
	return k
}

// unique claims that it lets no vertex through twice.
type unique struct{ *rowsVisitor }

func (unique) Unique() bool { return true }

// multiset draws k vertices of n, perhaps some of them several times.
func multiset(r *rand.Rand, n, k int) []uint32 {
	vs := make([]uint32, k)
	for i := range vs {
		vs[i] = uint32(r.IntN(n))
	}
	return vs
}

// frontiers are queues to test with: none, one vertex, some, all in order, all
// in another order, all twice and more.
func frontiers(r *rand.Rand, n int) map[string][]uint32 {
	all := make([]uint32, n)
	for v := range all {
		all[v] = uint32(v)
	}
	if n == 0 {
		return map[string][]uint32{"empty": nil}
	}
	shuffled := slices.Clone(all)
	r.Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if quick() {
		return map[string][]uint32{"some": shuffled[:(n+9)/10], "all": all, "duplicates": multiset(r, n, n+10)}
	}
	return map[string][]uint32{
		"empty":      nil,
		"one":        multiset(r, n, 1),
		"some":       shuffled[:(n+9)/10],
		"all":        all,
		"shuffled":   shuffled,
		"duplicates": append(multiset(r, n, n), multiset(r, n, min(n, 500))...),
	}
}

// quick reports whether fewer combinations are to be tried.
func quick() bool { return testing.Short() || testgraph.Race }

// workerCounts are the numbers of workers to test with.
func workerCounts() []int {
	switch {
	case testgraph.Race:
		return []int{3}
	case testing.Short():
		return []int{1, 3}
	}
	return []int{1, 2, 3, 8}
}
