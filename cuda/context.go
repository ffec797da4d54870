// This file holds Probe and Context, and the way of a call to the driver.

package cuda

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// frame is what a call passes to the driver: arguments, and room for what it
// returns. Frames lie on the heap, where addresses don't change.
type frame struct {
	args [12]uintptr
	out  [2]uint64
	text [256]byte
}

var frames = sync.Pool{New: func() any { return new(frame) }}

// address is the address of memory on the heap that outlives the call.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// call calls the driver with arguments that are no addresses of the frame, and
// makes an Error of what it returns.
func call(s symbol, what string, args ...uintptr) error {
	f := frames.Get().(*frame)
	defer frames.Put(f)
	return check(s, what, invoke(s, f, copy(f.args[:], args)))
}

// get calls the driver with an address for its answer as the first argument.
func get(s symbol, what string, args ...uintptr) (uint64, error) {
	f := frames.Get().(*frame)
	defer frames.Put(f)
	f.out[0] = 0
	f.args[0] = address(&f.out[0])
	n := 1 + copy(f.args[1:], args)
	err := check(s, what, invoke(s, f, n))
	return f.out[0], err
}

func check(s symbol, what string, code int) error {
	if code == 0 {
		return nil
	}
	return &Error{Call: names[s], Code: code, Name: codeName(code), What: what}
}

// codeName asks the driver what a result is called.
func codeName(code int) string {
	f := frames.Get().(*frame)
	defer frames.Put(f)
	f.out[0] = 0
	f.args[0], f.args[1] = uintptr(code), address(&f.out[0])
	if invoke(cuGetErrorName, f, 2) != 0 || f.out[0] == 0 {
		return "unknown error"
	}
	// The driver's own text, which stays where it is.
	var name []byte
	for i := uintptr(0); i < 64; i++ {
		c := *(*byte)(foreign(uintptr(f.out[0]) + i))
		if c == 0 {
			break
		}
		name = append(name, c)
	}
	return string(name)
}

