// This file holds the search for strongly connected components.

package cc

import (
	"context"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// Strong finds the strongly connected components: two vertices are in the same component if each
// can reach the other along directed edges. In an undirected graph they are the components that
// Run finds. A directed graph without its reverse (graph.Options.Reverse) is graph.ErrNoReverse.
// Everything else is the same as for Run.
//
// Vertices without remaining in-edges or out-edges are single-vertex components and are trimmed.
// The vertices that a vertex of large degree reaches and that reach it are a component, usually
// the giant one. Among the remaining vertices, each takes the largest color that reaches it. A
// vertex that keeps its own color, and the vertices of that color that reach it, are a component
// (Slota, Rajamanickam and Madduri, "BFS and Coloring-based Parallel Algorithms for Strongly
// Connected Components and Related Problems", IPDPS 2014); this repeats until no vertex is left.
// The memory is 28 bytes a vertex.
func Strong(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "cc"); err != nil {
		return nil, err
	}
	if err := p.Err(); err == nil && !p.Graph().Directed() {
		r, err := Run(ctx, p, o)
		if r != nil {
			r.strong = true
		}
		return r, err
	}
	a := traverse.Algorithm[struct{}, *Result]{
		Name: "cc: strong", Memory: strongMemory,
		Run: func(t *traverse.Traversal, _ struct{}) (*Result, error) { return strong(ctx, t) },
	}
	return find(ctx, p, a, o)
}

var strongMemory = traverse.Memory{Arrays: []int{4, 4, 4, 4, 4, 4, 4}, Frontiers: 4}

func strong(ctx context.Context, t *traverse.Traversal) (*Result, error) {
	p, err := t.Placed().Reversed()
	if err != nil {
		return nil, err
	}
	back := traverse.New(ctx, p) // goes along the edges backwards
	defer back.Close()
	component := traverse.Array[uint32](t, graph.NoVertex)
	out, in := traverse.Degrees(t), traverse.Degrees(back)

	// Forwards, then backwards. Vertices that are peeled off forwards have no edge from a remaining vertex.
	for _, x := range []*traverse.Traversal{t, back} {
		degrees := in
		if x == back {
			degrees = out
		}
		left := traverse.Array[uint32](x, 0)
		cur := x.All()
		x.Do(cur, foreach.All(newTake(degrees, left), nil), filter.Keep(newEnds(left, component)))
		x.Repeat(cur, advance.Push(newPeel(left, component)))
		cur.Len() // the other one continues from here
	}

	best := traverse.Scalar[uint64](t, operators.Max)
	all := t.All()
	t.Do(all, foreach.All(newBusiest(in, out, component, best), nil))
	if b := traverse.Get(t, best); b>>32 > 0 {
		root := uint32(b)
		ahead, behind := traverse.Array[uint32](t, 0), traverse.Array[uint32](back, 0)
		search(t, root, component, ahead)
		search(back, root, component, behind)
		t.Do(all, foreach.All(newBoth(ahead, behind, component, root), nil))
	}

	colors := traverse.Array[uint32](t, 0)
	for t.Err() == nil && back.Err() == nil {
		cur := t.All()
		t.Do(cur, filter.Keep(newLeft(component, colors)))
		if cur.Len() == 0 {
			break
		}
		from := back.From(cur.Vertices()...)
		t.Repeat(cur, advance.Push(newSpread(component, colors)), filter.Unique())
		cur.Len()
		back.Do(from, filter.Keep(newOrigins(component, colors)))
		back.Repeat(from, advance.Push(newGather(component, colors)), filter.Unique())
		from.Len()
	}
	if err := back.Err(); err != nil {
		return nil, err
	}
	named, count := names(t, t.All(), 0, component, nil, true)
	return result(t, named, int(traverse.Get(t, count)), byPeeling)
}

// search marks what can be reached from the root.
func search(t *traverse.Traversal, root uint32, component, mark *device.Buffer[uint32]) {
	traverse.Set(t, mark, root, 1)
	cur := t.From(root)
	t.Repeat(cur, advance.Push(newReach(component, mark)), filter.Unique())
	cur.Len()
}
