// This file holds what the traversal asks of the device that it is on: the engines' interface,
// and the one place where an engine is chosen by the device.

package traverse

import (
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/step"
)

// engine runs steps, and does on the device what a traversal needs beside them. There are
// four: onHost, levels (a GPU, level by level), stay (a GPU, persistent) and overShards (several GPUs). A
// space has the first, the second or the last; Repeat asks it which one is to run the steps.
type engine interface {
	// kind is what statistics call the engine.
	kind() Engine
	// room returns how many bytes a number of frontiers take, and what steps work in.
	room(frontiers uint64) uint64
	// keyed returns how many bytes reduces by key in one direction take.
	keyed() uint64
	// piled is what the workers of a host hold for a far pile, in pushes without rounds.
	piled() uint64
	// notes reports whether arrays of edges are noted in the state of the graph, because nothing else marks them.
	notes() bool
	// begin readies what is the engine's own for a traversal, whose stream is there; free gives it back.
	begin() error
	close() error
	// takes returns an error for steps that the engine doesn't run, before any of them does.
	takes(x *step.Env, steps []step.Step) error
	// sync waits for the steps before; settle leaves what scalars come to where Scalar.Get looks.
	sync() error
	settle() error

	// step runs one step.
	step(x *step.Env, s step.Step) error
	// forRepeat returns the engine that repeats the steps; repeat does so, round after round.
	forRepeat(t *Traversal, cur *Frontier, steps []step.Step) (engine, error)
	repeat(t *Traversal, cur *Frontier, steps []step.Step)

	// empty makes a frontier an empty queue, and add adds vertices to it.
	empty(c *Frontier) error
	add(f *frontier.Frontier, vs []uint32) error
	// list makes a queue or bitmap what Repeat begins with, and reports whether a vertex may
	// be in it twice.
	list(f *frontier.Frontier) (twice bool, err error)

	// roomy reports whether a frontier has memory that another one for a queue would cost.
	roomy(f *frontier.Frontier) bool
	// ends returns memory for where a trail's frontiers end, for a traversal; nil where the host
	// alone knows that.
	ends(t *Traversal) *device.Buffer[uint32]

	// get waits for the steps before, and returns the first word of an array of 64 bits.
	get(c cells) (uint64, error)
	// fill, put, numbers, degrees and firsts write to an array: all entries, one, every vertex's
	// number, its out-degree, its first target. The last two wait until they are there.
	fill(c cells, x uint64) error
	put(c cells, at uint32, x uint64) error
	numbers(b *device.Buffer[uint32]) error
	degrees(b *device.Buffer[uint32]) error
	firsts(b *device.Buffer[uint32]) error
}

// newEngine returns the engine of a space, by the device that its graph is on, and gives the
// space its lease.
func newEngine(s *space) (e engine, err error) {
	if s.lease, err = run.NewLease(s.p, "traversal"); err != nil {
		return nil, err
	}
	switch lease := s.lease.(type) {
	case *run.Host:
		e = &onHost{space: s, lease: lease}
	case *run.GPU:
		e = newLevels(s, lease)
	case *run.Shards:
		return newOverShards(s, lease)
	}
	return e, nil
}

// cells are an array as engines see it, whatever its elements are: words of 32 or 64 bits.
type cells struct {
	at     uintptr // on the device
	n      int
	wide   bool
	narrow []uint32 // the words themselves, on the host
	words  []uint64
}

func cellsOf[T device.Elem](b *device.Buffer[T]) cells {
	c := cells{at: b.Pointer(), n: b.Len(), wide: unsafe.Sizeof(*new(T)) == 8}
	h := b.Host()
	if first := unsafe.Pointer(unsafe.SliceData(h)); c.wide {
		c.words = unsafe.Slice((*uint64)(first), len(h))
	} else {
		c.narrow = unsafe.Slice((*uint32)(first), len(h))
	}
	return c
}

// bitsOf returns the bits of an element.
func bitsOf[T device.Elem](x T) uint64 {
	if unsafe.Sizeof(x) == 8 {
		return *(*uint64)(unsafe.Pointer(&x))
	}
	return uint64(*(*uint32)(unsafe.Pointer(&x)))
}
