package advance_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	_ "github.com/foray-graph/foray/operators/advance/laboratory"
)

func TestHubsAreLongEnough(t *testing.T) {
	if testgraph.HubRow <= 3*advance.TileEdges {
		t.Errorf("hubs of %d edges aren't cut up: a tile has %d", testgraph.HubRow, advance.TileEdges)
	}
}

// TestPush compares each kind of functor with the naive definition, on graphs
// of all shapes, frontiers of all kinds and several numbers of workers.
func TestPush(t *testing.T) {
	for _, c := range testgraph.All() {
		if strings.HasSuffix(c.Name, "-reverse") {
			continue // there is the same without
		}
		t.Run(c.Name, func(t *testing.T) {
			g := c.Graph(3)
			r := rand.New(rand.NewPCG(7, uint64(g.NumVertices())))
			for _, workers := range workerCounts() {
				b := newBench(t, g, workers)
				out := frontier.New(b.p)
				for name, vs := range frontiers(r, g.NumVertices()) {
					what := fmt.Sprintf("%d workers, frontier %s", workers, name)
					share := [...]uint32{0, 40, 256}[r.IntN(3)]
					b.pushPlain(what+", plain", out, vs, 256-share)
					b.pushRows(what+", rows", out, vs, share)
					b.pushEll4(what+", ell4", out, vs, share)
					b.pushUnique(what+", unique", out, vs)
				}
			}
		})
	}
}

func (b *bench) push(what string, out *frontier.Frontier, vs []uint32, f advance.Functor) uint64 {
	b.t.Helper()
	in := b.load(vs)
	edges, err := b.a.Push(in, out, f)
	if err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
	if out.Form() != frontier.Queue || !slices.Equal(in.Vertices(), vs) && len(vs) > 0 {
		b.t.Fatalf("%s: out is a %s, in has %d entries of %d", what, out.Form(), in.Len(), len(vs))
	}
	return edges
}

func (b *bench) compare(what string, f *visitor, out *frontier.Frontier, vs []uint32) {
	b.t.Helper()
	f.check(b.t, what, vs)
	got, want := slices.Sorted(slices.Values(out.Vertices())), f.emitted(vs)
	if !slices.Equal(got, want) {
		b.t.Fatalf("%s: %d let through, want %d", what, len(got), len(want))
	}
}

func (b *bench) pushPlain(what string, out *frontier.Frontier, vs []uint32, share uint32) {
	f := newVisitor(b, share)
	edges := b.push(what, out, vs, advance.Func(f.Visit))
	if want := degrees(b.g, vs); edges != want {
		b.t.Fatalf("%s: %d edges, want %d", what, edges, want)
	}
	b.compare(what, f, out, vs)
}

func (b *bench) pushRows(what string, out *frontier.Frontier, vs []uint32, share uint32) {
	f := &rowsVisitor{visitor: newVisitor(b, share)}
	edges := b.push(what, out, vs, f)
	if want := degrees(b.g, vs); edges != want {
		b.t.Fatalf("%s: %d edges, want %d", what, edges, want)
	}
	b.compare(what, f.visitor, out, vs)
	if degrees(b.g, vs) > 0 && f.called.Load() == 0 {
		b.t.Fatalf("%s: VisitRows wasn't called", what)
	}
}

// pushUnique wants the targets that weren't seen before, once each.
func (b *bench) pushUnique(what string, out *frontier.Frontier, vs []uint32) {
	f := &rowsVisitor{visitor: newVisitor(b, 0)}
	f.seen = make([]uint64, (b.g.NumVertices()+63)/64)
	want := map[uint32]bool{}
	for _, v := range vs {
		f.seen[v>>6] |= 1 << (v & 63)
	}
	for _, v := range vs {
		for _, t := range b.g.Out().Neighbors(v) {
			if f.seen[t>>6]>>(t&63)&1 == 0 {
				want[t] = true
			}
		}
	}
	b.push(what, out, vs, unique{f})
	f.check(b.t, what, vs)
	for _, v := range out.Vertices() {
		if !want[v] {
			b.t.Fatalf("%s: %d is twice there, or was seen", what, v)
		}
		delete(want, v)
	}
	if len(want) > 0 {
		b.t.Fatalf("%s: %d vertices are missing", what, len(want))
	}
}

