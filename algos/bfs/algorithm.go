// This file holds Algorithm, what Run, Searcher and Pool run, and a query.

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
	// kernel (Fused), named or not.
	Targets []uint32
	// DepthLimit ends it as Options.DepthLimit does; 0 means that of the options.
	DepthLimit int32
}

// Algorithm is a way to search.
type Algorithm struct {
	Name    string  // what Result.Algorithm says
	Options Options // resolved
	Space   SpaceOptions
	// Host and GPU are the loops. They get a space with the sources in Space.Cur and the
	// books to keep. Where Space says Fused, GPU asks GPU.OneKernel whether the search at
	// hand is to be that; one that was to be one kernel, but whose blocks didn't all run at
	// once, is begun again level by level where Space says FallsBack.
	Host func(*Host, *Loop) error
	GPU  func(*GPU, *Loop) error
	// Across is the loop over several GPUs.
	Across func(*Across, *Loop) error
}

// Run searches once.
func (a *Algorithm) Run(ctx context.Context, p *graph.Placed, sources []uint32) (*Result, error) {
	start := time.Now()
	l, err := a.alone(ctx, p, Query{Sources: sources})
	if err != nil {
		a.Options.tellFailed(ctx, a.Name, p, sources, start, err)
		return nil, err
	}
	l.Ended(start)
	return l.Result, nil
}

// alone searches, up to Loop.Ended, in a space that is left to others afterwards.
func (a *Algorithm) alone(ctx context.Context, p *graph.Placed, q Query) (*Loop, error) {
	var hold run.Hold
	if err := hold.Take(p, "bfs"); err != nil {
		return nil, err
	}
	err := checkSources(p, q.Sources)
	if err == nil {
		err = run.Ready(ctx, "bfs")
	}
	var s *Space
	if err == nil {
		s, err = takeSpace(ctx, p, a.Space, hold)
	}
	if err != nil {
		hold.Let()
		return nil, err
	}
	defer s.release() // also where a callback panics
	l := &Loop{Result: &Result{}}
	if err := a.search(s, l, q); err != nil {
		return nil, err
	}
	return l, nil
}

// search runs the search, up to Loop.Ended. Where it was to be one kernel, and that isn't
// possible here, it goes level by level.
func (a *Algorithm) search(s *Space, l *Loop, q Query) error {
	o := a.Options
	if len(q.Targets) > 0 {
		o.Targets = q.Targets
	}
	if q.DepthLimit != 0 {
		o.DepthLimit = q.DepthLimit
	}
	space := a.Space
	space.Stats = space.Stats || o.logsLevels(s.ctx)
	space.Fused = a.fuses(s.Placed) && len(o.Targets) <= FusedTargets
	err := a.try(s, l, q.Sources, o, space)
	if a.late(s, err) {
		space.Fused = false
		err = a.try(s, l, q.Sources, o, space)
	}
	return err
}

func (a *Algorithm) try(s *Space, l *Loop, sources []uint32, o Options, space SpaceOptions) error {
	if err := s.on.begin(sources, space); err != nil {
		return err
	}
	if err := l.begin(s, sources, a.Name, o); err != nil {
		return err
	}
	if err := s.on.loop(a, l); err != nil {
		return err
	}
	return s.finish(l.Result)
}

// fuses reports whether a search without targets is one kernel.
func (a *Algorithm) fuses(p *graph.Placed) bool {
	return a.Space.Fused && !(a.Space.FallsBack && figuresOf(p).notTogether.Load())
}

// late reports whether a search has shown that it can't be one kernel here, but may go
// level by level, as later ones of the graph then do at once.
func (a *Algorithm) late(s *Space, err error) bool {
	if !a.Space.FallsBack || !errors.Is(err, errLate) {
		return false
	}
	if l := a.Options.Logger; !figuresOf(s.Placed).notTogether.Swap(true) && l != nil {
		return s.hold.Call(func() {
			l.LogAttrs(s.ctx, slog.LevelWarn, "search goes level by level",
				slog.String("algorithm", a.Name), slog.String("device", s.lease.Name()))
		}) == nil
	}
	return true
}
