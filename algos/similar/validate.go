// This file holds Validate.

package similar

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: a result that isn't the similarities of its graph.
var errInvalid = text.Named("similar: not a valid result", graph.ErrInvalid)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errInvalid, fmt.Sprintf(format, args...))
}

// Validate compares a result with the definition. It computes the similarity of pairs again. It checks the order of the most similar vertices, and
// for 64 sources, or as many as visit 2^28 edges, that no other vertex is more similar. It takes 12 bytes a vertex, and for a directed graph
// 4 bytes an edge and direction.
//
// The error wraps graph.ErrInvalid; for a nil graph it is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result, o Options) error {
	if g == nil {
		return fmt.Errorf("similar: validate: %w", graph.ErrNoGraph)
	}
	if r == nil || len(r.Vertex) != len(r.Score) || len(r.Neighbor) != len(r.Score) {
		return invalid("there is no table, or its columns have different lengths")
	}
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("similar: validate: %w", err)
	}
	if err := o.check(g.NumVertices()); err != nil {
		return err
	}
	d := &definition{Options: o, g: g, near: around(g)}
	for i, v := range r.Vertex {
		if n := uint32(g.NumVertices()); v >= n || r.Neighbor[i] >= n {
			return invalid("row %d has vertices %d and %d of %d", i, v, r.Neighbor[i], n)
		}
	}
	if o.Pairs != nil {
		return d.pairs(r)
	}
	return d.best(r)
}

// around returns a function that returns a vertex' neighbors, ascending, each once.
func around(g *graph.Graph) func(v uint32) []uint32 {
	out := g.Out()
	row := func(v uint32) []uint32 { return out.Neighbors(v) }
	if g.Directed() {
		both := make([][]uint32, g.NumVertices())
		for v := range uint32(len(both)) {
			for _, w := range out.Neighbors(v) {
				both[v], both[w] = append(both[v], w), append(both[w], v)
			}
		}
		row = func(v uint32) []uint32 { return both[v] }
	}
	return func(v uint32) []uint32 {
		all := row(v)
		if !slices.IsSorted(all) || slices.Contains(all, v) || len(slices.Compact(slices.Clone(all))) < len(all) {
			all = slices.DeleteFunc(slices.Clone(all), func(w uint32) bool { return w == v })
			slices.Sort(all)
			all = slices.Compact(all)
		}
		return all
	}
}

// definition computes similarities as they are defined.
type definition struct {
	Options
	g    *graph.Graph
	near func(v uint32) []uint32
}

// counts returns what a common neighbor w of u and v counts.
func (d *definition) counts(u, w, v uint32) float64 {
	switch {
	case d.Weighted:
		return d.weight(u, w) * d.weight(v, w)
	case d.Measure == AdamicAdar:
		if n := len(d.near(w)); n > 1 {
			return 1 / math.Log(float64(n))
		}
		return 0
	}
	return 1
}

// weight returns the weight of an edge.
func (d *definition) weight(u, w uint32) float64 {
	c := d.g.Out()
	if i, ok := slices.BinarySearch(c.Neighbors(u), w); ok {
		return c.FloatWeight(c.Offsets[u] + uint64(i))
	}
	return 0
}

// norm returns the norm of a vertex' weights.
func (d *definition) norm(u uint32) float64 {
	c, sum := d.g.Out(), 0.0
	for e := c.Offsets[u]; e < c.Offsets[u+1]; e++ {
		sum += c.FloatWeight(e) * c.FloatWeight(e)
	}
	return math.Sqrt(sum)
}

// score returns the similarity of two vertices whose common neighbors count sum.
func (d *definition) score(sum float64, u, v uint32) float64 {
	a, b := float64(len(d.near(u))), float64(len(d.near(v)))
	switch {
	case sum == 0:
		return 0
	case d.Weighted:
		return sum / (d.norm(u) * d.norm(v))
	case d.Measure == Jaccard:
		return sum / (a + b - sum)
	case d.Measure == Overlap:
		return sum / min(a, b)
	case d.Measure == Cosine:
		return sum / math.Sqrt(a*b)
	}
	return sum
}

// same reports whether two scores differ by rounding alone.
func same(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a)) }

