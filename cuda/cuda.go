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

// Close releases the context. The error wraps ErrInUse and names what is still in use, while memory, streams, events or
// modules live in it.
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

// Found is what Probe found.
type Found struct {
	Devices        int    // how many there are, at least one
	Driver         string // the newest version of CUDA that the driver offers
	Implementation string // how the driver is reached: "purego", "gorgonia.org/cu"
}

// Errors to test for with errors.Is.
var (
	// ErrNotSupported: the machine, the driver, the device or the build can't do
	// this; the message has the details.
	ErrNotSupported = driver.ErrNotSupported
	// ErrOutOfMemory: the device or the host has no memory left.
	ErrOutOfMemory = driver.ErrOutOfMemory
	// ErrClosed: the context, or what was made in it, was closed before.
	ErrClosed = driver.ErrClosed
	// ErrInUse: the context still holds memory, streams, events or modules.
	ErrInUse = driver.ErrInUse
	// ErrNotPermitted: the system forbids it.
	ErrNotPermitted = driver.ErrNotPermitted
	// ErrNotFound: no kernel, global or device of that name.
	ErrNotFound = driver.ErrNotFound
	// ErrInvalid: an argument that can't be meant.
	ErrInvalid = driver.ErrInvalid
	// ErrTooLarge: the launch needs more registers, shared memory, threads or
	// blocks at once than the device has.
	ErrTooLarge = driver.ErrTooLarge
	// ErrBroken: the context can't be used any more.
	ErrBroken = driver.ErrBroken
)

// Probe reports whether CUDA can be used here. An error that wraps ErrNotSupported
// gives the reason: no driver library, a driver that is too old, no device, or a
// build without CUDA. Both this error and a found device are cached for the life
// of the process. Any other error means that there is a driver and that it failed;
// the next call tries again.
func Probe() (Found, error) {
	f, err := driver.Probe()
	if err != nil {
		return Found{}, err
	}
	return Found{Devices: f.Devices, Driver: f.Driver.String(), Implementation: f.Implementation}, nil
}

// DeviceInfo describes device i of those that Probe counts.
func DeviceInfo(i int) (Device, error) {
	d, err := driver.DeviceInfo(i)
	if err != nil {
		return Device{}, err
	}
	return deviceOf(d), nil
}

// Open returns a new hold on the primary context of device i. It belongs to the
// caller, who closes it. Any number may be open at a time; they share the device's
// memory addresses.
func Open(i int) (*Context, error) {
	c, err := driver.Open(i)
	return (*Context)(c), err
}
