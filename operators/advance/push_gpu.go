// This file holds Push on a GPU: the choice of a strategy and the launch of its
// kernel.

package advance

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/chunks"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
)

// kernelFunctor is a Functor with its own kernels: All, Claim and those of algos/bfs. kernels.go describes them.
type kernelFunctor interface {
	Functor
	step.Kernels
}

// kernelSink is a Sink that a GPU runs too: Parents and InEdges.
type kernelSink interface {
	Sink
	step.Kernels
}

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
		out  front.RemoteQueue
		post gpu.Post
	}
	levelArgs struct {
		g       csrArgs
		levels  uint64
		sources uint64
		out     front.RemoteQueue
		post    gpu.Post
		level   int32
		_       uint32
	}
)

// onGPU is the part of an Advancer that launches kernels.
type onGPU struct {
	*Advancer
	s      *gpu.Stream
	r      *placed.Remote
	loaded map[kernelKey]*gpu.Kernel

	// What kernels read of the host's memory while they are launched. The
	// garbage collector doesn't move it.
	push   pushArgs
	level  levelArgs
	pull   pullArgs
	edges  edgeArgs
	post   gpu.Post
	params step.Params
	args   gpu.Args

	split  splitArgs
	bucket bucketArgs
	tick   gpu.Ticket // of what has no output
	step   fusedFunctor
	kept   step.Kept
	block  *step.Block          // of the kernel that kernelOf returned last, if its functor is written in Go
	aside  []*frontier.Frontier // queues for hubs or buckets

	chunks  *chunks.Reader // of a visit of all edges in tiers; or nil
	sources device.Memory  // of every edge, where edgeParallel was asked for
}

type kernelKey struct {
	image *byte
	name  string
	op    string
}

