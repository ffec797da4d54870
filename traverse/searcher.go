// This file holds Searcher, which runs traversals one after another in the same memory.

package traverse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/step"
)

// Algorithm is a traversal that can run repeatedly. Q is the type of its queries, R the type of its
// results, which have arrays that Result took out of the traversal.
type Algorithm[Q, R any] struct {
	// Name is its name in errors; an empty name means "algorithm".
	Name string
	// Memory is the memory that it holds.
	Memory Memory
	// Run is one traversal, on the host or on a GPU. It doesn't close it.
	Run func(t *Traversal, q Q) (R, error)
	// RunShards is one traversal over the shards of several GPUs. It may be the same as Run; nil is
	// device.ErrNotSupported there. Functors see a number of the GPUs' own instead of a vertex, and all arrays are
	// indexed by it; results are in the order of vertices again. docs/gpus.md lists the steps that can't run there,
	// and what functors can't do: these are device.ErrNotSupported.
	RunShards func(t *Traversal, q Q) (R, error)
	// Form, if not nil, returns the form of the placed graph that a run goes over, such as rows in another order. It is
	// called before each run, and waits no longer than its context. The arrays of results are of that form until
	// Values.Of makes them the graph's. It isn't called for a placed graph that is nil or was closed.
	Form func(ctx context.Context, p *graph.Placed) (*graph.Placed, error)
}

// form returns the form of a placed graph that the next run goes over.
func (a *Algorithm[Q, R]) form(ctx context.Context, p *graph.Placed) (*graph.Placed, error) {
	if a.Form == nil || p.Err() != nil {
		return p, nil
	}
	f, err := a.Form(ctx, p)
	if err != nil {
		return nil, named(a.Name, err)
	}
	return f, nil
}

const noName = "algorithm"

// Run runs an algorithm once. If a GPU has too little memory for it, the error is
// device.ErrMemory, and nothing is allocated.
func Run[Q, R any](ctx context.Context, p *graph.Placed, a Algorithm[Q, R], q Q, o Options) (r R, err error) {
	if err := callctx.Check(ctx, "traverse"); err != nil {
		return r, err
	}
	if a.Run == nil {
		return r, fmt.Errorf("traverse: %w: an Algorithm without Run", graph.ErrOptions)
	}
	a.Name = cmp.Or(a.Name, noName)
	o.Memory, o.shards, o.name = a.Memory, a.RunShards != nil, a.Name
	if p, err = a.form(ctx, p); err != nil {
		return r, err
	}
	labels := o.labels(p)
	defer labels.Reset(ctx)
	t := New(labels.Set(ctx), p, o)
	defer t.Close()
	return a.on(t, q)
}

// on runs the algorithm as a traversal that has begun.
func (a *Algorithm[Q, R]) on(t *Traversal, q Q) (r R, err error) {
	if t.err == nil {
		t.running = true
		r, err = run.Choose(t.p, run.Ways[func(*Traversal, Q) (R, error)]{Host: a.Run, GPU: a.Run, Shards: a.RunShards})(t, q)
		t.running = false
	}
	if err == nil {
		err = t.err
	}
	if err != nil {
		t.failed = err
		return r, named(a.Name, err)
	}
	return r, nil
}

