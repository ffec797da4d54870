// This file holds Validate.

package degree

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/algos/internal/matrix"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/traverse"
)

// graph.ErrInvalid: a result that isn't the degrees of its graph.
var errInvalid = text.Named("degree: not a valid result", graph.ErrInvalid)

// rounding is how far a sum of weights may be from another order's, relative to it.
const rounding = 1e-9

// Validate counts all edges again, one by one, and compares. Pass the options of the run.
//
// The error wraps graph.ErrInvalid; for a nil graph it is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result, o Options) error {
	if g == nil {
		return fmt.Errorf("degree: validate: %w", graph.ErrNoGraph)
	}
	if r == nil || r.Degree == nil || r.Centrality == nil || o.Weighted && r.Strength == nil {
		return fmt.Errorf("%w: there are no degrees", errInvalid)
	}
	n := g.NumVertices()
	degree, err := values(r.Degree, n)
	if err != nil {
		return err
	}
	centrality, err := values(r.Centrality, n)
	if err != nil {
		return err
	}
	strength := make([]float64, n)
	if o.Weighted {
		if strength, err = values(r.Strength, n); err != nil {
			return err
		}
	}
	out, in, outWeight, inWeight := oracle.Degrees(g)
	sides, largest := o.sides(g), uint64(0)
	for v := range n {
		want, weight := uint64(0), 0.0
		if sides&matrix.Out != 0 {
			want, weight = want+out[v], weight+outWeight[v]
		}
		if sides&matrix.In != 0 || !g.Directed() { // the in-edges of an undirected graph are its self-loops once more
			want, weight = want+in[v], weight+inWeight[v]
		}
		largest = max(largest, want)
		if degree[v] != want {
			return fmt.Errorf("%w: vertex %d has degree %d, want %d", errInvalid, v, degree[v], want)
		}
		share := 1.0
		if n > 1 {
			share = float64(want) / float64(n-1)
		}
		if centrality[v] != share {
			return fmt.Errorf("%w: vertex %d has centrality %v, want %v", errInvalid, v, centrality[v], share)
		}
		if o.Weighted && !(math.Abs(strength[v]-weight) <= rounding*weight) {
			return fmt.Errorf("%w: vertex %d has strength %v, want %v", errInvalid, v, strength[v], weight)
		}
	}
	if r.Largest != largest {
		return fmt.Errorf("%w: the largest degree is %d, not %d", errInvalid, largest, r.Largest)
	}
	return nil
}

// values returns the values of n vertices.
func values[T uint64 | float64](of *traverse.Values[T], n int) ([]T, error) {
	all, err := of.Slice()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errInvalid, err)
	}
	if len(all) != n {
		return nil, fmt.Errorf("%w: %d values, the graph has %d vertices", errInvalid, len(all), n)
	}
	return all, nil
}
