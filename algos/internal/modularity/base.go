// This file makes the graph of the first level on the host: symmetric, with weights that are integers.

package modularity

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/layout/rowcheck"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrWeights: weights that are negative or not finite.
var errWeights = text.Named("bad weights", graph.ErrWeights)

type baseKey struct {
	placed.Of[*level]
	weighted bool
}

// baseOf returns the first level of a placed graph on the host, made once.
func baseOf(ctx context.Context, name string, p *graph.Placed, weighted bool, t *team) (*level, error) {
	return placed.LoadOrMakeIn(ctx, p.State(), baseKey{weighted: weighted}, func() (*level, error) {
		if err := p.Graph().Fetch(); err != nil {
			return nil, err
		}
		l := &level{n: p.NumVertices()}
		ids := p.Graph().IDs()
		if l.rank = ids.Ranks(); l.rank != nil {
			l.byRank = ids.ByID()
		}
		scale := 1.0
		if weighted {
			var err error
			if scale, err = weightScale(p.Graph(), name, t); err != nil {
				return nil, err
			}
		}
		if err := l.fill(ctx, p, weighted, scale, t); err != nil {
			return nil, err
		}
		return l, nil
	})
}

// weightScale returns the power of two that weights are multiplied by, so that integers hold them and their sum. It is 1 for
// integers that aren't too large.
func weightScale(g *graph.Graph, name string, t *team) (float64, error) {
	c := g.Out()
	var most atomic.Uint64 // of the bits of weights, which ascend with them
	var whole atomic.Bool
	var bad atomic.Uint64
	whole.Store(true)
	bad.Store(math.MaxUint64)
	m := int(c.NumEdges())
	err := t.each((m+weightsAtOnce-1)/weightsAtOnce, func(_, i int) {
		largest, integers := 0.0, true
		for e := i * weightsAtOnce; e < min(m, (i+1)*weightsAtOnce); e++ {
			w := c.FloatWeight(uint64(e))
			if !(w >= 0 && w <= math.MaxFloat64) {
				for was := bad.Load(); uint64(e) < was && !bad.CompareAndSwap(was, uint64(e)); was = bad.Load() {
				}
				return
			}
			largest, integers = max(largest, w), integers && w == math.Trunc(w)
		}
		for bits, was := math.Float64bits(largest), most.Load(); bits > was && !most.CompareAndSwap(was, bits); was = most.Load() {
		}
		if !integers {
			whole.Store(false)
		}
	})
	if err != nil {
		return 0, err
	}
	if e := bad.Load(); e != math.MaxUint64 {
		return 0, badWeight(g, name, e)
	}
	largest := math.Float64frombits(most.Load())
	if largest > mostLargest || largest > 0 && largest < leastLargest {
		return 0, fmt.Errorf("%s: %w: the largest weight is %v; want one from %v to %v: scale the weights before loading", name, errWeights, largest, leastLargest, mostLargest)
	}
	_, bits := math.Frexp(largest)           // below 2^bits
	_, count := math.Frexp(4 * float64(m+1)) // of entries: a directed graph has two for an edge, and a self-loop counts twice
	switch room := mostWeightBits - bits - count; {
	case largest == 0, whole.Load() && room >= 0:
		return 1, nil
	default:
		return math.Ldexp(1, min(room, 1023)), nil
	}
}

// badWeight is the error of an edge.
func badWeight(g *graph.Graph, name string, e uint64) error {
	c, ids := g.Out(), g.IDs()
	v := uint32(0)
	for c.Offsets[v+1] <= e {
		v++
	}
	return fmt.Errorf("%s: %w: the edge from %s to %s weighs %v; want a finite number from 0 on: leave such edges out, or change them before loading",
		name, errWeights, ids.Format(v), ids.Format(c.Targets[e]), c.FloatWeight(e))
}

// fixed returns a weight as an integer.
func fixed(c *graph.CSR, e uint64, scale float64) int64 {
	if c.IntWeights != nil && scale == 1 {
		return c.IntWeights[e]
	}
	return int64(math.RoundToEven(c.FloatWeight(e) * scale))
}

// fill makes the rows and the degrees.
func (l *level) fill(ctx context.Context, p *graph.Placed, weighted bool, scale float64, t *team) error {
	g := p.Graph()
	out, in := g.Out(), g.In()
	l.offsets, l.targets, l.degree = out.Offsets, out.Targets, zeros[int64](l.n)
	if l.n == 0 {
		l.offsets = []uint64{0}
	}
	if g.Directed() {
		l.in, l.offsets, l.targets = make([]int64, l.n), make([]uint64, l.n+1), make([]uint32, 2*len(out.Targets))
		for v := range l.n {
			l.offsets[v+1] = out.Offsets[v+1] + in.Offsets[v+1]
		}
	}
	if weighted {
		l.weights = make([]int64, len(l.targets))
	}
	l.ends = l.offsets[1:]
	l.divide()
	loops := true
	if !g.Directed() && !weighted {
		rows, err := rowcheck.Of(ctx, p)
		if err != nil {
			return err
		}
		loops = rows.Loops || !rows.Ascend // a GPU finds loops in rows that ascend
	}
	var total, entries, inner atomic.Int64
	if err := t.byRows(l, func(_, lo, hi int) {
		sum, all, within := int64(0), int64(0), int64(0)
		for v := lo; v < hi; v++ {
			at := l.offsets[v]
			row := func(c *graph.CSR, copies bool) (d int64) {
				lo, hi := c.Offsets[v], c.Offsets[v+1]
				if !weighted && !copies && !loops {
					return int64(hi - lo)
				}
				for e := lo; e < hi; e, at = e+1, at+1 {
					w := int64(1)
					if weighted {
						w = fixed(c, e, scale)
						l.weights[at] = w
					}
					if copies {
						l.targets[at] = c.Targets[e]
					}
					if d += w; c.Targets[e] == uint32(v) {
						within += w
						if !copies {
							d += w
							within += w
						}
					}
				}
				return d
			}
			d := row(out, l.in != nil)
			l.degree[v] = d
			all += d
			if l.in != nil {
				l.in[v] = row(in, true)
				all += l.in[v]
			}
			sum += d
		}
		total.Add(sum)
		entries.Add(all)
		inner.Add(within)
	}); err != nil {
		return err
	}
	l.total, l.entries, l.loops = total.Load(), entries.Load(), inner.Load()
	return nil
}
