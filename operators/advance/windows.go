// This file holds pushes in windows: distances that are settled window by window, along rows that
// ascend by weight.

package advance

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/step"
	"github.com/foray-graph/foray/operators"
)

// WindowOptions say how Windows go.
type WindowOptions struct {
	// Key has an entry per vertex, on the device of the graph: what is settled, distances for
	// example. The functor of the push lowers the key of an edge's target to no less than that
	// of its source plus the weight, by package atomics. +Inf is not reached.
	Key *device.Buffer[float32]
	// Width is how wide a window is, more than 0; Most the largest key that counts, finite.
	Width, Most float32
	// A pull costs less than the next window where the edges into vertices that aren't reached,
	// times PullCost, are fewer than those out of what is reached, of both the part that is light
	// enough: about x/Full of all edges weigh less than x. A PullCost of +Inf never pulls.
	PullCost, Full float32
}

// Windows is where a traversal by PushWindow and NextWindow stands, on a GPU
// (traverse.Traversal.Windows). It belongs to one traversal.
type Windows struct {
	p      *graph.Placed
	dev    device.Uploader
	o      WindowOptions
	header device.Memory
	arrays device.Memory
	own    windowHeader
}

// windowHeader is a Window as kernels have it (within.cuh).
type windowHeader struct {
	low, above, high, width, most, full, cost float32
	turn                                      uint32
	least, parts                              [2]uint32
	all, settled                              uint64
	due, cursor, aside, _                     uint64
}

// Of windowHeader.least.
const nothingLeft = 0x7f800000

// partBytes is the size of a LightPart, lightPart how many edges one has (within.cuh).
const (
	partBytes = 16
	lightPart = 256
	lightRow  = 128
)

// WindowBytes returns what Windows take of the device's memory.
func WindowBytes(p *graph.Placed) uint64 {
	bytes := uint64(unsafe.Sizeof(windowHeader{})) + 8*uint64(p.NumVertices())
	if p.MaxDegree() > lightRow {
		bytes += partBytes * maxParts(p)
	}
	return bytes
}

// maxParts is how many parts all long rows are put aside in at most: fewer than twice as many as
// lie in one row after the other.
func maxParts(p *graph.Placed) uint64 { return 2*p.Graph().NumDirectedEdges()/lightPart + 1 }

// NewWindows returns room for windows over a placed graph whose rows ascend by weight, on a GPU.
// Begin readies it for a traversal. On the host it is device.ErrNotSupported: a loop around
// PushWithin does the same there.
func NewWindows(p *graph.Placed) (*Windows, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("advance: windows: %w", err)
	}
	dev, ok := p.Device().(device.Uploader)
	if !ok {
		return nil, fmt.Errorf("advance: windows: %w: only GPUs have them; use PushWithin on the host", device.ErrNotSupported)
	}
	x := &Windows{p: p, dev: dev}
	var err error
	if x.header, err = dev.Alloc(uint64(unsafe.Sizeof(x.own))); err == nil {
		x.arrays, err = dev.Alloc(max(WindowBytes(p)-uint64(unsafe.Sizeof(x.own)), 4))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("advance: windows: %w", err), x.Free())
	}
	return x, nil
}

// Begin begins a traversal, in the order of the stream.
func (x *Windows) Begin(s device.Stream, o WindowOptions) error {
	if err := x.check(x.p); err != nil {
		return err
	}
	if o.Key == nil || o.Key.Len() < x.p.NumVertices() {
		return fmt.Errorf("%w: windows: Key has fewer entries than the graph has vertices", ErrFunctor)
	}
	for _, v := range []struct {
		name string
		ok   bool
		is   float32
	}{{"Width", o.Width > 0, o.Width}, {"Most", o.Most >= 0 && o.Most <= math.MaxFloat32, o.Most}, {"PullCost", o.PullCost >= 0, o.PullCost}, {"Full", o.Full >= 0, o.Full}} {
		if !v.ok {
			return fmt.Errorf("advance: windows: %w: %s is %v", graph.ErrOptions, v.name, v.is)
		}
	}
	gs, err := gpu.StreamOf(s)
	if err != nil {
		return fmt.Errorf("advance: windows: %w", err)
	}
	n := uint64(x.p.NumVertices())
	x.o = o
	x.own = windowHeader{above: -1, high: min(o.Width, o.Most), width: o.Width, most: o.Most, full: o.Full, cost: o.PullCost,
		least: [2]uint32{nothingLeft, nothingLeft}, all: x.p.Graph().NumDirectedEdges()}
	x.own.due = uint64(x.arrays.Pointer())
	x.own.cursor = x.own.due + 4*n
	if x.p.MaxDegree() > lightRow {
		x.own.aside = x.own.cursor + 4*n
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&x.own)), int(unsafe.Sizeof(x.own)/8))
	return errors.Join(device.WriteAt(x.dev, x.header, 0, words), gs.Fill(x.arrays.Pointer(), math.MaxInt32, n))
}

