// This file compares betweenness with its definition.

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// routes has the shortest paths from or to a vertex: their lengths, -1 for unreachable vertices, and their
// numbers.
type routes struct {
	length []int
	count  []float64
}

// routesOf counts the shortest paths from a vertex along rows of edges, which lead to end. Every edge of a path
// multiplies its share of the count by scale, so that counts fit a float64.
func routesOf(n, v int, rows [][]edge, end func(edge) int, scale float64) routes {
	x := routes{length: make([]int, n), count: make([]float64, n)}
	for u := range x.length {
		x.length[u] = -1
	}
	x.length[v], x.count[v] = 0, 1
	for queue := []int{v}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		for _, e := range rows[u] {
			w := end(e)
			if x.length[w] < 0 {
				x.length[w] = x.length[u] + 1
				queue = append(queue, w)
			}
			if x.length[w] == x.length[u]+1 {
				x.count[w] += x.count[u] * scale
			}
		}
	}
	return x
}

// betweennessOf sums up, for every vertex, over all pairs of a source and another vertex, the share of the
// shortest paths between the two that lead through the vertex.
func betweennessOf(m *model, sources []int) []float64 {
	for _, scale := range []float64{1, 0.5} {
		if score, fits := scaledBetweenness(m, sources, scale); fits {
			return score
		}
	}
	panic("there are too many shortest paths to count in a float64")
}

// scaledBetweenness counts paths by such a scale, which shares don't depend on, and reports whether all
// counts are finite.
func scaledBetweenness(m *model, sources []int, scale float64) (score []float64, fits bool) {
	score, from := make([]float64, m.n), make([]routes, len(sources))
	for i, s := range sources {
		from[i] = routesOf(m.n, s, m.out, func(e edge) int { return e.to }, scale)
	}
	for t := range m.n {
		to := routesOf(m.n, t, m.in, func(e edge) int { return e.from }, scale)
		for i, s := range sources {
			all := to.length[s]
			if all < 2 {
				continue
			}
			if to.count[s] == 0 || math.IsInf(to.count[s], 1) {
				return nil, false
			}
			for v := range m.n {
				if v != s && v != t && from[i].length[v] >= 0 && to.length[v] >= 0 && from[i].length[v]+to.length[v] == all {
					score[v] += from[i].count[v] * (to.count[v] / to.count[s])
				}
			}
		}
	}
	return score, true
}

func checkBetweenness(ctx context.Context, c *graphCase, r *rand.Rand) error {
	if err := needsReverse(ctx, c, func(p *graph.Placed) error {
		_, err := bc.Run(ctx, p, bc.Options{})
		return err
	}); err != nil {
		return err
	}
	b, err := c.as(ctx, form{reverse: true})
	if err != nil {
		return err
	}
	o := bc.Options{Unnormalized: one(r, 2), Stats: one(r, 8), EachLevel: progress(r)}
	var sources []int // nil: those of the options
	switch k := r.IntN(4); {
	case b.n > smallVertices || b.n > 0 && k == 0:
		sources = b.some(r, 1+r.IntN(3))
	case b.n > 0 && k == 1:
		o.Samples, o.Seed = 1+r.IntN(b.n+3), r.Uint64()
	}
	validate, searcher := one(r, 8), one(r, 4)
	defer func(rows uint64) { tuning.ShortRows = rows }(tuning.ShortRows)
	if one(r, 2) {
		tuning.ShortRows = 0
	}
	var sample []int // of the runs before
	var sums []float64
	return b.each(r, func(p *graph.Placed) (err error) {
		run := func() (*bc.Result, error) { return bc.Run(ctx, p, from(o, b.inGraph(sources))) }
		if sources == nil {
			run = func() (*bc.Result, error) { return bc.Run(ctx, p, o) }
		}
		if searcher { // what another search has left in its memory doesn't matter
			s, err := bc.NewSearcher(p, o)
			if err != nil {
				return err
			}
			defer s.Close()
			if b.n > 0 {
				res, err := s.Run(ctx, []uint32{uint32(r.IntN(b.n))})
				if err := errors.Join(err, res.Close()); err != nil {
					return err
				}
			}
			run = func() (*bc.Result, error) {
				if sources == nil {
					return s.Run(ctx, nil)
				}
				return s.Run(ctx, b.inGraph(sources))
			}
		}
		res, err := run()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		used, err := sourcesOf(b, res, sources, o)
		if err != nil {
			return err
		}
		if sums == nil {
			sums, sample = betweennessOf(b.model, used), used
		} else if !slices.Equal(used, sample) {
			return fmt.Errorf("sources are %v, on one worker %v", used, sample)
		}
		score, err := valuesOf(b, res.Betweenness)
		if err != nil {
			return err
		}
		if err := near(fmt.Sprintf("%+v from %v", o, used), score, scaled(b, sums, used, o), 1e-11); err != nil {
			return err
		}
		if validate {
			return bc.Validate(b.graph, res)
		}
		return nil
	})
}

// sourcesOf returns the sources of a result, and checks that they are the requested ones.
func sourcesOf(b *built, res *bc.Result, want []int, o bc.Options) ([]int, error) {
	var used []int
	for _, v := range res.Sources {
		used = append(used, b.number[v])
	}
	switch all := o.Samples == 0 || o.Samples >= b.n; {
	case want != nil:
		return used, equal("sources", used, want)
	case !all:
		if slices.Sort(used); len(used) != o.Samples || len(slices.Compact(slices.Clone(used))) != len(used) {
			return nil, fmt.Errorf("%d samples: %v", o.Samples, used)
		}
		return used, nil
	case res.Sources != nil:
		return nil, fmt.Errorf("sources %v, want none", used)
	}
	for v := range b.n {
		used = append(used, v)
	}
	return used, nil
}

// scaled returns scores for sums over pairs. A vertex may be on paths from all sources but itself, to all
// vertices but itself and the source.
func scaled(b *built, sums []float64, sources []int, o bc.Options) []float64 {
	n := float64(b.n)
	all := make([]float64, len(sums))
	for v, x := range sums {
		others := 0.0
		for _, s := range sources {
			if s != v {
				others++
			}
		}
		switch {
		case b.n < 3:
			all[v] = x
		case !o.Unnormalized:
			all[v] = x / others / (n - 2)
		default:
			all[v] = x * (n - 1) / others
			if !b.directed {
				all[v] /= 2 // a pair is there from both ends
			}
		}
	}
	return all
}

// from returns options with sources.
func from(o bc.Options, sources []uint32) bc.Options { o.Sources = sources; return o }
