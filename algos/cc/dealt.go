// This file holds the search for components over several GPUs.

package cc

import (
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// dealt goes round after round over all edges: the tree of a vertex hooks onto the least one that a neighbour is
// in, and trees become stars (Zhang, Azad and Hu, "FastSV: A Distributed-Memory Connected Component
// Algorithm with Fast Convergence", 2020). Every GPU sees the hooks of its own edges, of which the least for
// each root counts; who is left out hooks in a later round. A round in which no tree hooks ends it.
func dealt(t *traverse.Traversal) (*Result, error) {
	all, label, least := t.All(), traverse.Unfilled[uint32](t), traverse.Unfilled[uint32](t)
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
	count, names := traverse.Scalar[uint64](t, operators.Sum), traverse.Unfilled[uint32](t)
	ranks, byRank := traverse.Ranks(t), traverse.ByRank(t)
	if t.Err() != nil {
		return nil, t.Err()
	}
	t.Do(all, foreach.All(newLeastRank(label, ranks, least), count), foreach.All(newNamed(label, least, byRank, names), nil))
	return result(t, names, int(traverse.Get(t, count)), false)
}