// named prefixes the error with the algorithm's name, unless it has the prefix already.
func named(name string, err error) error {
	pkg, _, _ := strings.Cut(name, ":")
	if strings.HasPrefix(err.Error(), pkg+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Searcher runs an algorithm repeatedly in the same memory. It belongs to one goroutine at a time:
// a concurrent call is an error. Pool shares searchers between any number of goroutines.
type Searcher[Q, R any] struct {
	life run.Searcher[Q, R]
	work work[Q, R]
}

// work implements the life of a Searcher.
type work[Q, R any] struct {
	p    *graph.Placed
	a    Algorithm[Q, R]
	o    Options
	own  *placed.Shelf
	t    *Traversal // of all runs, after the first
	last any        // what has to be freed before the next one
}

// NewSearcher returns a Searcher over a placed graph. It allocates no memory yet. The error is
// graph.ErrOptions for an algorithm without Run, or the placed graph's.
func NewSearcher[Q, R any](p *graph.Placed, a Algorithm[Q, R], o Options) (*Searcher[Q, R], error) {
	if a.Run == nil {
		return nil, fmt.Errorf("traverse: %w: an Algorithm without Run", graph.ErrOptions)
	}
	a.Name = cmp.Or(a.Name, noName)
	if err := p.Err(); err != nil {
		return nil, named(a.Name, err)
	}
	o.Memory, o.shards, o.name = a.Memory, a.RunShards != nil, a.Name
	s := &Searcher[Q, R]{work: work[Q, R]{p: p, a: a, o: o, own: new(placed.Shelf)}}
	s.life = run.Searcher[Q, R]{Name: a.Name, Work: &s.work, Labels: o.labels(p)}
	return s, nil
}

// Run runs the algorithm. The result belongs to the Searcher, and is valid until its next Run or
// Close. Copy an array to retain it. An algorithm may return the same pointer from each run, and
// Foray's algorithms do: an earlier result then is the last one, and closing it closes the last one.
// A result needs no Close, since the next run takes its memory. After an error the Searcher stays
// usable. After Close the error is device.ErrClosed.
func (s *Searcher[Q, R]) Run(ctx context.Context, q Q) (R, error) { return s.life.Run(ctx, q) }

// Begin begins a traversal, which keeps the error for Answer.
func (w *work[Q, R]) Begin(ctx context.Context) error {
	p, err := w.a.form(ctx, w.p)
	if err != nil {
		return err
	}
	if w.t != nil && w.t.p != p { // what was kept is of another form
		if err := w.Close(); err != nil {
			return named(w.a.Name, err)
		}
		w.t, w.own = nil, new(placed.Shelf)
	}
	if w.t == nil {
		w.t = &Traversal{p: p, o: w.o, own: w.own, env: &step.Env{}, lasts: true}
	}
	w.t.begin(ctx)
	return nil
}

// Check lets all queries pass: the algorithm looks at them.
func (*work[Q, R]) Check(Q) error { return nil }

// Reclaim frees the last result, whose arrays the next one takes.
func (w *work[Q, R]) Reclaim() error {
	last := w.last
	w.last = nil
	if f, ok := last.(interface{ Close() error }); ok {
		err := f.Close()
		if w.t != nil && err != nil {
			w.t.failed = err
		}
		return err
	}
	return nil
}

// Answer runs the algorithm.
func (w *work[Q, R]) Answer(q Q) (r R, err error) {
	r, err = w.a.on(w.t, q)
	w.last = r
	return r, err
}

// End closes the traversal.
func (w *work[Q, R]) End() { w.t.Close() }

// Close frees the memory, including the last result.
func (w *work[Q, R]) Close() error {
	err := w.Reclaim()
	if w.t != nil {
		err = errors.Join(err, w.t.end())
	}
	return errors.Join(err, w.own.Close())
}

// Batch runs the algorithm for each of the queries, one after the other, and returns an iterator over the
// results in the order of the queries. A result is valid until the next iteration. An error is the last
// pair of the iterator: it comes with the zero value and names the query. The caller may break off the
// loop.
func (s *Searcher[Q, R]) Batch(ctx context.Context, qs []Q) iter.Seq2[R, error] {
	return run.Results(func(yield func(int, R) error) error {
		if err := callctx.Check(ctx, "traverse"); err != nil {
			return err
		}
		return s.life.Batch(ctx, len(qs), func(i int) Q { return qs[i] }, yield,
			func(i int) string { return fmt.Sprintf("query %d of %d", i, len(qs)) }, nil)
	})
}

// Bytes returns the maximum memory of a run on the device, which a Pool requests from its
// device.Budget.
func (s *Searcher[Q, R]) Bytes() uint64 { return s.work.a.Memory.Bytes(s.work.p) }

// Close ends the workers that stay between runs, and frees the memory, including the last result.
// Closing nil, or a second time, does nothing.
func (s *Searcher[Q, R]) Close() error {
	if s == nil {
		return nil
	}
	return s.life.Close()
}
