// This file holds Push and PushLevel on a GPU: the choice of a strategy and the
// launch of its kernel.

package advance

import (
	"fmt"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
)

// KernelFunctor is a Functor that a GPU runs too.
type KernelFunctor interface {
	Functor
	// Kernels returns the compiled kernels that FORAY_PUSH (or FORAY_PULL, for a
	// sink) made of the functor's device side, and the name that they have.
	Kernels() (image []byte, name string)
	// Params writes the functor's fields, as its device side has them, to words.
	Params(words *Params)
}

// KernelSink is a Sink that a GPU runs too.
type KernelSink interface {
	Sink
	Kernels() (image []byte, name string)
	Params(words *Params)
}

// Params is a functor's fields on the device, in the order and alignment that
// C++ has.
type Params [8]uint64

// The arguments of the kernels (entries.cuh).
type (
	csrArgs struct {
		offsets, targets uint64
		n, _             uint32
	}
	inArgs struct {
		items, prefix uint64
		slot          uint64 // 0: edges and count hold
		edges         uint64
		count, shift  uint32
	}
	pushArgs struct {
		g    csrArgs
		in   inArgs
		out  frontier.RemoteQueue
		post gpu.Post
	}
	levelArgs struct {
		g       csrArgs
		levels  uint64
		sources uint64
		out     frontier.RemoteQueue
		post    gpu.Post
		level   int32
		_       uint32
	}
)

// remote is the part of an Advancer that launches kernels.
type remote struct {
	p      *graph.Placed
	s      *gpu.Stream
	r      *graph.Remote
	loaded map[kernelKey]*gpu.Kernel

	// What kernels read of the host's memory while they are launched. The
	// garbage collector doesn't move it.
	push   pushArgs
	level  levelArgs
	pull   pullArgs
	edges  edgeArgs
	post   gpu.Post
	params Params
	args   gpu.Args

	ticket  gpu.Ticket // of operators without an output frontier
	sources device.Memory
	scrap   *frontier.Frontier
}

type kernelKey struct {
	image *byte
	name  string
	op    string
}

// kernel returns a compiled kernel: the functor's name, the operator's, and
// the width of offsets.
func (a *remote) kernel(image []byte, name, op string) (*gpu.Kernel, error) {
	key := kernelKey{unsafe.SliceData(image), name, op}
	if k := a.loaded[key]; k != nil {
		return k, nil
	}
	width := "_o32"
	if a.r.Wide {
		width = "_o64"
	}
	full := op + width
	if name != "" {
		full = name + "_" + full
	}
	k, err := a.s.Kernel(image, full)
	if err != nil {
		return nil, fmt.Errorf("advance: %w", err)
	}
	a.loaded[key] = k
	return k, nil
}

func (a *remote) out() csrArgs {
	return csrArgs{offsets: uint64(a.r.Offsets), targets: uint64(a.r.Targets), n: uint32(a.p.NumVertices())}
}

func (a *remote) in() csrArgs {
	return csrArgs{offsets: uint64(a.r.InOffsets), targets: uint64(a.r.InTargets), n: uint32(a.p.NumVertices())}
}

// functor returns the device side of a functor.
func functor(f any) (KernelFunctor, error) {
	k, ok := f.(KernelFunctor)
	if !ok {
		return nil, fmt.Errorf("advance: %w: the functor %T has no kernels (see KernelFunctor)", device.ErrNotSupported, f)
	}
	return k, nil
}

// runPush enqueues a push. The number of edges is known before: it is that of
// the frontier.
func (a *remote) runPush(in, out *frontier.Frontier, f Functor, strategy Strategy) (Edges, error) {
	kf, err := functor(f)
	if err != nil {
		return 0, err
	}
	count, edges, err := in.Remote().Count()
	if err != nil {
		return 0, err
	}
	u, ok := f.(UniqueFunctor)
	if !ok || !u.Unique() {
		if err := out.Grow(int(edges)); err != nil {
			return 0, err
		}
	}
	if err := out.Reset(frontier.Queue); err != nil {
		return 0, err
	}
	if count == 0 {
		return 0, nil
	}
	if strategy == AutoBalance {
		strategy = a.choose(count, edges)
	}
	op, blocks := "", 0
	switch strategy {
	case ThreadMapped:
		op, blocks = "push_thread", blocksFor(uint64(count))
	case WarpMapped:
		op, blocks = "push_warp", blocksFor(uint64(count))
	case TWC:
		op, blocks = "push_twc", blocksFor(uint64(count))
	case MergePath:
		op, blocks = "push_merge", int((uint64(count)+edges+mergeShare-1)/mergeShare)
	default:
		return 0, fmt.Errorf("advance: push: %w: strategy %s (auto, thread, warp, twc or merge)", device.ErrNotSupported, strategy)
	}
	image, name := kf.Kernels()
	k, err := a.kernel(image, name, op)
	if err != nil {
		return 0, err
	}
	kf.Params(&a.params)
	q := in.Remote().Queue()
	a.push = pushArgs{
		g:   a.out(),
		in:  inArgs{items: q.Items, prefix: q.Prefix, edges: edges, count: uint32(count)},
		out: out.Remote().Queue(),
	}
	if a.push.post, err = a.s.Post(out.Remote().Ticket()); err != nil {
		return 0, err
	}
	a.args.Reset()
	a.args.Add(unsafe.Pointer(&a.push))
	a.args.Add(unsafe.Pointer(&a.params))
	if err := a.s.Launch(k, blocks, &a.args); err != nil {
		return 0, err
	}
	out.Remote().Expect()
	return edges, nil
}

// choose picks a strategy for a frontier.
func (a *remote) choose(count int, edges uint64) Strategy {
	if edges > wideSpread*uint64(count) {
		return MergePath
	}
	return TWC
}

// blocksFor returns how many blocks give each of n items a thread.
func blocksFor(n uint64) int { return int(min((n+gpu.Block-1)/gpu.Block, 1<<30)) }
