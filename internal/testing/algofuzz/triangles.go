// This file compares triangles and clustering coefficients with their definition.

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/graph"
)

// triads are what there is at vertices.
type triads struct {
	triangles   []uint64
	coefficient []float64
	total       uint64
	average     float64
}

// triadsOf looks at all pairs of neighbors of every vertex.
func triadsOf(m *model) triads {
	x := triads{triangles: make([]uint64, m.n), coefficient: make([]float64, m.n)}
	words := (m.n + 63) / 64
	leads := make([]uint64, m.n*words) // a bit for each pair
	has := func(v, w int) uint64 { return leads[v*words+w/64] >> (w % 64) & 1 }
	for _, e := range m.edges {
		leads[e.from*words+e.to/64] |= 1 << (e.to % 64)
	}
	for v, near := range m.near() {
		links := uint64(0)
		for i, a := range near {
			for _, b := range near[:i] {
				there, back := has(a, b), has(b, a)
				links += there + back
				x.triangles[v] += there | back
			}
		}
		if d := len(near); d > 1 {
			x.coefficient[v] = float64(links) / float64(d*(d-1))
		}
		x.total += x.triangles[v]
		x.average += x.coefficient[v] / float64(m.n)
	}
	x.total /= 3
	return x
}

func checkTriangles(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, err := c.as(ctx, form{})
	if err != nil {
		return err
	}
	want := triadsOf(b.model)
	prepare, validate, o := one(r, 4), one(r, 8), triangles.Options{CountOnly: one(r, 3), Stats: one(r, 4), EachLevel: progress(r)}
	return b.each(r, func(p *graph.Placed) (err error) {
		if prepare {
			if err := triangles.Prepare(ctx, p); err != nil {
				return err
			}
		}
		res, err := triangles.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		if res.Total != want.total {
			return fmt.Errorf("%d triangles, want %d", res.Total, want.total)
		}
		if validate {
			if err := triangles.Validate(b.graph, res); err != nil {
				return err
			}
		}
		if o.CountOnly {
			if res.Triangles != nil || res.Coefficient != nil {
				return errors.New("values where only the number was asked for")
			}
			return nil
		}
		if !(math.Abs(res.Average-want.average) <= 1e-12) {
			return fmt.Errorf("average %v, want %v", res.Average, want.average)
		}
		at, err := valuesOf(b, res.Triangles)
		if err != nil {
			return err
		}
		if err := equal("triangles", at, want.triangles); err != nil {
			return err
		}
		rates, err := valuesOf(b, res.Coefficient)
		if err != nil {
			return err
		}
		return near("coefficients", rates, want.coefficient, 1e-15)
	})
}
