// This file holds the set operators on a GPU.

package sets

import (
	"fmt"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/gpu"
)

// setsArgs are the arguments of the kernels (sets.cu).
type setsArgs struct {
	items, more      uint64 // two lists
	mask             uint64
	a, b, to         uint64 // words
	out              front.RemoteQueue
	post             gpu.Post
	count, moreCount uint32
	words, op        uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(setsArgs{})-120] // as sets.cu says

// onGPU is the part of a Combiner that launches kernels.
type onGPU struct {
	s    *gpu.Stream
	g    *placed.Remote
	sets setsArgs
	args gpu.Args
}

func (r *onGPU) bind(s device.Stream) { r.s = s.(*gpu.Stream) }
func (r *onGPU) err() error           { return r.s.Err() }

func (r *onGPU) run(o op, a, b, out, mask *frontier.Frontier, form frontier.Form) error {
	r.sets = setsArgs{op: uint32(o), words: uint32(2 * out.Words())}
	if form == frontier.Queue {
		return r.list(o, a, b, out, mask)
	}
	words := [2]uint64{a.Remote().Words(), b.Remote().Words()}
	for i, f := range []*frontier.Frontier{a, b} { // one of them at most is a queue
		if f.Form() == frontier.Queue {
			if err := r.marks(mask, f); err != nil {
				return err
			}
			words[i] = mask.Remote().Words()
		}
	}
	if err := out.Reset(frontier.Bitmap); err != nil {
		return err
	}
	r.sets.a, r.sets.b, r.sets.to = words[0], words[1], out.Remote().Words()
	r.sets.out = out.Remote().Queue()
	r.sets.out.Items, r.sets.out.Prefix = 0, 0 // it is for degrees
	return r.launch("sets_words", out, int(r.sets.words))
}

// list leaves a queue in out.
func (r *onGPU) list(o op, a, b, out, mask *frontier.Frontier) error {
	list, other := a, b
	if o == intersection && a.Form() == frontier.Bitmap {
		list, other = b, a
	}
	if o == union {
		other = nil // nothing is marked beforehand
	}
	count, _, err := list.Remote().Count()
	if err != nil {
		return err
	}
	more := 0
	if o == union {
		if more, _, err = b.Remote().Count(); err != nil {
			return err
		}
	}
	if count+more > 0 {
		if err := r.marks(mask, other); err != nil {
			return err
		}
	}
	if err := out.Reset(frontier.Queue); err != nil || count+more == 0 {
		return err
	}
	r.sets.items, r.sets.count = list.Remote().Queue().Items, uint32(count)
	if o == union {
		r.sets.more, r.sets.moreCount = b.Remote().Queue().Items, uint32(more)
	}
	r.sets.mask, r.sets.out = mask.Remote().Words(), out.Remote().Queue()
	return r.launch("sets_emit", out, count+more)
}

// marks makes the mask the vertices of a frontier, or empty for nil.
func (r *onGPU) marks(mask, f *frontier.Frontier) error {
	if err := mask.Reset(frontier.Bitmap); err != nil {
		return err
	}
	words := mask.Remote().Words()
	if f != nil && f.Form() == frontier.Bitmap {
		return r.s.Copy(uintptr(words), uintptr(f.Remote().Words()), 8*uint64(f.Words()))
	}
	if err := r.s.Fill(uintptr(words), 0, 2*uint64(mask.Words())); err != nil || f == nil {
		return err
	}
	count, _, err := f.Remote().Count()
	if err != nil || count == 0 {
		return err
	}
	had := r.sets
	r.sets.items, r.sets.count, r.sets.mask = f.Remote().Queue().Items, uint32(count), words
	k, err := r.s.Kernel(image, "sets_mark")
	if err != nil {
		return fmt.Errorf("sets: %w", err)
	}
	r.args.Reset()
	gpu.Struct(&r.args, &r.sets)
	r.sets = had
	return r.s.Launch(k, (count+gpu.Block-1)/gpu.Block, &r.args)
}

// launch enqueues a kernel that leaves a set in out.
func (r *onGPU) launch(name string, out *frontier.Frontier, items int) error {
	k, err := r.s.Kernel(image, name+r.g.Width())
	if err != nil {
		return fmt.Errorf("sets: %w", err)
	}
	if r.sets.post, err = r.s.Post(out.Remote().Ticket()); err != nil {
		return err
	}
	r.args.Reset()
	gpu.Struct(&r.args, &r.sets)
	if err := r.s.Launch(k, (items+gpu.Block-1)/gpu.Block, &r.args); err != nil {
		return err
	}
	out.Remote().Expect()
	return nil
}
