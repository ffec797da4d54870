// This file lists the functions.

package duckdb

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/bridges"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/algos/color"
	"github.com/foray-graph/foray/algos/degree"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/eigenvector"
	"github.com/foray-graph/foray/algos/hits"
	"github.com/foray-graph/foray/algos/katz"
	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/ktruss"
	"github.com/foray-graph/foray/algos/leiden"
	"github.com/foray-graph/foray/algos/louvain"
	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/algos/mis"
	"github.com/foray-graph/foray/algos/msf"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/paths"
	"github.com/foray-graph/foray/algos/similar"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/algos/topo"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/algos/walks"
	"github.com/foray-graph/foray/graph"
)

// function is a table function. Its arguments are the table, the two columns of ids, the weight if it has one,
// and the last if it has one.
type function struct {
	name    string
	weight  bool
	last    argument
	edges   bool     // rows are edges, not vertices: the first two columns of the result are their ends
	table   bool     // rows are neither: all columns of the result are among columns
	columns []column // next to the vertex, or to the ends
	needs   func(*graph.Options)
	run     func(ctx context.Context, p *graph.Placed, last string) ([]values, error)
}

// argument is what the last argument of a function is.
type argument uint8

const (
	none argument = iota
	source
	samples
	most  // how many there are at most of each
	steps // of a walk
	pair  // two arguments: a source and a target, with a null byte between
)

// column is a column of the result. A column of ids has TYPE_INVALID, which stands for the type of the ids, and
// one of distances TYPE_ANY, which stands for the type of the weights.
type column struct {
	name string
	typ  duckdb.Type
}

const (
	ofIDs     = duckdb.TYPE_INVALID
	ofWeights = duckdb.TYPE_ANY
)

// names returns how many arguments are names: of the table and its columns.
func (f *function) names() int {
	if f.weight {
		return 4
	}
	return 3
}

// arguments returns how many arguments there are.
func (f *function) arguments() int {
	switch f.last {
	case none:
		return f.names()
	case pair:
		return f.names() + 2
	}
	return f.names() + 1
}

func nothing(*graph.Options)    {}
func reverse(o *graph.Options)  { o.Reverse = true }
func allEdges(o *graph.Options) { o.Reverse, o.KeepSelfLoops = true, true }
func ordered(o *graph.Options)  { o.Directed, o.KeepSelfLoops = true, true }
func weighted(o *graph.Options) { o.Weights = true }
func lightest(o *graph.Options) { o.Weights, o.Combine = true, graph.CombineMin }
func negative(x int32) bool     { return x < 0 }
func negativeSum(x int64) bool  { return x < 0 }
func infinite(x float64) bool   { return math.IsInf(x, 1) }
func never[T any](T) bool       { return false }

