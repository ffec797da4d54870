// This file holds how cost grows with the size of an R-MAT graph, and the levels of one compared with published ones.

package paper

import (
	"context"
	"errors"
	"strings"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Growth is what searches of an R-MAT graph of one size cost.
type Growth struct {
	Input         string         `json:"input"`
	Vertices      int            `json:"vertices"`
	DirectedEdges uint64         `json:"directed_edges"`
	Bytes         uint64         `json:"bytes"` // of the graph's arrays, and on a GPU of a search's
	Floor         uint64         `json:"floor"` // bytes that a search by pushes has to move at least
	Results       []bench.Result `json:"results"`
}

// Sizes of R-MAT graphs, as 2^scale vertices with 16 edges each, by the report's scale.
func growthScales(s Scale, gpu bool) (first, last int) {
	switch {
	case s == Paper && gpu:
		return 16, 26
	case s == Paper:
		return 14, 22
	case s == Medium:
		return 14, 20
	default:
		return 10, 15
	}
}

// floorBytes is what a search by pushes moves at least: each target and offset once, and a depth for each vertex.
func floorBytes(g *graph.Graph) uint64 {
	return 4*g.NumDirectedEdges() + (8+4)*uint64(g.NumVertices())
}

func grown(ctx context.Context, dev device.Device, gpu bool, spec string, o Options) (_ *Growth, err error) {
	g, err := o.Generate(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	p, err := g.On(dev)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	x := &Growth{Input: "gen:" + spec, Vertices: g.NumVertices(), DirectedEdges: g.NumDirectedEdges(), Floor: floorBytes(g)}
	x.Bytes = g.RemoteBytes()
	if gpu {
		search, shared := bfs.Options{}.RemoteBytes(g)
		x.Bytes += search + shared
	}
	b, err := bench.Run(ctx, p, bench.Options{Sources: o.Sources, Seed: o.Seed, Trials: o.Trials, NoCheck: o.NoCheck,
		Algorithms: []bench.Algorithm{{Kind: bench.BFS}, {Kind: bench.DOBFS}}})
	if err != nil {
		return nil, err
	}
	x.Results = b.Results
	return x, nil
}

// LevelShares are the levels of a large R-MAT graph.
type LevelShares struct {
	Input         string   `json:"input"`
	Source        string   `json:"source"`
	Vertices      int      `json:"vertices"`
	DirectedEdges uint64   `json:"directed_edges"`
	Levels        []uint64 `json:"levels"`    // vertices
	Published     []uint64 `json:"published"` // of the graph with 32 M vertices and 256 M edges
	Ways          []Way    `json:"ways"`
}

// Way is how one way to search did each level.
type Way struct {
	Name   string   `json:"name"`
	Levels []string `json:"levels"` // push or pull, and the frontier's form
}

// published are the levels of an R-MAT graph with 32 M vertices and 256 M edges: Agarwal et al., "Scalable graph
// exploration on multicore processors" (SC 2010).
var published = []uint64{1, 4, 749, 109_239, 7_103_690, 9_088_298, 130_298, 172}

// rmatSpec returns the graph whose levels are compared: 8 edges for each vertex, 2^25 vertices at the paper's scale.
func rmatSpec(s Scale) string {
	return map[Scale]string{Small: "kron15", Medium: "kron19", Paper: "kron25"}[s] + ":edgefactor=8"
}

func levelShares(ctx context.Context, dev device.Device, gpu bool, o Options) (_ *LevelShares, err error) {
	spec := rmatSpec(o.Scale)
	g, err := o.Generate(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	p, err := g.On(dev)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	sources := bench.Sources(g, bench.ExternalOrder(g.IDs()), 1, o.Seed)
	if len(sources) == 0 {
		return nil, bench.ErrNoSource
	}
	x := &LevelShares{Input: "gen:" + spec, Source: g.IDs().Format(sources[0]), Vertices: g.NumVertices(), DirectedEdges: g.NumDirectedEdges(), Published: published}
	run := func(name string, search func() (*bfs.Result, error)) error {
		r, err := search()
		if err != nil {
			return err
		}
		w := Way{Name: name}
		for _, l := range r.Stats {
			w.Levels = append(w.Levels, strings.TrimSpace(l.Direction+" "+l.Form))
		}
		x.Ways = append(x.Ways, w)
		return r.Close()
	}
	if !gpu {
		for _, s := range []string{"queue", "read", "hybrid"} {
			if err := run("bfs/"+s, func() (*bfs.Result, error) {
				return bfs.Run(ctx, p, sources[0], bfs.Options{Stats: true, Tuning: bfs.Tuning{Strategy: s}})
			}); err != nil {
				return nil, err
			}
		}
	}
	levels, _, err := Frontiers(ctx, g.Out(), sources[0])
	if err != nil {
		return nil, err
	}
	for _, l := range levels {
		x.Levels = append(x.Levels, l.Vertices)
	}
	if err := run("dobfs", func() (*bfs.Result, error) {
		return dobfs.Run(ctx, p, sources[0], dobfs.Options{Stats: true})
	}); err != nil {
		return nil, err
	}
	return x, nil
}
