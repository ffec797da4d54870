// This file runs the algorithms and records the modules that they make.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/bridges"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/algos/color"
	"github.com/foray-graph/foray/algos/degree"
	"github.com/foray-graph/foray/algos/eigenvector"
	"github.com/foray-graph/foray/algos/hits"
	"github.com/foray-graph/foray/algos/katz"
	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/ktruss"
	"github.com/foray-graph/foray/algos/leiden"
	"github.com/foray-graph/foray/algos/louvain"
	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/algos/mis"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/algos/msf"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/reach"
	"github.com/foray-graph/foray/algos/similar"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/algos/topo"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/algos/walks"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/foraytest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/functor/ahead"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/testing/emulator"
	"github.com/foray-graph/foray/traverse"
)

// specs are graphs of the kinds that algorithms treat differently: many levels or few, weights or none, long rows
// or short ones.
var specs = []string{"kron8", "kron10:weights=1:255", "road:12x12", "road:12x12,weights=1:100", "grid2d:20x20", "cycle:50"}

// shapes are graphs of foraytest, which have columns too. Its others bring no further module.
var shapes = []string{"parallel", "loops", "road-reverse"}

// emulate makes the emulated GPU this process's.
func emulate(root string) error {
	folder, err := emulator.Folder()
	if err != nil {
		return err
	}
	path, err := emulator.Cached(root, folder)
	if err != nil {
		return err
	}
	return driver.UseLibrary(path)
}

// record returns the modules, each once, in an order that depends on them alone.
func record(ctx context.Context) ([]gpu.Ahead, error) {
	var mu sync.Mutex
	found := map[string]gpu.Ahead{}
	link.Record(func(m gpu.Ahead) {
		mu.Lock()
		found[string(m.PTX)] = m
		mu.Unlock()
	})
	defer link.Record(nil)
	gpu.Patience = 1<<32 - 1 // ticks of the emulated GPU are short
	dev, err := device.Open("cuda")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(runAll(ctx, dev), dev.Close()); err != nil {
		return nil, err
	}
	var all []gpu.Ahead
	for _, m := range found {
		all = append(all, m)
	}
	return ahead.Distinct(all), nil
}

func runAll(ctx context.Context, dev device.Device) error {
	for _, spec := range specs {
		g, err := gen.Parse(spec)
		if err != nil {
			return err
		}
		weights := strings.Contains(spec, "weights")
		for _, o := range []graph.Options{{Weights: weights}, {Weights: weights, Directed: true, Reverse: true}} {
			built, err := gen.Build(ctx, g, o)
			if err != nil {
				return err
			}
			if err := runOn(ctx, dev, built, weights, false); err != nil {
				return fmt.Errorf("%s: %w", spec, err)
			}
		}
	}
	for _, g := range foraytest.Graphs(1) {
		if !slices.Contains(shapes, g.Name) {
			continue
		}
		if err := runOn(ctx, dev, g.Graph, true, true); err != nil {
			return fmt.Errorf("%s: %w", g.Name, err)
		}
	}
	return nil
}

