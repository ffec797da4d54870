// This file holds contexts, devices and errors; internal/gpu/driver has what is behind them.

package cuda

import "github.com/foray-graph/foray/internal/gpu/driver"

// Context is a hold on a device's primary context. Its methods are safe for concurrent use.
type Context driver.Context

// Device returns the device that the context is on.
func (c *Context) Device() Device { return deviceOf((*driver.Context)(c).Device()) }

// Do locks the goroutine to its thread and calls f with the context current on that thread, for calls into
// other libraries that expect it there.
func (c *Context) Do(f func() error) error { return (*driver.Context)(c).Do(f) }

// Close releases the context. While memory, streams, events or modules live in it, the error names what is
// still in use.
func (c *Context) Close() error { return (*driver.Context)(c).Close() }

// Device describes a device. Sizes are in bytes.
type Device struct {
	Index        int    // as Open takes it
	Name         string // the maker's, such as "NVIDIA H200"
	Driver       string // the newest version of CUDA that the driver offers
	Memory       uint64 // in total
	Major, Minor int    // compute capability
	SMs          int    // multiprocessors
	UUID         string // as nvidia-smi writes it
	PCI          string // bus id, as "0000:17:00.0"
}

func deviceOf(d driver.Device) Device {
	return Device{Index: d.Index, Name: d.Name, Driver: d.Driver.String(), Memory: d.Memory, Major: d.Major, Minor: d.Minor, SMs: d.SMs, UUID: d.UUID, PCI: d.PCI}
}

// ErrBroken: the context can't be used any more; see the package comment.
var ErrBroken = driver.ErrBroken

// Open returns a new hold on the primary context of device i. It belongs to the
// caller, who closes it. Any number may be open at a time; they share the device's
// memory addresses. The error wraps device.ErrNotSupported if CUDA can't be used here, and gives the reason: no
// driver library, a driver that is too old, no such device, or a build without CUDA.
func Open(i int) (*Context, error) {
	c, err := driver.Open(i)
	return (*Context)(c), err
}
