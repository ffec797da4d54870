// This file holds the tests of predicates: Keep and the split, by the predicate
// that every device has.

package conformance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// Predicates tests Keep, Split and SplitAppend with keys of every type.
func (s Suite) Predicates(t *testing.T) {
	for _, c := range s.quick() {
		t.Run(c.Name, func(t *testing.T) {
			x := s.rig(t, c.Graph(31), 33)
			for i, share := range shares {
				// Every type, but not with every share.
				switch i % 3 {
				case 0:
					x.below(share, keysOf(x, func(r *rand.Rand) int32 { return int32(r.Uint32()) >> r.IntN(32) }))
					x.below(share, keysOf(x, func(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(64) }))
				case 1:
					x.below(share, keysOf(x, func(r *rand.Rand) uint32 { return r.Uint32() >> r.IntN(32) }))
					x.below(share, keysOf(x, func(r *rand.Rand) float64 { return someFloat(r) }))
				case 2:
					x.below(share, inGo(x))
					x.below(share, keysOf(x, func(r *rand.Rand) int64 { return int64(r.Uint64()) >> r.IntN(64) }))
					x.below(share, keysOf(x, func(r *rand.Rand) float32 { return float32(someFloat(r)) }))
				}
			}
		})
	}
}

// someFloat draws numbers of all kinds, a few of which equal one another.
func someFloat(r *rand.Rand) float64 {
	switch r.IntN(8) {
	case 0:
		return math.NaN()
	case 1:
		return math.Inf(1 - 2*r.IntN(2))
	case 2:
		return math.Copysign(0, float64(1-2*r.IntN(2)))
	case 3:
		return float64(r.IntN(3))
	}
	return r.NormFloat64()
}

// predicate is Below of any type.
type predicate struct {
	filter.Predicate
	keeps func(v uint32) bool
	free  func() error
}

// keysOf draws a key for each vertex, and one of them, or another, as the limit.
func keysOf[T device.Elem](x *rig, draw func(r *rand.Rand) T) predicate {
	x.t.Helper()
	keys := make([]T, x.p.NumVertices())
	for v := range keys {
		keys[v] = draw(x.r)
	}
	limit := draw(x.r)
	if n := len(keys); n > 0 && x.r.IntN(2) == 0 {
		limit = keys[x.r.IntN(n)]
	}
	b, err := device.NewBuffer[T](x.p.Device(), len(keys))
	x.must(err)
	x.must(b.Write(x.p.Device(), 0, keys))
	return predicate{&filter.Below[T]{Keys: b, Limit: limit}, func(v uint32) bool { return keys[v] < limit }, b.Free}
}

// inGo is one written in Go.
func inGo(x *rig) predicate {
	var in predicate
	p := keysOf(x, func(r *rand.Rand) uint32 { return r.Uint32() >> r.IntN(32) })
	below := p.Predicate.(*filter.Below[uint32])
	in.Predicate, in.keeps, in.free = composed.NewBelow(below.Keys, below.Limit), p.keeps, p.free
	return in
}

func (p predicate) parts(vs []uint32) (yes, no []uint32) {
	for _, v := range vs {
		if p.keeps(v) {
			yes = append(yes, v)
		} else {
			no = append(no, v)
		}
	}
	return yes, no
}

func (x *rig) below(share float64, p predicate) {
	x.t.Helper()
	defer func() { x.must(x.s.Sync()); x.must(p.free()) }()
	pred := p.Predicate
	for _, twice := range []bool{false, true} {
		vs := x.draw(share, twice)
		yes, no := p.parts(vs)
		f := x.queue(vs)
		if !twice { // a set, in the operators' sense
			x.must(f.Convert(x.s, frontier.Bitmap))
			x.must(f.Convert(x.s, frontier.Queue))
			vs, yes, no = unique(vs), unique(yes), unique(no)
		}
		near, far := frontier.New(x.p), frontier.New(x.p)
		x.must(near.Add(x.draw(0.01, true)...)) // which are replaced
		x.must(far.Clear(frontier.Bitmap))
		x.must(x.f.Split(f, near, far, pred))
		x.isForm("split", near, frontier.Queue)
		x.isForm("split", far, frontier.Queue)
		x.same("kept by a split", near, yes)
		x.same("turned down by a split", far, no)
		x.inOrder("input of a split", f, vs)
		x.pushOn("what a split kept", near, yes)
		x.pushOn("what a split turned down", far, no)

		// Append more vertices, in either form.
		more := x.draw(share, true)
		g := x.queue(more)
		moreYes, moreNo := p.parts(more)
		x.must(x.f.SplitAppend(g, near, far, pred))
		x.same("kept by a second split", near, moreYes)
		x.same("turned down by both", far, slices.Concat(no, moreNo))
		x.pushOn("turned down by both", far, slices.Concat(no, moreNo))
		x.must(far.Convert(x.s, frontier.Bitmap))
		x.must(x.f.SplitAppend(f, near, far, pred))
		x.isForm("split", far, frontier.Bitmap)
		x.inOrder("turned down, added to a bitmap", far, unique(slices.Concat(no, moreNo)))
		x.must(x.f.SplitAppend(f, near, far, pred))
		x.inOrder("the same again", far, unique(slices.Concat(no, moreNo)))
		x.must(near.Free())
		x.must(far.Free())

		x.must(x.f.Keep(f, pred))
		x.isForm("keep", f, frontier.Queue)
		x.inOrder("keep", f, yes)
		x.pushOn("what was kept", f, yes)
	}
	// Bitmaps.
	vs := x.draw(share, true)
	yes, no := p.parts(unique(vs))
	f := x.bitmap(vs)
	near, far := x.queue(nil), x.queue(nil)
	x.must(x.f.Split(f, near, far, pred))
	x.isForm("split of a bitmap", near, frontier.Bitmap)
	x.isForm("split of a bitmap", far, frontier.Bitmap)
	x.inOrder("kept of a bitmap", near, yes)
	x.inOrder("turned down of a bitmap", far, no)
	x.inOrder("input of a split", f, unique(vs))
	more := x.draw(share, true)
	moreYes, moreNo := p.parts(unique(more))
	g := x.bitmap(more)
	x.must(x.f.SplitAppend(g, near, far, pred))
	x.inOrder("kept of a second bitmap", near, moreYes)
	x.inOrder("turned down of both bitmaps", far, unique(slices.Concat(no, moreNo)))
	pile := x.draw(0.05, true)
	far = x.queue(pile)
	x.must(x.f.SplitAppend(g, near, far, pred))
	x.isForm("split of a bitmap onto a queue", far, frontier.Queue)
	x.same("turned down of a bitmap, onto a queue", far, slices.Concat(pile, moreNo))
	x.pushOn("turned down of a bitmap, onto a queue", far, slices.Concat(pile, moreNo))

	x.must(x.f.Keep(f, pred))
	x.isForm("keep of a bitmap", f, frontier.Bitmap)
	x.inOrder("keep of a bitmap", f, yes)
	x.must(f.Convert(x.s, frontier.Queue))
	x.pushOn("what was kept of a bitmap", f, yes)
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
	defer func() { x.must(out.Free()) }()
	heads := neighbours(x.g, vs)
	for _, b := range []advance.Strategy{advance.TWC, advance.MergePath} {
		x.a.Strategy = b
		edges, err := x.a.Push(f, out, advance.All{})
		x.must(err)
		if edges != uint64(len(heads)) {
			x.t.Fatalf("%s: %d edges, want %d", what, edges, len(heads))
		}
		x.same("push of "+what, out, heads)
	}
	x.a.Strategy = advance.AutoBalance
}
