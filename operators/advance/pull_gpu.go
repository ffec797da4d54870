// This file holds Pull on a GPU.

package advance

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
)

// pullArgs are the arguments of the kernel (pull.cuh).
type pullArgs struct {
	in       csrArgs
	degrees  uint64
	frontier uint64
	seen     uint64
	none     uint64
	first    uint64
	out      uint64
	words    uint32
	shift    uint32
	ones     uint32
	// 0: out holds only what the pull finds.
	cumulative uint32
}

// runPull enqueues a pull. The number of edges looked at comes with the output,
// for which only CountExactly waits.
func (a *onGPU) runPull(in, seen, out *frontier.Frontier, sink Sink) (uint64, error) {
	if err := a.pullInto(in, seen, out, sink); err != nil || !a.CountExactly {
		return 0, err
	}
	mail, err := out.Remote().Mail()
	return mail.Visited, err
}

func (a *onGPU) pullInto(in, seen, out *frontier.Frontier, sink Sink) error {
	ks, byHand := sink.(kernelSink)
	m, inGo := link.Of(sink)
	if !byHand && !inGo {
		return fmt.Errorf("advance: %w: the sink %T has no kernels; take Parents, InEdges or a functor written in Go with a method Hit", device.ErrNotSupported, sink)
	}
	prep, err := a.p.PrepareRemote()
	if err != nil {
		return err
	}
	if prep == nil {
		return fmt.Errorf("advance: pull: %w: build the graph with its reverse, or push only", graph.ErrNoReverse)
	}
	if err := out.Reset(frontier.Bitmap); err != nil {
		return err
	}
	var k *gpu.Kernel
	var block *step.Block
	if inGo {
		k, block, err = a.pullOf(m)
	} else {
		k, err = a.pullBy(ks)
	}
	if err != nil {
		return err
	}
	words := 2 * out.Words()
	a.pull = pullArgs{
		in: a.in(), degrees: uint64(a.r.Offsets),
		frontier: in.Remote().Words(), seen: seen.Remote().Words(), out: out.Remote().Words(),
		none: uint64(prep.None), first: uint64(prep.First),
		words: uint32(words), shift: front.Shift(a.p), ones: math.MaxUint32, cumulative: 0,
	}
	if a.post, err = a.s.Post(out.Remote().Ticket()); err != nil {
		return err
	}
	a.args.Reset()
	gpu.Struct(&a.args, &a.pull)
	gpu.Struct(&a.args, &a.post)
	gpu.Struct(&a.args, &a.params)
	if block != nil {
		gpu.Struct(&a.args, block)
	}
	if err := a.s.Launch(k, (words+pullWords-1)/pullWords, &a.args); err != nil {
		return err
	}
	out.Remote().Expect()
	return nil
}

// pullBy returns the kernel of a sink by hand.
func (a *onGPU) pullBy(ks kernelSink) (*gpu.Kernel, error) {
	image, name := ks.Kernels()
	k, err := a.kernel(image, name, "pull")
	if err != nil {
		return nil, missing(err, ks, name, "pull", "FORAY_PULL")
	}
	ks.Params(&a.params)
	return k, nil
}

// pullOf returns the kernel that a functor written in Go is in, and its block.
func (a *onGPU) pullOf(m link.Functor) (*gpu.Kernel, *step.Block, error) {
	code, err := step.Generated(step.Hits, m, link.Use{In: true})
	if err != nil {
		return nil, nil, fmt.Errorf("advance: pull: %w", err)
	}
	image, name, block, err := code.Kernel(a.s, a.p, "pull", &a.kept)
	if err != nil {
		return nil, nil, fmt.Errorf("advance: pull: %w", err)
	}
	k, err := a.s.Kernel(image, name)
	if err != nil {
		return nil, nil, fmt.Errorf("advance: pull: functor %T: %w", m, err)
	}
	a.params = step.Params{uint64(uint32(a.Level))}
	return k, block, nil
}
