// This file holds accumulators: scalars that the methods of functors bring values to.

package link

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functor/ir"
)

// apart is how many words keep those of two workers off each other's cache lines: two lines of
// 64 bytes, since processors fetch lines in pairs.
const apart = 16

// Accumulator is a field of a functor, bound to a scalar.
type Accumulator struct {
	Name string
	Type ir.Type
	How  ir.Fold
	// Scalar is the *Scalar, which a step leaves the value in.
	Scalar any
	At     uint64 // on a GPU, as its kernels have it (step.ScalarArgs)
	// Of the bits of values, on the host.
	Identity uint64
	Join     func(a, b uint64) uint64
	Set      func(bits uint64) error
	// Stripes are, on a GPU, the words that threads bring values to: their address.
	Stripes uint64
	Drop    func() error // frees the stripes: a step didn't leave them as they have to be
}

// Device is the device of the graph.
func (b *Binder) Device() device.Device { return b.p.Device() }

// Remote says that the functor is bound for a GPU.
func (b *Binder) Remote() bool { return b.remote }

// Fail notes what is wrong with a field.
func (b *Binder) Fail(err error) {
	if b.err == nil {
		b.err = fmt.Errorf("functor %s: %w", b.name, err)
	}
}

// Accumulate binds an accumulator.
func (b *Binder) Accumulate(a Accumulator) {
	for _, other := range b.accs {
		if other.Scalar == a.Scalar {
			b.Fail(fmt.Errorf("%w: %s and %s are one scalar; make two by traverse.Scalar", graph.ErrOptions, other.Name, a.Name))
		}
	}
	if a.Scalar == b.into {
		b.Fail(fmt.Errorf("%w: %s is the scalar too that the step reduces into; make two by traverse.Scalar", graph.ErrOptions, a.Name))
	}
	a.Stripes = b.at(uintptr(a.Stripes))
	b.accs = append(b.accs, a)
	if b.before != nil {
		b.others = !b.was(a.Stripes) || b.others
		return
	}
	b.words = append(b.words, a.Stripes)
}

// Arrays are the buffers of a functor, bound for a GPU, by the word of its block that has their address.
// Addresses are the buffers' own.
func Arrays(f Functor, p *graph.Placed, in bool, into any) (map[int]Array, []Accumulator, error) {
	c := f.Code()
	if isNil(f) {
		_, _, _, err := bind(f, p, true, in, into, nil)
		return nil, nil, err
	}
	all := map[int]Array{}
	b := &Binder{p: p, remote: true, name: c.Name, into: into, note: func(word int, a Array) { all[word] = a }}
	_, _, _, err := b.bind(f, c, in)
	return all, b.accs, err
}

// Array is a buffer that a functor has for a field.
type Array struct {
	Name       string
	At         uintptr
	Len, Width int
	Hidden     bool // it isn't a field, but has the weights or ids of the step's edges
}

// Accumulators returns those of a functor, bound for a GPU. into is the scalar that a step
// reduces into by itself, or nil.
func Accumulators(f Functor, p *graph.Placed, in bool, into any) ([]Accumulator, error) {
	if f.Code().Accumulators == 0 {
		return nil, nil
	}
	_, _, b, err := bind(f, p, true, in, into, nil)
	if err != nil {
		return nil, err
	}
	return b.accs, nil
}

// begin readies the words of workers.
func (s *State) begin(accs []Accumulator, workers int) {
	s.accs = accs
	if len(accs) == 0 {
		return
	}
	s.Stride = (len(accs)+apart-1)/apart*apart + apart
	if n := s.Stride * workers; len(s.Partials) != n {
		s.Partials = make([]uint64, n)
	}
	for w := range workers {
		for i, a := range accs {
			s.Partials[w*s.Stride+i] = a.Identity
		}
	}
}

// Fold leaves what the workers of a step on the host brought in the scalars.
func Fold(f Functor) error {
	s := f.State(Key{})
	for i, a := range s.accs {
		x := a.Identity
		for at := i; at < len(s.Partials); at += s.Stride {
			x = a.Join(x, s.Partials[at])
		}
		if err := a.Set(x); err != nil {
			return fmt.Errorf("functor %s: %s: %w", f.Code().Name, a.Name, err)
		}
	}
	return nil
}
