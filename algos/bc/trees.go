// This file holds the searches of which each worker of the host has one: those by weights, and those whose edges get scores.

package bc

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/foray-graph/foray/algos/internal/dijkstra"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/traverse"
)

// graph.ErrWeights: weights that shortest paths can't be counted by.
var errWeights = text.Named("bc: bad weights", graph.ErrWeights)

// ofTrees reports whether workers of the host search, each from other sources.
func (o Options) ofTrees() bool { return o.Weighted || o.Edges }

// workersOf returns the number of host workers that search a placed graph, and whether its device has them.
func workersOf(p *graph.Placed) (workers int, own bool) {
	if d, ok := p.Device().(interface{ Workers() int }); ok {
		return d.Workers(), true
	}
	return host.New(0).Workers(), false
}

// batchOf is from how many sources are searched from before their dependencies are added up: more than there are workers if
// vertices are few, so that workers wait less for each other.
func batchOf(n, workers int) int {
	return min(max(batchVertices/max(n, 1), workers), batchTrees*workers)
}

// memoryOfTrees is what such searches hold on the device of the graph.
func (o Options) memoryOfTrees(p *graph.Placed) traverse.Memory {
	m := traverse.Memory{Arrays: []int{8}, Frontiers: -1}
	if o.Edges {
		m.EdgeArrays = []int{8}
	}
	if p.Err() != nil {
		return m
	}
	if workers, own := workersOf(p); own {
		m.Arrays = append(m.Arrays, 8, treeBytes*batchOf(p.NumVertices(), workers))
		if o.Weighted && p.Graph().WeightType() != graph.WeightsFloat32 {
			m.EdgeArrays = append(m.EdgeArrays, 8)
		}
	}
	return m
}

// runTrees is run of such searches.
func (o Options) runTrees(t *traverse.Traversal, sources []uint32) (*Result, error) {
	p := t.Placed()
	g := p.Graph()
	if err := g.Fetch(); err != nil {
		return nil, err
	}
	if o.Weighted && g.Out().Weights == nil && g.NumDirectedEdges() > 0 {
		return nil, fmt.Errorf("%w: load the graph with arrow.Options.Weight, or build it with graph.Options.Weights", graph.ErrNoWeights)
	}
	switch typ := g.WeightType(); {
	case !o.Weighted:
		return runTrees[int64](o, t, sources)
	case typ == graph.WeightsInt64:
		return runTrees[int64](o, t, sources)
	case typ == graph.WeightsFloat32:
		return runTrees[float32](o, t, sources)
	}
	return runTrees[float64](o, t, sources)
}

func runTrees[T dijkstra.Length](o Options, t *traverse.Traversal, sources []uint32) (*Result, error) {
	x := traverse.Kept(t, func() *forest[T] { return newForest[T](t, o) })
	if err := t.Err(); err != nil {
		return nil, err
	}
	p := t.Placed()
	g := p.Graph()
	if sources == nil {
		if x.sample == nil {
			x.sample = o.sample(g)
		}
		sources = x.sample
	}
	if err := x.run(t.Context(), o, sources); err != nil {
		return nil, err
	}
	r, n, count := &x.result, g.NumVertices(), len(sources)
	if sources == nil {
		count = n
	}
	r.Weighted, r.Scale = o.Weighted, o.scale(g, count, sources == nil)
	if r.Sources = append(r.Sources[:0], sources...); sources == nil {
		r.Sources = nil
	}
	for v := range x.score {
		x.score[v] *= r.Scale
	}
	for _, f := range x.factors(n, sources) {
		for _, v := range f.vertices {
			x.score[v] *= f.by
		}
	}
	if err := t.Sync(); err != nil { // the arrays were cleared, which must not come after the scores
		return nil, err
	}
	if err := write(p, x.scores, x.score); err != nil {
		return nil, err
	}
	var err error
	if r.Betweenness, err = traverse.Result(t, x.scores); err != nil {
		return nil, err
	}
	if r.Edges = nil; o.Edges {
		r.EdgeScale = o.edgeScale(g, count)
		for e := range x.edgeScore {
			x.edgeScore[e] *= r.EdgeScale
		}
		err := write(p, x.edgeScores, x.edgeScore)
		if err == nil {
			r.Edges, err = traverse.EdgeResult(t, x.edgeScores)
		}
		if err != nil {
			return nil, err
		}
	}
	r.Stats = r.Betweenness.Stats
	if _, own := workersOf(p); !own {
		r.Stats.Device = host.Name
		r.WhyHost = "workers of the host search by weights, and for the scores of edges"
	}
	return r, nil
}

// write writes values to the device.
func write[T device.Elem](p *graph.Placed, b *device.Buffer[T], values []T) error {
	if len(values) == 0 {
		return nil
	}
	return b.Write(p.Device(), 0, values)
}

// edgeScale is Result.EdgeScale for that many sources: so many pairs may have a path over an edge.
func (o Options) edgeScale(g *graph.Graph, sources int) float64 {
	n, k := float64(g.NumVertices()), float64(sources)
	switch {
	case n < 2:
		return 1
	case !o.Unnormalized:
		return 1 / (k * (n - 1))
	case g.Directed():
		return n / k
	}
	return n / k / 2 // every pair is found from both ends
}

