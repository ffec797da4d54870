// This file compares topological levels with their definition.

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/foray-graph/foray/algos/topo"
	"github.com/foray-graph/foray/graph"
)

// levelsOf finds levels and lengths of a graph whose edges lead to larger numbers of the model.
func levelsOf(m *model) (level []uint32, length []float64) {
	level, length = make([]uint32, m.n), make([]float64, m.n)
	for v := range m.n {
		for _, e := range m.in[v] {
			level[v], length[v] = max(level[v], level[e.from]+1), max(length[v], length[e.from]+float64(e.weight))
		}
	}
	return level, length
}

// cyclic reports whether peeling leaves a vertex.
func cyclic(m *model) bool {
	left, ready, peeled := make([]int, m.n), []int{}, 0
	for v := range m.n {
		if left[v] = len(m.in[v]); left[v] == 0 {
			ready = append(ready, v)
		}
	}
	for ; len(ready) > 0; peeled++ {
		v := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, e := range m.out[v] {
			if left[e.to]--; left[e.to] == 0 {
				ready = append(ready, e.to)
			}
		}
	}
	return peeled < m.n
}

func checkLevels(ctx context.Context, c *graphCase, r *rand.Rand) error {
	if err := checkCycles(ctx, c, r); err != nil {
		return err
	}
	b, err := c.as(ctx, form{weights: true, finite: true, upwards: true})
	if err != nil {
		return err
	}
	o := topo.Options{Weighted: one(r, 2), Stats: one(r, 4), EachLevel: progress(r)}
	validate := one(r, 8)
	level, length := levelsOf(b.model)
	return b.each(r, func(p *graph.Placed) (err error) {
		res, err := topo.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		found, err := valuesOf(b, res.Level)
		if err != nil {
			return err
		}
		if err := equal("levels", found, level); err != nil {
			return err
		}
		if o.Weighted {
			found, err := valuesOf(b, res.Length)
			if err != nil {
				return err
			}
			if err := equal("lengths", found, length); err != nil {
				return err
			}
		}
		if validate {
			return topo.Validate(b.graph, res)
		}
		return nil
	})
}

// checkCycles runs it on the graph as it was drawn: an undirected one is refused, and a cycle is found.
func checkCycles(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, err := c.as(ctx, form{})
	if err != nil {
		return err
	}
	has := cyclic(b.model)
	return b.each(r, func(p *graph.Placed) error {
		res, err := topo.Run(ctx, p, topo.Options{})
		switch cycle := (*topo.CycleError)(nil); {
		case !c.directed:
			return refused(err, graph.ErrOptions, "undirected")
		case errors.As(err, &cycle):
			if !has {
				return fmt.Errorf("there is no cycle, but got %w", err)
			}
			return leads(b, cycle.Cycle)
		case err != nil:
			return err
		case has:
			return errors.Join(errors.New("the cycle isn't found"), res.Close())
		}
		return res.Close()
	})
}

// leads checks that an edge leads from each vertex of a cycle to the next.
func leads(b *built, cycle []uint32) error {
	for i, v := range cycle {
		next, found := b.number[cycle[(i+1)%len(cycle)]], false
		for _, e := range b.out[b.number[v]] {
			found = found || e.to == next
		}
		if !found {
			return fmt.Errorf("no edge leads from vertex %d of the cycle to %d", b.number[v], next)
		}
	}
	return nil
}
