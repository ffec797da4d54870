// This file holds the launch of a reduce over slabs (operators/reduce/slabs.cuh).

package step

import (
	"fmt"

	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
)

// Runs are the rows of a reduce's second pass: a vertex's edges are the places of its runs' values.
type Runs struct {
	Rows   CsrArgs
	Values uint64
}

// SlabArgs are the arguments of the first pass (SlabReduceArgs of operators/reduce/slab_reduce.cuh).
type SlabArgs struct {
	Places, Pieces, Firsts uint64
	Before                 uint64
	Values                 uint64
	N, Slabs, Count, Level uint32
	SlabBits, Fill         uint32
	RunCost, _             uint32
}

// SlabBinArgs are the arguments of the second pass (SlabBinArgs of operators/reduce/slab_reduce.cuh).
type SlabBinArgs struct {
	Rows, Local, Values   uint64
	Bins, Starts, Tables  uint64
	Scalar                ScalarArgs
	N, Slabs, Count, Most uint32
	Level, _              uint32
}

// Local reports whether the value that a functor gathers depends on the neighbor alone, and has 32 bits.
func (c *Code) Local() bool {
	neighbor := "target"
	if c.Use.In {
		neighbor = "source"
	}
	return c.Generated != nil && c.Kind == Gathers && c.Generated.Code().Alone == neighbor
}

// Slabs enqueues the first pass of a reduce over slabs, by blocks of so many threads with so
// many bytes of shared memory for a value of 32 and of 64 bits. fits is false where a block may
// not have as many.
func (l *Launcher) Slabs(c *Code, a SlabArgs, threads int, shared [2]int) (fits bool, err error) {
	image, name, block, err := c.Kernel(l.s, l.p, "slabs", &l.kept)
	if err != nil {
		return false, err
	}
	bytes := shared[c.class()]
	k, got, err := l.s.SharedKernel(image, name, threads, bytes)
	if err != nil {
		return false, fmt.Errorf("kernel %s: %w", name, err)
	}
	if got < bytes {
		return false, nil
	}
	l.args.Reset()
	gpu.Struct(&l.args, &a)
	gpu.Struct(&l.args, block)
	return true, l.s.Launch(k, int(a.Count), &l.args)
}

// Bins enqueues the second pass, by blocks with so many bytes of shared memory.
func (l *Launcher) Bins(c *Code, a SlabBinArgs, shared int) error {
	image, name, block, err := c.Kernel(l.s, l.p, "bins", &l.kept)
	if err != nil {
		return err
	}
	k, _, err := l.s.SharedKernel(image, name, gpu.Block, shared)
	if err != nil {
		return fmt.Errorf("kernel %s: %w", name, err)
	}
	a.Scalar = l.moved(a.Scalar)
	l.args.Reset()
	gpu.Struct(&l.args, &a)
	gpu.Struct(&l.args, block)
	return l.s.Launch(k, int(min(a.Count, link.MaxBlocks)), &l.args)
}

// LaunchOwn launches a kernel for one operation with arguments of the operator's own, before the functor's block.
func LaunchOwn[A any](l *Launcher, c *Code, op string, a *A, blocks int) error {
	image, name, block, err := c.Kernel(l.s, l.p, op, &l.kept)
	if err != nil {
		return err
	}
	k, err := l.s.Kernel(image, name)
	if err != nil {
		return fmt.Errorf("kernel %s: %w", name, err)
	}
	l.args.Reset()
	gpu.Struct(&l.args, a)
	gpu.Struct(&l.args, block)
	return l.s.Launch(k, blocks, &l.args)
}
