// Package similar finds how similar the neighborhoods of vertices are: for pairs of vertices, or the most similar vertices of each.
//
// The guide is [docs/algorithms/similar.md].
//
//   - The neighbors of a vertex are those along out-edges and along in-edges, each once, and not itself: duplicates, self-loops and
//     directions don't count. Two vertices without a neighbor in common have similarity 0.
//   - Jaccard is the number of common neighbors, divided by the number of those of either (networkx' jaccard_coefficient).
//   - Overlap divides by the smaller number of neighbors, Cosine by the square root of the product of both numbers.
//   - AdamicAdar is the sum of 1/ln(d) over common neighbors with d neighbors (Adamic and Adar, "Friends and neighbors on the Web",
//     Social Networks 25, 2003; networkx' adamic_adar_index). A neighbor with d = 1, which only a vertex with itself
//     shares, counts 0.
//   - With Options.Weighted, Cosine is the sum of products of weights over common neighbors, divided by the product of the norms: the square
//     roots of the sums of squares.
//
// Sums are integers, so results depend neither on the device nor on the number of workers. Those of AdamicAdar and of weighted
// Cosine are exact to 2^-40 and better.
//
// Pairs search the neighbors of one vertex among those of the other. The most similar vertices are found by counting, for each source, the
// neighbors of its neighbors in a hash table, or in a table of all vertices where the source has so many. Sources go in blocks of which the
// tables take a bounded memory, so pairs of all vertices never exist together. A source takes as many steps as its neighbors have
// edges: hubs, and all vertices of a graph with hubs, take long.
//
// [docs/algorithms/similar.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/similar.md
package similar

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/bits"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/algos/internal/undirected"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/layout/simple"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/traverse"
)

// graph.ErrWeights: weights that are negative or not finite.
var errWeights = text.Named("similar: bad weights", graph.ErrWeights)

// Measure is a measure of similarity.
type Measure uint8

const (
	Jaccard Measure = iota
	Overlap
	Cosine
	AdamicAdar
	weightedCosine
)

// names are the measures, as Measure.String returns them.
var names = [...]string{"jaccard", "overlap", "cosine", "adamic-adar"}

// String returns the measure's name, such as jaccard.
func (m Measure) String() string {
	if int(m) < len(names) {
		return names[m]
	}
	return fmt.Sprintf("Measure(%d)", uint8(m))
}

// Options say what is found. The zero value finds the 10 most similar vertices of each vertex by Jaccard.
type Options struct {
	Measure Measure
	// Weighted takes Cosine of weights. The graph must have weights of 0 or more, and be undirected without duplicates and self-loops.
	Weighted bool
	// K is how many vertices are found for each source; 0 means 10. There are fewer if fewer have a similarity above 0.
	K int
	// Sources are the vertices for which similar ones are found, nil for all.
	Sources []uint32
	// Pairs, if not nil, are the pairs of vertices of which the similarity is found, instead. K and Sources must not be set.
	Pairs [][2]uint32

	Stats     bool                 // keeps what happened block by block, in Stats.Levels
	EachLevel func(traverse.Level) // is called after each block
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics   metrics.Recorder     // gets the end of the run
}

// Result is a table of similarities: a row for each pair of Options.Pairs in their order, or else for each source in its order the most similar
// vertices, those of the highest similarity first, and of equal ones the smallest id. It is in the memory of the host, 16 bytes a row.
type Result struct {
	Vertex   []uint32
	Neighbor []uint32 // the vertex that Vertex is compared with
	Score    []float64
	Stats    traverse.Stats
}

// check returns graph.ErrOptions for options that don't go together.
func (o *Options) check(n int) error {
	switch {
	case o.Measure > AdamicAdar:
		return fmt.Errorf("similar: %w: Measure is %d; want Jaccard, Overlap, Cosine or AdamicAdar", graph.ErrOptions, uint8(o.Measure))
	case o.Weighted && o.Measure != Cosine:
		return fmt.Errorf("similar: %w: Weighted is for Cosine; %v counts neighbors", graph.ErrOptions, o.Measure)
	case o.K < 0 || o.K > MostK:
		return fmt.Errorf("similar: %w: K is %d; want 1 to %d, or 0 for %d", graph.ErrOptions, o.K, MostK, defaultK)
	case o.Pairs != nil && (o.K != 0 || o.Sources != nil):
		return fmt.Errorf("similar: %w: Pairs don't go with K and Sources: the similarity of each pair is found", graph.ErrOptions)
	}
	for _, v := range o.Sources {
		if int64(v) >= int64(n) {
			return fmt.Errorf("similar: Sources: %w: vertex %d of %d", graph.ErrNoVertex, v, n)
		}
	}
	for _, pair := range o.Pairs {
		if v := max(pair[0], pair[1]); int64(v) >= int64(n) {
			return fmt.Errorf("similar: Pairs: %w: vertex %d of %d", graph.ErrNoVertex, v, n)
		}
	}
	return nil
}

// Run finds similarities. Errors are graph.ErrOptions, graph.ErrNoVertex, graph.ErrNoWeights and graph.ErrWeights with Weighted,
// device.ErrMemory, device.ErrNotSupported for several GPUs, and those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	x, err := undirected.Of(ctx, "similar", p)
	if err != nil {
		return nil, err
	}
	if err := o.check(p.NumVertices()); err != nil {
		return nil, err
	}
	q := &query{Options: o, g: x, of: p.Graph()}
	if err := q.prepare(ctx); err != nil {
		return nil, err
	}
	a := traverse.Algorithm[*query, *Result]{Name: "similar", Memory: spread(q.bytes(), p.NumVertices()), Run: find}
	return traverse.Run(ctx, x.Placed, a, q, traverse.Options{Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics})
}

