// This file holds --edge-where: algorithms on the edges of a graph that meet a condition.

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
)

// addEdgeWhere adds the flags.
func (f *inputFlags) addEdgeWhere(g flagGroup) {
	g.flags.StringVar(&f.edgeWhere, "edge-where", "", "run on the edges that meet this `COND` on their columns, such as \"kind = 'follows' and time >= 2026-01-01\", and on all vertices; in a prepared graph these are the columns of convert --edge-columns, and weight")
	f.addMerge(g, "with --edge-where on other files")
}

func (f *inputFlags) addMerge(g flagGroup, with string) {
	g.flags.StringVar(&f.merge, "merge", "", with+": `WAY` to choose which of repeated edges stays: first, least:COLUMN, greatest:COLUMN, or keep for all of them (default: repeated edges are an error)")
}

// columnOptions adds the columns of --edge-where, and those that the algorithm reads, to the options, unless the input has
// them.
func (f *inputFlags) columnOptions(paths []string, o *graph.Options) error {
	if f.edgeWhere == "" && len(f.reads) == 0 {
		if f.merge != "" && f.edgeCols == "" {
			return usagef("--merge chooses among edges with columns; name a condition on these in --edge-where, or combine weights by --combine")
		}
		return nil
	}
	names := slices.Clone(f.reads)
	if f.edgeWhere != "" {
		more, err := arrow.ConditionColumns(f.edgeWhere)
		if err != nil {
			return usagef("--edge-where: %w", err)
		}
		for _, name := range more {
			names = withName(names, name)
		}
	}
	if f.onlyWhole(paths) && !f.isGraphAr(paths[0]) {
		if f.merge != "" {
			return usagef("--merge: %s is a prepared graph, whose edges are what they are; leave it out", paths[0])
		}
		return nil
	}
	if f.twoPass {
		return usagef("--two-pass holds no columns of edges, and some are read; leave it out")
	}
	if by, _ := f.combined(); by != graph.CombineMin {
		return usagef("--combine with columns of edges: an edge that stays keeps its own weight; leave out --combine")
	}
	o.EdgeColumns = names
	if err := f.setMerge(o); err != nil {
		return err
	}
	if f.merge == "" && len(f.reads) > 0 { // the algorithm looks at all of them
		o.KeepDuplicates = true
	}
	if by := o.MergeBy; by != "" && (o.Merge == graph.MergeLeast || o.Merge == graph.MergeGreatest) {
		o.EdgeColumns = withName(names, by)
	}
	if err := o.Check(); err != nil {
		return usagef("columns of edges and --merge: %v", err)
	}
	return nil
}

// ofEdgeWhere names the flag in an error about columns.
func (f *inputFlags) ofEdgeWhere(err error) error {
	flag := "--edge-where"
	switch {
	case err == nil || f.edgeWhere == "" && len(f.reads) == 0:
		return err
	case f.edgeWhere == "":
		flag = "one of --time, --duration and --kind"
	}
	says := strings.NewReplacer("Options.Graph.EdgeColumns", flag, "Options.EdgeColumns", flag).Replace(err.Error())
	return text.Named(says, err)
}

func withName(names []string, name string) []string {
	for _, n := range names {
		if n == name {
			return names
		}
	}
	return append(slices.Clone(names), name)
}

// filterEdges keeps the edges that meet --edge-where. It closes the graph that it doesn't return.
func (in *input) filterEdges(ctx context.Context, g *graph.Graph) (*graph.Graph, error) {
	if in.flags.edgeWhere == "" {
		return g, nil
	}
	if err := in.checkCopy(g, "--edge-where", ""); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	in.filteredFrom = g.NumEdges()
	if err := arrow.CheckCondition(g, in.flags.edgeWhere); errors.Is(err, graph.ErrNoColumn) { // else FilterEdges has the error too
		in.unknownString = err
	}
	some, err := arrow.FilterEdges(ctx, g, in.flags.edgeWhere)
	if err != nil {
		err = fmt.Errorf("--edge-where: %w", err)
	}
	return some, errors.Join(err, g.Close())
}

// checkCopy refuses what copies the graph if there is no memory for the copy.
func (in *input) checkCopy(g *graph.Graph, what, remedy string) error {
	limit, free := in.memoryLimit()
	m := estimate(g)
	need := m.graph + m.ids + 12*uint64(g.NumVertices())
	if limit == 0 || need <= limit {
		return nil
	}
	return hint(fmt.Errorf("%w: %s copies the graph in %s, which takes %s, more than the %s%s", device.ErrMemory, what, in.name,
		text.Bytes(need), text.Bytes(limit), free), "%s--memory-limit sets another limit", remedy)
}

// filtered describes what --edge-where left.
func (g *loaded) filtered() string {
	return fmt.Sprintf("%s of %s meet --edge-where", text.Count(g.NumEdges()), text.Plural(int(g.in.filteredFrom), "edge"))
}
