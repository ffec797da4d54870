// Package dobfs is direction-optimising breadth-first search (Beamer,
// Asanović, Patterson, SC 2012): a level is pushed along the out-edges of the
// frontier while that is small, and pulled by the vertices not yet visited
// while it is large.
//
// A nil context is an error that wraps graph.ErrOptions.
package dobfs

import (
	"context"
	"fmt"
	"log/slog"
	"math"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/traverse"
)

// Options configure a search and when it changes direction. The zero value computes
// the depths of all reachable vertices.
type Options struct {
	// Parents computes the parent of every vertex reached too.
	Parents bool
	// NoDepths leaves depths out: Result.Depths and DepthsByID are nil.
	NoDepths bool
	// DepthLimit ends the search after so many levels below the sources: no
	// depth is larger. 0 means no limit; less is an error.
	DepthLimit int32
	// Targets, vertices of the graph, end the search after the level in which the last
	// of them is reached. If one is never reached, the search runs to the end.
	Targets []uint32
	// Stats is the same as in bfs.Options.
	Stats bool
	// DeviceTime fills in Result.DeviceTime on a GPU; on the host that stays 0.
	DeviceTime bool
	// ByID is the same as in bfs.Options.
	ByID bool
	// Progress is the same as in bfs.Options.
	Progress func(bfs.Level)
	// Logger is the same as in bfs.Options.
	Logger *slog.Logger
	// Tuning chooses between implementations, and when the direction changes:
	// Coupling, Alpha and Beta. The other fields are for bfs; a nonzero value is
	// graph.ErrOptions.
	Tuning bfs.Tuning
}

// Run searches from one source, a vertex of the graph (see Graph.Vertex for
// external ids). Any number of searches may run at once. The result is the
// caller's; its Free makes the next search cheaper.
//
// The error is graph.ErrNoReverse for a directed graph that was built without
// its reverse, or one of those of bfs.Run.
func Run(ctx context.Context, p *graph.Placed, source uint32, o Options) (*bfs.Result, error) {
	if err := callctx.Check(ctx, "dobfs"); err != nil {
		return nil, err
	}
	return RunMany(ctx, p, []uint32{source}, o)
}

// RunMany searches from several sources at once: the depth of a vertex is its
// distance from the nearest one. All else is as with Run.
func RunMany(ctx context.Context, p *graph.Placed, sources []uint32, o Options) (*bfs.Result, error) {
	if err := callctx.Check(ctx, "dobfs"); err != nil {
		return nil, err
	}
	space, err := o.resolve(p)
	if err != nil {
		return nil, err
	}
	return o.algorithm(space).Run(ctx, p, sources)
}

// NewSearcher returns a bfs.Searcher of searches with the options of Run. Errors are
// the same as for Run.
func NewSearcher(p *graph.Placed, o Options) (*bfs.Searcher, error) {
	space, err := o.resolve(p)
	if err != nil {
		return nil, err
	}
	return o.algorithm(space).Searcher(p), nil
}

// NewPool returns a bfs.Pool of searches with the options of Run, within a
// budget, of which bfs.NewPool says more.
func NewPool(p *graph.Placed, o Options, b *device.Budget) (*bfs.Pool, error) {
	q, err := traverse.NewPool(p, b, func() (*bfs.Searcher, error) { return NewSearcher(p, o) })
	if err != nil {
		return nil, err
	}
	return &bfs.Pool{Pool: q}, nil
}

// RemoteBytes returns the maximum GPU memory of a search with these options. See
// bfs.Options.RemoteBytes for the additional memory that must be free.
func (o Options) RemoteBytes(g *graph.Graph) uint64 {
	fused := o.Tuning.Coupling == bfs.Fused || o.Tuning.Coupling == bfs.AutoCoupling && o.fusable()
	return o.algorithm(o.space(fused)).RemoteBytes(g)
}

// space returns what space a search takes.
func (o Options) space(fused bool) bfs.SpaceOptions {
	loop := o.loop()
	return bfs.SpaceOptions{Depths: !o.NoDepths, Parents: o.Parents, DeviceTime: o.DeviceTime, ByID: o.ByID, Stats: loop.ReportsLevels(context.Background()),
		Fused: fused, FallsBack: o.Tuning.Coupling == bfs.AutoCoupling, Pulls: true}
}

// fusable reports whether the search can be one kernel.
func (o Options) fusable() bool {
	return len(o.Targets) <= bfs.FusedTargets
}

// resolve checks the options for searches of a placed graph, and returns what
// space they take.
func (o Options) resolve(p *graph.Placed) (bfs.SpaceOptions, error) {
	if err := p.Err(); err != nil {
		return bfs.SpaceOptions{}, fmt.Errorf("dobfs: %w", err)
	}
	if !p.Graph().HasReverse() {
		return bfs.SpaceOptions{}, fmt.Errorf("dobfs: %w: build the graph with its reverse, or use bfs", graph.ErrNoReverse)
	}
	if err := o.checkTuning(); err != nil {
		return bfs.SpaceOptions{}, err
	}
	fused, err := o.fused(p.Device())
	return o.space(fused), err
}