// Low returns an array of one entry: the key up to which all keys were certain when the Repeat
// ended; +Inf where it ended as no vertex had an edge left to visit. It is the windows'.
func (x *Windows) Low() *device.Buffer[float32] {
	if x == nil || x.header == nil {
		return nil
	}
	return device.View[float32](x.header.Pointer(), 1)
}

// Free gives the memory back. Freeing nil, or a second time, does nothing.
func (x *Windows) Free() error {
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
	return errors.Join(errs...)
}

// check is what steps ask of windows that they are given.
func (x *Windows) check(p *graph.Placed) error {
	switch {
	case x == nil:
		return fmt.Errorf("advance: windows: %w: there are none (nil); traverse.Traversal.Windows makes them", graph.ErrOptions)
	case x.header == nil || x.arrays == nil:
		return fmt.Errorf("advance: windows: %w: they were freed", device.ErrClosed)
	case x.p != p:
		return fmt.Errorf("advance: windows: %w: they are over another placed graph", graph.ErrOptions)
	}
	return nil
}

// PushWindow returns the step that pushes along the edges by which a key of the window under way
// may come, and makes what the functor, one that is written in Go, lets through the frontier,
// each vertex once. It is for a Repeat on a GPU, in one kernel, with NextWindow behind it. A graph
// whose rows don't ascend by weight is graph.ErrOptions.
func PushWindow(f Functor, w *Windows) operators.Step { return &windowPush{f: f, w: w} }

// NextWindow returns the step that, where the frontier is empty, goes on to the next window in
// which there is an edge to visit: the vertices that have one are the frontier then. It ends the
// Repeat where there is none, or where a pull costs less.
func NextWindow(w *Windows) operators.Step { return &windowNext{w: w} }

var errWindows = fmt.Errorf("advance: windows: %w: they are for a Repeat in one kernel on a GPU", device.ErrNotSupported)

type windowPush struct {
	f Functor
	w *Windows
}

func (*windowPush) Name() string         { return "push window" }
func (*windowPush) Moves()               {}
func (*windowPush) Host(*step.Env) error { return errWindows }
func (*windowPush) GPU(*step.Env) error  { return errWindows }

// Compile appends the push to a program.
func (s *windowPush) Compile(p *step.Program) error {
	if err := s.w.check(p.Placed); err != nil {
		return err
	}
	if err := errors.Join(checkFunctor("push window", s.f, p.Placed, nil), ascends("push window", p.Placed)); err != nil {
		return err
	}
	op, code, err := edgeOp(step.Pushes, s.f)
	if err != nil {
		return err
	}
	if code.Made == nil {
		return fmt.Errorf("advance: push window: %w: the functor %T isn't written in Go", device.ErrNotSupported, s.f)
	}
	weights, err := p.Placed.Weights()
	if err != nil {
		return fmt.Errorf("advance: push window: %w", err)
	}
	op.Code, op.Flags = step.OpLight, step.Dedupe
	op.Words = [step.FieldWords]uint64{uint64(weights.Pointer()), uint64(s.w.o.Key.Pointer()), uint64(s.w.header.Pointer())}
	p.Moves, p.Pushes, p.Light = true, true, true
	return p.Add(code, op)
}

type windowNext struct{ w *Windows }

func (*windowNext) Name() string         { return "next window" }
func (*windowNext) Moves()               {}
func (*windowNext) Host(*step.Env) error { return errWindows }
func (*windowNext) GPU(*step.Env) error  { return errWindows }

// Compile appends it to a program.
func (s *windowNext) Compile(p *step.Program) error {
	if err := s.w.check(p.Placed); err != nil {
		return err
	}
	p.Moves, p.Light = true, true
	return p.Add(nil, step.Op{Code: step.OpWindow, Words: [step.FieldWords]uint64{uint64(s.w.header.Pointer())}})
}
