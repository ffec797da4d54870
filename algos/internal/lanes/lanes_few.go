// This file holds levels of few edges on the host: one goroutine pushes, settles and counts them in a
// plain loop, which takes less time than steps take to begin.

package lanes

import (
	"math/bits"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/step"
)

// few is the step that pushes a level of one word and ends it.
type few struct {
	l                *Lanes
	in               []uint64 // where rows of in-edges begin
	full             uint64   // the lanes that still search
	edges, done, any uint64   // as push and settle have them
}

// Name is what errors call the step.
func (*few) Name() string { return "few lanes" }

// Moves says that the frontier is another one afterwards.
func (*few) Moves() {}

// GPU does nothing: a GPU has no such levels.
func (*few) GPU(*step.Env) error { return nil }

// Compile has the steps of a level be run one by one.
func (*few) Compile(*step.Program) error { return step.ErrNotCompiled }

// Host goes through the level.
func (s *few) Host(x *step.Env) error {
	if x.Cur.Form() != frontier.Queue {
		if err := x.Cur.List(x.Stream); err != nil {
			return err
		}
	}
	if err := x.Spare.Reset(frontier.Queue); err != nil {
		return err
	}
	rows, out := x.Placed.Graph().Out(), x.Spare.Room()
	offsets, targets := rows.Offsets, rows.Targets
	seen, new, next := s.l.seen.Host(), s.l.new.Host(), s.l.next.Host()
	found := 0
	for _, v := range x.Cur.Queue() {
		lanes := new[v]
		for _, w := range targets[offsets[v]:offsets[v+1]] {
			if d := lanes &^ seen[w]; d != 0 {
				if next[w] == 0 {
					out[found] = w
					found++
				}
				next[w] |= d
			}
		}
	}
	x.Edges += s.l.ahead
	s.edges, s.done, s.any = 0, 0, 0
	for _, w := range out[:found] {
		d := next[w]
		next[w], new[w] = 0, d
		d, s.any = d|seen[w], s.any|d
		seen[w] = d
		if d == s.full {
			s.done += s.in[w+1] - s.in[w]
		}
		s.edges += offsets[w+1] - offsets[w]
	}
	x.Spare.SetLen(found)
	x.Swap()
	return nil
}

// counter is the step that counts the vertices that each lane reached in a level of few edges.
type counter struct {
	l    *Lanes
	sums [WordLanes]uint64
}

// Name is what errors call the step.
func (*counter) Name() string { return "few counts" }

// GPU does nothing.
func (*counter) GPU(*step.Env) error { return nil }

// Compile has the steps of a level be run one by one.
func (*counter) Compile(*step.Program) error { return step.ErrNotCompiled }

// Host goes through the frontier.
func (s *counter) Host(x *step.Env) error {
	clear(s.sums[:])
	new := s.l.new.Host()
	for _, v := range x.Cur.Queue() {
		for d := new[v]; d != 0; d &= d - 1 {
			s.sums[bits.TrailingZeros64(d)]++
		}
	}
	return nil
}
