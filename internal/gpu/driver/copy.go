// This file holds copies between host and device and on the device, and
// filling memory.

package driver

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/foray-graph/foray/internal/text"
)

// Upload copies src to the device and is done when it returns. It waits for no
// stream: work that uses the memory must be done, and later work sees the copy.
func (c *Context) Upload(dst Ptr, src []byte) error {
	p, n := unsafe.Pointer(unsafe.SliceData(src)), uint64(len(src))
	defer runtime.KeepAlive(src)
	return c.now("cuMemcpyHtoD", n, func() Code { return c.drv.toDevice(dst, p, n) })
}

// Download copies from the device to dst and is done when it returns. It waits
// for no stream: work that writes the memory must be done.
func (c *Context) Download(dst []byte, src Ptr) error {
	p, n := unsafe.Pointer(unsafe.SliceData(dst)), uint64(len(dst))
	defer runtime.KeepAlive(dst)
	return c.now("cuMemcpyDtoH", n, func() Code { return c.drv.toHost(p, src, n) })
}

// Copy copies n bytes on the device and is done when it returns. It waits for
// no stream.
func (c *Context) Copy(dst, src Ptr, n uint64) error {
	return c.now("cuMemcpyDtoD", n, func() Code { return c.drv.copy(dst, src, n) })
}

// CopyPeer copies n bytes from another context's device to this one's and is
// done when it returns. It waits for no stream. Peer access makes it faster
// but isn't needed.
func (c *Context) CopyPeer(dst Ptr, src Ptr, from *Context, n uint64) error {
	if err := from.usable(); err != nil {
		return err
	}
	return c.now("cuMemcpyPeer", n, func() Code { return c.drv.copyPeer(dst, c.h, src, from.h, n) })
}

// now runs a copy of the driver's default stream and waits for it: some of
// those calls return when the data is on its way only, and the streams here
// don't wait for the default stream.
func (c *Context) now(call string, n uint64, do func() Code) error {
	if n == 0 {
		return c.usable()
	}
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	if r := do(); r != codeOK {
		return c.fail(call, r, text.Bytes(n)+" on "+c.dev.String())
	}
	if r := c.drv.streamSync(0); r != codeOK {
		return c.fail("cuStreamSynchronize", r, "after "+call)
	}
	return nil
}

// Upload enqueues a copy of src to the device and waits for the stream.
func (s *Stream) Upload(dst Ptr, src []byte) error {
	if len(src) == 0 {
		return s.Sync()
	}
	if err := s.enter(); err != nil {
		return err
	}
	r := s.ctx.drv.toDeviceAsync(dst, unsafe.Pointer(unsafe.SliceData(src)), uint64(len(src)), s.h)
	return s.wait("cuMemcpyHtoDAsync", r, src)
}

// Download enqueues a copy from the device to dst and waits for the stream.
func (s *Stream) Download(dst []byte, src Ptr) error {
	if len(dst) == 0 {
		return s.Sync()
	}
	if err := s.enter(); err != nil {
		return err
	}
	r := s.ctx.drv.toHostAsync(unsafe.Pointer(unsafe.SliceData(dst)), src, uint64(len(dst)), s.h)
	return s.wait("cuMemcpyDtoHAsync", r, dst)
}

// wait ends Upload and Download, which entered before.
func (s *Stream) wait(call string, r Code, data []byte) error {
	defer s.leave()
	if r == codeOK {
		call, r = "cuStreamSynchronize", s.ctx.drv.streamSync(s.h)
	}
	runtime.KeepAlive(data)
	if r != codeOK {
		return s.ctx.fail(call, r, text.Bytes(uint64(len(data)))+" on "+s.ctx.dev.String())
	}
	return nil
}

// ToDevice enqueues a copy of n bytes of pinned memory, from offset on, to the
// device. The bytes must stay as they are until it is done.
func (s *Stream) ToDevice(dst Ptr, src *Host, offset, n uint64) error {
	if err := src.check(offset, n); err != nil {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	var r Code
	if n > 0 {
		r = s.ctx.drv.toDeviceAsync(dst, unsafe.Add(src.p, offset), n, s.h)
	}
	s.leave()
	return s.copied("cuMemcpyHtoDAsync", r, n)
}

// ToHost enqueues a copy of n bytes from the device to pinned memory, from
// offset on.
func (s *Stream) ToHost(dst *Host, offset uint64, src Ptr, n uint64) error {
	if err := dst.check(offset, n); err != nil {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	var r Code
	if n > 0 {
		r = s.ctx.drv.toHostAsync(unsafe.Add(dst.p, offset), src, n, s.h)
	}
	s.leave()
	return s.copied("cuMemcpyDtoHAsync", r, n)
}

func (h *Host) check(offset, n uint64) error {
	if h.closed.Load() {
		return fmt.Errorf("cuda: copy with pinned memory: %w", ErrClosed)
	}
	if offset > h.n || n > h.n-offset {
		return fmt.Errorf("cuda: copy of %d bytes at %d of %d of pinned memory: %w", n, offset, h.n, ErrInvalid)
	}
	return nil
}

// Copy enqueues a copy of n bytes on the device. The two must not overlap.
func (s *Stream) Copy(dst, src Ptr, n uint64) error {
	if err := s.enter(); err != nil {
		return err
	}
	var r Code
	if n > 0 {
		r = s.ctx.drv.copyAsync(dst, src, n, s.h)
	}
	s.leave()
	return s.copied("cuMemcpyDtoDAsync", r, n)
}

// CopyPeer enqueues a copy of n bytes between two contexts' devices, one of
// which is the stream's.
func (s *Stream) CopyPeer(dst Ptr, to *Context, src Ptr, from *Context, n uint64) error {
	for _, c := range [...]*Context{to, from} {
		if err := c.usable(); err != nil {
			return err
		}
	}
	if err := s.enter(); err != nil {
		return err
	}
	var r Code
	if n > 0 {
		r = s.ctx.drv.copyPeerAsync(dst, to.h, src, from.h, n, s.h)
	}
	s.leave()
	return s.copied("cuMemcpyPeerAsync", r, n)
}

// Memset8 enqueues filling n bytes with v.
func (s *Stream) Memset8(dst Ptr, v byte, n uint64) error {
	if err := s.enter(); err != nil {
		return err
	}
	var r Code
	if n > 0 {
		r = s.ctx.drv.memset8(dst, v, n, s.h)
	}
	s.leave()
	return s.copied("cuMemsetD8Async", r, n)
}

// Memset32 enqueues filling n words of 4 bytes with v. The address must be a
// multiple of 4.
func (s *Stream) Memset32(dst Ptr, v uint32, n uint64) error {
	if err := s.enter(); err != nil {
		return err
	}
	var r Code
	if n > 0 {
		r = s.ctx.drv.memset32(dst, v, n, s.h)
	}
	s.leave()
	return s.copied("cuMemsetD32Async", r, 4*n)
}

// copied makes an error of the code of a copy or filling of n bytes.
func (s *Stream) copied(call string, r Code, n uint64) error {
	if r == codeOK {
		return nil
	}
	return s.ctx.fail(call, r, text.Bytes(n)+" on "+s.ctx.dev.String())
}
