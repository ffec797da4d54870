// Package pile holds the far pile of a traversal: vertices that are to be expanded in a later
// stage (Davidson, Baxter, Garland, Owens, IPDPS 2014, "near-far"). It is how shortest paths
// expand near vertices first, and how k-core peels level by level.
//
//	far := t.Pile()
//	t.Repeat(t.From(source), advance.PushNear(relax, far), pile.Refill(far, due))
//
// Stages are numbers, 0 at first. advance.PushNear makes the targets that are due at the
// present stage, or were before it, the frontier, and puts those that are due later into
// the pile; each vertex is in the frontier once, and in the pile once. When the frontier is
// empty, Refill goes on to the earliest stage at which a vertex of the pile is due, and makes
// those due then the frontier.
//
// A vertex of the pile that is due at a stage that has been, since what it is due by has
// changed, was in the frontier then: Refill drops it.
//
// Both steps run on the host, on a GPU level by level, and in one kernel.
package pile

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
)

// Never is the stage of a vertex that is dropped.
const Never = math.MaxUint32

// Pile is vertices that are due later. It belongs to one traversal (traverse.Traversal.Pile).
type Pile struct {
	p     *graph.Placed
	stage uint32 // on the host

	list, next []uint32   // on the host
	far        []uint64   // bitmap of what is in there
	own        [][]uint32 // what each worker found
	due        [][]uint32 // what a functor said

	header device.Memory // on a GPU
	arrays device.Memory
	sizes  sizes
}

// sizes are those of the arrays on a GPU, in words of 32 bits.
type sizes struct{ list, bits uint64 }

// header is a Pile as kernels have it (pile.cuh).
type header struct {
	items       [2]uint64
	far, near   uint64
	count       [2]uint32
	turn, stage uint32
	least       uint32
	_           [3]uint32
}

// New returns an empty pile over a placed graph, in its device's memory. Free gives that back.
func New(p *graph.Placed) (*Pile, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("pile: %w", err)
	}
	x := &Pile{p: p}
	n := uint64(p.NumVertices())
	if p.Remote() == nil {
		x.far = make([]uint64, (n+63)/64)
		return x, nil
	}
	dev := p.Device()
	x.sizes = sizes{list: n, bits: (n + 63) / 64 * 2}
	var err error
	if x.header, err = dev.Alloc(uint64(unsafe.Sizeof(header{}))); err != nil {
		return nil, fmt.Errorf("pile: %w", err)
	}
	if x.arrays, err = dev.Alloc(max(4*(2*x.sizes.list+2*x.sizes.bits), 4)); err != nil {
		return nil, errors.Join(fmt.Errorf("pile: %w", err), x.Free())
	}
	bits := uint64(x.arrays.Pointer())
	list := bits + 4*2*x.sizes.bits
	h := header{items: [2]uint64{list, list + 4*x.sizes.list}, far: bits, near: bits + 4*x.sizes.bits, least: Never}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&h)), int(unsafe.Sizeof(h)/8))
	u, ok := dev.(device.Uploader)
	if !ok {
		return nil, errors.Join(fmt.Errorf("pile: %w: on %s", device.ErrNotSupported, dev.Info().Name), x.Free())
	}
	if err := device.WriteAt(u, x.header, 0, words); err != nil {
		return nil, errors.Join(fmt.Errorf("pile: %w", err), x.Free())
	}
	return x, nil
}

// Bytes returns what a pile takes of the device's memory.
func Bytes(p *graph.Placed) uint64 {
	n := uint64(p.NumVertices())
	return uint64(unsafe.Sizeof(header{})) + 2*4*n + 2*((n+63)/64*8)
}

