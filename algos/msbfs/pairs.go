// This file holds the search for the distances of pairs.

package msbfs

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/algos/internal/lanes"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/traverse"
)

// Reach returns the distance of each pair, in edges from From to To, or -1 where there is no way.
// Pairs with the same From share a lane, and a batch ends when all of its pairs are joined, so the
// cost depends on the number of different sources. It returns the errors of Run.
func Reach(ctx context.Context, p *graph.Placed, pairs []Pair, o Options) ([]int32, error) {
	if err := callctx.Check(ctx, "msbfs"); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	m := o.memory(p)
	m.Arrays = append(m.Arrays, lanes.ReachMemory)
	search := func(t *traverse.Traversal, pairs []Pair) ([]int32, error) {
		for i, p := range pairs {
			if err := p.check(t.Placed().NumVertices()); err != nil {
				return nil, fmt.Errorf("pair %d: %w", i, err)
			}
		}
		return lanes.Reach(t, len(pairs), func(i int) (from, to uint32) { return pairs[i].From, pairs[i].To }, o.lanes())
	}
	a := traverse.Algorithm[[]Pair, []int32]{Name: "msbfs: reach", Memory: m, Run: search, RunShards: search}
	return traverse.Run(ctx, p, a, pairs, o.traverse())
}

// Pair is a vertex, and another one that may be reached from it.
type Pair struct{ From, To uint32 }

func (p Pair) check(n int) error {
	for _, v := range []uint32{p.From, p.To} {
		if int64(v) >= int64(n) {
			return fmt.Errorf("%w: vertex %d of %d", graph.ErrNoVertex, v, n)
		}
	}
	return nil
}
