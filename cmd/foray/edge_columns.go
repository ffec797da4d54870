// This file holds the flags of columns of edges.

package main

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/logical"
)

// addColumns adds the flags.
func (f *inputFlags) addColumns(g flagGroup) {
	g.flags.StringVar(&f.edgeCols, "edge-columns", "", ".foray: keep these `COLUMNS` of the edges, separated by commas, for traversals of Go programs: numbers, strings, booleans, dates and timestamps of Parquet and Arrow")
	f.addMerge(g, "with --edge-columns")
}

// checkColumns refuses flags that don't go together, and reads the names.
func (f *inputFlags) checkColumns(prepares bool) error {
	switch {
	case f.edgeCols == "" && f.merge != "":
		return usagef("--merge chooses among edges with columns; name these in --edge-columns, or combine weights by --combine")
	case f.edgeCols == "":
		return nil
	case !prepares:
		return usagef("--edge-columns is for .foray, a prepared graph")
	}
	if err := f.setMerge(&graph.Options{}); err != nil {
		return err
	}
	if _, err := logical.Fields(f.edgeCols); err != nil {
		return usagef("--edge-columns: %v", err)
	}
	if by, _ := f.combined(); by != graph.CombineMin {
		return usagef("--combine with --edge-columns: an edge that stays keeps its own weight; leave out --combine")
	}
	var o graph.Options
	f.setColumns(&o)
	if err := o.Check(); err != nil {
		return usagef("--edge-columns and --merge: %v", err)
	}
	return nil
}

// setColumns sets the options.
func (f *inputFlags) setColumns(o *graph.Options) {
	if f.edgeCols == "" {
		return
	}
	o.EdgeColumns, _ = logical.Fields(f.edgeCols)
	_ = f.setMerge(o) // checkColumns has refused others
}

// setMerge sets what --merge says.
func (f *inputFlags) setMerge(o *graph.Options) error {
	by, column, _ := strings.Cut(f.merge, ":")
	switch {
	case f.merge == "", (by == "first" || by == "keep") && column == "", (by == "least" || by == "greatest") && column != "":
	default:
		return usagef("--merge %q: want first, least:COLUMN, greatest:COLUMN or keep", f.merge)
	}
	o.MergeBy = column
	switch by {
	case "keep":
		o.KeepDuplicates = true
	case "first":
		o.Merge = graph.MergeFirst
	case "least":
		o.Merge = graph.MergeLeast
	case "greatest":
		o.Merge = graph.MergeGreatest
	}
	return nil
}

// checkColumnInputs refuses inputs without columns.
func (in *input) checkColumnInputs() error {
	if len(in.o.EdgeColumns) == 0 {
		return nil
	}
	what := "--edge-columns"
	switch {
	case in.flags.edgeWhere != "":
		what = "--edge-where"
	case len(in.flags.reads) > 0:
		what = "the algorithm reads " + strings.Join(in.flags.reads, " and ")
	}
	if to := in.flags.columnsOf; to != "" {
		what = "the edges of the graph in " + to + " have columns"
	}
	for _, p := range in.parts {
		switch {
		case p.prepared != "" && in.flags.columnsOf != "": // which has its own
		case p.prepared != "":
			return usagef("%s: %s is a prepared graph, whose edges keep the columns that they have; leave it out", what, p.prepared)
		case p.text != "":
			return usagef("%s: columns are read from Parquet, Arrow and tables, and %s is text; another tool, such as DuckDB, writes it as .parquet with all its columns", what, p.text)
		case p.gen != nil:
			return usagef("%s: columns are read from Parquet, Arrow and tables, not from generated graphs", what)
		}
	}
	return nil
}

// quotedFields returns names as --edge-columns takes them.
func quotedFields(columns []graph.Column) string {
	var names []string
	for _, c := range columns {
		names = append(names, `"`+strings.ReplaceAll(c.Name, `"`, `""`)+`"`)
	}
	return strings.Join(names, ",")
}

// columnTypes lists columns with the types of their values.
func columnTypes(columns []graph.Column) string {
	var all []string
	for _, c := range columns {
		typ := strings.TrimPrefix(fmt.Sprintf("%T", c.Values), "[]")
		switch {
		case c.Dictionary != nil:
			typ = text.Plural(c.Dictionary.Len(), "string")
		case c.Logical != "":
			typ = c.Logical
		}
		all = append(all, c.Name+" ("+typ+")")
	}
	return strings.Join(all, ", ")
}

// emptyColumns returns columns of no edges.
func emptyColumns(names []string) (columns []graph.Column) {
	for _, name := range names {
		columns = append(columns, graph.Column{Name: name, Values: []int64{}})
	}
	return columns
}
