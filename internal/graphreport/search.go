// This file holds the searches: their times, their frontiers, and the directions of their levels.

package graphreport

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/graph"
)

// Search is a search from one source.
type Search struct {
	Source    string    `json:"source"` // external id
	Degree    uint64    `json:"degree"`
	Fallback  bool      `json:"no_out_edges,omitempty"` // no vertex has an edge out of it
	Algorithm string    `json:"algorithm"`
	Way       string    `json:"way"`
	Why       string    `json:"why"`
	Reached   int       `json:"reached"`
	Levels    int       `json:"levels"`
	Edges     uint64    `json:"edges"` // of the part reached, undirected ones once
	MS        []float64 `json:"ms"`    // of each trial
	MedianMS  float64   `json:"median_ms"`
	GTEPS     float64   `json:"gteps"`
	ByDepth   []Level   `json:"by_depth"`
	Steps     []Step    `json:"steps"`
	Phases    []Phase   `json:"phases"`
	More      int       `json:"more_phases,omitempty"` // that are left out
}

// Level is the frontier at a depth.
type Level struct {
	Vertices uint64 `json:"vertices"`
	Edges    uint64 `json:"edges"` // out of them
}

// Step is how a level was done in one run with statistics, or, of deep searches, several levels.
type Step struct {
	Depth     int     `json:"depth"`
	Levels    int     `json:"levels"`
	Vertices  int     `json:"vertices"`
	Visited   uint64  `json:"visited_edges"` // 0 where a GPU's kernel doesn't count them
	Direction string  `json:"direction"`
	Form      string  `json:"form"` // of the frontier
	MS        float64 `json:"ms"`
}

// Phase is levels of the same direction, and why the first of them had it.
type Phase struct {
	Depth     int     `json:"depth"`
	Levels    int     `json:"levels"`
	Direction string  `json:"direction"`
	Vertices  uint64  `json:"vertices"`
	MS        float64 `json:"ms"`
	Why       string  `json:"why"`
}

// mostPhases is how many phases are kept.
const mostPhases = 100

// turn is a level before which the direction was chosen: the first, and those at which it changes.
type turn struct {
	depth int
	c     dobfs.Choice
	why   string // if not by c
}

// search runs a search with statistics, checks it, and times it without them.
func search(ctx context.Context, p *graph.Placed, source uint32, o Options) (_ *Search, err error) {
	g := p.Graph()
	s := &Search{Source: o.Label(source), Degree: g.Degree(source)}
	optimizing := bench.Auto(g).Kind == bench.DOBFS
	if err := warm(ctx, p, source, optimizing); err != nil {
		return nil, err
	}
	var turns []turn
	calls, changes := 0, 0
	last := false
	explained := bfs.Options{Outputs: bfs.Depths, Stats: true}
	if optimizing {
		explained = dobfs.Options(explained).Explain(func(c dobfs.Choice) {
			if calls == 0 || c.Pull != last {
				if changes++; len(turns) <= mostPhases { // one more, where the last phase that is kept ends
					turns = append(turns, turn{depth: calls, c: c})
				}
			}
			calls, last = calls+1, c.Pull
		})
	}
	res, err := bfs.Run(ctx, p, source, explained)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, res.Close()) }()
	depths, err := res.Depths()
	if err != nil {
		return nil, err
	}
	s.Algorithm, s.Reached, s.Levels, s.Edges = res.Algorithm, res.Reached, res.Levels, res.TraversedEdges()
	s.ByDepth = make([]Level, res.Levels)
	for v, d := range depths {
		if d >= 0 {
			l := &s.ByDepth[d]
			l.Vertices++
			l.Edges += g.Degree(uint32(v))
		}
	}
	for _, l := range res.Stats {
		s.Steps = append(s.Steps, Step{l.Level - 1, l.Levels, l.Frontier, l.Edges, l.Direction, l.Form, milliseconds(l.Took)})
	}
	if s.Way, s.Why, err = explained.Way(p); err != nil {
		return nil, err
	}
	if !o.NoCheck {
		if err := bfs.Validate(g, res); err != nil {
			return nil, err
		}
	}
	if optimizing && len(turns) == 0 {
		turns = s.inKernel(p, o.OneGPU)
		changes = len(turns)
	}
	s.addPhases(turns)
	s.More = max(changes-mostPhases, 0)
	return s, s.time(ctx, p, source, optimizing, o)
}

// addPhases divides the levels at the turns; without turns all are one phase.
func (s *Search) addPhases(turns []turn) {
	if len(turns) == 0 {
		turns = []turn{{why: "bfs only pushes. A pull goes along edges into a vertex, and the graph has no reverse that lists them."}}
	}
	for i, t := range turns[:min(len(turns), mostPhases)] {
		end := s.Levels
		if i+1 < len(turns) {
			end = turns[i+1].depth
		}
		ph := Phase{Depth: t.depth, Levels: end - t.depth, Direction: "push", Why: t.why}
		if t.why == "" {
			ph.Why = whyOf(&t.c)
		}
		if t.c.Pull {
			ph.Direction = "pull"
		}
		for _, l := range s.ByDepth[t.depth:end] {
			ph.Vertices += l.Vertices
		}
		for _, x := range s.Steps {
			if x.Depth >= t.depth && x.Depth < end {
				ph.MS += x.MS
			}
		}
		s.Phases = append(s.Phases, ph)
	}
}

// once searches without statistics.
func once(ctx context.Context, p *graph.Placed, source uint32, optimizing bool) (took time.Duration, err error) {
	timed := bfs.Options{Outputs: bfs.Depths, DeviceTime: true}
	var r *bfs.Result
	if optimizing {
		r, err = dobfs.Run(ctx, p, source, dobfs.Options(timed))
	} else {
		r, err = bfs.Run(ctx, p, source, timed)
	}
	if err != nil {
		return 0, err
	}
	if took = r.Elapsed; r.DeviceTime > 0 {
		took = r.DeviceTime
	}
	return took, r.Close()
}

// warm searches until caches, pages and a GPU's clock rate are as they stay.
func warm(ctx context.Context, p *graph.Placed, source uint32, optimizing bool) error {
	for start, first := time.Now(), true; first || time.Since(start) < bench.WarmUp; first = false {
		if _, err := once(ctx, p, source, optimizing); err != nil {
			return err
		}
	}
	return nil
}

// time fills in the times of the trials.
func (s *Search) time(ctx context.Context, p *graph.Placed, source uint32, optimizing bool, o Options) error {
	for range o.Trials {
		took, err := once(ctx, p, source, optimizing)
		if err != nil {
			return err
		}
		s.MS = append(s.MS, milliseconds(took))
	}
	sorted := slices.Sorted(slices.Values(s.MS))
	s.MedianMS = (sorted[(o.Trials-1)/2] + sorted[o.Trials/2]) / 2
	if s.MedianMS > 0 {
		s.GTEPS = float64(s.Edges) / s.MedianMS / 1e6
	}
	return nil
}
