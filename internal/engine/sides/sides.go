// Package sides gives operators the two sides of a functor: the one on the host and the one on a
// GPU.
package sides

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/bind"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
)

// Code returns the device side of a functor for a step: one compiled
// (operators.KernelFunctor), or written in Go (foray generate). kept keeps those; or it is nil.
func Code(kept *step.Codes, f any, kind step.Kind, use link.Use) (*step.Code, error) {
	if m, ok := bind.Of(f); ok {
		return kept.Made(kind, m, use)
	}
	k, ok := f.(operators.KernelFunctor)
	if !ok {
		return nil, fmt.Errorf("%w: the functor %T has no kernels; write it in Go for foray generate, or see operators.KernelFunctor", device.ErrNotSupported, f)
	}
	kernel := k.Kernel()
	var x fields
	if x.put(kernel.Fields); x.err != nil {
		return nil, fmt.Errorf("functor %T: %w", f, x.err)
	}
	return step.Compiled(kind, kernel.Image, kernel.Name, kernel.Number, x.words), nil
}

// OnGPU reports whether a functor has a device side.
func OnGPU(f any) bool {
	if _, ok := bind.Of(f); ok {
		return true
	}
	_, ok := f.(operators.KernelFunctor)
	return ok
}

// Call calls run, in which a functor's methods are called on the host: one written in Go is
// bound before. Afterwards its fault is returned, and its accumulators are folded.
func Call(f any, kind step.Kind, x *step.Env, use link.Use, run func() error) (err error) {
	m, ok := bind.Of(f)
	if !ok {
		return run()
	}
	if err := step.Fits(kind, use, m.Code()); err != nil {
		return err
	}
	s, err := host.StreamOf(x.Stream)
	if err != nil {
		return err
	}
	if err := bind.Begin(m, x.Placed, s.Workers(), use.In, use.How, use.Into); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bind.End(m)) }() // after a panic too
	if err := run(); err != nil || use.Due {
		return err
	}
	return bind.Fold(m)
}

// Sum returns the scalar of a step as steps on several devices have it, or nil for nil.
func Sum[T operators.Number](s *operators.Scalar[T]) *step.Sum {
	if s == nil {
		return nil
	}
	value, word := func(x uint64) T { return *(*T)(unsafe.Pointer(&x)) }, func(x T) uint64 { return *(*uint64)(unsafe.Pointer(&x)) }
	return &step.Sum{At: uint64(s.Pointer()), Join: func(a, b uint64) uint64 { return word(operators.Join(s.How(), value(a), value(b))) }}
}
