// This file holds modules of kernels, their functions, and how many blocks of them a
// device runs at once.

package driver

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/foray-graph/foray/internal/text"
)

// Module is machine code loaded into a context. The loader must close it.
type Module struct {
	ctx   *Context
	h     handle
	image []uint64 // kept for drivers that load functions when first used
}

// Load loads a module from an image: a fatbin, a cubin or PTX, as nvcc produces
// them. If the image has no machine code for the device, the driver
// compiles its PTX, which can take seconds. ErrNotSupported means that the image has
// no code that this driver and device can use.
func (c *Context) Load(image []byte) (*Module, error) {
	if len(image) == 0 {
		return nil, fmt.Errorf("cuda: module without an image: %w", ErrInvalid)
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	// Embedded bytes may start anywhere and have no zero behind them, which
	// PTX needs; an image is read in words.
	m := &Module{ctx: c, image: make([]uint64, len(image)/8+1)}
	aligned := bytesOf(m.image)
	copy(aligned, image)
	log := make([]byte, 8<<10)
	h, r := c.drv.moduleLoad(aligned, log)
	if r != codeOK {
		err := c.fail("cuModuleLoadDataEx", r, c.imageText(r, len(image)))
		if e, ok := err.(*Error); ok {
			said, _, _ := bytes.Cut(log, []byte{0})
			e.Log = strings.TrimSpace(string(said))
		}
		return nil, err
	}
	m.h = h
	c.live.modules.Add(1)
	return m, nil
}

// Compile returns the machine code that the driver makes of PTX for the device. Load takes it. PTX ends with a zero.
// ErrNotSupported means that the driver returns no machine code. Load tells more of PTX that isn't valid.
func (c *Context) Compile(ptx []byte) ([]byte, error) {
	if len(ptx) == 0 || ptx[len(ptx)-1] != 0 {
		return nil, fmt.Errorf("cuda: PTX without a zero behind it: %w", ErrInvalid)
	}
	if !c.drv.has(featureLink) {
		return nil, fmt.Errorf("cuda: %w: cuLinkCreate", ErrNotSupported)
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	code, r := c.drv.link(ptx)
	switch {
	case r == codeOK:
		return code, nil
	case r.breaks():
		return nil, c.fail("cuLinkComplete", r, c.imageText(r, len(ptx)))
	}
	return nil, newError(c.drv, "cuLinkComplete", r, c.imageText(r, len(ptx))) // Failed doesn't count what Load may succeed in
}

func (c *Context) imageText(r Code, size int) string {
	asked := fmt.Sprintf("image of %s on %v of compute capability %d.%d", text.Bytes(uint64(size)), c.dev, c.dev.Major, c.dev.Minor)
	switch r {
	case codeNoImage:
		asked += "; it has no code for this device"
	case codePTXVersion:
		asked += fmt.Sprintf("; driver too old: it offers CUDA %v, and the image was built with a newer one", c.dev.Driver)
	}
	return asked
}

// Close unloads the module; work that uses it must be done. A second call
// returns an error that wraps ErrClosed; a nil module is left alone.
func (m *Module) Close() error {
	if m == nil {
		return nil
	}
	if m.h == 0 {
		return fmt.Errorf("cuda: module on %v: %w", m.ctx.dev, ErrClosed)
	}
	c := m.ctx
	if err := c.enterAlways(); err != nil {
		return err
	}
	defer c.leave()
	r := c.drv.moduleUnload(m.h)
	m.h, m.image = 0, nil
	c.live.modules.Add(-1)
	return c.freed("cuModuleUnload", r, c.dev.String())
}

func (m *Module) enter() error {
	if m.h == 0 {
		return fmt.Errorf("cuda: module on %v: %w", m.ctx.dev, ErrClosed)
	}
	return m.ctx.enter()
}

// Global returns the address and size in bytes of a variable of the module. The
// error wraps ErrNotFound if the module has no such variable.
func (m *Module) Global(name string) (p Ptr, size uint64, err error) {
	if err := m.enter(); err != nil {
		return 0, 0, err
	}
	defer m.ctx.leave()
	p, size, r := m.ctx.drv.moduleGlobal(m.h, name)
	if r != codeOK {
		return 0, 0, m.ctx.fail("cuModuleGetGlobal", r, fmt.Sprintf("%q", name))
	}
	return p, size, nil
}

// Function is a kernel. It lives as long as its module.
type Function struct {
	m    *Module
	h    handle
	name string
}

// Function returns a kernel of the module. The error wraps ErrNotFound if
// the module has no such kernel.
func (m *Module) Function(name string) (*Function, error) {
	if err := m.enter(); err != nil {
		return nil, err
	}
	defer m.ctx.leave()
	h, r := m.ctx.drv.moduleFunction(m.h, name)
	if r != codeOK {
		return nil, m.ctx.fail("cuModuleGetFunction", r, fmt.Sprintf("%q", name))
	}
	return &Function{m: m, h: h, name: name}, nil
}

// Name is the kernel's name in its module.
func (f *Function) Name() string { return f.name }

// FuncAttr is a property of a function, with the driver's number.
type FuncAttr int32

// Properties of a function. Sizes are in bytes.
const (
	FuncMaxThreads       FuncAttr = 0  // threads per block
	FuncStaticShared     FuncAttr = 1  // shared memory per block that the code declares
	FuncConstant         FuncAttr = 2  // constant memory
	FuncLocal            FuncAttr = 3  // local memory per thread, in addition to registers
	FuncRegisters        FuncAttr = 4  // per thread
	FuncPTXVersion       FuncAttr = 5  // 10 times major plus minor
	FuncBinaryVersion    FuncAttr = 6  // 10 times major plus minor
	FuncMaxDynamicShared FuncAttr = 8  // can be set
	FuncCarveout         FuncAttr = 9  // can be set: percent of the L1 cache for shared memory, -1 the driver's choice
	FuncLargeClusters    FuncAttr = 14 // can be set: 1 allows clusters of more than 8 blocks
)

// Attribute returns a property of the function.
func (f *Function) Attribute(a FuncAttr) (int, error) {
	if err := f.m.enter(); err != nil {
		return 0, err
	}
	defer f.m.ctx.leave()
	v, r := f.m.ctx.drv.funcGet(f.h, int32(a))
	if r != codeOK {
		return 0, f.m.ctx.fail("cuFuncGetAttribute", r, fmt.Sprintf("attribute %d of %s", a, f.name))
	}
	return int(v), nil
}

// SetAttribute sets a property of the function that can be set. More than 48
// kB of dynamic shared memory must be allowed this way before a launch, up to
// Device.SharedMax minus the code's static shared memory.
func (f *Function) SetAttribute(a FuncAttr, v int) error {
	if int(int32(v)) != v {
		return fmt.Errorf("cuda: attribute %d of %s: %d: %w", a, f.name, v, ErrInvalid)
	}
	if err := f.m.enter(); err != nil {
		return err
	}
	defer f.m.ctx.leave()
	if r := f.m.ctx.drv.funcSet(f.h, int32(a), int32(v)); r != codeOK {
		return f.m.ctx.fail("cuFuncSetAttribute", r, fmt.Sprintf("attribute %d of %s to %d", a, f.name, v))
	}
	return nil
}

// BlocksPerSM returns how many blocks of that many threads and bytes of
// dynamic shared memory a multiprocessor runs at once. A cooperative launch may
// have that number times Device.SMs blocks.
func (f *Function) BlocksPerSM(threads int, shared uint32) (int, error) {
	if threads < 1 || int(int32(threads)) != threads {
		return 0, fmt.Errorf("cuda: %s with blocks of %d threads: %w", f.name, threads, ErrInvalid)
	}
	if err := f.m.enter(); err != nil {
		return 0, err
	}
	defer f.m.ctx.leave()
	n, r := f.m.ctx.drv.maxBlocks(f.h, int32(threads), uint64(shared))
	if r != codeOK {
		return 0, f.m.ctx.fail("cuOccupancyMaxActiveBlocksPerMultiprocessor", r, fmt.Sprintf("%s with blocks of %d threads and %d bytes", f.name, threads, shared))
	}
	return int(n), nil
}

// MaxClusters returns how many clusters of that launch's shape the device runs
// at once. The shape must have a cluster; devices without clusters return an
// error that wraps ErrNotSupported.
func (f *Function) MaxClusters(c Config) (int, error) {
	ctx := f.m.ctx
	if err := c.fill(f); err != nil {
		return 0, err
	}
	if c.Cluster.X == 0 {
		return 0, fmt.Errorf("cuda: %s: how many clusters, without a cluster: %w", f.name, ErrInvalid)
	}
	if err := ctx.checkClusters(f); err != nil {
		return 0, err
	}
	if err := f.m.enter(); err != nil {
		return 0, err
	}
	defer ctx.leave()
	n, r := ctx.drv.maxClusters(f.h, &c)
	if r != codeOK {
		return 0, ctx.fail("cuOccupancyMaxActiveClusters", r, c.text(f))
	}
	return int(n), nil
}
