// This file holds the package's documentation, the options and Run, which
// checks and times searches on one graph.

// Package bench measures searches by Foray's definition, so that figures can be
// compared.
//
// A run is one search from one source on a graph that is already on the device.
// It is timed from the call until the complete result is in the device's
// memory, initialization included, upload and copying out excluded. On a GPU
// the GPU's clock is used, through events before and after a search's work,
// launches included; untimed searches run for WarmUp before each source, so
// that the clock rate is up. Sources are drawn at random among the vertices
// that have an out-edge, by a fixed seed and by rank of external id, so they
// don't depend on the internal numbering. The time of a source is the median of
// its trials, the time of a graph the median over its sources. The rate is the
// number of edges in the reached part of the graph, undirected ones counted
// once, divided by the time: in GTEPS, 10^9 edges a second. Preparation that is
// done once per graph is reported separately.
//
// Before timing, every algorithm is run from every source, its depths are
// compared with oracle.Depths, and its parents are checked by bfs.Validate.
package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/oracle"
)

// Errors to test for with errors.Is.
var (
	// ErrWrong: a search's result differs from the sequential search's.
	ErrWrong = errors.New("wrong result")
	// ErrOption: options that can't be combined.
	ErrOption = errors.New("bench: bad option")
	// ErrNoSource: a graph without an edge has no vertex to search from.
	ErrNoSource = errors.New("bench: no vertex has an out-edge")
	// ErrReport is a report that can't be read, or that has nothing to compare with another.
	ErrReport = errors.New("bench: no report to compare")
)

// Defaults of Options.
const (
	DefaultSources = 16
	DefaultTrials  = 3
)

// WarmUp is the time of untimed searches on a GPU before the trials of each source.
const WarmUp = 20 * time.Millisecond

// Options configure a measurement. The zero value measures the algorithm that
// Auto chooses from 16 sources, 3 times each, depths only, checked.
type Options struct {
	// Sources is the number of sources; 0 means DefaultSources. If a graph has
	// fewer vertices with an out-edge, all of them are sources.
	Sources int
	// Seed draws the sources.
	Seed uint64
	// Trials is the number of timed runs of each source; 0 means DefaultTrials.
	Trials int
	// Algorithms to measure; nil means Auto's. Their runs alternate, so a change
	// in the machine's speed affects all of them.
	Algorithms []Algorithm
	// Outputs are the arrays that searches compute, as bfs.Options has them.
	Outputs bfs.Outputs
	// GivenOrder adds to each run a gather of the result into the order of
	// external ids, with parents as ranks in that order. It costs nothing if the
	// graph is in that order.
	GivenOrder bool
	// Batch is the number of searches of a batch that is measured too (see
	// bfs.Searcher.Batch); 0 measures none.
	Batch int
	// NoCheck skips the comparison with the sequential search. The report then
	// states that its figures aren't checked.
	NoCheck bool
	// Progress, if not nil, is called in phases "checking", "timing" and "timing batches" with the runs that are
	// done, from the goroutine that called Run.
	Progress func(graph.Progress)
}

// CheckError names the place where a search's result is wrong. It wraps
// ErrWrong and, if bfs.Validate found it, the error of bfs.Validate.
type CheckError struct {
	Algorithm string
	Source    string // external id
	Err       error  // what is wrong
}

func (e *CheckError) Error() string {
	return fmt.Sprintf("%s from vertex %s: %v: %v", e.Algorithm, e.Source, ErrWrong, e.Err)
}

// Unwrap returns ErrWrong and the cause.
func (e *CheckError) Unwrap() []error { return []error{ErrWrong, e.Err} }

// suite is what one call of Run works with.
type suite struct {
	p       *graph.Placed
	o       Options
	order   *Order
	given   given
	sources []uint32
	rows    []Source // what every algorithm finds from each source
}

