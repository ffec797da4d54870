// This file holds Scalar, what a reduction over vertices leaves.

package operators

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/bind"
	"github.com/foray-graph/foray/internal/functor/ir"
)

// Number is what a scalar may be.
type Number interface{ int64 | uint64 | float64 }

// Reduction is how values become one.
type Reduction uint8

// The reductions. Min and Max ignore NaN. Of no values, or of NaN alone, the smallest is +Inf
// or the largest integer, and the largest -Inf or the smallest.
const (
	Sum Reduction = iota
	Min
	Max
	Or // the union of bits; of integers
)

// String returns the reduction's name.
func (r Reduction) String() string {
	if r > Or {
		return fmt.Sprintf("reduction %d", uint8(r))
	}
	return [...]string{"Sum", "Min", "Max", "Or"}[r]
}

// Join reduces two values.
func Join[T int32 | uint32 | int64 | uint64 | float32 | float64](how Reduction, a, b T) T {
	switch how {
	case Min:
		if b < a || a != a {
			return b
		}
		return a
	case Max:
		if b > a || a != a {
			return b
		}
		return a
	case Or:
		switch x := any(a).(type) {
		case int64:
			return T(x | any(b).(int64))
		case uint64:
			return T(x | any(b).(uint64))
		case int32:
			return T(x | any(b).(int32))
		case uint32:
			return T(x | any(b).(uint32))
		}
	}
	return a + b
}

// Identity returns what changes nothing in a reduction.
func Identity[T int64 | uint64 | float64](how Reduction) T {
	var x T
	switch p := any(&x).(type) {
	case *int64:
		switch how {
		case Min:
			*p = math.MaxInt64
		case Max:
			*p = math.MinInt64
		}
	case *uint64:
		if how == Min {
			*p = math.MaxUint64
		}
	case *float64:
		switch how {
		case Min:
			*p = math.Inf(1)
		case Max:
			*p = math.Inf(-1)
		}
	}
	return x
}

// Scalar is a number on a device, into which steps reduce what functors return, or bring to
// their accumulators (traverse.Sum). Steps replace what was there. It belongs to one traversal.
type Scalar[T Number] struct {
	dev  device.Device
	how  Reduction
	word *device.Buffer[T] // the value; on a GPU partial ones behind it
	// stripes are, on a GPU, what threads bring to the scalar where it is an accumulator of a
	// functor: all are the identity between steps.
	stripes *device.Buffer[T]
	bound   bind.Accumulator // what BindScalar made once
}

// NewScalar returns a scalar on a device, 0 at first. The device side of a functor
// that reduces into it must reduce in the same way. Or of a float64 is graph.ErrOptions.
func NewScalar[T Number](dev device.Device, how Reduction) (*Scalar[T], error) {
	if how > Max && (how > Or || any(*new(T)) == any(float64(0))) {
		return nil, fmt.Errorf("operators: %w: a scalar of %T can't reduce by %s; Sum, Min and Max are for all types, Or for integers", graph.ErrOptions, *new(T), how)
	}
	n := 1
	if _, remote := dev.(device.Uploader); remote {
		n = 32 + step.MaxBlocks // the value, the count of blocks, partial values
	}
	word, err := device.NewBuffer[T](dev, n)
	if err != nil {
		return nil, err
	}
	return &Scalar[T]{dev: dev, how: how, word: word}, nil
}

// Pointer is the device's address of the value: functors on a GPU read it there. It is 0 of nil.
func (s *Scalar[T]) Pointer() uintptr {
	if s == nil {
		return 0
	}
	return s.word.Pointer()
}

// Array returns the scalar as an array, whose element 0 is the value: functors of the steps
// behind the one that reduces into it read it there, without a look by the host. They mustn't
// write it. It is the scalar's.
func (s *Scalar[T]) Array() *device.Buffer[T] {
	if s == nil {
		return nil
	}
	return s.word
}

// How returns how values are reduced.
func (s *Scalar[T]) How() Reduction { return s.how }

// Get returns the value. On a GPU steps that write it must have ended: within a
// traversal use traverse.Get, which waits.
func (s *Scalar[T]) Get() (T, error) {
	if h := s.word.Host(); h != nil {
		return h[0], nil
	}
	var x [1]T
	err := s.word.Read(s.dev, 0, x[:])
	return x[0], err
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

// Move returns the scalar as another one, as device.Buffer.Move does: s is as if it was freed.
func (s *Scalar[T]) Move() *Scalar[T] {
	moved := *s
	moved.word, moved.bound = s.word.Move(), bind.Accumulator{}
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

// Check returns why the scalar can't be used on a device: device.ErrClosed for a freed one, and
// device.ErrNotSupported for one of another device, where a kernel that writes to it would break
// the GPU's context. It is nil for no scalar.
func (s *Scalar[T]) Check(dev device.Device) error {
	switch {
	case s == nil:
	case s.word.Len() == 0:
		return fmt.Errorf("the scalar: %w: make another", device.ErrClosed)
	case s.dev != dev:
		return fmt.Errorf("the scalar: %w: it is on %s, the graph on %s", device.ErrNotSupported, s.dev.Info().Name, dev.Info().Name)
	}
	return nil
}

// BindScalar binds a functor's accumulator to the scalar that a step leaves its value in. It
// must be there, on the device of the graph, and reduce in the same way.
func BindScalar[T Number](b *bind.Binder, name string, s *Scalar[T], how Reduction) {
	if s == nil {
		b.Fail(fmt.Errorf("%w: %s is nil; make it by traverse.Scalar(t, operators.%s)", graph.ErrOptions, name, how))
		return
	}
	if err := s.Check(b.Device()); err != nil {
		b.Fail(fmt.Errorf("%s: %w", name, err))
		return
	}
	if s.how != how {
		b.Fail(fmt.Errorf("%w: %s reduces by %s, its scalar by %s; make it by traverse.Scalar(t, operators.%s)", graph.ErrOptions, name, how, s.how, how))
		return
	}
	if s.bound.Scalar == nil {
		s.bound = bind.Accumulator{Type: typeOf[T](), How: ir.Fold(how), Scalar: s, Identity: word(Identity[T](how)),
			Join: func(a, b uint64) uint64 { return word(Join(how, value[T](a), value[T](b))) },
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
	if err := b.Write(s.dev, 0, slices.Repeat([]T{Identity[T](s.how)}, ir.Stripes)); err != nil {
		return errors.Join(err, b.Close())
	}
	s.stripes = b
	return nil
}

func typeOf[T Number]() ir.Type {
	switch any(*new(T)).(type) {
	case int64:
		return ir.Int64
	case float64:
		return ir.Float64
	}
	return ir.Uint64
}

// word returns the bits of a value, value the value of bits.
func word[T Number](x T) uint64     { return *(*uint64)(unsafe.Pointer(&x)) }
func value[T Number](bits uint64) T { return *(*T)(unsafe.Pointer(&bits)) }

var _ = [1]struct{}{}[unsafe.Sizeof(step.ScalarArgs{})-32]
