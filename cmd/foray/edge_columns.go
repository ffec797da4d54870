// This file holds the flags of columns of edges.

package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/edgelist"
)

// addColumns adds the flags.
func (f *inputFlags) addColumns(g flagGroup) {
	g.flags.StringVar(&f.edgeCols, "edge-columns", "", ".foray: keep these `COLUMNS` of the edges, separated by commas, for traversals of Go programs: numbers, strings, booleans, dates and timestamps")
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
		case p.gen != nil:
			return usagef("%s: columns are read from files, not from generated graphs", what)
		}
	}
	in.textTypes = map[string]string{}
	maps.Copy(in.textTypes, in.flags.columnTypes)
	return nil
}

// rowNumbers makes the rows of several inputs with columns rows of one.
type rowNumbers struct {
	mu          sync.Mutex
	before, end uint64 // rows of earlier inputs, and of all
}

// next is called before each input.
func (r *rowNumbers) next() { r.before = r.end }

// shift numbers the rows of a batch behind those of earlier inputs.
func (r *rowNumbers) shift(b *graph.Batch) {
	if len(b.Rows) == 0 {
		return
	}
	r.mu.Lock()
	r.end = max(r.end, r.before+b.Rows[len(b.Rows)-1]+1)
	r.mu.Unlock()
	if r.before == 0 {
		return
	}
	rows := make([]uint64, len(b.Rows))
	for i, row := range b.Rows {
		rows[i] = r.before + row
	}
	b.Rows = rows
}

// typesOf returns the types of columns as edgelist.Options.ColumnTypes has them.
func typesOf(columns []graph.Column) map[string]string {
	types := map[string]string{}
	for _, c := range columns {
		switch {
		case c.Logical != "":
			types[c.Name] = c.Logical
		case c.Dictionary != nil && c.Dictionary.Binary:
			types[c.Name] = "binary"
		case c.Dictionary != nil:
			types[c.Name] = "string"
		default:
			types[c.Name] = strings.TrimPrefix(fmt.Sprintf("%T", c.Values), "[]")
		}
	}
	return types
}

// again builds until the columns of texts have types that fit all values. A graph that is appended to says the types.
func (in *input) again(build func() (*graph.Graph, error)) (*graph.Graph, error) {
	for {
		g, err := build()
		switch {
		case !errors.Is(err, edgelist.ErrColumnType):
			return g, err
		case in.flags.columnsOf != "":
			says, _, _ := strings.Cut(err.Error(), "; set Options.ColumnTypes")
			return g, hint(text.Named(says, err), "the column of %s has that type: convert its edges again together with these", in.flags.columnsOf)
		case slices.ContainsFunc(in.parts, func(p part) bool { return p.text != "" && isPipe(p.text) }):
			return g, err
		}
	}
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

// emptyColumns returns columns of no edges, with the types of like, if that isn't empty.
func emptyColumns(names []string, like []graph.Column) (columns []graph.Column) {
	for i, name := range names {
		c := graph.Column{Name: name, Values: []int64{}}
		if len(like) == len(names) {
			c.Logical = like[i].Logical
			if s, ok := like[i].Values.(graph.Strings); ok {
				c.Values, c.Dictionary = []uint32{}, &graph.Strings{Offsets: []int64{0}, Binary: s.Binary}
			} else {
				c.Values = like[i].Values
			}
		}
		columns = append(columns, c)
	}
	return columns
}
