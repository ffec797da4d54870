// This file holds kernels: how they are loaded, and what their blocks have.

package gpu

import (
	"unsafe"

	"github.com/foray-graph/foray/internal/gpu/driver"
)

type kernelKey struct {
	image   *byte
	name    string
	threads int
	shared  int
}

// Kernel is a compiled kernel.
type Kernel struct {
	fn       *driver.Function
	threads  int // of a block
	resident int
	shared   int // bytes, dynamic
}

// Resident returns how many of its blocks the GPU runs at once.
func (k *Kernel) Resident() int { return k.resident }

// Args are the parameters of a kernel.
type Args = driver.Args

// Pinned is memory of the host that kernels can read and write.
type Pinned = driver.Host

// ErrNoKernel: an image lacks the kernel of that name.
var ErrNoKernel = driver.ErrNotFound

// Struct appends a copy of a structure to the parameters. Its type is laid
// out as the kernel's.
func Struct[T any](a *Args, v *T) { driver.Struct(a, v) }

// kernel returns the kernel of that name of a fatbin, which is loaded once. threads is the size of its
// blocks, and shared the most dynamic shared memory that they use, in bytes.
func (d *Device) kernel(image []byte, name string, threads, shared int) (*Kernel, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := kernelKey{unsafe.SliceData(image), name, threads, shared}
	if k := d.kernels[key]; k != nil {
		return k, nil
	}
	fn, err := d.function(image, name)
	if err != nil {
		return nil, err
	}
	if shared > 0 {
		static, err := fn.Attribute(driver.FuncStaticShared)
		if err != nil {
			return nil, err
		}
		most := d.card.SharedMax - static // the limit belongs to the function, so it is set for all callers
		if err := fn.SetAttribute(driver.FuncMaxDynamicShared, most); err != nil {
			return nil, err
		}
		shared = min(shared, most)
	}
	per, err := fn.BlocksPerSM(threads, uint32(shared))
	if err != nil {
		return nil, err
	}
	k := &Kernel{fn: fn, threads: threads, shared: shared, resident: max(per, 1) * d.card.SMs}
	d.kernels[key] = k
	return k, nil
}

// function returns a function of a fatbin, which is loaded once. d.mu is held.
func (d *Device) function(image []byte, name string) (*driver.Function, error) {
	m := d.modules[unsafe.SliceData(image)]
	if m == nil {
		plain, err := UnpackImage(image)
		if err != nil {
			return nil, err
		}
		if m, err = d.load(plain); err != nil {
			return nil, err
		}
		d.modules[unsafe.SliceData(image)] = m
	}
	return m.Function(name)
}
