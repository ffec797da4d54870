// This file holds what louvain and leiden call.

package modularity

import (
	"context"
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/traverse"
)

// Options have the fields of both packages' Options.
type Options struct {
	Resolution float64
	Weighted   bool
	Seed       uint64
	Initial    string
	Levels     bool
}

// Result has the fields of both packages' Result.
type Result struct {
	Community   *traverse.Values[uint32]
	Communities int
	Modularity  float64
	Levels      []*traverse.Values[uint32]
	Stats       traverse.Stats
}

// Close gives the memory back.
func (r *Result) Close() error {
	err := r.Community.Close()
	for _, l := range r.Levels {
		err = errors.Join(err, l.Close())
	}
	return err
}

// Check returns graph.ErrOptions for a value out of range.
func (o Options) Check(name string) error {
	if !(o.Resolution >= 0 && o.Resolution <= mostResolution) {
		return fmt.Errorf("%s: %w: Resolution is %v; want a number above 0 and at most %v, such as 1, or 0 for that", name, graph.ErrOptions, o.Resolution, mostResolution)
	}
	return nil
}

// Resolve replaces zeros by defaults.
func (o Options) Resolve() Options {
	if o.Resolution == 0 {
		o.Resolution = 1
	}
	return o
}

// Run finds communities.
func Run(ctx context.Context, name string, leiden bool, p *graph.Placed, o Options, to traverse.Options) (*Result, error) {
	if err := callctx.Check(ctx, name); err != nil {
		return nil, err
	}
	if err := o.Check(name); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch g := p.Graph(); {
	case !g.HasReverse():
		return nil, fmt.Errorf("%s: %w: both directions count; build the graph with its reverse (graph.Options.Reverse)", name, graph.ErrNoReverse)
	case o.Weighted && g.WeightType() == graph.WeightsAuto && g.NumDirectedEdges() > 0:
		return nil, fmt.Errorf("%s: %w: Options.Weighted needs a graph with weights; build it with graph.Options.Weights", name, graph.ErrNoWeights)
	}
	if err := run.CheckShards(p, false); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a := traverse.Algorithm[Options, *Result]{Name: name, Memory: memory, Run: func(t *traverse.Traversal, o Options) (*Result, error) {
		find := run.Choose(p, run.Ways[func(*traverse.Traversal, string, bool, Options) (*found, error)]{Host: onHost, GPU: onGPU})
		f, err := find(t, name, leiden, o)
		if err != nil {
			return nil, err
		}
		return f.result(t)
	}}
	return traverse.Run(ctx, p, a, o.Resolve(), to)
}

// memory is for the communities of vertices.
var memory = traverse.Memory{Arrays: []int{4}}

// onHost finds communities by the host's loops.
func onHost(t *traverse.Traversal, name string, leiden bool, o Options) (*found, error) {
	return find(t, t.Placed().Device(), name, leiden, o, func(x *search, _ *host.Stream) (func() error, error) {
		x.work = newHostWorker(x)
		return func() error { return nil }, nil
	})
}

// onGPU finds communities by steps, on the device of the graph.
func onGPU(t *traverse.Traversal, name string, leiden bool, o Options) (*found, error) {
	return find(t, host.New(0), name, leiden, o, func(x *search, _ *host.Stream) (func() error, error) {
		w := &stepWorker{ctx: t.Context(), team: x.team, s: &x.s, c: x.c}
		p, err := baseSiteOf(t.Context(), t.Placed(), x.l, o.Weighted)
		if err == nil {
			x.work, err = w, w.begin(x.l, p, false)
		}
		return w.close, err
	})
}

// find finds communities. Workers of the host, which on gives, do what takes no pass over edges.
func find(t *traverse.Traversal, on device.Device, name string, leiden bool, o Options, employ func(*search, *host.Stream) (end func() error, err error)) (_ *found, err error) {
	ctx, p := t.Context(), t.Placed()
	initial, err := initialOf(ctx, p, o.Initial)
	if err != nil {
		return nil, err
	}
	stream, err := on.NewStream(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	s, err := host.StreamOf(stream)
	if err != nil {
		return nil, err
	}
	work := &team{s: s}
	base, err := baseOf(ctx, name, p, o.Weighted, work)
	if err != nil {
		return nil, err
	}
	l := *base // each run has its own site
	all := t.All()
	x := &search{team: work, l: &l, s: scaleOf(base, o.Resolution), c: &contractor{team: work, own: make([]tally, s.Workers())},
		task: task{seed: o.Seed, leiden: leiden, keep: o.Levels, initial: initial, level: func(int) { t.Next(all) }}}
	end, err := employ(x, s)
	defer func() { err = errors.Join(err, end()) }()
	if err != nil {
		return nil, err
	}
	if err := x.run(); err != nil {
		return nil, err
	}
	t.Next(t.From()) // ends the level
	return &x.out, t.Err()
}

// scaleOf returns what gains and modularity are calculated by.
func scaleOf(l *level, resolution float64) scale {
	all, entries := float64(l.total), uint64(1)
	if l.n > 0 {
		entries = max(1, l.offsets[l.n])
	}
	unit := float64(l.entries) / float64(entries)
	s := scale{all: all, gamma: resolution, unit: unit, slack: unit * leastGain, noise: unit * defaultRandomness}
	if all > 0 {
		s.expect = resolution / all
	}
	return s
}

// result makes the arrays of a result.
func (f *found) result(t *traverse.Traversal) (_ *Result, err error) {
	r := &Result{Communities: f.count, Modularity: f.value}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	for _, l := range f.levels {
		v, err := traverse.Result(t, traverse.FromSlice(t, l))
		if err != nil {
			return nil, err
		}
		r.Levels = append(r.Levels, v)
	}
	if r.Community, err = traverse.Result(t, traverse.FromSlice(t, f.label)); err != nil {
		return nil, err
	}
	r.Stats = r.Community.Stats
	return r, nil
}

// Bytes returns the maximum memory of a run on the device, in addition to the graph.
func Bytes(p *graph.Placed, o Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	n, m := uint64(p.NumVertices()), p.Graph().NumDirectedEdges()
	if p.Graph().Directed() {
		m *= 2
	}
	each := run.Choose(p, run.Ways[[2]uint64]{Host: [2]uint64{100, 36}, GPU: [2]uint64{150, 40}})
	bytes := memory.Bytes(p) + each[0]*n + each[1]*m
	if p.Graph().Directed() {
		bytes += 4 * m
	}
	if o.Weighted {
		bytes += 8 * m
	}
	return bytes
}
