// This file writes what the convert command has read, as batches or as a graph.

package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/edgelist"
)

// convertBatches passes edges on from input to output.
func (a *app) convertBatches(ctx context.Context, paths []string, f *convertFlags) (uint64, error) {
	if len(f.vertices) > 0 || f.separate {
		return 0, usagef("--vertices and --separate-ids are for graphs; a table of edges can't store that")
	}
	progress := a.progress()
	defer progress.end()
	if err := f.checkEdges(false); err != nil {
		return 0, err
	}
	if f.weightType != nil && f.weightType.value != "auto" {
		return 0, usagef("--weight-type is for graphs, and these edges are written with the weights that they have; write a .foray file, or pass --simple")
	}
	o := f.inputFlags.options()
	if err := a.boundMemory(&f.inputFlags, &o); err != nil {
		return 0, err
	}
	in, err := f.open(ctx, paths, o, progress)
	if err != nil {
		return 0, err
	}
	if err := f.checkOpened(ctx); err != nil {
		return 0, err
	}
	f.tuples, f.kinds = in.tuples(), in.kinds()
	edges, err := a.writeBatches(ctx, in, f, progress, false)
	if errors.Is(err, graph.ErrWeights) && errors.Is(err, arrow.ErrResult) && !slices.Contains(paths, "-") {
		edges, err = a.writeBatches(ctx, in, f, progress, true) // integers, and then floats
	}
	if err == nil {
		err = a.tellTables(in)
	}
	return edges, a.sayOwn(err)
}

// writeBatches writes the edges of the input; floats makes all weights floats.
func (a *app) writeBatches(ctx context.Context, in *input, f *convertFlags, progress *progress, floats bool) (uint64, error) {
	var edges atomic.Uint64
	bare := bareVertices{counts: in.declares(ctx, progress)}
	wo := f.outputFlags.options(a.data)
	wo.MemoryLimit = f.left - min(in.held(), f.left)
	for _, p := range in.parts {
		if p.gen != nil && bare.counts {
			bare.declare(p.gen.NumVertices())
		}
	}
	err := arrow.WriteBatches(ctx, f.output, func(ctx context.Context, yield func(graph.Batch) error) error {
		return in.batches(ctx, progress, func(b graph.Batch) error {
			if bare.take(&b); b.Vertices {
				return nil
			}
			n := len(b.Src)
			if b.SrcStrings != nil {
				n = b.SrcStrings.Len()
			}
			edges.Add(uint64(n))
			if floats && b.Weighted() && b.FloatWeights == nil {
				all := make([]float64, n)
				for i := range all {
					all[i] = b.FloatWeight(i)
				}
				b.Weights, b.IntWeights, b.FloatWeights = nil, nil, all
			}
			return yield(b)
		})
	}, wo)
	f.leftOut, f.comments = append(in.leftOut(), bare.leftOut()...), in.comments()
	return edges.Load(), err
}

// convertGraph builds a graph and writes its edges.
func (a *app) convertGraph(ctx context.Context, paths []string, f *convertFlags, t string, isText bool) (uint64, error) {
	if len(f.vertices) > 0 && !f.prepares() {
		return 0, usagef("--vertices is for prepared graphs here; an edge list can't store vertices without edges")
	}
	o := f.inputFlags.options()
	if err := f.checkEdges(isGraph(t)); err != nil {
		return 0, err
	}
	if f.prepares() {
		o.Reverse = o.Directed && f.reverse
	} else if !f.simple && !isGraph(t) {
		// Every edge once and in its direction.
		o.Directed, o.KeepSelfLoops, o.KeepDuplicates = true, true, true
	}
	if f.order.value == "auto" && !f.prepares() {
		o.Order = graph.OrderGiven // this graph isn't searched
	}
	f.emptyToo = true
	g, err := a.load(ctx, paths, &f.inputFlags, o)
	if err != nil {
		return 0, err
	}
	defer g.Close()
	if err := g.addVertexColumns(ctx); err != nil {
		return 0, err
	}
	f.kinds = g.IDs().Kinds() != nil
	f.comments = g.in.comments()
	f.leftOut, f.tuples, f.sides = g.in.leftOut(), strings.HasPrefix(g.IDs().Logical, "tuple("), g.IDs().Sides != nil
	if isText && g.Out().Weights != nil && !f.weights {
		f.leftOut = append(f.leftOut, "the weights")
	}
	if !f.prepares() && len(g.VertexColumns()) > 0 {
		f.leftOut = append(f.leftOut, "the columns of the vertices")
	}
	if isText && len(g.EdgeColumns()) > 0 {
		f.leftOut = append(f.leftOut, "the columns of the edges")
	}
	if isText && g.Out().EdgeIDs != nil {
		f.leftOut = append(f.leftOut, "the edges' ids")
	}
	if !f.prepares() && !isGraph(t) {
		f.leftOut = append(f.leftOut, leftVertices(g.DegreeHistogram().Isolated)...)
	}
	if f.givenReverse() && !g.Directed() {
		if err := a.note("--reverse changes nothing: the graph is undirected, and so its own reverse"); err != nil {
			return 0, err
		}
	}
	if f.prepares() && !f.reverse && g.Directed() && g.In() != nil {
		return 0, usagef("--reverse=false: the graph in %s has its reverse; prepare another graph from its edges", paths[0])
	}
	progress := a.progress()
	defer progress.end()
	wo := edgelist.WriteOptions{Weights: f.weights, VertexNumbers: f.numbers, Progress: progress.counting("writing")}
	switch {
	case f.prepares():
		err = arrow.WriteGraph(ctx, f.output, g.Graph, arrow.WriteGraphOptions{
			Workers: int(f.workers), Tables: g.in.tables(), Progress: progress.inBytes("writing"),
		})
	case !isText:
		to := f.outputFlags.options(a.data)
		to.MemoryLimit = a.roomLeft()
		err = a.sayOwn(arrow.WriteEdges(ctx, f.output, g.Graph, to))
	default:
		err = edgelist.Write(ctx, f.output, g.Graph, wo)
	}
	return g.NumEdges(), err
}
