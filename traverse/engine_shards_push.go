// This file holds what follows a step on several GPUs that changed entries of vertices of other GPUs, or let
// such vertices through: the GPU whose vertex it is folds what the copies of the arrays have, and gives
// all GPUs the result; its frontier is what any of them let through. A push that tells what it changes
// (step.Reach) is followed by a look at what it let through alone, any other one by a look at all entries.

package traverse

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/step"
)

// frontiersOf are the frontiers of the parts of one.
func frontiersOf(f *frontier.Frontier) []*frontier.Frontier {
	return f.Remote().Parts().([]*frontier.Frontier)
}

// perVertex returns an error for an array that is folded and hasn't an entry for each vertex.
func (e *overShards) perVertex(does *step.Reach) error {
	for _, a := range does.Folded {
		if a.Len != e.shards.Numbers() {
			return fmt.Errorf("%w: on several GPUs what is written at other vertices than a GPU's own has an entry for each; %s has %d", device.ErrNotSupported, a.Name, a.Len)
		}
	}
	return nil
}

// before keeps each GPU's own entries of the arrays that a step adds to, as they are.
func (e *overShards) before(does *step.Reach) error {
	for _, p := range e.parts {
		need, at := uint64(0), uint64(0)
		for _, a := range does.Folded {
			if a.Fold.Adds() {
				need += uint64(a.Width) * uint64(e.shards.Stride)
			}
		}
		if p.room < need {
			if p.before != nil {
				if err := p.before.Close(); err != nil {
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
			at += width * uint64(e.shards.Stride)
		}
	}
	return nil
}

// fold follows a step. push is nil where there is no frontier to make.
func (e *overShards) fold(does *step.Reach, push step.ShardedPush) error {
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
	return e.meet(1) // no kernel writes to it before
}

// foldAll folds the entries of all vertices.
func (e *overShards) foldAll(arrays []step.Folded) error {
	if len(arrays) == 0 {
		return nil
	}
	for i, p := range e.parts {
		if err := e.folds(i, arrays).Run(&p.env, nil); err != nil {
			return err
		}
	}
	return nil
}

// foldFound makes the frontiers of what was found, without what was seen, and folds the entries of these.
func (e *overShards) foldFound(arrays []step.Folded, seen *frontier.Frontier) error {
	for i, p := range e.parts {
		f := e.folds(i, arrays)
		for _, q := range e.parts {
			f.Found = append(f.Found, uintptr(q.found.Remote().Words()))
		}
		if seen != nil {
			r := frontiersOf(seen)[i].Remote()
			f.Seen = uintptr(r.Words())
			r.Recount()
		}
		if err := f.Run(&p.env, p.env.Spare); err != nil {
			return err
		}
		p.env.Swap()
	}
	return nil
}

// folds are the folds of a part.
func (e *overShards) folds(i int, arrays []step.Folded) *step.Folds {
	f, before := &step.Folds{Me: i}, uintptr(0)
	for _, a := range arrays {
		c := step.Copies{Fold: a.Fold, Wide: a.Width == 8}
		for _, q := range e.parts {
			c.Of = append(c.Of, q.mine.At(a.At))
		}
		if a.Fold.Adds() {
			c.Before = e.parts[i].before.Pointer() + before - uintptr(a.Width)*uintptr(e.parts[i].mine.First)
			before += uintptr(a.Width) * uintptr(e.shards.Stride)
		}
		f.Arrays = append(f.Arrays, c)
	}
	return f
}
