// This file holds Pool, which shares searchers between goroutines within a budget of memory.

package traverse

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/text"
)

// Searching is a searcher of which a Pool may have several: those of this package, and of
// the algorithms.
type Searching interface {
	comparable
	// Bytes is what it takes of the device's memory at most.
	Bytes() uint64
	// Bind has ctx end the searches to come too, with device.ErrClosed, beside the context of each.
	Bind(ctx context.Context)
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

	closing chan struct{}   // closed by Close and Shutdown: nobody waits any more
	cut     context.Context // done once Shutdown has no more time: searches end
	cutOff  context.CancelFunc

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
	q := newPool(b, make, first.Bytes())
	if err := first.Close(); err != nil {
		return nil, err
	}
	if q.bytes > b.Total() {
		return nil, fmt.Errorf("pool: %w: a search takes up to %s of %s, but the budget is %s",
			device.ErrBudget, text.Bytes(q.bytes), p.Device().Info().Name, text.Bytes(b.Total()))
	}
	return q, nil
}

func newPool[S Searching](b *device.Budget, search func() (S, error), bytes uint64) *Pool[S] {
	q := &Pool[S]{budget: b, make: search, bytes: bytes, closing: make(chan struct{})}
	q.cut, q.cutOff = context.WithCancel(context.Background())
	return q
}

// Bytes returns what a searcher takes of the budget.
func (q *Pool[S]) Bytes() uint64 { return q.bytes }

// Do waits for its turn and calls use with a searcher, which is the caller's during the call.
// use must not close it, nor keep its results. Errors are those of use, the context's while
// waiting, device.ErrClosed after Close or Shutdown, also for those who wait then, and graph.ErrOptions
// where use or the context is nil.
func (q *Pool[S]) Do(ctx context.Context, use func(S) error) error {
	if err := callctx.Check(ctx, "pool"); err != nil {
		return err
	}
	if use == nil {
		return fmt.Errorf("pool: %w: what it is to call is nil; give a function", graph.ErrOptions)
	}
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return errPoolClosed()
	}
	q.active.Add(1)
	q.mu.Unlock()
	defer q.active.Done()
	hold, err := q.budget.Reuse(ctx, q.closing, q.bytes, q)
	if errors.Is(err, device.ErrClosed) {
		return errPoolClosed()
	}
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
		s.Bind(q.cut)
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

// Close ends the pool: who waits, and who comes later, gets device.ErrClosed at once. It
// waits for the searches that run, and closes the searchers: the error is
// theirs. The placed graph isn't freed. Closing nil, or a second time, does nothing more than wait.
// A call from within use would wait for itself.
func (q *Pool[S]) Close() error {
	if q == nil {
		return nil
	}
	q.refuse()
	q.active.Wait()
	q.budget.Evict(q)
	q.live.Wait() // for those that make way for others at the moment
	q.cutOff()
	q.mu.Lock()
	defer q.mu.Unlock()
	err := errors.Join(q.errs...)
	q.errs = nil
	return err
}

// Shutdown is Close for a service that ends: it waits for the searches that run until ctx
// is done. Then it ends them, with device.ErrClosed, and returns the context's error without
// waiting for those who called Do, which Close does. A nil context is graph.ErrOptions.
func (q *Pool[S]) Shutdown(ctx context.Context) error {
	if err := callctx.Check(ctx, "pool"); err != nil {
		return err
	}
	if q == nil {
		return nil
	}
	q.refuse()
	ended := make(chan error, 1)
	go func() { ended <- q.Close() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	q.cutOff()
	return ctx.Err()
}

// refuse refuses those who wait, and those who come later.
func (q *Pool[S]) refuse() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.closing)
	}
}

func errPoolClosed() error { return fmt.Errorf("%w: the pool; make another", device.ErrClosed) }
