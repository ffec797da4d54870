// This file holds Context: a hold on a device's primary context, what lives in
// it, and the way into and out of the driver that every call takes.

package driver

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/text"
)

// Context holds a device's primary context. Its methods are safe for
// concurrent use. The opener must close it.
type Context struct {
	drv    driver
	h      handle
	dev    Device
	owned  bool // Close releases the primary context
	closed atomic.Bool
	broken atomic.Pointer[BrokenError]
	failed atomic.Int64 // calls

	live struct {
		bytes, hostBytes                             atomic.Int64
		memory, host, streams, events, modules, done atomic.Int64
	}
	failAfter atomic.Int64 // of FailAlloc; 0: off
}

// Live counts what a context's user holds.
type Live struct {
	Bytes      uint64 // of device memory, as asked for
	Memory     int    // pieces of it
	HostBytes  uint64 // of pinned host memory
	HostMemory int    // pieces of it
	Streams    int
	Events     int
	Modules    int
}

// Zero reports whether nothing is held.
func (l Live) Zero() bool { return l == Live{} }

// String lists what is held, for messages.
func (l Live) String() string {
	var parts []string
	add := func(n int, noun, more string) {
		if n != 0 {
			parts = append(parts, text.Plural(n, noun)+more)
		}
	}
	add(l.Memory, "piece", " of device memory ("+text.Bytes(l.Bytes)+")")
	add(l.HostMemory, "piece", " of pinned memory ("+text.Bytes(l.HostBytes)+")")
	add(l.Streams, "stream", "")
	add(l.Events, "event", "")
	add(l.Modules, "module", "")
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func (s *system) openContext(i int) (*Context, error) {
	dev, err := s.device(i)
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	h, c := s.drv.primaryRetain(dev.number)
	if c != codeOK {
		return nil, newError(s.drv, "cuDevicePrimaryCtxRetain", c, dev.String())
	}
	return &Context{drv: s.drv, h: h, dev: dev, owned: true}, nil
}

// Device describes the context's device.
func (c *Context) Device() Device { return c.dev }

// Live counts the memory, streams, events and modules that were made in this
// context and not freed yet. Memory that was adopted isn't counted.
func (c *Context) Live() Live {
	return Live{
		Bytes: uint64(c.live.bytes.Load()), Memory: int(c.live.memory.Load()),
		HostBytes: uint64(c.live.hostBytes.Load()), HostMemory: int(c.live.host.Load()),
		Streams: int(c.live.streams.Load()), Events: int(c.live.events.Load()), Modules: int(c.live.modules.Load()),
	}
}

// Close releases the context. While anything lives in it, Close returns an
// error that wraps ErrInUse and lists what lives, and the context stays open. A
// broken context is closed in the same way. A second call does
// nothing.
func (c *Context) Close() error {
	if live := c.Live(); !live.Zero() {
		return fmt.Errorf("cuda: close %v: %w: it still holds %v", c.dev, ErrInUse, live)
	}
	if c.closed.Swap(true) || !c.owned {
		return nil
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r := c.drv.primaryRelease(c.dev.number); r != codeOK && c.broken.Load() == nil {
		return newError(c.drv, "cuDevicePrimaryCtxRelease", r, c.dev.String())
	}
	return nil
}

// Broken returns the error that broke the context, of type *BrokenError, or
// nil.
func (c *Context) Broken() error {
	if b := c.broken.Load(); b != nil {
		return b
	}
	return nil
}

// Failed returns how many calls of the driver failed in the context so far.
func (c *Context) Failed() int64 { return c.failed.Load() }

// enter locks the goroutine to its thread and makes the context current on it.
// After an error nothing is locked; otherwise leave must follow.
func (c *Context) enter() error {
	if err := c.usable(); err != nil {
		return err
	}
	runtime.LockOSThread()
	if r := c.drv.bind(c.h); r != codeOK {
		runtime.UnlockOSThread()
		return c.fail("cuCtxSetCurrent", r, c.dev.String())
	}
	return nil
}

// enterAlways is enter for functions that free: it enters broken contexts too.
func (c *Context) enterAlways() error {
	if c.closed.Load() {
		return c.errClosed()
	}
	runtime.LockOSThread()
	if r := c.drv.bind(c.h); r != codeOK && c.broken.Load() == nil {
		runtime.UnlockOSThread()
		return c.fail("cuCtxSetCurrent", r, c.dev.String())
	}
	return nil
}

func (c *Context) leave() {
	c.drv.unbind()
	runtime.UnlockOSThread()
}

func (c *Context) usable() error {
	if c.closed.Load() {
		return c.errClosed()
	}
	if b := c.broken.Load(); b != nil {
		return b
	}
	return nil
}

func (c *Context) errClosed() error { return fmt.Errorf("cuda: %v: context %w", c.dev, ErrClosed) }

// fail makes an error of a code, and remembers one that broke the context.
func (c *Context) fail(call string, r Code, asked string) error {
	c.failed.Add(1)
	e := newError(c.drv, call, r, asked)
	if r.breaks() {
		c.broken.CompareAndSwap(nil, &BrokenError{Cause: e})
	}
	return e
}

// freed makes an error of the code with which something was freed. In a broken
// context freeing fails and nothing can be done about it: the driver frees all
// of it with the context.
func (c *Context) freed(call string, r Code, asked string) error {
	if r == codeOK {
		return nil
	}
	before := c.broken.Load() != nil
	err := c.fail(call, r, asked)
	if before {
		return nil
	}
	return err
}

// Do locks the goroutine to its thread and runs f with the context current on
// that thread, for calls into other libraries that expect it there. Calls of
// this package work inside as they do outside; Stream.Do makes them cheaper.
func (c *Context) Do(f func() error) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	return f()
}

// Sync waits until all work enqueued in the device's context is done.
func (c *Context) Sync() error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	if r := c.drv.synchronize(); r != codeOK {
		return c.fail("cuCtxSynchronize", r, c.dev.String())
	}
	return nil
}

