// Package host is the CPU as a device: memory is the Go heap's, a stream is a
// team of goroutines that stay for as long as the stream does.
//
// The guide is [docs/tune.md].
//
// [docs/tune.md]: https://github.com/foray-graph/foray/blob/main/docs/tune.md
package host

import (
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/host"
)

// Name is the CPU's name, as device.Open takes it. Device.Info has it too, but queries
// the system's memory, which takes longer than a small search.
const Name = "host"

// New returns the CPU with the given number of workers per stream; 0 or less means GOMAXPROCS at the time a
// stream is made.
//
// The garbage collector frees the device's memory if the caller doesn't. Close ends the use of this Device: Alloc
// and NewStream fail with device.ErrClosed afterwards, and so does every search. Other Devices that device.Open or
// New returned stay usable, and so does allocated memory.
func New(workers int) device.Device { return host.New(workers) }
