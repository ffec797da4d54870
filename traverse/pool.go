// This file holds Pool, which shares searchers between goroutines within a budget of memory.

package traverse

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/run"
)

// Searching is a searcher of which a Pool may have several: those of this package, and of
// the algorithms.
type Searching interface {
	comparable
	// Bytes is what it takes of the device's memory at most.
	Bytes() uint64
	// Unbind lets go of what the last search had of its caller's.
	Unbind()
	Close() error
}

// Pool shares searchers of one placed graph between any number of goroutines. As many search
// at once as a budget of memory has room for; others wait, first come, first served, instead
// of failing for want of memory. Searchers that are idle keep their memory until somebody
// else who shares the budget needs it.
//
// On a GPU every searcher has a stream of its own, so that searches of a Pool share the card.
type Pool[S Searching] struct {
	budget *device.Budget
	make   func() (S, error)
	bytes  uint64

	mu     sync.Mutex
	errs   []error // of searchers that were closed
	closed bool
	active sync.WaitGroup // calls of Do
	live   sync.WaitGroup // searchers
}

// NewPool returns a Pool of the searchers that make makes, all of one kind, over that placed
// graph. The budget may be shared with other pools on the same device; nil is one of what the
// device has free at present (device.BudgetOf). The error is make's, or device.ErrBudget
// where not even one searcher fits, with both figures.
func NewPool[S Searching](p *graph.Placed, b *device.Budget, make func() (S, error)) (*Pool[S], error) {
	if make == nil {
		return nil, fmt.Errorf("pool: %w: what makes searchers is nil; give a function", graph.ErrOptions)
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("pool: %w", err)
	}
	first, err := make()
	if err != nil {
		return nil, err
	}
	if b == nil {
		b = device.BudgetOf(p.Device())
	}
	q := &Pool[S]{budget: b, make: make, bytes: first.Bytes()}
	if err := first.Close(); err != nil {
		return nil, err
	}
	if q.bytes > b.Total() {
		return nil, fmt.Errorf("pool: %w: a search takes up to %d bytes of %s, the budget is %d",
			device.ErrBudget, q.bytes, p.Device().Info().Name, b.Total())
	}
	return q, nil
}

// Bytes returns what a searcher takes of the budget.
func (q *Pool[S]) Bytes() uint64 { return q.bytes }

// Do waits for its turn and calls use with a searcher, which is the caller's during the call.
// use must not close it, nor keep its results. Errors are those of use, the context's while
// waiting, device.ErrClosed after Close, and graph.ErrOptions where use or the context is nil.
func (q *Pool[S]) Do(ctx context.Context, use func(S) error) error {
	if use == nil {
		return fmt.Errorf("pool: %w: what it is to call is nil; give a function", graph.ErrOptions)
	}
	if ctx == nil {
		return run.Ready(ctx, "pool")
	}
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return fmt.Errorf("%w: the pool; make another", device.ErrClosed)
	}
	q.active.Add(1)
	q.mu.Unlock()
	defer q.active.Done()
	hold, err := q.budget.Reuse(ctx, q.bytes, q)
	if err != nil {
		return fmt.Errorf("waiting for memory: %w", err)
	}
	s, ok := hold.Value.(S)
	if !ok {
		made := false
		defer func() { // also where make panics
			if !made {
				hold.Release()
			}
		}()
		if s, err = q.make(); err != nil {
			return err
		}
		made = true
		hold.Value = s
		q.live.Add(1)
	}
	defer func() { // also where use panics
		s.Unbind()
		hold.Park(func() { q.end(s) })
	}()
	return use(s)
}

// end closes a searcher.
func (q *Pool[S]) end(s S) {
	defer q.live.Done()
	if err := s.Close(); err != nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.errs = append(q.errs, err)
	}
}

// Close waits for the searches that run or wait, and closes the searchers: the error is
// theirs. The placed graph isn't freed. Closing nil, or a second time, does nothing.
func (q *Pool[S]) Close() error {
	if q == nil {
		return nil
	}
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.active.Wait()
	q.budget.Evict(q)
	q.live.Wait() // for those that make way for others at the moment
	q.mu.Lock()
	defer q.mu.Unlock()
	err := errors.Join(q.errs...)
	q.errs = nil
	return err
}
