// Package host implements device/host: the CPU as a device, and streams as operators use them.
package host

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
)

// init only registers the device; it probes nothing.
func init() {
	device.Register(device.Driver{
		Kind:  device.Host,
		Rank:  0,
		Probe: func() ([]device.Info, error) { return []device.Info{New(0).Info()}, nil },
		Open:  func(int) (device.Device, error) { return New(0), nil },
	})
}

// Device is the CPU.
type Device struct {
	workers int
	closed  atomic.Bool
}

// New returns the CPU with the given number of workers per stream; 0 or less means
// GOMAXPROCS at the time a stream is made.
func New(workers int) *Device { return &Device{workers: max(workers, 0)} }

// Workers returns the number of workers that a new stream gets.
func (d *Device) Workers() int {
	if d.workers > 0 {
		return d.workers
	}
	return runtime.GOMAXPROCS(0)
}

// Name is the CPU's name, as device.Open takes it.
const Name = "host"

// Name is the device's name, as device.Open takes it.
func (*Device) Name() string { return Name }

// Info describes the CPU.
func (d *Device) Info() device.Info {
	return device.Info{
		Kind:        device.Host,
		Name:        Name,
		Model:       fmt.Sprintf("%s/%s", runtime.GOOS, runtime.GOARCH),
		Units:       d.Workers(),
		MemoryTotal: memoryTotal(),
		MemoryFree:  memoryFree(),
	}
}

type memory []byte

func (m memory) Host() []byte     { return m }
func (m memory) Pointer() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m))) }
func (m memory) Close() error     { return nil } // the garbage collector's

// Alloc returns zeroed memory, aligned to 8 bytes. The garbage collector frees it
// if the caller doesn't. The error is device.ErrClosed after Close, or
// device.ErrSize for more memory than any machine has.
func (d *Device) Alloc(bytes uint64) (device.Memory, error) {
	if err := d.err(); err != nil {
		return nil, err
	}
	if bytes > 1<<46 {
		return nil, fmt.Errorf("host: %w: %d bytes asked for at once, past the address space", device.ErrSize, bytes)
	}
	words := make([]uint64, (bytes+7)/8) // words, for the alignment
	hugepage.Advise(words)
	return memory(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), bytes)), nil
}

// Close ends the use of this Device: Alloc and NewStream fail with
// device.ErrClosed afterwards, and so does every search. Other Devices that Open
// or New returned stay usable, and so does allocated memory.
func (d *Device) Close() error {
	d.closed.Store(true)
	return nil
}

func (d *Device) err() error {
	if d.closed.Load() {
		return fmt.Errorf("host: %w: the device; open it again", device.ErrClosed)
	}
	return nil
}
