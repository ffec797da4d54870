// This file holds the split of a frontier into two.

package filter

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/frontier"
)

// Split sends every vertex of in into one of two frontiers: into yes if the predicate keeps it, into no if it rejects
// it. Both are replaced and get the form of in, which is unchanged; if in is all vertices they become bitmaps. Queues
// are unordered; the predicate is called for each duplicate, and duplicates are kept.
//
// The three must be different frontiers over the Filterer's graph (frontier.ErrAliased, ErrForeign). Other errors are
// the same as for Keep; yes and no are then in no certain state. Clear them.
func (f *Filterer) Split(in, yes, no *frontier.Frontier, p Predicate) error {
	return f.ask("split", p, func() error { return f.split("split", in, yes, no, p, false) })
}

// SplitAppend is Split, but adds to no instead of replacing it: its vertices and its form are kept, and the form may
// differ from in's. A queue grows if needed; all vertices, to which nothing can be added, are frontier.ErrForm.
// Errors are the same as for Split; no keeps its vertices, perhaps with a part of in.
func (f *Filterer) SplitAppend(in, yes, no *frontier.Frontier, p Predicate) error {
	return f.ask("split", p, func() error { return f.split("split", in, yes, no, p, true) })
}

func (f *Filterer) split(what string, in, yes, no *frontier.Frontier, p Predicate, add bool) error {
	if err := f.ready(what, in); err != nil {
		return err
	}
	for _, out := range []*frontier.Frontier{yes, no} {
		forms := []frontier.Form{}
		if add && out == no {
			forms = []frontier.Form{frontier.Queue, frontier.Bitmap}
		}
		if err := out.Check(f.p, forms...); err != nil {
			return fmt.Errorf("filter: %s: an output: %w", what, err)
		}
	}
	if in == yes || in == no || yes == no {
		return fmt.Errorf("filter: %s: %w: the input and both outputs must be three; swap frontiers afterwards", what, frontier.ErrAliased)
	}
	if err := f.p.Enter(); err != nil {
		return fmt.Errorf("filter: %s: %w", what, err)
	}
	defer f.p.Leave()
	if err := f.checkPredicate(what, p); err != nil {
		return err
	}
	if in.Form() == frontier.All {
		var err error
		if in, err = f.whole(); err != nil {
			return fmt.Errorf("filter: %s: %w", what, err)
		}
	}
	return f.on.split(f.Level, in, yes, no, p, add)
}

// whole returns all vertices as a bitmap, which is only read.
func (f *Filterer) whole() (*frontier.Frontier, error) {
	if f.full != nil {
		return f.full, nil
	}
	all := frontier.New(f.p)
	if err := errors.Join(all.Fill(), all.Convert(f.on.stream(), frontier.Bitmap)); err != nil {
		return nil, errors.Join(err, all.Free())
	}
	f.full = all
	return all, nil
}
