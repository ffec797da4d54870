// Package functor supports code that foray generate generates. Other code doesn't need it.
//
// The guide is [docs/subset.md].
//
// [docs/subset.md]: https://github.com/foray-graph/foray/blob/main/docs/subset.md
package functor

import (
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/operators"
)

// Code is a generated functor. Site is a place in its source where it may fault.
type (
	Code = link.Code
	Site = link.Site
)

// Access is what a method does with the elements of an array.
type Access = ir.Access

// Fault is the error of a functor that used an index out of range or divided by zero.
type Fault = link.Fault

// Base is embedded in generated functors. It has their common state.
type Base struct{ state link.State }

// Fault records that a method faulted at a site, on the host. The first fault is kept.
func (b *Base) Fault(site int, index int64) {
	b.state.Fault.CompareAndSwap(0, ir.PackFault(site, index))
}

// Beyond is Fault for an unsigned index.
func (b *Base) Beyond(site int, index uint64) { b.Fault(site, ir.FaultIndex(ir.Uint64, index)) }

// Stopped reports whether the context of a functor's step has ended, on the host: a loop of many rounds asks now and
// then. It is no method, which each functor would have a copy of.
func Stopped(b *Base) bool { return b.state.Stop != nil && b.state.Stop.Load() }

// Weights returns the weights of the step's edges, on the host.
func (b *Base) Weights() []float32 { return b.state.Weights }

// Rows returns the rows of out-edges, on the host, and whether each triangle comes once. It is no method, which each functor
// would have a copy of.
func Rows(b *Base) (offsets []uint64, targets []uint32, ascending bool) {
	r := &b.state.Rows
	return r.Offsets, r.Targets, r.Ascending
}

// Wide returns a field with an element per edge, in the order of the step's edges, on the host.
func (b *Base) Wide(field []float64) []float64 {
	if w := b.state.Wide; w != nil {
		return w
	}
	return field
}

// IDs returns the ids of the step's edges, on the host.
func (b *Base) IDs() []uint64 { return b.state.IDs }

// In reports whether a reduce is over in-edges: then its rows belong to targets.
func (b *Base) In() bool { return b.state.In }

// How returns the reduction (operators.Reduction) of the scalar for the values of vertices.
func (b *Base) How() int { return b.state.How }

// Partial returns a worker's word of an accumulator, on the host: the bits of the value that the
// worker has accumulated so far in this step.
func (b *Base) Partial(worker, accumulator int) *uint64 {
	return &b.state.Partials[worker*b.state.Stride+accumulator]
}

// State is for operators.
func (b *Base) State(link.Key) *link.State { return &b.state }

// Trust is the argument with which operators ask whether a functor lets only targets through.
type Trust = link.Trust

// The minimum lengths of a field's buffer, and whether the functor writes it, which are combined by |.
const (
	AnyLength = link.AnyLength
	PerVertex = link.PerVertex
	PerEdge   = link.PerEdge // with PerVertex, the longer of the two
	Written   = link.Written
)

// Binder checks a functor's fields before a step and lays them out for a GPU.
type Binder = link.Binder

// Buffer binds a buffer.
func Buffer[T device.Elem](b *Binder, name string, x *device.Buffer[T], extent link.Extent) {
	link.Buffer(b, name, x, extent)
}

// Elements returns a buffer as one of the plain type that its elements' type has the values of:
// of float32 for a type Meters float32. A buffer has the same layout for all types.
func Elements[To, From device.Elem](x *device.Buffer[From]) *device.Buffer[To] {
	return (*device.Buffer[To])(unsafe.Pointer(x))
}

// AddKernels makes the machine code known that foray generate -aot wrote for kernels. A GPU takes the code of the kernels that
// it would otherwise compile.
func AddKernels(pack []byte) { gpu.AddAhead(pack) }

// Number binds a scalar field.
func Number[T int32 | uint32 | int64 | uint64 | float32 | float64 | bool](b *Binder, x T) {
	link.Number(b, x)
}

// Accumulator binds an accumulator to the scalar that a step leaves its value in.
func Accumulator[T operators.Number](b *Binder, name string, x *operators.Scalar[T], how operators.Reduction) {
	(*link.Scalar[T])(x).Bind(b, name, int(how), how.String())
}
