// This file holds the tests of frontier, advance and filter.

package conformance

import (
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/advance"
)

// Operators tests all operators on all shapes of graphs.
func (s Suite) Operators(t *testing.T) {
	for _, c := range s.cases() {
		t.Run(c.Name, func(t *testing.T) {
			x := s.rig(t, c.Graph(31), 32)
			for _, share := range shares {
				x.convert(share)
				x.filters(share)
				for _, b := range s.Balances {
					x.push(b, share)
				}
				x.levels(share)
				x.pull(share)
				if s.GPU {
					x.edges(share)
				}
			}
		})
	}
}

// convert tests that a frontier holds the added vertices, in both forms, converted there and back.
func (x *rig) convert(share float64) {
	x.t.Helper()
	vs := x.draw(share, true)
	f := x.queue(vs)
	x.inOrder("queue", f, vs)
	x.must(f.Convert(x.s, frontier.Bitmap))
	x.inOrder("queue to bitmap", f, unique(vs))
	if f.Len() != len(unique(vs)) {
		x.t.Fatalf("bitmap of length %d, want %d", f.Len(), len(unique(vs)))
	}
	x.must(f.Convert(x.s, frontier.Queue))
	x.inOrder("bitmap to queue", f, unique(vs))
	x.must(f.Convert(x.s, frontier.Bitmap))
	x.must(f.List(x.s))
	x.same("bitmap to queue in no order", f, unique(vs))
	more := x.draw(share, true)
	x.must(f.Add(more...))
	x.same("queue and more", f, slices.Concat(unique(vs), more))
	b := x.bitmap(vs)
	x.must(b.Add(more...))
	x.inOrder("bitmap and more", b, unique(slices.Concat(vs, more)))
	x.must(b.Clear(frontier.Bitmap))
	x.inOrder("cleared", b, nil)
}

// filters: culling and claiming, of queues and bitmaps.
func (x *rig) filters(share float64) {
	x.t.Helper()
	vs, mask := x.draw(share, true), x.draw(0.3, false)
	seen := x.bitmap(mask)
	left := without(vs, set(mask))

	f := x.queue(vs)
	x.must(x.f.Cull(f, seen))
	x.inOrder("cull", f, left)
	x.inOrder("mask of cull", seen, unique(mask))

	f = x.bitmap(vs)
	x.must(x.f.Cull(f, seen))
	x.inOrder("cull of a bitmap", f, unique(left))

	f = x.queue(vs)
	x.must(x.f.Unique(f))
	x.same("unique", f, unique(vs))

	f = x.queue(vs)
	x.must(x.f.Unvisited(f, seen))
	x.same("unvisited", f, unique(left))
	x.inOrder("mask of unvisited", seen, unique(slices.Concat(mask, left)))
	if want := len(unique(slices.Concat(mask, left))); seen.Len() != want {
		x.t.Fatalf("mask of length %d, want %d", seen.Len(), want)
	}

	seen = x.bitmap(mask)
	f = x.bitmap(vs)
	x.must(x.f.Unvisited(f, seen))
	x.inOrder("unvisited of a bitmap", f, unique(left))
	x.inOrder("mask of that", seen, unique(slices.Concat(mask, left)))
}

// push: all neighbors, and those that aren't in a bitmap.
func (x *rig) push(b advance.Strategy, share float64) {
	x.t.Helper()
	x.a.Strategy = b
	vs := x.draw(share, true)
	heads := neighbors(x.g, vs)
	in, out := x.queue(vs), frontier.New(x.p)
	defer func() { x.must(out.Close()) }()
	edges, err := x.a.Push(in, out, advance.All())
	x.must(err)
	if edges != uint64(len(heads)) {
		x.t.Fatalf("push %s: %d edges, want %d", b, edges, len(heads))
	}
	x.same("push "+b.String(), out, heads)
	x.inOrder("input of push", in, vs)

	mask := x.draw(0.3, false)
	seen := x.bitmap(mask)
	_, err = x.a.Push(in, out, advance.Claim(seen))
	x.must(err)
	x.same("claiming push "+b.String(), out, unique(without(heads, set(mask))))

	// The output is a frontier like any other: push it on.
	next := unique(without(heads, set(mask)))
	last := frontier.New(x.p)
	defer func() { x.must(last.Close()) }()
	_, err = x.a.Push(out, last, advance.All())
	x.must(err)
	x.same("second push "+b.String(), last, neighbors(x.g, next))
	x.a.Strategy = advance.AutoBalance
}

// levels: pushes of the vertices that a level array has at a level.
func (x *rig) levels(share float64) {
	x.t.Helper()
	n := x.g.NumVertices()
	levels, err := device.NewBuffer[int32](x.p.Device(), n)
	x.must(err)
	defer func() { x.must(levels.Close()) }()
	all := make([]int32, n)
	var vs []uint32
	for v := range all {
		if x.r.Float64() < share {
			all[v] = 3
			vs = append(vs, uint32(v))
		}
	}
	x.must(levels.Write(x.p.Device(), 0, all))
	heads, mask := neighbors(x.g, vs), x.draw(0.3, false)
	strategies := []advance.Strategy{advance.AutoBalance}
	if x.p.Remote() != nil {
		strategies = append(strategies, advance.ThreadMapped, advance.TWC, Strategy("edges"))
	}
	for _, b := range strategies {
		x.a.Strategy = b
		out, seen := frontier.New(x.p), x.bitmap(mask)
		_, _, err := x.a.PushLevel(levels, 3, out, advance.All())
		x.must(err)
		x.same("push by level "+b.String(), out, heads)
		_, _, err = x.a.PushLevel(levels, 3, out, advance.Claim(seen))
		x.must(err)
		x.same("claiming push by level "+b.String(), out, unique(without(heads, set(mask))))
		x.must(out.Close())
	}
	x.a.Strategy = advance.AutoBalance
}

