// This file holds Validate, which checks properties of a result, so that any right tree passes.

package sssp

import (
	"fmt"
	"github.com/foray-graph/foray/internal/text"
	"slices"

	"github.com/foray-graph/foray/algos/internal/dijkstra"
	"github.com/foray-graph/foray/graph"
)

// graph.ErrInvalid: a result that isn't the shortest paths of its graph.
var errInvalid = text.Named("sssp: not a valid result", graph.ErrInvalid)

// Validate checks a result, in the arithmetic of its type: int64, float64, or float32 where the search had that:
//
//  1. sources are at distance 0;
//  2. no edge leads to a vertex over a shorter path than it has, unless that is beyond the limit;
//  3. every vertex reached but the sources has an edge that its path may end with: the distance
//     of the edge's source, plus its weight, is that of the vertex. These edges lead back to
//     a source, not in a circle: so the distance is the sum along a path;
//  4. nothing is reached beyond the limit, and as many vertices as the result says;
//  5. the parents, where there are any, are such edges, and form a tree (with several sources, a
//     forest). A source is its own parent.
//
// It costs a few passes over the graph on one goroutine, and 5 bytes a vertex. The error wraps
// graph.ErrInvalid and names the vertex; for a nil graph it is graph.ErrNoGraph, for a result that was closed
// device.ErrClosed too.
func Validate(g *graph.Graph, r *Result) error {
	if g == nil {
		return fmt.Errorf("sssp: validate: %w", graph.ErrNoGraph)
	}
	if r == nil {
		return fmt.Errorf("%w: it is nil", errInvalid)
	}
	release, err := g.Hold()
	if err != nil {
		return fmt.Errorf("sssp: validate: %w", err)
	}
	defer release()
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("sssp: validate: %w", err)
	}
	switch d := r.Distances; d.Type() {
	case graph.WeightsInt64:
		if g.WeightType() != graph.WeightsInt64 && g.NumDirectedEdges() > 0 {
			return fmt.Errorf("%w: distances are int64, but the graph's weights are %v", errInvalid, g.WeightType())
		}
		all, err := d.Int64.Slice()
		return validate(g, r, slices.Clone(all), dijkstra.Weights[int64](g.Out()), false, err)
	case graph.WeightsFloat64:
		all, err := d.Float64.Slice()
		return validate(g, r, all, dijkstra.Weights[float64](g.Out()), false, err)
	default:
		// float64 holds what float32 does, and the rounding of a sum to float64 doesn't change how it is rounded to float32.
		all, err := d.Slice()
		weights := make([]float64, len(g.Out().Weights))
		for e, w := range g.Out().Weights {
			weights[e] = float64(w)
		}
		return validate(g, r, all, weights, true, err)
	}
}

// validate checks a result with distances of one type; single says that sums are rounded to float32.
func validate[T int64 | float64](g *graph.Graph, r *Result, distances, weights []T, single bool, err error) error {
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	v := validator[T]{c: g.Out(), r: r, distance: distances, weights: weights, single: single, none: dijkstra.Unreached[T]()}
	if !dijkstra.Floating[T]() {
		for u, d := range v.distance {
			if d == -1 {
				v.distance[u] = v.none
			}
		}
	}
	if r.Parents != nil {
		if v.parent, err = r.Parents.Slice(); err != nil {
			return fmt.Errorf("%w: %w", errInvalid, err)
		}
	}
	n := g.NumVertices()
	if len(v.distance) != n || r.Parents != nil && len(v.parent) != n {
		return fmt.Errorf("%w: %d distances and %d parents for %d vertices", errInvalid, len(v.distance), len(v.parent), n)
	}
	return v.check()
}

type validator[T int64 | float64] struct {
	c        *graph.CSR
	r        *Result
	weights  []T
	single   bool
	none     T // the distance of an unreached vertex
	distance []T
	parent   []uint32
	rooted   []bool   // joined to a source by edges of shortest paths
	stack    []uint32 // of vertices whose edges are to be looked at
}

func (v *validator[T]) check() error {
	v.rooted = make([]bool, len(v.distance))
	for _, s := range v.r.Sources {
		if int64(s) >= int64(len(v.distance)) || v.distance[s] != 0 {
			return fmt.Errorf("%w: source %d isn't at distance 0", errInvalid, s)
		}
		if v.parent != nil && v.parent[s] != s {
			return fmt.Errorf("%w: source %d has vertex %d as parent, not itself", errInvalid, s, v.parent[s])
		}
		v.root(s)
	}
	if err := v.checkEdges(); err != nil {
		return err
	}
	reached := 0
	for u, d := range v.distance {
		switch {
		case !(d >= 0):
			return fmt.Errorf("%w: vertex %d is at distance %v", errInvalid, u, d)
		case d == v.none && v.parent != nil && v.parent[u] != graph.NoVertex:
			return fmt.Errorf("%w: vertex %d wasn't reached, but has vertex %d as parent", errInvalid, u, v.parent[u])
		case d == v.none:
			continue
		case float64(d) > v.r.Limit:
			return fmt.Errorf("%w: vertex %d is at distance %v, beyond the limit of %v", errInvalid, u, d, v.r.Limit)
		case !v.rooted[u] && v.parent != nil:
			return fmt.Errorf("%w: vertex %d is at distance %v, to which its parent %d doesn't lead from a source", errInvalid, u, d, v.parent[u])
		case !v.rooted[u]:
			return fmt.Errorf("%w: vertex %d is at distance %v, but no path from a source is as long", errInvalid, u, d)
		}
		reached++
	}
	if reached != v.r.Reached {
		return fmt.Errorf("%w: %d vertices were reached, the result says %d", errInvalid, reached, v.r.Reached)
	}
	return nil
}

// sum is the distance by an edge from a vertex at a distance.
func (v *validator[T]) sum(distance T, e uint64) T {
	x := distance + v.weights[e]
	if v.single {
		x = T(float32(x))
	}
	return x
}

// within reports whether a distance is within the limit. Where integers have more than 53 bits, the limit may be
// a rounded one, and what is as far may be beyond.
func (v *validator[T]) within(x T) bool {
	f := float64(x)
	return f < v.r.Limit || f == v.r.Limit && (dijkstra.Floating[T]() || f < 1<<digits64)
}

// root notes that a vertex is joined to a source.
func (v *validator[T]) root(u uint32) {
	if !v.rooted[u] {
		v.rooted[u] = true
		v.stack = append(v.stack, u)
	}
}

// checkEdges looks for shorter paths, and follows the edges that paths end with from the sources,
// those of parents where there are any.
func (v *validator[T]) checkEdges() error {
	for u, d := range v.distance {
		if d == v.none {
			continue
		}
		for e := v.c.Offsets[u]; e < v.c.Offsets[u+1]; e++ {
			to := v.c.Targets[e]
			if x := v.sum(d, e); x >= d && x < v.distance[to] && v.within(x) {
				return fmt.Errorf("%w: vertex %d is at distance %v, but at %v by its edge from vertex %d", errInvalid, to, v.distance[to], x, u)
			}
		}
	}
	for len(v.stack) > 0 {
		u := v.stack[len(v.stack)-1]
		v.stack = v.stack[:len(v.stack)-1]
		for e := v.c.Offsets[u]; e < v.c.Offsets[u+1]; e++ {
			to := v.c.Targets[e]
			if v.sum(v.distance[u], e) == v.distance[to] && v.distance[to] < v.none && (v.parent == nil || v.parent[to] == u) {
				v.root(to)
			}
		}
	}
	return nil
}
