// This file holds Validate.

package paths

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: paths that aren't the shortest of their graph.
var errInvalid = text.Named("paths: not a valid result", graph.ErrInvalid)

// Validate checks paths: they follow edges from the source to the target and visit no vertex twice, lengths are the sums of their edges and ascend, and
// no two paths of a pair are equal. The first path of each of 16 pairs, or its absence, is compared with a search without bounds (Dijkstra).
// It doesn't check that no path was left out between others.
//
// The error wraps graph.ErrInvalid; for a nil graph it is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result, o Options) error {
	if g == nil {
		return fmt.Errorf("paths: validate: %w", graph.ErrNoGraph)
	}
	if r == nil || len(r.Pair) != len(r.Length) || len(r.Offsets) != len(r.Length)+1 {
		return fmt.Errorf("%w: there is no table, or its columns have different lengths", errInvalid)
	}
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("paths: validate: %w", err)
	}
	first, with := make([]int, len(o.Pairs)), 0
	for i := range first {
		first[i] = -1
	}
	seen := map[string]bool{}
	for i, pair := range r.Pair {
		path := r.Path(i)
		if pair < 0 || pair >= len(o.Pairs) || i > 0 && pair < r.Pair[i-1] || len(path) == 0 || path[0] != o.Pairs[pair][0] || path[len(path)-1] != o.Pairs[pair][1] {
			return fmt.Errorf("%w: path %d doesn't lead from the source to the target of a pair, or isn't in order", errInvalid, i)
		}
		if err := along(g, path, r.Length[i], o.Weighted); err != nil {
			return fmt.Errorf("%w: path %d: %w", errInvalid, i, err)
		}
		if first[pair] < 0 {
			first[pair] = i
			with++
			clear(seen)
		} else if r.Length[i] < r.Length[i-1] && !near(r.Length[i], r.Length[i-1]) {
			return fmt.Errorf("%w: path %d has length %v, and the one before %v", errInvalid, i, r.Length[i], r.Length[i-1])
		}
		if key := fmt.Sprint(path); seen[key] {
			return fmt.Errorf("%w: path %d comes twice", errInvalid, i)
		} else {
			seen[key] = true
		}
		if o.Limit > 0 && r.Length[i] > o.Limit || o.Shortest && !near(r.Length[i], r.Length[first[pair]]) {
			return fmt.Errorf("%w: path %d has length %v, which is too long", errInvalid, i, r.Length[i])
		}
	}
	if r.Without != len(o.Pairs)-with {
		return fmt.Errorf("%w: %d pairs have no path, not %d", errInvalid, len(o.Pairs)-with, r.Without)
	}
	for pair := 0; pair < len(o.Pairs); pair += max(1, len(o.Pairs)/16) {
		want := shortest(g, o.Pairs[pair][0], o.Weighted)[o.Pairs[pair][1]]
		switch i := first[pair]; {
		case i < 0 && (math.IsInf(want, 1) || o.Limit > 0 && want > o.Limit):
		case i < 0 || !near(r.Length[i], want):
			return fmt.Errorf("%w: the shortest path of pair %d has length %v", errInvalid, pair, want)
		}
	}
	return nil
}

// near reports whether two lengths differ by rounding alone.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// along checks a path and its length.
func along(g *graph.Graph, path []uint32, length float64, weighted bool) error {
	c, sum, seen := g.Out(), 0.0, make(map[uint32]bool, len(path))
	for i, v := range path {
		if int64(v) >= int64(g.NumVertices()) || seen[v] {
			return fmt.Errorf("vertex %d isn't in the graph, or comes twice", v)
		}
		if seen[v] = true; i == 0 {
			continue
		}
		least := math.Inf(1)
		for e := c.Offsets[path[i-1]]; e < c.Offsets[path[i-1]+1]; e++ {
			if c.Targets[e] != v {
				continue
			}
			w := 1.0
			if weighted {
				w = c.FloatWeight(e)
			}
			least = min(least, w)
		}
		if math.IsInf(least, 1) {
			return fmt.Errorf("no edge leads from vertex %d to %d", path[i-1], v)
		}
		sum += least
	}
	if !near(sum, length) {
		return fmt.Errorf("its length is %v, not %v", sum, length)
	}
	return nil
}

// shortest returns the lengths of the shortest paths from a vertex, by Dijkstra's algorithm.
func shortest(g *graph.Graph, source uint32, weighted bool) []float64 {
	c, length := g.Out(), make([]float64, g.NumVertices())
	for v := range length {
		length[v] = math.Inf(1)
	}
	length[source] = 0
	var queue minimum
	queue.push(entry{v: source})
	for len(queue) > 0 {
		x := queue.pop()
		if x.bound > length[x.v] {
			continue
		}
		for e := c.Offsets[x.v]; e < c.Offsets[x.v+1]; e++ {
			w := 1.0
			if weighted {
				w = c.FloatWeight(e)
			}
			if v := c.Targets[e]; x.bound+w < length[v] {
				length[v] = x.bound + w
				queue.push(entry{bound: length[v], v: v})
			}
		}
	}
	return length
}

// minimum is a binary heap.
type minimum []entry

func (q *minimum) push(x entry) {
	*q = append(*q, x)
	for i := len(*q) - 1; i > 0 && (*q)[i].bound < (*q)[(i-1)/2].bound; i = (i - 1) / 2 {
		(*q)[i], (*q)[(i-1)/2] = (*q)[(i-1)/2], (*q)[i]
	}
}

func (q *minimum) pop() entry {
	a := *q
	top, n := a[0], len(a)-1
	a[0] = a[n]
	*q = a[:n]
	for i := 0; 2*i+1 < n; {
		child := 2*i + 1
		if child+1 < n && a[child+1].bound < a[child].bound {
			child++
		}
		if a[child].bound >= a[i].bound {
			break
		}
		a[i], a[child] = a[child], a[i]
		i = child
	}
	return top
}
