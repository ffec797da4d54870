// Package gpu is an NVIDIA GPU as a device: memory, streams, kernels, and the
// ring of slots by which operators report to the host.
package gpu

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
)

// Block is the number of threads in a block of every kernel (kBlock of
// frontier/queue.cuh).
const Block = 256

// Device is an NVIDIA GPU.
type Device struct {
	i     int
	ctx   uintptr
	sms   int
	name  string
	label string

	mu      sync.Mutex
	modules map[*byte]uintptr
	kernels map[kernelKey]*Kernel
	staging []stage
	copies  uintptr // stream
}

type kernelKey struct {
	image *byte
	name  string
}

var open struct {
	once sync.Once
	err  error
}

// Open opens a GPU.
func Open(i int) (*Device, error) {
	open.once.Do(func() {
		if open.err = loadDriver(); open.err == nil {
			open.err = call("cuInit", 0)
		}
	})
	if open.err != nil {
		return nil, fmt.Errorf("gpu: %w: %w", device.ErrNotSupported, open.err)
	}
	d := &Device{i: i, label: fmt.Sprintf("cuda:%d", i), modules: map[*byte]uintptr{}, kernels: map[kernelKey]*Kernel{}}
	var dev int32
	if err := call("cuDeviceGet", uintptr(unsafe.Pointer(&dev)), uintptr(i)); err != nil {
		return nil, err
	}
	if err := call("cuDevicePrimaryCtxRetain", uintptr(unsafe.Pointer(&d.ctx)), uintptr(dev)); err != nil {
		return nil, err
	}
	var sms int32
	if err := call("cuDeviceGetAttribute", uintptr(unsafe.Pointer(&sms)), 16, uintptr(dev)); err != nil {
		return nil, err
	}
	d.sms = int(sms)
	var name [256]byte
	call("cuDeviceGetName", uintptr(unsafe.Pointer(&name[0])), 256, uintptr(dev))
	for k, c := range name {
		if c == 0 {
			d.name = string(name[:k])
			break
		}
	}
	err := d.do(func() error { return call("cuStreamCreate", uintptr(unsafe.Pointer(&d.copies)), 1) })
	return d, err
}

// do runs f with the context current on a locked thread.
func (d *Device) do(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := call("cuCtxSetCurrent", d.ctx); err != nil {
		return err
	}
	return f()
}