// pull: every candidate with an in-neighbor in the frontier is found, and its
// parent is one.
func (x *rig) pull(share float64) {
	x.t.Helper()
	in := x.g.In()
	if in == nil {
		return
	}
	n := x.g.NumVertices()
	vs, mask := x.draw(share, false), x.draw(0.3, false)
	front, seen, out := x.bitmap(vs), x.bitmap(mask), frontier.New(x.p)
	defer func() { x.must(out.Close()) }()
	parents, err := device.NewBuffer[uint32](x.p.Device(), n)
	x.must(err)
	defer func() { x.must(parents.Close()) }()
	none := make([]uint32, n)
	for v := range none {
		none[v] = graph.NoVertex
	}
	x.must(parents.Write(x.p.Device(), 0, none))
	_, err = x.a.Pull(front, seen, out, advance.Parents(parents))
	x.must(err)
	active, done := set(vs), set(mask)
	var want []uint32
	for v := range uint32(n) {
		if done[v] {
			continue
		}
		if slices.ContainsFunc(in.Neighbors(v), func(u uint32) bool { return active[u] }) {
			want = append(want, v)
		}
	}
	x.inOrder("pull", out, want)
	got := make([]uint32, n)
	x.must(parents.Read(x.p.Device(), 0, got))
	for v := range uint32(n) {
		p := got[v]
		switch _, found := slices.BinarySearch(want, v); {
		case !found && p != graph.NoVertex:
			x.t.Fatalf("pull: vertex %d got parent %d", v, p)
		case found && (p == graph.NoVertex || !active[p] || !slices.Contains(in.Neighbors(v), p)):
			x.t.Fatalf("pull: vertex %d got parent %d, which isn't one", v, p)
		}
	}
	x.pullEdges(front, seen, out, active, want)
}

// pullEdges tests that every vertex that a pull finds gets the first edge of its in-row whose
// source is in the frontier, and that other vertices get no edge.
func (x *rig) pullEdges(front, seen, out *frontier.Frontier, active map[uint32]bool, want []uint32) {
	x.t.Helper()
	edges, err := device.NewBuffer[uint64](x.p.Device(), x.g.NumVertices())
	x.must(err)
	defer func() { x.must(edges.Close()) }()
	expect, none := make([]uint64, edges.Len()), uint64(1)<<63
	for v := range expect {
		expect[v] = none
	}
	x.must(edges.Write(x.p.Device(), 0, expect))
	_, err = x.a.Pull(front, seen, out, advance.InEdges(edges))
	x.must(err)
	x.inOrder("pull with edges", out, want)
	in := x.g.In()
	for _, v := range want {
		row := in.Neighbors(v)
		expect[v] = in.Offsets[v] + uint64(slices.IndexFunc(row, func(u uint32) bool { return active[u] }))
	}
	got := make([]uint64, edges.Len())
	x.must(edges.Read(x.p.Device(), 0, got))
	for v, e := range got {
		if e != expect[v] {
			x.t.Fatalf("pull with edges: vertex %d got edge %d, want %d; its row begins at %d", v, int64(e), int64(expect[v]), in.Offsets[v])
		}
	}
}

// edges: expansion lists the edges, in order by merge path; contraction culls.
func (x *rig) edges(share float64) {
	x.t.Helper()
	vs := x.draw(share, true)
	var want [][2]uint32
	for _, v := range vs {
		for _, t := range x.g.Out().Neighbors(v) {
			want = append(want, [2]uint32{t, v})
		}
	}
	list, err := frontier.NewEdges(x.p, true)
	x.must(err)
	defer func() { x.must(list.Close()) }()
	for _, b := range []advance.Strategy{advance.TWC, advance.MergePath} {
		x.must(x.a.Expand(x.queue(vs), list, b))
		x.must(x.s.Sync())
		ts, ss, err := list.Read()
		x.must(err)
		got := make([][2]uint32, len(ts))
		for i := range ts {
			got[i] = [2]uint32{ts[i], ss[i]}
		}
		expect := slices.Clone(want)
		if b != advance.MergePath {
			order := func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) }
			slices.SortFunc(got, order)
			slices.SortFunc(expect, order)
		}
		if !slices.Equal(got, expect) {
			x.t.Fatalf("expand %s: %d edges, want %d", b, len(got), len(want))
		}
	}
	mask := x.draw(0.3, false)
	heads := unique(without(neighbors(x.g, vs), set(mask)))
	seen, out := x.bitmap(mask), frontier.New(x.p)
	defer func() { x.must(out.Close()) }()
	x.must(x.a.Contract(list, out, advance.Claim(seen)))
	x.same("contract", out, heads)

	seen = x.bitmap(mask)
	next, err := frontier.NewEdges(x.p, true)
	x.must(err)
	defer func() { x.must(next.Close()) }()
	x.must(x.a.ContractExpand(list, next, advance.Claim(seen)))
	_, vertices, err := next.Count()
	x.must(err)
	if int(vertices) != len(heads) {
		x.t.Fatalf("contract and expand: %d vertices, want %d", vertices, len(heads))
	}
	ts, _, err := next.Read()
	x.must(err)
	slices.Sort(ts)
	all := neighbors(x.g, heads)
	slices.Sort(all)
	if !slices.Equal(ts, all) {
		x.t.Fatalf("contract and expand: %d edges, want %d", len(ts), len(all))
	}
}
