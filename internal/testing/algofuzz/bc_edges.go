// This file compares betweenness by weights, and that of edges, with its definition.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/graph"
)

// mostLengths is how many vertices graphs may have whose paths are counted between all pairs.
const mostLengths = 700

// plus adds the weight of an edge to a length, in the type of the weights; without weights it adds 1.
func plus(length float64, e edge, typ graph.WeightType) float64 {
	switch typ {
	case graph.WeightsAuto:
		return length + 1
	case graph.WeightsFloat32:
		return float64(float32(length) + e.weight)
	}
	return length + float64(e.weight)
}

// errNotCounted says that weights don't allow to count shortest paths.
var errNotCounted = errors.New("paths can't be counted")

// lengthsOf lowers lengths until no edge lowers one, and returns them with the edges of shortest paths from the source.
func lengthsOf(m *model, source int, typ graph.WeightType) (length []float64, on [][]edge, err error) {
	length, on = make([]float64, m.n), make([][]edge, m.n)
	for v := range length {
		length[v] = math.Inf(1)
	}
	length[source] = 0
	for queue := []int{source}; len(queue) > 0; queue = queue[1:] {
		for _, e := range m.out[queue[0]] {
			if l := plus(length[e.from], e, typ); l < length[e.to] {
				length[e.to] = l
				queue = append(queue, e.to)
			}
		}
	}
	for v, row := range m.out {
		for _, e := range row {
			switch l := plus(length[v], e, typ); {
			case math.IsInf(length[v], 1) || e.to == v:
			case math.IsInf(length[e.to], 1):
				if typ != graph.WeightsAuto && !math.IsInf(float64(e.weight), 1) {
					return nil, nil, errNotCounted // the length is more than the type holds
				}
			case l == length[e.to] && l == length[v]:
				return nil, nil, errNotCounted
			case l == length[e.to]:
				on[v] = append(on[v], e)
			}
		}
	}
	return length, on, nil
}

// edgeSums sums up, for every vertex and every edge, over all pairs of a source and another vertex, the share of the shortest
// paths between the two that lead through it. It reports whether all numbers of paths are finite.
func edgeSums(m *model, sources []int, typ graph.WeightType) (score []float64, edges map[edge]float64, finite bool, err error) {
	score, edges = make([]float64, m.n), map[edge]float64{}
	order := make([]int, m.n)
	for _, s := range sources {
		length, on, err := lengthsOf(m, s, typ)
		if err != nil {
			return nil, nil, false, err
		}
		for v := range order {
			order[v] = v
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(length[a], length[b]) })
		from := make([]float64, m.n)
		from[s] = 1
		for _, v := range order {
			for _, e := range on[v] {
				from[e.to] += from[v]
			}
		}
		for _, t := range order {
			if t == s || math.IsInf(length[t], 1) {
				continue
			}
			to := make([]float64, m.n)
			to[t] = 1
			for _, v := range slices.Backward(order) {
				for _, e := range on[v] {
					to[v] += to[e.to]
				}
				if math.IsInf(to[v], 1) || math.IsInf(from[v], 1) {
					return nil, nil, false, nil
				}
				if v != s && v != t {
					score[v] += from[v] / from[t] * to[v]
				}
			}
			for _, row := range on {
				copies := map[edge]bool{} // each of parallel edges has its own score, all of them the same
				for _, e := range row {
					if e = keyOf(e, typ); !copies[e] {
						copies[e] = true
						edges[e] += from[e.from] / from[t] * to[e.to]
					}
				}
			}
		}
	}
	return score, edges, true, nil
}

// keyOf is an edge without the weight, if that doesn't count.
func keyOf(e edge, typ graph.WeightType) edge {
	if typ == graph.WeightsAuto {
		e.weight = 0
	}
	return e
}

func checkEdgeBetweenness(ctx context.Context, c *graphCase, r *rand.Rand) error {
	weighted := one(r, 2)
	b, err := c.as(ctx, form{weights: weighted})
	if err != nil || b.n > mostLengths {
		return err
	}
	o := bc.Options{Weighted: weighted, Edges: !weighted || one(r, 2), Unnormalized: one(r, 2)}
	var sources []int
	if b.n > 0 && (b.n > smallVertices || one(r, 3)) {
		sources = b.some(r, 1+r.IntN(3))
	}
	used, typ := sources, graph.WeightsAuto
	if sources == nil {
		for v := range b.n {
			used = append(used, v)
		}
	}
	bad := false
	if weighted {
		typ = b.graph.WeightType()
		for _, e := range b.edges {
			bad = bad || !(e.weight > 0)
		}
	}
	sums, edges, finite := []float64(nil), map[edge]float64(nil), false
	if !bad {
		sums, edges, finite, err = edgeSums(b.model, used, typ)
		bad = err != nil
	}
	return b.each(r, func(p *graph.Placed) (err error) {
		if sources != nil {
			o.Sources = b.inGraph(sources)
		}
		res, err := bc.Run(ctx, p, o)
		if bad {
			return refused(err, graph.ErrWeights, "weights by which paths aren't counted")
		}
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		if err := bc.Validate(b.graph, res); err != nil || !finite {
			return err
		}
		score, err := valuesOf(b, res.Betweenness)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("%+v from %v", o, used)
		if err := near(what, score, scaled(b, sums, used, o), 1e-11); err != nil || !o.Edges {
			return err
		}
		got, err := res.Edges.Slice()
		if err != nil {
			return err
		}
		want := make([]float64, len(got))
		by := 1.0
		if n, k := float64(b.n), float64(len(used)); !o.Unnormalized {
			by = 1 / k / (n - 1)
		} else if by = n / k; !b.directed {
			by /= 2
		}
		if b.n < 2 {
			by = 1
		}
		csr := b.graph.Out()
		for v := range uint32(b.n) {
			for i := csr.Offsets[v]; i < csr.Offsets[v+1]; i++ {
				e := edge{from: b.number[v], to: b.number[csr.Targets[i]]}
				if weighted {
					e.weight = csr.Weights[i]
				}
				switch {
				case e.from == e.to:
				case b.directed:
					want[i] = by * edges[e]
				case v > csr.Targets[i]:
					want[i] = by * (edges[e] + edges[edge{e.to, e.from, e.weight}])
				}
			}
		}
		return near(what+", edges", got, want, 1e-11)
	})
}
