// This file holds what options mean on each kind of device, before there is a space.

package bfs

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// platform is a kind of device to search on.
type platform interface {
	// check returns an error for options that are for another kind of device, or that exclude
	// one another.
	check(o *Options, dev device.Device) error
	// fuses reports whether couplingAuto is couplingFused for a graph.
	fuses(o *Options, p *graph.Placed) bool
	// learns reports whether couplingAuto may be couplingFused for later searches of a graph.
	learns(o *Options) bool
	// fusesVariant reports whether a search of a variant is one kernel, or what in the
	// options is for another kind of device.
	fusesVariant(v *Variant, o *Options, dev device.Device) (bool, error)
	// pins replaces couplingAuto where what it is may change from search to search.
	pins(o *Options, p *graph.Placed)
	// bytes is what a search takes at most: the workspace and the arrays of the result.
	bytes(p *graph.Placed, so workspaceOptions, o *Options) uint64
	// way is Options.Way of an algorithm with the options as they were given.
	way(a *algorithm, p *graph.Placed, o *Options) (way, why string)
}

// platformOf returns that of a device: a GPU's where graphs have to be uploaded.
func platformOf(dev device.Device) platform {
	if sharded(dev) {
		return onGPUs{}
	}
	if _, remote := dev.(discrete.Device); remote {
		return onGPU{}
	}
	return onHost{}
}

type onHost struct{}

func (onHost) check(o *Options, dev device.Device) error {
	if o.Tuning.Coupling != couplingAuto || o.Tuning.Balance != advance.AutoBalance || o.Tuning.Culls != 0 || o.Tuning.CountCulls {
		return fmt.Errorf("bfs: %w: Coupling, Balance, Culls and CountCulls are for GPUs; the graph is on %s", graph.ErrOptions, dev.Info().Name)
	}
	return nil
}

func (onHost) fuses(*Options, *graph.Placed) bool { return false }
func (onHost) learns(*Options) bool               { return false }
func (onHost) pins(*Options, *graph.Placed)       {}

func (onHost) fusesVariant(v *Variant, o *Options, dev device.Device) (bool, error) {
	if o.Tuning.Coupling != couplingAuto {
		return false, fmt.Errorf("%s: %w: Coupling is for GPUs; the graph is on %s", v.Name, graph.ErrOptions, dev.Info().Name)
	}
	return false, nil
}

func (onHost) bytes(p *graph.Placed, so workspaceOptions, o *Options) uint64 {
	n, workers := uint64(p.NumVertices()), uint64(1)
	if d, ok := p.Device().(interface{ Workers() int }); ok {
		workers = uint64(d.Workers())
	}
	bytes := arrayBytes(n, so) + 2*4*(n+front.Slack) + 3*run.BitmapBytes(n) + workers*run.WorkerBytes + 2*4*uint64(listed(p))
	if o.Stats {
		bytes += min(n, run.MostLevels) * uint64(unsafe.Sizeof(Level{}))
	}
	return bytes
}

// sharded reports whether a device is several GPUs.
func sharded(dev device.Device) bool {
	_, sharded := dev.(*gpu.Group)
	return sharded
}

type onGPUs struct{}

func (onGPUs) check(o *Options, dev device.Device) error {
	if o.Tuning != (Tuning{}) && o.Tuning != (Tuning{Coupling: couplingFused}) {
		return fmt.Errorf("%s: %w: on %s a search is one kernel on each GPU (coupling fused); leave the rest of Tuning zero", o.name(), graph.ErrOptions, dev.Info().Name)
	}
	if !o.fusable() {
		return fmt.Errorf("%s: %w: %d Targets; several GPUs take %d at most", o.name(), graph.ErrOptions, len(o.Targets), fusedTargets)
	}
	return nil
}

func (onGPUs) fuses(*Options, *graph.Placed) bool { return true }
func (onGPUs) learns(*Options) bool               { return false }
func (onGPUs) pins(*Options, *graph.Placed)       {}

func (k onGPUs) fusesVariant(v *Variant, o *Options, dev device.Device) (bool, error) {
	return true, k.check(&Options{Variant: v, Targets: o.Targets, Tuning: Tuning{Coupling: o.Tuning.Coupling}}, dev)
}

// bytes is what all GPUs need together.
func (onGPUs) bytes(p *graph.Placed, so workspaceOptions, o *Options) uint64 {
	a, err := shardsOf(p)
	if err != nil {
		return 0
	}
	return uint64(len(a.Parts)) * (shardBytes(a, so) + shardArrayBytes(a, so))
}

type onGPU struct{}

