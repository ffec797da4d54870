// This file holds Pool, which shares searchers between goroutines within a budget of memory.

package traverse

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/metrics"
)

// Pool serves queries over one placed graph to any number of goroutines. As many run as fit a
// memory budget. Others wait, first come, first served, instead of failing with an error. Idle
// searchers keep their memory until another user of the budget needs it.
//
// On a GPU every searcher has a separate stream, so queries of a Pool run concurrently.
type Pool[Q, R any] struct{ pool *run.Pool[pooled[Q, R]] }

// pooled is a Searcher as a pool has it.
type pooled[Q, R any] struct{ *Searcher[Q, R] }

// Bind makes ctx end runs too, with device.ErrClosed, in addition to their own contexts.
func (s pooled[Q, R]) Bind(ctx context.Context) { s.life.Bind(ctx) }

// Observer returns what gets the state of the pool, and the name of the algorithm.
func (s pooled[Q, R]) Observer() (metrics.Recorder, string) { return s.work.o.Metrics, s.work.a.Name }

// Unbind drops the last run's references to its caller's values.
func (s pooled[Q, R]) Unbind() {
	if t := s.work.t; t != nil {
		t.ctx = nil
		if t.rests != nil {
			t.rests.lease.Unbind(s.life.Resting())
		}
	}
}

// NewPool returns a Pool of searchers over a placed graph. make returns a new searcher; all must be
// of one kind. The budget may be shared with other pools on the same device; nil means a budget of
// the device's free memory, less an eighth for memory that isn't counted. The error is make's, or device.ErrBudget, with both
// figures, if not even one searcher fits.
func NewPool[Q, R any](p *graph.Placed, make func() (*Searcher[Q, R], error), b *device.Budget) (*Pool[Q, R], error) {
	if make == nil {
		return nil, fmt.Errorf("traverse: %w: what makes searchers is nil; give a function", graph.ErrOptions)
	}
	q, err := run.NewPool("traverse", p, func() (pooled[Q, R], error) {
		s, err := make()
		return pooled[Q, R]{s}, err
	}, b)
	if err != nil {
		return nil, err
	}
	return &Pool[Q, R]{q}, nil
}

// Run waits for its turn, runs the algorithm for a query, and calls use with the result, which is
// valid during the call. use must not close it. The query counts as running until use returns. The
// error is that of Searcher.Run or of use, the context's also while waiting, device.ErrClosed after
// Close or Shutdown, also for calls that are waiting then, or graph.ErrOptions if use or the context
// is nil.
func (q *Pool[Q, R]) Run(ctx context.Context, query Q, use func(R) error) error {
	if err := callctx.Check(ctx, "traverse"); err != nil {
		return err
	}
	if use == nil {
		return q.pool.Do(ctx, nil)
	}
	return q.pool.Do(ctx, func(s pooled[Q, R]) error {
		r, err := s.Run(ctx, query)
		if err != nil {
			return err
		}
		return use(r)
	})
}

// Do waits for its turn and calls use with a searcher, which belongs to use during the call: for several
// queries in one turn. use must not close it or keep its results. The error is use's; all else is as
// with Run.
func (q *Pool[Q, R]) Do(ctx context.Context, use func(*Searcher[Q, R]) error) error {
	if err := callctx.Check(ctx, "traverse"); err != nil {
		return err
	}
	if use == nil {
		return q.pool.Do(ctx, nil)
	}
	return q.pool.Do(ctx, func(s pooled[Q, R]) error { return use(s.Searcher) })
}

// Close ends the pool: waiting and later calls fail immediately with device.ErrClosed. It waits
// for running queries and closes the searchers; the error is theirs. The placed graph isn't
// closed. Closing nil does nothing; a second call
// waits and returns the same error. A call from within use would wait for itself.
func (q *Pool[Q, R]) Close() error {
	if q == nil {
		return nil
	}
	return q.pool.Close()
}

// Shutdown is Close for a service that ends: it waits for running queries until ctx is done.
// Then it ends them, with device.ErrClosed, and returns the context's error without waiting for
// the callers of Run, for which Close waits. A nil context is graph.ErrOptions.
func (q *Pool[Q, R]) Shutdown(ctx context.Context) error {
	if err := callctx.Check(ctx, "traverse"); err != nil {
		return err
	}
	if q == nil {
		return nil
	}
	return q.pool.Shutdown(ctx)
}
