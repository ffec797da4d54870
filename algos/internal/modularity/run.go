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

func onGPU(*traverse.Traversal, string, bool, Options) (*found, error) {
	return nil, fmt.Errorf("%w: on GPUs", device.ErrNotSupported)
}

// onHost finds communities on the host.
func onHost(t *traverse.Traversal, name string, leiden bool, o Options) (_ *found, err error) {
	ctx, p := t.Context(), t.Placed()
	initial, err := initialOf(ctx, p, o.Initial)
	if err != nil {
		return nil, err
	}
	stream, err := p.Device().NewStream(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	s, err := host.StreamOf(stream)
	if err != nil {
		return nil, err
	}
	work := &team{s: s}
	l, err := baseOf(ctx, name, p, o.Weighted, work)
	if err != nil {
		return nil, err
	}
	all := t.All()
	x := &search{team: work, l: l, own: make([]moverShare, s.Workers()), s: scaleOf(l, o.Resolution),
		c:    &contractor{team: work, arenas: make([]arena, s.Workers())},
		task: task{seed: o.Seed, leiden: leiden, keep: o.Levels, initial: initial, level: func(int) { t.Next(all) }}}
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
	bytes := memory.Bytes(p) + 100*n + 12*m
	if p.Graph().Directed() {
		bytes += 8 * m
		m *= 2
	}
	if o.Weighted {
		bytes += 8 * m
	}
	return bytes
}
