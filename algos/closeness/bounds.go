// This file holds the bounds of eccentricities by samples.

package closeness

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/algos/internal/lanes"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// Bounds has what the eccentricity of every vertex is at least and at most. It is the caller's,
// who closes it. A vertex that no sample is connected with has -1 in both.
type Bounds struct {
	Least, Most *traverse.Values[int32]
	// Samples are the vertices that were searched from.
	Samples []uint32
	Stats   traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (b *Bounds) Close() error {
	if b == nil {
		return nil
	}
	return errors.Join(b.Least.Close(), b.Most.Close())
}

// Bound finds bounds of the eccentricities of all vertices of an undirected graph, from searches of the
// given number of random vertices: a vertex at distance d from one of eccentricity e has at least max(d,
// e-d) and at most d+e (Takes and Kosters, "Computing the Eccentricity Distribution of Large Graphs",
// Algorithms 2013). The time is two searches from each sample, Options.Lanes at a time. Options.Of is
// ignored; Progress reports samples.
//
// A directed graph is graph.ErrOptions, since distances aren't symmetric there. So is a number of
// samples below 1. Other errors are the same as for Run.
func Bound(ctx context.Context, p *graph.Placed, samples int, seed uint64, o Options) (*Bounds, error) {
	if err := callctx.Check(ctx, "closeness"); err != nil {
		return nil, err
	}
	if samples < 1 {
		return nil, fmt.Errorf("closeness: %w: %d samples; give at least 1", graph.ErrOptions, samples)
	}
	if err := p.Err(); err == nil && p.Graph().Directed() {
		return nil, fmt.Errorf("closeness: %w: bounds by samples are for undirected graphs; ask for exact values", graph.ErrOptions)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	var from []uint32
	search := func(t *traverse.Traversal, from []uint32) (*Bounds, error) { return bound(t, from, o) }
	a := traverse.Algorithm[[]uint32, *Bounds]{Name: "closeness: bounds", Run: search, RunShards: search}
	if p.Err() == nil {
		from = draw(p.NumVertices(), samples, seed)
		a.Memory = o.memory(p, len(from), 4, 4)
	}
	return traverse.Run(ctx, p, a, from, o.traverse())
}

// draw returns k different vertices of n, or all.
func draw(n, k int, seed uint64) []uint32 {
	k = min(k, n)
	r, at := rand.New(rand.NewPCG(seed, 1)), map[int]int{} // what a shuffle has moved
	from := make([]uint32, k)
	for i := range from {
		j := i + r.IntN(n-i)
		v, moved := at[j]
		if !moved {
			v = j
		}
		from[i] = uint32(v)
		if v, moved := at[i]; moved {
			at[j] = v
		} else {
			at[j] = i
		}
	}
	return from
}

func bound(t *traverse.Traversal, from []uint32, o Options) (*Bounds, error) {
	least, most := traverse.Array[int32](t, 0), traverse.Array[int32](t, math.MaxInt32)
	wait := traverse.Scalar[uint64](t, operators.Sum)
	l, err := lanes.NewLanes(t, o.lanes(t.Placed(), len(from)))
	if err != nil {
		return nil, err
	}
	of := traverse.ArrayN[int32](t, l.Most(), 0)
	step, depth := narrows(l, least, most, of)
	for done := 0; done < len(from); done += l.Most() {
		batch := slices.Clone(from[done:min(done+l.Most(), len(from))])
		deep := make([]int32, len(batch))
		if err := l.Start(batch); err != nil {
			return nil, err
		}
		for l.Next() {
			deepest(l, deep)
		}
		order := make([]int, len(batch))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(deep[a] - deep[b]) })
		sorted, sources := make([]int32, len(batch)), make([]uint32, len(batch))
		for i, k := range order {
			sorted[i], sources[i] = deep[k], batch[k]
		}
		traverse.Get(t, wait) // for the steps that read the array
		if t.Err() != nil {
			return nil, t.Err()
		}
		if err := of.Write(run.Device(t.Placed()), 0, sorted); err != nil {
			return nil, err
		}
		if err := l.Start(sources); err != nil {
			return nil, err
		}
		for more := true; more; more = l.Next() {
			depth(l.Depth())
			t.Do(l.Frontier(), step)
		}
		if l.Err() != nil {
			return nil, l.Err()
		}
		o.progress(done+len(batch), len(from))
	}
	t.Do(t.All(), foreach.All(newUnknown(least, most), nil))
	b := &Bounds{Samples: from}
	if b.Least, err = traverse.Result(t, least); err != nil {
		return nil, err
	}
	if b.Most, err = traverse.Result(t, most); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	b.Stats = b.Most.Stats
	return b, nil
}
