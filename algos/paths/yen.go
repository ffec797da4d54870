// This file holds the k shortest paths of a pair.

package paths

import (
	"container/heap"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// searcher finds the paths of one pair after another.
type searcher struct {
	o      *Options
	g      *graph.Graph
	out    *graph.CSR
	scale  float64
	whole  bool // weights are integers
	full   *backward
	beside *backward // of searches that leave vertices out
	stamp  []uint32  // of every vertex: the last round that marked it
	round  uint32
	source uint32
}

func newSearcher(ctx context.Context, g *graph.Graph, o *Options, scale float64) *searcher {
	s := &searcher{o: o, g: g, out: g.Out(), scale: scale, whole: o.Weighted && g.WeightType() == graph.WeightsInt64,
		full: newBackward(ctx, g, o.Weighted), beside: newBackward(ctx, g, o.Weighted), stamp: make([]uint32, g.NumVertices())}
	if o.Coordinates.set() && scale > 0 {
		s.full.ahead = func(v uint32) float64 { return s.o.Coordinates.distance(s.source, v) * s.scale * slack }
	}
	return s
}

// deviation is the paths that begin with a prefix and continue by none of the barred edges, or the best of them.
type deviation struct {
	prefix []uint32
	length float64 // of the prefix
	barred []uint32
	best   label    // a lower bound, or that of the path
	path   []uint32 // nil: not searched yet
}

// deviations is a heap: the best path comes first, and before a path every deviation that may have a better one.
type deviations struct {
	all  []*deviation
	rank func(v uint32) uint32
}

func (d *deviations) Len() int      { return len(d.all) }
func (d *deviations) Swap(i, j int) { d.all[i], d.all[j] = d.all[j], d.all[i] }
func (d *deviations) Push(x any)    { d.all = append(d.all, x.(*deviation)) }
func (d *deviations) Pop() any {
	last := d.all[len(d.all)-1]
	d.all = d.all[:len(d.all)-1]
	return last
}
func (d *deviations) Less(i, j int) bool {
	a, b := d.all[i], d.all[j]
	if a.best != b.best {
		return a.best.less(b.best)
	}
	if a.path == nil || b.path == nil {
		return a.path == nil && b.path != nil
	}
	return slices.CompareFunc(a.path, b.path, func(u, v uint32) int { return int(int64(d.rank(u)) - int64(d.rank(v))) }) < 0
}

// pair returns the paths of a pair.
func (s *searcher) pair(source, target uint32) (f found, err error) {
	if source == target {
		return found{[]float64{0}, [][]uint32{{source}}}, nil
	}
	k := s.o.K
	if k == 0 {
		if k = 1; s.o.Shortest {
			k = MostK
		}
	}
	s.source = source
	s.full.begin(target, nil, graph.NoVertex, nil)
	queue := &deviations{rank: s.g.IDs().Rank}
	if err := s.bound(queue, &deviation{prefix: []uint32{source}}, math.Inf(1)); err != nil {
		return f, err
	}
	most := math.Inf(1)
	for queue.Len() > 0 && len(f.paths) < k {
		d := heap.Pop(queue).(*deviation)
		if d.path == nil {
			if err := s.search(d, target); err != nil {
				return f, err
			}
			if d.path != nil {
				heap.Push(queue, d)
			}
			continue
		}
		length := s.lengthOf(d.path)
		if s.whole && length >= maxExact {
			return f, fmt.Errorf("%w: a path from %s to %s has length 2^53 or more, which float64 doesn't hold exactly; scale weights down before loading",
				errWeights, s.g.IDs().Format(source), s.g.IDs().Format(target))
		}
		if s.o.Limit > 0 && length > s.o.Limit {
			break
		}
		if len(f.paths) == 0 && s.o.Shortest {
			most = d.best.length
		}
		if d.best.length > most {
			break
		}
		f.lengths, f.paths = append(f.lengths, length), append(f.paths, d.path)
		if len(f.paths) == k {
			break
		}
		at := d.length
		for i := len(d.prefix) - 1; i < len(d.path)-1; i++ {
			next := &deviation{prefix: d.path[:i+1], length: at, barred: []uint32{d.path[i+1]}}
			if i == len(d.prefix)-1 {
				next.barred = append(slices.Clone(d.barred), d.path[i+1])
			}
			if err := s.bound(queue, next, most); err != nil {
				return f, err
			}
			at += s.weight(d.path[i], d.path[i+1])
		}
	}
	return f, nil
}

// weight returns the length of an edge: of parallel ones the least.
func (s *searcher) weight(u, v uint32) float64 {
	if !s.o.Weighted {
		return 1
	}
	least := math.Inf(1)
	for e := s.out.Offsets[u]; e < s.out.Offsets[u+1]; e++ {
		if s.out.Targets[e] == v {
			least = min(least, s.out.FloatWeight(e))
		}
	}
	return least
}

func (s *searcher) lengthOf(path []uint32) (length float64) {
	for i := 1; i < len(path); i++ {
		length += s.weight(path[i-1], path[i])
	}
	return length
}

// mark marks the vertices of a prefix, which stay so until the next call.
func (s *searcher) mark(prefix []uint32) {
	if s.round++; s.round == 0 {
		clear(s.stamp)
		s.round = 1
	}
	for _, v := range prefix {
		s.stamp[v] = s.round
	}
}

// first returns the best edge of a deviation by a search: its head, and the label by it. The search continues until no other edge can be better.
func (s *searcher) first(d *deviation, by *backward) (next uint32, best label, err error) {
	u := d.prefix[len(d.prefix)-1]
	for steps := fewSteps; ; steps *= 2 {
		next, best = graph.NoVertex, unreached
		open, least, ahead := false, math.Inf(1), 0.0 // of edges to vertices that aren't settled
		for e := s.out.Offsets[u]; e < s.out.Offsets[u+1]; e++ {
			v, w := s.out.Targets[e], 1.0
			if s.stamp[v] == s.round || slices.Contains(d.barred, v) {
				continue
			}
			if s.o.Weighted {
				w = s.out.FloatWeight(e)
			}
			switch by.state[v] {
			case unseen, waiting:
				open, least, ahead = true, min(least, w), max(ahead, by.bound(v))
			case settled:
				x := label{by.length[v] + w, by.edges[v] + 1}
				if x.less(best) || x == best && s.g.IDs().Rank(v) < s.g.IDs().Rank(next) {
					next, best = v, x
				}
			}
		}
		if !open || len(by.heap) == 0 {
			return next, best, nil
		}
		limit := math.Inf(1)
		if next != graph.NoVertex {
			limit, steps = (best.length-least+ahead)*more, math.MaxInt/2
		}
		if by.heap[0].bound > limit {
			return next, best, nil
		}
		if err := by.advance(limit, steps); err != nil {
			return next, best, err
		}
	}
}

// bound queues a deviation by the least label that a path of it may have, if there may be one that is needed.
func (s *searcher) bound(queue *deviations, d *deviation, most float64) error {
	s.mark(d.prefix)
	next, best, err := s.first(d, s.full)
	if err != nil || next == graph.NoVertex {
		return err
	}
	d.best = label{d.length + best.length, uint32(len(d.prefix)-1) + best.edges}
	if d.best.length <= most && !(s.o.Limit > 0 && d.best.length*slack > s.o.Limit) {
		heap.Push(queue, d)
	}
	return nil
}

// search finds the best path of a deviation, if it has one: the way along the search of all vertices, or, where that meets the prefix, one by a search without it.
func (s *searcher) search(d *deviation, target uint32) error {
	s.mark(d.prefix)
	next, best, err := s.first(d, s.full)
	if err != nil {
		return err
	}
	way, err := s.follow(next, target, s.full)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(way, func(v uint32) bool { return s.stamp[v] == s.round }) {
		spur := d.prefix[len(d.prefix)-1]
		s.beside.begin(target, d.prefix[:len(d.prefix)-1], spur, d.barred)
		if ok, err := s.beside.settle(spur); err != nil || !ok {
			return err
		}
		if next, best, err = s.first(d, s.beside); err != nil || next == graph.NoVertex {
			return err
		}
		if way, err = s.follow(next, target, s.beside); err != nil {
			return err
		}
	}
	d.best = label{d.length + best.length, uint32(len(d.prefix)-1) + best.edges}
	d.path = append(slices.Clone(d.prefix), way...)
	return nil
}

// follow returns the best way from a settled vertex to the target.
func (s *searcher) follow(v, target uint32, by *backward) ([]uint32, error) {
	way := []uint32{v}
	for v != target {
		next := graph.NoVertex
		for e := s.out.Offsets[v]; e < s.out.Offsets[v+1]; e++ {
			x, w := s.out.Targets[e], 1.0
			if s.o.Weighted {
				w = s.out.FloatWeight(e)
			}
			if by.state[x] != settled || by.edges[x]+1 != by.edges[v] || by.length[x]+w != by.length[v] {
				continue
			}
			if next == graph.NoVertex || s.g.IDs().Rank(x) < s.g.IDs().Rank(next) {
				next = x
			}
		}
		if next == graph.NoVertex {
			return nil, fmt.Errorf("paths: %w: an edge has other weights in the reverse graph", graph.ErrMalformed)
		}
		way, v = append(way, next), next
	}
	return way, nil
}
