// This file compares similarities with their definition.

package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/algos/similar"
	"github.com/foray-graph/foray/graph"
)

// similarity returns the similarity of two vertices of the model.
func similarity(near [][]int, m similar.Measure, u, v int) float64 {
	common, adamic := 0.0, 0.0
	for _, w := range near[u] {
		if slices.Contains(near[v], w) {
			common++
			if d := len(near[w]); d > 1 {
				adamic += 1 / math.Log(float64(d))
			}
		}
	}
	a, b := float64(len(near[u])), float64(len(near[v]))
	switch {
	case common == 0:
		return 0
	case m == similar.Jaccard:
		return common / (a + b - common)
	case m == similar.Overlap:
		return common / min(a, b)
	case m == similar.Cosine:
		return common / math.Sqrt(a*b)
	}
	return adamic
}

func checkSimilar(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, err := c.as(ctx, form{})
	if err != nil || b.n == 0 {
		return err
	}
	o := similar.Options{Measure: similar.Measure(r.IntN(4)), K: 1 + r.IntN(5), Stats: one(r, 4), EachLevel: progress(r)}
	near, validate := b.model.near(), one(r, 8)
	var from []int // of the model
	switch {
	case one(r, 3):
		for o.K = 0; len(o.Pairs) < 20; {
			u, v := r.IntN(b.n), r.IntN(b.n)
			o.Pairs = append(o.Pairs, [2]uint32{b.vertex[u], b.vertex[v]})
		}
	default:
		for range 1 + r.IntN(6) {
			from = append(from, r.IntN(b.n))
			o.Sources = append(o.Sources, b.vertex[from[len(from)-1]])
		}
	}
	close := func(x, y float64) bool { return x == y || o.Measure == similar.AdamicAdar && math.Abs(x-y) < 1e-12 }
	return b.each(r, func(p *graph.Placed) error {
		res, err := similar.Run(ctx, p, o)
		if err != nil {
			return err
		}
		for i := range res.Score {
			if want := similarity(near, o.Measure, b.number[res.Vertex[i]], b.number[res.Neighbor[i]]); !close(res.Score[i], want) {
				return fmt.Errorf("row %d has score %v, want %v", i, res.Score[i], want)
			}
		}
		if o.Pairs != nil && len(res.Score) != len(o.Pairs) {
			return fmt.Errorf("%d rows for %d pairs", len(res.Score), len(o.Pairs))
		}
		at := 0
		for _, u := range from {
			var scores []float64
			for v := range b.n {
				if x := similarity(near, o.Measure, u, v); v != u && x > 0 {
					scores = append(scores, x)
				}
			}
			slices.SortFunc(scores, func(x, y float64) int { return cmp.Compare(y, x) })
			for _, want := range scores[:min(len(scores), o.K)] {
				if at == len(res.Score) || b.number[res.Vertex[at]] != u || !close(res.Score[at], want) {
					return fmt.Errorf("vertex %d: row %d of %d isn't one of score %v", u, at, len(res.Score), want)
				}
				at++
			}
		}
		if o.Pairs == nil && at != len(res.Score) {
			return fmt.Errorf("%d rows, want %d", len(res.Score), at)
		}
		if validate {
			return similar.Validate(b.graph, res, o)
		}
		return nil
	})
}
