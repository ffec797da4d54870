// This file holds the pile on a GPU.

package farpile

import (
	"errors"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/gpu"
)

// OnGPU is the part of a pile that is on a GPU.
type OnGPU struct {
	dev    discrete.Device
	header device.Memory
	arrays device.Memory
	sizes  sizes
}

// sizes are the sizes of the arrays on a GPU, in words of 32 bits.
type sizes struct{ list, bits uint64 }

// header is a Pile as kernels have it (pile.cuh).
type header struct {
	items       [2]uint64
	far, near   uint64
	count       [2]uint32
	turn, stage uint32
	over, phase uint32
	lost        [3]uint32
	least       uint32
	next        [3]uint32
	_           uint32
}

func (x *OnGPU) alloc(p *graph.Placed) (err error) {
	n := uint64(p.NumVertices())
	x.dev, x.sizes = p.Device().(discrete.Device), sizes{list: n, bits: (n + 63) / 64 * 2}
	if x.header, err = x.dev.Alloc(uint64(unsafe.Sizeof(header{}))); err != nil {
		return err
	}
	if x.arrays, err = x.dev.Alloc(max(4*(2*x.sizes.list+2*x.sizes.bits), 4)); err != nil {
		return err
	}
	bits := uint64(x.arrays.Pointer())
	list := bits + 4*2*x.sizes.bits
	h := header{items: [2]uint64{list, list + 4*x.sizes.list}, far: bits, near: bits + 4*x.sizes.bits, least: Never, next: [3]uint32{Never, Never, Never}}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&h)), int(unsafe.Sizeof(h)/8))
	return discrete.WriteAt(x.dev, x.header, 0, words)
}

// Bytes returns what a pile takes of the device's memory.
func Bytes(p *graph.Placed) uint64 {
	n := uint64(p.NumVertices())
	return uint64(unsafe.Sizeof(header{})) + 2*4*n + 2*((n+63)/64*8)
}

func (x *OnGPU) clear(s device.Stream) error {
	gs, err := gpu.StreamOf(s)
	if err != nil {
		return err
	}
	at := x.header.Pointer() + unsafe.Offsetof(header{}.count)
	return errors.Join(
		gs.Fill(at, 0, 9),
		gs.Fill(x.header.Pointer()+unsafe.Offsetof(header{}.least), Never, 4),
		gs.Fill(x.arrays.Pointer(), 0, 2*x.sizes.bits))
}

// List makes a queue of so many vertices that of a pile which was cleared, Mark a bitmap of them.
func (x *OnGPU) List(gs *gpu.Stream, queue uintptr, n int) error {
	to := x.arrays.Pointer() + uintptr(4*2*x.sizes.bits)
	return errors.Join(gs.Copy(to, queue, 4*uint64(n)), gs.Fill(x.header.Pointer()+unsafe.Offsetof(header{}.count), uint32(n), 1))
}

func (x *OnGPU) Mark(gs *gpu.Stream, bits uintptr) error {
	return gs.Copy(x.arrays.Pointer(), bits, 4*x.sizes.bits)
}

// All puts so many vertices into a pile that was cleared.
func (x *OnGPU) All(gs *gpu.Stream, n int) error {
	k, err := gs.Kernel(image, "pile_all")
	if err != nil {
		return err
	}
	far := uint64(x.arrays.Pointer())
	list, count := far+4*2*x.sizes.bits, uint32(n)
	var args gpu.Args
	args.Reset()
	gpu.Struct(&args, &list)
	gpu.Struct(&args, &far)
	gpu.Struct(&args, &count)
	return errors.Join(gs.Launch(k, (n+gpu.Block-1)/gpu.Block, &args), gs.Fill(x.header.Pointer()+unsafe.Offsetof(header{}.count), count, 1))
}

func (x *OnGPU) close() error {
	var errs []error
	for _, m := range []*device.Memory{&x.header, &x.arrays} {
		if *m != nil {
			errs = append(errs, (*m).Close())
			*m = nil
		}
	}
	return errors.Join(errs...)
}

func (x *OnGPU) closed() bool { return x.header == nil }

func (x *OnGPU) stage() (uint32, error) {
	h, err := x.read()
	return h.stage, err
}

func (x *OnGPU) len() (int, error) {
	h, err := x.read()
	return int(h.count[h.turn&1] - h.over), err
}

func (x *OnGPU) read() (h header, err error) {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&h)), int(unsafe.Sizeof(h)/8))
	return h, discrete.Read(x.dev, words, x.header)
}

// Remote returns the address of the pile as kernels on a GPU have it, and of the bitmap of the
// near pile and its words of 32 bits, which is zeroed before each push that is a separate kernel.
func (x *Pile) Remote() (pile uint64, near uintptr, words uint64) {
	y := &x.GPU
	return uint64(y.header.Pointer()), y.arrays.Pointer() + uintptr(4*y.sizes.bits), y.sizes.bits
}
