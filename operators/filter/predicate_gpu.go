// This file holds predicates on a GPU: Keep and the split.

package filter

import (
	"fmt"
	"unsafe"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/bind"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
)

// partArgs are the arguments of the kernels that ask a predicate about a bitmap,
// or split (entries.cuh).
type partArgs struct {
	items, words    uint64
	yesWords        uint64
	noWords         uint64
	yes, no         front.RemoteQueue
	yesPost, noPost gpu.Post
	count, adds     uint32
	splits, _       uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(partArgs{})-160] // as entries.cuh says

// kernelOf is a kernel of a predicate, and what it is told behind its arguments.
type kernelOf struct {
	*gpu.Kernel
	params Params
	block  *step.Block // of a predicate written in Go
}

// told appends what a kernel is told.
func (k *kernelOf) told(a *gpu.Args) {
	gpu.Struct(a, &k.params)
	if k.block != nil {
		gpu.Struct(a, k.block)
	}
}

// predicate returns a kernel of a predicate.
func (r *onGPU) predicate(level int32, p Predicate, op string) (*kernelOf, error) {
	k := &r.asked
	*k = kernelOf{}
	var image []byte
	var name string
	var err error
	if m, ok := bind.Of(p); ok {
		code, err := step.Made(step.Vertices, m, link.Use{Keep: true})
		if err != nil {
			return nil, fmt.Errorf("filter: %w", err)
		}
		if image, name, k.block, err = code.Kernel(r.s, r.p, op, &r.kept); err != nil {
			return nil, fmt.Errorf("filter: %w", err)
		}
		k.params = Params{uint64(uint32(level))}
	} else {
		kp := p.(KernelPredicate) // see takes
		image, name = kp.Kernels()
		name += "_" + op + r.g.Width()
		kp.Params(&k.params)
	}
	if k.Kernel, err = r.s.Kernel(image, name); err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	return k, nil
}

// keep drops what the predicate turns down.
func (r *onGPU) keep(level int32, fr *frontier.Frontier, p Predicate) error {
	if fr.Form() == frontier.Queue {
		k, err := r.predicate(level, p, "keep_flag")
		if err != nil {
			return err
		}
		return r.compact(k.Kernel, fr, nil, !fr.Remote().IsList(), k)
	}
	words := 2 * fr.Words()
	r.part = partArgs{words: fr.Remote().Words(), yesWords: fr.Remote().Words(), yes: degrees(fr), count: uint32(words)}
	var err error
	if r.part.yesPost, err = r.s.Post(fr.Remote().Ticket()); err != nil {
		return err
	}
	if err := r.launchPart("part_words", (words+gpu.Block-1)/gpu.Block, level, p); err != nil {
		return err
	}
	fr.Remote().Expect()
	return nil
}

// degrees is a frontier as kernels have a queue that they only look up degrees
// by.
func degrees(f *frontier.Frontier) front.RemoteQueue {
	q := f.Remote().Queue()
	q.Items, q.Prefix = 0, 0
	return q
}

// split sends in into yes and no.
func (r *onGPU) split(level int32, in, yes, no *frontier.Frontier, p Predicate, add bool) error {
	count, _, err := in.Remote().Count()
	if err != nil {
		return err
	}
	if err := yes.Reset(in.Form()); err != nil {
		return err
	}
	if !add {
		if err := no.Reset(in.Form()); err != nil {
			return err
		}
	}
	had, _, err := no.Remote().Count()
	if err != nil {
		return err
	}
	distinct := !in.Remote().IsList() // a bitmap is no list
	r.part = partArgs{splits: 1}
	if add && no.Form() == frontier.Bitmap {
		r.part.adds = 1
	}
	op, items := "part_queue", count
	if in.Form() == frontier.Bitmap {
		op, items = "part_words", 2*in.Words()
		r.part.words, r.part.yesWords, r.part.yes = in.Remote().Words(), yes.Remote().Words(), degrees(yes)
	} else {
		if count == 0 {
			return nil
		}
		if err := yes.Grow(count); err != nil {
			return err
		}
		r.part.items = in.Remote().Queue().Items
		r.part.yes = queueOf(yes, distinct)
	}
	noList := false
	if no.Form() == frontier.Bitmap {
		r.part.noWords, r.part.no = no.Remote().Words(), degrees(no)
	} else {
		if err := no.Remote().GrowOn(r.s, had+count); err != nil {
			return err
		}
		noList = had > 0 || !distinct
		r.part.no = queueOf(no, !noList)
		r.part.no.Items += 4 * uint64(had)
	}
	r.part.count = uint32(items)
	if err := r.s.Ready(2); err != nil { // both slots are of one round of the ring
		return err
	}
	if r.part.yesPost, err = r.s.Post(yes.Remote().Ticket()); err != nil {
		return err
	}
	if r.part.noPost, err = r.s.Post(no.Remote().Ticket()); err != nil {
		return err
	}
	if err := r.launchPart(op, (items+gpu.Block-1)/gpu.Block, level, p); err != nil {
		return err
	}
	expect(yes, distinct || yes.Form() == frontier.Bitmap)
	if had > 0 {
		no.Remote().ExpectMore()
	} else {
		expect(no, !noList)
	}
	return nil
}

func (r *onGPU) launchPart(op string, blocks int, level int32, p Predicate) error {
	k, err := r.predicate(level, p, op)
	if err != nil {
		return err
	}
	r.args.Reset()
	gpu.Struct(&r.args, &r.part)
	k.told(&r.args)
	return r.s.Launch(k.Kernel, blocks, &r.args)
}

// queueOf is a queue as kernels have it that fill it with distinct vertices, or
// with any.
func queueOf(f *frontier.Frontier, distinct bool) front.RemoteQueue {
	if distinct {
		return f.Remote().Queue()
	}
	return f.Remote().List()
}

func expect(f *frontier.Frontier, distinct bool) {
	if distinct {
		f.Remote().Expect()
	} else {
		f.Remote().ExpectList(true)
	}
}
