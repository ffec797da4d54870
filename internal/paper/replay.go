// This file holds the replay of a search's frontiers: each half of a level is timed alone, and both as one operator.

package paper

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// The measures of a level.
const (
	// Gather expands a vertex frontier to its edge frontier, without a look at what was visited.
	Gather = "gather"
	// LookUp drops from an edge frontier what was visited, and duplicates.
	LookUp = "look up"
	// Fused does both in one operator.
	Fused = "fused"
)

// Replayed is the time that a measure took over all levels of one search.
type Replayed struct {
	Measure string   `json:"measure"` // gather, look up or fused
	Balance string   `json:"balance"` // the strategy that shares out edges; auto on the host, which has one
	Edges   uint64   `json:"edges"`
	Seconds float64  `json:"seconds"` // the median of the trials
	Sizes   []Bucket `json:"sizes"`
}

// Bucket is the part of a measure on edge frontiers of a size.
type Bucket struct {
	Least   uint64  `json:"least"` // edges of a frontier; the next bucket begins at 16 times as many
	Levels  int     `json:"levels"`
	Edges   uint64  `json:"edges"`
	Seconds float64 `json:"seconds"`
}

// balances are the strategies of the paper's figure 5, and merge path, which came later.
func balances(gpu bool) []string {
	if gpu {
		return []string{"thread", "warp", "scan", "twc", "merge"}
	}
	return []string{"auto"}
}

// replay runs the levels of a search, so many times for each measure, and checks that every pass finds what the search
// found. Times are from the call until the device is done.
func replay(ctx context.Context, p *graph.Placed, levels []Level, vertices [][]uint32, gpu bool, trials int) (_ []Replayed, err error) {
	s, err := p.Device().NewStream(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	a, err := advance.New(s, p)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	f, err := filter.New(s, p)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in, out, seen := frontier.New(p), frontier.New(p), frontier.New(p)
	defer func() { err = errors.Join(err, in.Close(), out.Close(), seen.Close()) }()

	push := func(g advance.Functor) func() error {
		return func() error {
			_, err := a.Push(in, out, g)
			return err
		}
	}
	var all []Replayed
	for _, balance := range balances(gpu) {
		strategy, err := advance.ParseStrategy(balance)
		if err != nil {
			return nil, err
		}
		for _, m := range []struct {
			name       string
			before, do func() error
			finds      func(Level) uint64
		}{
			{Gather, nil, push(advance.All()), func(l Level) uint64 { return l.Edges }},
			{LookUp, push(advance.All()), func() error { return f.Unvisited(out, seen) }, func(l Level) uint64 { return l.New }},
			{Fused, nil, push(advance.Claim(seen)), func(l Level) uint64 { return l.New }},
		} {
			if m.name == LookUp && len(all) > 1 {
				continue // the strategy is of the other half
			}
			r := Replayed{Measure: m.name, Balance: balance}
			var took [][]float64 // of each trial, by level
			for range trials + 1 {
				times := make([]float64, len(levels))
				if err := seen.Clear(frontier.Bitmap); err != nil {
					return nil, err
				}
				for i, l := range levels {
					if err := ctx.Err(); err != nil {
						return nil, err
					}
					if i == 0 {
						err = seen.Add(vertices[0]...)
					}
					a.Strategy = advance.AutoBalance
					if err = errors.Join(err, in.Clear(frontier.Queue), in.Add(vertices[i]...)); err == nil && m.before != nil {
						err = m.before()
					}
					if err = errors.Join(err, s.Sync()); err != nil {
						return nil, err
					}
					a.Strategy = strategy
					began := time.Now()
					if err := errors.Join(m.do(), s.Sync()); err != nil {
						return nil, err
					}
					times[i] = time.Since(began).Seconds()
					if found := uint64(out.Len()); found != m.finds(l) {
						return nil, fmt.Errorf("%s by %s at level %d leaves %d entries, want %d", m.name, balance, i, found, m.finds(l))
					}
				}
				took = append(took, times)
			}
			r.add(levels, took[1:]) // the first one warms up
			all = append(all, r)
		}
	}
	return all, nil
}

// add fills in the medians over the trials, by level.
func (r *Replayed) add(levels []Level, took [][]float64) {
	for i, l := range levels {
		var of []float64
		for _, t := range took {
			of = append(of, t[i])
		}
		slices.Sort(of)
		t := of[len(of)/2]
		r.Edges, r.Seconds = r.Edges+l.Edges, r.Seconds+t
		k := max(bits.Len64(l.Edges)-1, 0) / bucketBits
		for len(r.Sizes) <= k {
			r.Sizes = append(r.Sizes, Bucket{Least: 1 << (bucketBits * len(r.Sizes))})
		}
		b := &r.Sizes[k]
		b.Levels, b.Edges, b.Seconds = b.Levels+1, b.Edges+l.Edges, b.Seconds+t
	}
}
