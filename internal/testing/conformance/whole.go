// This file holds the tests of operators on frontiers of all vertices (frontier.All), which
// have neither a list nor words.

package conformance

import (
	"fmt"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/operators/sets"
)

// Wholes tests the operators that are called directly with all vertices as one frontier of
// theirs, or several.
func (s Suite) Wholes(t *testing.T) {
	for _, c := range s.quick() {
		t.Run(c.Name, func(t *testing.T) {
			x := s.rig(t, sortRows(t, c.Graph(61)), 62)
			x.wholeSets()
			x.wholeFilters()
			in, err := intersect.New(x.s, x.p)
			x.must(err)
			t.Cleanup(func() { x.must(in.Free()) })
			for i, o := range []intersect.Options{{}, {Ascending: true}, {Triangles: true}} {
				o.From = x.whole()
				x.common(in, s.Small || !s.GPU, o, allVertices(x.g), i)
				x.isForm("the input of intersect", o.From, frontier.All)
			}
		})
	}
}

// whole returns a frontier of all vertices.
func (x *rig) whole() *frontier.Frontier {
	f := x.queue(x.draw(0.1, true))
	x.must(f.Fill())
	return f
}

func (x *rig) wholeSets() {
	x.t.Helper()
	comb, err := sets.New(x.s, x.p)
	x.must(err)
	defer func() { x.must(comb.Free()) }()
	every := allVertices(x.g)
	for range 3 {
		some := x.draw([]float64{0, 0.1, 0.7}[x.r.IntN(3)], true)
		kinds := map[string]struct {
			f  func() *frontier.Frontier
			vs []uint32
		}{
			"all":    {x.whole, every},
			"queue":  {func() *frontier.Frontier { return x.queue(some) }, some},
			"bitmap": {func() *frontier.Frontier { return x.bitmap(some) }, unique(some)},
		}
		for nameA, a := range kinds {
			for nameB, b := range kinds {
				inA, inB := set(a.vs), set(b.vs)
				for name, op := range map[string]struct {
					run  func(a, b, out *frontier.Frontier) error
					want []uint32
				}{
					"union":        {comb.Union, keep(every, func(v uint32) bool { return inA[v] || inB[v] })},
					"intersection": {comb.Intersection, keep(every, func(v uint32) bool { return inA[v] && inB[v] })},
					"difference":   {comb.Difference, keep(every, func(v uint32) bool { return inA[v] && !inB[v] })},
				} {
					what := fmt.Sprintf("%s of a %s and a %s", name, nameA, nameB)
					fa, fb, out := a.f(), b.f(), x.whole()
					x.must(op.run(fa, fb, out))
					x.same(what, out, op.want)
					x.same("the first of "+what, fa, a.vs)
					x.same("the second of "+what, fb, b.vs)
					if nameA == "all" && fa.Form() != frontier.All || nameB == "all" && fb.Form() != frontier.All {
						x.t.Fatalf("%s changed the form of its input", what)
					}
					if nameB == "bitmap" && (nameA == "all" || nameA == "bitmap") {
						x.must(op.run(fa, fb, fb))
						x.same(what+" into the second", fb, op.want)
					}
					x.asQueue("what a "+what+" left", out, op.want)
				}
			}
		}
	}
}

func (x *rig) wholeFilters() {
	x.t.Helper()
	every, p := allVertices(x.g), keysOf(x, someFloat)
	defer func() { x.must(x.s.Sync()); x.must(p.free()) }()
	yes, no := p.parts(every)
	f := x.whole()
	x.must(x.f.Keep(f, p.Predicate))
	x.same("kept of all", f, yes)

	f = x.whole()
	near, far := x.queue(x.draw(0.1, true)), x.bitmap(x.draw(0.1, false))
	x.must(x.f.Split(f, near, far, p.Predicate))
	x.isForm("the input of a split", f, frontier.All)
	x.same("kept by a split of all", near, yes)
	x.same("turned down by a split of all", far, no)
	had := x.draw(0.3, true)
	far = x.queue(had)
	x.must(x.f.SplitAppend(f, near, far, p.Predicate))
	x.same("turned down, added to a queue", far, slices.Concat(had, no))
	x.isForm("turned down", far, frontier.Queue)

	seen := x.draw(0.3, false)
	rest := without(every, set(seen))
	for name, op := range map[string]func(f, seen *frontier.Frontier) error{"cull": x.f.Cull, "unvisited": x.f.Unvisited} {
		f, mask := x.whole(), x.bitmap(seen)
		x.must(op(f, mask))
		x.same(name+" of all", f, rest)
		if name == "unvisited" {
			x.same("the mask", mask, every)
		}
	}
	f = x.whole()
	x.must(x.f.Unique(f))
	x.same("all, once", f, every)
	for _, form := range []frontier.Form{frontier.Queue, frontier.Bitmap} {
		f := x.whole()
		x.must(f.Convert(x.s, form))
		x.inOrder("all, converted", f, every)
	}
	// A key of another type; no key is below the limit.
	keys, err := device.NewBuffer[uint64](x.p.Device(), x.p.NumVertices())
	x.must(err)
	x.must(x.f.Keep(f, &filter.Below[uint64]{Keys: keys}))
	x.same("none of all", f, nil)
	x.must(x.s.Sync())
	x.must(keys.Free())
}
