// This file holds what several GPUs tell each other before a step: the entries of arrays that it reads at other
// vertices than a GPU's own, and what scalars come to that it reads.

package traverse

import (
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
)

// stale has the entries of an array that other GPUs don't have.
type stale struct {
	width int // bytes of an entry
	// of has the vertices whose entries they don't know, while it has changed so many times; nil: any may be.
	of    *frontier.Frontier
	since uint64
	where uintptr // what step.Reach.Where has of it, or 0
}

// exchange has each GPU bring what it has of some arrays to the others.
func (e *overShards) exchange(arrays []uintptr) error {
	for _, at := range arrays {
		if s, is := e.parted[at]; is {
			if err := e.join(s); err != nil {
				return err
			}
		}
	}
	arrays = e.stales(arrays)
	if len(arrays) == 0 {
		return nil
	}
	if err := e.meet(0); err != nil { // what is copied is written
		return err
	}
	for _, at := range arrays {
		if err := e.bring(at, e.stale[at]); err != nil {
			return err
		}
		delete(e.stale, at)
	}
	return e.meet(1) // no kernel writes to it before
}

// bring has each GPU store what others don't know of an array to their copies.
func (e *overShards) bring(at uintptr, s stale) error {
	some := s.of != nil && s.of.Remote().Changes() == s.since
	for i, p := range e.parts {
		first, width := uintptr(p.mine.First), uintptr(s.width)
		var to []uintptr
		for k := 1; k < len(e.parts); k++ { // each begins with another one
			to = append(to, e.parts[(i+k)%len(e.parts)].mine.At(at))
		}
		var err error
		if some {
			err = (&step.Brings{From: p.mine.At(at), To: to, Wide: s.width == 8}).Run(&p.env, frontiersOf(s.of)[i])
		} else {
			for k := range to {
				to[k] += first * width
			}
			where := s.where
			if where != 0 {
				where = p.mine.At(where) + first*width
			}
			// A part has room for whole units of vertices, so for what is rounded up.
			err = send(p.on.lease.Stream, p.mine.At(at)+first*width, where, to, uint64(p.mine.Count)*uint64(width))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stales returns those of the arrays that are to be exchanged, each once.
func (e *overShards) stales(arrays []uintptr) (some []uintptr) {
	seen := map[uintptr]bool{}
	for _, at := range arrays {
		if _, is := e.stale[at]; is && !seen[at] {
			seen[at] = true
			some = append(some, at)
		}
	}
	return some
}

// wrote notes the arrays that other GPUs don't know as a step over a frontier has left them.
func (e *overShards) wrote(cur *frontier.Frontier, does *step.Reach, s step.Step) {
	_, moves := s.(step.Moves)
	_, push := s.(step.ShardedPush)
	if moves {
		cur.Remote().Changed()
	}
	folded := func(a link.Array) bool {
		for _, f := range does.Folded {
			if f.At == a.At {
				return !push || !does.Tells // all entries were
			}
		}
		return false
	}
	for _, a := range does.Written {
		if a.Len < e.shards.Numbers() || folded(a) {
			continue
		}
		now, was := stale{width: a.Width, where: does.Where[a.At]}, e.stale[a.At]
		if !moves && !does.All && cur.Form() == frontier.Queue {
			now.of, now.since = cur, cur.Remote().Changes()
		}
		if was.width != 0 && (was != now || now.where != 0) { // what was changed before is to be exchanged too
			now = stale{width: a.Width}
		}
		e.stale[a.At] = now
	}
	for _, at := range does.Same {
		delete(e.stale, at)
	}
}

// meet has each stream wait for all others. The host doesn't wait.
func (e *overShards) meet(mark int) error {
	for _, p := range e.parts {
		if err := p.marks[mark].Record(); err != nil {
			return err
		}
	}
	for i, p := range e.parts {
		for j, q := range e.parts {
			if i != j {
				if err := p.on.lease.Stream.Await(q.marks[mark]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// parted is a scalar of which each GPU has its own part.
type parted struct {
	link.Sum
	joined bool // all is what they come to
	told   bool // the first GPU has it
	all    uint64
}

// settle leaves in all scalars what they come to, where Scalar.Get looks: on the first GPU.
func (e *overShards) settle() error {
	if err := e.joins(); err != nil {
		return err
	}
	for _, s := range e.parted {
		if !s.told {
			if err := e.parts[0].on.put(cells{at: uintptr(s.At), wide: true}, 0, s.all); err != nil {
				return err
			}
			s.told = true
		}
	}
	return nil
}

// join leaves in a scalar on each GPU what it comes to.
func (e *overShards) join(s *parted) error {
	if err := e.joins(); err != nil {
		return err
	}
	delete(e.parted, uintptr(s.At))
	for _, p := range e.parts {
		if err := p.on.put(cells{at: p.mine.At(uintptr(s.At)), wide: true}, 0, s.all); err != nil {
			return err
		}
	}
	return nil
}

// joins waits for the totals of scalars over all GPUs. It requests several at once from all GPUs.
func (e *overShards) joins() error {
	var some []*parted
	for _, s := range e.parted {
		if !s.joined {
			some = append(some, s)
		}
	}
	for len(some) > 0 {
		n := min(len(some), gpu.Answers)
		for _, p := range e.parts {
			for i, s := range some[:n] {
				if err := p.on.lease.Stream.Ask(i, p.mine.At(uintptr(s.At))); err != nil {
					return err
				}
			}
		}
		for k, p := range e.parts {
			if err := p.on.lease.Stream.Sync(); err != nil {
				return err
			}
			for i, s := range some[:n] {
				x := p.on.lease.Stream.Answer(i)
				if k > 0 {
					x = s.Join(s.all, x)
				}
				s.all, s.joined = x, true
			}
		}
		some = some[n:]
	}
	return nil
}