// kernel returns a compiled kernel: the functor's name, the operator's, and
// the width of offsets.
func (a *onGPU) kernel(image []byte, name, op string) (*gpu.Kernel, error) {
	key := kernelKey{unsafe.SliceData(image), name, op}
	if k := a.loaded[key]; k != nil {
		return k, nil
	}
	full := op + a.r.Width()
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

// takerOf names the strategy or operator that uses a kernel of FORAY_PUSH_EXTRA
// (entries.cuh); "" for kernels of FORAY_PUSH.
func takerOf(op string) string {
	switch op {
	case "push_warp":
		return "strategies warp and buckets"
	case "push_scan":
		return "strategy scan"
	case "push_split":
		return "strategy hubs"
	case "levels_twc":
		return "push by level"
	case "levels_thread":
		return "push by level with strategy thread"
	case "edges":
		return "push by level with strategy edges"
	case "contract":
		return "contract"
	}
	return ""
}

// laboratory is the image of kernels that AutoBalance never chooses, and nil if the program doesn't link it.
func laboratory() []byte {
	image, _ := gpu.AdvanceLaboratory.Get()
	return image
}

// extra returns one of those kernels that take no functor.
func (a *onGPU) extra(op string) (*gpu.Kernel, error) {
	image, err := gpu.AdvanceLaboratory.Get()
	if err != nil {
		return nil, fmt.Errorf("advance: %s: %w: %w", op, device.ErrNotSupported, err)
	}
	return a.kernel(image, "", op)
}

// kernelOf returns a functor's kernel for an operator, of the image that has it.
func (a *onGPU) kernelOf(kf kernelFunctor, op string) (*gpu.Kernel, error) {
	a.block = nil
	if f, ok := kf.(*fusedFunctor); ok && f.code.Generated != nil {
		return a.spliced(f, op)
	}
	image, name := kf.Kernels()
	taker, macro := takerOf(op), "FORAY_PUSH"
	if taker != "" {
		macro = "FORAY_PUSH_EXTRA"
		if x, ok := kf.(step.ExtraKernels); ok {
			image, name = x.ExtraKernels()
		}
		if _, err := gpu.AdvanceLaboratory.Get(); err != nil && image == nil {
			return nil, fmt.Errorf("advance: %s: %w: %w", taker, device.ErrNotSupported, err)
		}
	}
	k, err := a.kernel(image, name, op)
	if f, ok := kf.(*fusedFunctor); ok && err != nil {
		if taker == "" {
			macro = "FORAY_TRAVERSAL"
		}
		return nil, missing(err, f.f, name, op, macro)
	}
	if err != nil {
		return nil, missing(err, kf, name, op, macro)
	}
	return k, nil
}

// spliced returns the kernel that a functor written in Go is in.
func (a *onGPU) spliced(f *fusedFunctor, op string) (*gpu.Kernel, error) {
	if taker := takerOf(op); taker != "" {
		return nil, fmt.Errorf("advance: %s: %w: a functor written in Go, %T; strategies thread, twc and merge take it", taker, device.ErrNotSupported, f.f)
	}
	image, name, block, err := f.code.Kernel(a.s, a.p, op, &a.kept)
	if err != nil {
		return nil, fmt.Errorf("advance: %w", err)
	}
	k, err := a.s.Kernel(image, name)
	if err != nil {
		return nil, fmt.Errorf("advance: functor %T: %w", f.f, err)
	}
	a.block = block
	return k, nil
}

// missing says of an error of kernel, where the image of the functor or sink f lacks
// the kernel, how it gets there.
func missing(err error, f any, name, op, macro string) error {
	if !errors.Is(err, gpu.ErrNoKernel) {
		return err
	}
	taker := takerOf(op)
	if taker == "" {
		taker = strings.ReplaceAll(strings.Replace(op, "push_", "strategy ", 1), "_", " and ")
	}
	return fmt.Errorf("advance: %s: %w: the kernels of functor %T, named %s, lack those that it takes; compile them with %s(%s, ...), see operators/advance/kernels.go",
		taker, device.ErrNotSupported, f, name, macro, name)
}

func (a *onGPU) out() csrArgs {
	return csrArgs{offsets: uint64(a.r.Offsets), targets: uint64(a.r.Targets), n: uint32(a.p.NumVertices())}
}

func (a *onGPU) in() csrArgs {
	return csrArgs{offsets: uint64(a.r.InOffsets), targets: uint64(a.r.InTargets), n: uint32(a.p.NumVertices())}
}

// functor returns the device side of a functor: that of FORAY_PUSH, or of FORAY_TRAVERSAL.
func (a *onGPU) functor(f Functor) (kernelFunctor, error) {
	if k, ok := f.(kernelFunctor); ok {
		return k, nil
	}
	if !step.OnGPU(f) {
		return nil, fmt.Errorf("advance: %w: the functor %T has no kernels; write it in Go for foray generate, or see operators.KernelFunctor", device.ErrNotSupported, f)
	}
	if err := a.step.of(nil, step.Pushes, f, a.Level); err != nil {
		return nil, fmt.Errorf("advance: %w", err)
	}
	return &a.step, nil
}

// runPush enqueues a push. The number of edges is known before: it is the degree sum of
// the frontier.
func (a *onGPU) runPush(in, out *frontier.Frontier, f Functor) (uint64, error) {
	kf, err := a.functor(f)
	if err != nil {
		return 0, err
	}
	count, edges, err := in.Remote().Measured(a.s, a.Strategy == MergePath)
	if err != nil {
		return 0, err
	}
	if err := out.Reset(frontier.Queue); err != nil {
		return 0, err
	}
	unique := isUnique(f)
	if !unique {
		if err := out.Grow(int(edges)); err != nil {
			return 0, err
		}
	}
	if count == 0 {
		return 0, nil
	}
	strategy, err := a.settle(in, a.Strategy, count, edges)
	if err != nil {
		return 0, err
	}
	op, blocks, err := shape(strategy, count, edges)
	if err != nil {
		return 0, err
	}
	kf.Params(&a.params)
	a.push = pushArgs{g: a.out(), in: inputOf(in, count, edges), out: queueOf(out, unique)}
	switch strategy {
	case hubQueue:
		err = a.runHubs(count, edges, in.Remote().IsList(), out, kf)
	case buckets:
		err = a.runBuckets(count, edges, in.Remote().IsList(), out, kf)
	default:
		err = a.runRows(op, blocks, out.Remote().Ticket(), kf)
	}
	if err != nil {
		return 0, err
	}
	expect(out, unique)
	return edges, nil
}

// settle chooses a strategy where none was asked for, and another one where merge path
// lacks the edge prefix.
func (a *onGPU) settle(in *frontier.Frontier, strategy Strategy, count int, edges uint64) (Strategy, error) {
	if strategy == AutoBalance {
		strategy = a.choose(count, edges)
	}
	if strategy == MergePath {
		if _, _, err := in.Remote().Measured(a.s, true); err != nil {
			return strategy, err
		}
		if !in.Remote().HasPrefix() {
			strategy = TWC
		}
	}
	return strategy, nil
}

// shape returns the kernel of a strategy and how many blocks it gets; none where it is
// several kernels.
func shape(strategy Strategy, count int, edges uint64) (op string, blocks int, err error) {
	switch strategy {
	case hubQueue, buckets:
		return "", 0, nil
	case ThreadMapped:
		return "push_thread", rowBlocks(count, edges), nil
	case warpMapped:
		return "push_warp", rowBlocks(count, edges), nil
	case scanMapped:
		return "push_scan", rowBlocks(count, edges), nil
	case TWC:
		return "push_twc", rowBlocks(count, edges), nil
	case MergePath:
		return "push_merge", int((uint64(count) + edges + mergeShare - 1) / mergeShare), nil
	}
	return "", 0, fmt.Errorf("advance: push: %w: strategy %s (want auto, thread, warp, twc, merge, hubs, buckets or scan)", device.ErrNotSupported, strategy)
}

// inputOf returns a measured frontier as kernels have it.
func inputOf(in *frontier.Frontier, count int, edges uint64) inArgs {
	q := in.Remote().Queue()
	return inArgs{items: q.Items, prefix: q.Prefix, edges: edges, count: uint32(count)}
}

// isUnique reports whether a functor lets no vertex through twice.
func isUnique(f Functor) bool {
	u, ok := f.(uniqueFunctor)
	return ok && u.Unique()
}

// queueOf returns the output of an operator as its kernel has it.
func queueOf(out *frontier.Frontier, unique bool) front.RemoteQueue {
	switch r := out.Remote(); {
	case r.ShardPlace() != nil:
		return r.Found()
	case unique:
		return r.Queue()
	default:
		return r.List()
	}
}

func expect(out *frontier.Frontier, unique bool) {
	switch r := out.Remote(); {
	case r.ShardPlace() != nil:
		r.ExpectList(false)
	case unique:
		r.Expect()
	default:
		r.ExpectList(true)
	}
}

// runRows launches a push that is one kernel.
func (a *onGPU) runRows(op string, blocks int, t *gpu.Ticket, kf kernelFunctor) error {
	k, err := a.kernelOf(kf, op)
	if err != nil {
		return err
	}
	if a.push.post, err = a.s.Post(t); err != nil {
		return err
	}
	a.args.Reset()
	gpu.Struct(&a.args, &a.push)
	gpu.Struct(&a.args, &a.params)
	if a.block != nil {
		gpu.Struct(&a.args, a.block)
	}
	return a.s.Launch(k, blocks, &a.args)
}

// choose picks a strategy for a frontier.
func (a *onGPU) choose(count int, edges uint64) Strategy {
	switch {
	case a.p.State().MaxDegree() <= evenRows:
		return ThreadMapped
	case a.uneven(count, edges):
		return MergePath
	}
	return TWC
}

// uneven reports whether rows of a frontier may be long enough for a block to wait for one of its warps.
func (a *onGPU) uneven(count int, edges uint64) bool {
	return edges > wideSpread*uint64(count) || a.p.State().MaxDegree() > shortRows
}

// rowBlocks returns how many blocks a push by rows gets: a thread for each row,
// but more where rows are long.
func rowBlocks(count int, edges uint64) int {
	return min(count, max(blocksFor(uint64(count)), blocksFor(edges/edgesPerThread)))
}

// blocksFor returns how many blocks give each of n items a thread.
func blocksFor(n uint64) int { return int(min((n+gpu.Block-1)/gpu.Block, 1<<30)) }
