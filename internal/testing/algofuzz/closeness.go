// This file compares closeness, harmonic centrality and eccentricity with their definition.

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/graph"
)

// centralities are the values of all vertices. Vertices that weren't requested have NaN, 0 and -1.
type centralities struct {
	closeness, harmonic []float64
	reached             []uint32
	eccentricity        []int32
}

// centralitiesOf sums up distances to the vertices asked for, all for nil, and takes the largest of
// those from them.
func (d *distances) centralitiesOf(of []int) (x centralities) {
	for v := range d.n {
		if of != nil && !slices.Contains(of, v) {
			x.add(math.NaN(), math.NaN(), 0, -1)
			continue
		}
		reached, sum, parts, farthest := 0, 0, 0.0, 0
		for _, l := range routesOf(d.n, v, d.in, func(e edge) int { return e.from }, 1).length {
			if l > 0 {
				reached++
				sum += l
				parts += 1 / float64(l)
			}
		}
		for _, l := range d.of(v) {
			farthest = max(farthest, l)
		}
		c := 0.0
		if reached > 0 {
			c = float64(reached) / float64(sum) * float64(reached) / float64(d.n-1)
		}
		x.add(c, parts, uint32(reached), int32(farthest))
	}
	return x
}

func (x *centralities) add(closeness, harmonic float64, reached uint32, eccentricity int32) {
	x.closeness, x.harmonic = append(x.closeness, closeness), append(x.harmonic, harmonic)
	x.reached, x.eccentricity = append(x.reached, reached), append(x.eccentricity, eccentricity)
}

func (d *distances) checkCloseness(ctx context.Context, c *graphCase, b *built, r *rand.Rand) error {
	o := closeness.Options{Lanes: []int{0, 0, 1, 64, 65, 512}[r.IntN(6)], Stats: one(r, 8)}
	if one(r, 8) {
		o.Progress = func(graph.Progress) {}
	}
	var of []int // nil: all
	if b.n > 0 && (b.n > smallVertices || one(r, 2)) {
		of = b.some(r, r.IntN(min(b.n, smallVertices)+2))
		o.Of = b.inGraph(of)
		if c.directed && !c.reverse {
			p, err := b.on(1)
			if err != nil {
				return err
			}
			_, err = closeness.Run(ctx, p, o)
			if err := refused(err, graph.ErrNoReverse, "some vertices without the reverse"); err != nil {
				return err
			}
		}
		var err error
		if b, err = c.as(ctx, form{reverse: true}); err != nil {
			return err
		}
		o.Of = b.inGraph(of)
		d = &distances{b.model, d.from}
	}
	want := d.centralitiesOf(of)
	validate, samples, seed := one(r, 16), 1+r.IntN(b.n+2), r.Uint64()
	bounds := one(r, 4)
	return b.each(r, func(p *graph.Placed) error {
		if err := want.compare(ctx, b, p, o, validate); err != nil {
			return fmt.Errorf("closeness: %+v: %w", o, err)
		}
		if bounds {
			if err := d.bounds(ctx, b, p, samples, seed, o); err != nil {
				return fmt.Errorf("bounds by %d samples: %+v: %w", samples, o, err)
			}
		}
		return nil
	})
}

// compare runs closeness and compares.
func (x centralities) compare(ctx context.Context, b *built, p *graph.Placed, o closeness.Options, validate bool) (err error) {
	res, err := closeness.Run(ctx, p, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, res.Close()) }()
	c, err1 := valuesOf(b, res.Closeness)
	h, err2 := valuesOf(b, res.Harmonic)
	n, err3 := valuesOf(b, res.Reached)
	e, err4 := valuesOf(b, res.Eccentricity)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	if err := errors.Join(near("closeness", c, x.closeness, 1e-15), near("harmonic centrality", h, x.harmonic, 1e-13),
		equal("reached", n, x.reached), equal("eccentricity", e, x.eccentricity)); err != nil {
		return err
	}
	if validate {
		return closeness.Validate(b.graph, res)
	}
	return nil
}

// bounds compares bounds of eccentricities with those that the distances from the samples give.
func (d *distances) bounds(ctx context.Context, b *built, p *graph.Placed, samples int, seed uint64, o closeness.Options) (err error) {
	res, err := closeness.Bound(ctx, p, samples, seed, o)
	if b.directed {
		return refused(err, graph.ErrOptions, "directed")
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, res.Close()) }()
	drawn := slices.Clone(res.Samples)
	slices.Sort(drawn)
	if len(drawn) != min(samples, b.n) || len(slices.Compact(drawn)) != len(drawn) {
		return fmt.Errorf("samples %v", res.Samples)
	}
	least, most := make([]int32, b.n), make([]int32, b.n)
	for v := range least {
		least[v], most[v] = -1, -1
	}
	for _, s := range res.Samples {
		all := d.of(b.number[s])
		farthest := slices.Max(all)
		for v, l := range all {
			if l < 0 {
				continue
			}
			least[v] = max(least[v], int32(l), int32(farthest-l))
			if most[v] < 0 || most[v] > int32(l+farthest) {
				most[v] = int32(l + farthest)
			}
		}
	}
	gotLeast, err1 := valuesOf(b, res.Least)
	gotMost, err2 := valuesOf(b, res.Most)
	return errors.Join(err1, err2, equal("least", gotLeast, least), equal("most", gotMost, most))
}