// pushEll4 wants every row once: the first four targets in the rows of fixed
// width, where the graph has those, and the rest like other edges.
func (b *bench) pushEll4(what string, out *frontier.Frontier, vs []uint32, share uint32) {
	f := newEll4Visitor(b, share)
	b.a.CountExactly = len(vs)%2 == 0
	edges := b.push(what, out, vs, f)
	counted := degrees(b.g, vs)
	if b.p.State().Ell4() != nil && !b.a.CountExactly {
		counted = 0
		for _, v := range vs {
			counted += max(4, b.g.Out().Degree(v))
		}
	}
	if edges != counted {
		b.t.Fatalf("%s: %d edges, want %d; exactly: %v", what, edges, counted, b.a.CountExactly)
	}
	if s := f.wrong.Load(); s != nil {
		b.t.Fatalf("%s: %s", what, *s)
	}
	times := make([]int32, b.g.NumVertices())
	var want []uint32
	for _, v := range vs {
		times[v]++
		for _, t := range b.g.Out().Neighbors(v) {
			if t != v && hash(v, t) < share {
				want = append(want, t)
			}
		}
	}
	offsets := b.g.Out().Offsets
	first := uint64(4) // edges that come in ELL4 rows
	if b.p.State().Ell4() == nil {
		first = 0
	}
	for v, n := range times {
		if got := f.ell4[v].Load(); first > 0 && got != n || first == 0 && got != 0 {
			b.t.Fatalf("%s: vertex %d visited %d times at fixed width, want %d", what, v, got, n)
		}
		for e := offsets[v]; e < offsets[v+1]; e++ {
			want := n
			if e < offsets[v]+first {
				want = 0
			}
			if got := f.edges[e].Load(); got != want {
				b.t.Fatalf("%s: edge %d of vertex %d visited %d times beside the fixed width, want %d", what, e, v, got, want)
			}
		}
	}
	if f.late.Load() {
		b.t.Fatalf("%s: a vertex came without notice", what)
	}
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(out.Vertices())); !slices.Equal(got, want) {
		b.t.Fatalf("%s: %d let through, want %d", what, len(got), len(want))
	}
}

// TestPushHubsOfFewVertices shares a frontier of hubs alone, whose parts are
// uneven: some workers have nothing but what others leave them. Many times,
// because who comes first differs.
func TestPushHubsOfFewVertices(t *testing.T) {
	rounds := 100
	if quick() {
		rounds = 20
	}
	for _, name := range []string{"hubs", "road-undirected"} {
		g := testgraph.ByName(name).Graph(5)
		b := newBench(t, g, 4)
		out := frontier.New(b.p)
		r := rand.New(rand.NewPCG(1, 1))
		long := []uint32{}
		for v := range uint32(g.NumVertices()) {
			if g.Out().Degree(v) > 4 {
				long = append(long, v)
			}
		}
		for i := range rounds {
			vs := multiset(r, g.NumVertices(), r.IntN(600))
			for range 1 + r.IntN(20) {
				vs = append(vs, long[r.IntN(len(long))])
			}
			r.Shuffle(len(vs), func(i, j int) { vs[i], vs[j] = vs[j], vs[i] })
			what := fmt.Sprintf("%s, round %d", name, i)
			b.pushRows(what, out, vs, 256)
			b.pushEll4(what, out, vs, 256)
		}
	}
}

