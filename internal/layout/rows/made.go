// This file has a GPU make the edges of a generator.

package rows

import (
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/gpu"
)

// madeArgs are the arguments of the kernels (made.cuh).
type madeArgs struct {
	pairs, weights, count, start uint64
	full, rest, vertices, key    uint64
	low, high                    float64
	width                        uint64
	sides                        [3]uint64
	plane                        uint64
	mul, add                     [3]uint32
	mask, shift, scale, torus    uint32
	dims, _                      uint32
	from, to                     uint64
}

var _ = [1]struct{}{}[unsafe.Sizeof(madeArgs{})-184] // as in made.cuh

var makers = [...]string{placed.RMAT: "make_rmat", placed.Uniform: "make_uniform", placed.Lattice: "make_lattice"}

// maker returns a generator's parameters for the kernels.
func (b *builder) maker() (madeArgs, error) {
	m := b.plan.Made
	a := madeArgs{to: m.Edges, count: m.Edges, start: m.Start, vertices: m.Vertices, key: m.Key, low: m.Low, high: m.High, width: m.Width,
		sides: m.Sides, plane: m.Plane, mul: m.Mul, add: m.Add, mask: m.Mask, shift: uint32(m.Shift), scale: uint32(m.Scale), dims: uint32(m.Dims)}
	if m.Torus {
		a.torus = 1
	}
	var tables [2]device.Memory
	for i, table := range [][]uint64{m.Full, m.Rest} {
		if len(table) == 0 {
			continue
		}
		if err := b.alloc(&tables[i], 8*uint64(len(table))); err != nil {
			return a, err
		}
		if err := discrete.Write(b.dev, tables[i], table); err != nil {
			return a, err
		}
	}
	a.full, a.rest = address(tables[0]), address(tables[1])
	return a, nil
}

// make makes the pairs, and their weights.
func (b *builder) make() error {
	m := b.plan.Made
	a, err := b.maker()
	if err != nil {
		return err
	}
	if err := b.newPiece(m.Edges); err != nil {
		return err
	}
	to := b.last()
	if b.plan.Weights {
		if err := b.alloc(&to.Extras, 4*m.Edges); err != nil {
			return err
		}
	}
	a.pairs, a.weights = address(to.Pairs), address(to.Extras)
	return b.makeEdges(&a)
}

// makeEdges makes edges a.from to a.to-1.
func (b *builder) makeEdges(a *madeArgs) error {
	k, err := b.s.Kernel(image, makers[b.plan.Made.Kind])
	if err != nil {
		return err
	}
	b.args.Reset()
	gpu.Struct(&b.args, a)
	return b.s.Launch(k, int(max(min(blocksOf(a.to-a.from), mostBlocks), 1)), &b.args)
}
