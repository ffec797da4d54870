// Package cuda is a narrow interface to the NVIDIA driver: contexts, memory,
// streams, events, modules and launches. It knows nothing of graphs.
//
// The driver's library is opened when it is first needed, so that one binary
// runs with and without a GPU, is built without cgo and without the CUDA
// toolkit. Where it can't be used (another system, the build tag nocuda, no
// library, no device) Probe says so.
//
// Contexts belong to threads of the operating system. Every call of this
// package makes its context current on the calling thread first and keeps the
// goroutine there for as long as that takes; Context.Do does so once for many
// calls. The primary context is used, which other libraries in the process
// share.
//
// Memory, streams and events are freed by Free and Close alone, never by a
// finalizer; Context.Live says what is still there.
package cuda

import (
	"errors"
	"fmt"
)

// Errors to test for with errors.Is.
var (
	// ErrNotSupported: there is no GPU that can be used; the message says why.
	ErrNotSupported = errors.New("CUDA can't be used")
	// ErrOutOfMemory: the device, or the host for pinned memory, has too little.
	ErrOutOfMemory = errors.New("out of GPU memory")
	// ErrClosed: use of a context that was closed.
	ErrClosed = errors.New("CUDA context closed")
	// ErrBroken: the context can't be used any more, because of an error that
	// the message names, such as an illegal address in a kernel.
	ErrBroken = errors.New("CUDA context broken")
	// ErrInjected: the allocation that FailAlloc chose.
	ErrInjected = errors.New("allocation failed on purpose")
)

// Error is what a call of the driver returned.
type Error struct {
	Call string // the driver's function
	Code int    // its result
	Name string // the result's name, such as CUDA_ERROR_INVALID_VALUE
	What string // what was asked, or empty
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s (%d)", e.Call, e.Name, e.Code)
	if e.What != "" {
		s = e.What + ": " + s
	}
	return s
}

// Is makes errors.Is(err, ErrOutOfMemory) true for that code.
func (e *Error) Is(target error) bool {
	return target == ErrOutOfMemory && e.Code == codeOutOfMemory ||
		target == ErrNotSupported && (e.Code == codeNoDevice || e.Code == codeNotSupported) ||
		target == ErrBroken && e.broken()
}

// The driver's results that this package tells apart.
const (
	codeOutOfMemory  = 2
	codeNoDevice     = 100
	codeNotReady     = 600
	codeNotSupported = 801
)

// broken reports whether a context is of no use after this error.
func (e *Error) broken() bool {
	switch e.Code {
	case 214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721:
		return true
	}
	return false
}

// Ptr is an address in a device's memory.
type Ptr uintptr

// Info describes a GPU.
type Info struct {
	Name                string
	Major, Minor        int // compute capability
	Multiprocessors     int
	ThreadsPer          int // resident on a multiprocessor
	SharedPerBlock      int // bytes, the most that a block may ask for
	L2                  int // bytes
	Memory              uint64
	Cooperative         bool // cooperative launches
	Clusters            bool // thread-block clusters
	PCIBus, PCIDevice   int
	DriverMajor, Minors int // version of CUDA that the driver has
}

// Driver returns the version of CUDA that the driver has, such as "13.0".
func (i Info) Driver() string { return fmt.Sprintf("%d.%d", i.DriverMajor, i.Minors) }
