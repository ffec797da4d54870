// Package dobfs is direction-optimising breadth-first search (Beamer,
// Asanović, Patterson, SC 2012): a level is pushed along the out-edges of the
// frontier while that is small, and pulled by the vertices not yet visited
// while it is large.
//
// Contexts must not be nil: as in the standard library, a nil one panics.
package dobfs

import (
	"context"
	"fmt"
	"log/slog"
	"math"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/search"
)

// Options say what a search computes and when it changes direction. The zero
// value computes depths of all that can be reached.
type Options struct {
	// Parents computes the parent of every vertex reached too.
	Parents bool
	// NoDepths leaves depths out: Result.Depths and DepthsByID are nil.
	NoDepths bool
	// Alpha: push turns into pull when the frontier has more than 1/Alpha of the
	// edges of the vertices not yet visited. 0 means DefaultAlpha, or with bfs.Fused that
	// kernel's own rule; less is graph.ErrOptions.
	Alpha float64
	// Beta: pull turns back into push when the frontier has fewer than 1/Beta of
	// all vertices, and a push has less to do (bfs.Fused looks at the first alone). 0
	// means DefaultBeta; all else is as with Alpha.
	Beta float64
	// DepthLimit ends the search after so many levels below the sources: no
	// depth is larger. 0 means no limit; less is an error.
	DepthLimit int32
	// Targets, vertices of the graph, end the search after the level in which
	// the last of them is reached. It goes on to the end where one never is.
	Targets []uint32
	// Stats is that of bfs.Options.
	Stats bool
	// Coupling is how a GPU divides a level into kernels: bfs.AutoCoupling,
	// bfs.Fused, or bfs.ExpandContract for a loop on the host. Another is
	// graph.ErrOptions, and so are any but bfs.AutoCoupling on the host, and bfs.Fused
	// together with Progress or more Targets than bfs.FusedTargets.
	Coupling bfs.Coupling
	// DeviceTime fills in Result.DeviceTime on a GPU; on the host that stays 0.
	DeviceTime bool
	// ByID is that of bfs.Options.
	ByID bool
	// Progress, if not nil, is called after each level, from the goroutine that
	// called Run.
	Progress func(bfs.Level)
	// Logger is that of bfs.Options.
	Logger *slog.Logger
}

// The factors of the switch. Beamer et al. have 14 and 24, GAP 15 and 18; on
// the host a push costs an atomic operation for every vertex that it finds and
// a pull's first probe costs next to nothing. See bench/NOTES.md.
const (
	DefaultAlpha = 15
	DefaultBeta  = 18
)

// Run searches from one source, a vertex of the graph (see Graph.Vertex for
// external ids). Any number of searches may run at once. The result is the
// caller's; its Free makes the next search cheaper.
//
// The error is graph.ErrNoReverse for a directed graph that was built without
// its reverse, or one of those of bfs.Run.
func Run(ctx context.Context, p *graph.Placed, source uint32, o Options) (*bfs.Result, error) {
	return RunMany(ctx, p, []uint32{source}, o)
}

// RunMany searches from several sources at once: the depth of a vertex is its
// distance from the nearest one. All else is as with Run.
func RunMany(ctx context.Context, p *graph.Placed, sources []uint32, o Options) (*bfs.Result, error) {
	space, err := o.settle(p)
	if err != nil {
		return nil, err
	}
	return search.RunOf(ctx, p, sources, algorithm, o.loop(), space, o.search())
}

// algorithm is what results of this package say they come from.
const algorithm = "dobfs"

// NewSearcher returns a bfs.Searcher of searches with the options of Run. Errors
// are those of Run for options and the placed graph.
func NewSearcher(p *graph.Placed, o Options) (*bfs.Searcher, error) {
	space, err := o.settle(p)
	if err != nil {
		return nil, err
	}
	return search.NewSearcherOf(p, algorithm, o.loop(), space, o.search()), nil
}

// NewPool returns a bfs.Pool of searches with the options of Run, within a
// budget, of which bfs.NewPool says more.
func NewPool(p *graph.Placed, o Options, b *device.Budget) (*bfs.Pool, error) {
	return search.NewPoolOf(p, b, func() (*bfs.Searcher, error) { return NewSearcher(p, o) })
}

