// Package conformance tests operators and searches on every device: the same tests, against
// definitions, for the host and for GPUs.
package conformance

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/foray-graph/foray/algos/bfs/laboratory"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// Suite tests one device.
type Suite struct {
	Device device.Device
	// Balances are the ways of a push to share out edges that it has.
	Balances []advance.Strategy
	// GPU: the device has edge frontiers and couplings.
	GPU bool
	// Small makes graphs small and searches few: the GPU is an
	// emulated one, or runs under a checker.
	Small bool
}

// rig is a graph on the device, a stream, and the operators.
type rig struct {
	t *testing.T
	g *graph.Graph
	p *graph.Placed
	s device.Stream
	a *advance.Advancer
	f *filter.Filterer
	r *rand.Rand
}

func (s Suite) rig(t *testing.T, g *graph.Graph, seed uint64) *rig {
	t.Helper()
	x := &rig{t: t, g: g, r: rand.New(rand.NewPCG(seed, 77))}
	var err error
	x.p, err = g.On(s.Device)
	x.must(err)
	x.s, err = s.Device.NewStream(context.Background())
	x.must(err)
	x.a, err = advance.New(x.s, x.p)
	x.must(err)
	x.f, err = filter.New(x.s, x.p)
	x.must(err)
	t.Cleanup(func() {
		x.must(x.f.Close())
		x.must(x.a.Close())
		x.must(x.s.Close())
		x.must(x.p.Close())
	})
	return x
}

func (x *rig) must(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

// queue returns a frontier with the vertices, as a queue.
func (x *rig) queue(vs []uint32) *frontier.Frontier {
	x.t.Helper()
	f := frontier.New(x.p)
	x.t.Cleanup(func() { x.must(f.Close()) })
	x.must(f.Clear(frontier.Queue))
	x.must(f.Add(vs...))
	return f
}

// bitmap returns one with the vertices, as a bitmap.
func (x *rig) bitmap(vs []uint32) *frontier.Frontier {
	x.t.Helper()
	f := frontier.New(x.p)
	x.t.Cleanup(func() { x.must(f.Close()) })
	x.must(f.Clear(frontier.Bitmap))
	x.must(f.Add(vs...))
	return f
}

// draw draws a random multiset of vertices of about a share of all.
func (x *rig) draw(share float64, twice bool) []uint32 {
	n := x.g.NumVertices()
	if n == 0 {
		return nil
	}
	var vs []uint32
	for range int(share*float64(n)) + 1 {
		vs = append(vs, uint32(x.r.IntN(n)))
	}
	if !twice {
		slices.Sort(vs)
		vs = slices.Compact(vs)
		x.r.Shuffle(len(vs), func(i, j int) { vs[i], vs[j] = vs[j], vs[i] })
	}
	return vs
}

// same fails the test unless the frontier holds the vertices in any order.
func (x *rig) same(what string, f *frontier.Frontier, want []uint32) {
	x.t.Helper()
	x.must(x.s.Sync())
	got := f.Vertices()
	x.must(x.s.Sync())
	if f.Len() != len(want) {
		x.t.Fatalf("%s: length %d, want %d", what, f.Len(), len(want))
	}
	slices.Sort(got)
	want = slices.Clone(want)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		x.t.Fatalf("%s: %d vertices, want %d; first difference at %d", what, len(got), len(want), differ(got, want))
	}
}

// inOrder also compares the order with want's.
func (x *rig) inOrder(what string, f *frontier.Frontier, want []uint32) {
	x.t.Helper()
	x.must(x.s.Sync())
	if got := f.Vertices(); !slices.Equal(got, want) {
		x.t.Fatalf("%s: %d vertices, want %d; first difference at %d", what, len(got), len(want), differ(got, want))
	}
}

func differ[T comparable](a, b []T) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// neighbors lists the heads of all edges out of the vertices.
func neighbors(g *graph.Graph, vs []uint32) (heads []uint32) {
	for _, v := range vs {
		heads = append(heads, g.Out().Neighbors(v)...)
	}
	return heads
}

func set(vs []uint32) map[uint32]bool {
	m := make(map[uint32]bool, len(vs))
	for _, v := range vs {
		m[v] = true
	}
	return m
}

func unique(vs []uint32) []uint32 {
	vs = slices.Clone(vs)
	slices.Sort(vs)
	return slices.Compact(vs)
}

func without(vs []uint32, seen map[uint32]bool) (left []uint32) {
	for _, v := range vs {
		if !seen[v] {
			left = append(left, v)
		}
	}
	return left
}

// cases are the graphs to test with.
func (s Suite) cases() []testgraph.Case {
	if s.Small {
		return testgraph.Small()
	}
	return testgraph.All()
}

// quick returns the cases for suites that try every combination of forms and types on
// each graph: small ones on the host, because a race detector may be active.
func (s Suite) quick() []testgraph.Case {
	if !s.GPU {
		return testgraph.Small()
	}
	return s.cases()
}

// caseOf is the one of that name.
func (s Suite) caseOf(name string) testgraph.Case {
	cs := s.cases()
	return cs[slices.IndexFunc(cs, func(c testgraph.Case) bool { return c.Name == name })]
}

// times returns n, or few if Small is set.
func (s Suite) times(n, few int) int {
	if s.Small {
		return few
	}
	return n
}

// rounds is times for rounds that cost much on the host: there n is for the long form.
func (s Suite) rounds(n, host, few int) int {
	if !s.GPU {
		n = testlong.Of(host, n)
	}
	return s.times(n, few)
}

// shares are how large the frontiers to test with are.
var shares = []float64{0, 0.002, 0.05, 0.4, 1}

// built returns the graph of the given edges.
func built(t *testing.T, o graph.Options, src, dst []int64) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder(o)
	if err := graph.AddInts(b, src, dst, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g
}
