// This file holds Pool, which shares searchers between goroutines within a budget of memory.

package run

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/budget"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
)

// Pooled is a searcher that a Pool may share.
type Pooled interface {
	comparable
	// Bytes is its maximum memory on the device.
	Bytes() uint64
	// Bind makes ctx end later searches too, with device.ErrClosed, in addition to their own contexts.
	Bind(ctx context.Context)
	// Unbind drops the last search's references to its caller's values.
	Unbind()
	Close() error
	// Observer returns what gets the state of the pool, or nil, and the name of the searches.
	Observer() (metrics.Recorder, string)
}

// Pool shares searchers of one placed graph between any number of goroutines. As many searches
// run as fit a memory budget. Others wait, first come, first served, instead of failing with an
// error. Idle searchers keep their memory until another user of the budget needs it.
//
// On a GPU every searcher has a separate stream, so searches of a Pool run concurrently.
type Pool[S Pooled] struct {
	name   string // of the package, with which errors begin
	budget *device.Budget
	make   func() (S, error)
	bytes  uint64
	watch  *watch // nil unless the searchers have metrics

	closing chan struct{}   // closed by Close and Shutdown: ends all waiting
	cut     context.Context // done once Shutdown has no more time: searches end
	cutOff  context.CancelFunc

	mu     sync.Mutex
	errs   []error // of searchers that were closed
	closed bool
	active sync.WaitGroup // calls of Do
	live   sync.WaitGroup // searchers
}

// NewPool returns a Pool of searchers over a placed graph. Errors begin with the name of the package. make returns a new searcher; all must be
// of one kind. The budget may be shared with other pools on the same device; nil means a budget of
// the device's free memory, less an eighth for memory that isn't counted. The error is make's, or device.ErrBudget, with both
// figures, if not even one searcher fits.
func NewPool[S Pooled](name string, p *graph.Placed, make func() (S, error), b *device.Budget) (*Pool[S], error) {
	if make == nil {
		return nil, fmt.Errorf("%s: %w: what makes searchers is nil; give a function", name, graph.ErrOptions)
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	first, err := make()
	if err != nil {
		return nil, err
	}
	if b == nil {
		b = budgetOf(p.Device())
	}
	q := newPool(name, b, make, first.Bytes())
	if to, of := first.Observer(); to != nil {
		q.watch = &watch{to: to, name: of, device: DeviceName(p), budget: b}
	}
	if err := first.Close(); err != nil {
		return nil, err
	}
	if q.bytes > b.Total() {
		return nil, fmt.Errorf("%s: %w: a search takes up to %s of %s, but the budget is %s",
			name, device.ErrBudget, text.Bytes(q.bytes), p.Device().Info().Name, text.Bytes(b.Total()))
	}
	return q, nil
}

func newPool[S Pooled](name string, b *device.Budget, search func() (S, error), bytes uint64) *Pool[S] {
	q := &Pool[S]{name: name, budget: b, make: search, bytes: bytes, closing: make(chan struct{})}
	q.cut, q.cutOff = context.WithCancel(context.Background())
	return q
}

// budgetOf returns a budget of the device's free memory, less an eighth for memory that isn't counted. If the device
// can't report its free memory, the budget is unlimited.
func budgetOf(d device.Device) *device.Budget {
	free := d.Info().MemoryFree
	if free == 0 {
		return device.NewBudget(^uint64(0))
	}
	return device.NewBudget(free - free/8)
}

// Do waits for its turn and calls use with a searcher, which belongs to use during the call.
// use must not close it or keep its results. The error is use's, the context's while waiting,
// device.ErrClosed after Close or Shutdown, also for calls that are waiting then, or graph.ErrOptions
// if use or the context is nil.
func (q *Pool[S]) Do(ctx context.Context, use func(S) error) error {
	if err := callctx.Check(ctx, q.name); err != nil {
		return err
	}
	if use == nil {
		return fmt.Errorf("%s: %w: what it is to call is nil; give a function", q.name, graph.ErrOptions)
	}
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		err := q.errClosed()
		q.watch.change(ctx, 0, 0, metrics.Pool{Err: err})
		return err
	}
	q.active.Add(1)
	q.mu.Unlock()
	defer q.active.Done()
	since := q.watch.clock()
	q.watch.waits(ctx)
	hold, err := q.budget.State().Reuse(ctx, q.closing, q.bytes, q)
	if err != nil {
		if errors.Is(err, budget.ErrStopped) {
			err = q.errClosed()
		} else {
			err = fmt.Errorf("%s: waiting for memory: %w", q.name, err)
		}
		q.watch.refused(ctx, err)
		return err
	}
	s, ok := hold.Value.(S)
	if !ok {
		made, err := false, fmt.Errorf("%s: what makes searchers panicked", q.name) // unless it returns
		defer func() {
			if !made {
				hold.Release()
				q.watch.refused(ctx, err)
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
	defer q.watch.change(ctx, 0, -1, metrics.Pool{})
	defer func() { // also where use panics
		s.Unbind()
		hold.Park(func() { q.end(s) })
	}()
	q.watch.began(ctx, since)
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

// Close ends the pool: waiting and later calls fail immediately with device.ErrClosed. It waits
// for running searches and closes the searchers; the error is theirs. The placed graph isn't
// closed. Closing nil does nothing; a second time it waits and returns the same error. A call from within use would wait for itself.
func (q *Pool[S]) Close() error {
	if q == nil {
		return nil
	}
	q.refuse()
	q.active.Wait()
	q.budget.State().Evict(q)
	q.live.Wait() // for those that make way for others at the moment
	q.cutOff()
	q.mu.Lock()
	defer q.mu.Unlock()
	return errors.Join(q.errs...)
}

// Shutdown is Close for a service that ends: it waits for running searches until ctx is done.
// Then it ends them, with device.ErrClosed, and returns the context's error without waiting for
// the callers of Do, for which Close waits. A nil context is graph.ErrOptions.
func (q *Pool[S]) Shutdown(ctx context.Context) error {
	if q == nil {
		return nil
	}
	if err := callctx.Check(ctx, q.name); err != nil {
		return err
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

// refuse refuses waiting and later calls.
func (q *Pool[S]) refuse() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.closing)
	}
}

func (q *Pool[S]) errClosed() error {
	return fmt.Errorf("%s: %w: the pool; make another", q.name, device.ErrClosed)
}
