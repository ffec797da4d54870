// This file holds centralities by powers of the adjacency matrix, as networkx computes them.

package oracle

import (
	"math"

	"github.com/foray-graph/foray/graph"
)

// Powers has the parameters of centralities, as fields of their packages' options.
type Powers struct {
	Alpha, Beta float64 // of Katz
	Tolerance   float64
	Iterations  int
	Weighted    bool
}

// inflow adds what the out-edges of each vertex bring to their targets; outflow what they bring to their source.
func (o Powers) inflow(g *graph.Graph, x, into []float64) {
	out := g.Out()
	for v := range x {
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			w := 1.0
			if o.Weighted {
				w = out.FloatWeight(e)
			}
			into[out.Targets[e]] += x[v] * w
		}
	}
}

func (o Powers) outflow(g *graph.Graph, x, into []float64) {
	out := g.Out()
	for v := range x {
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			w := 1.0
			if o.Weighted {
				w = out.FloatWeight(e)
			}
			into[v] += x[out.Targets[e]] * w
		}
	}
}

// even returns n values of x.
func even(n int, x float64) []float64 {
	all := make([]float64, n)
	for v := range all {
		all[v] = x
	}
	return all
}

// norm is the L2 norm, 1 for 0.
func norm(x []float64) float64 {
	sum := 0.0
	for _, a := range x {
		sum += a * a
	}
	if sum == 0 {
		return 1
	}
	return math.Sqrt(sum)
}

// scale divides by the divisor, unless that is 0.
func scale(x []float64, by float64) {
	if by == 0 {
		return
	}
	for v := range x {
		x[v] /= by
	}
}

// Eigenvector returns what networkx' eigenvector_centrality finds, the rounds, and the last change. Like Hits and Katz it
// runs on one goroutine, over out-edges.
func Eigenvector(g *graph.Graph, o Powers) (x []float64, rounds int, change float64) {
	n := g.NumVertices()
	x = even(n, 1/float64(n))
	for rounds < o.Iterations && n > 0 {
		next := o.EigenvectorAfter(g, x)
		change = Distance(x, next)
		x = next
		if rounds++; change < float64(n)*o.Tolerance {
			break
		}
	}
	return x, rounds, change
}

// EigenvectorAfter returns the values after one more round.
func (o Powers) EigenvectorAfter(g *graph.Graph, x []float64) []float64 {
	next := append([]float64(nil), x...)
	o.inflow(g, x, next)
	scale(next, norm(next))
	return next
}

// Hits returns the hubs and authorities that networkx' hits finds by powers, the rounds, and the last change.
func Hits(g *graph.Graph, o Powers) (hub, authority []float64, rounds int, change float64) {
	n := g.NumVertices()
	hub, authority = even(n, 1/float64(n)), make([]float64, n)
	for rounds < o.Iterations && n > 0 {
		var next []float64
		next, authority = o.HitsAfter(g, hub)
		change = Distance(hub, next)
		hub = next
		if rounds++; change < o.Tolerance {
			break
		}
	}
	return Shares(hub), Shares(authority), rounds, change
}

// HitsAfter returns the hubs after one more round, and the authorities that they make. The largest is 1.
func (o Powers) HitsAfter(g *graph.Graph, hub []float64) (next, authority []float64) {
	next, authority = make([]float64, len(hub)), make([]float64, len(hub))
	o.inflow(g, hub, authority)
	scale(authority, largest(authority))
	o.outflow(g, authority, next)
	scale(next, largest(next))
	return next, authority
}

func largest(x []float64) (most float64) {
	for _, a := range x {
		most = max(most, a)
	}
	return most
}

// Shares divides values by their sum.
func Shares(x []float64) []float64 {
	sum := 0.0
	for _, a := range x {
		sum += a
	}
	scale(x, sum)
	return x
}

// Katz returns what networkx' katz_centrality finds, the rounds, and the last change.
func Katz(g *graph.Graph, o Powers) (x []float64, rounds int, change float64) {
	n := g.NumVertices()
	x = make([]float64, n)
	for rounds < o.Iterations && n > 0 {
		next := make([]float64, n)
		o.inflow(g, x, next)
		for v := range next {
			next[v] = o.Alpha*next[v] + o.Beta
		}
		change = Distance(x, next)
		x = next
		if rounds++; change < float64(n)*o.Tolerance {
			break
		}
	}
	scale(x, norm(x))
	return x, rounds, change
}

// KatzRest returns, of values in whatever scale, what their vertices don't have from in-neighbors.
func (o Powers) KatzRest(g *graph.Graph, x []float64) []float64 {
	rest := make([]float64, len(x))
	o.inflow(g, x, rest)
	for v := range rest {
		rest[v] = x[v] - o.Alpha*rest[v]
	}
	return rest
}
