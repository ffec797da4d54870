// This file checks results by independent searches.

package reach

import (
	"container/heap"
	"context"
	"fmt"
	"math/bits"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
)

// ValidateMatch compares depths, by internal vertex, with a search over pairs of a vertex and a state on one thread of the
// host. It takes 64 bytes a vertex. A difference is graph.ErrInvalid; Match lists the other errors.
func ValidateMatch(ctx context.Context, g *graph.Graph, o Options, depths []int32) error {
	if err := callctx.Check(ctx, "reach"); err != nil {
		return err
	}
	if o.Kind == "" {
		o.Kind = "kind"
	}
	m, err := compile(o.Expression)
	if err != nil {
		return fmt.Errorf("reach: %w: Options.Expression: %w", graph.ErrOptions, err)
	}
	of, err := m.masks(g, o.Kind)
	if err != nil {
		return fmt.Errorf("reach: %w", err)
	}
	c, err := g.EdgeColumn(o.Kind)
	if err != nil {
		return fmt.Errorf("reach: %w", err)
	}
	kinds, out := c.Values.([]uint32), g.Out()
	want, seen := make([]int32, g.NumVertices()), make([]uint64, g.NumVertices())
	for v := range want {
		want[v] = -1
	}
	type pair struct {
		v     uint32
		state int8 // -1: at a source
	}
	var cur, next []pair
	for _, s := range o.Sources {
		cur = append(cur, pair{s, -1})
		if m.empty {
			want[s] = 0
		}
	}
	for depth := int32(1); len(cur) > 0; depth++ {
		next = next[:0]
		for i, p := range cur {
			if i&1023 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			follow := m.first
			if p.state >= 0 {
				follow = m.follow[p.state]
			}
			for e := out.Offsets[p.v]; e < out.Offsets[p.v+1]; e++ {
				w, to := out.Targets[e], m.any
				if k := kinds[e]; k != graph.NoCode {
					to |= of[k]
				}
				to &= follow &^ seen[w]
				if seen[w] |= to; to&m.last != 0 && want[w] < 0 {
					want[w] = depth
				}
				for ; to != 0; to &= to - 1 {
					next = append(next, pair{w, int8(bits.TrailingZeros64(to))})
				}
			}
		}
		cur, next = next, cur
	}
	return compare(g, depths, want, "depth")
}

// ValidateArrivals compares arrivals, by internal vertex, with those that Dijkstra's algorithm finds on one thread of the
// host. A difference is graph.ErrInvalid; Arrivals lists the other errors.
func ValidateArrivals(ctx context.Context, g *graph.Graph, o Options, arrivals []int64) error {
	if err := callctx.Check(ctx, "reach"); err != nil {
		return err
	}
	if o.Time == "" {
		o.Time = "time"
	}
	times, err := valuesOf(g, o.Time)
	if err != nil {
		return fmt.Errorf("reach: %w", err)
	}
	takes := make([]int64, len(times))
	if o.Duration != "" {
		if takes, err = valuesOf(g, o.Duration); err != nil {
			return fmt.Errorf("reach: %w", err)
		}
	}
	want, out := make([]int64, g.NumVertices()), g.Out()
	for v := range want {
		want[v] = Never
	}
	var q arrivalQueue
	for _, s := range o.Sources {
		want[s] = o.Departure
		q = append(q, atVertex{o.Departure, s})
	}
	for n := 0; len(q) > 0; n++ {
		if n&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		x := heap.Pop(&q).(atVertex)
		if x.at > want[x.v] {
			continue
		}
		for e := out.Offsets[x.v]; e < out.Offsets[x.v+1]; e++ {
			if w, at := out.Targets[e], times[e]+takes[e]; times[e] >= x.at && at < want[w] {
				want[w] = at
				heap.Push(&q, atVertex{at, w})
			}
		}
	}
	return compare(g, arrivals, want, "arrival")
}

func compare[T int32 | int64](g *graph.Graph, got, want []T, what string) error {
	if len(got) != len(want) {
		return fmt.Errorf("reach: %w: %d values for %d vertices", graph.ErrInvalid, len(got), len(want))
	}
	for v := range want {
		if got[v] != want[v] {
			return fmt.Errorf("reach: %w: vertex %.100s has %s %d, want %d", graph.ErrInvalid, g.IDs().Format(uint32(v)), what, got[v], want[v])
		}
	}
	return nil
}

// atVertex is an arrival at a vertex, and arrivalQueue a heap of them.
type atVertex struct {
	at int64
	v  uint32
}

type arrivalQueue []atVertex

func (q arrivalQueue) Len() int           { return len(q) }
func (q arrivalQueue) Less(i, j int) bool { return q[i].at < q[j].at }
func (q arrivalQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *arrivalQueue) Push(x any)        { *q = append(*q, x.(atVertex)) }
func (q *arrivalQueue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}
