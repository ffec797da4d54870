// This file holds what Run, Searcher and Pool have in common: a query, and the way in
// which it is searched.

package search

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/foray-graph/foray/graph"
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

// method is a way to search.
type method struct {
	algorithm string
	o         Options
	space     SpaceOptions
	run       func(*Space, *Loop) error
}

// RunOf searches once, by the loop run, over the parts that this package has; NewSearcherOf
// says more.
func RunOf(ctx context.Context, p *graph.Placed, sources []uint32, algorithm string, o Options, space SpaceOptions, run func(*Space, *Loop) error) (*Result, error) {
	start := time.Now()
	return method{algorithm, o, space, run}.once(ctx, p, Query{Sources: sources}, start)
}

// once searches in a space that is left to others afterwards.
func (m method) once(ctx context.Context, p *graph.Placed, q Query, start time.Time) (*Result, error) {
	s, err := openSpace(ctx, p, q.Sources, m.space)
	if err != nil {
		return nil, err
	}
	defer s.Guard()()
	l := &Loop{Result: &Result{}}
	err = m.search(s, l, q)
	s.Release()
	if err != nil {
		return nil, err
	}
	l.Ended(start)
	return l.Result, nil
}

// search runs the search, up to Loop.Ended. Where it was to be one kernel, and that isn't
// possible here, it goes level by level.
func (m method) search(s *Space, l *Loop, q Query) error {
	o := m.o
	if len(q.Targets) > 0 {
		o.Targets = q.Targets
	}
	if q.DepthLimit != 0 {
		o.DepthLimit = q.DepthLimit
	}
	space := m.space
	space.Fused = m.fuses(s.Placed) && len(o.Targets) <= FusedTargets
	err := m.try(s, l, q.Sources, o, space)
	if m.late(s, err) {
		space.Fused = false
		err = m.try(s, l, q.Sources, o, space)
	}
	return err
}

func (m method) try(s *Space, l *Loop, sources []uint32, o Options, space SpaceOptions) error {
	if err := s.begin(sources, space); err != nil {
		return err
	}
	if err := l.begin(s, sources, m.algorithm, o); err != nil {
		return err
	}
	if err := m.run(s, l); err != nil {
		return err
	}
	return s.finish(l.Result)
}

// fuses reports whether a search without targets is one kernel.
func (m method) fuses(p *graph.Placed) bool {
	return m.space.Fused && !(m.space.FallsBack && figuresOf(p).notTogether.Load())
}

// late reports whether a search has shown that it can't be one kernel here, but may go
// level by level, as later ones of the graph then do at once.
func (m method) late(s *Space, err error) bool {
	if !m.space.FallsBack || !errors.Is(err, errLate) {
		return false
	}
	if l := m.o.Logger; !figuresOf(s.Placed).notTogether.Swap(true) && l != nil {
		s.pause()
		l.LogAttrs(context.Background(), slog.LevelWarn, "the blocks of a search in one kernel didn't all run at once; searches of this graph go level by level",
			slog.String("algorithm", m.algorithm), slog.String("device", s.gpu.s.Name()))
		return s.resume() == nil
	}
	return true
}
