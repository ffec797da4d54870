// This file holds Searcher, for one search after another in the same memory.

package bfs

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/run"
)

// Searcher searches a placed graph again and again in the same memory: it keeps
// its workspace, its workers (on a GPU its stream) and the arrays of its
// result. From the second search on, one on the host allocates nothing, but for
// a context that the one before didn't have.
//
// A Searcher belongs to one goroutine at a time. A placed graph has any number
// of them; Pool shares some of them between any number of goroutines.
type Searcher struct {
	life run.Searcher[Query, *Result]
	work work
}

// work is what a Searcher does.
type work struct {
	algorithm
	p      *graph.Placed
	s      *workspace // nil until the first search
	loop   loop
	result Result
	began  time.Time
	failed bool // the device did: another space takes the place of this one
}

// searcher returns a Searcher of an algorithm. It takes no memory yet.
func (a *algorithm) searcher(p *graph.Placed) *Searcher {
	s := &Searcher{work: work{algorithm: *a, p: p}}
	s.life = run.Searcher[Query, *Result]{Name: a.name, Work: &s.work, Labels: a.options.labels(a.name, p)}
	return s
}

// Run searches in the Searcher's memory: the result is the Searcher's, and valid until its next
// search or Close. Copy an array to keep it longer. Every search returns the same *Result: an earlier
// result is the last one, and closing it closes the last one. It needs no Close, since the next search
// takes its memory. It returns the errors of RunMultiSource, and device.ErrClosed after Close; the
// Searcher stays usable after any other error.
func (s *Searcher) Run(ctx context.Context, q Query) (*Result, error) { return s.life.Run(ctx, q) }

// Begin takes the space and holds the placed graph.
func (w *work) Begin(ctx context.Context) (err error) {
	w.began = time.Now()
	if w.failed {
		w.failed = false
		w.drop() // fails only where the device failed
	}
	var hold run.Hold
	if err = hold.Take(w.p, w.name); err != nil {
		w.options.tellFailed(ctx, w.name, w.p, nil, w.began, err)
		return err
	}
	if err = run.Ready(ctx, w.name); err == nil && w.s == nil {
		if w.s, err = takeSpace(ctx, w.p, w.space, hold); err == nil {
			w.s.on.lists()
			w.loop.result = &w.result
		}
	} else if err == nil {
		w.s.hold, w.s.ctx = hold, ctx
		_, err = w.s.lease.Begin(ctx)
	}
	if err != nil {
		hold.Let()
		w.options.tellFailed(ctx, w.name, w.p, nil, w.began, err)
	}
	return err
}

// Check implements run.Work.
func (w *work) Check(q Query) error {
	err := checkSources(w.p, q.Sources, w.name)
	if err != nil {
		w.tellFailed(q, err)
	}
	return err
}

// Reclaim implements run.Work.
func (w *work) Reclaim() error {
	w.s.reclaim(&w.result)
	return nil
}

// Answer searches.
func (w *work) Answer(q Query) (*Result, error) {
	returned := false
	defer func() {
		if !returned {
			w.tellFailed(q, run.Panicked(w.name))
		}
	}()
	err := w.search(w.s, &w.loop, q)
	returned = true
	if err != nil {
		w.tellFailed(q, err)
		return nil, err
	}
	w.s.hold.Let()
	w.loop.ended(w.began)
	return &w.result, nil
}

// tellFailed reports a search that failed, and lets go of the placed graph.
func (w *work) tellFailed(q Query, err error) {
	ctx := w.s.ctx
	w.s.hold.Let()
	w.options.tellFailed(ctx, w.name, w.p, q.Sources, w.began, err)
}

// End lets go of the placed graph.
func (w *work) End() {
	w.s.end()
	w.failed = w.s.lease.Failed()
}

// drop frees the space and the result.
func (w *work) drop() error {
	s := w.s
	s.reclaim(&w.result)
	w.s = nil
	w.result.Close()
	return s.close()
}

// Close gives all memory back.
func (w *work) Close() error {
	if w.s == nil {
		return nil
	}
	w.s.end()
	return w.drop()
}

// Batch searches from each of the sources, one after the other, and returns an iterator over the results
// in the order of the sources. A result is valid until the next iteration. An error is the last pair of
// the iterator: it comes with a nil result and names the index of its source, as in "bfs: search from
// sources[1], of 2". The caller may break off the loop.
//
// On a GPU a search in one kernel (coupling fused) is launched before the previous search
// has ended, so that the GPU doesn't wait for the host. That takes a
// second set of the result's arrays, which Bytes and Options.RemoteBytes don't
// count: 4 bytes a vertex for depths, 4 for parents, and twice that with ByID where
// vertices aren't in the order of ids. Without that much memory, searches run one
// by one. Result.Elapsed is the time from the launch on.
func (s *Searcher) Batch(ctx context.Context, sources []uint32) iter.Seq2[*Result, error] {
	return run.Results(func(yield func(int, *Result) error) error { return s.batch(ctx, sources, yield) })
}

// batch is Batch with a function that is called with each result.
func (s *Searcher) batch(ctx context.Context, sources []uint32, yield func(i int, r *Result) error) error {
	if err := callctx.Check(ctx, s.work.name); err != nil {
		return err
	}
	w, ahead := &s.work, func() (int, error) { return 0, nil }
	if w.overlaps(ctx) && len(sources) > 1 {
		ahead = func() (int, error) {
			if err := s.life.Begin(ctx); err != nil {
				return -1, s.life.At(inBatch(0, sources), err)
			}
			defer s.life.End() // which waits
			return w.s.on.ahead(w, batch{ctx, sources, yield, s.life.At})
		}
	}
	return s.life.Batch(ctx, len(sources), func(i int) Query { return Query{Sources: sources[i : i+1]} }, yield,
		func(i int) string { return inBatch(i, sources) }, ahead)
}

// inBatch names a search of a batch, in an error.
func inBatch(i int, sources []uint32) string {
	return fmt.Sprintf("search from sources[%d], of %d", i, len(sources))
}

// Close ends the workers and gives the memory back, the last result with it;
// arrays of depths and parents that a batch had beside are kept with the placed
// graph for later searches. A placed graph should outlive its searchers: closing
// one later is no error, but on a GPU the device can't be closed before. Closing
// nil, or a second time, does nothing.
func (s *Searcher) Close() error {
	if s == nil {
		return nil
	}
	return s.life.Close()
}

// Bytes returns how much of the device's memory a search from one source takes at
// most, its workspace and its result together: what a Pool asks its
// device.Budget for.
// What all searches of the graph share (placed.Prepared and the like) isn't in it.
// It is 0 once the placed graph was closed.
func (s *Searcher) Bytes() uint64 {
	w := &s.work
	if w.p.State().Enter() != nil {
		return 0
	}
	defer w.p.State().Leave()
	return platformOf(w.p.Device()).bytes(w.p, w.space, &w.options)
}
