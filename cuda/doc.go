// Package cuda is for programs that bring their own CUDA context. device.Open opens a GPU without it, and device.List
// lists what the driver finds.
//
// The guide is [docs/gpus.md].
//
// The driver is opened at run time (libcuda.so.1, Linux on amd64 and arm64), so
// the same binary runs without a GPU. A context is opened by Open; with the build
// tag gorgonia FromCU takes one that was made with gorgonia.org/cu, which is
// linked against the driver: such a program doesn't start without it. gpu.New
// makes a device from either. With the tag nocuda, and on other systems, there is
// nothing to open: Open reports this, and with CGO_ENABLED=0 the binary is
// static.
//
//	ctx, err := cuda.Open(0)
//	dev, err := gpu.New(ctx)   // package device/gpu; dev.Close closes ctx
//	placed, err := g.On(dev)
//
// A Context is safe for concurrent use. The caller that opened it closes it,
// unless a device took it over. Errors of the driver wrap
// device.ErrNotSupported, device.ErrMemory, device.ErrClosed or ErrBroken, or name the call that failed. Kernels run asynchronously: their errors come back from a later
// call. An error that breaks a context, such as an illegal address in a kernel,
// is returned by every later call on it and wraps ErrBroken.
//
// [docs/gpus.md]: https://github.com/foray-graph/foray/blob/main/docs/gpus.md
package cuda
