// Package cc finds connected components.
//
// The guide is [docs/algorithms/cc.md].
//
// Run finds the weakly connected components: two vertices are in the same component if a path joins
// them, ignoring the direction of its edges (GAP's CC, LDBC Graphalytics' WCC, networkx'
// weakly_connected_components and, of undirected graphs, connected_components). Strong finds the
// strongly connected components of a directed graph. Either labels every vertex with the vertex of its
// component that has the smallest external id, so the labels don't depend on the internal numbering, the
// device, or the run.
//
// Self-loops and duplicate edges change nothing. An isolated vertex is a component. The empty
// graph has none.
//
// # How
//
// Weak components grow as trees, whose roots hook onto each other (Sutton, Ben-Nun and Barak,
// "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling", IPDPS 2018, known as
// Afforest). First every vertex becomes the child of its first neighbor, if that has a smaller number.
// When vertices are numbered by degree, that is the neighbor of largest degree. This takes no atomic
// operations, and leaves few trees on skewed graphs. Their roots are linked to some of their neighbors.
// If there are many trees, all vertices are linked to one more neighbor. Meshes are united by tiles of
// vertices. On a GPU thousands of roots are hooked in rounds. Most graphs have
// one component with nearly all vertices; the vertex of largest degree is assumed to be in it. Only
// vertices outside its tree then scan all their edges. In a directed graph every edge is visited.
// Several GPUs use another method (docs/gpus.md).
//
// A run takes a few passes over the vertices and over the edges outside the largest component. It takes
// 8 bytes a vertex, and 4 more if ids aren't in the order of the vertices. The placed graph keeps the
// first neighbors, 4 bytes a vertex (see Prepare), 8 more bytes a vertex for such ids, and on a GPU the
// offsets of the rows, 8 bytes a vertex.
//
// [docs/algorithms/cc.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/cc.md
package cc

import (
	"context"
	"fmt"
	"log/slog"
	"math/bits"

	"github.com/foray-graph/foray/algos/cc/internal/unite"
	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// Options say how components are found. The zero value is the fastest way.
type Options struct {
	// Stats keeps the time of each pass, in Result.Stats.Levels.
	Stats bool
	// EachLevel, if not nil, is called after each pass.
	EachLevel func(traverse.Level)
	// Logger, if not nil, gets a line at the end (slog.LevelInfo), also of a run that fails.
	Logger *slog.Logger
	// Metrics, if not nil, gets the end of the run.
	Metrics metrics.Recorder
}

// Result is the components of a graph. It is the caller's, who closes it; until then it is safe
// for concurrent reading.
type Result struct {
	// Component has, of every vertex, the vertex of its component with the smallest external id.
	Component *traverse.Values[uint32]
	// Components is how many there are.
	Components int
	// Method says for people how they were found, as in "neighbor sampling, then edges outside the largest tree".
	Method string
	Stats  traverse.Stats
	strong bool
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return r.Component.Close()
}

// Strong reports whether they are strongly connected components.
func (r *Result) Strong() bool { return r.strong }

// What Method is made of.
const (
	bySampling     = "neighbor sampling"
	byTiles        = "tiles of vertices"
	thenAcross     = ", then edges across them"
	thenOutside    = ", then edges outside the largest tree"
	thenAll        = ", then all edges"
	byBest         = "trees of best neighbors, then edges of "
	outsideLargest = " outside the largest one"
	byAllEdges     = "rounds over all edges"
	byPeeling      = "peeling, a search each way, colors" // the only one that is Strong's
)

// Size is a component.
type Size struct {
	Component uint32 // the vertex of the smallest external id
	Vertices  int
}

// Sizes returns all components, the largest first, and components of equal size by their external ids.
// It takes a pass over the vertices on the host. The error is the error of reading the values.
func (r *Result) Sizes() ([]Size, error) {
	labels, err := r.Component.Slice()
	if err != nil {
		return nil, err
	}
	return sizes(labels, r.Component.Graph().IDs()), nil
}

// memory is the arrays that a run makes; over shards with a forest or without.
func memory(p *graph.Placed, forest bool) traverse.Memory {
	one := traverse.Memory{Arrays: []int{4, 4, 4}, Frontiers: 2}
	shards := traverse.Memory{Arrays: []int{4, 4, 4, 4, 4}, Frontiers: -1} // the order of the ids, always
	if forest {
		shards = traverse.Memory{Arrays: []int{4, 4, 4, 4, 4, 4}, Frontiers: 1}
	}
	return run.Choose(p, run.Ways[traverse.Memory]{Host: one, GPU: one, Shards: shards})
}

// Bytes returns the maximum device memory of a run, in addition to the graph.
func Bytes(p *graph.Placed, _ Options) uint64 { return memory(p, true).Bytes(p) }

// Prepare computes, on the device, the data that Run needs once per graph: first neighbors, the offsets
// of rows, the order of the ids, and the vertex of largest degree. Run does so automatically; call it to
// keep it out of a measured time. Errors are the same as for Run.
func Prepare(ctx context.Context, p *graph.Placed) error {
	if err := callctx.Check(ctx, "cc"); err != nil {
		return err
	}
	a := traverse.Algorithm[struct{}, struct{}]{Name: "cc", Run: prepare, RunShards: prepareShards}
	a.Memory = run.Choose(p, run.Ways[traverse.Memory]{Shards: memory(p, false)})
	_, err := traverse.Run(ctx, p, a, struct{}{}, traverse.Options{})
	return err
}

func prepare(t *traverse.Traversal, _ struct{}) (none struct{}, err error) {
	traverse.First(t)
	traverse.Rows(t)
	if t.Err() != nil {
		return none, t.Err()
	}
	g := t.Placed().Graph()
	g.DegreeHistogram()
	if _, err := nearby(t.Placed()); err != nil {
		return none, err
	}
	if g.IDs().Ranks() != nil {
		traverse.Ranks(t)
		traverse.ByRank(t)
	}
	return none, t.Err()
}

// Run finds the weakly connected components. Any number of runs may be active at once.
//
// The error is graph.ErrNoGraph or device.ErrClosed for a placed graph that is nil or was closed,
// device.ErrMemory if a GPU has too little memory, or the context's.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "cc"); err != nil {
		return nil, err
	}
	return find(ctx, p, traverse.Algorithm[struct{}, *Result]{Name: "cc", Memory: memory(p, false), Run: weak, RunShards: weakOverShards}, o)
}

