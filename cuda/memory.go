// This file holds memory: the device's, pinned buffers of the host, and the
// copies between them.

package cuda

import (
	"fmt"
	"unsafe"
)

// FailAlloc makes the k-th allocation from now on fail, once, with ErrInjected
// and ErrOutOfMemory, for tests of what comes after. 0 ends that.
func (c *Context) FailAlloc(k int) { c.fail.Store(int64(k)) }

// injected reports whether this allocation is the one to fail.
func (c *Context) injected(bytes uint64) error {
	if c.fail.Load() <= 0 || c.fail.Add(-1) != 0 {
		return nil
	}
	return fmt.Errorf("%w: %d bytes wanted: %w", ErrOutOfMemory, bytes, ErrInjected)
}

// MemInfo returns the bytes of the device's memory that are free, and all.
func (c *Context) MemInfo() (free, total uint64, err error) {
	err = c.Do(func() error {
		f := frames.Get().(*frame)
		defer frames.Put(f)
		f.args[0], f.args[1] = address(&f.out[0]), address(&f.out[1])
		err := check(cuMemGetInfo, "", invoke(cuMemGetInfo, f, 2))
		free, total = f.out[0], f.out[1]
		return err
	})
	return free, total, err
}

// Alloc returns memory of the device, aligned to 256 bytes. The error wraps
// ErrOutOfMemory and says how much is free.
func (c *Context) Alloc(bytes uint64) (Ptr, error) {
	if err := c.injected(bytes); err != nil {
		return 0, err
	}
	var p uint64
	err := c.Do(func() (err error) {
		p, err = get(cuMemAlloc, fmt.Sprintf("allocating %d bytes", bytes), uintptr(bytes))
		return err
	})
	if e, ok := err.(*Error); ok && e.Code == codeOutOfMemory {
		if free, _, freeErr := c.MemInfo(); freeErr == nil {
			e.What += fmt.Sprintf(" of %d that are free", free)
		}
	}
	if err != nil {
		return 0, err
	}
	c.live.allocations.Add(1)
	c.live.bytes.Add(int64(bytes))
	c.live.mu.Lock()
	c.live.sizes[Ptr(p)] = bytes
	c.live.mu.Unlock()
	return Ptr(p), nil
}

// Free gives memory back. It waits until nothing uses it.
func (c *Context) Free(p Ptr) error {
	c.live.mu.Lock()
	bytes, ok := c.live.sizes[p]
	delete(c.live.sizes, p)
	c.live.mu.Unlock()
	if !ok {
		return fmt.Errorf("freeing what isn't allocated: %#x", uintptr(p))
	}
	c.live.allocations.Add(-1)
	c.live.bytes.Add(-int64(bytes))
	return c.Do(func() error { return call(cuMemFree, "", uintptr(p)) })
}

// Pinned is memory of the host that the device can reach.
type Pinned struct {
	Bytes  []byte
	Device Ptr // its address on the device
	c      *Context
	host   uintptr
}

// The flags of pinned memory: for all contexts, and mapped.
const pinnedFlags = 1 | 2

// AllocHost returns pinned memory of the host.
func (c *Context) AllocHost(bytes int) (*Pinned, error) {
	if err := c.injected(uint64(bytes)); err != nil {
		return nil, err
	}
	p := &Pinned{c: c}
	err := c.Do(func() error {
		host, err := get(cuMemHostAlloc, fmt.Sprintf("pinning %d bytes", bytes), uintptr(bytes), pinnedFlags)
		if err != nil {
			return err
		}
		dev, err := get(cuMemHostGetDevicePointer, "", uintptr(host), 0)
		if err != nil {
			call(cuMemFreeHost, "", uintptr(host))
			return err
		}
		p.host, p.Device = uintptr(host), Ptr(dev)
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.Bytes = unsafe.Slice((*byte)(foreign(p.host)), bytes)
	clear(p.Bytes)
	c.live.pinned.Add(1)
	return p, nil
}

// Free gives it back. A nil or freed one is left alone.
func (p *Pinned) Free() error {
	if p == nil || p.host == 0 {
		return nil
	}
	host := p.host
	p.host, p.Bytes, p.Device = 0, nil, 0
	p.c.live.pinned.Add(-1)
	return p.c.Do(func() error { return call(cuMemFreeHost, "", host) })
}

// ToDevice enqueues a copy of the first n bytes of pinned memory to the device.
// The pinned memory must not change until it is done.
func (s *Stream) ToDevice(dst Ptr, src *Pinned, n int) error {
	return s.c.Do(func() error {
		return call(cuMemcpyHtoDAsync, "copying to the GPU", uintptr(dst), src.host, uintptr(n), s.handle)
	})
}

// ToHost enqueues a copy from the device to the first n bytes of pinned memory.
func (s *Stream) ToHost(dst *Pinned, src Ptr, n int) error {
	return s.c.Do(func() error {
		return call(cuMemcpyDtoHAsync, "copying from the GPU", dst.host, uintptr(src), uintptr(n), s.handle)
	})
}

// Fill enqueues the filling of words of 32 bits.
func (s *Stream) Fill(dst Ptr, value uint32, words uint64) error {
	if words == 0 {
		return nil
	}
	return s.c.Do(func() error {
		return call(cuMemsetD32Async, "", uintptr(dst), uintptr(value), uintptr(words), s.handle)
	})
}
