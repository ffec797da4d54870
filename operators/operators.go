// Package operators has the types that the operators of a traversal share: steps, workers
// that run functors, and the location of a functor's kernels. The operators themselves are
// in subpackages: advance, filter, foreach, reduce and pile, which make steps; intersect,
// scan and sets, which are called directly.
package operators

import (
	"errors"
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
)

// Step is one operator with what it works on, as a value. advance.Push,
// filter.Unique, foreach.All, reduce.In and others make steps;
// traverse.Traversal.Do and Repeat run them, and no others. A step keeps what it works in: it belongs to
// one traversal at a time.
type Step interface {
	// Name is what statistics and errors call the step: "push", "unique".
	Name() string
}

// ErrFunctor: the functor, sink or predicate of an operator that is nil, whose arrays don't fit the
// graph, or that doesn't do what it promises; the message has the details. The output of the operator
// is then empty; other writes of the functor remain.
var ErrFunctor = errors.New("bad functor")

// Worker says on which worker of the host a functor runs, and when.
type Worker struct {
	ID int // 0 to the stream's Workers()-1
	// Alone says that no other worker runs during this operator, so that plain
	// reads and writes do where atomic ones would be needed otherwise.
	Alone bool
	// Level is the level that the traversal is at: 1 in the first round of a
	// Repeat, or after the first Next. It is 0 outside a traversal.
	Level int32
}

// Row is a row of the graph, or a part of one: the edges First to First+Len-1
// of vertex Source, whose targets are Targets[First:First+Len] of the CSR.
type Row struct {
	First  uint64
	Source uint32
	Len    uint32
}

// Kernel is the location of the device side of a functor.
type Kernel struct {
	Image  []byte // what FORAY_TRAVERSAL was compiled to, the same slice each time
	Name   string // that was given there
	Number int    // of the functor among those of its kind there, from 0 on
}

// KernelFunctor is a functor that a GPU runs too.
type KernelFunctor interface {
	Kernel() Kernel
	// Fields writes the functor's fields as its device side has them. It is called
	// before each launch.
	Fields(*Fields)
}

// Fields are the fields of a functor on a GPU, 48 bytes at most, in the order and
// alignment that C++ has.
type Fields struct {
	Words [6]uint64
	used  int // bytes
	err   error
}

// Put appends fields: device buffers (their address), int32, uint32, float32,
// uint64 and float64. Another type, a buffer in the host's memory, one that was freed, and
// more than 48 bytes, is an error of the operator that asked.
func (f *Fields) Put(values ...any) {
	for _, v := range values {
		if onHost[uint32](v) || onHost[int32](v) || onHost[float32](v) || onHost[uint64](v) || onHost[int64](v) || onHost[float64](v) {
			f.fail(fmt.Errorf("%w: a %T in the host's memory; make it on the device of the graph, by traverse.Array", device.ErrNotSupported, v))
			continue
		}
		if b, ok := v.(interface{ Freed() bool }); ok && b.Freed() {
			f.fail(fmt.Errorf("%w: a %T that was freed, by Close, Result or Close of the traversal that made it", device.ErrClosed, v))
			continue
		}
		switch v := v.(type) {
		case interface{ Pointer() uintptr }:
			f.word(uint64(v.Pointer()))
		case uint64:
			f.word(v)
		case float64:
			f.word(math.Float64bits(v))
		case uint32:
			f.half(v)
		case int32:
			f.half(uint32(v))
		case float32:
			f.half(math.Float32bits(v))
		default:
			f.fail(fmt.Errorf("a field of type %T; want a device.Buffer, int32, uint32, float32, uint64 or float64", v))
		}
	}
}

// onHost reports a buffer of the host's memory, which no kernel can address.
func onHost[T device.Elem](v any) bool {
	b, ok := v.(*device.Buffer[T])
	return ok && b.Host() != nil
}

func (f *Fields) word(x uint64) {
	f.used = (f.used + 7) &^ 7
	if f.used+8 > 8*len(f.Words) {
		f.fail(fmt.Errorf("more than %d bytes of fields", 8*len(f.Words)))
		return
	}
	f.Words[f.used/8] = x
	f.used += 8
}

func (f *Fields) half(x uint32) {
	if f.used+4 > 8*len(f.Words) {
		f.fail(fmt.Errorf("more than %d bytes of fields", 8*len(f.Words)))
		return
	}
	shift := f.used % 8 * 8
	f.Words[f.used/8] = f.Words[f.used/8]&^(math.MaxUint32<<shift) | uint64(x)<<shift
	f.used += 4
}

func (f *Fields) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// FieldsOf asks a functor for its fields.
func FieldsOf(f KernelFunctor) (Fields, error) {
	var x Fields
	f.Fields(&x)
	if x.err != nil {
		return x, fmt.Errorf("functor %T: %w", f, x.err)
	}
	return x, nil
}
