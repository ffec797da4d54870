// This file holds Scalar, what a reduction over vertices leaves.

package link

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/functor/ir"
)

// ScalarNumber is what a scalar may be.
type ScalarNumber interface{ int64 | uint64 | float64 }

// Scalar is an operators.Scalar.
type Scalar[T ScalarNumber] struct {
	dev      device.Device
	how      int // the operators.Reduction
	name     string
	identity T
	join     func(a, b T) T

	word *device.Buffer[T] // the value; on a GPU partial ones behind it
	// stripes are, on a GPU, what threads bring to the scalar where it is an accumulator of a
	// functor: all are the identity between steps.
	stripes *device.Buffer[T]
	bound   Accumulator // what Bind made once
}

// MaxBlocks is how many blocks a kernel that reduces into a scalar has at most.
const MaxBlocks = 1 << 12

// NewScalar returns a scalar on a device, 0 at first. how is the reduction, which is called name: identity changes
// nothing in it, and join reduces two values.
func NewScalar[T ScalarNumber](dev device.Device, how int, name string, identity T, join func(a, b T) T) (*Scalar[T], error) {
	n := 1
	if _, remote := dev.(discrete.Device); remote {
		n = 32 + MaxBlocks // the value, the count of blocks, partial values
	}
	word, err := device.NewBuffer[T](dev, n)
	if err != nil {
		return nil, err
	}
	return &Scalar[T]{dev: dev, how: how, name: name, identity: identity, join: join, word: word}, nil
}

// Pointer is the device's address of the value: functors on a GPU read it there. It is 0 of nil.
func (s *Scalar[T]) Pointer() uintptr {
	if s == nil {
		return 0
	}
	return s.word.Pointer()
}

// Array returns the scalar as an array, whose element 0 is the value. It is the scalar's.
func (s *Scalar[T]) Array() *device.Buffer[T] {
	if s == nil {
		return nil
	}
	return s.word
}

// How returns the operators.Reduction, 0 of nil.
func (s *Scalar[T]) How() int {
	if s == nil {
		return 0
	}
	return s.how
}

// Sum is a scalar of a step that several devices run.
type Sum struct {
	At   uint64 // the address of the value
	Join func(a, b uint64) uint64
}

// Sum returns the scalar as steps on several devices have it, or nil for nil.
func (s *Scalar[T]) Sum() *Sum {
	if s == nil {
		return nil
	}
	return &Sum{At: uint64(s.Pointer()), Join: func(a, b uint64) uint64 { return word(s.join(value[T](a), value[T](b))) }}
}

// Get returns the value. On a GPU steps that write it must have ended: within a
// traversal use traverse.Get, which waits. -0 becomes 0: which of two zeros is the least, or the greatest, depends on
// their order.
func (s *Scalar[T]) Get() (T, error) {
	if h := s.word.Host(); h != nil {
		return h[0] + 0, nil
	}
	var x [1]T
	err := s.word.Read(s.dev, 0, x[:])
	return x[0] + 0, err
}

// Set sets the value.
func (s *Scalar[T]) Set(x T) error {
	if h := s.word.Host(); h != nil { // without the slice that Write takes
		h[0] = x
		return nil
	}
	return s.word.Write(s.dev, 0, []T{x})
}

// Close gives its memory back.
func (s *Scalar[T]) Close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.word.Close(), s.dropStripes())
}

// Move returns the scalar as another one, as device.Buffer.Move does: s is as if it was closed.
func (s *Scalar[T]) Move() *Scalar[T] {
	moved := *s
	moved.word, moved.bound = s.word.Move(), Accumulator{}
	s.stripes = nil
	return &moved
}

// dropStripes frees the stripes; the next step makes new ones.
func (s *Scalar[T]) dropStripes() error {
	if s.stripes == nil {
		return nil
	}
	b := s.stripes
	s.stripes = nil
	return b.Close()
}

// Check returns why the scalar can't be used on a device: device.ErrClosed for a closed one, and
// device.ErrNotSupported for one of another device, where a kernel that writes to it would break
// the GPU's context. It is nil for no scalar.
func (s *Scalar[T]) Check(dev device.Device) error {
	switch {
	case s == nil:
	case s.word.Len() == 0:
		return fmt.Errorf("%w: the scalar; make another", device.ErrClosed)
	case s.dev != dev:
		return fmt.Errorf("%w: the scalar is on %s, the graph on %s", device.ErrNotSupported, s.dev.Info().Name, dev.Info().Name)
	}
	return nil
}

// Bind binds a functor's accumulator to the scalar that a step leaves its value in. It must be there, on the device
// of the graph, and reduce in the same way, which is called reduction.
func (s *Scalar[T]) Bind(b *Binder, name string, how int, reduction string) {
	if s == nil {
		b.Fail(fmt.Errorf("%w: %s is nil; make it by traverse.Scalar(t, operators.%s)", graph.ErrOptions, name, reduction))
		return
	}
	if err := s.Check(b.Device()); err != nil {
		b.Fail(fmt.Errorf("%s: %w", name, err))
		return
	}
	if s.how != how {
		b.Fail(fmt.Errorf("%w: %s reduces by %s, its scalar by %s; make it by traverse.Scalar(t, operators.%s)", graph.ErrOptions, name, reduction, s.name, reduction))
		return
	}
	if s.bound.Scalar == nil {
		s.bound = Accumulator{Type: scalarType[T](), How: ir.Fold(how), Scalar: s, Identity: word(s.identity),
			Join: func(a, b uint64) uint64 { return word(s.join(value[T](a), value[T](b))) },
			Set:  func(bits uint64) error { return s.Set(value[T](bits)) },
			Drop: s.dropStripes}
	}
	a := s.bound
	a.Name, a.At = name, uint64(s.word.Pointer())
	if b.Remote() {
		if err := s.makeStripes(); err != nil {
			b.Fail(fmt.Errorf("%s: %w", name, err))
			return
		}
		a.Stripes = uint64(s.stripes.Pointer())
	}
	b.Accumulate(a)
}

// makeStripes makes the stripes, if there are none.
func (s *Scalar[T]) makeStripes() error {
	if s.stripes != nil {
		return nil
	}
	b, err := device.NewBuffer[T](s.dev, ir.Stripes)
	if err != nil {
		return err
	}
	if err := b.Write(s.dev, 0, slices.Repeat([]T{s.identity}, ir.Stripes)); err != nil {
		return errors.Join(err, b.Close())
	}
	s.stripes = b
	return nil
}

func scalarType[T ScalarNumber]() ir.Type {
	switch any(*new(T)).(type) {
	case int64:
		return ir.Int64
	case float64:
		return ir.Float64
	}
	return ir.Uint64
}

// word returns the bits of a value, value the value of bits.
func word[T ScalarNumber](x T) uint64     { return *(*uint64)(unsafe.Pointer(&x)) }
func value[T ScalarNumber](bits uint64) T { return *(*T)(unsafe.Pointer(&bits)) }
