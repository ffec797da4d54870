// This file holds the algorithms that are measured and what they found.

package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// Kind is an algorithm's name on the command line.
type Kind string

// The algorithms.
const (
	BFS        Kind = "bfs"   // push only
	DOBFS      Kind = "dobfs" // direction-optimizing
	Sequential Kind = "seq"   // one goroutine, depths only
)

// Algorithm is an algorithm with its parameters.
type Algorithm struct {
	Kind        Kind
	Strategy    string           // of BFS on the host
	Coupling    string           // of BFS on a GPU
	Balance     advance.Strategy // of BFS on a GPU
	Culls       filter.Culls     // of BFS on a GPU
	Alpha, Beta float64          // of DOBFS; 0 means its defaults
}

// Auto returns the fastest known algorithm: DOBFS if the graph has in-edges for
// pulls, else BFS.
func Auto(g *graph.Graph) Algorithm {
	if g.HasReverse() {
		return Algorithm{Kind: DOBFS}
	}
	return Algorithm{Kind: BFS}
}

// String names the algorithm and its settings that differ from the default, such as
// "bfs/hybrid" or "dobfs/alpha=4".
func (a Algorithm) String() string {
	parts := []string{string(a.Kind)}
	if a.Kind == BFS && a.Strategy != "" {
		parts = append(parts, a.Strategy)
	}
	if a.Coupling != "" {
		parts = append(parts, a.Coupling)
	}
	if a.Kind == BFS && a.Balance != advance.AutoBalance {
		parts = append(parts, a.Balance.String())
	}
	if a.Kind == BFS && a.Culls != 0 {
		parts = append(parts, a.Culls.String())
	}
	if a.Kind == DOBFS && a.Alpha != 0 {
		parts = append(parts, fmt.Sprintf("alpha=%g", a.Alpha))
	}
	if a.Kind == DOBFS && a.Beta != 0 {
		parts = append(parts, fmt.Sprintf("beta=%g", a.Beta))
	}
	return strings.Join(parts, "/")
}

// check refuses what the algorithm can't do on the device.
func (a Algorithm) check(dev device.Device, o Options) error {
	var err error
	switch a.Kind {
	case BFS:
		if !o.Outputs.Has(bfs.Depths) && (a.Strategy == "read" || a.Strategy == "hybrid") {
			return fmt.Errorf("%w: strategy %s needs depths", ErrOption, a.Strategy)
		}
		err = a.bfs(o).Check(dev)
	case DOBFS:
		err = a.dobfs(o).Check(dev)
	case Sequential:
		if o.Outputs != 0 && o.Outputs != bfs.Depths {
			return fmt.Errorf("%w: seq finds depths, neither more nor less", ErrOption)
		}
	default:
		return fmt.Errorf("%w: unknown algorithm %q (bfs, dobfs or seq)", ErrOption, a.Kind)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	return nil
}

// bfs returns the options of package bfs.
func (a Algorithm) bfs(o Options) bfs.Options {
	return bfs.Options{Outputs: o.Outputs, Tuning: bfs.Tuning{Strategy: a.Strategy, Coupling: a.Coupling, Balance: a.Balance, Culls: a.Culls}, ByID: o.GivenOrder}
}

// dobfs returns those of package dobfs.
func (a Algorithm) dobfs(o Options) dobfs.Options {
	return dobfs.Options{Outputs: o.Outputs, Tuning: bfs.Tuning{Alpha: a.Alpha, Beta: a.Beta, Coupling: a.Coupling}, ByID: o.GivenOrder}
}

// found is what a run found. res is nil for Sequential.
type found struct {
	res     *bfs.Result
	depths  []int32
	parents []uint32
	given   *given // the same in the given order, where that was asked for
}

func (f found) free() {
	if f.res != nil {
		f.res.Close()
	}
}

// run searches once, and returns the time from the call until the result is
// complete on the device: by the GPU's clock, or the host's for the host.
func (a Algorithm) run(ctx context.Context, p *graph.Placed, source uint32, o Options) (found, time.Duration, error) {
	var res *bfs.Result
	var err error
	switch a.Kind {
	case Sequential:
		start := time.Now()
		depths := oracle.Depths(p.Graph().Out(), source)
		return found{depths: depths}, time.Since(start), nil
	case DOBFS:
		so := a.dobfs(o)
		so.DeviceTime = true
		res, err = dobfs.Run(ctx, p, source, so)
	default:
		so := a.bfs(o)
		so.DeviceTime = true
		res, err = bfs.Run(ctx, p, source, so)
	}
	if err != nil {
		return found{}, 0, err
	}
	if res.DeviceTime > 0 {
		return found{res: res}, res.DeviceTime, nil
	}
	return found{res: res}, res.Elapsed, nil
}

// fetch makes what was found available to the host, which a GPU's arrays are
// copied for.
func (f *found) fetch() error {
	if f.res != nil {
		var errs [4]error
		var g given
		f.depths, errs[0] = optional(f.res.Depths())
		f.parents, errs[1] = optional(f.res.Parents())
		g.depths, errs[2] = optional(f.res.DepthsByID())
		g.parents, errs[3] = optional(f.res.ParentsByID())
		if g.depths != nil || g.parents != nil {
			f.given = &g
		}
		return cmp.Or(errs[:]...)
	}
	return nil
}

// optional returns an array, or nil where the search left it out.
func optional[T any](all []T, err error) ([]T, error) {
	if errors.Is(err, graph.ErrOptions) {
		return nil, nil
	}
	return all, err
}