var functions = []*function{
	{name: "bfs", last: source, columns: []column{{"depth", duckdb.TYPE_INTEGER}}, needs: reverse, run: runBFS},
	{name: "sssp", weight: true, last: source, columns: []column{{"distance", ofWeights}}, needs: weighted, run: runSSSP},
	{name: "cc", columns: []column{{"component", ofIDs}}, needs: nothing, run: runCC},
	{name: "pagerank", columns: []column{{"rank", duckdb.TYPE_DOUBLE}}, needs: allEdges, run: runPageRank},
	{name: "lpa", columns: []column{{"label", ofIDs}}, needs: allEdges, run: runLPA},
	{name: "mis", columns: []column{{"member", duckdb.TYPE_UINTEGER}}, needs: nothing, run: runMIS},
	{name: "color", columns: []column{{"color", duckdb.TYPE_UINTEGER}}, needs: nothing, run: runColor},
	{name: "louvain", columns: []column{{"community", duckdb.TYPE_UINTEGER}}, needs: allEdges, run: runLouvain},
	{name: "leiden", columns: []column{{"community", duckdb.TYPE_UINTEGER}}, needs: allEdges, run: runLeiden},
	{name: "topo", columns: []column{{"level", duckdb.TYPE_UINTEGER}}, needs: ordered, run: runTopo},
	{name: "msf", weight: true, edges: true, columns: []column{{"weight", ofWeights}, {"tree", ofIDs}}, needs: lightest, run: runMSF},
	{name: "bridges", edges: true, columns: []column{{"component", ofIDs}, {"bridge", duckdb.TYPE_UINTEGER}}, needs: nothing, run: runBridges},
	{name: "ktruss", edges: true, columns: []column{{"trussness", duckdb.TYPE_UINTEGER}}, needs: nothing, run: runTrusses},
	{name: "spanning", edges: true, columns: []column{{"tree", ofIDs}}, needs: nothing, run: runSpanning},
	{name: "kcore", columns: []column{{"core", duckdb.TYPE_UINTEGER}}, needs: nothing, run: runKCore},
	{name: "triangles", columns: []column{{"triangles", duckdb.TYPE_UBIGINT}, {"coefficient", duckdb.TYPE_DOUBLE}}, needs: nothing, run: runTriangles},
	{name: "closeness", columns: []column{{"closeness", duckdb.TYPE_DOUBLE}, {"harmonic", duckdb.TYPE_DOUBLE}, {"eccentricity", duckdb.TYPE_INTEGER}},
		needs: reverse, run: runCloseness},
	{name: "degree", columns: []column{{"degree", duckdb.TYPE_UBIGINT}, {"centrality", duckdb.TYPE_DOUBLE}}, needs: allEdges, run: runDegree},
	{name: "eigenvector", columns: []column{{"centrality", duckdb.TYPE_DOUBLE}}, needs: allEdges, run: runEigenvector},
	{name: "hits", columns: []column{{"hub", duckdb.TYPE_DOUBLE}, {"authority", duckdb.TYPE_DOUBLE}}, needs: allEdges, run: runHits},
	{name: "katz", columns: []column{{"centrality", duckdb.TYPE_DOUBLE}}, needs: allEdges, run: runKatz},
	{name: "similar", last: most, table: true, columns: []column{{"vertex", ofIDs}, {"neighbor", ofIDs}, {"score", duckdb.TYPE_DOUBLE}}, needs: nothing, run: runSimilar},
	{name: "walks", last: steps, table: true, columns: []column{{"walk", duckdb.TYPE_UINTEGER}, {"step", duckdb.TYPE_UINTEGER}, {"vertex", ofIDs}}, needs: allEdges, run: runWalks},
	{name: "paths", last: pair, table: true, columns: []column{{"path", duckdb.TYPE_UINTEGER}, {"step", duckdb.TYPE_UINTEGER}, {"vertex", ofIDs}}, needs: reverse, run: runPaths},
	{name: "bc_edges", last: samples, edges: true, columns: []column{{"betweenness", duckdb.TYPE_DOUBLE}}, needs: nothing, run: runEdgeBC},
	{name: "bc", last: samples, columns: []column{{"betweenness", duckdb.TYPE_DOUBLE}}, needs: reverse, run: runBC},
}

