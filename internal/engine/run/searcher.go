// This file holds Searcher, which answers one query after another in the same
// memory.

package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/text"
)

// Work is what a Searcher does: queries of type Q, with results of type R.
type Work[Q, R any] interface {
	// Begin readies the memory. After a success, the caller calls End.
	Begin(ctx context.Context) error
	// Check returns the error of a query.
	Check(q Q) error
	// Reclaim takes the memory of the last result back.
	Reclaim() error
	// Answer runs a query.
	Answer(q Q) (R, error)
	// End ends the use of the memory, also where a callback has panicked.
	End()
	// Close gives all memory back.
	Close() error
}

// Searcher is the life of one of any kind. It belongs to one goroutine at a time.
type Searcher[Q, R any] struct {
	Name   string // what errors begin with
	Work   Work[Q, R]
	Labels *Labels // in profiles, or nil

	closed bool
	busy   atomic.Bool     // from Begin to End
	cut    context.Context // of Bind
	unite  func()          // lets go of the context that cut may end too, from Begin to End
	caller context.Context // whose labels the goroutine has again after End, if there are Labels
}

// Bind has cut end queries too, with device.ErrClosed. No query may be under way.
func (s *Searcher[Q, R]) Bind(cut context.Context) { s.cut = cut }

// Resting is a context without a caller's: that of Bind, if any.
func (s *Searcher[Q, R]) Resting() context.Context {
	if s.cut == nil {
		return context.Background()
	}
	return s.cut
}

// united is a context that cut ends too.
func (s *Searcher[Q, R]) united(ctx context.Context) context.Context {
	switch {
	case s.cut == nil || ctx == nil:
		return ctx
	case ctx.Done() == nil: // then it costs nothing
		return valued{s.cut, ctx}
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.cut, cancel)
	if s.cut.Err() != nil { // AfterFunc's goroutine may come after a short search
		cancel()
	}
	s.unite = func() { stop(); cancel() }
	return ctx
}

// valued is a context with the values of another one, which never ends.
type valued struct {
	context.Context
	values context.Context
}

func (v valued) Value(key any) any { return v.values.Value(key) }

// why returns the error of a query that ended under ctx: who was cut off learns that, and not that
// a context ended which isn't his.
func (s *Searcher[Q, R]) why(ctx context.Context, err error) error {
	if s.cut == nil || s.cut.Err() == nil || !errors.Is(err, context.Canceled) || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%s: %w: the pool was shut down", s.Name, device.ErrClosed)
}

// Begin readies the searcher for queries, after which End is due. The error is
// device.ErrClosed after Close, or that of Work.Begin, or says that the searcher is at work.
func (s *Searcher[Q, R]) Begin(ctx context.Context) error {
	if err := callctx.Check(ctx, s.Name); err != nil {
		return err
	}
	if !s.busy.CompareAndSwap(false, true) {
		return fmt.Errorf("%s: the searcher is in use, and belongs to one goroutine at a time; make another, or take a Pool", s.Name)
	}
	begun := false
	defer func() { // also where Begin panics
		if !begun {
			s.leave()
		}
	}()
	if s.closed {
		return fmt.Errorf("%s: %w: the searcher; make another", s.Name, device.ErrClosed)
	}
	if s.Labels != nil {
		s.caller = ctx
	}
	if err := s.Work.Begin(s.united(s.Labels.Set(ctx))); err != nil {
		return s.why(ctx, err)
	}
	begun = true
	return nil
}

func (s *Searcher[Q, R]) leave() {
	if s.caller != nil {
		s.Labels.Reset(s.caller)
		s.caller = nil
	}
	if s.unite != nil {
		s.unite()
		s.unite = nil
	}
	s.busy.Store(false)
}

// End ends what Begin began.
func (s *Searcher[Q, R]) End() {
	defer s.leave()
	s.Work.End()
}

// Run runs a query. The result is valid until the next one.
func (s *Searcher[Q, R]) Run(ctx context.Context, q Q) (none R, err error) {
	if err := callctx.Check(ctx, s.Name); err != nil {
		return none, err
	}
	if err := s.Begin(ctx); err != nil {
		return none, err
	}
	defer s.End()
	if err := s.Work.Check(q); err != nil {
		return none, err
	}
	if err := s.Work.Reclaim(); err != nil {
		return none, err
	}
	r, err := s.Work.Answer(q)
	if err != nil {
		return r, s.why(ctx, err)
	}
	return r, nil
}

// Batch runs n queries, one after the other, and calls yield with the number of each and its
// result, which is valid during the call. It ends at the first error: that of a query names its place, as
// At does, one of yield is as it is. ahead, if not nil, runs the first ones in a way of
// its own: it returns the number of the one to go on with, or -1 where nothing is left, or
// the error ends it.
func (s *Searcher[Q, R]) Batch(ctx context.Context, n int, query func(i int) Q, yield func(i int, r R) error,
	place func(i int) string, ahead func() (rest int, err error)) error {
	if err := callctx.Check(ctx, s.Name); err != nil {
		return err
	}
	first := 0
	if ahead != nil {
		var err error
		if first, err = ahead(); first < 0 {
			if err != nil {
				err = s.why(ctx, err)
			}
			return err
		}
	}
	for i := first; i < n; i++ {
		r, err := s.Run(ctx, query(i))
		if err != nil {
			return s.At(place(i), err)
		}
		if err := yield(i, r); err != nil {
			return err
		}
	}
	return nil
}

// At returns the error of a query with its place in a batch. The text begins with the package's name, once.
func (s *Searcher[Q, R]) At(place string, err error) error {
	pkg, _, _ := strings.Cut(s.Name, ":")
	return text.Named(fmt.Sprintf("%s: %s: %s", pkg, place, strings.TrimPrefix(err.Error(), pkg+": ")), err)
}

// errEnded is why a loop over a batch ends early.
var errEnded = errors.New("the loop over a batch has ended")

// Panicked is the error that is reported of a search that a panic ended, such as one in a callback.
func Panicked(name string) error { return fmt.Errorf("%s: a panic ended the search", name) }

// Results returns the results of a batch, which calls its argument as Searcher.Batch calls yield. An
// error is the last pair. The next call reports a failure that follows the end of a loop that ended early.
func Results[R any](batch func(yield func(i int, r R) error) error) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		err := batch(func(_ int, r R) error {
			if !yield(r, nil) {
				return errEnded
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnded) {
			var none R
			yield(none, err)
		}
	}
}

// Close gives the memory back, the last result with it. Again it does nothing. While a query runs it
// is an error, and nothing is given back.
func (s *Searcher[Q, R]) Close() error {
	if !s.busy.CompareAndSwap(false, true) {
		return fmt.Errorf("%s: the searcher is in use; close it when its run has returned", s.Name)
	}
	defer s.busy.Store(false)
	if s.closed {
		return nil
	}
	s.closed = true
	return s.Work.Close()
}