func find(ctx context.Context, p *graph.Placed, a traverse.Algorithm[struct{}, *Result], o Options) (*Result, error) {
	return traverse.Run(ctx, p, a, struct{}{}, traverse.Options{Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics})
}

func weak(t *traverse.Traversal, _ struct{}) (*Result, error) {
	g, all := t.Placed().Graph(), t.All()
	hub, lone := g.DegreeHistogram().MaxVertex, loneFrom(g)
	label, first := traverse.Uninitialized[uint32](t), traverse.First(t)
	offsets, targets := traverse.Rows(t)
	method := bySampling
	if near, err := nearby(t.Placed()); err != nil {
		return nil, err
	} else if near.tiles && t.Next(all) {
		method = byTiles
		crossing := t.All() // on the host the vertices with edges across, after the tiles
		over := run.Choose(t.Placed(), run.Ways[func(foreach.Functor[uint64], *operators.Scalar[uint64]) operators.Step]{Host: foreach.Each[uint64], GPU: foreach.All[uint64]})
		t.Do(crossing, unite.Tiles(label, looks, near.beside), over(newAcross(label, offsets, targets, uint32(bits.TrailingZeros32(near.tile))), nil))
		if near.whole {
			named, count := settled(t, all, hub, label)
			return result(t, named, int(traverse.Get(t, count)), method+thenAcross)
		}
	} else if t.Next(all) {
		trees, joins := t.All(), newJoin(first, label, offsets, targets)
		t.Do(trees, filter.Keep(newFollow(first, label, lone)))
		switch n := trees.Len(); {
		case n > g.NumVertices()/manyTrees:
			t.Do(all, foreach.All(joins, nil))
		case n > someTrees && onGPU(t.Placed()): // threads would wait for one another's long ways up
			for range leastRounds {
				t.Do(trees, foreach.Each(newLeast(label, offsets, targets), nil), foreach.Each(newShorten(label), nil))
			}
		default:
			t.Do(trees, foreach.Each(joins, nil))
		}
	}
	if g.Directed() { // an edge may lead out of the hub's component
		if t.Next(all) {
			t.Do(all, advance.VisitAll(newHook(label)))
		}
		named, count := names(t, all, hub, label, nil, false)
		return result(t, named, int(traverse.Get(t, count)), method+thenAll)
	}
	least, rest := traverse.Uninitialized[uint32](t), t.All()
	if t.Next(all) {
		t.Do(rest, filter.Keep(newOutside(label, offsets, targets, least, hub, lone)))
	}
	named, count := names(t, all, hub, label, least, false)
	components := int(traverse.Get(t, count))
	if rest.Len() > 0 && t.Next(rest) { // known by now: most often no vertex is left, and nothing waits for that
		t.Do(rest, advance.Visit(newHook(label)))
		named, count = names(t, all, hub, label, least, false)
		components = int(traverse.Get(t, count))
	}
	return result(t, named, components, method+thenOutside)
}

