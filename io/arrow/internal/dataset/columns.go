// This file chooses the columns of ids and weights.

package dataset

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// pairs are the names that are taken for the ends of an edge.
var pairs = [...][2]string{{"src", "dst"}, {"source", "target"}, {"from", "to"}}

// weightName is the column that weights are read from by default.
const weightName = "weight"

// pick is a column that is read of a table: one of its file, or one that the
// names of its directories tell.
type pick struct {
	column int // of the table
	kind   columnar.Kind
	path   string
	read   int             // which of the columns that are read of the file
	value  *input.Constant // of directories: nothing is read
	csv    *csvColumn
}

// choice is which columns of a table are read: the ids of sources, those of
// targets, then the others.
type choice struct {
	picks  []pick
	ends   [2][]int // in picks: the columns of sources and of targets; a table of vertices has no targets
	weight int      // in picks, -1 for none
	edgeID int      // likewise
	// For the column of weights see weights.go.
	weightClass columnar.Class
	weightScale int
	weightType  graph.WeightType
	number      bool // edge ids are the numbers of rows
	columns     []edgeColumn
	props       []int // in picks: the properties of vertices
	data        int   // picks that are data of edges or vertices; the others are what the filter compares besides
	where       []int // in picks: the columns of the filter, in its order
	first       []int // in picks: what is read first, to see which rows are left
	side        graph.Side

	kinds   [2]*endKind     // of the ends; both or none
	idForms [2]logical.Type // with kinds: of the ends' columns

	own  logical.Type // what ids are in this table
	form logical.Type // what they are read as
	id   graph.IDType // of form
	name string       // of form, where it isn't plain: graph.IDs.Logical
}

// read makes ids be read as of a form that theirs can be read as.
func (c *choice) read(form logical.Type) {
	c.form, c.id, c.name = form, columnar.BaseOf(form), columnar.LogicalOf(form)
}

// role names what an edge lacks if pick k is null; properties of vertices may be
// null.
func (c *choice) role(k int) string {
	switch {
	case slices.Contains(c.ends[0], k) && len(c.ends[1]) == 0:
		return "a vertex without id"
	case slices.Contains(c.ends[0], k):
		return "an edge without source"
	case slices.Contains(c.ends[1], k):
		return "an edge without target"
	case c.kinds[0] != nil && c.kinds[0].column != "" && c.kinds[0].pick == k && len(c.ends[1]) == 0:
		return "a vertex without kind"
	case c.kinds[0] != nil && c.kinds[0].column != "" && c.kinds[0].pick == k:
		return "an edge without the kind of its source"
	case c.kinds[1] != nil && c.kinds[1].column != "" && c.kinds[1].pick == k:
		return "an edge without the kind of its target"
	case k == c.weight:
		return "an edge without weight"
	case k == c.edgeID:
		return "an edge without its id"
	}
	return c.columnRole(k)
}

// add makes a column one that is read, and returns its index in picks.
func (c *choice) add(cols []columnar.Column, i int, kind columnar.Kind) int {
	for k, p := range c.picks {
		if p.column == i && p.kind == kind {
			return k
		}
	}
	p := pick{column: i, kind: kind, path: cols[i].Path}
	c.picks = append(c.picks, p)
	return len(c.picks) - 1
}

// choose finds the columns that o asks for among those of a file.
func choose(cols []columnar.Column, o *Options) (choice, error) {
	c := choice{weight: -1, edgeID: -1}
	var ends [2][]int
	var err error
	if o.table != nil {
		c.side = o.table.Side
		id := o.table.ID
		if err := c.cutKinds(cols, [2]*string{&id}, [2]string{"Vertices.ID"}); err != nil {
			return c, err
		}
		ends[0], err = chooseVertex(cols, id, o.table.orFirst)
	} else {
		source, target := o.Source, o.Target
		if err := c.cutKinds(cols, [2]*string{&source, &target}, [2]string{"Source", "Target"}); err != nil {
			return c, err
		}
		ends[0], ends[1], err = chooseEnds(cols, source, target)
	}
	if err != nil {
		return c, err
	}
	if slices.Equal(ends[0], ends[1]) {
		return c, atColumn(cols[ends[0][0]].Path, input.ColumnErrorf("it can't be both ends of an edge; Options.Source and Options.Target have to differ; %s", list(cols)))
	}
	if err := c.chooseIDs(cols, ends); err != nil {
		return c, err
	}
	if o.table != nil {
		for _, name := range o.table.properties {
			i, err := byName(cols, name, "Vertices.Properties")
			if err != nil {
				return c, err
			}
			if cols[i].Class == columnar.Opaque || cols[i].Repeated {
				return c, atColumn(name, fmt.Errorf("%w: properties are numbers, strings, binary, booleans, dates, times and timestamps, but it is %s", input.ErrColumnType, cols[i].Type))
			}
			c.props = append(c.props, c.add(cols, i, cols[i].Class.Kind()))
		}
		c.data = len(c.picks)
		return c, nil
	}
	weight := -1
	switch {
	case o.Weight != "":
		if weight, err = byName(cols, o.Weight, "Weight"); err != nil {
			return c, err
		}
	case o.Graph.Weights:
		if weight = fold(cols, weightName); weight < 0 {
			return c, &noWeight{columns: list(cols)}
		}
	}
	if weight >= 0 {
		if !cols[weight].Numeric {
			return c, atColumn(cols[weight].Path, fmt.Errorf("%w: weights are numbers, but it is %s", input.ErrColumnType, cols[weight].Type))
		}
		c.addWeight(cols, weight, o)
	}
	switch {
	case o.EdgeID != "":
		i, err := byName(cols, o.EdgeID, "EdgeID")
		if err != nil {
			return c, err
		}
		if cl := cols[i].Class; cl != columnar.Signed && cl != columnar.Unsigned {
			return c, atColumn(cols[i].Path, fmt.Errorf("%w: ids of edges are integers, but it is %s", input.ErrColumnType, cols[i].Type))
		}
		c.edgeID = c.add(cols, i, columnar.Ints)
	case o.Graph.EdgeIDs:
		c.number = true
	}
	if err := c.chooseColumns(cols, o); err != nil {
		return c, err
	}
	c.data = len(c.picks)
	return c, nil
}

