// This file holds inputs that are a graph and not edges to build one of:
// prepared graphs and GraphAr's.

package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow/graphar"
)

// preparedEnd is how the names of prepared graphs end.
const preparedEnd = ".foray"

func namedPrepared(path string) bool { return strings.HasSuffix(strings.ToLower(path), preparedEnd) }

// isPrepared reports whether the file is a prepared graph, by its content,
// or by its name if the content can't be read again; an object by its name.
func (f *inputFlags) isPrepared(path string) (bool, error) {
	if inStore(path) { // nothing is asked of the store before it is opened
		return namedPrepared(path) && f.inFormat.value == "auto" && !strings.ContainsAny(path, "*?["), nil
	}
	if inCatalog(path) {
		return false, nil
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return false, err
	}
	if is, err := arrow.IsGraph(path); is || err != nil {
		return is, err
	}
	return namedPrepared(path) && f.inFormat.value == "auto", nil
}

// isGraphAr reports whether the file is GraphAr's, by its name.
func (f *inputFlags) isGraphAr(path string) bool {
	return f.inFormat.value == "auto" && graphar.IsInfo(path)
}

// onlyWhole reports whether the one path is a graph and not edges.
func (f *inputFlags) onlyWhole(paths []string) bool {
	if len(paths) != 1 {
		return false
	}
	files, err := expand(paths[0], true)
	if err != nil || len(files) != 1 || f.inFormat.value != "auto" && !f.columnar() {
		return false
	}
	if f.isGraphAr(files[0]) {
		return true
	}
	is, err := f.isPrepared(files[0])
	return is && err == nil // what is wrong comes up again when it is opened
}

// checkWhole refuses flags that say how a graph is built of edges, and graphs
// that aren't alone.
func (in *input) checkWhole() error {
	path, other := "", ""
	for _, p := range in.parts {
		if p.prepared != "" {
			path = p.prepared
		}
		if p.graphar != "" {
			other = p.graphar
		}
	}
	f := in.flags
	switch {
	case path == "" && f.trust:
		return usagef("--trust is for prepared graphs")
	case other == "" && f.edge != "":
		return usagef("--edge is for GraphAr: a .yml or .yaml file")
	case path == "" && other != "" && len(in.parts) > 1:
		return usagef("%s is a graph of GraphAr's, which can't be combined with other inputs: name it alone, or convert it to .parquet first", other)
	case other != "" && f.separate:
		return usagef("--separate-ids is for edges without types: in GraphAr's, vertices of two types are apart")
	case other != "" && f.ids.value == "dense" && f.vertexID != "":
		return usagef("--ids dense takes GraphAr's own numbers, and --vertex-id a property: one of the two")
	case other != "" && f.asksIDs() && f.ids.value != "dense":
		return usagef("--ids is auto or dense for GraphAr: %s defines the type of its primary keys", other)
	case path == "":
		return nil
	case len(in.parts) > 1:
		return usagef("%s is a prepared graph, which can't be combined with other inputs: name it alone, or convert it to .parquet first", path)
	case f.asksIDs():
		return usagef("--ids is for edges: %s is a prepared graph, whose ids are fixed", path)
	case f.twoPass:
		return usagef("--two-pass is for edges: nothing is built of %s, which is a prepared graph", path)
	}
	return nil
}

