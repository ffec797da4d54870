// This file holds Stream, a team of goroutines with a barrier that spins
// before it sleeps.

package host

import (
	"context"
	"fmt"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/panics"
)

// How long a worker without work spins before it lets others run, and before
// it sleeps. A level of a road network takes 5 to 20 µs, so a worker must not
// sleep between two of those; a wake-up costs about 5 µs.
const (
	spinsBeforeYield = 1 << 13
	yieldsBeforeNap  = 200
)

// Job is work that the workers of a stream share.
type Job interface {
	// Run is called once on each worker that arrives in time, and always on
	// worker 0, the caller of Stream.Run. The workers divide the work, for
	// example by an atomic counter, and worker 0 returns when no work remains.
	Run(worker int)
}

// The call word of a stream counts the jobs in its upper bits; the lower
// callWorkers are the number of workers of the job. A worker's slot holds the
// number of the last job that it took or was locked out of, and its state.
const (
	callBits    = 16
	callWorkers = 1<<callBits - 1

	slotBits   = 2
	slotOut    = 0 // done with the job, or locked out of it
	slotInside = 1
	slotWaited = 2 // inside, and worker 0 sleeps until it leaves
	slotPhase  = 1<<slotBits - 1
)

// Stream runs jobs on a team of workers. The goroutine that calls Run is
// worker 0; the others stay between jobs, spin for a while and then sleep.
//
// A stream doesn't wait for late workers, as on a busy machine: when no work
// remains, worker 0 locks out the workers that haven't entered the job, and waits
// for those that have.
//
// No two workers write to the same cache line: all of them read the call, each
// answers in its own slot. With one word for all, 16 workers took 22 to 51 µs to
// enter and leave a job, with slots 1 to 1.5 µs (see bench/notes/search-host.md).
type Stream struct {
	dev     *Device
	workers int
	jobs    uint64 // worker 0's count

	_    [128]byte
	call atomic.Uint64
	job  Job // on the line of call, which workers read anyway
	_    [104]byte

	slots   []slot
	stopped *atomic.Bool // the context is done; see bind
	closing atomic.Bool
	naps    []nap
	wg      sync.WaitGroup

	ctx    context.Context
	bound  uint64 // how often there was another context
	unbind func() bool

	panicked atomic.Pointer[any]
}

// slot is one worker's, on two cache lines, which Intel's processors fetch
// together.
type slot struct {
	state atomic.Uint64
	left  chan struct{} // the worker has left, if its phase was slotWaited
	_     [112]byte
}

type nap struct {
	asleep atomic.Bool
	wake   chan struct{}
	_      [48]byte
}

