// This file holds what each way of culling lets through, on a GPU.

package paper

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/filter"
)

// cullings are the ways of the paper's figures 7 and 8, each with those before it, and ours.
var cullings = []struct {
	name string
	ways filter.Culls
}{
	{"label", filter.ByLabel},
	{"+ bitmask", filter.ByBitmask | filter.ByLabel},
	{"+ warp", filter.ByBitmask | filter.ByLabel | filter.ByWarp},
	{"+ history", filter.ByBitmask | filter.ByLabel | filter.ByWarp | filter.ByHistory},
	{"exact", filter.Exactly},
}

// Culling is what a way of culling did in one search.
type Culling struct {
	Ways    string  `json:"ways"`
	Edges   uint64  `json:"edges"` // targets looked at, of vertices expanded again too
	Dropped uint64  `json:"dropped"`
	Passed  uint64  `json:"passed"` // let through, of which Reached - 1 must be
	Reached uint64  `json:"reached"`
	Factor  float64 `json:"redundant_expansion"` // edges looked at, as a multiple of those of the vertices reached
	Missed  float64 `json:"false_negatives"`     // targets let through in excess, as a part of those to drop
	Seconds float64 `json:"seconds"`             // without counting
}

// rate returns the edges of the vertices reached, each counted once, a second.
func (c *Culling) rate() float64 {
	if c.Factor <= 0 || c.Seconds <= 0 {
		return 0
	}
	return float64(c.Edges) / c.Factor / c.Seconds
}

// culled searches by each way from a source. Depths are compared with those of levels.
func culled(ctx context.Context, p *graph.Placed, source uint32, levels []Level) ([]Culling, error) {
	var reached, edges uint64
	for _, l := range levels {
		reached, edges = reached+l.Vertices, edges+l.Edges
	}
	var all []Culling
	for _, c := range cullings {
		x := Culling{Ways: c.name, Reached: reached}
		o := bfs.Options{Outputs: bfs.Depths, Tuning: bfs.Tuning{Coupling: "expand-contract", Culls: c.ways}}
		for range 2 { // the first one warms up
			began := time.Now()
			r, err := bfs.Run(ctx, p, source, o)
			if err != nil {
				return nil, err
			}
			x.Seconds = time.Since(began).Seconds()
			if err := r.Close(); err != nil {
				return nil, err
			}
		}
		o.Tuning.CountCulls = true
		r, err := bfs.Run(ctx, p, source, o)
		if err != nil {
			return nil, err
		}
		k := r.Culled
		x.Edges, x.Dropped = k.Edges, k.Bitmask+k.Warp+k.History+k.Exact+k.Label
		x.Passed = x.Edges - x.Dropped
		if edges > 0 {
			x.Factor = float64(x.Edges) / float64(edges)
		}
		if drop := x.Edges - min(x.Edges, reached-1); drop > 0 {
			x.Missed = float64(x.Passed-min(x.Passed, reached-1)) / float64(drop)
		}
		if r.Reached != int(reached) || x.Dropped > x.Edges || x.Passed+1 < reached {
			err = fmt.Errorf("culling by %s reaches %d vertices and lets %d of %d targets through; the sequential search reaches %d", c.name, r.Reached, x.Passed, x.Edges, reached)
		}
		if err := errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}