// openPrepared opens the graph, and refuses flags that ask for another one.
func (in *input) openPrepared(ctx context.Context, progress *progress) (*graph.Graph, error) {
	path, f := in.parts[0].prepared, in.flags
	phase := "checking"
	if inStore(path) {
		phase = "fetching"
	}
	g, info, err := arrow.OpenGraph(ctx, path, arrow.OpenGraphOptions{
		Trust: f.trust, WeightType: in.o.WeightType, S3: f.limits.s3(), Workers: int(f.workers), MemoryLimit: f.left,
		Progress: progress.inBytes(phase),
	})
	if err != nil {
		return nil, err
	}
	in.stored, in.stats = info.Tables, arrow.Stats{Files: 1, Bytes: info.Bytes, BytesRead: info.BytesRead}
	switch {
	case f.appendTo != "" && f.directed != g.Directed():
		err = usagef("the graph in %s is %s, and the one in %s %s; build both alike", path, leads(g.Directed()), f.appendTo, leads(f.directed))
	case f.appendTo != "" && in.o.Weights && g.Out().Weights == nil:
		err = usagef("the graph in %s has no weights, and the one in %s has; build both alike", path, f.appendTo)
	case f.appendTo != "" && f.keepsEdgeIDs() && g.Out().EdgeIDs == nil:
		err = usagef("the graph in %s has no edge ids, and the one in %s has; build both alike", path, f.appendTo)
	case f.directed && !g.Directed():
		err = usagef("--directed: the graph in %s is undirected; prepare another graph from its edges", path)
	case f.given("directed") && !f.directed && g.Directed():
		err = usagef("--directed=false: the graph in %s is directed; prepare another graph from its edges without --directed", path)
	case in.o.Weights && g.Out().Weights == nil:
		err = usagef("the graph in %s has no weights, which are required; prepare another graph from its edges with --weights", path)
	default:
		err = in.checkPreparedParallel(path, g)
		if err == nil {
			err = in.checkPreparedEdgeIDs(path, g)
		}
	}
	if err != nil {
		_ = g.Close() // the error to report is the other one
		return nil, err
	}
	order, _ := graph.Parse[graph.Order](f.order.value) // the flag allows no other
	if order == graph.OrderAuto || order == g.Order() && (order != graph.OrderGiven || idsAscend(g.IDs())) {
		return g, nil
	}
	if err := in.checkReorder(g); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	moved, err := g.Reorder(ctx, graph.ReorderOptions{Order: order, Workers: int(f.workers)})
	return moved, errors.Join(err, g.Close())
}

// leads describes whether a graph is directed.
func leads(directed bool) string {
	if directed {
		return "directed"
	}
	return "undirected"
}

// asksIDs reports whether --ids requests other ids than the default.
func (f *inputFlags) asksIDs() bool {
	return f.ids.value != "auto" && (f.appendTo == "" || f.given("ids"))
}

// checkReorder refuses an order for which there is no memory: it takes a copy of
// the graph.
func (in *input) checkReorder(g *graph.Graph) error {
	return in.checkCopy(g, "--order "+in.flags.order.value, "leave out --order, or prepare the graph in that order; ")
}

// isGraphAr reports whether the input is a graph of GraphAr's.
func (in *input) isGraphAr() bool { return len(in.parts) == 1 && in.parts[0].graphar != "" }

// loadGraphAr builds the graph of GraphAr's chunks.
func (in *input) loadGraphAr(ctx context.Context, progress *progress) (*graph.Graph, error) {
	f := in.flags
	o := graphar.Options{
		Edge: f.edge, VertexID: f.vertexID, Where: f.where, Graph: in.o, TwoPass: f.twoPass, Workers: int(f.workers),
		Progress: progress.counting("reading"),
	}
	o.SkipNulls = f.nulls.value == "skip"
	o.MaxFooter, o.MaxExpansion, o.MaxMetadata = f.limits.footer, f.limits.expansion, f.limits.metadata
	o.FollowLinks, o.AllowOutside = f.links, f.outside
	o.EdgeID = f.edgeIDCol
	if f.weights {
		o.Weight = f.weightCol
	}
	if in.o.DenseIDs {
		o.IndexIDs = true
	}
	if f.properties != "" {
		names, err := logical.Fields(f.properties)
		if err != nil {
			return nil, usagef("--properties: %v", err)
		}
		o.Properties = names
	}
	l, err := graphar.Load(ctx, in.parts[0].graphar, o)
	if err != nil {
		return nil, err
	}
	in.properties, in.saysDirected, in.stats = l.Properties, l.Directed, l.Stats
	return l.Graph, nil
}
