// This file holds Variant, by which another package adds a search with a loop and kernels of
// its own.

package bfs

import (
	"context"
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/traverse"
)

// Variant is a breadth-first search that chooses the direction of each level, with its own
// loop and kernels. Package dobfs is one. All searches of a Variant may run at once.
type Variant struct {
	// Name is the algorithm's name in results, logs and errors.
	Name string
	// Loop runs a search level by level: on the host, and on a GPU where the search isn't
	// one kernel. It returns Loop.Err at its end.
	Loop func(*Loop) error
	// Image is a fatbin compressed with zstd, and Kernel the name of the kernel in it, without
	// the suffix for the width of offsets, that runs a whole search on a GPU (fused.cuh).
	// Without Image searches on a GPU run the loop. Several GPUs run the kernel of dobfs.
	Image  []byte
	Kernel string
	// Alpha and Beta are the factors that the loop uses where those of Tuning are 0.
	Alpha, Beta float64
}

// Run searches from several sources. It returns the errors of RunMultiSource, and
// graph.ErrNoReverse for a directed graph that was built without its reverse.
func (v *Variant) Run(ctx context.Context, p *graph.Placed, sources []uint32, o Options) (*Result, error) {
	if err := callctx.Check(ctx, v.Name); err != nil {
		return nil, err
	}
	a, err := v.resolve(p, o)
	if err != nil {
		return nil, err
	}
	return a.run(ctx, p, sources)
}

// NewSearcher returns a Searcher of the variant, or an error of Run.
func (v *Variant) NewSearcher(p *graph.Placed, o Options) (*Searcher, error) {
	a, err := v.resolve(p, o)
	if err != nil {
		return nil, err
	}
	return a.searcher(p), nil
}

// NewPool returns a Pool of searches of the variant, within a budget as NewPool has it.
func (v *Variant) NewPool(p *graph.Placed, o Options, b *device.Budget) (*Pool, error) {
	q, err := traverse.NewPool(p, b, func() (*Searcher, error) { return v.NewSearcher(p, o) })
	if err != nil {
		return nil, err
	}
	return &Pool{Pool: q}, nil
}

// RemoteBytes returns the maximum GPU memory of a search of the variant, as
// Options.RemoteBytes does for bfs.
func (v *Variant) RemoteBytes(g *graph.Graph, o Options) uint64 {
	fused := o.Tuning.Coupling == Fused || o.Tuning.Coupling == AutoCoupling && o.fusable()
	return v.algorithm(o, fused).remoteBytes(g)
}

// Check returns graph.ErrOptions where Run would on a graph placed on the device, whatever
// the graph, as Options.Check does for bfs.
func (v *Variant) Check(dev device.Device, o Options) error {
	if err := (Options{DepthLimit: o.DepthLimit}).Check(dev); err != nil {
		return err
	}
	if err := v.checkTuning(&o); err != nil {
		return err
	}
	_, err := platformOf(dev).fusesVariant(v, &o, dev)
	return err
}

// resolve checks the options for searches of a placed graph.
func (v *Variant) resolve(p *graph.Placed, o Options) (*algorithm, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", v.Name, err)
	}
	if v.Loop == nil {
		return nil, fmt.Errorf("%s: %w: Variant.Loop is nil; give the loop of the search", v.Name, graph.ErrOptions)
	}
	if !p.Graph().HasReverse() {
		return nil, fmt.Errorf("%s: %w: build the graph with its reverse, or use bfs", v.Name, graph.ErrNoReverse)
	}
	if err := v.checkTuning(&o); err != nil {
		return nil, err
	}
	fused, err := platformOf(p.Device()).fusesVariant(v, &o, p.Device())
	if err != nil {
		return nil, err
	}
	return v.algorithm(o, fused), nil
}

// checkTuning reports factors that are out of their range, and tuning that is for bfs alone.
func (v *Variant) checkTuning(o *Options) error {
	others := o.Tuning
	others.Coupling, others.Alpha, others.Beta = AutoCoupling, 0, 0
	if others != (Tuning{}) {
		return fmt.Errorf("%s: %w: Tuning has Strategy, Balance, Culls or CountCulls, which are for bfs; leave them zero", v.Name, graph.ErrOptions)
	}
	if !(o.Tuning.Alpha >= 0 && o.Tuning.Beta >= 0) {
		return fmt.Errorf("%s: %w: alpha %g and beta %g; want numbers greater than 0, or 0 for the default", v.Name, graph.ErrOptions, o.Tuning.Alpha, o.Tuning.Beta)
	}
	return nil
}

// algorithm returns the search with options that were checked.
func (v *Variant) algorithm(o Options, fused bool) *algorithm {
	space := o.workspace()
	space.Fused, space.FallsBack, space.Pulls = fused, o.Tuning.Coupling == AutoCoupling, true
	o.tuned = v.tuned(&o)
	return &algorithm{name: v.Name, options: o, space: space, variant: v}
}

// tuned returns Result.Tuning: the options that aren't the default.
func (v *Variant) tuned(o *Options) map[string]any {
	m := map[string]any{}
	for name, x := range map[string][2]float64{"alpha": {o.Tuning.Alpha, v.Alpha}, "beta": {o.Tuning.Beta, v.Beta}} {
		if x[0] > 0 && x[0] != x[1] && !math.IsInf(x[0], 0) {
			m[name] = x[0]
		}
	}
	if o.Tuning.Coupling != AutoCoupling {
		m["coupling"] = o.Tuning.Coupling.String()
	}
	if len(m) == 0 {
		return nil
	}
	return m
}
