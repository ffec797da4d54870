// This file holds the options of a breadth-first search.

package bfs

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// Outputs are the arrays that a search computes. The zero value is Depths.
type Outputs uint8

// The outputs, which combine: Depths | Parents.
const (
	Depths  Outputs = 1 << iota // Result.Depths
	Parents                     // Result.Parents
	Counts                      // alone: no arrays, only counts such as Result.Reached
)

// Has reports whether the arrays include those of x.
func (o Outputs) Has(x Outputs) bool {
	if o == 0 {
		o = Depths
	}
	return o&x == x
}

// Options say what a search computes. The zero value computes the depths of all reachable
// vertices.
type Options struct {
	// Outputs are the arrays that the search computes: 0 or Depths, Parents, or
	// Depths | Parents. Counts computes none.
	Outputs Outputs
	// DeviceTime fills in Result.DeviceTime on a GPU; on the host that stays 0. In the
	// first search of a placed graph it includes what that readies for later ones.
	DeviceTime bool
	// ByID gathers the arrays into the order of external ids as well, for
	// Result.DepthsByID and ParentsByID, on all workers of the host or on the
	// GPU; Elapsed includes it. An array that isn't in Outputs is nil here too. It costs nothing where vertices are in that order,
	// and else a second set of arrays and a pass over the vertices that reads an
	// array at random places: a read a vertex for depths, two for parents. The first
	// such search of parents works out IDs.Ranks.
	ByID bool
	// DepthLimit ends the search after this number of levels below the sources: no depth is larger.
	// 0 means no limit; a negative number is graph.ErrOptions.
	DepthLimit int
	// Targets, vertices of the graph, end the search after the level in which
	// the last of them is reached. If one is never reached, the search runs to the end.
	Targets []uint32
	// Stats fills in Result.Stats and Result.Edges, which costs two clock reads
	// a level, a degree per vertex on graphs of low degree, and up to 256 KB.
	Stats bool
	// EachLevel, if not nil, is called after each level, from the goroutine that
	// called Run. A search in one kernel (coupling fused) continues meanwhile: EachLevel gets its
	// levels as the host sees them end, and the levels deeper than 1,048,576 as one.
	EachLevel func(Level)
	// Logger, if not nil, gets a line per search (slog.LevelInfo), with its error if it
	// fails, and, where it
	// is enabled for slog.LevelDebug, a line per level, which then costs what
	// Stats does. Its context is the search's. nil is silence: nothing is logged elsewhere.
	Logger *slog.Logger
	// Metrics, if not nil, gets the end of each search, and the state of a Pool.
	Metrics metrics.Recorder
	// Tuning chooses between ways to search. The zero value is the fastest known for
	// the graph and the device.
	Tuning Tuning
	// Variant, if not nil, chooses the direction of each level. Such a search of a directed graph that
	// was built without its reverse is graph.ErrNoReverse. Package dobfs sets it in its own options.
	Variant *Variant

	tuned     map[string]any // what resolve found not to be the default
	fallsBack bool           // Coupling was left to the search
	learns    bool           // it is couplingFused once a search has shown that levels are small
}

// Tuning chooses between ways to search that find the same: it is there for measuring
// and for tests. The zero value is the fastest known for the graph and the device.
type Tuning struct {
	// Strategy is how the host finds the vertices of a level. bench/RESULTS.md has the cost of each.
	//
	//   - "": the fastest known for the graph, queue at present on every class of graphs that was measured.
	//   - "queue" keeps the frontier in a queue: a visited bitmap, tested before the atomic operation, local
	//     queues that reserve chunks of the shared one (Agarwal et al., SC 2010).
	//   - "read" keeps no queue: every level reads the level array in order (Hong et al., PACT 2011).
	//   - "hybrid" is queue while the frontier is small and read while it is a large part of all vertices
	//     (Hong et al., PACT 2011).
	//
	// On a GPU and for dobfs any but "" is graph.ErrOptions, and so are read and hybrid without Depths.
	Strategy string
	// Coupling is how a GPU divides a level into kernels: what is expanded and what is contracted in one,
	// and thus which frontiers go through memory. bench/RESULTS.md has the cost of each.
	//
	//   - "": the fastest known for the graph and the options. On meshes and roads, whose levels are many and
	//     small, that is fused, or contract-expand with options that fused doesn't take; expand-contract
	//     elsewhere. For dobfs it is fused, unless there are more than 32 Targets. Where a GPU doesn't run all
	//     blocks of that kernel at once, the search goes level by level, after about 18 s, and later ones of the
	//     placed graph do so at once; a warning is logged.
	//   - "expand-contract" goes from a vertex frontier to the next in one kernel: neighbors are gathered,
	//     looked up and compacted.
	//   - "contract-expand" goes from an edge frontier to the next in one kernel: edges are culled, and those of
	//     the vertices that are left are listed.
	//   - "two-phase" has a kernel for each half, with an edge frontier and a vertex frontier.
	//   - "hybrid" is contract-expand while the edge frontier is small and two-phase while it is large.
	//   - "fused" is the whole search in one kernel that stays on the GPU until it ends: a level costs a barrier
	//     there, and nothing on the host. It takes 32 targets at most, and shares out and culls in its own way,
	//     without Balance, Culls and CountCulls. Stats and EachLevel have no edges of pulls. Where a GPU doesn't
	//     run all of its blocks at once, after about 18 s, it is device.ErrNotSupported. A Query with more
	//     targets goes level by level.
	//   - "quadratic" looks at every vertex of the graph in each level (Balance advance.ThreadMapped or
	//     advance.TWC), or at every edge ("edges" of advance.ParseStrategy). It is there for comparison and needs depths.
	//   - "quadratic-pull" has every vertex that wasn't reached look for a parent in the level before, a thread
	//     each, in each level. It is there for comparison and needs depths and the reverse graph.
	//
	// On the host any but "" is graph.ErrOptions, for dobfs any but "", fused, and expand-contract for a loop on
	// the host.
	Coupling string
	// Balance is how a GPU shares out the edges of a frontier. On the host, for dobfs,
	// and with fused, any but advance.AutoBalance is graph.ErrOptions.
	Balance advance.Strategy
	// Culls is how a GPU drops what was seen before; 0 means filter.Exactly.
	// Without filter.Exactly a vertex may enter a frontier more than once, and
	// Level.Frontier counts it as often. On the host, for dobfs, and with fused, any
	// but 0 is graph.ErrOptions. So are ways without filter.Exactly and filter.ByLabel,
	// or, for contract-expand and hybrid, without filter.Exactly; filter.Exactly
	// with filter.ByBitmask; and filter.ByLabel without depths and parents.
	Culls filter.Culls
	// CountCulls fills in Result.Culled. On the host, for dobfs, and with fused, it is
	// graph.ErrOptions.
	CountCulls bool
	// Alpha is for dobfs: push turns into pull when the frontier has more than 1/Alpha
	// of the edges of the vertices not yet visited. 0 means 15, or with
	// fused that kernel's own rule; less is graph.ErrOptions, and so is any but 0 for bfs.
	Alpha float64
	// Beta is for dobfs: pull turns back into push when the frontier has fewer than
	// 1/Beta of all vertices, and a push has less to do (fused looks at the first
	// alone). 0 means 18; all else is as with Alpha.
	Beta float64
}