func (onGPU) check(o *Options, dev device.Device) error {
	if o.Tuning.Strategy != strategyAuto {
		return fmt.Errorf("bfs: %w: strategy %s is for the host; the graph is on %s; leave it out, or place the graph on the host", graph.ErrOptions, o.Tuning.Strategy, dev.Info().Name)
	}
	if quadratic(o.Tuning.Coupling) && !o.Outputs.Has(Depths) {
		return fmt.Errorf("bfs: %w: coupling %s needs depths", graph.ErrOptions, o.Tuning.Coupling)
	}
	if o.Tuning.Coupling == couplingFused && (!o.fusable() || o.Tuning.Balance != advance.AutoBalance || o.Tuning.Culls != 0 || o.Tuning.CountCulls) {
		return fmt.Errorf("bfs: %w: coupling fused takes %d Targets at most, and neither Balance, Culls nor CountCulls", graph.ErrOptions, fusedTargets)
	}
	if culls := o.Tuning.Culls; culls != 0 {
		if culls&(filter.Exactly|filter.ByLabel) == 0 {
			return fmt.Errorf("bfs: %w: culls %s would let a vertex through for ever; add label or exact", graph.ErrOptions, culls)
		}
		if culls&filter.ByLabel != 0 && !o.Outputs.Has(Depths) && !o.Outputs.Has(Parents) {
			return fmt.Errorf("bfs: %w: culling by label needs depths or parents", graph.ErrOptions)
		}
		if culls&filter.Exactly != 0 && culls&filter.ByBitmask != 0 {
			return fmt.Errorf("bfs: %w: exact culling uses the bitmask itself; take one of the two", graph.ErrOptions)
		}
		if culls&filter.Exactly == 0 && (o.Tuning.Coupling == couplingContractExpand || o.Tuning.Coupling == couplingHybrid) {
			return fmt.Errorf("bfs: %w: coupling %s needs exact culling, so that its edge frontier can't overflow", graph.ErrOptions, o.Tuning.Coupling)
		}
	}
	if o.Tuning.experimental() {
		if _, err := gpu.BFSLaboratory.Get(); err != nil {
			return fmt.Errorf("bfs: coupling %s, balance %s, culls %s: %w: %w", named(o.Tuning.Coupling), o.Tuning.Balance, o.Tuning.Culls, device.ErrNotSupported, err)
		}
	}
	return nil
}

// experimental reports whether a search with this tuning takes kernels of package laboratory.
func (t *Tuning) experimental() bool {
	switch t.Coupling {
	case couplingTwoPhase, couplingHybrid, couplingQuadratic, couplingQuadraticPull:
		return true
	}
	switch t.Balance {
	case advance.AutoBalance, advance.ThreadMapped, advance.TWC, advance.MergePath:
	default:
		return true
	}
	return t.Culls != 0 && t.Culls != filter.Exactly || t.CountCulls
}

// fuses reports true for graphs whose levels are small and many. Large levels are pushed
// faster by a kernel for each level, which has more threads at once.
func (onGPU) fuses(o *Options, p *graph.Placed) bool {
	f := figuresOf(p)
	return o.mayFuse() && !f.notTogether.Load() && (f.mesh() && f.deep(p) || f.small())
}

func (onGPU) learns(o *Options) bool { return o.mayFuse() }

func (k onGPU) pins(o *Options, p *graph.Placed) {
	switch {
	case !o.mayFuse():
	case k.fuses(o, p):
		o.Tuning.Coupling, o.fallsBack = couplingFused, true
	case p.State().MaxDegree() > lowDegree: // else edge frontiers are reckoned with, which take more than couplingFused
		o.Tuning.Coupling, o.learns = couplingExpandContract, true
	}
}

func (onGPU) fusesVariant(v *Variant, o *Options, _ device.Device) (bool, error) {
	switch c := o.Tuning.Coupling; {
	case c == couplingExpandContract:
		return false, nil
	case c == couplingAuto:
		return o.fusable() && len(v.Image) > 0, nil
	case c != couplingFused:
		return false, fmt.Errorf("%s: %w: coupling %s; want auto, fused or expand-contract", v.Name, graph.ErrOptions, c)
	case len(v.Image) == 0:
		return false, fmt.Errorf("%s: %w: coupling fused needs Variant.Image; take auto or expand-contract", v.Name, graph.ErrOptions)
	case !o.fusable():
		return false, fmt.Errorf("%s: %w: coupling fused takes %d Targets at most", v.Name, graph.ErrOptions, fusedTargets)
	}
	return true, nil
}

func (onGPU) bytes(p *graph.Placed, so workspaceOptions, o *Options) uint64 {
	return remoteBytes(p.Graph(), p.Remote().Wide, so, *o, !so.Pulls && o.edgeFrontiers(p.State().MaxDegree))
}

// targetsBeside returns the targets that aren't sources, since pulls keep no bit of a source that no edge leads
// to; one of them where all are.
func (o *Options) targetsBeside(sources []uint32) []uint32 {
	isSource := func(t uint32) bool { return slices.Contains(sources, t) }
	if !slices.ContainsFunc(o.Targets, isSource) {
		return o.Targets
	}
	rest := slices.DeleteFunc(slices.Clone(o.Targets), isSource)
	if len(rest) == 0 {
		return o.Targets[:1]
	}
	return rest
}

// mayFuse reports whether it is couplingFused on some graphs.
func (o Options) mayFuse() bool {
	return o.Tuning.Coupling == couplingAuto && o.fusable() && o.Tuning.Balance == advance.AutoBalance && o.Tuning.Culls == 0 && !o.Tuning.CountCulls
}

// fusable reports whether a search can be one kernel.
func (o Options) fusable() bool {
	return len(o.Targets) <= fusedTargets
}