func runBFS(ctx context.Context, p *graph.Placed, last string) ([]values, error) {
	from, err := p.Graph().ParseVertex(last)
	if err != nil {
		return nil, err
	}
	r, err := dobfs.Run(ctx, p, from, dobfs.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	depths, err := r.Depths()
	return gathered(cells(depths, err, negative))
}

func runSSSP(ctx context.Context, p *graph.Placed, last string) ([]values, error) {
	from, err := p.Graph().ParseVertex(last)
	if err != nil {
		return nil, err
	}
	r, err := sssp.Run(ctx, p, from, sssp.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if ints := r.Distances.Int64; ints != nil {
		all, err := ints.Slice()
		return gathered(cells(all, err, negativeSum))
	}
	all, err := r.Distances.Slice()
	return gathered(cells(all, err, infinite))
}

func runCC(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := cc.Run(ctx, p, cc.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Component.Slice()
	return gathered(vertices(p.Graph().IDs(), all, err))
}

func runPageRank(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := pagerank.Run(ctx, p, pagerank.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Ranks.Slice()
	return gathered(cells(all, err, never))
}

func runLPA(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := lpa.Run(ctx, p, lpa.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Labels.Slice()
	return gathered(vertices(p.Graph().IDs(), all, err))
}

func runMIS(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := mis.Run(ctx, p, mis.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Member.Slice()
	return gathered(cells(all, err, never))
}

func runColor(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := color.Run(ctx, p, color.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Color.Slice()
	return gathered(cells(all, err, never))
}

func runLouvain(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := louvain.Run(ctx, p, louvain.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Community.Slice()
	return gathered(cells(all, err, never))
}

func runLeiden(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := leiden.Run(ctx, p, leiden.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Community.Slice()
	return gathered(cells(all, err, never))
}

func runTopo(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := topo.Run(ctx, p, topo.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Level.Slice()
	return gathered(cells(all, err, never))
}

func runMSF(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	return runForest(ctx, p, msf.Options{})
}

func runSpanning(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	return runForest(ctx, p, msf.Options{Unweighted: true})
}

func runBridges(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := bridges.Run(ctx, p, bridges.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	component, err := r.Component.Slice()
	if err != nil {
		return nil, err
	}
	bridge, err := r.Bridge.Slice()
	if err != nil {
		return nil, err
	}
	e := edgesOf(p.Graph(), func(at uint64) bool { return component[at] != graph.NoVertex })
	return gathered(append(e.ends(), vertices(p.Graph().IDs(), at(e, component), nil), cells(at(e, bridge), nil, never))...)
}

func runTrusses(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := ktruss.Run(ctx, p, ktruss.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	truss, err := r.Trussness.Slice()
	if err != nil {
		return nil, err
	}
	e := edgesOf(p.Graph(), func(at uint64) bool { return truss[at] != 0 })
	return gathered(append(e.ends(), cells(at(e, truss), nil, never))...)
}

func runForest(ctx context.Context, p *graph.Placed, o msf.Options) ([]values, error) {
	r, err := msf.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	tree, err := r.Tree.Slice()
	if err != nil {
		return nil, err
	}
	e := edgesOf(p.Graph(), func(at uint64) bool { return tree[at] != graph.NoVertex })
	columns := e.ends()
	if !o.Unweighted {
		columns = append(columns, e.weights())
	}
	return gathered(append(columns, vertices(p.Graph().IDs(), at(e, tree), nil))...)
}

func runKCore(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := kcore.Run(ctx, p, kcore.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Core.Slice()
	return gathered(cells(all, err, never))
}

func runTriangles(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := triangles.Run(ctx, p, triangles.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	counts, err := r.Triangles.Slice()
	if err != nil {
		return nil, err
	}
	shares, err := r.Coefficient.Slice()
	return gathered(cells(counts, nil, never), cells(shares, err, never))
}

func runCloseness(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := closeness.Run(ctx, p, closeness.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	near, err := r.Closeness.Slice()
	if err != nil {
		return nil, err
	}
	harmonic, err := r.Harmonic.Slice()
	if err != nil {
		return nil, err
	}
	far, err := r.Eccentricity.Slice()
	return gathered(cells(near, nil, never), cells(harmonic, nil, never), cells(far, err, negative))
}

func runDegree(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := degree.Run(ctx, p, degree.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	counts, err := r.Degree.Slice()
	if err != nil {
		return nil, err
	}
	shares, err := r.Centrality.Slice()
	return gathered(cells(counts, nil, never), cells(shares, err, never))
}

func runEigenvector(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := eigenvector.Run(ctx, p, eigenvector.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Centrality.Slice()
	return gathered(cells(all, err, never))
}

func runHits(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := hits.Run(ctx, p, hits.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	hubs, err := r.Hubs.Slice()
	if err != nil {
		return nil, err
	}
	authorities, err := r.Authorities.Slice()
	return gathered(cells(hubs, nil, never), cells(authorities, err, never))
}

func runKatz(ctx context.Context, p *graph.Placed, _ string) ([]values, error) {
	r, err := katz.Run(ctx, p, katz.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Centrality.Slice()
	return gathered(cells(all, err, never))
}

// numberOf reads the last argument of what, a number from least to most.
func numberOf(last, what string, least, most uint64) (int, error) {
	n, err := strconv.ParseUint(last, 10, 31)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%w: %.64q %s; give a number from %d to %d", graph.ErrOptions, last, what, least, most)
	}
	return int(n), nil
}

func runSimilar(ctx context.Context, p *graph.Placed, last string) ([]values, error) {
	k, err := numberOf(last, "similar vertices of each", 1, similar.MostK)
	if err != nil {
		return nil, err
	}
	r, err := similar.Run(ctx, p, similar.Options{K: k})
	if err != nil {
		return nil, err
	}
	ids := p.Graph().IDs()
	return gathered(vertices(ids, r.Vertex, nil), vertices(ids, r.Neighbor, nil), cells(r.Score, nil, never))
}

// ways are lists of vertices, with a row for each of them.
type ways struct{ list, step, vertex []uint32 }

func (w *ways) add(list uint32, path []uint32) {
	for i, v := range path {
		w.list, w.step, w.vertex = append(w.list, list), append(w.step, uint32(i)), append(w.vertex, v)
	}
}

func (w *ways) columns(ids *graph.IDs) ([]values, error) {
	return gathered(cells(w.list, nil, never), cells(w.step, nil, never), vertices(ids, w.vertex, nil))
}

func runWalks(ctx context.Context, p *graph.Placed, last string) ([]values, error) {
	length, err := numberOf(last, "steps", 1, walks.MostLength)
	if err != nil {
		return nil, err
	}
	w, number := ways{}, uint32(0)
	for b, err := range walks.Each(ctx, p, walks.Options{Length: length}) {
		if err != nil {
			return nil, err
		}
		for i := range b.Starts {
			w.add(number, b.Vertices[b.Offsets[i]:b.Offsets[i+1]])
			number++
		}
	}
	return w.columns(p.Graph().IDs())
}

func runPaths(ctx context.Context, p *graph.Placed, last string) ([]values, error) {
	source, target, _ := strings.Cut(last, "\x00")
	from, err := p.Graph().ParseVertex(source)
	if err != nil {
		return nil, err
	}
	to, err := p.Graph().ParseVertex(target)
	if err != nil {
		return nil, err
	}
	r, err := paths.Run(ctx, p, paths.Options{Pairs: [][2]uint32{{from, to}}, Shortest: true})
	if err != nil {
		return nil, err
	}
	w := ways{}
	for i := range r.Pair {
		w.add(uint32(i)+1, r.Path(i))
	}
	return w.columns(p.Graph().IDs())
}

func runEdgeBC(ctx context.Context, p *graph.Placed, last string) ([]values, error) {
	n, err := numberOf(last, "samples, of which 0 stand for exact scores", 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	r, err := bc.Run(ctx, p, bc.Options{Samples: n, Edges: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Edges.Slice()
	if err != nil {
		return nil, err
	}
	e := edgesOf(p.Graph(), func(uint64) bool { return true })
	return gathered(append(e.ends(), cells(at(e, all), nil, never))...)
}

func runBC(ctx context.Context, p *graph.Placed, last string) ([]values, error) {
	n, err := strconv.ParseUint(last, 10, 31)
	if err != nil {
		return nil, fmt.Errorf("%w: %s samples; give 0 for exact scores, or a positive number", graph.ErrOptions, last)
	}
	r, err := bc.Run(ctx, p, bc.Options{Samples: int(n)})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Betweenness.Slice()
	return gathered(cells(all, err, math.IsNaN))
}
