// This file holds the columns of vertices.

package graph

import (
	"context"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// AddVertexColumns gives the graph columns with a value for each vertex, such as an age or a result that later runs begin
// with. Values[v] belongs to vertex v. Values are as in a Batch, Strings too, or codes with an ascending Dictionary. The graph
// takes over the arrays: the caller must no longer write to them. A graph that was placed before has the columns too.
//
// Columns stay with their vertices through Append, RemoveEdges, Reorder, InducedSubgraph, FilterEdges and prepared
// graphs. Vertices that Append adds have the values of the other graph's columns of the same names. If it has none, they
// have NaN or NoCode, and an integer column is an error.
//
// The error is ErrMalformed for values of another number or type, device.ErrClosed, and ErrOptions for a name that is empty, not UTF-8 or
// the name of another column of vertices or edges. Then no column is added.
func (g *Graph) AddVertexColumns(columns ...Column) error {
	if g == nil {
		return fmt.Errorf("adding vertex columns: %w", ErrNoGraph)
	}
	if m := g.hold.mapped; m != nil && m.released.Load() {
		return fmt.Errorf("adding vertex columns: %w", errGraphClosed())
	}
	if err := g.addVertexColumns(columns, false); err != nil {
		return fmt.Errorf("adding vertex columns: %w", err)
	}
	return nil
}

func (g *Graph) addVertexColumns(columns []Column, checked bool) error {
	if len(columns) == 0 {
		return nil
	}
	added := slices.Clone(columns)
	for i := range added {
		c := &added[i]
		if c.Name == "" || !utf8.ValidString(c.Name) {
			return fmt.Errorf("%w: the name %.100q is empty or not UTF-8", ErrOptions, c.Name)
		}
		if slices.ContainsFunc(g.columns, func(x Column) bool { return x.Name == c.Name }) {
			return fmt.Errorf("%w: the edges have a column %.100q; name the column of the vertices otherwise", ErrOptions, c.Name)
		}
		if checked {
			continue
		}
		_, isStrings := c.Values.(Strings)
		if err := c.check(c.Name, g.out.NumVertices(), isStrings); err != nil {
			return err
		}
		if err := c.encode(); err != nil {
			return err
		}
	}
	for {
		was := g.vertices.Load()
		all := slices.Clone(listed(was))
		for _, c := range added {
			if slices.ContainsFunc(all, func(x Column) bool { return x.Name == c.Name }) {
				return fmt.Errorf("%w: there is a column %.100q already", ErrOptions, c.Name)
			}
			all = append(all, c)
		}
		if g.vertices.CompareAndSwap(was, &all) {
			return nil
		}
	}
}

// encode makes Strings codes.
func (c *Column) encode() error {
	s, ok := c.Values.(Strings)
	if !ok {
		return nil
	}
	d := dictionary{codes: map[string]uint32{}}
	codes, err := d.encode(&s, c.Valid)
	if err != nil {
		return err
	}
	d.freeze()
	for i, code := range codes {
		if code != NoCode {
			codes[i] = d.rank[code]
		}
	}
	c.Values, c.Valid, c.Dictionary = codes, nil, d.all
	c.Dictionary.Binary = s.Binary
	return nil
}

// listed returns the columns, none of nil.
func listed(p *[]Column) []Column {
	if p == nil {
		return nil
	}
	return *p
}

// VertexColumns returns the columns of the vertices: Values[v] belongs to vertex v. The arrays belong to the graph and must
// not be written to. Like Out, it panics with device.ErrClosed once a graph in a mapped file was closed.
func (g *Graph) VertexColumns() []Column {
	if g.hold.mapped != nil {
		g.mustHave()
	}
	return slices.Clone(listed(g.vertices.Load()))
}

// VertexColumn returns one of VertexColumns, by the rules of EdgeColumn. The error wraps ErrNoColumn and suggests similar names.
func (g *Graph) VertexColumn(name string) (Column, error) {
	if m := g.hold.mapped; m != nil && m.released.Load() {
		return Column{}, errGraphClosed()
	}
	c, err := columnNamed(listed(g.vertices.Load()), name, "the graph has no vertex columns: load it with arrow.Options.VertexColumns, or call AddVertexColumns")
	if err != nil {
		return Column{}, err
	}
	return *c, nil
}

// keepVertexColumns gives a graph the columns of g. Vertex v of it is from(v), or NoVertex; then it may be a vertex of more,
// which has columns of the same names, or more is nil.
func (g *Graph) keepVertexColumns(ctx context.Context, to *Graph, from func(v int) uint32, more *Graph, ofMore func(v int) uint32) error {
	var all []Column
	for _, c := range listed(g.vertices.Load()) {
		var other *Column
		if more != nil {
			other, _ = columnNamed(listed(more.vertices.Load()), c.Name, "")
		}
		if other != nil && other.typeName() != c.typeName() {
			return fmt.Errorf("%w: column %.100q of the vertices is %s, and that of the added vertices %s; load both with the same types", errColumnType, c.Name, c.typeName(), other.typeName())
		}
		var ofG, ofOther []uint32
		switch {
		case c.Dictionary != nil && other != nil:
			c.Dictionary, ofG, ofOther = mergeDictionaries(c.Dictionary, other.Dictionary)
		case c.Dictionary != nil:
			c.Dictionary = c.Dictionary.clone() // of a mapped file, perhaps
		}
		values := makeLike(c.Values, to.NumVertices())
		for v := range to.NumVertices() {
			if v%pollItems == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			x := from(v)
			if x != NoVertex {
				copyValue(values, v, c.Values, int(x), ofG)
				continue
			}
			if other != nil {
				copyValue(values, v, other.Values, int(ofMore(v)), ofOther)
				continue
			}
			if !missingValue(values, v, c.Dictionary != nil) {
				return fmt.Errorf("%w: vertex %.100s is new and has no value in the column %.100q of the vertices, whose values are %s and can't be missing; add it with that column, or build the graph again",
					errNoValue, to.ids.Format(uint32(v)), c.Name, c.typeName())
			}
		}
		c.Values = values
		all = append(all, c)
	}
	if len(all) > 0 {
		to.vertices.Store(&all)
	}
	return nil
}

// copyValue copies a value; codes become those of a merged dictionary, unless of is nil.
func copyValue(to any, at int, from any, index int, of []uint32) {
	switch a := from.(type) {
	case []int32:
		to.([]int32)[at] = a[index]
	case []uint32:
		x := a[index]
		if of != nil && x != NoCode {
			x = of[x]
		}
		to.([]uint32)[at] = x
	case []int64:
		to.([]int64)[at] = a[index]
	case []uint64:
		to.([]uint64)[at] = a[index]
	case []float32:
		to.([]float32)[at] = a[index]
	case []float64:
		to.([]float64)[at] = a[index]
	}
}

// missingValue stores what stands for a missing value; false means that the type has nothing for it.
func missingValue(to any, at int, codes bool) bool {
	switch a := to.(type) {
	case []float32:
		a[at] = float32(math.NaN())
	case []float64:
		a[at] = math.NaN()
	case []uint32:
		a[at] = NoCode
		return codes
	default:
		return false
	}
	return true
}

// same keeps the numbers of vertices.
func same(v int) uint32 { return uint32(v) }
