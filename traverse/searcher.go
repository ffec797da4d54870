// This file holds Searcher, for one traversal after another in the same memory.

package traverse

import (
	"cmp"
	"context"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Algorithm is a traversal that is run again and again: Q is what is asked each time, R what
// it answers with, arrays that Result took out of the traversal.
type Algorithm[Q, R any] struct {
	// Name is what errors call it; "algorithm" where it is empty.
	Name string
	// Memory is what it holds.
	Memory Memory
	// Run is one traversal. It doesn't close it.
	Run func(t *Traversal, q Q) (R, error)
}

const noName = "algorithm"

// Run runs an algorithm once. A GPU with too little memory for it is device.ErrMemory, before
// anything is allocated.
func Run[Q, R any](ctx context.Context, p *graph.Placed, a Algorithm[Q, R], q Q, o Options) (r R, err error) {
	if a.Run == nil {
		return r, fmt.Errorf("traverse: %w: an Algorithm without Run", graph.ErrOptions)
	}
	a.Name = cmp.Or(a.Name, noName)
	o.Memory = a.Memory
	t := New(ctx, p, o)
	defer t.Close()
	if t.err == nil {
		r, err = a.Run(t, q)
	}
	if err == nil {
		err = t.err
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", a.Name, err)
	}
	return r, nil
}

// Searcher runs an algorithm again and again in the same memory. It belongs to one goroutine
// at a time; Pool shares some of them between any number of goroutines.
type Searcher[Q, R any] struct {
	p      *graph.Placed
	a      Algorithm[Q, R]
	o      Options
	own    drawer
	last   any // what has to be freed before the next one
	closed bool
}

// NewSearcher returns a Searcher over a placed graph. It takes no memory yet. The error is
// graph.ErrOptions for an algorithm without Run, or that of the placed graph.
func NewSearcher[Q, R any](p *graph.Placed, a Algorithm[Q, R], o Options) (*Searcher[Q, R], error) {
	if a.Run == nil {
		return nil, fmt.Errorf("traverse: %w: an Algorithm without Run", graph.ErrOptions)
	}
	a.Name = cmp.Or(a.Name, noName)
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	o.Memory = a.Memory
	return &Searcher[Q, R]{p: p, a: a, o: o}, nil
}

// Run runs the algorithm. The result is the Searcher's, and valid until its next Run or
// Close; who wants to keep an array copies it. After an error the Searcher can be used on,
// but device.ErrClosed after Close.
func (s *Searcher[Q, R]) Run(ctx context.Context, q Q) (r R, err error) {
	if s.closed {
		return r, fmt.Errorf("%s: %w: the searcher; make another", s.a.Name, device.ErrClosed)
	}
	if err := s.reclaim(); err != nil {
		return r, err
	}
	t := begin(ctx, s.p, &s.own, s.o)
	defer t.Close() // also where a callback panics
	if t.err == nil {
		r, err = s.a.Run(t, q)
	}
	if err == nil {
		err = t.err
	}
	s.last = r
	if err != nil {
		return r, fmt.Errorf("%s: %w", s.a.Name, err)
	}
	return r, nil
}

// reclaim takes the memory of the last result back.
func (s *Searcher[Q, R]) reclaim() error {
	last := s.last
	s.last = nil
	if f, ok := last.(interface{ Free() error }); ok {
		return f.Free()
	}
	return nil
}

// Batch runs the algorithm for each of the queries, one after the other, and calls yield
// with the number of the query and its result, which is valid during the call. It ends at the
// first error, which it returns: that of a run says which one, one of yield is as it is.
func (s *Searcher[Q, R]) Batch(ctx context.Context, qs []Q, yield func(i int, r R) error) error {
	if yield == nil {
		return fmt.Errorf("%s: %w: the yield of a batch is nil; give a function, which may do nothing", s.a.Name, graph.ErrOptions)
	}
	for i, q := range qs {
		r, err := s.Run(ctx, q)
		if err != nil {
			return fmt.Errorf("query %d of %d: %w", i, len(qs), err)
		}
		if err := yield(i, r); err != nil {
			return err
		}
	}
	return nil
}

// Bytes returns how much of the device's memory a run takes at most: what a Pool asks its
// device.Budget for.
func (s *Searcher[Q, R]) Bytes() uint64 { return s.a.Memory.Bytes(s.p) }

// Unbind lets go of what the last run had of its caller's. A Pool calls it.
func (s *Searcher[Q, R]) Unbind() {}

// Close gives the memory back, the last result with it. Closing nil, or a second time, does
// nothing.
func (s *Searcher[Q, R]) Close() error {
	if s == nil || s.closed {
		return nil
	}
	s.closed = true
	err := s.reclaim()
	if e := s.own.Free(); err == nil {
		err = e
	}
	return err
}