// foreign makes a pointer of the address of memory that isn't Go's: pinned
// buffers, the driver's texts.
func foreign(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

var probed struct {
	sync.Mutex
	done   bool
	count  int
	driver int
	err    error
}

// Probe returns the number of GPUs and the version of CUDA that the driver has,
// 13000 for 13.0. The error wraps ErrNotSupported where there is no GPU that
// can be used, and says why. That answer and success are remembered; another
// error isn't.
func Probe() (count, driver int, err error) {
	probed.Lock()
	defer probed.Unlock()
	if probed.done {
		return probed.count, probed.driver, probed.err
	}
	count, driver, err = probe()
	if e, ok := err.(*Error); err == nil || !ok || e.Is(ErrNotSupported) {
		probed.done, probed.count, probed.driver, probed.err = true, count, driver, err
	}
	return count, driver, err
}

func probe() (int, int, error) {
	if err := load(library); err != nil {
		return 0, 0, err
	}
	if err := call(cuInit, "starting the driver", 0); err != nil {
		if e := err.(*Error); e.Code == codeNoDevice {
			return 0, 0, fmt.Errorf("%w: the driver finds no GPU", ErrNotSupported)
		}
		return 0, 0, err
	}
	version, err := get(cuDriverGetVersion, "")
	if err != nil {
		return 0, 0, err
	}
	if version < 11000 {
		return 0, 0, fmt.Errorf("%w: the driver has CUDA %d.%d, the kernels need 11.0 or later", ErrNotSupported, version/1000, version%1000/10)
	}
	n, err := get(cuDeviceGetCount, "")
	if err != nil {
		return 0, 0, err
	}
	if n == 0 {
		return 0, 0, fmt.Errorf("%w: the driver finds no GPU", ErrNotSupported)
	}
	return int(n), int(version), nil
}

// The attributes of a device that DeviceInfo asks for.
const (
	attrMultiprocessors = 16
	attrPCIBus          = 33
	attrPCIDevice       = 34
	attrL2              = 38
	attrThreadsPer      = 39
	attrMajor           = 75
	attrMinor           = 76
	attrCooperative     = 95
	attrSharedOptin     = 97
	attrClusters        = 120
)

// DeviceInfo describes GPU i, counted from 0.
func DeviceInfo(i int) (Info, error) {
	_, version, err := Probe()
	if err != nil {
		return Info{}, err
	}
	what := fmt.Sprintf("GPU %d", i)
	dev, err := get(cuDeviceGet, what, uintptr(i))
	if err != nil {
		return Info{}, err
	}
	info := Info{DriverMajor: version / 1000, Minors: version % 1000 / 10}
	if info.Memory, err = get(cuDeviceTotalMem, what, uintptr(dev)); err != nil {
		return Info{}, err
	}
	var cooperative, clusters int
	for attr, to := range map[uintptr]*int{
		attrMultiprocessors: &info.Multiprocessors, attrPCIBus: &info.PCIBus, attrPCIDevice: &info.PCIDevice,
		attrL2: &info.L2, attrThreadsPer: &info.ThreadsPer, attrMajor: &info.Major, attrMinor: &info.Minor,
		attrCooperative: &cooperative, attrSharedOptin: &info.SharedPerBlock, attrClusters: &clusters,
	} {
		x, err := get(cuDeviceGetAttribute, what, attr, uintptr(dev))
		if err != nil && attr != attrClusters { // drivers before CUDA 11.8 don't know it
			return Info{}, err
		}
		*to = int(int32(x))
	}
	info.Cooperative, info.Clusters = cooperative != 0, clusters != 0
	f := frames.Get().(*frame)
	defer frames.Put(f)
	f.args[0], f.args[1], f.args[2] = address(&f.text[0]), uintptr(len(f.text)), uintptr(dev)
	if err := check(cuDeviceGetName, what, invoke(cuDeviceGetName, f, 3)); err != nil {
		return Info{}, err
	}
	name, _, _ := bytes.Cut(f.text[:], []byte{0})
	info.Name = string(name)
	return info, nil
}

// Context is the primary context of a GPU. Its methods are safe for concurrent
// use.
type Context struct {
	device uintptr
	handle uintptr
	closed atomic.Bool
	broken atomic.Pointer[Error]
	live   live
	fail   atomic.Int64 // allocations until the one that fails; 0: none
}

// Live says what of a context is still in use.
type Live struct {
	Bytes                    uint64
	Allocations, Pinned      int
	Streams, Events, Modules int
}

type live struct {
	bytes, allocations, pinned, streams, events, modules atomic.Int64
	mu                                                   sync.Mutex
	sizes                                                map[Ptr]uint64
}

// Open retains the primary context of GPU i. Close releases it.
func Open(i int) (*Context, error) {
	n, _, err := Probe()
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= n {
		return nil, fmt.Errorf("%w: GPU %d of %d", ErrNotSupported, i, n)
	}
	what := fmt.Sprintf("opening GPU %d", i)
	dev, err := get(cuDeviceGet, what, uintptr(i))
	if err != nil {
		return nil, err
	}
	handle, err := get(cuDevicePrimaryCtxRetain, what, uintptr(dev))
	if err != nil {
		return nil, err
	}
	c := &Context{device: uintptr(dev), handle: uintptr(handle)}
	c.live.sizes = map[Ptr]uint64{}
	return c, nil
}

// Err returns ErrClosed or ErrBroken where the context is of no use any more.
func (c *Context) Err() error {
	if e := c.broken.Load(); e != nil {
		return fmt.Errorf("%w by an earlier error: %w", ErrBroken, e)
	}
	if c.closed.Load() {
		return ErrClosed
	}
	return nil
}

// Do calls f with the context current on the calling thread, which the
// goroutine keeps until f returns.
func (c *Context) Do(f func() error) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer runtime.UnlockOSThread()
	return c.note(f())
}

// enter makes the context current on a thread that it locks. After success the
// caller unlocks it.
func (c *Context) enter() error {
	if err := c.Err(); err != nil {
		return err
	}
	runtime.LockOSThread()
	f := frames.Get().(*frame)
	f.args[0] = c.handle
	code := invoke(cuCtxSetCurrent, f, 1)
	frames.Put(f)
	if code != 0 {
		runtime.UnlockOSThread()
		return c.note(check(cuCtxSetCurrent, "", code))
	}
	return nil
}

// note remembers an error after which the context is of no use.
func (c *Context) note(err error) error {
	if e, ok := err.(*Error); ok && e.broken() {
		c.broken.CompareAndSwap(nil, e)
	}
	return err
}

// Sync waits for all that runs in the context.
func (c *Context) Sync() error {
	return c.Do(func() error { return call(cuCtxSynchronize, "") })
}

// Live says what is still in use.
func (c *Context) Live() Live {
	return Live{
		Bytes: uint64(c.live.bytes.Load()), Allocations: int(c.live.allocations.Load()), Pinned: int(c.live.pinned.Load()),
		Streams: int(c.live.streams.Load()), Events: int(c.live.events.Load()), Modules: int(c.live.modules.Load()),
	}
}

// Close releases the context. What is still live goes with it where nobody
// else uses the device's primary context.
func (c *Context) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	return call(cuDevicePrimaryCtxRelease, "closing", c.device)
}
