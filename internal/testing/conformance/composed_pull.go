// This file holds the tests of pulls whose functors are written in Go.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// composedAdopt is a breadth-first search that pushes small frontiers and pulls from large
// ones.
func composedAdopt(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	g, n := p.Graph(), p.NumVertices()
	if g.In() == nil {
		return noReverse(p)
	}
	source, large := r.Uint32N(uint32(n)), []int{0, 1 + r.IntN(n/8+1)}[r.IntN(2)]
	parent, depth := traverse.VertexIDs(x), traverse.Array[int32](x, -1)
	traverse.Set(x, depth, source, 0)
	seen := x.Bits(source)
	discover, adopt := composed.NewDiscover(parent, depth), composed.NewAdopt(parent, depth)
	cur, found := x.From(source), 1
	for x.Next(cur) {
		if cur.Len() < large {
			x.Do(cur, advance.Push(discover), filter.Unvisited(seen))
		} else {
			x.Do(cur, advance.Pull(adopt, seen))
		}
		if found += cur.Len(); seen.Len() != found {
			return fmt.Errorf("%d vertices were seen, want %d; %w", seen.Len(), found, x.Err())
		}
	}
	want := filled[int32](n, -1)
	want[source] = 0
	for cur := []uint32{source}; len(cur) > 0; {
		var next []uint32
		for _, v := range cur {
			for _, u := range g.Out().Neighbors(v) {
				if want[u] < 0 {
					want[u] = want[v] + 1
					next = append(next, u)
				}
			}
		}
		cur = next
	}
	parents, err := traverse.Result(x, parent)
	if err != nil {
		return err
	}
	defer parents.Close()
	of, err := parents.Slice()
	if err != nil {
		return err
	}
	for v, u := range of {
		switch {
		case want[v] <= 0 && u != uint32(v):
			return fmt.Errorf("vertex %d has the parent %d, want none", v, u)
		case want[v] > 0 && (want[u] != want[v]-1 || !slices.Contains(g.In().Neighbors(uint32(v)), u)):
			return fmt.Errorf("vertex %d of depth %d has the parent %d of depth %d", v, want[v], u, want[u])
		}
	}
	return same(x, depth, want)
}

// noReverse pulls over a graph without its reverse.
func noReverse(p *graph.Placed) error {
	x := traverse.New(context.Background(), p)
	parent, depth := traverse.VertexIDs(x), traverse.Array[int32](x, -1)
	x.Do(x.From(0), advance.Pull(composed.NewAdopt(parent, depth), x.Bits(0)))
	if err := x.Close(); !errors.Is(err, graph.ErrNoReverse) {
		return fmt.Errorf("a pull without the reverse: %v", err)
	}
	return nil
}

// composedCross pulls by a functor that rejects heavy edges, in a Repeat. The vertex's parent, and the number of
// edges that it tried, follow from the order of the row.
func composedCross(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	g, n := p.Graph().In(), p.NumVertices()
	if g == nil {
		return nil
	}
	source, most := r.Uint32N(uint32(n)), float32(r.IntN([]int{110, 8}[r.IntN(2)])) // or most are rejected
	depth, by, tries := traverse.Array[int32](x, -1), traverse.Array[uint64](x, 0), traverse.Array[uint32](x, 0)
	traverse.Set(x, depth, source, 0)
	x.Repeat(x.From(source), advance.Pull(composed.NewCross(depth, by, tries, most), x.Bits(source)))
	weights, err := p.InWeights()
	if err != nil {
		return err
	}
	heavy := make([]float32, weights.Len())
	if err := weights.Read(p.Device(), 0, heavy); err != nil {
		return err
	}
	wantDepth, wantBy, wantTries := filled[int32](n, -1), make([]uint64, n), make([]uint32, n)
	wantDepth[source] = 0
	for level, more := int32(1), true; more; level++ {
		more = false
		for v := range wantDepth {
			if wantDepth[v] >= 0 {
				continue
			}
			for e := g.Offsets[v]; e < g.Offsets[v+1] && wantDepth[v] < 0; e++ {
				if wantDepth[g.Targets[e]] != level-1 {
					continue
				}
				wantTries[v]++
				if heavy[e] <= most {
					wantDepth[v], wantBy[v], more = level, e, true
				}
			}
		}
	}
	return errors.Join(same(x, depth, wantDepth), same(x, by, wantBy), same(x, tries, wantTries))
}
