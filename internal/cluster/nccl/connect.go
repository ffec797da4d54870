//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the start of NCCL.

package nccl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/gpu"
)

// connect connects ranks of this process, the first of which has that number.
func (l *library) connect(ctx context.Context, t *team, streams []*gpu.Stream, first, size int, newID func() (*uniqueID, error)) ([]*Comm, error) {
	if err := comm.Ended(ctx); err != nil {
		return nil, err
	}
	for i, s := range streams {
		c := &Comm{team: t, lib: l, dev: s.GPU(), stream: s, rank: first + i, size: size, gone: make(chan struct{}), gatherMost: gatherMost, spin: spin, ctx: ctx}
		c.Progress()
		t.members = append(t.members, c)
	}
	t.open.Store(int32(len(t.members)))
	err := t.prepare()
	if err != nil {
		close(t.started)
	} else {
		if t.host != nil {
			go t.watch()
		}
		begun := make(chan error, 1)
		go func() { begun <- panics.Call(func() error { return l.begin(t, newID) }) }()
		err = t.await(ctx, begun)
	}
	for _, c := range t.members {
		if err == nil { // what connected them is done
			err = c.until(ctx, c.stream.Idle)
		}
		if err == nil {
			err = c.ask()
		}
	}
	if err == nil {
		go t.guard()
		return t.members, nil
	}
	// All communicators that were begun, in any state.
	for _, c := range t.members {
		c.told(err)
		c.closed.Store(true)
		err = errors.Join(err, c.giveBack(comm.ErrClosed))
	}
	return nil, err
}

// prepare allocates and loads everything that ranks need. Later, other ranks' kernels may wait for one rank, and
// driver calls that allocate or load may wait for those kernels.
func (t *team) prepare() (err error) {
	for _, c := range t.members {
		if c.kernel, err = c.stream.Kernel(image, "nccl_unite"); err != nil {
			return err
		}
		if c.words, err = c.dev.Alloc(wordsBlocks * c.block()); err != nil {
			return err
		}
		pinned, err := c.dev.Context().AllocHost(2*c.block() + wordBytes)
		if err != nil {
			return err
		}
		clear(pinned.Bytes())
		c.mu.Lock()
		c.pinned = pinned
		c.mu.Unlock()
		for range markRing {
			m, err := c.stream.Mark()
			if err != nil {
				return err
			}
			c.marks = append(c.marks, m)
		}
	}
	return nil
}

// await waits until NCCL's start is done. A start that waits for a rank that never comes can't be
// ended: it is left to its thread, and abort follows if it ever returns. The start doesn't use the
// ranks' memory.
func (t *team) await(ctx context.Context, begun <-chan error) error {
	limit := time.NewTimer(startDeadline)
	defer limit.Stop()
	c := t.members[0]
	select {
	case err := <-begun:
		return err
	case <-t.done:
	case <-ctx.Done():
		c.fails(c.now(), comm.Ended(ctx))
	case <-limit.C:
		t.fail(&comm.Error{Rank: comm.Unknown, Call: c.now(), Err: fmt.Errorf("%w for %v, seen by rank %d: a rank of %d never came", comm.ErrHung, startDeadline, c.rank, c.size)})
	}
	return t.failure()
}

// begin connects all ranks of this process, in one group, and then all ranks to one another.
func (l *library) begin(t *team, newID func() (*uniqueID, error)) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	handles := make([]uintptr, len(t.members))
	id, err := newID()
	if err == nil {
		err = l.grouped(t, func(i int, c *Comm) (function, code) {
			return fnInitRank, l.initRank(&handles[i], c.size, c.rank, id)
		})
	}
	for i, c := range t.members {
		c.handle.Store(handles[i])
		c.entered.Store(time.Now().UnixNano())
		defer c.entered.Store(0)
	}
	close(t.started)
	if err == nil && t.members[0].size > 1 {
		err = l.warm(t)
	}
	return err
}

// warm makes first calls of each kind with all ranks. First calls connect, and wait for other
// ranks' first calls inside of NCCL; later calls are enqueued and return.
func (l *library) warm(t *team) error {
	for _, calls := range []func(i int, c *Comm) (function, code){
		func(_ int, c *Comm) (function, code) {
			out, in := c.word(wordsOut), c.word(wordsIn)
			for i := 1; i < c.size; i++ {
				to, from := (c.rank+i)%c.size, (c.rank+c.size-i)%c.size
				if r := c.send(c.handle.Load(), out, 1, typeUint64, to); r != success {
					return fnSend, r
				}
				if r := c.receive(c.handle.Load(), in+uintptr(from*wordBytes), 1, typeUint64, from); r != success {
					return fnRecv, r
				}
			}
			return fnRecv, success
		},
		func(_ int, c *Comm) (function, code) {
			return c.allGather(c.handle.Load(), c.word(wordsOut), c.word(wordsIn), wordBytes)
		},
		func(_ int, c *Comm) (function, code) {
			return c.allReduce(c.handle.Load(), c.word(wordsBarrier), 1, reduceSum)
		},
	} {
		if err := t.failure(); err != nil {
			return err
		}
		if err := l.grouped(t, calls); err != nil {
			return err
		}
	}
	return nil
}

// grouped makes calls for all members in one group. NCCL returns to the device that is
// current, and would make a context on the first device if none is current.
func (l *library) grouped(t *team, calls func(i int, c *Comm) (function, code)) error {
	return t.members[0].dev.Context().Do(func() (err error) {
		if r := l.do(fnGroupStart); r != success {
			return l.failure(fnGroupStart, r, 0)
		}
		for i, c := range t.members {
			err = c.dev.Context().Do(func() error {
				if f, r := calls(i, c); r != success {
					return l.failure(f, r, 0)
				}
				return nil
			})
			if err != nil {
				break
			}
		}
		if r := l.do(fnGroupEnd); err == nil && r != success {
			err = l.failure(fnGroupEnd, r, 0)
		}
		return err
	})
}

// introduce compares the introductions of ranks, by NCCL.
func (c *Comm) introduce(ctx context.Context, settings []comm.Setting) error {
	text, err := comm.Introduce(settings)
	if err == nil && len(text) > textBytes {
		err = fmt.Errorf("the settings take %d bytes, of %d", len(text), textBytes)
	}
	if err != nil {
		return c.told(err)
	}
	m, err := c.dev.Alloc(uint64(c.size * textBytes))
	if err != nil {
		return c.told(err)
	}
	host, err := c.dev.Context().AllocHost(uint64(c.size * textBytes))
	if err != nil {
		return c.told(errors.Join(err, m.Close()))
	}
	clear(host.Bytes())
	copy(host.Bytes(), text)
	err = c.do(ctx, call{kind: inHandshake}, func() error {
		at := m.Pointer() + uintptr(c.rank*textBytes)
		if err := c.stream.ToDevice(at, host, 0, textBytes); err != nil {
			return err
		}
		err := c.single(func(h uintptr) (function, code) { return c.allGather(h, at, m.Pointer(), textBytes) })
		if err != nil {
			return err
		}
		return c.stream.ToHost(host, 0, m.Pointer(), uint64(c.size*textBytes))
	})
	if err == nil {
		err = c.Wait(ctx)
	}
	if err == nil {
		texts := make([][]byte, c.size)
		for r := range texts {
			texts[r] = bytes.TrimRight(host.Bytes()[r*textBytes:][:textBytes], "\x00")
		}
		if err = comm.Compare(texts); err != nil {
			c.Abort(err)
		}
	}
	return errors.Join(err, m.Close(), host.Close())
}
