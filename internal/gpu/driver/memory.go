// This file holds memory: on the device, in stream order, and pinned on the
// host.

package driver

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/internal/text"
)

// Memory is a piece of a device's memory. The allocator must free it.
type Memory struct {
	ctx    *Context
	p      Ptr
	n      uint64
	pool   bool // in stream order
	lent   bool // adopted: someone else frees it
	mapped bool // of another process
	closed atomic.Bool
}

// Ptr is the device's address of the first byte; 0 if there are no bytes.
func (m *Memory) Ptr() Ptr { return m.p }

// Size is the number of bytes that were asked for.
func (m *Memory) Size() uint64 { return m.n }

// MemInfo returns the bytes of the device's memory that are free, for all
// programs on it, and in total.
func (c *Context) MemInfo() (free, total uint64, err error) {
	if err := c.enter(); err != nil {
		return 0, 0, err
	}
	defer c.leave()
	free, total, r := c.drv.memInfo()
	if r != codeOK {
		return 0, 0, c.fail("cuMemGetInfo", r, c.dev.String())
	}
	return free, total, nil
}

// Alloc returns bytes of device memory, aligned to at least 256. Its
// contents are undefined. It may wait for the device. For 0 bytes it allocates no
// memory and returns no error. An error that wraps ErrOutOfMemory reports how much was free.
func (c *Context) Alloc(bytes uint64) (*Memory, error) {
	return c.alloc(bytes, "cuMemAlloc", false, func() (Ptr, Code) { return c.drv.memAlloc(bytes) }, c.enter, c.leave)
}

// Alloc returns device memory of that many bytes from the device's pool, for
// work enqueued on this stream from now on; other streams must wait for an
// event recorded after it. Its contents are undefined. Devices without pools
// (Device.Pools) return an error that wraps ErrNotSupported.
func (s *Stream) Alloc(bytes uint64) (*Memory, error) {
	c := s.ctx
	if !c.dev.Pools {
		return nil, fmt.Errorf("cuda: memory in stream order: %w by %v", ErrNotSupported, c.dev)
	}
	return c.alloc(bytes, "cuMemAllocAsync", true, func() (Ptr, Code) { return c.drv.memAllocAsync(bytes, s.h) }, s.enter, s.leave)
}

func (c *Context) alloc(bytes uint64, call string, pool bool, do func() (Ptr, Code), enter func() error, leave func()) (*Memory, error) {
	if err := enter(); err != nil {
		return nil, err
	}
	defer leave()
	m := &Memory{ctx: c, n: bytes, pool: pool}
	r := codeOutOfMemory
	if c.failNow() {
		call += " (made to fail by FailAlloc)"
	} else if bytes == 0 {
		r = codeOK
	} else if bytes <= math.MaxInt64 {
		m.p, r = do()
	}
	if r != codeOK {
		return nil, c.failAlloc(call, r, bytes)
	}
	c.live.memory.Add(1)
	c.live.bytes.Add(int64(bytes))
	return m, nil
}

// failAlloc makes an error of an allocation's code. The context is current.
func (c *Context) failAlloc(call string, r Code, bytes uint64) error {
	if r != codeOutOfMemory {
		return c.fail(call, r, text.Bytes(bytes)+" on "+c.dev.String())
	}
	free, total, known := c.drv.memInfo()
	asked := fmt.Sprintf("%s wanted on %v", text.Bytes(bytes), c.dev)
	if known == codeOK {
		asked += fmt.Sprintf(", %s of %s free", text.Bytes(free), text.Bytes(total))
	}
	e := newError(c.drv, call, r, asked)
	e.Wanted, e.Free = bytes, free
	return e
}

// Adopt wraps device memory that someone else allocated in this device's
// primary context and frees; freeing the result only forgets it.
func (c *Context) Adopt(p Ptr, bytes uint64) *Memory {
	return &Memory{ctx: c, p: p, n: bytes, lent: true}
}

// Shared names a piece of memory to other processes of the machine (CUipcMemHandle).
type Shared [64]byte

// Share names the memory to other processes. It should have a multiple of 2 MiB: the driver may put smaller pieces into
// one allocation, and all of that is shared.
func (m *Memory) Share() (h Shared, err error) {
	c := m.ctx
	if err := c.share(); err != nil {
		return h, err
	}
	if err := c.enter(); err != nil {
		return h, err
	}
	defer c.leave()
	h, r := c.drv.memShare(m.p)
	if r != codeOK {
		return h, c.fail("cuIpcGetMemHandle", r, c.dev.String())
	}
	return h, nil
}