// runOn runs the algorithms with the options of the commands that change what is computed.
func runOn(ctx context.Context, dev device.Device, g *graph.Graph, weights, columns bool) (err error) {
	if g.NumVertices() == 0 {
		return nil
	}
	p, err := g.On(dev)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	var errs []error
	end := func(result io.Closer, err error) {
		if err == nil {
			err = result.Close()
		}
		errs = append(errs, err)
	}
	end(runOf(cc.Run(ctx, p, cc.Options{})))
	for _, engine := range []traverse.Engine{traverse.AutoEngine, traverse.LevelByLevel} {
		end(runOf(kcore.Run(ctx, p, kcore.Options{Engine: engine})))
	}
	end(runOf(mis.Run(ctx, p, mis.Options{})))
	end(runOf(bridges.Run(ctx, p, bridges.Options{})))
	end(runOf(ktruss.Run(ctx, p, ktruss.Options{})))
	for _, o := range []msf.Options{{Unweighted: !weights}, {Unweighted: true}} {
		end(runOf(msf.Run(ctx, p, o)))
	}
	for _, largest := range []bool{false, true} {
		end(runOf(color.Run(ctx, p, color.Options{LargestFirst: largest})))
	}
	for _, o := range []walks.Options{{Length: 2, P: 2}, {Length: 2, Weighted: true}} {
		for _, err := range walks.Each(ctx, p, o) {
			if weights || !o.Weighted {
				errs = append(errs, err)
			}
		}
	}
	for _, o := range []similar.Options{{}, {Pairs: [][2]uint32{{0, 0}}}} {
		_, err := similar.Run(ctx, p, o)
		errs = append(errs, err)
	}
	end(runOf(triangles.Run(ctx, p, triangles.Options{})))
	if g.Directed() {
		for _, o := range []topo.Options{{}, {Weighted: weights}} { // most have a cycle, which is found at the end
			r, err := topo.Run(ctx, p, o)
			if cycle := (*topo.CycleError)(nil); !errors.As(err, &cycle) {
				end(r, err)
			}
		}
	}
	end(runOf(triangles.Run(ctx, p, triangles.Options{CountOnly: true})))
	if weights {
		errs = append(errs, paths(ctx, p, end))
	}
	if g.In() != nil || !g.Directed() {
		end(runOf(bc.Run(ctx, p, bc.Options{Samples: 2})))
		end(runOf(closeness.Run(ctx, p, closeness.Options{Of: []uint32{0}})))
		end(runOf(cc.Strong(ctx, p, cc.Options{})))
		end(runOf(leiden.Run(ctx, p, leiden.Options{Weighted: weights})))
		end(runOf(louvain.Run(ctx, p, louvain.Options{})))
		end(runOf(lpa.Run(ctx, p, lpa.Options{Iterations: 3})))
		errs = append(errs, centralities(ctx, p, weights, end))
		for _, o := range []pagerank.Options{{}, {Iterations: 3, Tolerance: -1}, {Personalization: personal(g)}, {Weighted: true}, {Start: personal(g)}} {
			if weights || !o.Weighted {
				end(runOf(pagerank.Run(ctx, p, o)))
			}
		}
	}
	_, err = msbfs.Run(ctx, p, []uint32{0}, msbfs.Options{})
	errs = append(errs, err)
	if !g.Directed() {
		end(runOf(closeness.Bound(ctx, p, 2, 1, closeness.Options{})))
	}
	if columns {
		end(runOf(reach.Match(ctx, p, reach.Options{Sources: []uint32{0}, Expression: "follows*,likes"})))
		end(runOf(reach.Arrivals(ctx, p, reach.Options{Sources: []uint32{0}, Time: "time", Duration: "duration"})))
	}
	return errors.Join(errs...)
}

// paths runs searches for shortest paths, before and after the rows were sorted by weight. Searches of graphs with short
// rows are left to the driver: on an H200 a road took 6.8 to 6.9 ms with its code, and 7.5 with that of ptxas 11.8.
func paths(ctx context.Context, p *graph.Placed, end func(io.Closer, error)) error {
	if p.State().MaxDegree() <= tuning.ShortRows {
		return nil
	}
	for range 2 {
		for _, o := range []sssp.Options{{}, {Parents: true}, {Float32: true}, {Limit: 3}, {Targets: []uint32{0}}, {Engine: traverse.LevelByLevel}, {Engine: traverse.LevelByLevel, Parents: true}} {
			end(runOf(sssp.Run(ctx, p, 0, o)))
		}
		if _, err := sssp.Prepare(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// centralities runs those that multiply by the adjacency matrix.
func centralities(ctx context.Context, p *graph.Placed, weights bool, end func(io.Closer, error)) error {
	for _, weighted := range []bool{false, true} {
		if weighted && !weights {
			return nil
		}
		end(runOf(degree.Run(ctx, p, degree.Options{Weighted: weighted})))
		end(runOf(eigenvector.Run(ctx, p, eigenvector.Options{Iterations: 3, Weighted: weighted})))
		end(runOf(hits.Run(ctx, p, hits.Options{Iterations: 3, Weighted: weighted})))
		end(runOf(katz.Run(ctx, p, katz.Options{Alpha: 1e-9, Iterations: 3, Weighted: weighted})))
	}
	return nil
}

// personal is a distribution for PageRank.
func personal(g *graph.Graph) []float64 {
	all := make([]float64, g.NumVertices())
	all[0] = 1
	return all
}

// runOf passes on a result of any type.
func runOf[R io.Closer](r R, err error) (io.Closer, error) { return r, err }
