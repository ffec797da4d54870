// This file holds modules, functions and their launch.

package cuda

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Module is compiled code on a device.
type Module struct {
	c      *Context
	handle uintptr
}

// Load loads a fatbin, cubin or PTX.
func (c *Context) Load(image []byte) (*Module, error) {
	if len(image) == 0 {
		return nil, fmt.Errorf("loading no code")
	}
	m := &Module{c: c}
	err := c.Do(func() error {
		h, err := get(cuModuleLoadData, "loading kernels", address(unsafe.SliceData(image)))
		runtime.KeepAlive(image)
		m.handle = uintptr(h)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.live.modules.Add(1)
	return m, nil
}

// Close unloads the module.
func (m *Module) Close() error {
	if m == nil || m.handle == 0 {
		return nil
	}
	h := m.handle
	m.handle = 0
	m.c.live.modules.Add(-1)
	return m.c.Do(func() error { return call(cuModuleUnload, "", h) })
}

// Function is a kernel.
type Function struct {
	c      *Context
	handle uintptr
	name   string
}

// Function returns the kernel of that name.
func (m *Module) Function(name string) (*Function, error) {
	fn := &Function{c: m.c, name: name}
	f := frames.Get().(*frame)
	defer frames.Put(f)
	if len(name) >= len(f.text) {
		return nil, fmt.Errorf("kernel %.40s...: a name of %d bytes", name, len(name))
	}
	f.text[copy(f.text[:], name)] = 0
	f.out[0] = 0
	err := m.c.Do(func() error {
		f.args[0], f.args[1], f.args[2] = address(&f.out[0]), m.handle, address(&f.text[0])
		return check(cuModuleGetFunction, "kernel "+name, invoke(cuModuleGetFunction, f, 3))
	})
	fn.handle = uintptr(f.out[0])
	return fn, err
}

// Name returns the kernel's name.
func (f *Function) Name() string { return f.name }

// BlocksPerMultiprocessor returns how many blocks of so many threads, with so
// many bytes of dynamic shared memory, a multiprocessor runs at once.
func (f *Function) BlocksPerMultiprocessor(threads, shared int) (int, error) {
	n := 0
	err := f.c.Do(func() error {
		x, err := get(cuOccupancyMaxActiveBlocksPerMultiprocessor, "kernel "+f.name, f.handle, uintptr(threads), uintptr(shared))
		n = int(int32(x))
		return err
	})
	return n, err
}

// Args are the parameters of a kernel, by address. What they point to must be
// on the heap: a launch passes the addresses on.
type Args struct {
	p [8]unsafe.Pointer
	n int
}

// Reset empties them.
func (a *Args) Reset() { a.n = 0 }

// Add adds the address of a parameter. There is room for 8.
func (a *Args) Add(p unsafe.Pointer) {
	a.p[a.n] = p
	a.n++
}

// Launch enqueues a kernel of so many blocks and threads a block, with so many
// bytes of dynamic shared memory. The parameters have been read when it
// returns. It allocates nothing.
func (s *Stream) Launch(f *Function, blocks, threads, shared int, a *Args) error {
	return s.launch(cuLaunchKernel, f, blocks, threads, shared, a)
}

// LaunchCooperative does so for a kernel whose blocks wait for one another; all
// of them must be resident at once.
func (s *Stream) LaunchCooperative(f *Function, blocks, threads, shared int, a *Args) error {
	return s.launch(cuLaunchCooperativeKernel, f, blocks, threads, shared, a)
}

func (s *Stream) launch(sym symbol, f *Function, blocks, threads, shared int, a *Args) error {
	if err := s.c.enter(); err != nil {
		return err
	}
	defer runtime.UnlockOSThread()
	fr := frames.Get().(*frame)
	fr.args = [12]uintptr{
		f.handle, uintptr(blocks), 1, 1, uintptr(threads), 1, 1, uintptr(shared), s.handle, uintptr(unsafe.Pointer(&a.p[0])), 0,
	}
	n := 11
	if sym == cuLaunchCooperativeKernel {
		n = 10
	}
	code := invoke(sym, fr, n)
	frames.Put(fr)
	runtime.KeepAlive(a)
	if code != 0 {
		return s.c.note(check(sym, "kernel "+f.name, code))
	}
	return nil
}
