// Package windows holds the position of a traversal in windows (advance.PushWindow,
// advance.NextWindow), which settles keys, such as distances, window by window.
package windows

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
)

// Options are advance.WindowOptions.
type Options struct {
	Key            *device.Buffer[float32]
	Width, Most    float32
	PullCost, Full float32
}

func (o *Options) check(n int, remote bool) error {
	if err := link.CheckBuffer("Key", o.Key, remote); err != nil {
		return fmt.Errorf("windows: %w", err)
	}
	if o.Key.Len() < n {
		return fmt.Errorf("windows: %w: Key has fewer entries than the graph has vertices", graph.ErrOptions)
	}
	for _, x := range []struct {
		name string
		is   float32
		ok   bool
		want string
	}{
		{"Width", o.Width, o.Width > 0, "more than 0"},
		{"Most", o.Most, o.Most >= 0 && o.Most <= math.MaxFloat32, "a finite one of 0 or more"},
		{"PullCost", o.PullCost, o.PullCost >= 0, "0 or more"},
		{"Full", o.Full, o.Full >= 0, "0 or more"},
	} {
		if !x.ok {
			return fmt.Errorf("windows: %w: %s is %v; want %s", graph.ErrOptions, x.name, x.is, x.want)
		}
	}
	return nil
}

// Windows is where a traversal stands. It belongs to one.
type Windows struct {
	p  *graph.Placed
	o  Options
	on backend
}

// backend is the part of Windows on a device.
type backend interface {
	begin(s device.Stream, o Options) error
	low() *device.Buffer[float32]
	close() error
}

// Bytes returns what Windows take of a GPU's memory over rows that are known to ascend by weight; 0
// over others, which have none.
func Bytes(p *graph.Placed) uint64 {
	if _, known := placed.Lookup(p.State(), placed.Ascending(0)); !known {
		return 0
	}
	return bytes(p)
}

// New returns room for windows over a placed graph. Begin readies it for a traversal.
func New(p *graph.Placed) (*Windows, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("windows: %w", err)
	}
	x := &Windows{p: p}
	dev, remote := p.Device().(discrete.Device)
	if !remote {
		x.on = &Host{}
		return x, nil
	}
	g := &onGPU{p: p, dev: dev}
	x.on = g
	if err := g.alloc(); err != nil {
		return nil, errors.Join(fmt.Errorf("windows: %w", err), x.Close())
	}
	return x, nil
}

// Begin begins a traversal, in the order of the stream.
func (x *Windows) Begin(s device.Stream, o Options) error {
	if err := x.Check(x.p); err != nil {
		return err
	}
	if err := o.check(x.p.NumVertices(), x.OnHost() == nil); err != nil {
		return err
	}
	x.o = o
	if err := x.on.begin(s, o); err != nil {
		return fmt.Errorf("windows: %w", err)
	}
	return nil
}

// Options returns those of the traversal.
func (x *Windows) Options() Options { return x.o }

