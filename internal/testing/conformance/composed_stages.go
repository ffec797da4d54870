// This file holds the test of a Repeat of PushNear alone.

package conformance

import (
	"math"
	"math/rand/v2"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// composedStages is composedNear, one stage at a time: it repeats a single push, and a cluster of
// blocks must detect that the push sorts.
func composedStages(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	source := r.Uint32N(uint32(p.NumVertices()))
	dist := traverse.Array[uint32](x, math.MaxUint32)
	traverse.Set(x, dist, source, 0)
	far, f := x.Pile(), composed.NewNear(dist, 1+r.Uint32N(200))
	for cur := x.From(source); cur.Len() > 0; x.Do(cur, pile.Refill(far, f)) {
		x.Repeat(cur, advance.PushNear(f, far))
	}
	want := filled[uint32](p.NumVertices(), math.MaxUint32)
	want[source] = 0
	g := p.Graph().Out()
	return same(x, dist, fixpoint(g, want, func(d uint32, e uint64) uint32 {
		if d == math.MaxUint32 {
			return d
		}
		return d + uint32(g.Weights[e])
	}))
}
