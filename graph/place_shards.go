// This file makes the parts of a graph that lies on several devices known to the steps of traversals, as
// placed graphs of their own.

package graph

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/text"
)

// members are the parts. Each has the whole graph, and of the rows those of its vertices.
type members []*Placed

// Members returns them.
func (m members) Members() []*Placed { return m }

// Free ends their use.
func (m members) Free() (err error) {
	for _, p := range m {
		err = errors.Join(err, p.Free())
	}
	return err
}

// lies says that the graph lies on several devices, and returns p.
func (p *Placed) lies(devs placed.Several, a *placed.Across) (*Placed, error) {
	p.once = map[any]*made{placed.AcrossKey{}: madeOf(a)}
	if err := p.deal(devs, a); err != nil {
		return nil, err
	}
	return p, nil
}

// deal makes the parts of a placed graph; where it fails the placed graph is freed.
func (p *Placed) deal(devs placed.Several, a *placed.Across) error {
	p.at = onSeveral{}
	copies, width := devs.Dealt(), uintptr(4)
	if a.Wide {
		width = 8
	}
	var all members
	fail := func(err error) error { return errors.Join(err, all.Free(), p.Free()) }
	for i := range a.Parts {
		part, first := &a.Parts[i], uint32(i)*a.Stride
		d := &placed.Dealt{Dev: part.Dev, First: first, Count: uint32(part.Vertices), Across: a, At: func(at uintptr) uintptr { return copies.At(i, at) }}
		for in, offsets := range []uintptr{part.Offsets, part.InOffsets} {
			if m := part.Memory(offsets); m != nil {
				var err error
				if d.Edges[in], err = placed.Last(part.Dev, m, part.Vertices, a.Wide); err != nil {
					return fail(err)
				}
			}
		}
		if err := p.g.enter(); err != nil {
			return fail(err)
		}
		q := newPlaced(p.g, copies)
		q.at = &onPart{p: q, device: i}
		q.remote = &placed.Remote{Wide: a.Wide, Offsets: part.Offsets - uintptr(first)*width, Targets: part.Targets, Dealt: d}
		if a.Reverse {
			q.remote.InOffsets, q.remote.InTargets = part.InOffsets-uintptr(first)*width, part.InTargets
		}
		all = append(all, q)
	}
	p.once[placed.MembersKey{}] = madeOf(all)
	return nil
}

// onSeveral is a placed graph on several devices. What isn't dealt out isn't there.
type onSeveral struct{ onHost }

func notDealt(what string) error {
	return fmt.Errorf("graph: %w: the %s aren't an array on several GPUs; take one", device.ErrNotSupported, what)
}

func (onSeveral) weights([]float32) (*device.Buffer[float32], error) {
	return nil, notDealt("weights of edges")
}
func (onSeveral) floats([]float64) (*device.Buffer[float64], error) {
	return nil, notDealt("weights of edges")
}
func (onSeveral) ids([]uint64) (*device.Buffer[uint64], error) { return nil, notDealt("ids of edges") }
func (onSeveral) offsets(*CSR) (*device.Buffer[uint64], error) {
	return nil, notDealt("offsets of rows")
}
func (onSeveral) targets(*CSR) (*device.Buffer[uint32], error) {
	return nil, notDealt("targets of edges")
}

// onPart is a part of one. It has the weights and ids of the edges in its rows, in their order.
type onPart struct {
	onSeveral
	p      *Placed
	device int

	mu  sync.Mutex
	mem []device.Memory
}

func (o *onPart) weights(a []float32) (*device.Buffer[float32], error) {
	return dealtOut(o, "weights", a, func(c *CSR) []float32 { return c.Weights })
}

func (o *onPart) ids(a []uint64) (*device.Buffer[uint64], error) {
	return dealtOut(o, "edge ids", a, func(c *CSR) []uint64 { return c.EdgeIDs })
}

func (o *onPart) free() (err error) {
	for _, m := range o.mem {
		err = errors.Join(err, m.Free())
	}
	o.mem = nil
	return err
}

// dealtOut uploads what a part has of an array with an entry for each edge.
func dealtOut[T float32 | uint64](o *onPart, what string, a []T, of func(*CSR) []T) (*device.Buffer[T], error) {
	g, d := o.p.g, o.p.remote.Dealt
	c, edges := g.out, d.Edges[0]
	if g.in != nil && g.in != g.out && len(a) > 0 && unsafe.SliceData(a) == unsafe.SliceData(of(g.in)) {
		c, edges = g.in, d.Edges[1]
	}
	var x T
	size := uint64(unsafe.Sizeof(x))
	bytes := size * edges
	if info := d.Dev.Info(); info.MemoryFree > 0 && bytes > info.MemoryFree {
		return nil, fmt.Errorf("%w: placing the %s on %s takes %s, of which %s are free there", noDeviceMemory{}, what, info.Name, text.Bytes(bytes), text.Bytes(info.MemoryFree))
	}
	m, err := d.Dev.Alloc(max(bytes, 16))
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.mem = append(o.mem, m)
	o.mu.Unlock()
	deal := dealer{a: d.Across, devices: uint32(len(d.Across.Parts))}
	offsets := deal.offsets(c, o.device)
	err = d.Dev.Upload(m, bytes, func(at uint64, part []byte) {
		to := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(part))), uint64(len(part))/size)
		deal.pieces(c, o.device, offsets, at/size, len(to), func(first, end uint64) { to = to[copy(to, a[first:end]):] })
	})
	return device.View[T](m.Pointer(), int(edges)), err
}
