// Package louvain finds communities by Louvain's method
// (Blondel, Guillaume, Lambiotte and Lefebvre, "Fast unfolding of communities in large
// networks", Journal of Statistical Mechanics, 2008). A community has more weight of edges inside than is expected by chance. Modularity measures that (Newman,
// "Fast algorithm for detecting community structure in networks", Physical Review E 69, 2004): the share of the
// weight of edges inside of communities, minus the Resolution times the expected share.
//
// The guide is [docs/algorithms/louvain.md].
//
//   - Directed graphs have the modularity of Leicht and Newman ("Community structure in directed networks", Physical Review
//     Letters 100, 2008), as in networkx' modularity. Edges in both directions connect; the graph needs its reverse.
//   - A community may be disconnected: vertices that joined its parts may leave it later. Package leiden finds
//     connected ones.
//   - Labels are 0, 1 and so on, without gaps. They depend on the graph, its ids, the options and the seed alone, not on
//     the device, the number of workers or the internal numbering.
//   - Each edge counts 1, or with Options.Weighted its weight. Weights that are negative, infinite or NaN are refused
//     (graph.ErrWeights). An edge of weight 0 connects nothing.
//   - Each copy of a duplicate edge counts. A self-loop of an undirected graph counts twice, as modularity defines it, one of
//     a directed graph once.
//   - An isolated vertex is a community. The modularity of a graph without edges is 0.
//
// Weights are integers, times a power of two where they have fractions: so sums are exact, and don't depend on their order. All
// weights together have at most 61 bits; a weight that is so much less than the largest becomes 0.
//
// # How
//
// Each vertex begins alone. In rounds, vertices move to the community of a neighbor by which modularity rises most, until few
// move. Then each community becomes a vertex of the next level, whose edges have the sums of the weights. This repeats until no vertex
// moves.
//
// A hash of the seed divides vertices into 32 or 64 groups. The vertices of a group decide at the same time, from the state that the
// group before left. Later rounds visit only vertices of whose neighbors enough moved. A level that lowers the modularity is dropped. A run takes
// about 100 bytes a vertex and at most 36 an entry of the rows on the host, and about 150 and 40 on a GPU.
//
// [docs/algorithms/louvain.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/louvain.md
package louvain

import (
	"context"
	"fmt"
	"log/slog"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/algos/internal/modularity"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/traverse"
)

// Options say what communities are found. The zero value finds those of modularity with the resolution 1.
type Options struct {
	// Resolution multiplies the weight that is expected by chance: more find more communities, which are smaller. It is above 0;
	// 0 stands for 1.
	Resolution float64
	// Weighted counts the weights of edges, of which the graph must have some.
	Weighted bool
	// Seed selects in which order vertices decide. Equal seeds find equal communities.
	Seed uint64
	// Initial names a column of the graph's vertices, of integers or strings (graph.Graph.AddVertexColumns). Vertices with
	// equal values begin in one community. An empty name means that each vertex begins alone.
	Initial string
	// Levels keeps the communities of each level, in Result.Levels.
	Levels bool

	Stats     bool                 // keeps what happened level by level, in Stats.Levels
	EachLevel func(traverse.Level) // is called after each level
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics   metrics.Recorder     // gets the end of the run
}

func (o Options) inner() modularity.Options {
	return modularity.Options{Resolution: o.Resolution, Weighted: o.Weighted, Seed: o.Seed, Initial: o.Initial, Levels: o.Levels}
}

// Result is the communities of a graph. It is the caller's, who closes it; until then it is safe for concurrent reading.
type Result struct {
	Community   *traverse.Values[uint32] // of every vertex, from 0
	Communities int                      // how many there are
	Modularity  float64                  // of the communities, with the Resolution
	// Levels has the communities of every vertex level by level, each coarser than the one before. The last one equals
	// Community. It is nil without Options.Levels.
	Levels []*traverse.Values[uint32]
	Stats  traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return r.inner().Close()
}

func (r *Result) inner() *modularity.Result {
	return &modularity.Result{Community: r.Community, Communities: r.Communities, Modularity: r.Modularity, Levels: r.Levels, Stats: r.Stats}
}

// Run finds communities. Errors are graph.ErrOptions, graph.ErrNoReverse for a directed graph without its reverse,
// graph.ErrNoWeights and graph.ErrWeights if Weighted is set and weights are missing or invalid, graph.ErrNoColumn for a wrong
// name of Initial, device.ErrMemory, device.ErrNotSupported for several GPUs, and those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	r, err := modularity.Run(ctx, "louvain", false, p, o.inner(), traverse.Options{Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics})
	if err != nil {
		return nil, err
	}
	return &Result{Community: r.Community, Communities: r.Communities, Modularity: r.Modularity, Levels: r.Levels, Stats: r.Stats}, nil
}

// Bytes returns the maximum device memory of a run, in addition to the graph.
func Bytes(p *graph.Placed, o Options) uint64 { return modularity.Bytes(p, o.inner()) }

// graph.ErrInvalid: a result that isn't communities of its graph.
var errInvalid = text.Named("louvain: not a valid result", graph.ErrInvalid)

// Validate checks that labels are contiguous, that levels are each coarser than the one before, and that
// the modularity is the one by the definition. Pass the options of the run. It takes a few passes over the edges, on one goroutine.
//
// The error wraps graph.ErrInvalid, or reports options that don't fit; for a nil graph it is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result, o Options) error {
	if g == nil {
		return fmt.Errorf("louvain: validate: %w", graph.ErrNoGraph)
	}
	if r == nil || r.Community == nil {
		return fmt.Errorf("%w: there are no communities", errInvalid)
	}
	if err := o.inner().Check("louvain"); err != nil {
		return err
	}
	if err := modularity.Validate(g, r.inner(), o.inner(), false); err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	return nil
}
