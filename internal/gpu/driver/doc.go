// Package driver is a narrow interface to NVIDIA's driver: devices, their primary contexts,
// memory, streams, events, modules and launches. It contains nothing about graphs.
//
// # Builds
//
// The default build doesn't use cgo itself. On Linux (amd64, arm64) it opens
// libcuda.so.1 at run time, so the same binary runs on machines without a GPU; it
// is still linked against the C library dynamically. With the build tag
// gorgonia the driver is reached through gorgonia.org/cu, for programs that
// already hold that package's contexts and device pointers (FromCU); such a
// program exits at its start on a machine without a GPU. With the tag nocuda, and on
// other systems, no driver is opened: Probe reports that, and with CGO_ENABLED=0
// the binary is static.
//
// # Threads
//
// The driver's contexts belong to threads of the operating system. Every call
// here locks its goroutine to a thread, makes its context current there and
// lets go again, so that all of it may be called from any goroutine.
// Stream.Do does this once around many calls on a stream. Contexts, modules and
// functions are safe for concurrent use; a stream, and the events recorded in
// it, are used by one goroutine at a time.
//
// # Ownership and errors
//
// What New, Alloc, Load and Open return belongs to the caller, who closes or
// frees it; nothing is freed by the garbage collector. Context.Live counts what
// is left. Errors are of type *Error or wrap one of the package's sentinels. An
// error that breaks a context, such as an illegal address in a kernel, is
// returned by every later call on it, as a *BrokenError that names the cause.
// Kernels run asynchronously: their errors come back from a later call.
//
// The figures and names of the driver's interface follow NVIDIA's CUDA Driver
// API reference.
package driver
