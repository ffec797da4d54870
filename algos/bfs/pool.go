// This file holds Pool, which shares searchers between goroutines within a
// budget of memory.

package bfs

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/traverse"
)

// Pool serves searches of one placed graph to any number of goroutines. As many
// run at once as a budget of memory has room for; others wait, first come, first
// served, instead of failing because memory is short. Idle searchers keep
// their memory until another user of the budget needs it.
//
// On a GPU every search has its own stream, so that searches of a Pool
// share the card.
type Pool struct{ *traverse.Pool[*Searcher] }

// pinned replaces AutoCoupling on a GPU: searches learn how large levels are, but all
// searchers of a pool are to take the same memory.
func (o Options) pinned(p *graph.Placed) Options {
	release, err := p.Hold()
	if err != nil { // which NewSearcher says
		return o
	}
	defer release()
	platformOf(p.Device()).pins(&o, p)
	return o
}

// Search waits for its turn, searches from a vertex, and calls use with the
// result, which is valid during the call. While use runs its search counts as
// running. It returns the errors of Searcher.Search and of use, the context's also
// while waiting, device.ErrClosed after Close, and graph.ErrOptions where use is nil.
func (q *Pool) Search(ctx context.Context, source uint32, use func(*Result) error) error {
	if err := callctx.Check(ctx, "bfs"); err != nil {
		return err
	}
	return q.Run(ctx, Query{Sources: []uint32{source}}, use)
}

// Run is Search for a query.
func (q *Pool) Run(ctx context.Context, query Query, use func(*Result) error) error {
	if err := callctx.Check(ctx, "bfs"); err != nil {
		return err
	}
	if use == nil {
		return errNoUse()
	}
	return q.Do(ctx, func(s *Searcher) error {
		r, err := s.Run(ctx, query)
		if err != nil {
			return err
		}
		return use(r)
	})
}

func errNoUse() error {
	return fmt.Errorf("bfs: %w: what a pool is to call is nil; give a function", graph.ErrOptions)
}

// Close refuses searches that wait, at once, waits for those that run, and closes the searchers: the
// error is theirs. The placed graph isn't freed. Closing nil, or a second time, does nothing more than wait.
func (q *Pool) Close() error {
	if q == nil {
		return nil
	}
	return q.Pool.Close()
}

// Shutdown is Close that waits until ctx is done: then it ends the searches that still run, with
// device.ErrClosed, and returns the context's error.
func (q *Pool) Shutdown(ctx context.Context) error {
	if err := callctx.Check(ctx, "bfs"); err != nil {
		return err
	}
	if q == nil {
		return nil
	}
	return q.Pool.Shutdown(ctx)
}
