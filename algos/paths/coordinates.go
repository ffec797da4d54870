// This file holds the distances of coordinates, which direct searches.

package paths

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
)

// Metric is a distance of coordinates.
type Metric uint8

const (
	// Euclidean is the distance in a plane, in the unit of the coordinates.
	Euclidean Metric = iota
	// Haversine is the great-circle distance in meters. X is the longitude and Y the latitude, in degrees.
	Haversine
)

// Coordinates of vertices bound the length of a path from below: it is at least Scale times the distance between its ends.
type Coordinates struct {
	X, Y   []float64 // of every vertex; nil: searches aren't directed
	Metric Metric
	// Scale is the least length of an edge, divided by the distance of its ends. 0 takes the largest scale that holds for all edges. A larger one is graph.ErrOptions,
	// since paths wouldn't be the shortest; the error names an edge.
	Scale float64
}

func (c *Coordinates) set() bool { return c.X != nil || c.Y != nil }

func (c *Coordinates) check(n int) error {
	switch {
	case !c.set():
		return nil
	case len(c.X) != n || len(c.Y) != n:
		return fmt.Errorf("paths: %w: Coordinates has %d X and %d Y for %d vertices", graph.ErrOptions, len(c.X), len(c.Y), n)
	case c.Metric > Haversine:
		return fmt.Errorf("paths: %w: Coordinates.Metric is %d; want Euclidean or Haversine", graph.ErrOptions, uint8(c.Metric))
	case !(c.Scale >= 0) || math.IsInf(c.Scale, 1):
		return fmt.Errorf("paths: %w: Coordinates.Scale is %v; want a number above 0, or 0 for the largest that is possible", graph.ErrOptions, c.Scale)
	}
	for v := range c.X {
		if x := c.X[v] + c.Y[v]; math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("paths: %w: the coordinates of vertex %d are %v and %v; give finite ones", graph.ErrOptions, v, c.X[v], c.Y[v])
		}
	}
	return nil
}

// distance returns the distance of two vertices.
func (c *Coordinates) distance(u, v uint32) float64 {
	if c.Metric == Euclidean {
		return math.Hypot(c.X[u]-c.X[v], c.Y[u]-c.Y[v])
	}
	const degree = math.Pi / 180
	a, b := math.Sin((c.Y[u]-c.Y[v])*degree/2), math.Sin((c.X[u]-c.X[v])*degree/2)
	h := a*a + math.Cos(c.Y[u]*degree)*math.Cos(c.Y[v]*degree)*b*b
	return 2 * earthRadius * math.Asin(math.Sqrt(min(h, 1)))
}

// scale returns the given scale, which no edge may refute, or the largest one.
func (c *Coordinates) scale(ctx context.Context, g *graph.Graph, weighted bool) (float64, error) {
	rows, least, from, to := g.Out(), math.Inf(1), uint32(0), uint32(0)
	err := looks.Rows(ctx, rows.Offsets, func(lo, hi int) {
		for v := uint32(lo); v < uint32(hi); v++ {
			for e := rows.Offsets[v]; e < rows.Offsets[v+1]; e++ {
				length, d := 1.0, c.distance(v, rows.Targets[e])
				if weighted {
					length = rows.FloatWeight(e)
				}
				if d > 0 && length/d < least {
					least, from, to = length/d, v, rows.Targets[e]
				}
			}
		}
	})
	switch {
	case err != nil:
		return 0, fmt.Errorf("paths: %w", err)
	case c.Scale > least:
		ids := g.IDs()
		return 0, fmt.Errorf("paths: %w: Coordinates.Scale is %v, but the edge from %s to %s is only %v times as long as the distance of its ends; take at most that, or 0",
			graph.ErrOptions, c.Scale, ids.Format(from), ids.Format(to), least)
	case c.Scale > 0:
		return c.Scale, nil
	case math.IsInf(least, 1): // all vertices are in one place
		return 0, nil
	}
	return least, nil
}

// reporter calls a function for progress, one call at a time.
type reporter struct {
	mu   sync.Mutex
	most uint64
}

func (r *reporter) done(report func(graph.Progress), done, all uint64) {
	if report == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if done > r.most { // goroutines may overtake each other
		r.most = done
		report(graph.Progress{Phase: "search", Done: done, Total: all})
	}
}
