// This file holds the launch of one operation on a GPU, by the kernels that
// FORAY_TRAVERSAL makes.

package step

import (
	"fmt"
	"unsafe"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/gpu"
)

// CsrArgs are rows as kernels have them (operators/advance/row.cuh).
type CsrArgs struct {
	Offsets, Targets uint64
	N, _             uint32
}

// InArgs are a frontier that kernels read (operators/advance/push.cuh).
type InArgs struct {
	Items, Prefix, Slot uint64
	Edges               uint64
	Count, Shift        uint32
}

// HubsArgs are vertices of long rows (operators/reduce/reduce.cuh).
type HubsArgs struct {
	Vertices, Before, Partials, Owners, Count uint64
	Any, Fixed                                uint32
}

// LaunchArgs are the arguments of the kernel (StepArgs of traverse/traversal.cuh).
type LaunchArgs struct {
	out, in CsrArgs
	from    InArgs
	to      front.RemoteQueue
	hubs    HubsArgs
	op      Op
	post    gpu.Post
	level   uint32
	_       uint32
}

// Launcher launches operations on a stream.
type Launcher struct {
	s    *gpu.Stream
	p    *graph.Placed
	args gpu.Args
	own  LaunchArgs
	tick gpu.Ticket
	kept Kept
}

// NewLauncher returns a launcher for an environment on a GPU.
func NewLauncher(x *Env) (*Launcher, error) {
	s, err := gpu.StreamOf(x.Stream)
	if err != nil {
		return nil, err
	}
	return &Launcher{s: s, p: x.Placed}, nil
}

// Stream is where it launches.
func (l *Launcher) Stream() *gpu.Stream { return l.s }

// Out and In are the rows of a placed graph.
func Out(p *graph.Placed) CsrArgs {
	r := p.Remote()
	return CsrArgs{Offsets: uint64(r.Offsets), Targets: uint64(r.Targets), N: uint32(p.NumVertices())}
}

// In are the rows of in-neighbors; they have no targets where there is no reverse.
func In(p *graph.Placed) CsrArgs {
	r := p.Remote()
	return CsrArgs{Offsets: uint64(r.InOffsets), Targets: uint64(r.InTargets), N: uint32(p.NumVertices())}
}

// Operation is one to launch.
type Operation struct {
	Code    *Code
	Pile    bool // of a refill
	Light   bool // of a reduce over rows by weight
	Op      Op
	From    *frontier.Frontier // nil: all vertices
	To      *frontier.Frontier // a queue that it fills; or nil
	Hubs    HubsArgs
	Part    *Part // the vertices and rows, instead of all; or nil
	Runs    *Runs // of the second pass of a reduce over slabs, instead of edges; or nil
	Level   int32
	First   uint32 // of all vertices, only the first so many; 0: all
	Threads uint64 // how many have something to do
	Blocks  int    // 0, or at most so many
}

// moved returns a scalar as the kernels of this GPU have it.
func (l *Launcher) moved(s ScalarArgs) ScalarArgs {
	if s.Value != 0 {
		at := ScalarAt(uint64(l.p.Remote().Moved(uintptr(s.Value))))
		s.Value, s.Partials, s.Through = at.Value, at.Partials, at.Through
	}
	return s
}

// Part is some vertices, in order, and their rows, which are elsewhere.
type Part struct {
	Targets uint64 // where entry 0 of the graph would be
	Items   uint64 // the list of the vertices
	Count   uint32
}

// Launch enqueues an operation of one functor.
func (l *Launcher) Launch(o *Operation) error {
	name := "step"
	switch {
	case o.Code.Generated == nil:
	case o.Pile:
		name = "pile"
	case o.Op.Code == OpEach:
		name = "each"
	}
	if o.Runs != nil {
		name = "runs"
	}
	if o.Light {
		name = "light"
	}
	image, name, block, err := o.Code.Kernel(l.s, l.p, name, &l.kept)
	if err != nil {
		return err
	}
	k, err := l.s.Kernel(image, name)
	if err != nil {
		return fmt.Errorf("kernel %s: %w", name, err)
	}
	a := &l.own
	o.Code.Fields(&o.Op)
	*a = LaunchArgs{out: Out(l.p), in: In(l.p), op: o.Op, hubs: o.Hubs, level: uint32(o.Level)}
	a.from = InArgs{Prefix: a.out.Offsets, Edges: l.p.Graph().NumDirectedEdges(), Count: a.out.N, Shift: front.Shift(l.p)}
	if o.Runs != nil {
		a.in, a.op.Seen = o.Runs.Rows, o.Runs.Values
	}
	if o.Part != nil {
		if a.in.Targets = o.Part.Targets; a.op.Flags&InEdges == 0 {
			a.out.Targets, a.in.Targets = o.Part.Targets, uint64(l.p.Remote().InTargets)
		}
	}
	switch r := l.p.Remote(); {
	case o.Part != nil:
		a.from.Items, a.from.Count = o.Part.Items, o.Part.Count
	case o.First > 0:
		a.from.Count = min(a.from.Count, o.First)
	case r.Shard != nil && o.From == nil:
		a.from.Items, a.from.Count = uint64(r.Shard.List), r.Shard.Count
	}
	a.op.Scalar = l.moved(a.op.Scalar)
	threads := o.Threads
	if o.From != nil {
		count, edges, err := o.From.Remote().Count() // edges that weren't counted aren't needed
		if err != nil {
			return err
		}
		q := o.From.Remote().Queue()
		a.from.Items, a.from.Prefix, a.from.Edges, a.from.Count = q.Items, q.Prefix, edges, uint32(count)
		if threads == 0 {
			threads = uint64(count)
		}
	} else if threads == 0 {
		threads = uint64(a.from.Count)
	}
	tick, list := &l.tick, o.To != nil && o.From != nil && o.From.Remote().IsList()
	if o.To != nil {
		if err := o.To.Grow(int(a.from.Count)); err != nil {
			return err
		}
		a.to = o.To.Remote().Queue()
		if list {
			a.to = o.To.Remote().List()
		}
		tick = o.To.Remote().Ticket()
	}
	if a.post, err = l.s.Post(tick); err != nil {
		return err
	}
	l.args.Reset()
	gpu.Struct(&l.args, a)
	if block != nil {
		gpu.Struct(&l.args, block)
	}
	blocks := int(min((threads+gpu.Block-1)/gpu.Block, 1<<20))
	if o.Blocks > 0 {
		blocks = min(blocks, o.Blocks)
	}
	if err := l.s.Launch(k, blocks, &l.args); err != nil {
		return err
	}
	switch {
	case list:
		o.To.Remote().ExpectList(true)
	case o.To != nil:
		o.To.Remote().Expect()
	}
	return nil
}

var _ = [1]struct{}{}[unsafe.Sizeof(Op{})-112]

// EdgeArgs are a push's functor as kernels have it (EdgeOp of traverse/traversal.cuh).
type EdgeArgs struct {
	Words          [FieldWords]uint64
	Seen           uint64
	Level, Functor uint32
}
