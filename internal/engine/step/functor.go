// This file holds what operators ask of a functor: its code on a GPU, and its binding on the host.

package step

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
)

// CodeOf returns the device side of a functor for a step: one compiled
// (operators.KernelFunctor), or written in Go (foray generate). kept keeps those; or it is nil.
func CodeOf(kept *Codes, f any, kind Kind, use link.Use) (*Code, error) {
	if m, ok := link.Of(f); ok {
		return kept.Generated(kind, m, use)
	}
	k, ok := f.(operators.KernelFunctor)
	if !ok {
		return nil, fmt.Errorf("%w: the functor %T has no kernels; write it in Go for foray generate, or see operators.KernelFunctor", device.ErrNotSupported, f)
	}
	kernel := k.Kernel()
	if len(kernel.Image) == 0 || kernel.Name == "" {
		return nil, fmt.Errorf("functor %T: %w: its Kernel has no Image or no Name; see operators.KernelFunctor", f, operators.ErrFunctor)
	}
	var x fields
	if x.put(kernel.Fields); x.err != nil {
		return nil, fmt.Errorf("functor %T: %w", f, x.err)
	}
	return Compiled(kind, kernel.Image, kernel.Name, kernel.Number, x.words), nil
}

// OnGPU reports whether a functor has a device side.
func OnGPU(f any) bool {
	if _, ok := link.Of(f); ok {
		return true
	}
	_, ok := f.(operators.KernelFunctor)
	return ok
}

// OnHost calls run, in which a functor's methods are called on the host: one written in Go is
// bound before. Afterwards its fault is returned, and its accumulators are folded.
func OnHost(f any, kind Kind, x *Env, use link.Use, run func() error) (err error) {
	m, ok := link.Of(f)
	if !ok {
		return run()
	}
	if err := Fits(kind, use, m.Code()); err != nil {
		return err
	}
	s, err := host.StreamOf(x.Stream)
	if err != nil {
		return err
	}
	if err := link.Begin(m, x.Placed, s.Workers(), s.Stop(), use.In, use.How, use.Into); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, link.End(m)) }() // after a panic too
	if err := run(); err != nil || use.Due {
		return err
	}
	return link.Fold(m)
}

// NewScalar returns a scalar on a device, 0 at first. The device side of a functor that reduces into it must reduce in
// the same way. Or of a float64 is graph.ErrOptions.
func NewScalar[T operators.Number](dev device.Device, how operators.Reduction) (*link.Scalar[T], error) {
	if how > operators.Max && (how > operators.Or || any(*new(T)) == any(float64(0))) {
		return nil, fmt.Errorf("traverse: %w: a scalar of %T can't reduce by %s; Sum, Min and Max are for all types, Or for integers", graph.ErrOptions, *new(T), how)
	}
	return link.NewScalar(dev, int(how), how.String(), operators.Identity[T](how), func(a, b T) T { return operators.Join(how, a, b) })
}