// Check returns graph.ErrOptions where Run would, on a graph placed on the device,
// whatever the graph, as bfs.Options.Check does.
func (o Options) Check(dev device.Device) error {
	if err := (bfs.Options{DepthLimit: o.DepthLimit}).Check(dev); err != nil {
		return err
	}
	if err := o.checkTuning(); err != nil {
		return err
	}
	_, err := o.fused(dev)
	return err
}

// checkTuning reports factors that are out of their range, and what isn't for this search.
func (o Options) checkTuning() error {
	others := o.Tuning
	others.Coupling, others.Alpha, others.Beta = bfs.AutoCoupling, 0, 0
	if others != (bfs.Tuning{}) {
		return fmt.Errorf("dobfs: %w: Tuning has Strategy, Balance, Culls or CountCulls, which are for bfs; leave them zero", graph.ErrOptions)
	}
	if !(o.Tuning.Alpha >= 0 && o.Tuning.Beta >= 0) {
		return fmt.Errorf("dobfs: %w: alpha %g and beta %g; want numbers greater than 0, or 0 for the default", graph.ErrOptions, o.Tuning.Alpha, o.Tuning.Beta)
	}
	return nil
}

// loop returns the options that bfs.Loop keeps to.
func (o Options) loop() bfs.Options {
	return bfs.Options{
		DepthLimit: o.DepthLimit, Targets: o.Targets, Stats: o.Stats, Progress: o.Progress, Logger: o.Logger,
		Tuning: bfs.Tuning{Coupling: bfs.ExpandContract}, // which has no edge frontiers
	}
}

// algorithm returns the search in a space that takes so much.
func (o Options) algorithm(space bfs.SpaceOptions) *bfs.Algorithm {
	tuned := o.tuning()
	host := func(h *bfs.Host, l *bfs.Loop) error {
		l.Result.Tuning = tuned
		return loop(h.Space, l, newSwitch(h.Space, o))
	}
	gpu := func(g *bfs.GPU, l *bfs.Loop) error {
		l.Result.Tuning = tuned
		if g.OneKernel() {
			return g.Fused(l, &direction, o.Tuning.Alpha, o.Tuning.Beta)
		}
		return loop(g.Space, l, newSwitch(g.Space, o))
	}
	across := func(g *bfs.Across, l *bfs.Loop) error {
		l.Result.Tuning = tuned
		return g.Search(l, true, o.Tuning.Alpha, o.Tuning.Beta)
	}
	return &bfs.Algorithm{Name: "dobfs", Options: o.loop(), Space: space, Host: host, GPU: gpu, Across: across}
}

// tuning is what Result.Tuning has of the options.
func (o *Options) tuning() map[string]any {
	m := map[string]any{}
	if o.Tuning.Alpha > 0 && o.Tuning.Alpha != DefaultAlpha && !math.IsInf(o.Tuning.Alpha, 0) {
		m["alpha"] = o.Tuning.Alpha
	}
	if o.Tuning.Beta > 0 && o.Tuning.Beta != DefaultBeta && !math.IsInf(o.Tuning.Beta, 0) {
		m["beta"] = o.Tuning.Beta
	}
	if o.Tuning.Coupling != bfs.AutoCoupling {
		m["coupling"] = o.Tuning.Coupling.String()
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

// fused reports whether the search is to be one kernel.
func (o Options) fused(dev device.Device) (bool, error) {
	_, remote := dev.(device.Uploader)
	if bfs.Several(dev) {
		return true, (bfs.Options{Targets: o.Targets, Tuning: bfs.Tuning{Coupling: o.Tuning.Coupling}}).Check(dev)
	}
	switch {
	case !remote && o.Tuning.Coupling != bfs.AutoCoupling:
		return false, fmt.Errorf("dobfs: %w: Coupling is for GPUs; the graph is on %s", graph.ErrOptions, dev.Info().Name)
	case !remote || o.Tuning.Coupling == bfs.ExpandContract:
		return false, nil
	case o.Tuning.Coupling == bfs.AutoCoupling:
		return o.fusable(), nil
	case o.Tuning.Coupling != bfs.Fused:
		return false, fmt.Errorf("dobfs: %w: coupling %s; want auto, fused or expand-contract", graph.ErrOptions, o.Tuning.Coupling)
	case !o.fusable():
		return false, fmt.Errorf("dobfs: %w: coupling fused takes %d Targets at most", graph.ErrOptions, bfs.FusedTargets)
	}
	return true, nil
}

// loop is the loop of BFS with a choice of direction before each level.
func loop(s *bfs.Space, l *bfs.Loop, sw switcher) error {
	for l.Next(s.Cur.Len()) {
		if sw.pull(s.Cur, l.Result.Reached) {
			edges, err := s.Pull(l.Level)
			if err != nil {
				return err
			}
			l.Done(bfs.Pull, "bitmap", edges)
		} else {
			if err := s.Cur.List(s.Stream); err != nil {
				return err
			}
			edges, err := s.Push(l.Level)
			if err != nil {
				return err
			}
			sw.pushed(edges)
			l.Done(bfs.Push, "queue", edges)
		}
		s.Cur, s.Next = s.Next, s.Cur
	}
	return s.Ended()
}
