// This file holds Pool, which shares searchers between goroutines within a
// budget of memory.

package bfs

import (
	"context"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/metrics"
)

// Pool serves searches of one placed graph to any number of goroutines. As many
// run at once as a budget of memory has room for; others wait, first come, first
// served, instead of failing because memory is short. Idle searchers keep
// their memory until another user of the budget needs it.
//
// On a GPU every search has its own stream, so that searches of a Pool
// share the card.
type Pool struct {
	pool *run.Pool[pooled]
	name string // what errors begin with
}

// pooled is a Searcher as a pool has it.
type pooled struct{ *Searcher }

// Bind sets a second context that cancels searches, with device.ErrClosed.
func (s pooled) Bind(ctx context.Context) { s.life.Bind(ctx) }

// Observer returns what gets the state of the pool, and the name of the searches.
func (s pooled) Observer() (metrics.Recorder, string) { return s.work.options.Metrics, s.work.name }

// Unbind lets go of the context of the last search.
func (s pooled) Unbind() {
	s.work.loop.ctx = nil
	if s.work.s != nil {
		s.work.s.lease.Unbind(s.life.Resting())
	}
}

// pinned replaces couplingAuto on a GPU: searches learn how large levels are, but all
// searchers of a pool are to take the same memory.
func (o Options) pinned(p *graph.Placed) Options {
	if o.Variant != nil {
		return o
	}
	release, err := p.Hold()
	if err != nil { // which NewSearcher says
		return o
	}
	defer release()
	platformOf(p.Device()).pins(&o, p)
	return o
}

// Run waits for its turn, searches, and calls use with the result, which is valid during the call.
// use must not close it. While use runs its search counts as running. It returns the errors of
// Searcher.Run and of use, the context's also while waiting, device.ErrClosed after Close or
// Shutdown, also for calls that are waiting then, and graph.ErrOptions where use is nil.
func (q *Pool) Run(ctx context.Context, query Query, use func(*Result) error) error {
	if err := callctx.Check(ctx, q.name); err != nil {
		return err
	}
	if use == nil {
		return q.pool.Do(ctx, nil)
	}
	return q.pool.Do(ctx, func(s pooled) error {
		r, err := s.Run(ctx, query)
		if err != nil {
			return err
		}
		return use(r)
	})
}

// Do waits for its turn and calls use with a searcher, which belongs to use during the call: for several
// searches in one turn, such as a Batch. use must not close it or keep its results. The error is
// use's; all else is as with Run.
func (q *Pool) Do(ctx context.Context, use func(*Searcher) error) error {
	if err := callctx.Check(ctx, q.name); err != nil {
		return err
	}
	if use == nil {
		return q.pool.Do(ctx, nil)
	}
	return q.pool.Do(ctx, func(s pooled) error { return use(s.Searcher) })
}

// Close refuses searches that wait, at once, waits for those that run, and closes the searchers: the
// error is theirs. The placed graph isn't closed. Closing nil does nothing; a second call
// waits and returns the same error.
func (q *Pool) Close() error {
	if q == nil {
		return nil
	}
	return q.pool.Close()
}

// Shutdown is Close that waits until ctx is done: then it ends the searches that still run, with
// device.ErrClosed, and returns the context's error.
func (q *Pool) Shutdown(ctx context.Context) error {
	name := bfsName
	if q != nil {
		name = q.name
	}
	if err := callctx.Check(ctx, name); err != nil {
		return err
	}
	if q == nil {
		return nil
	}
	return q.pool.Shutdown(ctx)
}
