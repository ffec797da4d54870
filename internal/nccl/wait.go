//go:build linux && (amd64 || arm64) && !nocuda

// This file holds how a rank waits for what it enqueued, and its end.

package nccl

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/comm"
)

// enqueued puts a mark behind a call, by which its end is seen.
func (c *Comm) enqueued() error {
	n := uint64(len(c.marks))
	if n < markRing {
		m, err := c.stream.Mark()
		if err != nil {
			return c.told(err)
		}
		c.marks = append(c.marks, m)
	}
	at := c.enqueuedCalls
	c.enqueuedCalls++
	return c.told(c.marks[at%markRing].Record())
}

// roomForMark waits until there is a mark for one call more.
func (c *Comm) roomForMark(ctx context.Context) error {
	if c.enqueuedCalls-c.passed < markRing {
		return nil
	}
	return c.until(ctx, func() (bool, error) { return c.enqueuedCalls-c.passed < markRing, nil })
}

// Wait waits until all that was enqueued in the rank's stream is done. If that doesn't happen,
// since a rank is gone or for whatever cause, the communicator fails, and what NCCL has on
// the GPU ends.
func (c *Comm) Wait(ctx context.Context) error {
	if c.closed.Load() {
		return comm.ErrClosed
	}
	return c.ending(c.until(ctx, c.stream.Idle))
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
		for c.passed < c.enqueuedCalls {
			reached, err := c.marks[c.passed%markRing].Reached()
			if err != nil {
				return c.told(err)
			}
			if !reached {
				break
			}
			c.passed++
			moved = time.Now()
		}
		if ended := comm.Ended(ctx); ended != nil {
			return c.fails(c.now(), ended)
		}
		now := time.Now()
		if now.Sub(asked) > c.team.deadline/asks {
			asked = now
			moved = c.team.since(c, moved)
			if err := c.ask(); err != nil {
				return err
			}
		}
		if now.Sub(moved) > c.team.deadline {
			return c.team.fail(c.team.hung(c, moved))
		}
		c.Progress()
		pause(now.Sub(began))
	}
}

// ask asks NCCL whether something went wrong.
func (c *Comm) ask() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle == 0 {
		return c.Err()
	}
	if r := c.lib.asyncError(c.handle); r != success && r != inProgress {
		return c.told(c.lib.failure(functionCount, r, c.handle))
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
	c.ending(err)
	if c.team.open.Add(-1) == 0 {
		close(c.team.ended)
	}
	return errors.Join(err, c.free())
}

// finalize meets the other ranks a last time, and gives NCCL's rank back. Ranks of one process meet
// on the host, so that no kernel waits while one of them frees memory.
func (c *Comm) finalize() error {
	ctx := context.Background()
	if err := c.enter(ctx, "Close"); err != nil {
		return err
	}
	defer c.leave()
	var err error
	if c.round == nil {
		err = c.barrier(ctx)
	}
	if err == nil {
		err = c.until(ctx, c.stream.Idle)
	}
	if err == nil && c.round != nil {
		err = c.until(ctx, func() (bool, error) {
			select {
			case <-c.round.full:
				return true, nil
			default:
				return false, nil
			}
		})
	}
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.Err(); err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = c.dev.Context().Do(func() error {
		if r := c.lib.do(fnFinalize, c.handle); r != success && r != inProgress {
			return c.lib.failure(fnFinalize, r, c.handle)
		}
		if err := c.settle(ctx, c.team.deadline); err != nil {
			return err
		}
		h := c.handle
		c.handle = 0
		if r := c.lib.do(fnDestroy, h); r != success {
			return c.lib.failure(fnDestroy, r, 0)
		}
		return nil
	})
	return c.told(err)
}

// free gives the device's memory back.
func (c *Comm) free() (err error) {
	for _, m := range c.marks {
		err = errors.Join(err, m.Close())
	}
	c.marks = nil
	if c.pinned != nil {
		err = errors.Join(err, c.pinned.Free())
		c.pinned = nil
	}
	for _, m := range []*device.Memory{&c.words, &c.scratch} {
		if *m != nil {
			err = errors.Join(err, (*m).Free())
			*m = nil
		}
	}
	return err
}
