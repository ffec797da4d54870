// Package operators has the types that the operators of a traversal share: steps, workers
// that run functors, and the location of a functor's kernels. The operators themselves are
// in subpackages: advance, filter, foreach, reduce and pile, which make steps; and intersect, whose Triangles is a
// step and whose Run is called directly.
//
// The guide is [docs/operators/README.md].
//
// [docs/operators/README.md]: https://github.com/foray-graph/foray/blob/main/docs/operators/README.md
package operators

import (
	"errors"
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

// KernelFunctor is a functor of a step whose GPU side is written in CUDA C++: a functor of
// FORAY_TRAVERSAL. docs/compose.md shows how to write one. Functors written in Go need no such method.
type KernelFunctor interface {
	// Kernel returns the device side. It is called before each launch.
	Kernel() Kernel
}

// Kernel is the device side of a functor: where its kernels are, and its fields there.
type Kernel struct {
	Image  []byte // what FORAY_TRAVERSAL was compiled to, the same slice each time
	Name   string // that was given there
	Number int    // of the functor among those of its kind there, from 0 on
	// Fields are the functor's fields in the order that C++ has, 48 bytes at most: device buffers
	// (their address), int32, uint32, float32, uint64 and float64. Another type, a buffer in the
	// host's memory, and one that was closed, is an error of the step.
	Fields []any
}