// Run checks and times searches on a placed graph. Results are closed after
// each run, so that their memory is used again. Errors are graph.ErrNoGraph for
// nil, what Placed.Err says, ErrOption, ErrNoSource, a *CheckError, that of a search, or the context's, which is
// looked at before every run and within.
//
// Graph.Name, Graph.LoadMS and PlaceMS of the report are the caller's to fill
// in.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Report, error) {
	if err := callctx.Check(ctx, "bench"); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	o, err := o.resolve(p)
	if err != nil {
		return nil, err
	}
	s := &suite{p: p, o: o, order: ExternalOrder(p.Graph().IDs())}
	if s.sources = Sources(p.Graph(), s.order, o.Sources, o.Seed); len(s.sources) == 0 {
		return nil, ErrNoSource
	}
	r := s.report()
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	if err := s.time(ctx, r); err != nil {
		return nil, err
	}
	if s.o.Batch > 0 {
		if err := s.batches(ctx, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Check returns ErrOption if Run would for every graph on the device, so it can
// be called before a graph is loaded. Only Run detects a missing reverse.
func (o Options) Check(dev device.Device) error {
	if o.Sources < 0 || o.Trials < 0 || o.Batch < 0 {
		return fmt.Errorf("%w: %d sources, %d trials, batches of %d", ErrOption, o.Sources, o.Trials, o.Batch)
	}
	if o.GivenOrder && !o.Outputs.Has(bfs.Depths) && !o.Outputs.Has(bfs.Parents) {
		return fmt.Errorf("%w: without depths and parents there is nothing to put into the given order", ErrOption)
	}
	for _, a := range o.Algorithms {
		if err := a.check(dev, o); err != nil {
			return err
		}
	}
	return nil
}

// resolve fills in defaults and refuses what isn't possible.
func (o Options) resolve(p *graph.Placed) (Options, error) {
	if err := o.Check(p.Device()); err != nil {
		return o, err
	}
	if o.Sources == 0 {
		o.Sources = DefaultSources
	}
	if o.Trials == 0 {
		o.Trials = DefaultTrials
	}
	if len(o.Algorithms) == 0 {
		o.Algorithms = []Algorithm{Auto(p.Graph())}
	}
	for _, a := range o.Algorithms {
		if a.Kind == DOBFS && !p.Graph().HasReverse() {
			return o, fmt.Errorf("%w: dobfs: %w: build the graph with its reverse", ErrOption, graph.ErrNoReverse)
		}
	}
	return o, nil
}

// check fills in the results from each source and, unless checks are off,
// compares every algorithm with it.
func (s *suite) check(ctx context.Context) error {
	total := len(s.sources)
	if !s.o.NoCheck {
		total *= 1 + len(s.o.Algorithms)
	}
	done := 0
	step := func() {
		if done++; s.o.Progress != nil {
			s.o.Progress(graph.Progress{Phase: "checking", Done: uint64(done), Total: uint64(total)})
		}
	}
	g := s.p.Graph()
	var sequential func(i int) []int32
	if !s.o.NoCheck {
		var wait func()
		sequential, wait = s.sequential(ctx)
		defer wait()
	}
	for i, v := range s.sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		var depths []int32
		var scout *bfs.Result
		if s.o.NoCheck {
			var err error
			if scout, err = bfs.Run(ctx, s.p, v, bfs.Options{}); err != nil {
				return err
			}
			if depths, err = scout.Depths(); err != nil {
				return err
			}
		} else if depths = sequential(i); depths == nil {
			return ctx.Err()
		}
		s.rows = append(s.rows, describe(g, v, depths))
		step()
		if s.o.NoCheck {
			scout.Close()
			continue
		}
		for _, a := range s.o.Algorithms {
			f, _, err := s.run(ctx, a, v)
			if err != nil {
				return err
			}
			if err := f.fetch(); err != nil {
				return err
			}
			if err := s.compare(f, depths, s.rows[len(s.rows)-1]); err != nil {
				return &CheckError{Algorithm: a.String(), Source: g.IDs().Format(v), Err: err}
			}
			f.free()
			step()
		}
	}
	return nil
}

// sequential searches from the sources on the host, several at once and no more
// ahead than there are processors. The function that it returns gives the depths
// from each source in turn, nil where the context ended; wait ends it.
func (s *suite) sequential(ctx context.Context) (depths func(i int) []int32, wait func()) {
	ctx, cancel := context.WithCancel(ctx)
	found := make([]chan []int32, len(s.sources))
	for i := range found {
		found[i] = make(chan []int32, 1)
	}
	inFlight := make(chan struct{}, min(runtime.GOMAXPROCS(0), mostAhead))
	var running sync.WaitGroup
	running.Go(func() {
		for i, v := range s.sources {
			select {
			case inFlight <- struct{}{}:
			case <-ctx.Done():
				close(found[i])
				continue
			}
			running.Go(func() {
				depths, _ := oracle.DepthsContext(ctx, s.p.Graph().Out(), v) // nil if canceled
				found[i] <- depths
			})
		}
	})
	take := func(i int) []int32 {
		d := <-found[i]
		if d != nil {
			<-inFlight
		}
		return d
	}
	return take, func() { cancel(); running.Wait() }
}

// mostAhead bounds the depths that wait to be compared: 4 bytes a vertex each.
const mostAhead = 8

// time times the algorithms and fills in the report.
func (s *suite) time(ctx context.Context, r *Report) error {
	if s.o.NoCheck { // else they have run before
		for _, a := range s.o.Algorithms {
			f, _, err := s.run(ctx, a, s.sources[0])
			if err != nil {
				return err
			}
			f.free()
		}
	}
	runtime.GC()
	ms := make([][][]float64, len(s.o.Algorithms)) // by algorithm, source and trial
	for i := range ms {
		ms[i] = make([][]float64, len(s.sources))
	}
	total, done := len(s.sources)*s.o.Trials*len(s.o.Algorithms), 0
	for i, v := range s.sources {
		if err := s.warmUp(ctx, v); err != nil {
			return err
		}
		for range s.o.Trials {
			for j, a := range s.o.Algorithms {
				if err := ctx.Err(); err != nil {
					return err
				}
				f, elapsed, err := s.run(ctx, a, v)
				if err != nil {
					return err
				}
				f.free()
				ms[j][i] = append(ms[j][i], milliseconds(elapsed))
				if done++; s.o.Progress != nil {
					s.o.Progress(graph.Progress{Phase: "timing", Done: uint64(done), Total: uint64(total)})
				}
			}
		}
	}
	for j, a := range s.o.Algorithms {
		r.Results = append(r.Results, sum(a, s.rows, ms[j], !s.o.NoCheck))
	}
	return nil
}

// warmUp keeps a GPU busy for a while.
func (s *suite) warmUp(ctx context.Context, source uint32) error {
	if s.p.Remote() == nil {
		return nil
	}
	for start := time.Now(); time.Since(start) < WarmUp; {
		f, _, err := s.run(ctx, s.o.Algorithms[0], source)
		if err != nil {
			return err
		}
		f.free()
	}
	return nil
}

// run is one run and the time that counts.
func (s *suite) run(ctx context.Context, a Algorithm, source uint32) (found, time.Duration, error) {
	f, elapsed, err := a.run(ctx, s.p, source, s.o)
	if err != nil {
		return found{}, 0, fmt.Errorf("%s from vertex %s: %w", a, s.p.Graph().IDs().Format(source), err)
	}
	if s.o.GivenOrder && f.res == nil { // else it was gathered by the search, within the time
		start := time.Now()
		s.given.gather(s.order, &f)
		elapsed += time.Since(start)
	}
	return f, elapsed, nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
