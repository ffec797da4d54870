// This file checks communities: they are the same in each form of a graph, their modularity is the one by the definition,
// and those of Leiden are connected.

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/foray-graph/foray/algos/leiden"
	"github.com/foray-graph/foray/algos/louvain"
	"github.com/foray-graph/foray/graph"
)

// modularityOf is the modularity of communities by the definition.
func (w powers) modularityOf(community []uint32, resolution float64) float64 {
	all, inside := 0.0, 0.0
	from, to := map[uint32]float64{}, map[uint32]float64{}
	add := func(v, u int, x float64) {
		all += x
		from[community[v]] += x
		to[community[u]] += x
		if community[v] == community[u] {
			inside += x
		}
	}
	for _, e := range w.edges {
		add(e.from, e.to, w.weight(e))
		if !w.directed && e.from == e.to { // others are there both ways
			add(e.from, e.to, w.weight(e))
		}
	}
	if all == 0 {
		return 0
	}
	value := inside / all
	for c := range from {
		value -= resolution * from[c] / all * to[c] / all
	}
	return value
}

// apart returns a vertex whose community has a part that isn't connected to it, or -1.
func (w powers) apart(community []uint32) int {
	part := make([]int, w.n)
	for v := range part {
		part[v] = v
	}
	for changed := true; changed; {
		changed = false
		for _, e := range w.edges {
			if least := min(part[e.from], part[e.to]); community[e.from] == community[e.to] && w.weight(e) > 0 && part[e.from] != part[e.to] {
				part[e.from], part[e.to], changed = least, least, true
			}
		}
	}
	first := map[uint32]int{}
	for v, c := range community {
		if p, ok := first[c]; ok && p != part[v] {
			return v
		}
		first[c] = part[v]
	}
	return -1
}

func checkLouvain(ctx context.Context, c *graphCase, r *rand.Rand) error {
	return checkCommunities(ctx, c, r, false, func(ctx context.Context, p *graph.Placed, o leiden.Options) (*leiden.Result, error) {
		res, err := louvain.Run(ctx, p, louvain.Options(o))
		return (*leiden.Result)(res), err
	})
}

func checkLeiden(ctx context.Context, c *graphCase, r *rand.Rand) error {
	return checkCommunities(ctx, c, r, true, leiden.Run)
}

func checkCommunities(ctx context.Context, c *graphCase, r *rand.Rand, connected bool, run func(context.Context, *graph.Placed, leiden.Options) (*leiden.Result, error)) error {
	b, w, err := drawn(ctx, c, r, func(p *graph.Placed, weighted bool) error {
		_, err := run(ctx, p, leiden.Options{Weighted: weighted})
		return err
	})
	if err != nil {
		return err
	}
	o := leiden.Options{Weighted: w.weighted, Resolution: []float64{0, 0.5, 1, 2}[r.IntN(4)], Seed: r.Uint64N(8), Levels: one(r, 3), Stats: one(r, 4), EachLevel: progress(r)}
	resolution := o.Resolution
	if resolution == 0 {
		resolution = 1
	}
	var want []uint32
	return b.each(r, func(p *graph.Placed) (err error) {
		res, err := run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		got, err := valuesOf(b, res.Community)
		if err != nil {
			return err
		}
		if want == nil {
			want = got
		}
		if err := equal("communities", got, want); err != nil {
			return err
		}
		if value := w.modularityOf(got, resolution); !(math.Abs(value-res.Modularity) <= 1e-9*(1+resolution)) {
			return fmt.Errorf("the modularity is %v, want %v", res.Modularity, value)
		}
		if v := w.apart(got); connected && v >= 0 {
			return fmt.Errorf("the community of vertex %d isn't connected", v)
		}
		if connected {
			return leiden.Validate(b.graph, res, o)
		}
		return louvain.Validate(b.graph, (*louvain.Result)(res), louvain.Options(o))
	})
}