// Clear empties the pile, in the order of the stream, and begins at stage 0.
func (x *Pile) Clear(s device.Stream) error {
	if x.header == nil {
		x.stage, x.list = 0, x.list[:0]
		for w := range x.own { // left by a push that panicked
			x.own[w] = x.own[w][:0]
		}
		clear(x.far)
		return nil
	}
	gs, err := gpu.StreamOf(s)
	if err != nil {
		return fmt.Errorf("pile: %w", err)
	}
	at := x.header.Pointer() + unsafe.Offsetof(header{}.count)
	return errors.Join(
		gs.Fill(at, 0, 4),
		gs.Fill(x.header.Pointer()+unsafe.Offsetof(header{}.least), Never, 1),
		gs.Fill(x.arrays.Pointer(), 0, 2*x.sizes.bits))
}

// Free gives the memory back. Freeing nil, or a second time, does nothing.
func (x *Pile) Free() error {
	if x == nil {
		return nil
	}
	var errs []error
	for _, m := range []*device.Memory{&x.header, &x.arrays} {
		if *m != nil {
			errs = append(errs, (*m).Free())
			*m = nil
		}
	}
	x.list, x.next, x.far, x.own, x.due = nil, nil, nil, nil, nil
	return errors.Join(errs...)
}

// Stage returns the stage that the traversal is at. On a GPU steps that change it must have
// ended.
func (x *Pile) Stage() (uint32, error) {
	if x.header == nil {
		return x.stage, nil
	}
	h, err := x.read()
	return h.stage, err
}

// Len returns how many vertices are in the pile. On a GPU steps that change it must have
// ended.
func (x *Pile) Len() (int, error) {
	if x.header == nil {
		return len(x.list), nil
	}
	h, err := x.read()
	return int(h.count[h.turn&1]), err
}

func (x *Pile) read() (h header, err error) {
	u, ok := x.p.Device().(device.Uploader)
	if !ok {
		return h, fmt.Errorf("pile: %w", device.ErrNotSupported)
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&h)), int(unsafe.Sizeof(h)/8))
	return h, device.ReadFrom(u, words, x.header)
}

// Check is what operators ask of a pile that they are given.
func (x *Pile) Check(p *graph.Placed) error {
	switch {
	case x == nil, x.p == nil:
		return fmt.Errorf("pile: %w: no pile (nil); traverse.Traversal.Pile makes one", graph.ErrOptions)
	case x.far == nil && x.header == nil && x.p.NumVertices() > 0:
		return fmt.Errorf("pile: %w: it was freed", device.ErrClosed)
	case x.p != p:
		return fmt.Errorf("pile: %w: it is over another placed graph", graph.ErrOptions)
	}
	return nil
}

// Remote returns the address of the pile as kernels on a GPU have it, and of the bitmap of
// the near pile and its words of 32 bits, which is zeroed before each push that is a kernel of
// its own.
func (x *Pile) Remote() (pile uint64, near uintptr, words uint64) {
	return uint64(x.header.Pointer()), x.arrays.Pointer() + uintptr(4*x.sizes.bits), x.sizes.bits
}

// Workers readies the pile for a push by so many workers of the host.
func (x *Pile) Workers(n, tile int) {
	for len(x.own) < n {
		x.own = append(x.own, nil)
		x.due = append(x.due, make([]uint32, tile))
	}
}

// Due is memory for what a functor says of a tile on a worker of the host.
func (x *Pile) Due(worker, n int) []uint32 {
	if len(x.due[worker]) < n {
		x.due[worker] = make([]uint32, n)
	}
	return x.due[worker][:n]
}

// Later puts a vertex into the pile if it is due later, and reports whether it is due now.
// Workers of the host call it at the same time.
func (x *Pile) Later(worker int, v, due uint32) (now bool) {
	if due == Never {
		return false
	}
	if due <= x.stage {
		return true
	}
	if w, bit := &x.far[v>>6], uint64(1)<<(v&63); atomic.LoadUint64(w)&bit == 0 && atomic.OrUint64(w, bit)&bit == 0 {
		x.own[worker] = append(x.own[worker], v)
	}
	return false
}

// Gather moves what the workers found to the pile.
func (x *Pile) Gather() {
	for w := range x.own {
		x.list = append(x.list, x.own[w]...)
		x.own[w] = x.own[w][:0]
	}
}
