// Package forest grows spanning forests from all vertices at once, for algorithms that need one.
//
// Each round chooses the first edge out of each tree and joins the trees at its ends (Borůvka, 1926). Edges are ordered by a
// key, then by id, then by the ranks of the external ids of their ends. Parallel edges that are equal in all of these stand
// for one another. So the forest depends neither on the device, the number of workers nor the internal numbering.
package forest

import (
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// Frontiers is how many frontiers Grow makes.
const Frontiers = 4

// Order is what edges are compared by.
type Order[K uint32 | uint64] struct {
	Keys    *device.Buffer[K]      // of every edge; nil: all are equal
	IDs     *device.Buffer[uint64] // of every edge; nil: there are none
	Rank    *device.Buffer[uint32] // of every vertex
	Extreme bool                   // a key or an id is the largest number of 64 bits
}

// Forest is a spanning forest, in arrays of the traversal that grew it.
type Forest[K uint32 | uint64] struct {
	Tree   *device.Buffer[uint32] // of every vertex: the root of its tree
	Joined *device.Buffer[uint64] // of every vertex that isn't a root: an edge, each edge of the forest once; else the largest number

	order           Order[K]
	keys            *device.Buffer[K]
	ids             *device.Buffer[uint64]
	lastKey, lastID uint64
}

// Arrays are the bytes that a forest takes for each vertex.
func Arrays() []int { return []int{4, 4, 8, 8, 8, 8, 8, 8, 4} }

// Grow grows a forest.
func Grow[K uint32 | uint64](t *traverse.Traversal, o Order[K]) *Forest[K] {
	f := &Forest[K]{Tree: traverse.VertexIDs(t), Joined: traverse.Array[uint64](t, none), order: o, keys: o.Keys, ids: o.IDs}
	edges := t.Placed().Graph().NumDirectedEdges()
	firstKey, firstID := uint64(0), uint64(0) // of no tree: all keys are 0
	if f.keys == nil {
		f.keys = traverse.ArrayN[K](t, 1, 0)
	} else {
		f.lastKey, firstKey = max(edges, 1)-1, none
	}
	if f.ids == nil {
		f.ids = traverse.ArrayN[uint64](t, 1, 0)
	} else {
		f.lastID, firstID = max(edges, 1)-1, none
	}
	least, leastID, leastEnd, at := traverse.Array(t, firstKey), traverse.Array(t, firstID), traverse.Array[uint64](t, none), traverse.Array[uint64](t, none)
	own, mateOf := traverse.Array[uint64](t, none), traverse.Uninitialized[uint32](t)
	if t.Err() != nil {
		return f
	}
	var stages []uint32
	bests := map[uint32]*device.Buffer[uint64]{byKey: least, byID: leastID, byEnds: leastEnd}
	if o.Keys != nil {
		stages = append(stages, byKey)
	}
	if o.IDs != nil {
		stages = append(stages, byID)
	}
	stages = append(stages, byEnds, byRow)
	_, targets := traverse.Rows(t)
	hooks := newHook(f.Tree, mateOf, least, leastID, leastEnd, at, f.Joined, o.Keys != nil, o.IDs != nil)
	jumps, changed := newJump(f.Tree), traverse.Scalar[uint64](t, operators.Sum)
	cur, roots, some, all := t.All(), t.All(), t.From(), t.All()
	for round := uint64(0); t.Next(cur); round++ {
		if t.Placed().Graph().Directed() {
			for _, stage := range append(stages, mates) {
				t.Do(cur, advance.Visit(newOfferBoth(f.Tree, f.keys, f.ids, o.Rank, least, leastID, leastEnd, at, own, mateOf, f.lastKey, f.lastID, stage, round)))
			}
			t.Do(cur, filter.Keep(newLeadsAt(own, round)))
			t.Do(roots, filter.Keep(newPicked(at)))
		} else {
			for i, stage := range stages {
				offers := reduce.Out(newOffer(f.Tree, f.keys, f.ids, o.Rank, least, leastID, leastEnd, at, own, f.lastKey, f.lastID, stage), nil)
				if i == 0 {
					t.Do(cur, offers, filter.Keep(newLeads(own, o.Extreme)))
					continue
				}
				if i == 1 {
					t.Fill(some)
				}
				t.Do(some, filter.Keep(newFirst(f.Tree, own, bests[stages[i-1]], o.Extreme)), offers)
			}
			t.Do(roots, filter.Keep(newMate(f.Tree, targets, mateOf, at)))
		}
		if roots.Len() == 0 {
			break
		}
		t.Do(roots, foreach.Each(hooks, nil))
		t.Repeat(roots, foreach.Each(jumps, changed), traverse.Below(changed, 1))
		t.Do(all, foreach.All(newFollow(f.Tree), nil))
		t.Do(roots, filter.Keep(newIsRoot(f.Tree)))
	}
	return f
}

// Lowest returns the least rank in each tree, by root, and how many trees there are.
func (f *Forest[K]) Lowest(t *traverse.Traversal) (lowest *device.Buffer[uint32], trees int) {
	lowest = traverse.Array(t, graph.NoVertex)
	count := traverse.Scalar[uint64](t, operators.Sum)
	t.Do(t.All(), foreach.All(newLowest(f.Tree, f.order.Rank, lowest), count))
	return lowest, int(traverse.Get(t, count))
}

// Mark writes a vertex into the entry of each edge of the forest, of an undirected graph into that of its direction from the
// larger to the smaller vertex: the vertex of the tree with the least rank, which byRank has of each rank.
func (f *Forest[K]) Mark(t *traverse.Traversal, lowest, byRank, edges *device.Buffer[uint32], ascend bool) {
	offsets, targets := traverse.Rows(t)
	t.Do(t.All(), foreach.All(newMark(f.Tree, lowest, byRank, targets, offsets, f.Joined, f.keys, f.ids, f.lastKey, f.lastID,
		t.Placed().Graph().Directed(), ascend, edges), nil))
}
