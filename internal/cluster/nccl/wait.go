//go:build linux && (amd64 || arm64) && !nocuda

// This file holds how a rank waits for its enqueued work, and how it ends.

package nccl

import (
	"context"
	"errors"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/cluster/comm"
)

// mark puts a mark behind the last call; the end of the mark shows progress. The last call needs none:
// it ends with the stream, and callers that wait after each call save the mark.
func (c *Comm) mark(ctx context.Context) error {
	if !c.unmarked {
		return nil
	}
	if c.recorded-c.passed == markRing {
		if err := c.until(ctx, func() (bool, error) { return c.recorded-c.passed < markRing, nil }); err != nil {
			return err
		}
	}
	c.unmarked = false
	at := c.recorded
	c.recorded++
	return c.told(c.marks[at%markRing].Record())
}

// Wait waits until all enqueued work in the rank's stream is done. If that doesn't happen,
// because a rank is gone or for another reason, the communicator fails, and NCCL's work on
// the GPU is aborted.
func (c *Comm) Wait(ctx context.Context) error {
	if c.closed.Load() {
		return comm.ErrClosed
	}
	err := c.until(ctx, c.stream.Idle)
	if err == nil {
		c.passed, c.unmarked = c.recorded, false
	}
	return c.ending(err)
}

// ending waits, after a failure, until NCCL has ended what it has on the GPU and lets go of the
// caller's memory. It returns the error that it was given.
func (c *Comm) ending(err error) error {
	if err != nil && c.Err() != nil {
		select {
		case <-c.gone:
		case <-time.After(farewell):
		}
	}
	return err
}

// until waits for something in the stream.
func (c *Comm) until(ctx context.Context, done func() (bool, error)) error {
	began := time.Now()
	moved, asked := began, began
	c.waits.Store(began.UnixNano())
	defer c.waits.Store(0)
	for {
		ok, err := done()
		if err != nil {
			return c.told(err)
		}
		// First: what ended because of a failure isn't done.
		if err := c.Err(); err != nil {
			return err
		}
		if ok {
			return nil
		}
		if now := time.Now(); now.Sub(began) > c.spin || c.recorded-c.passed == markRing {
			for c.passed < c.recorded {
				reached, err := c.marks[c.passed%markRing].Reached()
				if err != nil {
					return c.told(err)
				}
				if !reached {
					break
				}
				c.passed++
				moved = now
				c.waits.Store(now.UnixNano())
			}
		}
		if ended := comm.Ended(ctx); ended != nil {
			return c.fails(c.now(), ended)
		}
		now := time.Now()
		if now.Sub(asked) > c.team.deadline/asks {
			asked = now
			moved = c.team.since(c, moved)
			if now.Sub(moved) > c.team.deadline/2 {
				c.team.silent()
			}
			if err := c.ask(); err != nil {
				return err
			}
		}
		if now.Sub(moved) > c.team.deadline {
			return c.team.fail(c.team.hung(c, moved))
		}
		c.Progress()
		c.pause(now.Sub(began))
	}
}

// ask asks NCCL whether something went wrong.
func (c *Comm) ask() error {
	c.entered.Store(time.Now().UnixNano())
	defer c.entered.Store(0)
	if err := c.Err(); err != nil {
		return err
	}
	h := c.handle.Load()
	if r := c.lib.asyncError(h); r != success && r != inProgress {
		return c.told(c.lib.failure(functionCount, r, h))
	}
	return nil
}

// Close waits for all ranks to call it and gives back what the communicator holds. After a
// failure it returns that error, without waiting for other ranks. Calls after it return
// comm.ErrClosed.
func (c *Comm) Close() error {
	if c.closed.Load() {
		return nil
	}
	err := c.Err()
	if err == nil {
		err = c.finalize()
	}
	if c.closed.Swap(true) {
		return err
	}
	if c.team.host == nil {
		c.team.life.close(err == nil)
	}
	return errors.Join(err, c.giveBack(err))
}

// giveBack frees what the rank has once NCCL lets go of it.
func (c *Comm) giveBack(failure error) (err error) {
	c.ending(failure)
	if n := c.team.news.Load(); n != nil && c.Err() != nil {
		n.over()
	}
	if c.Err() == nil || isClosed(c.gone) || !isClosed(c.team.started) {
		err = c.free()
	} else { // NCCL is still in there
		go func() {
			<-c.gone
			c.free()
		}()
	}
	if c.team.open.Add(-1) == 0 {
		close(c.team.ended)
	}
	return err
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// finalize meets the other ranks a last time, and gives NCCL's rank back. Ranks of one process meet
// on the host, so that no kernel waits while one of them frees memory.
func (c *Comm) finalize() error {
	ctx := context.Background()
	if err := c.enter(ctx, call{kind: inClose}); err != nil {
		return err
	}
	defer c.leave()
	t := c.team
	alone := len(t.members) == 1
	var err error
	if alone {
		err = c.barrier()
	}
	if err == nil {
		err = c.until(ctx, c.stream.Idle)
	}
	if err == nil && !alone {
		if t.leavers.Add(1) == int32(len(t.members)) {
			close(t.leaving)
		}
		err = c.until(ctx, func() (bool, error) { return isClosed(t.leaving), nil })
	}
	if err == nil {
		err = c.hush() // where its communicator in host memory is still open
	}
	if err != nil {
		return err
	}
	// In a separate goroutine: NCCL may wait for the ends of connections.
	done := make(chan error, 1)
	go func() { done <- panics.Call(c.destroy) }()
	select {
	case err = <-done:
	case <-t.done:
		select {
		case err = <-done:
		case <-time.After(farewell):
			err = c.Err()
		}
	}
	return c.told(err)
}

func (c *Comm) destroy() error {
	return c.within(func(h uintptr) error {
		if r := c.lib.do(fnFinalize, h); r != success {
			return c.lib.failure(fnFinalize, r, h)
		}
		if c.handle.Swap(0) == 0 { // aborted meanwhile
			return c.Err()
		}
		if r := c.lib.do(fnDestroy, h); r != success {
			return c.lib.failure(fnDestroy, r, 0)
		}
		return nil
	})
}

// free gives the device's memory back.
func (c *Comm) free() (err error) {
	for _, m := range c.marks {
		err = errors.Join(err, m.Close())
	}
	c.marks = nil
	if c.stage != nil {
		err = errors.Join(err, c.stage.free())
		c.stage = nil
	}
	c.mu.Lock()
	pinned := c.pinned
	c.pinned = nil
	c.mu.Unlock()
	if pinned != nil {
		err = errors.Join(err, pinned.Close())
	}
	for _, m := range []*device.Memory{&c.words, &c.scratch} {
		if *m != nil {
			err = errors.Join(err, (*m).Close())
			*m = nil
		}
	}
	return err
}

// Until waits until done reports true or an error. It is Wait for callers that poll what a kernel of the stream wrote,
// which is visible sooner than the stream's end. It counts as a call, since the kernel may wait for other ranks.
func (c *Comm) Until(ctx context.Context, done func() (bool, error)) error {
	err := c.enter(ctx, call{kind: inUntil})
	if err == nil {
		err = c.until(ctx, done)
		c.leave()
	}
	return c.ending(err)
}
