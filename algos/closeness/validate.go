// This file holds the check of a result.

package closeness

import (
	"math"

	"github.com/foray-graph/foray/graph"
)

// oracle is a graph and its reverse.
type oracle struct{ out, in [][]uint32 }

func newOracle(g *graph.Graph) *oracle {
	n := g.NumVertices()
	o := &oracle{make([][]uint32, n), make([][]uint32, n)}
	for v := range uint32(n) {
		o.out[v] = g.Out().Neighbors(v)
		for _, w := range o.out[v] {
			o.in[w] = append(o.in[w], v)
		}
	}
	return o
}

func (o *oracle) of(v uint32) (closeness, harmonic float64, eccentricity int32) {
	towards := levels(o.in, v)
	reached, sum := 0, 0
	for d, n := range towards[1:] {
		reached += n
		sum += n * (d + 1)
		harmonic += float64(n) / float64(d+1)
	}
	if sum > 0 {
		closeness = float64(reached) / float64(sum) * (float64(reached) / float64(len(o.in)-1))
	}
	return closeness, harmonic, int32(len(levels(o.out, v)) - 1)
}

// levels counts the vertices at each distance.
func levels(rows [][]uint32, source uint32) []int {
	seen := make([]bool, len(rows))
	seen[source] = true
	var counts []int
	for cur := []uint32{source}; len(cur) > 0; {
		counts = append(counts, len(cur))
		var next []uint32
		for _, v := range cur {
			for _, w := range rows[v] {
				if !seen[w] {
					seen[w] = true
					next = append(next, w)
				}
			}
		}
		cur = next
	}
	return counts
}

// Validate checks a result by plain searches from up to 64 vertices, spread evenly over those that
// have values, and that no other value is out of range. It takes one goroutine. The error is
// graph.ErrInvalid, or that of the values.
func Validate(g *graph.Graph, r *Result) error {
	if g == nil {
		return graph.ErrNoGraph
	}
	if r == nil {
		return invalid("it is nil")
	}
	closeness, err := r.Closeness.Slice()
	if err != nil {
		return err
	}
	harmonic, err := r.Harmonic.Slice()
	if err != nil {
		return err
	}
	eccentricity, err := r.Eccentricity.Slice()
	if err != nil {
		return err
	}
	n := g.NumVertices()
	if len(closeness) != n || len(harmonic) != n || len(eccentricity) != n {
		return invalid("%d, %d and %d values for %d vertices", len(closeness), len(harmonic), len(eccentricity), n)
	}
	var have []uint32
	for v := range uint32(n) {
		c, h, e := closeness[v], harmonic[v], eccentricity[v]
		switch {
		case math.IsNaN(c) && math.IsNaN(h) && e == -1: // wasn't asked for
		case !(c >= 0 && c <= 1 && h >= 0 && h <= float64(n-1) && e >= 0 && int(e) < n):
			return invalid("vertex %s has closeness %v, harmonic centrality %v and eccentricity %d of %d vertices", g.IDs().Format(v), c, h, e, n)
		default:
			have = append(have, v)
		}
	}
	o := newOracle(g)
	for i := range min(checked, len(have)) {
		v := have[i*len(have)/min(checked, len(have))]
		c, h, e := o.of(v)
		if closeness[v] != c || math.Abs(harmonic[v]-h) > 1e-9*h || eccentricity[v] != e {
			return invalid("vertex %s has closeness %v, harmonic centrality %v and eccentricity %d; a plain search finds %v, %v and %d",
				g.IDs().Format(v), closeness[v], harmonic[v], eccentricity[v], c, h, e)
		}
	}
	return nil
}

// ValidateBounds checks bounds by plain searches from up to 64 vertices, and checks the range of
// all bounds. Errors are the same as for Validate.
func ValidateBounds(g *graph.Graph, b *Bounds) error {
	if g == nil {
		return graph.ErrNoGraph
	}
	if b == nil {
		return invalid("it is nil")
	}
	least, err := b.Least.Slice()
	if err != nil {
		return err
	}
	most, err := b.Most.Slice()
	if err != nil {
		return err
	}
	n := g.NumVertices()
	if len(least) != n || len(most) != n {
		return invalid("%d and %d bounds for %d vertices", len(least), len(most), n)
	}
	for v, x := range least {
		if unknown := x == -1 && most[v] == -1; !unknown && !(x >= 0 && x <= most[v]) {
			return invalid("vertex %s has an eccentricity of %d to %d", g.IDs().Format(uint32(v)), x, most[v])
		}
	}
	o := newOracle(g)
	for i := range min(checked, n) {
		v := uint32(i * n / min(checked, n))
		if e := int32(len(levels(o.out, v)) - 1); least[v] != -1 && (e < least[v] || e > most[v]) {
			return invalid("vertex %s has an eccentricity of %d; the bounds are %d to %d", g.IDs().Format(v), e, least[v], most[v])
		}
	}
	return nil
}