// Bytes returns the maximum device memory of a run, in addition to the graph. It reads the graph's rows once.
func Bytes(p *graph.Placed, o Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	g := p.Graph()
	q := &query{Options: o, sources: make([]uint32, 0)}
	q.shape(g.NumVertices(), 2*g.NumDirectedEdges())
	return q.bytes() + simple.Bytes(p)
}

// spread returns memory of so many bytes, as arrays of n entries.
func spread(bytes uint64, n int) traverse.Memory {
	return traverse.Memory{Arrays: []int{int(bytes / uint64(max(n, 1)))}, Frontiers: 2}
}

// query is what a run looks for, in the vertices of the simple graph.
type query struct {
	Options
	g  *undirected.Graph
	of *graph.Graph

	csr      *graph.CSR // the rows
	sources  []uint32
	place    []uint32 // of each vertex in the simple graph; nil: the same
	inverses []float64

	vertices                             int
	entries, edges, slots, pieces, pairs uint64 // of a block, at most
}

// prepare looks at the graph.
func (q *query) prepare(ctx context.Context) error {
	g := q.g.Placed.Graph()
	if q.Weighted {
		if q.g.Order != nil {
			return fmt.Errorf("similar: %w: Weighted needs an undirected graph without duplicate edges and self-loops: build it so", graph.ErrOptions)
		}
	}
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("similar: %w", err)
	}
	q.csr = g.Out()
	if q.g.Order != nil {
		q.place = make([]uint32, len(q.g.Order))
		for v, u := range q.g.Order {
			q.place[u] = uint32(v)
		}
	}
	if q.Weighted {
		if err := q.normalize(ctx); err != nil {
			return err
		}
	}
	if q.Pairs == nil {
		q.sources = make([]uint32, 0, g.NumVertices())
		if q.Sources == nil {
			for v := range g.NumVertices() {
				q.sources = append(q.sources, q.at(uint32(v)))
			}
		}
		for _, v := range q.Sources {
			q.sources = append(q.sources, q.at(v))
		}
	}
	q.shape(g.NumVertices(), g.NumDirectedEdges())
	return nil
}

// at returns the vertex of the simple graph.
func (q *query) at(v uint32) uint32 {
	if q.place != nil {
		return q.place[v]
	}
	return v
}

// back returns the vertex of the graph.
func (q *query) back(v uint32) uint32 {
	if q.place != nil {
		return q.g.Order[v]
	}
	return v
}

// shape sets how large blocks are.
func (q *query) shape(n int, edges uint64) {
	q.vertices = n
	if q.Pairs != nil {
		q.pairs = min(blockPairs, uint64(len(q.Pairs)))
		return
	}
	if q.K == 0 {
		q.K = defaultK
	}
	q.K = max(1, min(q.K, n))
	sources := uint64(n)
	if q.Sources != nil {
		sources = uint64(len(q.Sources))
	}
	q.slots = min(max(1, blockBest/uint64(q.K)), sources)
	q.edges = min(edges, max(blockEdges, uint64(n))) // no row of a simple graph is longer
	q.entries = max(uint64(n), min(blockEntries, sources*uint64(n)))
	q.pieces = q.slots + q.entries/pieceEntries
}

// bytes returns the memory of the arrays.
func (q *query) bytes() uint64 {
	n := uint64(q.vertices)
	b := 8 * n // values, or norms
	if q.Weighted && q.csr != nil {
		b += 8 * q.csr.NumEdges()
	}
	if q.Pairs != nil {
		return b + 24*q.pairs
	}
	return b + 4*n + 12*q.entries + 8*q.edges + 28*(q.slots+1) + 12*uint64(q.K)*(q.pieces+q.slots)
}

// normalize checks the weights, and finds the inverse of each vertex' norm.
func (q *query) normalize(ctx context.Context) error {
	c, ids := q.csr, q.of.IDs()
	if c.Weights == nil && c.NumEdges() > 0 {
		return fmt.Errorf("similar: %w: load the graph with arrow.Options.Weight, or build it with graph.Options.Weights", graph.ErrNoWeights)
	}
	q.inverses = make([]float64, c.NumVertices())
	var bad error
	err := looks.Rows(ctx, c.Offsets, func(lo, hi int) {
		for v := lo; v < hi && bad == nil; v++ {
			squares := 0.0
			for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
				w := c.FloatWeight(e)
				if !(w == 0 || w >= leastWeight && w <= mostWeight) {
					bad = fmt.Errorf("%w: the edge from %s to %s weighs %v; cosine takes 0, and weights from %v to %v: leave such edges out, or change them before loading",
						errWeights, ids.Format(uint32(v)), ids.Format(c.Targets[e]), w, leastWeight, mostWeight)
					return
				}
				squares += w * w
			}
			if squares > 0 {
				q.inverses[v] = 1 / math.Sqrt(squares)
			}
		}
	})
	if err != nil {
		return fmt.Errorf("similar: %w", err)
	}
	return bad
}

// values returns what each vertex counts as a common neighbor, and the unit.
func (q *query) values() ([]uint64, float64) {
	all := make([]uint64, q.vertices)
	if q.Measure != AdamicAdar {
		for v := range all {
			all[v] = 1
		}
		return all, 1
	}
	most := uint64(0)
	for v := range all {
		most = max(most, q.csr.Degree(uint32(v)))
	}
	unit := math.Ldexp(1, 62-bits.Len64(most)) // sums of so many, of 1.5 at most, fit into 64 bits
	for v := range all {
		if d := q.csr.Degree(uint32(v)); d > 1 {
			all[v] = uint64(unit / math.Log(float64(d)))
		}
	}
	return all, unit
}
