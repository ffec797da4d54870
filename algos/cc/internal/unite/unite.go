// Package unite joins vertices that are connected by edges within tiles of the vertex numbers. It
// is the first pass of connected components over a mesh whose neighbors have similar numbers. On a
// GPU a block processes a tile in shared memory.
package unite

import (
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/host"
)

// HostTile returns how many vertices a tile of the host has, in a graph of n vertices: a power of two, or 0 if these are too
// few.
func HostTile(n int) uint32 {
	if n < hostTiles {
		return 0
	}
	return uint32(min(1<<(bits.Len(uint(n/hostTiles))-1), hostTile))
}

// Tiles returns the step that writes to label[v] the smallest vertex that edges within v's tile join v
// to, of which the first looks of each row count. Edges count from their larger end alone, as they do
// in undirected graphs. beside says that most vertices have the one before them for a neighbor, as in
// lattices: a GPU is faster then if it knows. On the host the frontier becomes the vertices with an edge
// into an earlier tile, on a GPU it stays as it is.
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
func (*tiles) Moves()       {}

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
	if err = errors.Join(err, s.check(x), x.Spare.Reset(frontier.Queue)); err != nil {
		return err
	}
	if HostTile(x.Placed.NumVertices()) == 0 {
		return fmt.Errorf("unite: %w: %d vertices are no tiles", graph.ErrOptions, x.Placed.NumVertices())
	}
	s.job = onHost{s: hs, g: x.Placed.Graph().Out(), label: s.label.Host(), looks: uint64(s.looks), out: x.Spare, room: x.Spare.Room()}
	hs.Run(&s.job)
	x.Swap()
	return hs.Err()
}

// onHost is a host.Job.
type onHost struct {
	s     *host.Stream
	g     *graph.CSR
	label []uint32
	looks uint64
	out   *frontier.Frontier
	room  []uint32 // of out
	next  atomic.Int64
}

// Run is the share of one worker.
func (j *onHost) Run(int) {
	n := j.g.NumVertices()
	size := int(HostTile(n))
	var across []uint32
	for !j.s.Stopped() {
		base := int(j.next.Add(int64(size))) - size
		if base >= n {
			return
		}
		across = j.tile(base, min(base+size, n), across[:0])
		copy(j.room[j.out.Reserve(len(across)):], across)
	}
}

// tile unites the vertices from base to end, and appends those with an edge to a vertex before base.
func (j *onHost) tile(base, end int, across []uint32) []uint32 {
	offsets, label := j.g.Offsets[base:end+1], j.label[base:end] // entries are relative to base
	first := offsets[0]
	for i := range label {
		row := j.g.Targets[first:min(offsets[i+1], first+j.looks)]
		first = offsets[i+1]
		root, out := uint32(i), false
		for _, t := range row {
			if int(t) >= base+i {
				continue // the other end sees the edge
			}
			if int(t) < base {
				out = true
				continue
			}
			switch up := rootOf(label, t-uint32(base)); {
			case up < root:
				label[root] = up // which is i itself, most often
				root = up
			case up > root:
				label[up] = root
			}
		}
		label[i] = root
		if out {
			across = append(across, uint32(base+i))
		}
	}
	for i, up := range label {
		if int(up) == i {
			label[i] = uint32(base + i)
		} else {
			label[i] = label[up] // parents are smaller: they have the vertex that is the root by now
		}
	}
	return across
}

// rootOf returns the root of a vertex' tree, and halves the way.
func rootOf(label []uint32, v uint32) uint32 {
	up := label[v]
	for up != v {
		over := label[up]
		if over == up {
			return up
		}
		label[v] = over
		v, up = over, label[over]
	}
	return v
}
