//go:build linux && (amd64 || arm64) && !nocuda

// This file holds communicators: what a rank has, and how failure is told.

package nccl

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/comm"
	"github.com/foray-graph/foray/internal/gpu"
)

// Comm is one rank's end of a communicator between GPUs. One goroutine at a time makes its
// calls; Progress, Abort, Done and Err may be called from any. See the package on what is
// collective.
type Comm struct {
	team   *team
	lib    *library
	dev    *gpu.Device
	stream *gpu.Stream
	rank   int
	size   int

	busy   atomic.Bool
	closed atomic.Bool
	seq    atomic.Uint64 // how many calls it made
	last   atomic.Int64  // when it made progress, in ns
	call   atomic.Pointer[string]

	mu     sync.Mutex // around calls of NCCL
	handle uintptr    // ncclComm_t, 0 if there is none any more
	gone   chan struct{}

	words         device.Memory // for counts, barriers and what ranks say of themselves
	pinned        *gpu.Pinned   // for counts
	scratch       device.Memory // for bitmaps of others
	room          uint64
	round         *round      // that it is in, if other ranks share the process
	marks         []*gpu.Mark // a ring: one for each call that was enqueued
	passed        uint64      // calls that are done, as far as was seen
	enqueuedCalls uint64
	gatherMost    uint64
	kernel        *gpu.Kernel
	args          gpu.Args
}

// team is what the ranks in this process share: all of the communicator's, or one.
type team struct {
	deadline time.Duration
	members  []*Comm
	host     comm.Comm // of all ranks' processes; nil if there is none, or one process
	done     chan struct{}
	ended    chan struct{} // closed with the last member
	open     atomic.Int32  // members that aren't closed

	mu     sync.Mutex
	err    *comm.Error
	rounds map[uint64]*round
}

// round is what the ranks of this process are in at a time.
type round struct {
	rank int
	call string
	here int
	full chan struct{} // closed when all are there
}

func newTeam(o Options, host comm.Comm) *team {
	t := &team{deadline: o.Deadline, host: host, done: make(chan struct{}), ended: make(chan struct{}), rounds: map[uint64]*round{}}
	if t.deadline == 0 {
		t.deadline = deadline
	}
	return t
}

// Rank is this rank's number, from 0 to Size-1.
func (c *Comm) Rank() int { return c.rank }

// Size is the number of ranks.
func (c *Comm) Size() int { return c.size }

// Progress says that this rank is at work between two calls. It is heard by ranks of the same
// process.
func (c *Comm) Progress() { c.last.Store(time.Now().UnixNano()) }

// Done is closed when the communicator has failed. Close doesn't close it.
func (c *Comm) Done() <-chan struct{} { return c.team.done }

// Err is nil, or the *comm.Error with which the communicator failed.
func (c *Comm) Err() error { return c.team.failure() }

// Abort makes the communicator fail with this rank and cause. Ranks of the same process, and of
// processes with a communicator in host memory, are told; others find out after the deadline.
func (c *Comm) Abort(cause error) {
	if c.closed.Load() {
		return
	}
	var e *comm.Error
	if !errors.As(cause, &e) {
		if cause == nil {
			cause = comm.ErrAborted
		} else {
			cause = fmt.Errorf("%w: %w", comm.ErrAborted, cause)
		}
		e = &comm.Error{Rank: c.rank, Err: cause}
	}
	c.team.fail(e)
}

func (t *team) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		return nil
	}
	return t.err
}

// fail notes a failure, of which the first counts, and ends what runs on all GPUs of this
// process. It returns the error that counts.
func (t *team) fail(e *comm.Error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = e
		close(t.done)
		for _, m := range t.members {
			go m.abort()
		}
		if t.host != nil {
			t.host.Abort(e)
		}
	}
	return t.err
}

// fails is fail with this rank, in a call.
func (c *Comm) fails(call string, err error) error {
	return c.team.fail(&comm.Error{Rank: c.rank, Call: call, Err: err})
}

// watch fails with the communicator in host memory.
func (t *team) watch() {
	select {
	case <-t.host.Done():
		var e *comm.Error
		if !errors.As(t.host.Err(), &e) {
			e = &comm.Error{Rank: comm.Unknown, Err: t.host.Err()}
		}
		t.fail(e)
	case <-t.ended:
	}
}

// abort gives the rank of NCCL back and ends its kernels. A call that is under way sees the
// failure and lets go of the lock first.
func (c *Comm) abort() {
	defer close(c.gone)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle == 0 {
		return
	}
	h := c.handle
	c.handle = 0
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	end := func() error { c.lib.do(fnAbort, h); return nil }
	if c.dev.Context().Do(end) != nil {
		end() // the context is broken
	}
}

