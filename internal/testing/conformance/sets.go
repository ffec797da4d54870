// This file holds the tests of the set operators and of the priority split.

package conformance

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/sets"
)

// Sets tests union, intersection, difference and the split into near and far,
// with every mixture of forms, against the definitions.
func (s Suite) Sets(t *testing.T) {
	for _, c := range s.quick() {
		t.Run(c.Name, func(t *testing.T) {
			x := s.rig(t, c.Graph(41), 42)
			comb, err := sets.New(x.s, x.p)
			x.must(err)
			t.Cleanup(func() { x.must(comb.Free()) })
			for _, share := range shares {
				x.combine(comb, share)
				nearFar(x, comb, share, func(r *rand.Rand) int32 { return r.Int32N(9) - 4 })
				nearFar(x, comb, share, func(r *rand.Rand) uint32 { return r.Uint32N(9) })
				nearFar(x, comb, share, func(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(64) })
				nearFar(x, comb, share, func(r *rand.Rand) float32 { return float32(someFloat(r)) })
				nearFar(x, comb, share, someFloat)
			}
		})
	}
}

func (x *rig) combine(comb *sets.Combiner, share float64) {
	x.t.Helper()
	va, vb := x.draw(share, true), x.draw([]float64{0, 0.03, 0.3}[x.r.IntN(3)], true)
	inA, inB := set(va), set(vb)
	both := func(v uint32) bool { return inA[v] && inB[v] }
	all := unique(slices.Concat(va, vb))
	make := map[frontier.Form]func([]uint32) *frontier.Frontier{frontier.Queue: x.queue, frontier.Bitmap: x.bitmap}
	const q, b = frontier.Queue, frontier.Bitmap
	for _, op := range []struct {
		name  string
		run   func(a, b, out *frontier.Frontier) error
		want  []uint32
		forms map[[2]frontier.Form]frontier.Form
	}{
		{"union", comb.Union, all, map[[2]frontier.Form]frontier.Form{{q, q}: q, {q, b}: b, {b, q}: b, {b, b}: b}},
		{"intersection", comb.Intersection, keep(all, both), map[[2]frontier.Form]frontier.Form{{q, q}: q, {q, b}: q, {b, q}: q, {b, b}: b}},
		{"difference", comb.Difference, without(unique(va), inB), map[[2]frontier.Form]frontier.Form{{q, q}: q, {q, b}: q, {b, q}: b, {b, b}: b}},
	} {
		for forms, form := range op.forms {
			what := op.name + " of a " + forms[0].String() + " and a " + forms[1].String()
			fa, fb, out := make[forms[0]](va), make[forms[1]](vb), x.bitmap(x.draw(0.1, true))
			for range 2 { // the second time into the first result
				x.must(op.run(fa, fb, out))
				x.isForm(what, out, form)
				x.same(what, out, op.want)
				x.isForm(what, fa, forms[0])
				x.isForm(what, fb, forms[1])
				x.same("the first of "+what, fa, ifBitmap(forms[0], va))
				x.same("the second of "+what, fb, ifBitmap(forms[1], vb))
			}
			x.asQueue("what a "+what+" left", out, op.want)
			if form == frontier.Bitmap && forms[1] == frontier.Bitmap {
				x.must(op.run(fa, fb, fb))
				x.inOrder(what+" into the second", fb, op.want)
			}
			if fb = make[forms[1]](vb); form == frontier.Bitmap && forms[0] == frontier.Bitmap {
				x.must(op.run(fa, fb, fa))
				x.inOrder(what+" into the first", fa, op.want)
			}
		}
	}
	for form, f := range map[frontier.Form]*frontier.Frontier{q: x.queue(va), b: x.bitmap(va)} {
		out := x.queue(nil)
		x.must(comb.Union(f, f, out))
		x.same("union of a "+form.String()+" with itself", out, unique(va))
		x.must(comb.Intersection(f, f, out))
		x.same("intersection of a "+form.String()+" with itself", out, unique(va))
		x.must(comb.Difference(f, f, out))
		x.same("difference of a "+form.String()+" with itself", out, nil)
	}
}

func ifBitmap(f frontier.Form, vs []uint32) []uint32 {
	if f == frontier.Bitmap {
		return unique(vs)
	}
	return vs
}

func keep(vs []uint32, is func(uint32) bool) (kept []uint32) {
	for _, v := range vs {
		if is(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// asQueue pushes a frontier, as a queue.
func (x *rig) asQueue(what string, f *frontier.Frontier, vs []uint32) {
	x.t.Helper()
	x.must(f.Convert(x.s, frontier.Queue))
	x.pushOn(what, f, vs)
}

// nearFar moves vertices through near and far, as a search by distance does: all
// are near once.
func nearFar[T device.Elem](x *rig, comb *sets.Combiner, share float64, draw func(*rand.Rand) T) {
	x.t.Helper()
	p := keysOf(x, draw)
	defer func() { x.must(x.s.Sync()); x.must(p.free()) }()
	below := p.Predicate.(*filter.Below[T])
	far, near, spare := x.queue(nil), x.queue(nil), x.queue(nil)
	if x.r.IntN(2) == 0 {
		far = x.bitmap(nil)
	}
	form := far.Form()
	var pile []uint32
	for range 3 {
		vs := x.draw(share, true)
		yes, no := p.parts(vs)
		x.must(sets.Split(comb, x.queue(vs), near, far, below.Keys, below.Limit))
		pile = slices.Concat(pile, no)
		if form == frontier.Bitmap {
			pile = unique(pile)
		}
		x.same("near", near, yes)
		x.same("far", far, pile)
		x.isForm("far", far, form)
	}
	var max T
	keys := make([]T, below.Keys.Len())
	x.must(below.Keys.Read(x.p.Device(), 0, keys))
	for _, k := range keys {
		if k > max {
			max = k
		}
	}
	again := predicate{keeps: func(v uint32) bool { return keys[v] < max }}
	yes, no := again.parts(pile)
	x.must(sets.Split(comb, far, near, spare, below.Keys, max))
	x.same("near, of the pile", near, yes)
	x.same("far, of the pile", spare, no)
}
