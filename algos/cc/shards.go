// This file holds the search for components over several GPUs.

package cc

import (
	"cmp"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/algos/cc/internal/unite"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// forest has trees of best neighbors: the parent of each vertex is its smallest neighbor, if that is smaller than the
// vertex. All GPUs store all parents, so each finds the tree of any vertex without communication.
type forest struct {
	parent *device.Buffer[uint32] // by number; itself at a root, NoVertex of a vertex without neighbors; nil: of no use
	far    atomic.Bool            // what is outside the largest tree has long ways
	why    string                 // why parent is nil
	// longest is the longest row of the vertices outside; 0 if there are none.
	longest uint64
	trees   *unite.Trees // of an undirected graph; nil: steps visit what is outside
	late    atomic.Bool  // its kernels didn't all run at once
}

// Close gives it back.
func (f *forest) Close() error { return errors.Join(f.parent.Close(), f.trees.Close()) }

type forestKey struct{ placed.Of[*forest] }

// forestOf returns the forest of a placed graph. It is of use where nearly all vertices that have neighbors
// are in one tree, that of the vertex of most edges.
func forestOf(t *traverse.Traversal) (*forest, error) {
	return placed.LoadOrMake(t.Placed().State(), forestKey{}, func() (*forest, error) {
		f, err := grow(t)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return f, nil
	})
}

func grow(t *traverse.Traversal) (*forest, error) {
	p, f := t.Placed(), &forest{}
	g, x := p.Graph(), run.ShardsOf(p)
	if g.Directed() && !g.HasReverse() { // a vertex doesn't know who leads to it
		f.why = ", since the graph is directed and has no reverse"
		return f, nil
	}
	for i := range x.Parts { // where there is no room, rounds over all edges are a way
		if free := x.Parts[i].Dev.Info().MemoryFree; free > 0 && free < memory(p, true).Bytes(p) {
			f.why = ", since a GPU has no room for trees of best neighbors"
			return f, nil
		}
	}
	if g.NumDirectedEdges() == 0 {
		f.why = ", of which there are none"
		return f, nil
	}
	var err error
	if f.parent, err = device.NewBuffer[uint32](run.Device(p), run.Numbers(p)); err != nil {
		return f, err
	}
	if !g.Directed() {
		return f, f.plant(t)
	}
	devices := uint32(len(x.Parts))
	all, beyond, long := t.All(), traverse.Scalar[uint64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Sum)
	none := (*operators.Scalar[uint64])(nil)
	t.Do(all, foreach.All(newNobody(f.parent), nil), reduce.Out(newBest(f.parent, devices, x.Stride), none))
	t.Do(all, reduce.In(newBestIn(f.parent, devices, x.Stride), none))
	t.Do(all, foreach.All(newHang(f.parent, devices, x.Stride), nil), foreach.All(newCensus(f.parent, hubOf(g, x), long), beyond))
	if traverse.Get(t, long) > 0 || traverse.Get(t, beyond) > uint64(g.NumVertices()/tuning.Outside) {
		return f, errors.Join(t.Err(), f.useless())
	}
	rest, most := t.All(), traverse.Scalar[uint64](t, operators.Max)
	t.Do(rest, filter.Keep(newAstray(f.parent, traverse.Ranks(t), hubOf(g, x), traverse.Scalar[uint64](t, operators.Min))))
	if rest.Len() > 0 {
		t.Do(rest, reduce.Out(newLongest(), most))
		f.longest = traverse.Get(t, most)
	}
	return f, t.Err()
}

// useless gives the trees back.
func (f *forest) useless() error {
	err := f.Close()
	f.parent, f.trees, f.why = nil, nil, ", since trees of best neighbors are deep or leave many vertices out"
	return err
}

// plant makes the trees of an undirected graph.
func (f *forest) plant(t *traverse.Traversal) (err error) {
	g, x := t.Placed().Graph(), run.ShardsOf(t.Placed())
	if f.trees, err = unite.NewTrees(x, g.IDs().Ranks(), f.parent, hubOf(g, x)); err != nil {
		return err
	}
	t.Do(t.All(), f.trees.Plant(), f.trees.Census())
	if err = cmp.Or(t.Err(), f.trees.Count()); err != nil {
		return err
	}
	c, n := f.trees, uint64(g.NumVertices())
	switch f.longest = c.Longest; {
	case c.Far > 0 || c.Outside > n/uint64(tuning.Outside):
		return f.useless()
	case c.Longest <= longRow && c.Across <= n/manyAcross:
		return f.trees.Ready()
	}
	err = f.trees.Close()
	f.trees = nil
	return err
}

// hubOf returns the number of the vertex of most edges.
func hubOf(g *graph.Graph, x *placed.Shards) uint32 { return x.Number(g.DegreeHistogram().MaxVertex) }

// prepareShards is prepare over shards.
func prepareShards(t *traverse.Traversal, _ struct{}) (struct{}, error) {
	f, err := forestOf(t)
	if err != nil {
		return struct{}{}, fmt.Errorf("cc: %w", err)
	}
	if f.trees == nil {
		traverse.Ranks(t)
		traverse.ByRank(t)
	}
	return struct{}{}, t.Err()
}

// weakOverShards is weak over shards.
func weakOverShards(t *traverse.Traversal, _ struct{}) (*Result, error) {
	f, err := forestOf(t)
	if err != nil {
		return nil, fmt.Errorf("cc: %w", err)
	}
	names := traverse.Uninitialized[uint32](t)
	if f.trees != nil && !f.late.Load() {
		if r, err := byTrees(t, f, names); r != nil || err != nil {
			return r, err
		}
		f.late.Store(true)
	}
	label := traverse.Uninitialized[uint32](t)
	method := byAllEdges + f.why
	if f.parent != nil && !f.far.Load() {
		if r, err := byForest(t, f, label, names); r != nil || err != nil {
			return r, err
		}
		f.far.Store(true)
	}
	if f.far.Load() {
		method += ", since vertices outside the largest tree of best neighbors have long ways"
	}
	return byRounds(t, label, names, method)
}

// byTrees has one kernel on each GPU find the components. It returns nothing if these didn't all run at once.
func byTrees(t *traverse.Traversal, f *forest, names *device.Buffer[uint32]) (*Result, error) {
	if t.Err() != nil {
		return nil, t.Err()
	}
	all, naming := t.All(), f.trees.Name(names)
	if t.Next(all) {
		t.Do(all, naming)
	}
	if t.Err() != nil || naming.Late {
		return nil, t.Err()
	}
	return result(t, names, naming.Components, fmt.Sprint(byBest, text.Plural(int(f.trees.Outside), "vertex"), outsideLargest))
}

// byForest visits only the edges of vertices outside the largest tree: they receive the least rank of an id among their
// neighbors, or that tree, until nothing changes. Labels of that tree are not sent anywhere, and its vertices get their
// label while the others still iterate. It returns nothing if that takes many rounds.
func byForest(t *traverse.Traversal, f *forest, low, names *device.Buffer[uint32]) (*Result, error) {
	g, x := t.Placed().Graph(), run.ShardsOf(t.Placed())
	devices, hub := uint32(len(x.Parts)), hubOf(g, x)
	ranks, byRank, all, rest, least := traverse.Ranks(t), traverse.ByRank(t), t.All(), t.All(), traverse.Scalar[uint64](t, operators.Min)
	if t.Next(all) {
		t.Do(rest, filter.Keep(newAstray(f.parent, ranks, hub, least)))
	}
	// The rest is enqueued while the GPUs look who that is.
	own, sum := traverse.Scalar[uint64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Sum)
	hear := newHear(f.parent, ranks, byRank, low, hub, devices, x.Stride, graph.NoVertex, graph.NoVertex, names)
	name := func(rank uint64) {
		if rank < uint64(g.NumVertices()) {
			hear.first, hear.name = uint32(rank), g.IDs().AtRank(uint32(rank))
		}
		t.Do(all, foreach.All(newCalled(f.parent, hub, hear.name, devices, x.Stride, names), own))
	}
	name(traverse.Get(t, least))
	method := byBest + text.Plural(rest.Len(), "vertex") + outsideLargest
	if rest.Len() == 0 {
		return result(t, names, int(traverse.Get(t, own)), method)
	}
	none, out, in := (*operators.Scalar[uint64])(nil), reduce.Out(hear, sum), reduce.In(newHearIn(f.parent, byRank, low, hub, devices, x.Stride), sum)
	begin := newHearRanks(f.parent, ranks, low, hub)
	switch {
	case g.Directed():
		t.Do(rest, foreach.Each(newOwnRank(ranks, low), nil))
	case f.longest > 0:
		t.Do(rest, reduce.Out(briefRanks{begin, f.longest}, none))
		out = reduce.Out(briefHear{hear, f.longest}, sum)
	default:
		t.Do(rest, reduce.Out(begin, none))
	}
	for range mostRounds {
		if !t.Next(rest) {
			break
		}
		before := uint64(0)
		if g.Directed() {
			t.Do(rest, in)
			before = traverse.Get(t, sum)
		}
		t.Do(rest, out)
		after := traverse.Get(t, sum)
		if (before+after)/heard == 0 {
			return result(t, names, int(traverse.Get(t, own)+after), method)
		}
		t.Do(rest, foreach.Each(newJoined(low, ranks), least))
		if rank := traverse.Get(t, least); rank < uint64(hear.first) {
			name(rank)
		}
	}
	return nil, t.Err()
}

// briefRanks and briefHear are functors for vertices whose rows are known to be short (step.Brief).
type (
	briefRanks struct {
		*hearRanksFunctor
		longest uint64
	}
	briefHear struct {
		*hearFunctor
		longest uint64
	}
)

// Longest returns the length of the longest row.
func (b briefRanks) Longest() uint64 { return b.longest }

// Longest returns the length of the longest row.
func (b briefHear) Longest() uint64 { return b.longest }

// byRounds goes round after round over all edges: the tree of a vertex hooks onto the least tree of a neighbor, and
// trees become stars (Zhang, Azad and Hu, "FastSV: A Distributed-Memory Connected Component Algorithm with Fast
// Convergence", 2020). Every GPU has the hooks of its edges, and the least one for each root counts; the others
// hook in a later round. A round in which no tree hooks ends it.
func byRounds(t *traverse.Traversal, label, names *device.Buffer[uint32], method string) (*Result, error) {
	all, least := t.All(), traverse.Uninitialized[uint32](t)
	changed := traverse.Scalar[uint64](t, operators.Sum)
	if t.Err() != nil {
		return nil, t.Err()
	}
	hook := reduce.Out(newNearest(label), changed)
	if t.Placed().Graph().Directed() {
		hook = reduce.Out(newEither(label, changed), (*operators.Scalar[uint64])(nil))
	}
	t.Do(all, foreach.All(newAlone(label, least), nil))
	for t.Next(all) {
		t.Do(all, hook)
		if traverse.Get(t, changed) == 0 {
			break
		}
		t.Do(all, foreach.All(newUp(label), nil))
	}
	count := traverse.Scalar[uint64](t, operators.Sum)
	ranks, byRank := traverse.Ranks(t), traverse.ByRank(t)
	if t.Err() != nil {
		return nil, t.Err()
	}
	t.Do(all, foreach.All(newLeastRank(label, ranks, least), count), foreach.All(newNamed(label, least, byRank, names), nil))
	return result(t, names, int(traverse.Get(t, count)), method)
}
