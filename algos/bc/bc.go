// Package bc finds betweenness centrality: of every vertex, the sum over all pairs of others of
// the share of the shortest paths between them that go through the vertex (Freeman 1977; networkx'
// betweenness_centrality); with Options.Edges also of every edge (edge_betweenness_centrality). Edges count as steps, or with
// Options.Weighted paths are as long as the sum of their weights.
//
// The guide is [docs/algorithms/bc.md].
//
// Ends of a path don't count as on it. In a directed graph paths follow the edges. Pairs without
// a path count for nothing, so disconnected graphs need no care. Self-loops change nothing. A
// graph that was built with its duplicate edges has as many paths between two vertices as edges.
// Isolated vertices have 0. The empty graph has no scores.
//
// # How
//
// Brandes ("A faster algorithm for betweenness centrality", 2001): a breadth-first search from a
// source counts the shortest paths to every vertex; on the way back, level by level, a vertex
// gets from those one level down the share of their own sum that its paths have. From all sources
// that takes time in proportion to vertices times edges, and some sources are a sample from which
// scores are estimated (Brandes and Pich, "Centrality estimation in large networks", 2007).
//
// The first levels are pushed, and counts added up by their edges: below 2^53 sums of whole numbers
// are exact in any order. Larger counts, and what is summed up on the way back, are gathered by
// each vertex in the order of its edges. So results are the same in every run on a device. Path
// counts grow fast: between the corners of a lattice of 2,000 by 2,000 there are 10^1201 paths,
// more than a float64 holds. If they become large, a count is a float64 and a power of two. What
// is added to a score is a ratio of counts; ratios below 2^-120 may be taken for 0.
//
// In undirected graphs of short rows, such as road networks, each vertex of a level goes through its
// own row instead: a Repeat forwards, which leaves the levels in a traverse.Trail, and one back, each
// a kernel on a GPU. Once a count passes 2^500 the source starts again, and all counts have a power. On a GPU, if
// rows have at most 8 entries, a Repeat finds the levels alone, and two kernels of one cluster go down and up them.
//
// With weights Brandes' algorithm goes by Dijkstra's instead. So that every vertex comes after those before it on a shortest path,
// weights must be above 0. Lengths are sums in the type of the weights, made along the path from the source on, as those of
// sssp: of integers they are exact, and floats are equally long if their sums are, rounded. With weights, and for edges, workers
// of the host search, each from other sources. Dependencies are added up in the order of the sources, so that results have
// the same bits for any number of workers. A count passes 2^500 as above.
//
// On the host a source from which no level has many edges, as in paths, trees and narrow lattices, is searched
// from by a plain loop on one goroutine, whose counts have a power for each level.
//
// The memory is 52 bytes a vertex, 56 on a GPU and 92 to 108 there if rows have at most 8 entries, and 4 of degrees that stay with the placed graph; on the host
// it is 24 more for each vertex that such loops reach. With weights, or for edges, it is 16 bytes a vertex, 40 for each search of a batch, 8 an entry of
// edges for their scores, and 8 for weights that aren't float32. A batch is a search for each worker, or four if vertices are few. A
// source of a social network takes less than two passes over all edges. One of a road network takes
// thousands of small steps forwards, and as many back.
//
// [docs/algorithms/bc.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/bc.md
package bc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/algos/bc/internal/sweep"
	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// Options say from where paths are looked for, and what scores are. The zero value is exact, and
