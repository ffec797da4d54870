// This file holds what a Searcher keeps of its traversals for those to come.

package traverse

import (
	"errors"
	"slices"

	"github.com/foray-graph/foray/frontier"
)

// Kept returns the result of make, which takes arrays, frontiers and scalars from the traversal and makes functors
// and steps. A Searcher calls make in its first run and keeps the result for later runs, which then allocate
// nothing for it. It keeps one result for each type P.
//
// Each run gets arrays filled with their first values, scalars that are 0, empty piles and trails, and
// frontiers of their first vertices. Arrays of Uninitialized, steps, functors and all other fields
// keep the state in which the last run left them. Result doesn't move a kept array: its values are
// valid until the next run.
//
// After a run that failed, panicked or was canceled, the next run calls make again. A Traversal without a
// Searcher calls make once, and owns what make took. After an error Kept returns the zero value.
//
// make must take all arrays, frontiers and scalars of its steps: an array taken outside of make belongs to one run.
func Kept[P any](t *Traversal, make func() P) (none P) {
	if t.err != nil {
		return none
	}
	if k := t.kept[keptKey[P]{}]; k != nil {
		if t.fail(k.renew(t)) {
			return none
		}
		return k.made.(P)
	}
	arrays, fronts := len(t.arrays), len(t.fronts)
	made := make()
	if t.err != nil {
		return none
	}
	k := &kept{made: made, run: t.run}
	if t.lasts {
		k.arrays, t.arrays = cut(t.arrays, arrays)
		k.fronts, t.fronts = cut(t.fronts, fronts)
	}
	if t.kept == nil {
		t.kept = map[any]*kept{}
	}
	t.kept[keptKey[P]{}] = k
	return made
}

type keptKey[P any] struct{}

// kept is a result of make, with the arrays and frontiers that make took.
type kept struct {
	made   any
	run    int // the last one that had it
	arrays []owned
	fronts []*Frontier
}

// cut takes what is behind the first n entries off a list.
func cut[T any](list []T, n int) (tail, rest []T) {
	n = min(n, len(list))
	tail = slices.Clone(list[n:])
	clear(list[n:])
	return tail, list[:n]
}

// renew gives arrays and frontiers their first values, once in a run.
func (k *kept) renew(t *Traversal) error {
	if k.run == t.run {
		return nil
	}
	k.run = t.run
	for i := range k.arrays {
		if renew := k.arrays[i].renew; renew != nil {
			if err := renew(); err != nil {
				return err
			}
		}
	}
	for _, c := range k.fronts {
		if c.all {
			t.Fill(c)
		} else {
			t.Replace(c, c.first...)
		}
	}
	return t.err
}

// array returns the record of a kept array, or nil.
func (t *Traversal) array(b any) *owned {
	for _, k := range t.kept {
		for i := range k.arrays {
			if k.arrays[i].array == b {
				return &k.arrays[i]
			}
		}
	}
	return nil
}

// give gives arrays and frontiers to the next traversal.
func (t *Traversal) give(s *space, arrays []owned, fronts []*Frontier) (err error) {
	for _, a := range arrays {
		if e := a.keep(); err == nil {
			err = e
		}
	}
	for _, c := range fronts {
		s.keep(c.f)
		c.f = nil
		if t.lasts { // which will run again, but not with this one
			c.t = &over
		}
	}
	return err
}

// over is a traversal that has ended.
var over = Traversal{err: errOver}

// forget gives all kept arrays and frontiers to the next traversal.
func (t *Traversal) forget(s *space) error {
	var errs []error
	for _, k := range t.kept {
		errs = append(errs, t.give(s, k.arrays, k.fronts))
	}
	t.kept = nil
	return errors.Join(errs...)
}

// end frees the memory that a Searcher keeps between runs.
func (t *Traversal) end() error {
	s := t.rests
	if s == nil {
		return nil
	}
	t.rests = nil
	return errors.Join(t.forget(s), s.leave())
}

// bitmap is a bitmap that a traversal owns.
func (t *Traversal) bitmap(f *frontier.Frontier, vs []uint32) owned {
	s := t.space // which it came from
	return owned{
		keep: func() error { s.keep(f); return nil },
		renew: func() error {
			if err := f.Clear(frontier.Bitmap); err != nil {
				return err
			}
			return f.Add(vs...)
		},
	}
}