// enter begins a call: it compares it with those of the other ranks of this process.
func (c *Comm) enter(ctx context.Context, call string) error {
	if c.closed.Load() {
		return comm.ErrClosed
	}
	if !c.busy.CompareAndSwap(false, true) {
		err := fmt.Errorf("%s was called while another call was under way", call)
		c.Abort(err)
		return err
	}
	c.Progress()
	seq := c.seq.Add(1)
	call = fmt.Sprintf("%s (call %d)", call, seq)
	c.call.Store(&call)
	err := c.compare(call, seq)
	if err == nil {
		if ended := comm.Ended(ctx); ended != nil {
			err = c.fails(call, ended)
		}
	}
	if err != nil {
		c.leave()
	}
	return err
}

func (c *Comm) compare(call string, seq uint64) error {
	t := c.team
	t.mu.Lock()
	if t.err != nil {
		defer t.mu.Unlock()
		return t.err
	}
	if len(t.members) == 1 {
		t.mu.Unlock()
		return nil
	}
	r := t.rounds[seq]
	if r == nil {
		r = &round{rank: c.rank, call: call, full: make(chan struct{})}
		t.rounds[seq] = r
	}
	if r.here++; r.here == len(t.members) {
		delete(t.rounds, seq)
		close(r.full)
	}
	c.round = r
	t.mu.Unlock()
	if r.call != call {
		return c.fails(call, fmt.Errorf("%w: rank %d is in %s", comm.ErrMismatch, r.rank, r.call))
	}
	return nil
}

func (c *Comm) leave() {
	c.Progress()
	c.busy.Store(false)
}

// now is the call that the rank is in.
func (c *Comm) now() string {
	if s := c.call.Load(); s != nil {
		return *s
	}
	return ""
}

// group makes calls of NCCL that belong together, and returns when they are enqueued.
func (c *Comm) group(ctx context.Context, f func() (function, code)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.Err(); err != nil {
		return err
	}
	err := c.dev.Context().Do(func() error {
		if r := c.lib.do(fnGroupStart); r != success {
			return c.lib.failure(fnGroupStart, r, c.handle)
		}
		fn, r := f()
		ended := c.lib.do(fnGroupEnd)
		if r != success && r != inProgress {
			return c.lib.failure(fn, r, c.handle)
		}
		if ended != success && ended != inProgress {
			return c.lib.failure(fnGroupEnd, ended, c.handle)
		}
		return c.settle(ctx, c.team.deadline)
	})
	return c.told(err)
}

// told makes the communicator fail with an error, if it hasn't failed with it already.
func (c *Comm) told(err error) error {
	var e *comm.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	var n *Error
	if errors.As(err, &n) && code(n.Code) == remoteError {
		return c.team.fail(&comm.Error{Rank: comm.Unknown, Call: c.now(), Err: fmt.Errorf("rank %d was told by NCCL that another one is gone: %w", c.rank, err)})
	}
	return c.fails(c.now(), err)
}

// settle waits until NCCL has done what it was told in its own threads. The lock is held and
// the context current.
func (c *Comm) settle(ctx context.Context, limit time.Duration) error {
	since := time.Now()
	moved := since
	for {
		r := c.lib.asyncError(c.handle)
		if r == success {
			return nil
		}
		if r != inProgress {
			return c.lib.failure(functionCount, r, c.handle)
		}
		if err := c.Err(); err != nil {
			return err
		}
		if ended := comm.Ended(ctx); ended != nil {
			return c.fails(c.now(), ended)
		}
		waited := time.Since(since)
		c.Progress()
		moved = c.team.since(c, moved)
		if idle := time.Since(moved); idle > limit {
			return c.team.fail(c.team.hung(c, moved))
		}
		pause(waited)
	}
}

// hung names the rank for which others wait, if it is known.
func (t *team) hung(c *Comm, moved time.Time) *comm.Error {
	idle := time.Since(moved).Round(time.Millisecond)
	var who *Comm
	for _, m := range t.members {
		if m.seq.Load() < c.seq.Load() && (who == nil || m.last.Load() < who.last.Load()) {
			who = m
		}
	}
	if who != nil {
		return &comm.Error{Rank: who.rank, Err: fmt.Errorf("%w for %v, while others wait for it in %s", comm.ErrHung, idle, c.now())}
	}
	return &comm.Error{Rank: comm.Unknown, Call: c.now(), Err: fmt.Errorf("%w for %v, seen by rank %d; which rank it waits for isn't known", comm.ErrHung, idle, c.rank)}
}

// since is when a wait of this rank last saw progress: that of the ranks of this process for which
// it waits counts, if all of them make some.
func (t *team) since(c *Comm, moved time.Time) time.Time {
	first := int64(0)
	for _, m := range t.members {
		if last := m.last.Load(); m.seq.Load() < c.seq.Load() && (first == 0 || last < first) {
			first = last
		}
	}
	if x := time.Unix(0, first); first > 0 && x.After(moved) {
		return x
	}
	return moved
}

// pause lets others run, the longer the longer the wait has been.
func pause(waited time.Duration) {
	switch {
	case waited < spin:
		runtime.Gosched()
	case waited < napAfter:
		sleep(nap)
	default:
		sleep(napLong)
	}
}

// sleep is time.Sleep, which takes a millisecond at least where the process has nothing else to do.
func sleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil) // a signal ends it early
}
