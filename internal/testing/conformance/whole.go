// This file holds the tests of operators on frontiers of all vertices (frontier.All), which
// have neither a list nor words.

package conformance

import (
	"testing"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/operators/intersect"
)

// Wholes tests the operators that are called directly with all vertices as one frontier of
// theirs, or several.
func (s Suite) Wholes(t *testing.T) {
	for _, c := range s.quick() {
		t.Run(c.Name, func(t *testing.T) {
			x := s.rig(t, sortRows(t, c.Graph(61)), 62)
			x.wholeFilters()
			in, err := intersect.New(x.s, x.p)
			x.must(err)
			t.Cleanup(func() { x.must(in.Close()) })
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

func (x *rig) wholeFilters() {
	x.t.Helper()
	every, p := allVertices(x.g), x.predicate()
	defer func() { x.must(x.s.Sync()); x.must(p.free()) }()
	f := x.whole()
	x.must(x.f.Keep(f, p.Predicate))
	x.same("kept of all", f, p.kept(every))

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
}