// Low returns an array of one entry: the key up to which all keys were certain when the windows
// ended; +Inf where they ended as no vertex had an edge left to visit. It is the windows'.
func (x *Windows) Low() *device.Buffer[float32] {
	if x == nil || x.on == nil {
		return nil
	}
	return x.on.low()
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (x *Windows) Close() error {
	if x == nil || x.on == nil {
		return nil
	}
	err := x.on.close()
	x.on = nil
	return err
}

// Check is what steps ask of windows that they are given.
func (x *Windows) Check(p *graph.Placed) error {
	switch {
	case x == nil || x.p == nil:
		return fmt.Errorf("windows: %w: there are none (nil); traverse.Traversal.Windows makes them", graph.ErrOptions)
	case x.on == nil:
		return fmt.Errorf("windows: %w: the windows; make others", device.ErrClosed)
	case x.p != p:
		return fmt.Errorf("windows: %w: they are over another placed graph", graph.ErrOptions)
	}
	return nil
}

// Host is the part on the host.
type Host struct {
	o     Options
	Above float32 // the window under way is what is above this
	High  float32 // and at most this
	is    [1]float32
}

func (h *Host) begin(_ device.Stream, o Options) error {
	*h = Host{o: o, Above: -1, High: min(o.Width, o.Most)}
	return nil
}

func (h *Host) low() *device.Buffer[float32] { return device.Wrap(h.is[:]) }
func (h *Host) close() error                 { return nil }

// OnHost returns the part on the host, nil on a GPU.
func (x *Windows) OnHost() *Host {
	h, _ := x.on.(*Host)
	return h
}

// Next moves to the next window with an edge to visit, and reports whether there is
// one that is worth it. least returns the least key that an edge leads to beyond the window, +Inf
// for none; all and settled are all edges, and those out of what is reached.
func (h *Host) Next(all, settled uint64, least func(high float32) float32) bool {
	o := h.o
	light := func(x float32) float64 { return min(float64(x)/float64(o.Full), 1) }
	switch next := least(h.High); {
	case !(next <= o.Most):
		h.is[0] = float32(math.Inf(1))
		return false
	case float64(all-settled)*light(h.High)*float64(o.PullCost) <= float64(settled)*light(o.Width):
		h.is[0] = h.High
		return false
	default:
		h.Above = h.High
		if h.High = h.Above + o.Width; !(next <= h.High) {
			h.High = next + o.Width
		}
		if !(h.High > h.Above && h.High < o.Most) {
			h.High = o.Most
		}
		return true
	}
}

// Header is a Window as kernels have it (operators/advance/window.cuh).
type Header struct {
	low, above, high, width, most, full, cost float32
	turn                                      uint32
	least                                     [4]uint32
	parts                                     [2]uint32
	all, settled                              uint64
	notes, aside                              uint64
}

// headerBytes is the size of a header and of its initial value.
const headerBytes = uint64(2 * unsafe.Sizeof(Header{}))

// onGPU is the part on a GPU.
type onGPU struct {
	p      *graph.Placed
	dev    discrete.Device
	header device.Memory
	arrays device.Memory
	own    Header // as it is behind the header, to begin with
}

func bytes(p *graph.Placed) uint64 {
	n := headerBytes + 8*uint64(p.NumVertices())
	if p.State().MaxDegree() > LightRow {
		n += PartBytes * maxParts(p)
	}
	return n
}

// maxParts is how many parts all long rows are put aside in at most: fewer than twice as many as
// are in one row after the other.
func maxParts(p *graph.Placed) uint64 { return 2*p.Graph().NumDirectedEdges()/LightPart + 1 }

func (x *onGPU) alloc() (err error) {
	if x.header, err = x.dev.Alloc(headerBytes); err != nil {
		return err
	}
	x.arrays, err = x.dev.Alloc(max(bytes(x.p)-headerBytes, 4))
	return err
}

func (x *onGPU) begin(s device.Stream, o Options) error {
	gs, err := gpu.StreamOf(s)
	if err != nil {
		return err
	}
	n := uint64(x.p.NumVertices())
	own := Header{above: -1, high: min(o.Width, o.Most), width: o.Width, most: o.Most, full: o.Full, cost: o.PullCost,
		least: [4]uint32{NothingLeft, NothingLeft, NothingLeft, NothingLeft}, all: x.p.Graph().NumDirectedEdges()}
	own.notes = uint64(x.arrays.Pointer())
	if x.p.State().MaxDegree() > LightRow {
		own.aside = own.notes + 8*n
	}
	size := uint64(unsafe.Sizeof(own))
	if own != x.own { // which takes longer than a copy on the device
		words := unsafe.Slice((*uint64)(unsafe.Pointer(&own)), int(size/8))
		if err := discrete.WriteAt(x.dev, x.header, int(size/8), words); err != nil {
			return err
		}
		x.own = own
	}
	return errors.Join(gs.Copy(x.header.Pointer(), x.header.Pointer()+uintptr(size), size), gs.Fill(x.arrays.Pointer(), Untouched, 2*n))
}

func (x *onGPU) low() *device.Buffer[float32] { return discrete.View[float32](x.header.Pointer(), 1) }

func (x *onGPU) close() error {
	var errs []error
	for _, m := range []*device.Memory{&x.header, &x.arrays} {
		if *m != nil {
			errs = append(errs, (*m).Close())
			*m = nil
		}
	}
	return errors.Join(errs...)
}

// Remote returns the address of the windows as kernels have them; 0 on the host.
func (x *Windows) Remote() uint64 {
	if g, ok := x.on.(*onGPU); ok {
		return uint64(g.header.Pointer())
	}
	return 0
}
