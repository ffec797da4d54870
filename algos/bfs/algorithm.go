// This file holds algorithm, which Run, Searcher and Pool run, and Query.

package bfs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/run"
)

// Query is one search of a Searcher or a Pool.
type Query struct {
	// Sources are where it begins: one vertex of the graph, or several, the nearest of
	// which counts.
	Sources []uint32
	// Targets end it as Options.Targets do; none means those of the options. On a GPU a
	// search with more than 32 goes level by level also where others are one
	// kernel (coupling fused), named or not.
	Targets []uint32
	// DepthLimit ends it as Options.DepthLimit does; 0 means that of the options.
	DepthLimit int
}

// algorithm is a search with its options resolved: bfs itself, or a Variant.
//
// A search that was to be one kernel, but whose blocks didn't all run at once, begins again
// level by level if space.FallsBack is set.
type algorithm struct {
	name    string // Result.Algorithm, with which errors begin
	options Options
	space   workspaceOptions
	variant *Variant // nil for bfs
}

// run searches once.
func (a *algorithm) run(ctx context.Context, p *graph.Placed, sources []uint32) (*Result, error) {
	start := time.Now()
	labels := a.options.labels(a.name, p)
	defer labels.Reset(ctx)
	returned := false
	defer func() {
		if !returned {
			a.options.tellFailed(ctx, a.name, p, sources, start, run.Panicked(a.name))
		}
	}()
	l, err := a.alone(labels.Set(ctx), p, Query{Sources: sources})
	returned = true
	if err != nil {
		a.options.tellFailed(ctx, a.name, p, sources, start, err)
		return nil, err
	}
	l.ended(start)
	return l.result, nil
}

// alone searches, up to loop.ended, in a space that is left to others afterwards.
func (a *algorithm) alone(ctx context.Context, p *graph.Placed, q Query) (*loop, error) {
	var hold run.Hold
	if err := hold.Take(p, a.name); err != nil {
		return nil, err
	}
	err := checkSources(p, q.Sources, a.name)
	if err == nil {
		err = run.Ready(ctx, a.name)
	}
	var s *workspace
	if err == nil {
		s, err = takeSpace(ctx, p, a.space, hold)
	}
	if err != nil {
		hold.Let()
		return nil, err
	}
	defer s.release() // also where a callback panics
	l := &loop{result: &Result{}}
	if err := a.search(s, l, q); err != nil {
		return nil, err
	}
	return l, nil
}

// search runs the search, up to loop.ended. Where it was to be one kernel, and that isn't
// possible here, it goes level by level.
func (a *algorithm) search(s *workspace, l *loop, q Query) error {
	o := a.options
	if len(q.Targets) > 0 {
		o.Targets = q.Targets
	}
	if q.DepthLimit != 0 {
		o.DepthLimit = q.DepthLimit
	}
	space := a.space
	space.Stats = space.Stats || o.logsLevels(s.ctx)
	space.Fused = a.fuses(s.Placed) && len(o.Targets) <= fusedTargets
	err := a.try(s, l, q.Sources, o, space)
	if a.late(s, err) {
		space.Fused = false
		err = a.try(s, l, q.Sources, o, space)
	}
	return err
}

func (a *algorithm) try(s *workspace, l *loop, sources []uint32, o Options, space workspaceOptions) error {
	if err := s.on.begin(sources, space); err != nil {
		return err
	}
	if err := l.begin(s, sources, a.name, o); err != nil {
		return err
	}
	if err := s.on.loop(a, l); err != nil {
		return err
	}
	return s.finish(l.result)
}

// fuses reports whether a search without targets is one kernel.
func (a *algorithm) fuses(p *graph.Placed) bool {
	f := figuresOf(p)
	return (a.space.Fused || a.space.Learns && f.small()) && !((a.space.FallsBack || a.space.Learns) && f.notTogether.Load())
}

// late reports whether a search has shown that it can't be one kernel here, but may go
// level by level, as later ones of the graph then do at once.
func (a *algorithm) late(s *workspace, err error) bool {
	if !(a.space.FallsBack || a.space.Learns) || !errors.Is(err, errLate) {
		return false
	}
	if l := a.options.Logger; !figuresOf(s.Placed).notTogether.Swap(true) && l != nil {
		return s.hold.Call(func() {
			l.LogAttrs(s.ctx, slog.LevelWarn, "search goes level by level",
				slog.String("algorithm", a.name), slog.String("device", s.lease.Name()))
		}) == nil
	}
	return true
}