// forest is what searches work with. A Searcher keeps it from run to run.
type forest[T dijkstra.Length] struct {
	outcome
	*ground[T]
	trees      []*tree[T]
	workers    int
	bounds     []int // of the vertices that each worker adds up
	errs       []error
	checked    bool // the weights were
	score      []float64
	edgeScore  []float64 // nil: they aren't wanted
	scores     *device.Buffer[float64]
	edgeScores *device.Buffer[float64]
}

// ground is what all searches of a run read.
type ground[T dijkstra.Length] struct {
	ctx      context.Context
	rows     *graph.CSR
	directed bool
	ids      *graph.IDs
	weights  []T // nil: all are 1
	none     T   // the length of a path that there isn't
}

func newForest[T dijkstra.Length](t *traverse.Traversal, o Options) *forest[T] {
	p := t.Placed()
	g := p.Graph()
	rows, n := g.Out(), g.NumVertices()
	workers, _ := workersOf(p)
	x := &forest[T]{workers: workers, score: make([]float64, n), scores: traverse.Array[float64](t, 0),
		ground: &ground[T]{rows: rows, directed: g.Directed(), ids: g.IDs(), none: dijkstra.Unreached[T]()}}
	if o.Edges {
		x.edgeScore, x.edgeScores = make([]float64, g.NumDirectedEdges()), traverse.EdgeArray[float64](t, 0)
	}
	if o.Weighted {
		x.weights = dijkstra.Weights[T](rows)
	}
	x.bounds = []int{0}
	for w := range x.workers { // about as many edges and vertices each
		all := (uint64(n) + rows.NumEdges()) * uint64(w+1) / uint64(x.workers)
		x.bounds = append(x.bounds, sort.Search(n, func(v int) bool { return uint64(v)+rows.Offsets[v] >= all }))
	}
	return x
}

// run adds up the dependencies of all sources; nil are all vertices.
func (x *forest[T]) run(ctx context.Context, o Options, sources []uint32) error {
	x.ctx = ctx
	defer func() { x.ctx = nil }()
	if x.weights != nil && !x.checked {
		if err := x.check(); err != nil {
			return err
		}
		x.checked = true
	}
	clear(x.score)
	clear(x.edgeScore)
	n := x.rows.NumVertices()
	count := len(sources)
	if sources == nil {
		count = n
	}
	batch := batchOf(n, x.workers)
	x.errs = slices.Grow(x.errs[:0], batch)[:batch]
	errs := x.errs
	for first := 0; first < count; first += batch {
		some := min(batch, count-first)
		for len(x.trees) < some {
			x.trees = append(x.trees, newTree(x.ground))
		}
		var next atomic.Int64
		if err := together(min(x.workers, some), func(int) {
			for i := int(next.Add(1)) - 1; i < some; i = int(next.Add(1)) - 1 {
				v := uint32(first + i)
				if sources != nil {
					v = sources[first+i]
				}
				errs[i] = x.trees[i].from(v)
			}
		}); err != nil {
			return err
		}
		for _, err := range errs[:some] {
			if err != nil {
				return err
			}
		}
		if err := together(x.workers, func(w int) {
			for _, b := range x.trees[:some] {
				b.add(x.bounds[w], x.bounds[w+1], x.score, x.edgeScore)
			}
		}); err != nil {
			return err
		}
		for i := range some {
			if o.Progress != nil {
				o.Progress(graph.Progress{Phase: "search", Done: uint64(first+i) + 1, Total: uint64(count)})
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// together calls f with the number of each worker, on a goroutine each, and waits.
func together(workers int, f func(w int)) error {
	if workers == 1 {
		return panics.Call(func() error { f(0); return nil })
	}
	var team panics.Group
	for w := range workers {
		team.Go(func() { f(w) })
	}
	return team.Err()
}

// check refuses weights that shortest paths can't be counted by, and names the first edge.
func (x *forest[T]) check() error {
	bad := make([]uint64, x.workers)
	if err := together(x.workers, func(w int) {
		bad[w] = math.MaxUint64
		for v := x.bounds[w]; v < x.bounds[w+1]; v++ {
			if v%lookVertices == 0 && x.ctx.Err() != nil {
				return
			}
			for e := x.rows.Offsets[v]; e < x.rows.Offsets[v+1]; e++ {
				if !(x.weights[e] > 0) {
					bad[w] = e
					return
				}
			}
		}
	}); err != nil {
		return err
	}
	if err := x.ctx.Err(); err != nil {
		return err
	}
	if e := slices.Min(bad); e != math.MaxUint64 {
		return x.refuse(e, "weights must be above 0, since edges of weight 0 leave shortest paths without an order, and without a count")
	}
	return nil
}

// refuse is the error of an edge whose weight isn't possible.
func (x *ground[T]) refuse(edge uint64, why string) error {
	from := sort.Search(x.rows.NumVertices(), func(v int) bool { return x.rows.Offsets[v+1] > edge })
	return fmt.Errorf("%w: the edge from %s to %s weighs %v; %s. Leave such edges out, or change their weights before loading",
		errWeights, x.ids.Format(uint32(from)), x.ids.Format(x.rows.Targets[edge]), x.weights[edge], why)
}