// pairs checks a result of pairs.
func (d *definition) pairs(r *Result) error {
	if len(r.Vertex) != len(d.Pairs) {
		return invalid("there are %d rows for %d pairs", len(r.Vertex), len(d.Pairs))
	}
	for i, pair := range d.Pairs {
		u, v := pair[0], pair[1]
		if r.Vertex[i] != u || r.Neighbor[i] != v {
			return invalid("row %d is of another pair", i)
		}
		sum, other := 0.0, d.near(v)
		for _, w := range d.near(u) {
			if _, ok := slices.BinarySearch(other, w); ok {
				sum += d.counts(u, w, v)
			}
		}
		if want := d.score(sum, u, v); !same(r.Score[i], want) {
			return invalid("row %d: vertices %d and %d have similarity %v, not %v", i, u, v, want, r.Score[i])
		}
	}
	return nil
}

// best checks a result of the most similar vertices.
func (d *definition) best(r *Result) error {
	sources, n, at := len(d.Sources), d.g.NumVertices(), 0
	if d.Sources == nil {
		sources = n
	}
	k := d.K
	if k == 0 {
		k = defaultK
	}
	ranks, sums, units := d.g.IDs().Ranks(), make([]float64, n), 0
	for s := range sources {
		u := uint32(s)
		if d.Sources != nil {
			u = d.Sources[s]
		}
		begin, again := at, d.Sources != nil && s+1 < sources && d.Sources[s+1] == u // a source may come twice
		for ; at < len(r.Vertex) && r.Vertex[at] == u && at-begin < k; at++ {
			if at == begin {
				continue
			}
			a, b := r.Neighbor[at-1], r.Neighbor[at]
			if ranks != nil {
				a, b = ranks[a], ranks[b]
			}
			if x, y := r.Score[at-1], r.Score[at]; x < y || x == y && a >= b {
				if again {
					break
				}
				return invalid("row %d doesn't come after row %d", at, at-1)
			}
		}
		if s*validated/sources == (s-1)*validated/sources && s > 0 || units > validatedEdges {
			continue
		}
		units += d.visits(u)
		if units > validatedEdges && s > 0 {
			continue
		}
		if err := d.source(r, u, begin, at, k, sums); err != nil {
			return err
		}
	}
	if at < len(r.Vertex) {
		return invalid("row %d isn't of the next source", at)
	}
	return nil
}

// visits returns how many edges the neighbors of a vertex have.
func (d *definition) visits(u uint32) (n int) {
	for _, w := range d.near(u) {
		n += len(d.near(w))
	}
	return n
}

// source compares rows begin to end, those of a source, with the definition. sums are 0, and are left so.
func (d *definition) source(r *Result, u uint32, begin, end, k int, sums []float64) error {
	var touched []uint32
	for _, w := range d.near(u) {
		for _, v := range d.near(w) {
			if v == u {
				continue
			}
			if sums[v] == 0 {
				touched = append(touched, v)
			}
			sums[v] += d.counts(u, w, v)
		}
	}
	slices.Sort(touched)
	touched = slices.Compact(touched)
	var scores []float64
	for _, v := range touched {
		if sums[v] = d.score(sums[v], u, v); sums[v] > 0 {
			scores = append(scores, sums[v])
		}
	}
	slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(b, a) })
	for len(scores) > 0 && scores[len(scores)-1] < tiny { // integers may have rounded these to 0
		scores = scores[:len(scores)-1]
	}
	var err error
	if got := end - begin; got < min(k, len(scores)) {
		err = invalid("vertex %d has %d rows, of %d vertices that share a neighbor", u, got, len(scores))
	}
	for i := begin; i < end && err == nil; i++ {
		switch x := r.Score[i]; {
		case !same(x, sums[r.Neighbor[i]]) || !(x > 0):
			err = invalid("row %d: vertices %d and %d have similarity %v, not %v", i, u, r.Neighbor[i], sums[r.Neighbor[i]], x)
		case i-begin < len(scores) && !same(x, scores[i-begin]):
			err = invalid("row %d: the %d most similar of vertex %d has similarity %v, not %v", i, i-begin+1, u, scores[i-begin], x)
		}
	}
	for _, v := range touched {
		sums[v] = 0
	}
	return err
}