// Map returns memory that another process shares, for kernels of this device. Close unmaps it: the other process
// frees it after that. The own process's memory can't be mapped.
func (c *Context) Map(h Shared) (*Memory, error) {
	if err := c.share(); err != nil {
		return nil, err
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	p, r := c.drv.memMap(&h)
	if r != codeOK {
		return nil, c.fail("cuIpcOpenMemHandle", r, c.dev.String())
	}
	c.live.memory.Add(1)
	return &Memory{ctx: c, p: p, mapped: true}, nil
}

func (c *Context) share() error {
	if err := c.usable(); err != nil {
		return err
	}
	if !c.drv.has(featureShare) {
		return fmt.Errorf("cuda: memory of several processes: %w by the driver of %v", ErrNotSupported, c.dev)
	}
	return nil
}

// Close gives the memory back. Work that uses it must be done, and memory in
// stream order may be used by its own stream only until then. A second call
// returns an error that wraps ErrClosed; nil memory is left alone.
func (m *Memory) Close() error {
	if m == nil {
		return nil
	}
	if m.pool { // cuMemFree takes it too, but the pool still counts it
		return m.free("cuMemFreeAsync", func() Code {
			r := m.ctx.drv.memFreeAsync(m.p, 0)
			if r == codeOK {
				r = m.ctx.drv.streamSync(0)
			}
			return r
		}, m.ctx.enterAlways, m.ctx.leave)
	}
	if m.mapped {
		return m.free("cuIpcCloseMemHandle", func() Code { return m.ctx.drv.memUnmap(m.p) }, m.ctx.enterAlways, m.ctx.leave)
	}
	return m.free("cuMemFree", func() Code { return m.ctx.drv.memFree(m.p) }, m.ctx.enterAlways, m.ctx.leave)
}

// FreeAsync frees memory that a stream allocated, once all work enqueued
// on s is done. If other streams use the memory, make s wait for them
// before.
func (m *Memory) FreeAsync(s *Stream) error {
	if !m.pool {
		return fmt.Errorf("cuda: free in stream order: %w: the memory is not a stream's", ErrInvalid)
	}
	return m.free("cuMemFreeAsync", func() Code { return m.ctx.drv.memFreeAsync(m.p, s.h) }, s.enterAlways, s.leave)
}

func (m *Memory) free(call string, do func() Code, enter func() error, leave func()) error {
	c := m.ctx
	if m.lent {
		m.closed.Store(true)
		return nil
	}
	if err := enter(); err != nil {
		return err
	}
	defer leave()
	if m.closed.Swap(true) {
		return fmt.Errorf("cuda: %s of memory on %v: %w", text.Bytes(m.n), c.dev, ErrClosed)
	}
	c.live.memory.Add(-1)
	c.live.bytes.Add(-int64(m.n))
	if m.p == 0 {
		return nil
	}
	return c.freed(call, do(), fmt.Sprintf("%s at %#x", text.Bytes(m.n), uint64(m.p)))
}

// PoolKeep sets how many bytes the device's pool keeps when streams free
// their memory, instead of giving them back to the system at the next
// synchronization. The default is 0. It holds for the whole process.
func (c *Context) PoolKeep(bytes uint64) error {
	return c.pool("cuMemPoolSetAttribute", func(pool handle) Code {
		return c.drv.poolSet(pool, poolReleaseThreshold, bytes)
	})
}

// PoolTrim returns unused memory of the device's pool to the
// system, down to keep bytes.
func (c *Context) PoolTrim(keep uint64) error {
	return c.pool("cuMemPoolTrimTo", func(pool handle) Code { return c.drv.poolTrim(pool, keep) })
}

// PoolInfo returns the bytes that the device's pool has from the system, and
// how many of them are in use.
func (c *Context) PoolInfo() (reserved, used uint64, err error) {
	err = c.pool("cuMemPoolGetAttribute", func(pool handle) (r Code) {
		if reserved, r = c.drv.poolGet(pool, poolReservedCurrent); r == codeOK {
			used, r = c.drv.poolGet(pool, poolUsedCurrent)
		}
		return r
	})
	return reserved, used, err
}

func (c *Context) pool(call string, do func(pool handle) Code) error {
	if !c.dev.Pools {
		return fmt.Errorf("cuda: pool of memory: %w by %v", ErrNotSupported, c.dev)
	}
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	pool, r := c.drv.poolDefault(c.dev.number)
	if r != codeOK {
		return c.fail("cuDeviceGetDefaultMemPool", r, c.dev.String())
	}
	if r := do(pool); r != codeOK {
		return c.fail(call, r, c.dev.String())
	}
	return nil
}

// Host is host memory that the devices can reach: it is pinned, copies
// to and from it overlap the host's work, and kernels can use it in place.
// The allocator must free it.
type Host struct {
	ctx    *Context
	p      unsafe.Pointer
	dev    Ptr
	n      uint64
	closed atomic.Bool
	keep   []byte // memory that was registered; or nil
}

// RegisterHost pins memory of the program where it is, for all of the process's contexts. Devices may only read
// it. It must stay, and stay as it is, until Close, which leaves it to the program. The error wraps ErrOutOfMemory if the system doesn't
// pin so much. Others are of memory that can't be pinned, such as a part of a page that is pinned already: AllocHost and a copy do
// without.
func (c *Context) RegisterHost(memory []byte) (*Host, error) {
	if len(memory) == 0 {
		return nil, fmt.Errorf("cuda: pinned memory of no bytes: %w", ErrInvalid)
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	h := &Host{ctx: c, n: uint64(len(memory)), p: unsafe.Pointer(unsafe.SliceData(memory)), keep: memory}
	call, r := "cuMemHostRegister", codeOutOfMemory
	if c.failNow() {
		call += " (made to fail by FailAlloc)"
	} else if r = c.drv.hostRegister(h.p, h.n, hostPortable|hostDeviceMap); r != codeOK && r != codeOutOfMemory {
		r = c.drv.hostRegister(h.p, h.n, hostPortable|hostDeviceMap|hostReadOnly) // a file that is mapped
	}
	if r != codeOK {
		e := newError(c.drv, call, r, text.Bytes(h.n)+" of the host's memory")
		e.Wanted = h.n
		return nil, e
	}
	if h.dev, r = c.drv.hostPointer(h.p); r != codeOK {
		err := c.fail("cuMemHostGetDevicePointer", r, text.Bytes(h.n))
		c.drv.hostUnregister(h.p)
		return nil, err
	}
	c.live.host.Add(1)
	c.live.hostBytes.Add(int64(h.n))
	return h, nil
}

// AllocHost returns pinned, mapped host memory of that many bytes, at least
// one, for all of the process's contexts. Its contents are undefined.
func (c *Context) AllocHost(bytes uint64) (*Host, error) {
	if bytes == 0 {
		return nil, fmt.Errorf("cuda: pinned memory of no bytes: %w", ErrInvalid)
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	call, r := "cuMemHostAlloc", codeOutOfMemory
	h := &Host{ctx: c, n: bytes}
	if c.failNow() {
		call += " (made to fail by FailAlloc)"
	} else if bytes <= math.MaxInt64 {
		h.p, r = c.drv.hostAlloc(bytes, hostPortable|hostDeviceMap)
	}
	if r != codeOK {
		e := newError(c.drv, call, r, text.Bytes(bytes)+" of pinned host memory wanted")
		e.Wanted = bytes
		return nil, e
	}
	if h.dev, r = c.drv.hostPointer(h.p); r != codeOK {
		err := c.fail("cuMemHostGetDevicePointer", r, text.Bytes(bytes))
		c.drv.hostFree(h.p)
		return nil, err
	}
	c.live.host.Add(1)
	c.live.hostBytes.Add(int64(bytes))
	return h, nil
}

// Bytes is the memory as the host sees it, or nil once it is closed. The slice
// must not be used after that.
func (h *Host) Bytes() []byte {
	if h.closed.Load() {
		return nil
	}
	return unsafe.Slice((*byte)(h.p), h.n)
}

// Ptr is the memory's address as the devices see it.
func (h *Host) Ptr() Ptr { return h.dev }

// Size is the number of bytes.
func (h *Host) Size() uint64 { return h.n }

// Close gives the memory back; copies and kernels that use it must be done. A
// second call returns an error that wraps ErrClosed; nil memory is left alone.
func (h *Host) Close() error {
	if h == nil {
		return nil
	}
	c := h.ctx
	if err := c.enterAlways(); err != nil {
		return err
	}
	defer c.leave()
	if h.closed.Swap(true) {
		return fmt.Errorf("cuda: %s of pinned memory: %w", text.Bytes(h.n), ErrClosed)
	}
	c.live.host.Add(-1)
	c.live.hostBytes.Add(-int64(h.n))
	if h.keep != nil {
		return c.freed("cuMemHostUnregister", c.drv.hostUnregister(h.p), text.Bytes(h.n)+" of pinned memory")
	}
	return c.freed("cuMemFreeHost", c.drv.hostFree(h.p), text.Bytes(h.n)+" of pinned memory")
}