// RemoteBytes returns what a search with these options takes of a GPU's memory at
// most, as bfs.Options.RemoteBytes does, which says what else has to be free there.
func (o Options) RemoteBytes(g *graph.Graph) uint64 {
	fused := o.Coupling == bfs.Fused || o.Coupling == bfs.AutoCoupling && o.fusable()
	return search.RemoteBytesOf(g, o.space(fused), o.loop())
}

// space returns what space a search takes.
func (o Options) space(fused bool) search.SpaceOptions {
	return search.SpaceOptions{Depths: !o.NoDepths, Parents: o.Parents, DeviceTime: o.DeviceTime, ByID: o.ByID, Stats: o.Stats,
		Fused: fused, FallsBack: o.Coupling == bfs.AutoCoupling, Pulls: true}
}

// fusable reports whether the search can be one kernel.
func (o Options) fusable() bool {
	return o.Progress == nil && len(o.Targets) <= bfs.FusedTargets
}

// settle checks the options for searches of a placed graph, and returns what
// space they take.
func (o Options) settle(p *graph.Placed) (search.SpaceOptions, error) {
	if err := p.Err(); err != nil {
		return search.SpaceOptions{}, fmt.Errorf("dobfs: %w", err)
	}
	if p.Graph().In() == nil {
		return search.SpaceOptions{}, fmt.Errorf("dobfs: %w: build the graph with its reverse, or use bfs", graph.ErrNoReverse)
	}
	if err := o.checkSwitch(); err != nil {
		return search.SpaceOptions{}, err
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
	if err := o.checkSwitch(); err != nil {
		return err
	}
	_, err := o.fused(dev)
	return err
}

// checkSwitch reports factors that are out of their range.
func (o Options) checkSwitch() error {
	if !(o.Alpha >= 0 && o.Beta >= 0) {
		return fmt.Errorf("dobfs: %w: alpha %g and beta %g; want numbers greater than 0, or 0 for the default", graph.ErrOptions, o.Alpha, o.Beta)
	}
	return nil
}

// loop returns the options that search.Loop keeps to.
func (o Options) loop() bfs.Options {
	return bfs.Options{
		DepthLimit: o.DepthLimit, Targets: o.Targets, Stats: o.Stats, Progress: o.Progress, Logger: o.Logger,
		Coupling: bfs.ExpandContract, // which has no edge frontiers
	}
}

// search returns the search: as one kernel, or the loop.
func (o Options) search() func(*search.Space, *search.Loop) error {
	tuned := o.tuning()
	return func(s *search.Space, l *search.Loop) error {
		l.Result.Tuning = tuned
		if s.OneKernel() {
			return s.Fused(l, &direction, o.Alpha, o.Beta)
		}
		return loop(s, l, newSwitch(s, o))
	}
}

// tuning is what Result.Tuning has of the options.
func (o *Options) tuning() map[string]any {
	m := map[string]any{}
	if o.Alpha > 0 && o.Alpha != DefaultAlpha && !math.IsInf(o.Alpha, 0) {
		m["alpha"] = o.Alpha
	}
	if o.Beta > 0 && o.Beta != DefaultBeta && !math.IsInf(o.Beta, 0) {
		m["beta"] = o.Beta
	}
	if o.Coupling != bfs.AutoCoupling {
		m["coupling"] = o.Coupling.String()
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

// fused reports whether the search is to be one kernel.
func (o Options) fused(dev device.Device) (bool, error) {
	_, remote := dev.(device.Uploader)
	switch {
	case !remote && o.Coupling != bfs.AutoCoupling:
		return false, fmt.Errorf("dobfs: %w: Coupling is for GPUs; the graph is on %s", graph.ErrOptions, dev.Info().Name)
	case !remote || o.Coupling == bfs.ExpandContract:
		return false, nil
	case o.Coupling == bfs.AutoCoupling:
		return o.fusable(), nil
	case o.Coupling != bfs.Fused:
		return false, fmt.Errorf("dobfs: %w: coupling %s; want auto, fused or expand-contract", graph.ErrOptions, o.Coupling)
	case !o.fusable():
		return false, fmt.Errorf("dobfs: %w: coupling fused takes no Progress, and %d Targets at most", graph.ErrOptions, bfs.FusedTargets)
	}
	return true, nil
}

// loop is the loop of BFS with a choice of direction before each level.
func loop(s *search.Space, l *search.Loop, sw switcher) error {
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
	return s.Err()
}