// Info describes the GPU.
func (d *Device) Info() device.Info {
	var free, total uint64
	d.do(func() error {
		return call("cuMemGetInfo_v2", uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	})
	return device.Info{Kind: "cuda", Name: fmt.Sprintf("cuda:%d", d.i), Model: d.name, Units: d.sms, MemoryTotal: total, MemoryFree: free}
}

type memory struct {
	d *Device
	p uintptr
}

func (m memory) Host() []byte     { return nil }
func (m memory) Pointer() uintptr { return m.p }
func (m memory) Free() error {
	return m.d.do(func() error { return call("cuMemFree_v2", m.p) })
}

// Alloc returns zeroed memory.
func (d *Device) Alloc(bytes uint64) (device.Memory, error) {
	m := memory{d: d}
	bytes = (max(bytes, 1) + 255) &^ 255
	err := d.do(func() error {
		if err := call("cuMemAlloc_v2", uintptr(unsafe.Pointer(&m.p)), uintptr(bytes)); err != nil {
			return err
		}
		if err := call("cuMemsetD8_v2", m.p, 0, uintptr(bytes)); err != nil {
			return err
		}
		return call("cuCtxSynchronize")
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Sync waits for all that runs on the device.
func (d *Device) Sync() error { return d.do(func() error { return call("cuCtxSynchronize") }) }

// Fill fills words of 32 bits and waits.
func (d *Device) Fill(p uintptr, value uint32, words uint64) error {
	return d.do(func() error {
		if err := call("cuMemsetD32Async", p, uintptr(value), uintptr(words), d.copies); err != nil {
			return err
		}
		return call("cuStreamSynchronize", d.copies)
	})
}

// Close frees the device.
func (d *Device) Close() error { return nil }

// NewStream makes a stream.
func (d *Device) NewStream(ctx context.Context) (device.Stream, error) { return d.Stream(ctx) }

// Stream is a sequence of operators on a GPU.
type Stream struct {
	d       *Device
	h       uintptr
	ctx     context.Context
	stopped atomic.Bool
	unbind  func() bool
	ring    ring
	pinned  uintptr
	fail    error // sticky
}

// Stream makes a stream.
func (d *Device) Stream(ctx context.Context) (*Stream, error) {
	s := &Stream{d: d, ctx: ctx}
	err := d.do(func() error {
		if err := call("cuStreamCreate", uintptr(unsafe.Pointer(&s.h)), 1); err != nil {
			return err
		}
		var host uintptr
		if err := call("cuMemHostAlloc", uintptr(unsafe.Pointer(&host)), ringSlots*slotBytes, 2|1); err != nil {
			return err
		}
		s.pinned = host
		s.ring.mails = unsafe.Slice((*Mail)(unsafe.Pointer(host)), ringSlots)
		clear(s.ring.mails)
		return call("cuMemHostGetDevicePointer_v2", uintptr(unsafe.Pointer(&s.ring.device)), host, 0)
	})
	if err != nil {
		return nil, err
	}
	m, err := d.Alloc(ringSlots * slotBytes)
	if err != nil {
		return nil, err
	}
	s.ring.slots = m.(memory)
	s.ring.owners = make([]*Ticket, ringSlots)
	s.ring.stamp = 1
	s.bind(ctx)
	return s, nil
}

func (s *Stream) bind(ctx context.Context) {
	s.ctx = ctx
	s.stopped.Store(ctx.Err() != nil)
	if ctx.Done() != nil {
		s.unbind = context.AfterFunc(ctx, func() { s.stopped.Store(true) })
	}
}

// Device returns the GPU.
func (s *Stream) Device() device.Device { return s.d }

// Rebind makes a stream that was unbound stop when ctx is done.
func (s *Stream) Rebind(ctx context.Context) { s.bind(ctx) }

// Unbind ends that, after all that was enqueued is done.
func (s *Stream) Unbind() {
	if s.unbind != nil {
		s.unbind()
		s.unbind = nil
	}
	s.d.do(func() error { return call("cuStreamSynchronize", s.h) })
	s.stopped.Store(false)
	s.ctx = context.Background()
}

// Threads returns how many threads are resident on the GPU at once.
func (s *Stream) Threads() int { return s.d.sms * 2048 }

// Name is the device's name, as device.Open takes it.
func (s *Stream) Name() string { return s.d.label }

// Err returns what made the device fail, or the context's error.
func (s *Stream) Err() error {
	if s.fail != nil {
		return s.fail
	}
	if s.stopped.Load() {
		return s.ctx.Err()
	}
	return nil
}

func (s *Stream) failed() error {
	if s.fail == nil {
		s.fail = s.query()
	}
	return s.fail
}

func (s *Stream) query() error {
	return s.d.do(func() error {
		r, _, _ := syscallN("cuStreamQuery", s.h)
		if r == 0 || r == 600 {
			return nil
		}
		return check("cuStreamQuery", r)
	})
}

// Sync waits for the stream.
func (s *Stream) Sync() error {
	if s.fail == nil {
		s.fail = s.d.do(func() error { return call("cuStreamSynchronize", s.h) })
	}
	return s.Err()
}

// Fill enqueues the filling of words of 32 bits.
func (s *Stream) Fill(p uintptr, value uint32, words uint64) error {
	return s.d.do(func() error { return call("cuMemsetD32Async", p, uintptr(value), uintptr(words), s.h) })
}

// Close waits and frees.
func (s *Stream) Close() error {
	if s.h == 0 {
		return nil
	}
	if s.unbind != nil {
		s.unbind()
	}
	return s.d.do(func() error {
		err := call("cuStreamSynchronize", s.h)
		call("cuStreamDestroy_v2", s.h)
		call("cuMemFreeHost", s.pinned)
		call("cuMemFree_v2", s.ring.slots.p)
		s.h = 0
		return err
	})
}

type event struct {
	s *Stream
	h uintptr
}

// Record marks a point.
func (s *Stream) Record() (device.Event, error) {
	e := event{s: s}
	err := s.d.do(func() error {
		if err := call("cuEventCreate", uintptr(unsafe.Pointer(&e.h)), 0); err != nil {
			return err
		}
		return call("cuEventRecord", e.h, s.h)
	})
	return e, err
}

func (e event) Since(earlier device.Event) (float64, error) {
	var ms float32
	err := e.s.d.do(func() error {
		if err := call("cuEventSynchronize", e.h); err != nil {
			return err
		}
		return call("cuEventElapsedTime", uintptr(unsafe.Pointer(&ms)), earlier.(event).h, e.h)
	})
	return float64(ms) / 1e3, err
}

// Kernel is a compiled kernel.
type Kernel struct {
	fn       uintptr
	name     string
	resident int
}

// Resident returns how many of its blocks the GPU runs at once.
func (k *Kernel) Resident() int { return k.resident }

// Kernel returns the kernel of that name of a fatbin.
func (s *Stream) Kernel(image []byte, name string) (*Kernel, error) {
	d := s.d
	d.mu.Lock()
	defer d.mu.Unlock()
	key := kernelKey{unsafe.SliceData(image), name}
	if k := d.kernels[key]; k != nil {
		return k, nil
	}
	k := &Kernel{name: name}
	err := d.do(func() error {
		m, ok := d.modules[key.image]
		if !ok {
			if err := call("cuModuleLoadData", uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&image[0]))); err != nil {
				return err
			}
			d.modules[key.image] = m
		}
		c := append([]byte(name), 0)
		if err := call("cuModuleGetFunction", uintptr(unsafe.Pointer(&k.fn)), m, uintptr(unsafe.Pointer(&c[0]))); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		var per int32
		if err := call("cuOccupancyMaxActiveBlocksPerMultiprocessor", uintptr(unsafe.Pointer(&per)), k.fn, Block, 0); err != nil {
			return err
		}
		k.resident = int(per) * d.sms
		return nil
	})
	if err != nil {
		return nil, err
	}
	d.kernels[key] = k
	return k, nil
}

// Args are the parameters of a kernel, by address.
type Args struct {
	p [8]unsafe.Pointer
	n int
}

// Reset empties them.
func (a *Args) Reset() { a.n = 0 }

// Add adds the address of a parameter.
func (a *Args) Add(p unsafe.Pointer) { a.p[a.n] = p; a.n++ }

// Launch enqueues a kernel with as many blocks, but no more than run at once.
func (s *Stream) Launch(k *Kernel, blocks int, a *Args) error {
	if err := s.Err(); err != nil {
		return err
	}
	blocks = max(1, min(blocks, k.resident))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r, _, _ := syscallN("cuCtxSetCurrent", s.d.ctx); r != 0 {
		return check("cuCtxSetCurrent", r)
	}
	r, _, _ := syscallN("cuLaunchKernel", k.fn, uintptr(blocks), 1, 1, Block, 1, 1, 0, s.h, uintptr(unsafe.Pointer(&a.p[0])), 0)
	if r != 0 {
		return fmt.Errorf("%s: %w", k.name, check("cuLaunchKernel", r))
	}
	return nil
}

// StreamOf returns the GPU's stream that an operator runs on: s itself, or an
// error that wraps device.ErrNotSupported where s is nil or another device's.
func StreamOf(s device.Stream) (*Stream, error) {
	switch gs, ok := s.(*Stream); {
	case s == nil || ok && gs == nil:
		return nil, fmt.Errorf("%w: no stream (nil); Device.NewStream makes one", device.ErrNotSupported)
	case !ok:
		return nil, fmt.Errorf("%w: the graph is on a GPU, the stream on %s", device.ErrNotSupported, s.Device().Info().Name)
	default:
		return gs, nil
	}
}