// chooseIDs makes columns the ids of the two ends, or of vertices.
func (c *choice) chooseIDs(cols []columnar.Column, ends [2][]int) error {
	var forms [2]logical.Type
	for end, columns := range ends {
		var parts []logical.Type
		for _, i := range columns {
			t, ok := columnar.FormOf(&cols[i])
			if !ok && cols[i].Class == columnar.Int96 {
				return atColumn(cols[i].Path, fmt.Errorf("%w: it holds timestamps in Parquet's old INT96, which ids are not read from; write the column with timestamps of microseconds (in Spark, spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS), or name another one",
					input.ErrColumnType))
			}
			if !ok {
				return atColumn(cols[i].Path, fmt.Errorf("%w: ids are integers, strings or binary, dates, timestamps, or decimals without digits behind the point, but it is %s",
					input.ErrColumnType, cols[i].Type))
			}
			parts = append(parts, t)
		}
		switch {
		case len(parts) == 1:
			forms[end] = parts[0]
		case len(parts) > 1:
			if _, err := logical.Parse(logical.Type{Kind: logical.Tuple, Parts: parts}.String()); err != nil {
				return input.ColumnErrorf("ids of so many columns aren't read: %v", err)
			}
			forms[end] = logical.Type{Kind: logical.Tuple, Parts: parts}
		}
	}
	c.own = forms[0]
	if c.hasKinds() {
		c.idForms = forms
		var err error
		if c.own, err = c.kindsForm(nil); err != nil {
			return err
		}
	} else if len(ends[1]) > 0 {
		var ok bool
		if c.own, ok = columnar.CommonForm(forms[0], forms[1]); !ok {
			return atColumn(joinPaths(cols, ends[1]), fmt.Errorf("%w: it is %v, but column %.100q is %v; %s",
				input.ErrColumnType, forms[1], joinPaths(cols, ends[0]), forms[0], columnar.TypesThatMix+"; where sources and targets are different things, give both columns kinds, as in user:u"))
		}
	}
	for end, columns := range ends {
		parts := []logical.Type{forms[end]}
		if forms[end].Kind == logical.Tuple {
			parts = forms[end].Parts
		}
		for k, i := range columns {
			c.ends[end] = append(c.ends[end], c.add(cols, i, columnar.IDKind(parts[k])))
		}
	}
	for _, k := range c.kinds {
		if k != nil && k.column != "" {
			i, err := byName(cols, k.column, "Source")
			if err != nil {
				return err
			}
			k.pick = c.add(cols, i, columnar.Strings)
		}
	}
	c.read(c.own)
	return nil
}

func joinPaths(cols []columnar.Column, at []int) string {
	var names []string
	for _, i := range at {
		names = append(names, cols[i].Path)
	}
	return joinNames(names)
}

// chooseVertex finds the columns of the ids of vertices.
func chooseVertex(cols []columnar.Column, name string, orFirst bool) ([]int, error) {
	if name != "" {
		return byNames(cols, name, "Vertices.ID")
	}
	for _, n := range []string{"id", "vertex"} {
		if i := fold(cols, n); i >= 0 {
			return []int{i}, nil
		}
	}
	if own(cols) == 1 || orFirst && len(cols) > 0 {
		return []int{0}, nil
	}
	return nil, input.ColumnErrorf("no column is named id or vertex; name it in Options.Vertices.ID; %s", list(cols))
}

// byNames returns the columns that an option names.
func byNames(cols []columnar.Column, option, name string) ([]int, error) {
	names, err := columnNames(cols, option)
	if err != nil {
		return nil, input.ColumnErrorf("Options.%s is %.100q: %v", name, option, err)
	}
	var at []int
	for _, n := range names {
		i, err := byName(cols, n, name)
		if err != nil {
			return nil, err
		}
		at = append(at, i)
	}
	return at, nil
}

// isSide reports whether a column is one that WriteEdges says sides in, which
// Options.Graph.Bipartite stands for.
func isSide(name string) bool {
	for _, p := range pairs {
		if name == p[0]+"_side" || name == p[1]+"_side" {
			return true
		}
	}
	return false
}

// isKind reports whether a pick has names of kinds.
func (c *choice) isKind(k int) bool {
	return slices.ContainsFunc(c.kinds[:], func(of *endKind) bool { return of != nil && of.column != "" && of.pick == k })
}

// takes reports whether anything is taken from a column, other than whether a
// condition is met.
func (c *choice) takes(column int) bool {
	for k := range c.picks {
		if c.picks[k].column == column && (slices.Contains(c.ends[0], k) || slices.Contains(c.ends[1], k) ||
			k == c.weight || k == c.edgeID || slices.Contains(c.props, k) || c.isKind(k) ||
			slices.ContainsFunc(c.columns, func(e edgeColumn) bool { return e.pick == k })) {
			return true
		}
	}
	return false
}
