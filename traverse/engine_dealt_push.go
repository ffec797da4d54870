// This file holds what follows a step on several GPUs that changed entries of vertices of other GPUs, or let
// such vertices through: the GPU whose vertex it is folds what the copies of the arrays have, and gives
// all GPUs the result; its frontier is what any of them let through. A push that tells what it changes
// (step.Reach) is followed by a look at what it let through alone, any other one by a look at all entries.

package traverse

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/made"
	"github.com/foray-graph/foray/internal/splice"
	"github.com/foray-graph/foray/internal/step"
)

// foldArgs are FoldArgs of exchange.cu.
type foldArgs struct {
	arrays [step.MostFolded]foldedArgs
	found  [gpu.MostPeers]uint64
	seen   uint64
	first  uint32
	n      uint32
	count  uint32
	peers  uint32
	me     uint32
	_      uint32
}

// foldedArgs are Folded of exchange.cu.
type foldedArgs struct {
	of         [gpu.MostPeers]uint64
	before     uint64
	fold, wide uint32
}

// frontiersOf are the frontiers of the parts of one.
func frontiersOf(f *frontier.Frontier) []*frontier.Frontier {
	return f.Remote().Parts().([]*frontier.Frontier)
}

// perVertex returns an error for an array that is folded and hasn't an entry for each vertex.
func (e *dealt) perVertex(does *step.Reach) error {
	for _, a := range does.Folded {
		if a.Len != e.across.Numbers() {
			return fmt.Errorf("%w: on several GPUs what is written at other vertices than a GPU's own has an entry for each; %s has %d", device.ErrNotSupported, a.Name, a.Len)
		}
	}
	return nil
}

// before keeps each GPU's own entries of the arrays that a step adds to, as they are.
func (e *dealt) before(does *step.Reach) error {
	for _, p := range e.parts {
		need, at := uint64(0), uint64(0)
		for _, a := range does.Folded {
			if a.Fold.Adds() {
				need += uint64(a.Width) * uint64(e.across.Stride)
			}
		}
		if p.room < need {
			if p.before != nil {
				if err := p.before.Free(); err != nil {
					return err
				}
			}
			p.before, p.room = nil, 0
			m, err := p.mine.Dev.Alloc(need)
			if err != nil {
				return err
			}
			p.before, p.room = m, need
		}
		for _, a := range does.Folded {
			if !a.Fold.Adds() {
				continue
			}
			width := uint64(a.Width)
			from := p.mine.At(a.At) + uintptr(width*uint64(p.mine.First))
			if err := p.on.lease.Stream.Copy(p.before.Pointer()+uintptr(at), from, width*uint64(p.mine.Count)); err != nil {
				return err
			}
			at += width * uint64(e.across.Stride)
		}
	}
	return nil
}

// fold follows a step. push is nil where there is no frontier to make.
func (e *dealt) fold(does *step.Reach, push step.DealtPush) error {
	if push == nil && len(does.Folded) == 0 {
		return nil
	}
	if err := e.meet(0); err != nil { // what is read is written
		return err
	}
	arrays := does.Folded
	if push == nil || !does.Tells {
		if err := e.foldAll(arrays); err != nil {
			return err
		}
		arrays = nil
	}
	if push != nil {
		if err := e.foldFound(arrays, push.Mask()); err != nil {
			return err
		}
	}
	return e.meet(1) // nobody writes to it before
}

// foldAll folds the entries of all vertices.
func (e *dealt) foldAll(arrays []step.Folded) error {
	if len(arrays) == 0 {
		return nil
	}
	for i, p := range e.parts {
		s := p.on.lease.Stream
		k, err := s.Kernel(exchangeImage, "traverse_fold")
		if err != nil {
			return err
		}
		x := e.foldArgs(i, arrays)
		var args gpu.Args
		gpu.Struct(&args, x)
		if err := s.Launch(k, int(x.n+gpu.Block-1)/gpu.Block, &args); err != nil {
			return err
		}
	}
	return nil
}

// foldFound makes the frontiers of what was found, without what was seen, and folds the entries of these.
func (e *dealt) foldFound(arrays []step.Folded, seen *frontier.Frontier) error {
	for i, p := range e.parts {
		s, to := p.on.lease.Stream, p.env.Spare
		k, err := s.Kernel(exchangeImage, "traverse_found"+p.env.Placed.Remote().Width())
		if err != nil {
			return err
		}
		x := e.foldArgs(i, arrays)
		for j, q := range e.parts {
			x.found[j] = q.found.Remote().Words()
		}
		if seen != nil {
			r := frontiersOf(seen)[i].Remote()
			x.seen = r.Words()
			r.Recount()
		}
		if err := to.Reset(frontier.Queue); err != nil {
			return err
		}
		post, err := s.Post(to.Remote().Ticket())
		if err != nil {
			return err
		}
		queue := to.Remote().Queue()
		var args gpu.Args
		gpu.Struct(&args, x)
		gpu.Struct(&args, &queue)
		gpu.Struct(&args, &post)
		if err := s.Launch(k, int(x.n/32+gpu.Block)/gpu.Block, &args); err != nil {
			return err
		}
		to.Remote().Expect()
		p.env.Swap()
	}
	return nil
}

// foldArgs are those of a part.
func (e *dealt) foldArgs(i int, arrays []step.Folded) *foldArgs {
	x := &foldArgs{first: e.parts[i].mine.First, n: e.parts[i].mine.Count, count: uint32(len(arrays)), peers: uint32(len(e.parts)), me: uint32(i)}
	before := uint64(0)
	for k, a := range arrays {
		x.arrays[k].fold = uint32(a.Fold)
		if a.Fold.Adds() {
			x.arrays[k].before = uint64(e.parts[i].before.Pointer()) + before
			before += uint64(a.Width) * uint64(e.across.Stride)
		}
		if a.Width == 8 {
			x.arrays[k].wide = 1
		}
		for j, q := range e.parts {
			x.arrays[k].of[j] = uint64(q.mine.At(a.At))
		}
	}
	return x
}

// wrote notes the arrays that other GPUs don't know as a step has left them.
func (e *dealt) wrote(does *step.Reach, push step.DealtPush) {
	folded := func(a made.Array) bool {
		for _, f := range does.Folded {
			if f.At == a.At {
				return push == nil || !does.Tells // all entries were
			}
		}
		return false
	}
	for _, a := range does.Written {
		if a.Len >= e.across.Numbers() && !folded(a) {
			e.stale[a.At] = a.Width
		}
	}
}

// Kernels know folds by these numbers.
var _ = [1]struct{}{}[splice.AddU64-10]
