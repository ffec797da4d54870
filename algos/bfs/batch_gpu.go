// This file holds batches on a GPU, in which a search is launched before the one
// before it has ended.

package bfs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
)

// flight is a search of a batch, with its own result.
type flight struct {
	loop   loop
	result Result
	began  time.Time
	under  bool       // launched, and not waited for
	coded  bool       // of GPU
	tick   gpu.Ticket // where under
	end    *gpu.Mark  // behind everything enqueued for the search
}

// batch is what Searcher.Batch was given.
type batch struct {
	ctx     context.Context
	sources []uint32
	yield   func(i int, r *Result) error
	at      func(place string, err error) error // an error with the name of its search
}

// overlaps reports whether a search of a batch need not wait for the one before:
// not if it logs levels or measures more than its result.
func (w *work) overlaps(ctx context.Context) bool {
	if ctx == nil || w.options.logsLevels(ctx) {
		return false
	}
	return w.fuses(w.p) && len(w.options.Targets) == 0 && !w.space.DeviceTime && !w.space.Stats
}

// ahead implements backend.ahead with two searches under way.
func (g *gpuSearch) ahead(w *work, b batch) (rest int, err error) {
	sources := b.sources
	failed := func(i int, err error) (int, error) {
		if w.late(g.workspace, err) {
			return i, nil
		}
		_ = g.hold.Call(func() { w.options.tellFailed(b.ctx, w.name, w.p, sources[i:i+1], w.began, err) }) // the search has an error already
		return -1, b.at(inBatch(i, sources), err)
	}
	g.workspace.reclaim(&w.result)
	var both [2]flight
	for i := range both {
		f := &both[i]
		f.loop.result = &f.result
		if f.end, err = g.lease.Stream.Mark(); err != nil {
			return -1, errors.Join(fmt.Errorf("%s: %w", w.name, err), both[0].end.Close())
		}
	}
	defer func() { // also where yield panics
		g.inFlight = nil
		var ending error
		if both[0].under || both[1].under {
			ending = g.abandon()
		}
		ending = errors.Join(ending, g.lease.Wait())
		g.workspace.stowArrays()
		for i := range both {
			g.workspace.reclaim(&both[i].result)
			g.workspace.stowArrays()
			ending = errors.Join(ending, both[i].end.Close())
		}
		if ending != nil { // else what yield returned stays as it is
			rest, err = -1, errors.Join(err, ending)
		}
	}()

	if err := g.launch(w, &both[0], sources[:1]); err != nil {
		return failed(0, err)
	}
	alone := false // there is no memory for a second search under way
	for i := range sources {
		f, next, ahead := &both[i%2], &both[(i+1)%2], error(nil)
		if i+1 < len(sources) && !alone {
			if ahead = g.launch(w, next, sources[i+1:i+2]); errors.Is(ahead, device.ErrMemory) {
				g.workspace.stowArrays() // what it got; the search before may need it
				alone = true
			}
		}
		err := b.ctx.Err() // also where the search has ended
		if err == nil {
			err = g.land(w, f)
		}
		if err != nil {
			return failed(i, err)
		}
		lost := g.hold.Call(func() {
			f.loop.ended(f.began)
			err = b.yield(i, &f.result)
		})
		if err != nil || i+1 == len(sources) {
			return -1, err
		}
		if lost != nil { // what is under way on the GPU ends there
			return failed(i+1, lost)
		}
		if alone {
			ahead = g.follow(w, next, f, sources[i+1:i+2])
		}
		if ahead != nil {
			return failed(i+1, ahead)
		}
	}
	return -1, nil
}

// follow launches a search that takes over the arrays of the one before it. It
// may have been launched in part, without memory for the rest.
func (g *gpuSearch) follow(w *work, f, before *flight, sources []uint32) error {
	if f.under {
		if err := g.s.Wait(); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		f.under = false
	}
	g.workspace.reclaim(&before.result)
	g.workspace.stowArrays()
	return g.launch(w, f, sources)
}

// launch enqueues a search. Its arrays are in the result from then on.
func (g *gpuSearch) launch(w *work, f *flight, sources []uint32) (err error) {
	f.began = time.Now()
	if err := w.Check(Query{Sources: sources}); err != nil {
		return err
	}
	g.workspace.reclaim(&f.result)
	space := w.space
	space.Fused = true
	if err := g.begin(sources, space); err != nil {
		return err
	}
	if err := f.loop.begin(g.workspace, sources, w.name, w.options); err != nil {
		return err
	}
	g.inFlight = f
	err = g.loop(&w.algorithm, &f.loop)
	g.inFlight = nil
	if err == nil && g.byID && !g.gathered {
		err = g.gather(&f.result)
	}
	g.workspace.hand(&f.result)
	if err != nil {
		return err
	}
	return f.end.Record()
}

// land waits for a search and fills in its result, except what loop.ended sets.
func (g *gpuSearch) land(w *work, f *flight) error {
	if f.under {
		mail, err := f.tick.Wait()
		if err != nil {
			return err
		}
		switch err := g.fillIn(&f.loop, mail, f.coded); {
		case err == errCodes: // others may be under way; the stream keeps them apart
			f.under = false
			return g.again(w, f)
		case err != nil:
			return err // and it counts as under way, so that all is abandoned
		}
		f.under = false
	}
	if err := f.end.Wait(); err != nil {
		return fmt.Errorf("%s: %w", w.name, err)
	}
	return nil
}

// again runs a search once more, and waits.
func (g *gpuSearch) again(w *work, f *flight) error {
	// Launching gives its arrays back, to which the gathering may still write, and
	// searches on other streams may take them.
	if err := f.end.Wait(); err != nil {
		return fmt.Errorf("%s: %w", w.name, err)
	}
	began := f.began
	if err := g.launch(w, f, f.result.Sources); err != nil {
		return err
	}
	f.began = began
	return g.land(w, f)
}
