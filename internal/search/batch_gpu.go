// This file holds batches on a GPU, in which a search is launched before the one
// before it has ended.

package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
)

// flight is a search of a batch, with a result of its own.
type flight struct {
	loop   Loop
	result Result
	began  time.Time
	under  bool       // launched, and not waited for
	coded  bool       // of onGPU
	tick   gpu.Ticket // where under
	end    *gpu.Mark  // behind all that was enqueued for it
}

// overlaps reports whether a search of a batch need not wait for the one before:
// not where somebody wants to know more of it than its result.
func (s *Searcher) overlaps() bool {
	return s.p.Remote() != nil && s.fuses(s.p) && len(s.o.Targets) == 0 && !s.space.DeviceTime && !s.space.Stats
}

// batchOverlapped is Batch with two searches under way. rest is the index of the search
// from which on they have to be one by one, since they can't be one kernel here; -1
// where all is done, or the error says why not.
func (s *Searcher) batchOverlapped(ctx context.Context, sources []uint32, yield func(i int, r *Result) error) (rest int, err error) {
	if err := s.open(ctx); err != nil {
		return -1, inBatch(0, sources, err)
	}
	failed := func(i int, err error) (int, error) {
		if s.late(s.s, err) {
			return i, nil
		}
		return -1, inBatch(i, sources, err)
	}
	defer s.s.end() // which waits
	s.reclaim(&s.result)
	g := s.s.gpu
	var both [2]flight
	for i := range both {
		f := &both[i]
		f.loop.Result = &f.result
		if f.end, err = g.s.Mark(); err != nil {
			return -1, errors.Join(fmt.Errorf("bfs: %w", err), both[0].end.Close())
		}
	}
	defer func() { // also where yield panics
		g.inFlight = nil
		var ending error
		if both[0].under || both[1].under {
			ending = g.abandon()
		}
		ending = errors.Join(ending, g.s.Wait())
		s.stow()
		for i := range both {
			s.reclaim(&both[i].result)
			s.stow()
			ending = errors.Join(ending, both[i].end.Close())
		}
		if ending != nil { // else what yield returned stays as it is
			rest, err = -1, errors.Join(err, ending)
		}
	}()

	if err := s.launch(&both[0], sources[0]); err != nil {
		return failed(0, err)
	}
	alone := false // there is no memory for a second search under way
	for i := range sources {
		f, next, ahead := &both[i%2], &both[(i+1)%2], error(nil)
		if i+1 < len(sources) && !alone {
			if ahead = s.launch(next, sources[i+1]); errors.Is(ahead, device.ErrMemory) {
				s.stow() // what it got; the search before may need it
				alone = true
			}
		}
		err := ctx.Err() // also where the search has ended
		if err == nil {
			err = s.land(f)
		}
		if err != nil {
			return failed(i, err)
		}
		s.s.pause()
		f.loop.Ended(f.began)
		if err := yield(i, &f.result); err != nil || i+1 == len(sources) {
			return -1, err
		}
		if err := s.s.resume(); err != nil { // what is under way on the GPU ends there
			return -1, inBatch(i+1, sources, err)
		}
		if alone {
			ahead = s.follow(next, f, sources[i+1])
		}
		if ahead != nil {
			return failed(i+1, ahead)
		}
	}
	return -1, nil
}

// follow launches a search that takes over the arrays of the one before it. It
// may have been launched in part, without memory for the rest.
func (s *Searcher) follow(f, before *flight, source uint32) error {
	if f.under {
		if err := s.s.gpu.s.Wait(); err != nil {
			return fmt.Errorf("bfs: %w", err)
		}
		f.under = false
	}
	s.reclaim(&before.result)
	s.stow()
	return s.launch(f, source)
}

// stow keeps the arrays of a search that isn't with the placed graph.
func (s *Searcher) stow() {
	keep(s.p, depthsKey, s.s.depths)
	keep(s.p, parentsKey, s.s.parents)
	s.s.depths, s.s.parents = nil, nil
}

// launch enqueues a search. Its arrays are in the result from then on.
func (s *Searcher) launch(f *flight, source uint32) (err error) {
	f.began = time.Now()
	s.one[0] = source
	if err := checkSources(s.p, s.one[:]); err != nil {
		return err
	}
	s.reclaim(&f.result)
	g := s.s.gpu
	if err := s.s.begin(s.one[:], s.space); err != nil {
		return err
	}
	if err := f.loop.begin(s.s, s.one[:], s.algorithm, s.o); err != nil {
		return err
	}
	g.inFlight = f
	err = s.run(s.s, &f.loop)
	g.inFlight = nil
	if err == nil && g.byID && !g.gathered {
		err = g.gather(&f.result)
	}
	s.s.hand(&f.result)
	if err != nil {
		return err
	}
	return f.end.Record()
}

// land waits for a search and fills in its result, all that Loop.Ended doesn't.
func (s *Searcher) land(f *flight) error {
	if f.under {
		mail, err := f.tick.Wait()
		if err != nil {
			return err
		}
		switch err := s.s.gpu.fillIn(&f.loop, mail, f.coded); {
		case err == errCodes: // others may be under way; the stream keeps them apart
			f.under = false
			return s.again(f)
		case err != nil:
			return err // and it counts as under way, so that all is abandoned
		}
		f.under = false
	}
	if err := f.end.Wait(); err != nil {
		return fmt.Errorf("bfs: %w", err)
	}
	return nil
}

// again runs a search once more, and waits.
func (s *Searcher) again(f *flight) error {
	// Launching gives its arrays back, to which the gathering may still write, and
	// searches on other streams may take them.
	if err := f.end.Wait(); err != nil {
		return fmt.Errorf("bfs: %w", err)
	}
	began, source := f.began, f.result.Sources[0]
	if err := s.launch(f, source); err != nil {
		return err
	}
	f.began = began
	return s.land(f)
}
