//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the communicator between processes, as its callers see it.

package comm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// MPI connects the processes that an MPI launcher such as mpirun started. A
// process can do so once. MPI searches for the library as World does.
func MPI(ctx context.Context, o Options) (Comm, error) {
	return openMPI(ctx, start{libraries: append(openMPIs[:1:1], mpiches...)}, o)
}

var opened atomic.Bool

func openMPI(ctx context.Context, s start, o Options) (Comm, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	if opened.Swap(true) {
		return nil, errors.New("MPI was opened before by this process, which it can be once")
	}
	c := &mpiJob{
		deadline: o.Deadline, done: make(chan struct{}),
		calls: make(chan *mpiCall), aborts: make(chan *Error, 1), hear: make(chan chan struct{}), closed: make(chan struct{}),
	}
	if c.deadline == 0 {
		c.deadline = deadline
	}
	ready := make(chan error, 1)
	go serve(c, s, ready)
	late := time.NewTimer(startDeadline)
	defer late.Stop()
	select {
	case <-late.C:
		return nil, fmt.Errorf("%w while MPI was starting, for %v: a process that was started with this one has stopped, ended, or isn't foray", ErrHung, startDeadline)
	case err := <-ready:
		if err != nil {
			return nil, err
		}
		return &mpiComm{mpiJob: c, circle: c.all}, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("while MPI was starting: %w", ended(ctx))
	}
}

// mpiComm is a rank among processes: among all of a job, or among the first ones.
type mpiComm struct {
	*mpiJob
	circle *circle
}

// mpiJob is this process among all processes of the launcher. The thread that serve runs on makes all
// calls of MPI.
type mpiJob struct {
	rank, size int
	all        *circle
	deadline   time.Duration
	calls      chan *mpiCall
	aborts     chan *Error
	hear       chan chan struct{} // each is closed after a server.hear
	closed     chan struct{}      // closed when MPI is finalized
	busy       atomic.Bool
	last       atomic.Int64 // when it made progress, in ns
	asking     atomic.Int64 // when Silent was called, in ns
	silent     atomic.Int64 // its result, plus 1
	leaving    []atomic.Bool

	mu   sync.Mutex
	err  *Error
	done chan struct{}
}

// mpiCall is a call that waits for its turn or is under way.
type mpiCall struct {
	call
	circle   *circle
	ctx      context.Context
	words    []uint64
	out, in  [][]byte
	among    []int   // the ranks of an Exchange among some; nil: all
	made     *circle // by opFirst
	finished chan error
}

func (c *mpiJob) Rank() int             { return c.rank }
func (c *mpiComm) Size() int            { return c.circle.records.size }
func (c *mpiJob) Progress()             { c.last.Store(time.Now().UnixNano()) }
func (c *mpiJob) Done() <-chan struct{} { return c.done }

func (c *mpiJob) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		return nil
	}
	return c.err
}

// fail notes a failure, of which the first counts, and reports whether it was it.
func (c *mpiJob) fail(e *Error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failLocked(e)
}

func (c *mpiJob) failLocked(e *Error) bool {
	if c.err != nil {
		return false
	}
	c.err = e
	close(c.done)
	return true
}

func (c *mpiJob) Abort(cause error) {
	var e *Error
	if !errors.As(cause, &e) {
		e = &Error{Rank: c.rank, Err: aborted(cause)}
	}
	select {
	case <-c.closed:
		return
	default:
	}
	if errors.Is(e, context.Canceled) {
		c.awaitNews()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failLocked(e) {
		c.aborts <- e // has room for one, and only the first failure gets here
	}
}

// awaitNews waits until the thread has received what other ranks sent before, as server.hear does.
func (c *mpiJob) awaitNews() {
	late := time.NewTimer(farewell)
	defer late.Stop()
	heard := make(chan struct{})
	select {
	case c.hear <- heard:
	case <-c.done:
		return
	case <-c.closed:
		return
	case <-late.C: // the thread is in a call of MPI
		return
	}
	select {
	case <-heard:
	case <-late.C:
	}
}

func (c *mpiComm) Sum(ctx context.Context, numbers []uint64) error {
	return c.do(&mpiCall{ctx: ctx, call: call{op: opSum}, words: numbers})
}

func (c *mpiComm) Max(ctx context.Context, numbers []uint64) error {
	return c.do(&mpiCall{ctx: ctx, call: call{op: opMax}, words: numbers})
}

func (c *mpiComm) Or(ctx context.Context, bitmap []uint64) error {
	return c.do(&mpiCall{ctx: ctx, call: call{op: opOr}, words: bitmap})
}

func (c *mpiComm) Barrier(ctx context.Context) error {
	return c.do(&mpiCall{ctx: ctx, call: call{op: opBarrier}})
}

func (c *mpiComm) Exchange(ctx context.Context, out [][]byte) ([][]byte, error) {
	return c.exchangeAmong(ctx, nil, out)
}

// exchangeAmong is ExchangeAmong; ranks are nil for all.
func (c *mpiComm) exchangeAmong(ctx context.Context, ranks []int, out [][]byte) ([][]byte, error) {
	if size := c.Size(); len(out) != size {
		err := wrongLists(len(out), size)
		c.Abort(err)
		return nil, err
	}
	q := &mpiCall{ctx: ctx, call: call{op: opExchange}, out: out, among: ranks}
	err := c.do(q)
	return q.in, err
}

func (c *mpiComm) Close() error {
	select {
	case <-c.closed:
		return nil
	default:
	}
	if c.circle.closed {
		return nil
	}
	return c.do(&mpiCall{ctx: context.Background(), call: call{op: opClose}})
}

// First implements the function First.
func (c *mpiComm) First(ctx context.Context, n int) (Comm, error) {
	q := &mpiCall{ctx: ctx, call: call{op: opFirst, length: n}}
	if err := c.do(q); err != nil || c.rank >= n {
		return nil, err
	}
	return &mpiComm{c.mpiJob, q.made}, nil
}

// do hands a call to the thread and waits for its end.
func (c *mpiComm) do(q *mpiCall) error {
	if !c.busy.CompareAndSwap(false, true) {
		err := fmt.Errorf("%v was called while another call was under way", q.op)
		c.Abort(err)
		return err
	}
	defer c.busy.Store(false)
	c.Progress()
	defer c.Progress()
	if c.circle.closed {
		return ErrClosed
	}
	q.circle, q.seq, q.finished = c.circle, c.circle.seq, make(chan error, 1)
	if q.op != opFirst {
		q.length = len(q.words)
	}
	c.circle.seq++
	select {
	case c.calls <- q:
		return <-q.finished
	case <-c.closed:
		return ErrClosed
	}
}
