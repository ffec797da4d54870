// This file holds pinned memory of the host that kernels read in place.

package gpu

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/text"
)

// pinned is host memory at the device's address of it.
type pinned struct {
	d *Device
	h *driver.Host
}

func (p *pinned) Host() []byte     { return p.h.Bytes() }
func (p *pinned) Pointer() uintptr { return uintptr(p.h.Ptr()) }

func (p *pinned) Close() error {
	p.d.memory.Add(-1)
	return p.h.Close()
}

// AllocPinned returns pinned memory of the host, which the device's kernels read in place over the bus. Its contents
// are undefined. The device isn't closed before it. The error is device.ErrMemory if the system doesn't pin so much.
func (d *Device) AllocPinned(bytes uint64) (device.Memory, error) {
	if err := d.err(); err != nil {
		return nil, err
	}
	h, err := d.c.AllocHost(max(bytes, 1))
	if errors.Is(err, driver.ErrOutOfMemory) {
		return nil, noPin(d, bytes, err)
	}
	if err != nil {
		return nil, fmt.Errorf("gpu: pinning %s of the host's memory for %s: %w", text.Bytes(bytes), d.info.Name, err)
	}
	d.memory.Add(1)
	return &pinned{d: d, h: h}, nil
}

// Register pins memory of the program where it is, as AllocPinned does; kernels only read it. It stays, and stays as it is, until
// Close. The error is device.ErrMemory if the system doesn't pin so much, else device.ErrNotSupported: AllocPinned and a
// copy do without.
func (d *Device) Register(memory []byte) (device.Memory, error) {
	if err := d.err(); err != nil {
		return nil, err
	}
	h, err := d.c.RegisterHost(memory)
	if errors.Is(err, driver.ErrOutOfMemory) {
		return nil, noPin(d, uint64(len(memory)), err)
	}
	if err != nil {
		return nil, fmt.Errorf("gpu: pinning %s of the host's memory for %s: %w: %w", text.Bytes(uint64(len(memory))), d.info.Name, device.ErrNotSupported, err)
	}
	d.memory.Add(1)
	return &pinned{d: d, h: h}, nil
}

func noPin(d *Device, bytes uint64, err error) error {
	return fmt.Errorf("gpu: pinning %s of the host's memory for %s: %w; raise the limit of locked memory (ulimit -l), free memory of the host, or search on the host", text.Bytes(bytes), d.info.Name, err)
}

// FromPinned enqueues a copy of bytes bytes of memory of AllocPinned, beginning at offset, to the device.
func (s *Stream) FromPinned(dst uintptr, src device.Memory, offset, bytes uint64) error {
	p, ok := src.(*pinned)
	if !ok {
		return fmt.Errorf("gpu: %w: memory that isn't pinned", device.ErrNotSupported)
	}
	return s.ToDevice(dst, p.h, offset, bytes)
}