// as networkx has it by default.
type Options struct {
	// Sources, if not nil, are where paths are looked for from; Samples then counts for nothing. Scores are
	// estimates as with a sample (Result.Scale). A source that is there twice counts twice. A list without a
	// source is graph.ErrNoVertex.
	Sources []uint32
	// Samples is from how many sources paths are looked for, chosen at random by Seed; scores are
	// then estimates. 0, or as many as there are vertices, are all. Which vertices they are
	// depends on ids alone, not on how vertices are numbered inside.
	Samples int
	Seed    uint64
	// Unnormalized has scores be sums over pairs; those of an undirected graph count once. Else
	// they are divided by the number of pairs: (n-1)(n-2), half as many in an undirected graph.
	// See Result.Scale for scores from some sources.
	Unnormalized bool
	// Weighted has a path be as long as the sum of its edges' weights, which must be above 0. An edge of weight +Inf can't
	// be used. The lightest of parallel edges count.
	Weighted bool
	// Edges finds the score of every edge too, in Result.Edges. Scores of vertices may then differ in their last bits.
	Edges bool
	// Stats keeps the time of each level, in Result.Stats.Levels. With Weighted or Edges there are no levels.
	Stats bool
	// EachLevel, if not nil, is called after each level, or once for all levels of a source where none
	// has many edges.
	EachLevel func(traverse.Level)
	// Progress, if not nil, is called after each source, in phase "search", with the sources that are done.
	Progress func(graph.Progress)
	// Logger, if not nil, gets a line at the end (slog.LevelInfo), also of a run that fails.
	Logger *slog.Logger
	// Metrics, if not nil, gets the end of the run.
	Metrics metrics.Recorder
}

// check returns graph.ErrOptions for a value out of range.
func (o Options) check() error {
	if o.Samples < 0 {
		return fmt.Errorf("bc: %w: Samples is %d; want a number of sources, or 0 for all", graph.ErrOptions, o.Samples)
	}
	return nil
}

// Result is the betweenness of every vertex. It is the caller's, who closes it, or of the Searcher that
// returned it, and then valid until its next run. As long as it is valid it is safe for concurrent reading.
type Result struct {
	// Betweenness is the score of every vertex.
	Betweenness *traverse.Values[float64]
	// Edges is the score of every edge of Graph.Out, if Options.Edges asked for it: the share of the shortest paths between
	// all pairs that lead over it, whose ends may be its own. An edge of an undirected graph has its score in the entry of the
	// direction from the larger to the smaller vertex, as arrow.WriteEdges expects it, and 0 in the other one. A self-loop has 0.
	Edges *traverse.EdgeValues[float64]
	// Weighted is Options.Weighted.
	Weighted bool
	// Sources are the vertices that paths were looked for from; nil: all of them.
	Sources []uint32
	// Scale is what the sums over the paths that were found were multiplied by. From k sources of n
	// vertices it is 1/(k(n-2)), since the paths that a vertex may be on begin at k vertices and end at
	// n-2; unnormalized it is (n-1)/k, half of that in an undirected graph. A path from a vertex doesn't
	// count for that vertex. So k is smaller by 1 for the score of a source, or by as often as Sources
	// has it. If no other source is left, its score is not a number. networkx does the same since
	// version 3.5.
	Scale float64
	// EdgeScale is the same for edges: 1/(k(n-1)), or unnormalized n/k, half of that in an undirected graph.
	EdgeScale float64
	// WhyHost is why the host searched, although the graph is on a GPU. It is empty else.
	WhyHost string
	Stats   traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.Betweenness.Close(), r.Edges.Close())
}

var memory = traverse.Memory{Arrays: []int{4, 4, 8, 8, 8, 8, 8, 4, 4, 4}, Frontiers: 3}

// memoryOn is what a run holds on the device of the graph.
func (o Options) memoryOn(p *graph.Placed) traverse.Memory {
	if o.ofTrees() {
		return o.memoryOfTrees(p)
	}
	m := memory
	if p.Err() != nil {
		return m
	}
	if p.Remote() == nil {
		m.Arrays = append(slices.Clone(m.Arrays), 4, 8, 8, 4) // of narrow searches
	} else if quads := sweep.Quads(p.State().MaxDegree()); quads != 0 && !p.Graph().Directed() {
		m.Arrays = append(slices.Clone(m.Arrays), 4, 4, 16*quads, 8, 4) // of sweeps
	}
	return m
}

