// This file compares searches from many sources with their definition.

package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/graph"
)

// distances are the numbers of edges from the requested sources to all vertices, -1 for unreachable ones.
type distances struct {
	*model
	from map[int][]int
}

// of returns the distances from a vertex.
func (d *distances) of(v int) []int {
	if d.from[v] == nil {
		d.from[v] = routesOf(d.n, v, d.out, func(e edge) int { return e.to }, 1).length
	}
	return d.from[v]
}

func checkDistances(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, err := c.as(ctx, form{})
	if err != nil {
		return err
	}
	d := &distances{b.model, map[int][]int{}}
	o := msbfs.Options{Lanes: []int{0, 0, 1, 64, 65, 256, 257, 512}[r.IntN(8)], Stats: one(r, 8), EachLevel: progress(r)}
	var sources []int
	var pairs [][2]int
	if b.n > 0 {
		sources = b.some(r, []int{0, 1, 3, 10, 64, 65, 130}[r.IntN(7)])
		for range []int{0, 1, 30, 200}[r.IntN(4)] {
			pairs = append(pairs, [2]int{r.IntN(b.n), r.IntN(b.n)})
		}
	}
	searcher, reach := one(r, 4), one(r, 2)
	if err := b.each(r, func(p *graph.Placed) error {
		if err := d.counts(ctx, b, p, sources, o, searcher); err != nil {
			return fmt.Errorf("from %v: %+v: %w", sources, o, err)
		}
		if reach {
			return d.reach(ctx, b, p, pairs, o)
		}
		return nil
	}); err != nil {
		return err
	}
	return d.checkCloseness(ctx, c, b, r)
}

// counts compares the vertices at each distance of each source.
func (d *distances) counts(ctx context.Context, b *built, p *graph.Placed, sources []int, o msbfs.Options, searcher bool) error {
	run := func(from []uint32) (*msbfs.Result, error) { return msbfs.Run(ctx, p, from, o) }
	if searcher {
		s, err := msbfs.NewSearcher(p, o)
		if err != nil {
			return err
		}
		defer s.Close()
		if len(sources) > 0 { // what another search has left in its memory doesn't matter
			if _, err := s.Run(ctx, b.inGraph(sources[:1])); err != nil {
				return err
			}
		}
		run = func(from []uint32) (*msbfs.Result, error) { return s.Run(ctx, from) }
	}
	res, err := run(b.inGraph(sources))
	if err != nil {
		return err
	}
	if len(res.Counts) != len(sources) {
		return fmt.Errorf("counts of %d sources", len(res.Counts))
	}
	for i, s := range sources {
		var want []uint64
		for _, x := range d.of(s) {
			if x < 0 {
				continue
			}
			for x >= len(want) {
				want = append(want, 0)
			}
			want[x]++
		}
		if err := equal(fmt.Sprintf("source %d, number %d", s, i), res.Counts[i], want); err != nil {
			return err
		}
	}
	return nil
}

// reach compares the distances of pairs.
func (d *distances) reach(ctx context.Context, b *built, p *graph.Placed, pairs [][2]int, o msbfs.Options) error {
	all := make([]msbfs.Pair, len(pairs))
	for i, x := range pairs {
		all[i] = msbfs.Pair{From: b.vertex[x[0]], To: b.vertex[x[1]]}
	}
	got, err := msbfs.Reach(ctx, p, all, o)
	if err != nil {
		return err
	}
	for i, x := range pairs {
		if want := d.of(x[0])[x[1]]; int(got[i]) != want {
			return fmt.Errorf("pair %v: %d, want %d", x, got[i], want)
		}
	}
	if len(got) != len(pairs) {
		return fmt.Errorf("%d distances of %d pairs", len(got), len(pairs))
	}
	return nil
}
