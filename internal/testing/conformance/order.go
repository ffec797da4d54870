// This file holds the tests of numbering by degree.

package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/order"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// Orders numbers graphs by degree: rows, ids and what pulls need are those that
// the host makes, and searches find the same.
func (s Suite) Orders(t *testing.T) {
	used, part := s.used(), tuning.OrderPart
	defer func() { tuning.OrderPart = part }()
	s.shapes(t, 71, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		s.order(t, p.Graph(), r)
	})
	r := rand.New(rand.NewPCG(73, 1))
	before := used()
	s.orderOneWay(t)
	for i := range s.times(60, 24) {
		g := given(t, r, i)
		if s.order(t, g, r); t.Failed() {
			t.Fatalf("graph %d: %d vertices, %d edges, directed %v", i, g.NumVertices(), g.NumDirectedEdges(), g.Directed())
		}
	}
	if left := used(); left != before {
		t.Errorf("%d bytes are left", left-before)
	}
}

// given is a random graph in an arbitrary order, with some rows of
// each length class, as each class is moved differently.
func given(t *testing.T, r *rand.Rand, i int) *graph.Graph {
	t.Helper()
	n := 1 + r.IntN(2000)
	hubs := []int{0, 40, 110, 230, 700, 1900}[r.IntN(6)]
	if i%12 == 5 {
		n, hubs = 9000+r.IntN(9000), 8800
	}
	o := graph.Options{Directed: r.IntN(2) == 0, KeepSelfLoops: r.IntN(2) == 0, KeepDuplicates: i%12 == 11, Order: graph.OrderGiven,
		Weights: i%12 == 7, DenseIDs: r.IntN(2) == 0}
	o.Reverse = o.Directed && r.IntN(4) > 0
	var src, dst []int64
	id := func(v int) int64 {
		if o.DenseIDs {
			return int64(v)
		}
		return int64(v)*7919 - 5
	}
	add := func(u, v int) { src, dst = append(src, id(u)), append(dst, id(v)) }
	for range r.IntN(4 * n) {
		add(r.IntN(n), r.IntN(n))
	}
	for range 3 {
		hub := r.IntN(n)
		for range min(hubs, n) {
			add(hub, r.IntN(n))
		}
		for v := range min(hubs, n) {
			add(hub, v)
		}
	}
	add(0, n-1)
	b := graph.NewBuilder(o)
	var weights []float32
	if o.Weights {
		weights = make([]float32, len(src))
	}
	if err := graph.AddInts(b, src, dst, weights); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err == nil && i%3 == 1 { // ids in no order
		ids := &graph.IDs{Type: graph.Int64, Len: g.NumVertices()}
		for _, v := range r.Perm(ids.Len) {
			ids.Ints = append(ids.Ints, int64(v)*3-1)
		}
		p := graph.CSROptions{Directed: o.Directed, IDs: ids}
		if o.Directed {
			p.In = g.In()
		}
		g, err = graph.FromCSR(*g.Out(), p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// order compares with graph.Reorder.
func (s Suite) order(t *testing.T, g *graph.Graph, r *rand.Rand) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	tuning.OrderPart = 1 << r.IntN(16) // rows come in one part or many
	want, err := g.Reorder(context.Background(), graph.ReorderOptions{Order: graph.OrderDegree})
	must(err)
	p, err := g.On(s.Device)
	must(err)
	defer p.Close()
	q, err := order.ByDegree(context.Background(), p)
	must(err)
	defer q.Close()
	got := q.Graph()
	if g.Order() == graph.OrderDegree != (q == p) {
		t.Errorf("a graph by degree is returned as it is: %v", q == p)
	}
	if got.Order() != graph.OrderDegree || !reflect.DeepEqual(got.Out(), want.Out()) || !reflect.DeepEqual(got.In(), want.In()) {
		t.Errorf("rows differ")
		return
	}
	for v := range uint32(want.NumVertices()) {
		if got.IDs().Format(v) != want.IDs().Format(v) {
			t.Errorf("vertex %d is %s, want %s", v, got.IDs().Format(v), want.IDs().Format(v))
			return
		}
	}
	if a, b := got.State().Prepare(), want.State().Prepare(); (a == nil) != (b == nil) || a != nil && (!slices.Equal(a.First, b.First) || !slices.Equal(a.NoIn, b.NoIn) || a.Candidates != b.Candidates) {
		t.Errorf("what pulls need differs: %+v, want %+v", a, b)
	}
	for _, v := range s.variants()[:2] {
		o := bfs.Options{Outputs: bfs.Depths | bfs.Parents}
		if !v.fits(got, o) {
			continue
		}
		source := []uint32{uint32(r.IntN(want.NumVertices()))}
		found, err := v.run(q, source, o)
		if err == nil {
			err = testsearch.Check(want, source, o, found)
		}
		if err != nil {
			t.Errorf("%s: %v", v.name, err)
			return
		}
		found.Close()
	}
}

// orderOneWay numbers a graph that is declared undirected, but has a long row whose
// edges lack their reverse: the library doesn't check that.
func (s Suite) orderOneWay(t *testing.T) {
	t.Helper()
	const n = 9500
	rows := graph.CSR{Offsets: make([]uint64, n+1)}
	for v := range uint64(n) {
		rows.Offsets[v+1] = rows.Offsets[v]
		if v == 17 {
			for to := range uint32(n) {
				rows.Targets = append(rows.Targets, to)
			}
			rows.Offsets[v+1] = n
		}
	}
	g, err := graph.FromCSR(rows, graph.CSROptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := g.Reorder(context.Background(), graph.ReorderOptions{Order: graph.OrderDegree})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	q, err := order.ByDegree(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if !reflect.DeepEqual(q.Graph().Out(), want.Out()) {
		t.Error("a row whose edges go one way differs")
	}
}

// OrdersFail numbers with a context that is done at some time, and of a graph
// that was freed.
func (s Suite) OrdersFail(t *testing.T) {
	g := given(t, rand.New(rand.NewPCG(79, 1)), 5)
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	used := s.used()
	before := used()
	done := 0
	for delay := range 40 {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			for range delay * delay {
				runtime.Gosched()
			}
			cancel()
		}()
		q, err := order.ByDegree(ctx, p)
		switch {
		case err == nil:
			done++
		case !errors.Is(err, context.Canceled):
			t.Fatal(err)
		}
		cancel()
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
		if left := used(); left != before {
			t.Fatalf("%d bytes are left", left-before)
		}
	}
	if done == 40 {
		t.Log("no run was canceled in time")
	}
	if dev, ok := s.Device.(*gpu.Device); ok {
		orderAllocations(t, dev, p)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := order.ByDegree(context.Background(), p); !errors.Is(err, device.ErrClosed) {
		t.Errorf("freed: %v", err)
	}
	if _, err := order.ByDegree(context.Background(), nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("nil: %v", err)
	}
}

// orderAllocations lets the k-th allocation fail, for every k: each time there is
// one clear error, and nothing stays behind.
func orderAllocations(t *testing.T, dev *gpu.Device, p *graph.Placed) {
	t.Helper()
	defer dev.Context().FailAlloc(0)
	before := dev.Context().Live()
	k := 1
	for ; ; k++ {
		dev.Context().FailAlloc(k)
		q, err := order.ByDegree(context.Background(), p)
		if e := q.Close(); e != nil {
			t.Fatal(e)
		}
		if left := dev.Context().Live(); left != before {
			t.Fatalf("allocation %d: %+v is in use, %+v was", k, left, before)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, driver.ErrOutOfMemory) {
			t.Fatalf("allocation %d: %v", k, err)
		}
	}
	if k < 12 {
		t.Errorf("only %d allocations", k-1)
	}
}
