// This file holds the tests of Keep with a predicate written in Go.

package conformance

import (
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// Predicates tests Keep of queues and bitmaps.
func (s Suite) Predicates(t *testing.T) {
	for _, c := range s.quick() {
		t.Run(c.Name, func(t *testing.T) {
			x := s.rig(t, c.Graph(31), 33)
			for _, share := range shares {
				x.below(share, x.predicate())
			}
		})
	}
}

// predicate keeps vertices whose key is below a limit.
type predicate struct {
	filter.Predicate
	keeps func(v uint32) bool
	free  func() error
}

// predicate draws a key for each vertex, and one of them, or another, as the limit.
func (x *rig) predicate() predicate {
	x.t.Helper()
	draw := func() uint32 { return x.r.Uint32() >> x.r.IntN(32) }
	keys := make([]uint32, x.p.NumVertices())
	for v := range keys {
		keys[v] = draw()
	}
	limit := draw()
	if n := len(keys); n > 0 && x.r.IntN(2) == 0 {
		limit = keys[x.r.IntN(n)]
	}
	b, err := device.NewBuffer[uint32](x.p.Device(), len(keys))
	x.must(err)
	x.must(b.Write(x.p.Device(), 0, keys))
	return predicate{composed.NewBelow(b, limit), func(v uint32) bool { return keys[v] < limit }, b.Close}
}

// kept are the vertices that the predicate keeps.
func (p predicate) kept(vs []uint32) []uint32 {
	return slices.DeleteFunc(slices.Clone(vs), func(v uint32) bool { return !p.keeps(v) })
}

func (x *rig) below(share float64, p predicate) {
	x.t.Helper()
	defer func() { x.must(x.s.Sync()); x.must(p.free()) }()
	for _, twice := range []bool{false, true} {
		vs := x.draw(share, twice)
		f := x.queue(vs)
		if !twice { // a set, in the operators' sense
			x.must(f.Convert(x.s, frontier.Bitmap))
			x.must(f.Convert(x.s, frontier.Queue))
			vs = unique(vs)
		}
		x.must(x.f.Keep(f, p.Predicate))
		x.isForm("keep", f, frontier.Queue)
		x.inOrder("keep", f, p.kept(vs))
		x.pushOn("what was kept", f, p.kept(vs))
	}
	vs := x.draw(share, true)
	f, kept := x.bitmap(vs), p.kept(unique(vs))
	x.must(x.f.Keep(f, p.Predicate))
	x.isForm("keep of a bitmap", f, frontier.Bitmap)
	x.inOrder("keep of a bitmap", f, kept)
	x.must(f.Convert(x.s, frontier.Queue))
	x.pushOn("what was kept of a bitmap", f, kept)
}

func (x *rig) isForm(what string, f *frontier.Frontier, want frontier.Form) {
	x.t.Helper()
	if f.Form() != want {
		x.t.Fatalf("%s: a %s, want a %s", what, f.Form(), want)
	}
}

// pushOn pushes a queue, for which its edges and their prefix must be known.
func (x *rig) pushOn(what string, f *frontier.Frontier, vs []uint32) {
	x.t.Helper()
	out := frontier.New(x.p)
	defer func() { x.must(out.Close()) }()
	heads := neighbors(x.g, vs)
	for _, b := range []advance.Strategy{advance.TWC, advance.MergePath} {
		x.a.Strategy = b
		edges, err := x.a.Push(f, out, advance.All())
		x.must(err)
		if edges != uint64(len(heads)) {
			x.t.Fatalf("%s: %d edges, want %d", what, edges, len(heads))
		}
		x.same("push of "+what, out, heads)
	}
	x.a.Strategy = advance.AutoBalance
}
