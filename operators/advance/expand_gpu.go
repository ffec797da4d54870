// This file holds the edge frontier on a GPU: expansion, contraction, and both
// in one.

package advance

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/gpu"
)

// edgeArgs are the arguments of the kernels (entries.cuh).
type edgeArgs struct {
	g        csrArgs
	in       inArgs
	from, to front.RemoteEdges
	count    uint64
	out      front.RemoteQueue
	post     gpu.Post
}

// Expand lists the edges out of a frontier (a queue) in out, which gets room
// for them first: their number is known. Strategy TWC lists them in no order,
// MergePath in that of the frontier; others but AutoBalance are
// device.ErrNotSupported, as is the host. Other errors are the same as for
// Push, and device.ErrSize for more edges than MergePath can count.
func (a *Advancer) Expand(in *frontier.Frontier, out *frontier.Edges, strategy Strategy) error {
	if err := a.enter("expand"); err != nil {
		return err
	}
	defer a.leave()
	return a.on.runExpand(in, (*front.Edges)(out), strategy)
}

func (a *onGPU) runExpand(in *frontier.Frontier, out *front.Edges, strategy Strategy) error {
	if err := a.s.Err(); err != nil {
		return err
	}
	if err := a.fits("expand", "input", in, frontier.Queue); err != nil {
		return err
	}
	count, edges, err := in.Remote().Measured(a.s, strategy == MergePath)
	if err != nil {
		return err
	}
	if err := out.Reset(edges); err != nil {
		return err
	}
	if edges == 0 {
		return nil
	}
	auto := strategy == AutoBalance
	if auto {
		strategy = TWC
		if a.uneven(count, edges) {
			strategy = MergePath
		}
	}
	if strategy == MergePath {
		if _, _, err := in.Remote().Measured(a.s, true); err != nil {
			return err
		}
		switch {
		case in.Remote().HasPrefix():
		case auto:
			strategy = TWC
		default:
			return fmt.Errorf("advance: expand: %w: %d edges are too many for merge path with offsets of 32 bits", device.ErrSize, edges)
		}
	}
	op, blocks := "expand_twc", rowBlocks(count, edges)
	switch strategy {
	case TWC:
	case MergePath:
		op, blocks = "expand_merge", int((uint64(count)+edges+mergeShare-1)/mergeShare)
	default:
		return fmt.Errorf("advance: expand: %w: strategy %s (auto, twc or merge)", device.ErrNotSupported, strategy)
	}
	k, err := a.extra(op)
	if err != nil {
		return err
	}
	q := in.Remote().Queue()
	a.edges = edgeArgs{
		g:  a.out(),
		in: inArgs{items: q.Items, prefix: q.Prefix, edges: edges, count: uint32(count)},
		to: out.Remote(),
	}
	if err := a.launchEdges(k, blocks, out.Ticket(), nil); err != nil {
		return err
	}
	out.Expect()
	return nil
}

// Contract leaves in out the targets of an edge frontier that the functor lets
// through. The functor's edge numbers are places in the edge frontier. It is
// device.ErrNotSupported on the host. Other errors are the same as for Push.
func (a *Advancer) Contract(in *frontier.Edges, out *frontier.Frontier, f Functor) error {
	if err := a.enter("contract"); err != nil {
		return err
	}
	defer a.leave()
	return a.on.runContract((*front.Edges)(in), out, f)
}

func (a *onGPU) runContract(in *front.Edges, out *frontier.Frontier, f Functor) error {
	if err := a.s.Err(); err != nil {
		return err
	}
	if err := a.fits("contract", "output", out); err != nil {
		return err
	}
	if err := checkFunctor("contract", f, a.p, out); err != nil {
		return err
	}
	kf, err := a.functor(f)
	if err != nil {
		return err
	}
	count, _, err := in.Count()
	if err != nil {
		return err
	}
	if err := out.Reset(frontier.Queue); err != nil {
		return err
	}
	unique := isUnique(f)
	if !unique {
		if err := out.Grow(int(count)); err != nil {
			return err
		}
	}
	if count == 0 {
		return nil
	}
	k, err := a.kernelOf(kf, "contract")
	if err != nil {
		return err
	}
	a.edges = edgeArgs{g: a.out(), from: in.Remote(), count: count, out: queueOf(out, unique)}
	if err := a.launchEdges(k, blocksFor((count+3)/4), out.Remote().Ticket(), kf); err != nil {
		return err
	}
	expect(out, unique)
	return nil
}

// ContractExpand contracts an edge frontier and lists the edges out of the
// remaining vertices in out. The functor must be unique: then out
// needs no more room than the graph has edges. Another is operators.ErrFunctor. It is
// device.ErrNotSupported on the host; other errors are the same as for Push.
func (a *Advancer) ContractExpand(in, out *frontier.Edges, f Functor) error {
	if err := a.enter("contract and expand"); err != nil {
		return err
	}
	defer a.leave()
	return a.on.runContractExpand((*front.Edges)(in), (*front.Edges)(out), f)
}

func (a *onGPU) runContractExpand(in, out *front.Edges, f Functor) error {
	if err := a.s.Err(); err != nil {
		return err
	}
	if err := checkFunctor("contract and expand", f, a.p, nil); err != nil {
		return err
	}
	kf, err := a.functor(f)
	if err != nil {
		return err
	}
	if !isUnique(f) {
		return fmt.Errorf("%w: contract and expand: functor %T may let a vertex through twice; want one whose method Unique returns true", errFunctor, f)
	}
	count, _, err := in.Count()
	if err != nil {
		return err
	}
	if err := out.Reset(a.p.Graph().NumDirectedEdges()); err != nil {
		return err
	}
	if count == 0 {
		return nil
	}
	k, err := a.kernelOf(kf, "contract_expand")
	if err != nil {
		return err
	}
	a.edges = edgeArgs{g: a.out(), from: in.Remote(), to: out.Remote(), count: count}
	if err := a.launchEdges(k, blocksFor(count), out.Ticket(), kf); err != nil {
		return err
	}
	out.Expect()
	return nil
}

func (a *onGPU) launchEdges(k *gpu.Kernel, blocks int, t *gpu.Ticket, kf kernelFunctor) (err error) {
	if a.edges.post, err = a.s.Post(t); err != nil {
		return err
	}
	a.args.Reset()
	gpu.Struct(&a.args, &a.edges)
	if kf != nil {
		kf.Params(&a.params)
		gpu.Struct(&a.args, &a.params)
	}
	return a.s.Launch(k, blocks, &a.args)
}
