// This file compares shortest paths with their definition.

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// pathQuery is a search for shortest paths, by vertices of the model.
type pathQuery struct {
	sources, targets []int
	limit            float32 // 0: none
}

// paths are the expected result of a search.
type paths struct {
	distance []float32
	parent   []int // -1: not reached
	reached  int
	limit    float32
	overflow bool // a distance within the limit is past the largest number
}

// pathsOf finds shortest paths by lowering distances until no edge lowers one. The parent is the vertex with the least
// number in the graph among the nearer neighbors that end a shortest path. If only edges that add nothing
// lead there, it is the neighbor at the same distance with the fewest such edges
// behind it, and of these the one with the least number.
func pathsOf(b *built, q pathQuery) paths {
	x := paths{distance: make([]float32, b.n), parent: make([]int, b.n), limit: inf32}
	for v := range x.distance {
		x.distance[v], x.parent[v] = inf32, -1
	}
	for _, v := range q.sources {
		x.distance[v] = 0
	}
	for queue := slices.Clone(q.sources); len(queue) > 0; queue = queue[1:] {
		for _, e := range b.out[queue[0]] {
			if d := x.distance[e.from] + e.weight; d < x.distance[e.to] {
				x.distance[e.to] = d
				queue = append(queue, e.to)
			}
		}
	}
	if q.limit > 0 {
		x.limit = q.limit
	}
	farthest := float32(-1)
	for _, v := range q.targets {
		farthest = max(farthest, x.distance[v])
	}
	if farthest >= 0 && farthest < inf32 {
		x.limit = min(x.limit, farthest)
	}
	for v, d := range x.distance {
		if d > x.limit {
			x.distance[v] = inf32
		}
		if x.distance[v] < inf32 {
			x.reached++
		}
	}
	for _, edges := range b.out {
		for _, e := range edges {
			x.overflow = x.overflow || x.limit == inf32 && x.distance[e.from] < inf32 && e.weight < inf32 && x.distance[e.to] == inf32
		}
	}
	for _, v := range q.sources {
		x.parent[v] = v
	}
	x.findParents(b)
	return x
}

func (x *paths) findParents(b *built) {
	ends := func(e edge) bool { // a shortest path
		return x.distance[e.to] < inf32 && x.distance[e.from]+e.weight == x.distance[e.to]
	}
	better := func(v, than int) bool { return than < 0 || b.vertex[v] < b.vertex[than] }
	for v := range x.parent {
		if x.parent[v] == v { // a source
			continue
		}
		for _, e := range b.in[v] {
			if ends(e) && x.distance[e.from] < x.distance[v] && better(e.from, x.parent[v]) {
				x.parent[v] = e.from
			}
		}
	}
	for more := true; more; {
		more = false
		next := slices.Clone(x.parent)
		for v := range x.parent {
			if x.parent[v] >= 0 {
				continue
			}
			for _, e := range b.in[v] {
				if ends(e) && x.distance[e.from] == x.distance[v] && x.parent[e.from] >= 0 && better(e.from, next[v]) {
					next[v], more = e.from, true
				}
			}
		}
		x.parent = next
	}
}

// drawPaths draws a query.
func drawPaths(b *built, r *rand.Rand) (q pathQuery) {
	q.sources = b.some(r, []int{1, 1, 1, 2, 5}[r.IntN(5)])
	if one(r, 3) {
		q.targets = b.some(r, 1+r.IntN(3))
	}
	switch r.IntN(6) {
	case 0: // as far as some vertex, or not quite
		d := pathsOf(b, pathQuery{sources: q.sources}).distance[r.IntN(b.n)]
		q.limit = []float32{d, math.Nextafter32(d, 0)}[r.IntN(2)]
	case 1:
		q.limit = []float32{1e-30, 0.5, 3, 200, 1e30, inf32}[r.IntN(6)]
	}
	return q
}