// Run finds betweenness centrality from the sources that the options say. Any number of runs may
// go on at once.
//
// A directed graph needs its reverse (graph.Options.Reverse), else it is graph.ErrNoReverse; with Weighted or Edges it doesn't. With
// Weighted, errors are graph.ErrNoWeights for a graph without weights, and graph.ErrWeights for a weight that isn't above 0, paths that
// are longer than the largest number of the type of weights, and a weight that makes no difference to the length of a path
// that it is added to. Other
// errors are graph.ErrNoVertex for a source that the graph doesn't have or an empty list of them, graph.ErrOptions for options that are out of range, graph.ErrNoGraph or
// device.ErrClosed for a placed graph that is nil or was closed, device.ErrMemory where a GPU has
// too little memory, or the context's.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "bc"); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	return traverse.Run(ctx, p, o.algorithm(p), o.Sources, o.traversal())
}

// Searcher runs again and again, from other sources each time, in the same memory: Run takes the
// sources in the form of Options.Sources; nil means the sources of the options. Every run returns the same *Result, which is valid until the next run: an
// earlier result is the last one, and closing it closes that.
type Searcher = traverse.Searcher[[]uint32, *Result]

// NewSearcher returns a Searcher over a placed graph. It takes no memory yet. The error is that
// of the options or of the placed graph.
func NewSearcher(p *graph.Placed, o Options) (*Searcher, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return traverse.NewSearcher(p, o.algorithm(p), o.traversal())
}

// NewPool returns a pool of searchers within a budget of memory; nil is what the device has free.
// It returns the errors of NewSearcher, and device.ErrBudget if not even one fits.
func NewPool(p *graph.Placed, o Options, b *device.Budget) (*traverse.Pool[[]uint32, *Result], error) {
	return traverse.NewPool(p, func() (*Searcher, error) { return NewSearcher(p, o) }, b)
}

func (o Options) traversal() traverse.Options {
	return traverse.Options{Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics}
}

func (o Options) algorithm(p *graph.Placed) traverse.Algorithm[[]uint32, *Result] {
	return traverse.Algorithm[[]uint32, *Result]{Name: "bc", Memory: o.memoryOn(p), Run: o.run}
}

func (o Options) run(t *traverse.Traversal, sources []uint32) (*Result, error) {
	if sources == nil {
		sources = o.Sources
	}
	if sources != nil && len(sources) == 0 {
		return nil, fmt.Errorf("%w: the list of sources is empty; name one at least, or leave it nil for all vertices", graph.ErrNoVertex)
	}
	g := t.Placed().Graph()
	if !g.HasReverse() && !o.ofTrees() {
		return nil, fmt.Errorf("%w: build the graph with its reverse (graph.Options.Reverse)", graph.ErrNoReverse)
	}
	n := g.NumVertices()
	for _, v := range sources {
		if int64(v) >= int64(n) {
			return nil, fmt.Errorf("%w: source %d of %d vertices", graph.ErrNoVertex, v, n)
		}
	}
	if o.ofTrees() {
		return o.runTrees(t, sources)
	}
	x := traverse.Kept(t, func() *works { return newWorks(t) })
	if t.Err() != nil {
		return nil, t.Err()
	}
	x.begin()
	if sources == nil {
		if x.sample == nil {
			x.sample = o.sample(g)
		}
		sources = x.sample
	}
	count := len(sources)
	if sources == nil {
		count = n
	}
	for i := range count {
		v := uint32(i)
		if sources != nil {
			v = sources[i]
		}
		if x.few.source = v; !x.few.add(t, x.all, x.adding) {
			x.from(v)
		}
		if t.Err() != nil {
			return nil, t.Err()
		}
		if o.Progress != nil {
			o.Progress(graph.Progress{Phase: "search", Done: uint64(i) + 1, Total: uint64(count)})
		}
	}
	r := &x.result
	r.Scale = o.scale(g, count, sources == nil)
	if r.Sources = append(r.Sources[:0], sources...); sources == nil {
		r.Sources = nil
	}
	x.scale.by = r.Scale
	t.Do(x.all, x.scaling...)
	for _, f := range x.factors(n, sources) {
		t.Replace(x.some, f.vertices...)
		x.scale.by = f.by
		t.Do(x.some, x.rescaling...)
	}
	var err error
	if r.Betweenness, err = traverse.Result(t, x.score()); err != nil {
		return nil, err
	}
	r.Stats = r.Betweenness.Stats
	return r, nil
}

