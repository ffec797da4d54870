// This file holds the package's names; internal/gpu/driver has what is behind them.

package cuda

import "github.com/foray-graph/foray/internal/gpu/driver"

// Context is a hold on a device's primary context. Do runs calls into other
// libraries with the context current; Live counts what lives in it; Close lets go
// of it, or returns an error that wraps ErrInUse while anything does.
type Context = driver.Context

// Device describes a device, with sizes in bytes.
type Device = driver.Device

// Found is what Probe found: the driver's version and the number of devices.
type Found = driver.Found

// Error is a call of the driver that failed, with the driver's code and its name.
type Error = driver.Error

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
func Probe() (Found, error) { return driver.Probe() }

// DeviceInfo describes device i of those that Probe counts.
func DeviceInfo(i int) (Device, error) { return driver.DeviceInfo(i) }

// Open returns a new hold on the primary context of device i. It belongs to the
// caller, who closes it. Any number may be open at a time; they share the device's
// memory addresses.
func Open(i int) (*Context, error) { return driver.Open(i) }
