// This file compares communities with their definition.

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/graph"
)

// labelsOf propagates labels as LDBC Graphalytics defines it, until a round changes no label, or for most rounds. It returns the labels and the number of rounds.
func labelsOf(m *model, most int) (label []int, rounds int) {
	label = make([]int, m.n)
	for v := range label {
		label[v] = v
	}
	var met []int
	for changed := m.n > 0; changed && rounds < most; rounds++ {
		next := slices.Clone(label)
		for v := range label {
			met = met[:0]
			for _, e := range m.out[v] {
				met = append(met, label[e.to])
			}
			if m.directed {
				for _, e := range m.in[v] {
					met = append(met, label[e.from])
				}
			}
			slices.Sort(met)
			times, best := 0, 0
			for i, l := range met {
				if i == 0 || l != met[i-1] {
					times = 0
				}
				if times++; times > best { // the smallest of several comes first
					next[v], best = l, times
				}
			}
		}
		changed = !slices.Equal(label, next)
		label = next
	}
	return label, rounds
}

func checkLabels(ctx context.Context, c *graphCase, r *rand.Rand) error {
	if err := needsReverse(ctx, c, func(p *graph.Placed) error {
		_, err := lpa.Run(ctx, p, lpa.Options{})
		return err
	}); err != nil {
		return err
	}
	b, err := c.as(ctx, form{reverse: true})
	if err != nil {
		return err
	}
	o := lpa.Options{Iterations: r.IntN(21), Stats: one(r, 4), EachLevel: progress(r)}
	most := o.Iterations
	if most == 0 {
		most = 10
	}
	want, rounds := labelsOf(b.model, most)
	used := map[int]bool{}
	for _, l := range want {
		used[l] = true
	}
	validate := one(r, 16)
	return b.each(r, func(p *graph.Placed) (err error) {
		res, err := lpa.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		if res.Communities != len(used) || res.Iterations != rounds {
			return fmt.Errorf("%d communities after %d rounds, want %d after %d", res.Communities, res.Iterations, len(used), rounds)
		}
		label, err := verticesOf(b, res.Labels)
		if err != nil {
			return err
		}
		if err := equal("labels", label, want); err != nil {
			return err
		}
		if validate {
			return lpa.Validate(b.graph, res)
		}
		return nil
	})
}

// needsReverse checks that a directed graph without its reverse is refused.
func needsReverse(ctx context.Context, c *graphCase, run func(p *graph.Placed) error) error {
	if !c.directed || c.reverse {
		return nil
	}
	b, err := c.as(ctx, form{})
	if err != nil {
		return err
	}
	p, err := b.on(1)
	if err != nil {
		return err
	}
	return refused(run(p), graph.ErrNoReverse, "without the reverse")
}
