// Package unite joins vertices that are connected by edges within tiles of the vertex numbers. It
// is the first pass of connected components over a mesh whose neighbors have similar numbers. On a
// GPU a block processes a tile in shared memory.
package unite

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/host"
)

// Tile is how many vertices a tile has: their parents are 64 KiB, so that two blocks have room on a
// multiprocessor.
const Tile = 1 << 14

// threads is how many a block has (kUniteThreads of unite.cuh): with two blocks as many as a
// multiprocessor runs.
const threads = 1024

// Tiles returns the step that writes to label[v] the smallest vertex that edges within v's tile join v
// to, of which the first looks of each row count. Edges count from their larger end alone, as they do
// in undirected graphs. beside says that most vertices have the one before them for a neighbor, as in
// lattices: a GPU is faster then if it knows. The frontier stays as it is.
func Tiles(label *device.Buffer[uint32], looks uint32, beside bool) step.Step {
	s := &tiles{label: label, looks: looks}
	if beside {
		s.own.beside = 1
	}
	return s
}

type tiles struct {
	label *device.Buffer[uint32]
	looks uint32
	args  gpu.Args
	own   uniteArgs
	job   onHost
}

// uniteArgs are the arguments of the kernels (unite.cuh).
type uniteArgs struct {
	g           step.CsrArgs
	label       uint64
	tile, looks uint32
	beside, _   uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(uniteArgs{})-48] // as unite.cuh says

func (*tiles) Name() string { return "unite" }

// Compile refuses: no program has it.
func (*tiles) Compile(*step.Program) error {
	return fmt.Errorf("%w: tiles of vertices", step.ErrNotCompiled)
}

func (s *tiles) check(x *step.Env) error {
	if n := x.Placed.NumVertices(); s.label.Len() < n {
		return fmt.Errorf("unite: %w: the labels have %d entries for %d vertices", graph.ErrOptions, s.label.Len(), n)
	}
	return nil
}

// GPU launches the kernel.
func (s *tiles) GPU(x *step.Env) error {
	gs, err := gpu.StreamOf(x.Stream)
	if err = errors.Join(err, s.check(x)); err != nil {
		return err
	}
	k, bytes, err := gs.SharedKernel(image, "unite_tiles_"+x.Placed.Remote().Width()[1:], threads, 4*Tile)
	if err != nil {
		return fmt.Errorf("unite: %w", err)
	}
	tile := bytes / 4
	s.own = uniteArgs{g: step.Out(x.Placed), label: uint64(s.label.Pointer()), tile: uint32(tile), looks: s.looks, beside: s.own.beside}
	s.args.Reset()
	gpu.Struct(&s.args, &s.own)
	return gs.Launch(k, (x.Placed.NumVertices()+tile-1)/tile, &s.args)
}

// Host unites tile by tile, by all workers.
func (s *tiles) Host(x *step.Env) error {
	hs, err := host.StreamOf(x.Stream)
	if err = errors.Join(err, s.check(x)); err != nil {
		return err
	}
	s.job = onHost{s: hs, g: x.Placed.Graph().Out(), label: s.label.Host(), looks: uint64(s.looks)}
	hs.Run(&s.job)
	return hs.Err()
}

// onHost is a host.Job.
type onHost struct {
	s     *host.Stream
	g     *graph.CSR
	label []uint32
	looks uint64
	next  atomic.Int64
}

// Run is the share of one worker.
func (j *onHost) Run(int) {
	n := j.g.NumVertices()
	for !j.s.Stopped() {
		base := int(j.next.Add(Tile)) - Tile
		if base >= n {
			return
		}
		for v := base; v < min(base+Tile, n); v++ {
			j.label[v] = uint32(v)
			row := j.g.Targets[j.g.Offsets[v]:min(j.g.Offsets[v+1], j.g.Offsets[v]+j.looks)]
			for _, t := range row {
				if int(t) < base || int(t) >= v {
					continue
				}
				if a, b := j.root(uint32(v)), j.root(t); a != b {
					j.label[max(a, b)] = min(a, b)
				}
			}
		}
		for v := base; v < min(base+Tile, n); v++ {
			j.label[v] = j.label[j.label[v]] // parents are smaller, and point to roots by now
		}
	}
}

// root returns the root of a vertex' tree, and halves the way.
func (j *onHost) root(v uint32) uint32 {
	for j.label[v] != v {
		j.label[v] = j.label[j.label[v]]
		v = j.label[v]
	}
	return v
}
