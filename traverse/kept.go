// This file holds what a Searcher keeps of its traversals for those to come.

package traverse

import (
	"errors"
	"slices"

	"github.com/foray-graph/foray/frontier"
)

// Kept returns what make makes of a traversal's arrays, frontiers, functors and steps. A Searcher calls
// make once, and keeps what it made, so that its runs to come allocate nothing for it; a type of P has one
// of them. Each run finds it as make left it: arrays have the values that they were made with, scalars are 0,
// piles and trails are empty, and frontiers have the vertices that they were made of. Arrays of Unfilled, and what
// else make returned, are as the last run left them. Of an array that is kept, Result leaves the
// array in place: the values are those of the Searcher's run, until its next one.
//
// A run that failed, or was cancelled, leaves nothing: make is called anew then. In a traversal that is
// not a Searcher's, what make took is the traversal's. After an error Kept returns the zero value.
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

// kept is something that was made, and what it took of the traversal.
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

// renew makes everything as it was when it was made, once in a run.
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

// array returns what is known of an array that is kept, or nil.
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

// forget gives away what is kept.
func (t *Traversal) forget(s *space) error {
	var errs []error
	for _, k := range t.kept {
		errs = append(errs, t.give(s, k.arrays, k.fronts))
	}
	t.kept = nil
	return errors.Join(errs...)
}

// end gives all back that a Searcher's traversals have kept.
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