// works is what a run works with. A Searcher keeps it from run to run.
type works struct {
	ways
	few                *narrow
	all, some          *traverse.Frontier
	scale              *scaleFunctor
	adding             []operators.Step // few
	scaling, rescaling []operators.Step // all vertices, and some
	outcome
}

// outcome is what a Searcher keeps of results.
type outcome struct {
	sample []uint32 // of the options
	sorted []uint32 // of factors
	found  []factor
	result Result
}

// ways are the searches from a source and back.
type ways interface {
	begin()                         // a run
	from(source uint32)             // adds its dependencies to the scores
	score() *device.Buffer[float64] // of all vertices
}

func newWorks(t *traverse.Traversal) *works {
	x := &works{all: t.All(), some: t.From()}
	if deep(t) {
		x.ways = newDeepSearch(t)
	} else {
		x.ways = newSearch(t)
	}
	if t.Err() != nil {
		return nil
	}
	x.few, x.scale = &narrow{sum: x.score()}, newScale(x.score(), 1)
	x.adding = []operators.Step{x.few}
	x.scaling, x.rescaling = []operators.Step{foreach.All(x.scale, nil)}, []operators.Step{foreach.Each(x.scale, nil)}
	return x
}

// scale is Result.Scale for that many sources.
func (o Options) scale(g *graph.Graph, sources int, all bool) float64 {
	// So many vertices are sources of paths that a vertex may be on, and for each there are so many targets.
	n, k := float64(g.NumVertices()), float64(sources)
	if all {
		k = n - 1
	}
	switch {
	case n < 3:
		return 1 // there are no such paths
	case !o.Unnormalized:
		return 1 / (k * (n - 2))
	case g.Directed():
		return (n - 1) / k
	}
	return (n - 1) / k / 2 // every pair is found from both ends
}

// factor is what scores of some sources are multiplied by, beside Result.Scale.
type factor struct {
	by       float64
	vertices []uint32
}

// factors returns the factors of sources, nil for all of them: a vertex that is m of k sources is on
// paths from k-m only.
func (x *outcome) factors(n int, sources []uint32) []factor {
	if sources == nil || n < 3 {
		return nil
	}
	x.sorted = append(x.sorted[:0], sources...)
	slices.Sort(x.sorted)
	factors, sorted, k := x.found[:0], x.sorted, float64(len(sources))
	for i := 0; i < len(sorted); {
		v, m := sorted[i], 0
		for ; i < len(sorted) && sorted[i] == v; i++ {
			m++
		}
		by := math.NaN() // no path reaches it
		if m < len(sources) {
			by = k / (k - float64(m))
		}
		at := slices.IndexFunc(factors, func(f factor) bool { return f.by == by })
		if at < 0 {
			if at = len(factors); at < cap(factors) { // which has room for vertices
				factors = factors[:at+1]
			} else {
				factors = append(factors, factor{})
			}
			factors[at].by, factors[at].vertices = by, factors[at].vertices[:0]
		}
		factors[at].vertices = append(factors[at].vertices, v)
	}
	x.found = factors
	return factors
}

// sample returns sources by the order of their ids; nil for all.
func (o Options) sample(g *graph.Graph) []uint32 {
	n, k := uint32(g.NumVertices()), o.Samples
	if k == 0 || k >= int(n) {
		return nil
	}
	r := rand.New(rand.NewPCG(o.Seed, 0))
	chosen := make(map[uint32]bool, k) // Floyd's way, by ranks
	for i := n - uint32(k); i < n; i++ {
		if x := r.Uint32N(i + 1); chosen[x] {
			chosen[i] = true
		} else {
			chosen[x] = true
		}
	}
	sources := make([]uint32, 0, k)
	for x := range chosen {
		sources = append(sources, x)
	}
	slices.Sort(sources)
	for i, x := range sources {
		sources[i] = g.IDs().AtRank(x)
	}
	return sources
}

// graph.ErrInvalid: a result that isn't the betweenness of its graph.
var errInvalid = text.Named("bc: not a valid result", graph.ErrInvalid)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errInvalid, fmt.Sprintf(format, args...))
}