// NewStream is Stream, as package device has it. The error is
// device.ErrClosed after the device's Close.
func (d *Device) NewStream(ctx context.Context) (device.Stream, error) {
	if err := callctx.Check(ctx, "host"); err != nil {
		return nil, err
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	return d.Stream(ctx), nil
}

// StreamOf returns the host stream that an operator runs on: s itself, or an
// error that wraps device.ErrNotSupported if s is nil or another device's.
func StreamOf(s device.Stream) (*Stream, error) {
	switch hs, ok := s.(*Stream); {
	case s == nil || ok && hs == nil:
		return nil, fmt.Errorf("%w: no stream (nil); Device.NewStream makes one", device.ErrNotSupported)
	case !ok:
		return nil, fmt.Errorf("%w: no operators on %s", device.ErrNotSupported, s.Device().Info().Name)
	default:
		return hs, nil
	}
}

// Stream returns a stream whose jobs stop early when ctx is done: they check
// Stopped. Close ends its goroutines, one less than it has workers. If ctx is nil,
// Err and operators return graph.ErrOptions.
func (d *Device) Stream(ctx context.Context) *Stream {
	s := &Stream{dev: d, workers: max(1, d.Workers())}
	s.naps, s.slots = make([]nap, s.workers), make([]slot, s.workers)
	s.bind(ctx)
	for w := 1; w < s.workers; w++ {
		s.naps[w].wake, s.slots[w].left = make(chan struct{}, 1), make(chan struct{}, 1)
		s.wg.Add(1)
		go s.worker(w)
	}
	return s
}

// bind stops the stream when ctx is done. Each context has its own stop flag, so
// a context that ends late doesn't stop jobs of the next.
func (s *Stream) bind(ctx context.Context) {
	if err := callctx.Check(ctx, "host"); err != nil {
		ctx = callctx.Ended(err)
	}
	s.ctx, s.unbind = ctx, nil
	s.bound++
	stopped := &atomic.Bool{}
	s.stopped = stopped
	if ctx.Done() == nil {
		return
	}
	if ctx.Err() != nil {
		stopped.Store(true)
		return
	}
	s.unbind = context.AfterFunc(ctx, func() { stopped.Store(true) })
}

// Rebind gives the stream another context, for searches that use it one after
// the other: its jobs stop early when the new context is done. No job may be
// running. It costs nothing if both contexts end together.
func (s *Stream) Rebind(ctx context.Context) {
	if ctx != nil && ctx.Done() == s.ctx.Done() {
		s.ctx = ctx
		s.bound++
		return
	}
	if s.unbind != nil {
		s.unbind()
	}
	s.bind(ctx)
}

// Workers returns the number of workers, the caller's goroutine included.
func (s *Stream) Workers() int { return s.workers }

// Stopped reports whether the stream's context is done. Jobs check it between
// chunks of work.
func (s *Stream) Stopped() bool { return s.stopped.Load() }

// Stop is the flag of the context that the stream has now: it is set once that is done.
func (s *Stream) Stop() *atomic.Bool { return s.stopped }

// Context returns the context that ends the stream's jobs, for work that operators do outside of jobs.
func (s *Stream) Context() context.Context { return s.ctx }

// Err returns the reason why operators can't run: device.ErrClosed after Close, else the
// context's error once that is done. It is nil on a stream in use.
func (s *Stream) Err() error {
	switch {
	case s.closing.Load():
		return fmt.Errorf("host: %w: the stream; make another", device.ErrClosed)
	}
	return s.ctx.Err() // not stopped alone, which follows the context a little later
}

// Run runs the job on the team and returns when it is done. It allocates
// nothing. A panic of the job on any worker is raised again in the caller. On a closed
// stream worker 0 does all the work: operators check Err first.
func (s *Stream) Run(j Job) { s.RunOn(s.workers, j) }

// RunOn is Run on the first workers only, 1 at least, for a job that isn't worth
// calling all of them.
func (s *Stream) RunOn(workers int, j Job) {
	workers = min(workers, s.workers, callWorkers)
	if workers <= 1 {
		j.Run(0)
		return
	}
	s.job = j
	s.jobs++
	s.call.Store(s.jobs<<callBits | uint64(workers))
	for w := 1; w < workers; w++ {
		n := &s.naps[w]
		if n.asleep.Load() && n.asleep.CompareAndSwap(true, false) {
			n.wake <- struct{}{}
		}
	}
	defer s.join(workers)
	j.Run(0)
}

// join locks late workers out of the job and waits for those inside.
func (s *Stream) join(workers int) {
	for w := 1; w < workers; w++ {
		s.slots[w].await(s.jobs)
	}
	s.job = nil
	if p := s.panicked.Swap(nil); p != nil {
		panic(*p)
	}
}

// await returns when the worker is done with the job, or locks it out. It spins,
// then sleeps: on a busy machine a worker in the job may have been descheduled,
// and spinning takes time from it and from later scheduling of this thread.
func (t *slot) await(job uint64) {
	for i := 0; ; i++ {
		st := t.state.Load()
		switch {
		case st == job<<slotBits|slotOut:
			return
		case st>>slotBits != job:
			if t.state.CompareAndSwap(st, job<<slotBits|slotOut) {
				return
			}
		case i > spinsBeforeYield+yieldsBeforeNap:
			if t.state.CompareAndSwap(st, job<<slotBits|slotWaited) {
				<-t.left
				return
			}
		case i > spinsBeforeYield:
			runtime.Gosched()
		}
	}
}

func (s *Stream) worker(w int) {
	defer s.wg.Done()
	pprof.SetGoroutineLabels(context.Background()) // not those of who made the stream
	seen, bound := uint64(0), uint64(0)            // the last call that this worker answered, and whose labels it has
	n, t := &s.naps[w], &s.slots[w]
	for spins, yields := 0, 0; ; {
		if call := s.call.Load(); call != seen {
			seen = call
			if w < int(call&callWorkers) && t.enter(call>>callBits) {
				if s.bound != bound { // take the profile labels of the context that is served now
					bound = s.bound
					pprof.SetGoroutineLabels(s.ctx)
				}
				s.work(w, call>>callBits)
				spins, yields = 0, 0
			}
			continue
		}
		if spins++; spins < spinsBeforeYield {
			continue
		}
		if s.closing.Load() {
			return
		}
		if yields++; yields < yieldsBeforeNap {
			runtime.Gosched()
			continue
		}
		if bound != 0 { // no context is served
			bound = 0
			pprof.SetGoroutineLabels(context.Background())
		}
		n.asleep.Store(true)
		// A job or the end may have come before the flag could be seen.
		if s.closing.Load() || s.call.Load() != seen {
			if !n.asleep.CompareAndSwap(true, false) {
				<-n.wake
			}
		} else {
			<-n.wake
		}
		spins, yields = 0, 0
	}
}

// enter reports whether the worker may run the job: it hasn't been locked out.
func (t *slot) enter(job uint64) bool {
	st := t.state.Load()
	return st>>slotBits < job && t.state.CompareAndSwap(st, job<<slotBits|slotInside)
}

func (s *Stream) work(w int, job uint64) {
	ended := false
	defer func() {
		p := recover()
		if p == nil && !ended { // else a part of the job were left out, silently
			p = panics.ErrExited
		}
		if p != nil {
			var v any = fmt.Sprintf("%v (on worker %d)", p, w)
			s.panicked.CompareAndSwap(nil, &v)
		}
		t := &s.slots[w]
		if t.state.Swap(job<<slotBits|slotOut)&slotPhase == slotWaited {
			t.left <- struct{}{}
		}
	}()
	s.job.Run(w)
	ended = true
}

// Device returns the CPU.
func (s *Stream) Device() device.Device { return s.dev }

// Sync returns Err; work is done when Run returns.
func (s *Stream) Sync() error { return s.Err() }

// Close ends the workers and waits for them. Later uses of the stream fail with
// device.ErrClosed; closing it again does nothing.
func (s *Stream) Close() error {
	if s.closing.Swap(true) {
		return nil
	}
	if s.unbind != nil {
		s.unbind()
	}
	for w := 1; w < s.workers; w++ {
		if n := &s.naps[w]; n.asleep.CompareAndSwap(true, false) {
			n.wake <- struct{}{}
		}
	}
	s.wg.Wait()
	return nil
}

type event time.Time

// Record returns the present time.
func (s *Stream) Record() (device.Event, error) {
	if s.closing.Load() {
		return nil, s.Err()
	}
	return event(time.Now()), nil
}

func (e event) Since(earlier device.Event) (float64, error) {
	was, ok := earlier.(event)
	if !ok {
		return 0, fmt.Errorf("host: %w: an event of another device", device.ErrNotSupported)
	}
	return time.Time(e).Sub(time.Time(was)).Seconds(), nil
}

// Close has nothing to free.
func (event) Close() error { return nil }
