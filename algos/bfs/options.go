// This file holds the options of a breadth-first search.

package bfs

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// Strategy is how the host finds the vertices of a level.
type Strategy uint8

// The strategies. bench/RESULTS.md has the cost of each.
const (
	// Auto is the fastest known for the graph: QueueBased at present on every
	// class of graphs that was measured.
	Auto Strategy = iota
	// QueueBased keeps the frontier in a queue: a visited bitmap, tested before
	// the atomic operation, local queues that reserve chunks of the shared one
	// (Agarwal et al., SC 2010).
	QueueBased
	// ReadBased keeps no queue: every level reads the level array in order
	// (Hong et al., PACT 2011). It needs depths.
	ReadBased
	// Hybrid is QueueBased while the frontier is small and ReadBased while it is
	// a large part of all vertices (Hong et al., PACT 2011).
	Hybrid
)

var strategyNames = [...]string{"auto", "queue", "read", "hybrid"}

func (s Strategy) String() string {
	if int(s) < len(strategyNames) {
		return strategyNames[s]
	}
	return fmt.Sprintf("Strategy(%d)", uint8(s))
}

// ParseStrategy returns the strategy of that name: auto, queue, read or hybrid.
// Another name is graph.ErrOptions.
func ParseStrategy(name string) (Strategy, error) {
	for i, n := range strategyNames {
		if n == name {
			return Strategy(i), nil
		}
	}
	return 0, fmt.Errorf("bfs: %w: unknown strategy %q (auto, queue, read or hybrid)", graph.ErrOptions, name)
}

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
	// called Run. A search in one kernel (Fused) continues meanwhile: EachLevel gets its
	// levels as the host sees them end, and the levels deeper than 1,048,576 as one.
	EachLevel func(Level)
	// Logger, if not nil, gets a line per search (slog.LevelInfo), with its error if it
	// fails, and, where it
	// is enabled for slog.LevelDebug, a line per level, which then costs what
	// Stats does. Its context is the search's. nil is silence: nothing is logged elsewhere.
	Logger *slog.Logger
	// Tuning chooses between ways to search. The zero value is the fastest known for
	// the graph and the device.
	Tuning Tuning
	// Variant, if not nil, chooses the direction of each level. Such a search of a directed graph that
	// was built without its reverse is graph.ErrNoReverse. Package dobfs sets it in its own options.
	Variant *Variant

	tuned     map[string]any // what resolve found not to be the default
	fallsBack bool           // Coupling was AutoCoupling
}

// Tuning chooses between ways to search that find the same: it is there for measuring
// and for tests. The zero value is the fastest known for the graph and the device.
type Tuning struct {
	// Strategy is how the host finds the vertices of a level. On a GPU and for dobfs any
	// but Auto is graph.ErrOptions, and so are ReadBased and Hybrid without Depths.
	Strategy Strategy
	// Coupling is how a GPU divides a level into kernels. On the host any but
	// AutoCoupling is graph.ErrOptions. Fused is so together with more
	// than 32 Targets, Balance, Culls or CountCulls, and Quadratic and
	// QuadraticPull without Depths. dobfs takes AutoCoupling, Fused, and ExpandContract
	// for a loop on the host.
	Coupling Coupling
	// Balance is how a GPU shares out the edges of a frontier. On the host, for dobfs,
	// and with Fused, any but advance.AutoBalance is graph.ErrOptions.
	Balance advance.Strategy
	// Culls is how a GPU drops what was seen before; 0 means filter.Exactly.
	// Without filter.Exactly a vertex may enter a frontier more than once, and
	// Level.Frontier counts it as often. On the host, for dobfs, and with Fused, any
	// but 0 is graph.ErrOptions. So are ways without filter.Exactly and filter.ByLabel,
	// or, for ContractExpand and HybridCoupling, without filter.Exactly; filter.Exactly
	// with filter.ByBitmask; and filter.ByLabel without depths and parents.
	Culls filter.Culls
	// CountCulls fills in Result.Culled. On the host, for dobfs, and with Fused, it is
	// graph.ErrOptions.
	CountCulls bool
	// Alpha is for dobfs: push turns into pull when the frontier has more than 1/Alpha
	// of the edges of the vertices not yet visited. 0 means dobfs.DefaultAlpha, or with
	// Fused that kernel's own rule; less is graph.ErrOptions, and so is any but 0 for bfs.
	Alpha float64
	// Beta is for dobfs: pull turns back into push when the frontier has fewer than
	// 1/Beta of all vertices, and a push has less to do (Fused looks at the first
	// alone). 0 means dobfs.DefaultBeta; all else is as with Alpha.
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
	if o.Tuning.Coupling == QuadraticPull && !p.Graph().HasReverse() {
		return o, fmt.Errorf("bfs: coupling %s: %w: build the graph with its reverse", o.Tuning.Coupling, graph.ErrNoReverse)
	}
	o.tuned = o.tuning()
	o.fallsBack = o.fallsBack || o.Tuning.Coupling == AutoCoupling
	if on.fuses(&o, p) {
		o.Tuning.Coupling = Fused
	}
	return o, nil
}

// Space returns what space a search with these options, resolved, takes.
func (o Options) workspace() workspaceOptions {
	return workspaceOptions{Depths: o.Outputs.Has(Depths), Parents: o.Outputs.Has(Parents), DeviceTime: o.DeviceTime, ByID: o.ByID, Stats: o.reportsLevels(context.Background()),
		Fused: o.Tuning.Coupling == Fused, FallsBack: o.fallsBack}
}

// check reports options that are out of their range or don't go together.
func (o *Options) check() error {
	switch {
	case int(o.Tuning.Strategy) >= len(strategyNames):
		return fmt.Errorf("bfs: %w: unknown strategy %d; want one of bfs.Auto to bfs.Hybrid", graph.ErrOptions, o.Tuning.Strategy)
	case o.Outputs > Depths|Parents|Counts:
		return fmt.Errorf("bfs: %w: Outputs is %d; want Depths, Parents, Depths | Parents or Counts", graph.ErrOptions, o.Outputs)
	case o.Tuning.Alpha != 0 || o.Tuning.Beta != 0:
		return fmt.Errorf("bfs: %w: Tuning.Alpha and Beta are for dobfs, which changes direction; leave them 0", graph.ErrOptions)
	case !o.Outputs.Has(Depths) && (o.Tuning.Strategy == ReadBased || o.Tuning.Strategy == Hybrid):
		return fmt.Errorf("bfs: %w: strategy %s needs depths; add Depths to Outputs, or take another", graph.ErrOptions, o.Tuning.Strategy)
	}
	return o.checkLimit()
}

// checkLimit is the part of check that goes for all searches.
func (o *Options) checkLimit() error {
	if o.DepthLimit < 0 {
		return fmt.Errorf("bfs: %w: DepthLimit is %d; want a number of levels, or 0 for no limit", graph.ErrOptions, o.DepthLimit)
	}
	return nil
}

// tuning is what Result.Tuning has of the options.
func (o *Options) tuning() map[string]any {
	m := map[string]any{}
	if o.Tuning.Strategy != Auto {
		m["strategy"] = o.Tuning.Strategy.String()
	}
	if o.Tuning.Coupling != AutoCoupling {
		m["coupling"] = o.Tuning.Coupling.String()
	}
	if len(m) == 0 {
		return nil
	}
	return m
}