// TestPushMakesRoom lets through many times what the graph has vertices: the
// edge frontier of an out-of-core traversal.
func TestPushMakesRoom(t *testing.T) {
	g := testgraph.ByName("complete").Graph(1)
	for _, workers := range []int{1, 4} {
		b := newBench(t, g, workers)
		out := frontier.New(b.p)
		for _, k := range []int{10, 3000, 30} {
			vs := multiset(rand.New(rand.NewPCG(1, uint64(k))), 70, k)
			f := newVisitor(b, 256)
			b.push("room", out, vs, advance.Func(f.Visit))
			if out.Len() != 69*k {
				t.Errorf("%d workers: %d entries, want %d", workers, out.Len(), 69*k)
			}
			b.compare("room", f, out, vs)
		}
	}
}

// TestPushIntoWhatIsThere: what the output was before doesn't matter.
func TestPushIntoWhatIsThere(t *testing.T) {
	g := testgraph.ByName("uniform-directed").Graph(1)
	b := newBench(t, g, 2)
	out := frontier.New(b.p)
	must(t, out.Clear(frontier.Bitmap))
	must(t, out.Add(5, 6, 7))
	for range 2 {
		b.pushRows("used output", out, []uint32{1, 2, 3}, 256)
	}
}

func TestPushErrors(t *testing.T) {
	g := testgraph.ByName("uniform-directed").Graph(1)
	b := newBench(t, g, 2)
	none := advance.Func(func(operators.Worker, uint32, uint64, []uint32, []uint32) int {
		t.Error("visited")
		return 0
	})
	in, out := b.load([]uint32{1, 2, 3}), frontier.New(b.p)
	if _, err := b.a.Push(in, in, none); err == nil || in.Len() != 3 {
		t.Errorf("one frontier for both: %v", err)
	}
	must(t, in.Convert(b.s, frontier.Bitmap))
	if _, err := b.a.Push(in, out, none); err == nil || !strings.Contains(err.Error(), "queue") {
		t.Errorf("from a bitmap: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	late := newBenchOf(t, ctx, g, 2)
	if _, err := late.a.Push(late.load([]uint32{1}), frontier.New(late.p), none); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped stream: %v", err)
	}
	if _, _, err := late.a.PushLevel(device.Wrap(make([]int32, g.NumVertices())), 0, nil, none); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped stream: %v", err)
	}
}

func TestBind(t *testing.T) {
	g := testgraph.ByName("uniform-directed").Graph(1)
	b := newBench(t, g, 2)
	other := host.New(3).Stream(context.Background())
	defer other.Close()
	if b.a.Bind(other) {
		t.Error("a stream with more workers fits")
	}
	if b.a.Bind(elsewhere{}) {
		t.Error("a stream of another device fits")
	}
	if _, err := advance.New(elsewhere{}, b.p); err == nil {
		t.Error("operators on another device")
	}
	b.pushRows("still bound", frontier.New(b.p), []uint32{1, 2, 3}, 256)
}

func TestPushAllocatesNothing(t *testing.T) {
	for _, c := range []testgraph.Case{testgraph.ByName("hubs"), testgraph.ByName("road-directed")} {
		g := c.Graph(1)
		all := frontiers(rand.New(rand.NewPCG(1, 1)), g.NumVertices())["all"]
		for _, workers := range []int{1, 2} {
			b := newBench(t, g, workers)
			out := frontier.New(b.p)
			in := b.load(all)
			f := &nothing{}
			round := func() {
				_, err := b.a.Push(in, out, f)
				must(t, err)
			}
			round()
			if n := testing.AllocsPerRun(20, round); n != 0 {
				t.Errorf("%s, %d workers: %v allocations", c.Name, workers, n)
			}
		}
	}
}

// nothing lets nothing through.
type nothing struct{}

func (*nothing) Visit(operators.Worker, uint32, uint64, []uint32, []uint32) int { return 0 }
func (*nothing) VisitEll4(operators.Worker, []uint32, [][4]uint32, []uint32) int {
	return 0
}
func (*nothing) Ahead([]uint32) {}

var _ advance.Ell4Functor = (*nothing)(nil)