// CanAccess reports whether kernels on this context's device can read and write
// the other device's memory directly, once EnablePeer has allowed it.
func (c *Context) CanAccess(peer *Context) (bool, error) {
	if err := c.usable(); err != nil {
		return false, err
	}
	if c.dev.number == peer.dev.number {
		return true, nil
	}
	ok, r := c.drv.canAccessPeer(c.dev.number, peer.dev.number)
	if r != codeOK {
		return false, c.fail("cuDeviceCanAccessPeer", r, fmt.Sprintf("%v to %v", c.dev, peer.dev))
	}
	return ok, nil
}

// AtomicsReach reports whether kernels on this context's device can do atomic operations on the other
// device's memory as on their own. NVLink allows that, a bus mostly doesn't.
func (c *Context) AtomicsReach(peer *Context) (bool, error) {
	if err := c.usable(); err != nil {
		return false, err
	}
	if c.dev.number == peer.dev.number {
		return true, nil
	}
	v, r := c.drv.peerAttribute(peerAtomics, c.dev.number, peer.dev.number)
	if r != codeOK {
		return false, c.fail("cuDeviceGetP2PAttribute", r, fmt.Sprintf("%v to %v", c.dev, peer.dev))
	}
	return v != 0, nil
}

// EnablePeer lets this context's kernels and copies use the other device's memory
// directly; the reverse direction needs its own call. It stays enabled
// until DisablePeer or the end of the context. A second call does nothing.
func (c *Context) EnablePeer(peer *Context) error {
	return c.peer(peer, "cuCtxEnablePeerAccess", c.drv.enablePeer, codePeerEnabled)
}

// DisablePeer ends what EnablePeer allowed.
func (c *Context) DisablePeer(peer *Context) error {
	return c.peer(peer, "cuCtxDisablePeerAccess", c.drv.disablePeer, codePeerOff)
}

func (c *Context) peer(peer *Context, call string, do func(handle) Code, already Code) error {
	if c.dev.number == peer.dev.number {
		return nil
	}
	if err := peer.usable(); err != nil {
		return err
	}
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	if r := do(peer.h); r != codeOK && r != already {
		return c.fail(call, r, fmt.Sprintf("%v to %v", c.dev, peer.dev))
	}
	return nil
}

// FailAlloc makes the k-th allocation from now on fail as if memory had
// run out. It counts device memory, pinned memory and stream-ordered memory
// alike; 1 is the next allocation, 0 turns it off. Tests use it to check how
// callers handle that failure.
func (c *Context) FailAlloc(k int) { c.failAfter.Store(int64(k)) }

// failNow reports whether this allocation must fail.
func (c *Context) failNow() bool {
	if c.failAfter.Load() <= 0 {
		return false
	}
	return c.failAfter.Add(-1) == 0
}