func onGPU(p *graph.Placed) bool { return p.Remote() != nil }

// loneFrom returns the vertex from which on all vertices are known to have no edges. A graph by degree has
// them at the end: half of a Graph500 graph, whose passes read nothing there.
func loneFrom(g *graph.Graph) uint32 {
	n := uint32(g.NumVertices())
	if g.Directed() || g.Order() != graph.OrderDegree {
		return n
	}
	return n - uint32(g.DegreeHistogram().Isolated)
}

// nearKey is what is known about how near neighbors are is kept under.
type nearKey struct{ placed.Of[nearness] }

// nearness is how near in number neighbors are, by a sample of vertices.
type nearness struct {
	tile   uint32 // vertices of a tile, a power of two
	tiles  bool   // most are within a tile
	beside bool   // nearly all vertices have the one before them for a neighbor
	whole  bool   // on the host: tiles, and the edges across them, are all edges
}

// nearby reports whether tiles of vertices are united first: if the graph has few edges, most of which
// are within tiles.
func nearby(p *graph.Placed) (nearness, error) {
	g := p.Graph()
	if g.Directed() || g.NumDirectedEdges() > meshDegree*uint64(g.NumVertices()) {
		return nearness{}, nil
	}
	near := nearness{tile: unite.Tile}
	if !onGPU(p) {
		if near.tile = unite.HostTile(g.NumVertices()); near.tile == 0 {
			return nearness{}, nil
		}
		near.whole = p.State().MaxDegree() <= looks
	}
	return placed.LoadOrMake(p.State(), nearKey{}, func() (nearness, error) {
		if err := g.Fetch(); err != nil {
			return nearness{}, err
		}
		c, n, in, all, beside := g.Out(), g.NumVertices(), 0, 0, 0
		for i := range min(n, samples) {
			v := i * n / min(n, samples)
			for _, u := range c.Targets[c.Offsets[v]:min(c.Offsets[v+1], c.Offsets[v]+looks)] {
				all++
				if u/near.tile == uint32(v)/near.tile {
					in++
				}
				if int(u) == v-1 {
					beside++
				}
			}
		}
		near.tiles, near.beside = 2*in > all, besideShare*beside > (besideShare-1)*min(n, samples)
		return near, nil
	})
}

// settled enqueues what names components that no edge is left to join, and counts them.
func settled(t *traverse.Traversal, all *traverse.Frontier, hub uint32, label *device.Buffer[uint32]) (*device.Buffer[uint32], *operators.Scalar[uint64]) {
	if t.Placed().Graph().IDs().Ranks() != nil {
		return names(t, all, hub, label, nil, false)
	}
	named, count := traverse.Uninitialized[uint32](t), traverse.Scalar[uint64](t, operators.Sum)
	t.Do(all, foreach.All(newSettle(label, named), count))
	return named, count
}

// names enqueues what names components by ids, and counts them. least is nil, or begins at all
// vertices outside of the hub's component that have edges.
func names(t *traverse.Traversal, all *traverse.Frontier, hub uint32, label, least *device.Buffer[uint32], strong bool) (*device.Buffer[uint32], *operators.Scalar[uint64]) {
	count := traverse.Scalar[uint64](t, operators.Sum)
	if !strong && t.Placed().Graph().IDs().Ranks() == nil { // the roots have the smallest ids
		t.Do(all, foreach.All(newRoots(label), count))
		return label, count
	}
	if least == nil {
		least = traverse.Array[uint32](t, graph.NoVertex)
	}
	lone := uint32(t.Placed().NumVertices())
	if !strong {
		lone = loneFrom(t.Placed().Graph())
	}
	named, ranks, giant := traverse.Uninitialized[uint32](t), traverse.Ranks(t), traverse.Scalar[uint64](t, operators.Min)
	t.Do(all, foreach.All(newFirst(label, ranks, least, hub, lone), giant),
		foreach.All(newName(label, ranks, least, traverse.ByRank(t), giant.Array(), hub, lone, named), count))
	return named, count
}

// result takes the names out of the traversal.
func result(t *traverse.Traversal, named *device.Buffer[uint32], components int, method string) (*Result, error) {
	r := &Result{Components: components, Method: method, strong: method == byPeeling}
	var err error
	r.Component, err = traverse.Result(t, named)
	if err == nil {
		r.Stats = r.Component.Stats
	}
	return r, err
}

// graph.ErrInvalid: a result that isn't the components of its graph.
var errInvalid = text.Named("cc: not a valid result", graph.ErrInvalid)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errInvalid, fmt.Sprintf(format, args...))
}
