// This file has a GPU make the edges of a generator.

package rows

import (
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/placed"
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
}

var _ = [1]struct{}{}[unsafe.Sizeof(madeArgs{})-168] // as made.cuh says

var makers = [...]string{placed.RMAT: "make_rmat", placed.Uniform: "make_uniform", placed.Lattice: "make_lattice"}

// make makes the pairs, and their weights.
func (b *builder) make() error {
	m := b.plan.Made
	a := madeArgs{count: m.Edges, start: m.Start, vertices: m.Vertices, key: m.Key, low: m.Low, high: m.High, width: m.Width,
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
			return err
		}
		if err := device.WriteTo(b.dev, tables[i], table); err != nil {
			return err
		}
	}
	a.full, a.rest = address(tables[0]), address(tables[1])
	if err := b.alloc(&b.edges.pairs, 8*m.Edges); err != nil {
		return err
	}
	if b.plan.Weights {
		if err := b.alloc(&b.edges.weights, 4*m.Edges); err != nil {
			return err
		}
	}
	b.take(&b.edges)
	a.pairs, a.weights = b.a.pairs, b.a.weights
	k, err := b.s.Kernel(image, makers[m.Kind])
	if err != nil {
		return err
	}
	b.args.Reset()
	gpu.Struct(&b.args, &a)
	return b.s.Launch(k, int(max(min(blocksOf(m.Edges), mostBlocks), 1)), &b.args)
}
