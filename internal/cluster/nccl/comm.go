//go:build linux && (amd64 || arm64) && !nocuda

// This file holds communicators: the state of a rank, and how failures are reported.

package nccl

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/gpu"
)

// Comm is one rank's end of a communicator between GPUs. One goroutine at a time makes its
// calls; Progress, Abort, Done and Err may be called from any. The package documentation lists
// collective calls.
type Comm struct {
	team   *team
	lib    *library
	dev    *gpu.Device
	stream *gpu.Stream
	rank   int
	size   int

	busy    atomic.Bool
	closed  atomic.Bool
	seq     atomic.Uint64  // how many calls it made
	last    atomic.Int64   // when it made progress, in ns
	waits   atomic.Int64   // since when it waits without progress, in ns; 0 if it doesn't wait
	entered atomic.Int64   // since when it is in a call of NCCL, in ns; 0 outside of calls
	handle  atomic.Uintptr // ncclComm_t, 0 once it is gone
	gone    chan struct{}  // closed after a failure, when NCCL has let go of all

	mu   sync.Mutex // around the two, which the watchdog reads, and pinned
	what call       // that it is in, or was in last
	ctx  context.Context

	words      device.Memory // for lengths of lists, barriers and introductions of ranks
	pinned     *gpu.Pinned   // for lengths of lists, and a word for kernels that wait (Halt)
	scratch    device.Memory // for bitmaps of other ranks
	room       uint64
	marks      []*gpu.Mark // a ring: behind each call that was enqueued but the last
	recorded   uint64      // marks that were put
	passed     uint64      // and those that were reached, as far as was seen
	unmarked   bool        // the last call has no mark behind it
	gatherMost uint64
	spin       time.Duration
	stage      *stage // of a communicator in host memory
	kernel     *gpu.Kernel
	args       gpu.Args
	frame      [7]uintptr // arguments of a call
	peers      int        // how many Peers it had
}

// team is the state that the ranks in this process share: all of the communicator's ranks, or one.
type team struct {
	deadline time.Duration
	members  []*Comm
	host     comm.Comm     // of all ranks' processes; nil without host communication, or for one process
	life     *lifeline     // between processes that Meet connects; otherwise nil
	done     chan struct{} // closed with the failure
	started  chan struct{} // closed when NCCL's start returned
	ended    chan struct{} // closed with the last member
	leaving  chan struct{} // closed when all members are in Close
	open     atomic.Int32  // members that aren't closed
	leavers  atomic.Int32  // members that are in Close

	withMemory atomic.Int32  // members that have memory for communicators of the host
	allMemory  chan struct{} // closed when all have

	err   atomic.Pointer[comm.Error]
	heard atomic.Int64         // when a rank for which others wait was last reported to be at work, in ns
	news  atomic.Pointer[news] // from other processes, or nil

	mu    sync.Mutex
	turns [turnRing]turn
	rooms []*leaving // of Peers
}

// turn is the call that the first of the ranks of this process made at a time.
type turn struct {
	rank int
	what call
}

func newTeam(o Options, host comm.Comm) *team {
	t := &team{deadline: o.Deadline, host: host}
	for _, c := range []*chan struct{}{&t.done, &t.started, &t.ended, &t.leaving, &t.allMemory} {
		*c = make(chan struct{})
	}
	if t.deadline == 0 {
		t.deadline = deadline
	}
	return t
}

// Rank is this rank's number, from 0 to Size-1.
func (c *Comm) Rank() int { return c.rank }

// Size is the number of ranks.
func (c *Comm) Size() int { return c.size }

// Progress reports that this rank works between two calls. Ranks of the same
// process see it.
func (c *Comm) Progress() { c.last.Store(time.Now().UnixNano()) }

// Done is closed when the communicator has failed. Close doesn't close it.
func (c *Comm) Done() <-chan struct{} { return c.team.done }

// Err is nil, or the *comm.Error with which the communicator failed.
func (c *Comm) Err() error { return c.team.failure() }

// Abort makes the communicator fail with this rank and cause. Ranks of the same process, and of
// processes with a communicator in host memory, are notified; others find out after the deadline.
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
	if e := t.err.Load(); e != nil {
		return e
	}
	return nil
}

// fail notes a failure, of which the first counts, and ends what runs on all GPUs of this
// process. It returns the error that counts.
func (t *team) fail(e *comm.Error) error {
	e = t.life.named(e)
	if t.err.CompareAndSwap(nil, e) {
		close(t.done)
		for _, m := range t.members {
			go m.abort()
		}
		if t.host != nil {
			t.host.Abort(e)
		}
		if t.life != nil {
			t.life.fail(e)
		}
	}
	return t.err.Load()
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

// abort gives the rank of NCCL back and ends its kernels. A call that is under way is given
// some time to return, since NCCL wants one thread at a time. One that waits inside of NCCL, for a
// rank that never connects, only ends by this: NCCL sees the flag that ncclCommAbort sets.
// The start has no such end, so it is waited for.
func (c *Comm) abort() {
	defer close(c.gone)
	<-c.team.started
	if n := c.team.news.Load(); n != nil { // other ranks hear of it first; NCCL's report would have less detail
		n.tell()
	}
	c.halt()
	for began := time.Now(); c.entered.Load() != 0 && time.Since(began) < grace; {
		sleep(nap)
	}
	h := c.handle.Swap(0)
	if h == 0 {
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	end := func() error { c.lib.do(fnAbort, h); return nil }
	if c.dev.Context().Do(end) != nil {
		end() // the context is broken
	}
}

// within runs calls of NCCL with the device's context current, on one thread. abort takes the
// handle away only where entered is 0, or after a while.
func (c *Comm) within(f func(h uintptr) error) error {
	c.entered.Store(time.Now().UnixNano())
	defer c.entered.Store(0)
	if err := c.Err(); err != nil {
		return err
	}
	h := c.handle.Load()
	return c.dev.Context().Do(func() error { return f(h) })
}

// group makes calls of NCCL that belong together, and returns when they are enqueued.
func (c *Comm) group(f func(h uintptr) (function, code)) error {
	return c.told(c.within(func(h uintptr) error {
		if r := c.lib.do(fnGroupStart); r != success {
			return c.lib.failure(fnGroupStart, r, h)
		}
		fn, r := f(h)
		ended := c.lib.do(fnGroupEnd)
		if r != success {
			return c.lib.failure(fn, r, h)
		}
		if ended != success {
			return c.lib.failure(fnGroupEnd, ended, h)
		}
		return nil
	}))
}

// single makes one call of NCCL, which needs no group.
func (c *Comm) single(f func(h uintptr) (function, code)) error {
	return c.told(c.within(func(h uintptr) error {
		if fn, r := f(h); r != success {
			return c.lib.failure(fn, r, h)
		}
		return nil
	}))
}

// told makes the communicator fail with an error, unless it has failed with it already.
func (c *Comm) told(err error) error {
	if err == nil {
		return nil
	}
	var e *comm.Error
	if errors.As(err, &e) {
		return err
	}
	var n *Error
	if errors.As(err, &n) && code(n.Code) == remoteError {
		return c.team.fail(&comm.Error{Rank: comm.Unknown, Call: c.now(), Err: fmt.Errorf("rank %d was told by NCCL that another one is gone: %w", c.rank, err)})
	}
	return c.fails(c.now(), err)
}
