// This file holds the flags of columns of vertices.

package main

import (
	"context"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/edgelist"
)

// addVertexColumns adds the flag.
func (f *inputFlags) addVertexColumns(g flagGroup) {
	g.flags.StringVar(&f.vertexCols, "vertex-columns", "", ".foray: keep these `COLUMNS` of --vertices, or properties of GraphAr's, separated by commas, for traversals of Go programs: integers, floats, strings, booleans, dates and times")
}

// checkVertexColumns refuses flags that don't go together, and has the columns read.
func (f *inputFlags) checkVertexColumns(paths []string, prepares bool) error {
	switch {
	case f.vertexCols == "":
		return nil
	case !prepares:
		return usagef("--vertex-columns is for .foray, a prepared graph")
	case len(f.vertices) == 0 && !(len(paths) == 1 && f.isGraphAr(paths[0])):
		return usagef("--vertex-columns names columns of the table of vertices; name that table in --vertices")
	}
	names, err := logical.Fields(f.vertexCols)
	if err != nil {
		return usagef("--vertex-columns: %v", err)
	}
	for i, name := range names {
		for _, other := range names[:i] {
			if name == other {
				return usagef("--vertex-columns names %q twice", name)
			}
		}
	}
	f.properties = f.vertexCols
	return nil
}

// addVertexColumns gives a graph the columns of --vertex-columns, which were read as properties.
func (g *loaded) addVertexColumns(ctx context.Context) error {
	f := g.in.flags
	texts := g.in.lists.texts
	if f.vertexCols == "" || g.properties() == nil && len(texts) == 0 {
		return nil
	}
	names, err := logical.Fields(f.vertexCols)
	if err != nil {
		return err
	}
	if len(texts) > 0 {
		o := g.in.listOptions(texts[0], nil)
		o.VertexColumns, o.ColumnTypes, o.IDs, o.Progress = names, nil, "", nil
		columns, err := edgelist.VertexColumns(ctx, g.Graph, texts, o)
		if err != nil {
			return &reworded{"--vertices: " + strings.ReplaceAll(err.Error(), "Options.Source", "Options.VertexID"), err}
		}
		return g.AddVertexColumns(columns...)
	}
	var columns []graph.Column
	for _, name := range names {
		c, err := g.properties().Column(ctx, name)
		if err != nil {
			return err
		}
		columns = append(columns, c)
	}
	return g.AddVertexColumns(columns...)
}
