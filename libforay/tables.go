// This file lists the algorithms whose results are tables of pairs, walks and paths.

package main

import (
	"context"
	"maps"
	"slices"

	"github.com/foray-graph/foray/algos/paths"
	"github.com/foray-graph/foray/algos/similar"
	"github.com/foray-graph/foray/algos/walks"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// table is the answer of these columns.
func table(columns ...arrow.Column) *answer {
	return &answer{func() []arrow.Column { return columns }, func() error { return nil }}
}

// measures are those of option "measure".
var measures = []similar.Measure{similar.Jaccard, similar.Overlap, similar.Cosine, similar.AdamicAdar}

func similarity(c *calculation) {
	var of ids
	var pairs pairList
	var o similar.Options
	var top *int
	measure := similar.Jaccard.String()
	maps.Copy(c.options, fields{"measure": &measure, "top": &top, "source": &of, "pairs": &pairs, "weighted": &o.Weighted, "weight": &c.common.weight})
	c.rows = ofTable
	c.needs = func(g *graph.Options) {
		if o.Weighted = o.Weighted || c.common.weight != ""; o.Weighted {
			g.Weights, g.NonNegative, g.Combine = true, true, graph.CombineSum
		}
	}
	c.run = func(ctx context.Context, p *graph.Placed) (_ *answer, err error) {
		at := slices.IndexFunc(measures, func(m similar.Measure) bool { return m.String() == measure })
		if at < 0 {
			return nil, invalidf("option \"measure\" is %.64q; want %v", measure, measures)
		}
		o.Measure = measures[at]
		if err := notZero("top", top, &o.K); err != nil {
			return nil, err
		}
		if o.Sources, err = of.vertices(p.Graph(), "source"); err != nil {
			return nil, err
		}
		if o.Pairs, err = pairs.vertices(p.Graph()); err != nil {
			return nil, err
		}
		r, err := similar.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return table(arrow.NewColumn("vertex", r.Vertex).Vertices(), arrow.NewColumn("neighbor", r.Neighbor).Vertices(), arrow.NewColumn("score", r.Score)), nil
	}
}

func randomWalks(c *calculation) {
	var from ids
	var o walks.Options
	var length, count *int
	var returns, inOut *float64
	maps.Copy(c.options, fields{"source": &from, "length": &length, "count": &count, "seed": &o.Seed, "p": &returns, "q": &inOut,
		"weighted": &o.Weighted, "weight": &c.common.weight})
	c.rows = ofTable
	c.needs = func(g *graph.Options) {
		g.KeepSelfLoops = true
		if o.Weighted = o.Weighted || c.common.weight != ""; o.Weighted {
			g.Weights, g.NonNegative, g.Combine = true, true, graph.CombineSum
		}
	}
	c.run = func(ctx context.Context, p *graph.Placed) (_ *answer, err error) {
		for name, x := range map[string]struct{ given, to *int }{"length": {length, &o.Length}, "count": {count, &o.Count}} {
			if err := notZero(name, x.given, x.to); err != nil {
				return nil, err
			}
		}
		for name, x := range map[string]struct{ given, to *float64 }{"p": {returns, &o.P}, "q": {inOut, &o.Q}} {
			if err := notZero(name, x.given, x.to); err != nil {
				return nil, err
			}
		}
		if o.Starts, err = from.vertices(p.Graph(), "source"); err != nil {
			return nil, err
		}
		offsets, starts, vertices := []int{0}, []uint32{}, []uint32{} // of all walks, since the stream outlives the graph's device
		for b, err := range walks.Each(ctx, p, o) {
			if err != nil {
				return nil, err
			}
			starts = append(starts, b.Starts...)
			for i := range b.Starts {
				vertices = append(vertices, b.Vertices[b.Offsets[i]:b.Offsets[i+1]]...)
				offsets = append(offsets, len(vertices))
			}
		}
		return table(arrow.NewColumn("vertex", starts).Vertices(), arrow.NewListColumn("walk", offsets, vertices)), nil
	}
}

func simplePaths(c *calculation) {
	var from, to ids
	var pairs pairList
	var o paths.Options
	var top *int
	maps.Copy(c.options, fields{"source": &from, "target": &to, "pairs": &pairs, "top": &top, "shortest": &o.Shortest, "limit": &o.Limit,
		"weighted": &o.Weighted, "weight": &c.common.weight})
	c.rows = ofTable
	c.needs = func(g *graph.Options) {
		o.Weighted = o.Weighted || c.common.weight != ""
		g.Reverse, g.Weights = true, o.Weighted
	}
	c.run = func(ctx context.Context, p *graph.Placed) (_ *answer, err error) {
		if err := notZero("top", top, &o.K); err != nil {
			return nil, err
		}
		if o.Pairs, err = pairs.vertices(p.Graph()); err != nil {
			return nil, err
		}
		if o.Pairs == nil {
			sources, err := sources(p.Graph(), from)
			if err != nil {
				return nil, err
			}
			targets, err := to.vertices(p.Graph(), "target")
			if err != nil {
				return nil, err
			}
			if len(targets) == 0 {
				return nil, invalidf(`option "target" is missing; give the id of a vertex, or an array of ids`)
			}
			for _, u := range sources {
				for _, v := range targets {
					o.Pairs = append(o.Pairs, [2]uint32{u, v})
				}
			}
		} else if from != nil || to != nil {
			return nil, invalidf(`option "pairs" names both ends of each pair; leave out "source" and "target"`)
		}
		r, err := paths.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		n := len(r.Pair)
		first, last, number, depth := make([]uint32, n), make([]uint32, n), make([]uint32, n), make([]int32, n)
		for i, pair := range r.Pair {
			first[i], last[i], number[i], depth[i] = o.Pairs[pair][0], o.Pairs[pair][1], 1, int32(len(r.Path(i))-1)
			if i > 0 && r.Pair[i-1] == pair {
				number[i] = number[i-1] + 1
			}
		}
		columns := []arrow.Column{arrow.NewColumn("source", first).Vertices(), arrow.NewColumn("target", last).Vertices(), arrow.NewColumn("number", number), arrow.NewColumn("depth", depth)}
		if o.Weighted {
			columns = append(columns, arrow.NewColumn("distance", r.Length))
		}
		return table(append(columns, arrow.NewListColumn("path", r.Offsets, r.Vertices))...), nil
	}
}