// Check returns graph.ErrOptions where Run would, on a graph placed on the device,
// whatever the graph: before one is loaded. It says nothing of Targets and of a
// reverse that isn't there, which depend on the graph. A nil device is
// device.ErrNotSupported.
func (o Options) Check(dev device.Device) error {
	if dev == nil {
		return fmt.Errorf("bfs: options for no device (nil): %w; device.Open opens one", device.ErrNotSupported)
	}
	if o.Variant != nil {
		return o.Variant.check(dev, o)
	}
	if err := o.check(); err != nil {
		return err
	}
	return platformOf(dev).check(&o, dev)
}

// resolve checks the options for searches of a placed graph, and replaces what
// they leave to the search.
func (o Options) resolve(p *graph.Placed) (Options, error) {
	if err := o.check(); err != nil {
		return o, err
	}
	release, err := p.Hold()
	if err != nil {
		return o, fmt.Errorf("bfs: %w", err)
	}
	defer release()
	on := platformOf(p.Device())
	if err := on.check(&o, p.Device()); err != nil {
		return o, err
	}
	if o.Tuning.Coupling == couplingQuadraticPull && !p.Graph().HasReverse() {
		return o, fmt.Errorf("bfs: coupling %s: %w: build the graph with its reverse", o.Tuning.Coupling, graph.ErrNoReverse)
	}
	o.tuned = o.tuning()
	o.fallsBack = o.fallsBack || o.Tuning.Coupling == couplingAuto
	o.learns = o.learns || on.learns(&o)
	if on.fuses(&o, p) {
		o.Tuning.Coupling = couplingFused
	}
	return o, nil
}

// Space returns what space a search with these options, resolved, takes.
func (o Options) workspace() workspaceOptions {
	return workspaceOptions{Depths: o.Outputs.Has(Depths), Parents: o.Outputs.Has(Parents), DeviceTime: o.DeviceTime, ByID: o.ByID, Stats: o.reportsLevels(context.Background()),
		Fused: o.Tuning.Coupling == couplingFused, FallsBack: o.fallsBack, Learns: o.learns}
}

// check reports options that are out of their range or don't go together.
func (o *Options) check() error {
	switch {
	case o.Tuning.Alpha != 0 || o.Tuning.Beta != 0:
		return fmt.Errorf("bfs: %w: Tuning.Alpha and Beta are for dobfs, which changes direction; leave them 0", graph.ErrOptions)
	case !o.Outputs.Has(Depths) && (o.Tuning.Strategy == strategyRead || o.Tuning.Strategy == strategyHybrid):
		return fmt.Errorf("bfs: %w: strategy %s needs depths; add Depths to Outputs, or take another", graph.ErrOptions, o.Tuning.Strategy)
	}
	if err := o.Tuning.checkNames(bfsName); err != nil {
		return err
	}
	return o.checkShared(bfsName)
}

// checkShared is the part of check that goes for all searches.
func (o *Options) checkShared(algorithm string) error {
	if o.Outputs > Depths|Parents|Counts {
		return fmt.Errorf("%s: %w: Outputs is %d; want Depths, Parents, Depths | Parents or Counts", algorithm, graph.ErrOptions, o.Outputs)
	}
	return o.checkLimit(algorithm)
}

// checkLimit is the part of check that goes for a query too.
func (o *Options) checkLimit(algorithm string) error {
	if o.DepthLimit < 0 {
		return fmt.Errorf("%s: %w: DepthLimit is %d; want a number of levels, or 0 for no limit", algorithm, graph.ErrOptions, o.DepthLimit)
	}
	return nil
}

// tuning is what Result.Tuning has of the options.
func (o *Options) tuning() map[string]any {
	m := map[string]any{}
	if o.Tuning.Strategy != strategyAuto {
		m["strategy"] = o.Tuning.Strategy
	}
	if o.Tuning.Coupling != couplingAuto {
		m["coupling"] = o.Tuning.Coupling
	}
	if len(m) == 0 {
		return nil
	}
	return m
}