func checkPaths(ctx context.Context, c *graphCase, r *rand.Rand) error {
	drawn, err := c.as(ctx, form{})
	if err != nil {
		return err
	}
	if err := badPathWeights(ctx, c, drawn); err != nil {
		return err
	}
	b, err := c.as(ctx, form{weights: true})
	if err != nil {
		return err
	}
	o := sssp.Options{Parents: !one(r, 3), Float32: true, Delta: []float64{0, 0, 0, math.Inf(1), 1, 1e-40, 50, 1e30}[r.IntN(8)], Stats: one(r, 4), EachLevel: progress(r)}
	var queries []pathQuery
	var want []paths
	for range 2 {
		if b.n > 0 {
			queries = append(queries, drawPaths(b, r))
			want = append(want, pathsOf(b, queries[len(queries)-1]))
		}
	}
	prepareAt, validate, searcher := r.IntN(3), one(r, 8), one(r, 2)
	defer func(d float64) { tuning.ByWeightDegree = d }(tuning.ByWeightDegree)
	tuning.ByWeightDegree = []float64{0, 2, tuning.ByWeightDegree}[r.IntN(3)]
	defer func(n uint64) { tuning.PairsAfter = n }(tuning.PairsAfter)
	tuning.PairsAfter *= uint64(r.IntN(2))
	return b.each(r, func(p *graph.Placed) error {
		if b.n == 0 {
			_, err := sssp.Run(ctx, p, 0, o)
			return refused(err, graph.ErrNoVertex, "no vertices")
		}
		run := func(q pathQuery) (*sssp.Result, error) {
			o := o
			o.Targets, o.Limit = b.inGraph(q.targets), float64(q.limit)
			return sssp.RunMultiSource(ctx, p, b.inGraph(q.sources), o)
		}
		for i, q := range queries {
			if i == prepareAt {
				if _, err := sssp.Prepare(ctx, p); err != nil {
					return err
				}
			}
			if i == 1 && searcher {
				s, err := sssp.NewSearcher(p, o)
				if err != nil {
					return err
				}
				defer s.Close()
				run = func(q pathQuery) (*sssp.Result, error) {
					return s.Run(ctx, sssp.Query{Sources: b.inGraph(q.sources), Targets: b.inGraph(q.targets), Limit: float64(q.limit)})
				}
				if err := want[0].compare(b, o, queries[0], run, false); err != nil {
					return fmt.Errorf("searcher: %w", err)
				}
			}
			if err := want[i].compare(b, o, q, run, validate); err != nil {
				return fmt.Errorf("query %d (prepared before query %d, searcher %v), %+v, %+v: %w", i, prepareAt, searcher, q, o, err)
			}
		}
		return nil
	})
}

// badPathWeights checks that graphs without weights, or with bad ones, are refused.
func badPathWeights(ctx context.Context, c *graphCase, b *built) error {
	want := error(nil)
	for _, e := range b.edges {
		if !c.weighted {
			want = graph.ErrNoWeights
		} else if !(e.weight >= 0) {
			want = graph.ErrWeights
		}
	}
	if want == nil {
		return nil
	}
	p, err := b.on(1)
	if err != nil {
		return err
	}
	_, err = sssp.Run(ctx, p, 0, sssp.Options{})
	return refused(err, want, "weights")
}

// compare runs a query and compares.
func (x paths) compare(b *built, o sssp.Options, q pathQuery, run func(pathQuery) (*sssp.Result, error), validate bool) (err error) {
	res, err := run(q)
	if x.overflow {
		return refused(err, sssp.ErrOverflow, "a distance past the largest number")
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, res.Close()) }()
	if res.Reached != x.reached || res.Limit != float64(x.limit) {
		return fmt.Errorf("%d reached, limit %v; want %d, %v", res.Reached, res.Limit, x.reached, x.limit)
	}
	distance, err := valuesOf(b, res.Distances.Float32)
	if err != nil {
		return err
	}
	for v := range distance {
		if math.Float32bits(distance[v]) != math.Float32bits(x.distance[v]) {
			return fmt.Errorf("vertex %d is at distance %v, want %v", v, distance[v], x.distance[v])
		}
	}
	if o.Parents != (res.Parents != nil) {
		return fmt.Errorf("parents: %v", res.Parents)
	}
	if o.Parents {
		parent, err := verticesOf(b, res.Parents)
		if err != nil {
			return err
		}
		if err := equal("parents", parent, x.parent); err != nil {
			return err
		}
	}
	if validate {
		return sssp.Validate(b.graph, res)
	}
	return nil
}
