// This file holds Keep on a GPU.

package filter

import (
	"fmt"
	"unsafe"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
)

// partArgs are the arguments of the kernel that asks a predicate about a bitmap (part.cuh). Keep
// uses one output of two.
type partArgs struct {
	items, words    uint64
	yesWords        uint64
	noWords         uint64
	yes, no         front.RemoteQueue
	yesPost, noPost gpu.Post
	count, adds     uint32
	splits, _       uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(partArgs{})-160] // as part.cuh says

// predicateKernel is the kernel of a predicate, and its arguments behind those of the operator.
type predicateKernel struct {
	*gpu.Kernel
	level uint32 // HoleKeep of internal/functor/link/holes.cuh
	block *step.Block
}

// told appends the arguments.
func (k *predicateKernel) told(a *gpu.Args) {
	gpu.Struct(a, &k.level)
	gpu.Struct(a, k.block)
}

// predicate returns a kernel of a predicate.
func (r *onGPU) predicate(level int32, p Predicate, op string) (*predicateKernel, error) {
	m, ok := link.Of(p)
	if !ok {
		return nil, r.takes(p)
	}
	code, err := step.Generated(step.Vertices, m, link.Use{Keep: true})
	if err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	image, name, block, err := code.Kernel(r.s, r.p, op, &r.kept)
	if err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	k := &r.asked
	*k = predicateKernel{level: uint32(level), block: block}
	if k.Kernel, err = r.s.Kernel(image, name); err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	return k, nil
}

// keep drops what the predicate rejects.
func (r *onGPU) keep(level int32, fr *frontier.Frontier, p Predicate) error {
	if fr.Form() == frontier.Queue {
		k, err := r.predicate(level, p, "keep_flag")
		if err != nil {
			return err
		}
		return r.compact(k.Kernel, fr, nil, !fr.Remote().IsList(), k)
	}
	words := 2 * fr.Words()
	r.part = partArgs{words: fr.Remote().Words(), yesWords: fr.Remote().Words(), yes: fr.Remote().Queue(), count: uint32(words),
		items: 0, noWords: 0, no: front.RemoteQueue{}, noPost: gpu.Post{}, adds: 0, splits: 0} // there is no second output
	r.part.yes.Items, r.part.yes.Prefix = 0, 0 // the kernel looks up degrees only
	var err error
	if r.part.yesPost, err = r.s.Post(fr.Remote().Ticket()); err != nil {
		return err
	}
	k, err := r.predicate(level, p, "part_words")
	if err != nil {
		return err
	}
	r.args.Reset()
	gpu.Struct(&r.args, &r.part)
	k.told(&r.args)
	if err := r.s.Launch(k.Kernel, (words+gpu.Block-1)/gpu.Block, &r.args); err != nil {
		return err
	}
	fr.Remote().Expect()
	return nil
}
