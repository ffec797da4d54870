//go:build linux && (amd64 || arm64) && !nocuda

// This file holds calls, the comparison of ranks' calls, and the watchdog.

package nccl

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
)

// kind is the operation of a call.
type kind uint8

const (
	inStart kind = iota
	inHandshake
	inBarrier
	inGather
	inExchange
	inUntil
	inClose
	inHost // of a communicator in host memory
	inNews
	inTest
)

// call is a call of one rank. Its name is formatted on demand.
type call struct {
	kind  kind
	n     uint64 // numbers or bytes
	parts int    // blocks
	mix   uint64 // of the blocks' lengths
	seq   uint64 // from 1
	host  comm.Call
}

func (c call) String() string {
	switch c.kind {
	case inStart:
		return "the start"
	case inHost:
		return c.host.String()
	}
	return fmt.Sprintf("%s (call %d)", c.name(), c.seq)
}

// name is without a number.
func (c call) name() (name string) {
	switch c.kind {
	case inHandshake:
		name = "the handshake"
	case inHost:
		name = c.host.Op().String()
	case inNews:
		name = "the news"
	case inBarrier:
		name = "Barrier"
	case inGather:
		name = fmt.Sprintf("Gather of %d blocks with %d bytes", c.parts, c.n)
	case inExchange:
		name = "Exchange"
	case inUntil:
		name = "an exchange by kernels"
	case inClose:
		name = "Close"
	default:
		name = "a test"
	}
	return name
}

// enter begins a call: it compares it with the calls of the other ranks of this process. It doesn't wait
// for other ranks.
func (c *Comm) enter(ctx context.Context, what call) error {
	if c.closed.Load() {
		return comm.ErrClosed
	}
	if !c.busy.CompareAndSwap(false, true) {
		err := fmt.Errorf("%v was called while another call was under way", what.name())
		c.Abort(err)
		return err
	}
	c.Progress()
	what.seq = c.seq.Add(1)
	c.mu.Lock()
	c.what, c.ctx = what, ctx
	c.mu.Unlock()
	err := c.compare(what)
	if err == nil {
		if ended := comm.Ended(ctx); ended != nil {
			err = c.fails(what.String(), ended)
		}
	}
	if err != nil {
		c.leave()
	}
	return err
}

// compare compares a call with the call of the first rank of this process that reached it. A rank that
// is so late that the record is gone gets no error.
func (c *Comm) compare(what call) error {
	t := c.team
	if err := t.failure(); err != nil {
		return err
	}
	if len(t.members) == 1 {
		return nil
	}
	if what.kind == inHost { // which are compared by NCCL
		what.host = comm.Call{}
	}
	at := &t.turns[what.seq%turnRing]
	t.mu.Lock()
	first := *at
	if first.what.seq < what.seq {
		*at = turn{c.rank, what}
	}
	t.mu.Unlock()
	if first.what.seq == what.seq && first.what != what {
		return c.fails(what.String(), fmt.Errorf("%w: rank %d is in %v", comm.ErrMismatch, first.rank, first.what))
	}
	return nil
}

func (c *Comm) leave() {
	c.Progress()
	c.busy.Store(false)
}

// do makes a call whose work is enqueued.
func (c *Comm) do(ctx context.Context, what call, f func() error) error {
	err := c.enter(ctx, what)
	if err == nil {
		err = c.inside(ctx, f)
	}
	return c.ending(err)
}

func (c *Comm) inside(ctx context.Context, f func() error) error {
	defer c.leave()
	if err := c.mark(ctx); err != nil {
		return err
	}
	c.unmarked = true
	return c.told(f())
}

// now is the call that the rank is in.
func (c *Comm) now() string {
	c.mu.Lock()
	what := c.what
	c.mu.Unlock()
	return what.String()
}

// guard watches the members that are in a call of NCCL, since they can't watch
// themselves: a call that connects waits for the other ranks.
func (t *team) guard() {
	tick := time.NewTicker(max(t.deadline/asks, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-t.done:
			return
		case <-t.ended:
			return
		case <-tick.C:
		}
		for _, m := range t.members {
			m.look()
		}
	}
}

func (c *Comm) look() {
	since := c.entered.Load()
	if since == 0 {
		return
	}
	c.mu.Lock()
	what, ctx := c.what, c.ctx
	c.mu.Unlock()
	if ended := comm.Ended(ctx); ended != nil && c.entered.Load() == since {
		c.fails(what.String(), ended)
		return
	}
	moved := c.team.since(c, time.Unix(0, since))
	if time.Since(moved) > c.team.deadline/2 {
		c.team.silent()
	}
	if time.Since(moved) > c.team.deadline && c.entered.Load() == since {
		c.team.fail(c.team.hung(c, moved))
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
		return &comm.Error{Rank: who.rank, Err: fmt.Errorf("%w for %v, while others wait for it", comm.ErrHung, idle)}
	}
	if r := t.silent(); r != comm.Unknown {
		return &comm.Error{Rank: r, Err: fmt.Errorf("%w for %v, while rank %d waits for it", comm.ErrHung, idle, c.rank)}
	}
	return &comm.Error{Rank: comm.Unknown, Call: c.now(), Err: fmt.Errorf("%w for %v, seen by rank %d; which rank it waits for isn't known", comm.ErrHung, idle, c.rank)}
}

// silent lets the communicator in host memory query the ranks, and returns the rank that doesn't answer, if known.
func (t *team) silent() int {
	if x, ok := t.host.(interface{ Silent() int }); ok {
		return x.Silent()
	}
	return comm.Unknown
}

// since returns when a wait of this rank last saw progress: progress of the ranks of this process for which
// it waits, if all of them make some, and reported progress of other processes' ranks.
func (t *team) since(c *Comm, moved time.Time) time.Time {
	if x := time.Unix(0, t.heard.Load()); x.After(moved) {
		moved = x
	}
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

// pause yields, for longer the longer the wait has been.
func (c *Comm) pause(waited time.Duration) {
	switch {
	case waited < c.spin:
		runtime.Gosched()
	case waited < napAfter:
		sleep(nap)
	default:
		sleep(napLong)
	}
}

// sleep replaces time.Sleep, which takes at least a millisecond if the process is otherwise idle.
func sleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil) // a signal ends it early
}
