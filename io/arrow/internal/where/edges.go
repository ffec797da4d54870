// This file evaluates conditions on the edges of a graph in memory.

package where

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// WeightColumn is the name of the weights in conditions on edges, unless a column has it.
const WeightColumn = "weight"

// edgeValues are the values that a column of a condition has at the entries of a graph's rows.
type edgeValues struct {
	values any
	class  columnar.Class
	codes  []uint32 // of strings
}

// Edges returns a function that graph.Graph.FilterEdges takes, and that chooses the edges that meet the condition. A
// name in it is an edge column or WeightColumn. The error is graph.ErrNoColumn or ErrType.
func (e *Expr) Edges(g *graph.Graph) (func(first uint64, chosen []bool) error, error) {
	all := make([]edgeValues, len(e.columns))
	cols := make([]columnar.Column, len(e.columns))
	for i, name := range e.columns {
		c, err := edgeColumn(g, name)
		if err != nil {
			return nil, err
		}
		if cols[i], err = columnOf(&c); err != nil {
			return nil, fmt.Errorf("column %.100q: %w", name, err)
		}
		all[i] = edgeValues{values: c.Values, class: cols[i].Class}
		if c.Dictionary != nil {
			all[i].codes = c.Values.([]uint32)
		}
	}
	f, err := e.Bind(func(i int) (columnar.Column, bool) { return cols[i], true })
	if err != nil {
		return nil, err
	}
	f.tables = map[*test][]uint8{}
	for i, name := range e.columns {
		if all[i].codes == nil {
			continue
		}
		c, err := edgeColumn(g, name)
		if err != nil {
			return nil, err
		}
		f.tabulate(f.root, i, &columnar.Vector{Kind: columnar.Strings, Offsets: c.Dictionary.Offsets, Data: c.Dictionary.Data})
	}
	pool := sync.Pool{New: func() any { return &edgeFilter{Filter: f.Clone(), vectors: make([]columnar.Vector, len(all))} }}
	return func(first uint64, chosen []bool) error {
		x := pool.Get().(*edgeFilter)
		defer pool.Put(x)
		x.choose(all, first, chosen)
		return nil
	}, nil
}

// Strings returns an error for a string in the condition that its edge column doesn't have. A condition with it is valid: no edge
// has that string.
func (e *Expr) Strings(g *graph.Graph) error { return e.stringsOf(e.root, g) }

func (e *Expr) stringsOf(n *node, g *graph.Graph) error {
	for _, child := range n.children {
		if err := e.stringsOf(child, g); err != nil {
			return err
		}
	}
	if n.op != opEqual && n.op != opDiffer && n.op != opIn {
		return nil
	}
	c, err := edgeColumn(g, e.columns[n.column])
	if err != nil || c.Dictionary == nil || c.Dictionary.Binary {
		return err
	}
	for _, v := range n.values {
		if v.kind != text {
			continue
		}
		if _, err := g.Code(c.Name, v.text); err != nil {
			return err
		}
	}
	return nil
}

// edgeColumn returns a column of the edges, or the weights as one.
func edgeColumn(g *graph.Graph, name string) (graph.Column, error) {
	c, err := g.EdgeColumn(name)
	if err == nil || name != WeightColumn {
		return c, err
	}
	switch out := g.Out(); {
	case out.IntWeights != nil:
		return graph.Column{Name: name, Values: out.IntWeights}, nil
	case out.FloatWeights != nil:
		return graph.Column{Name: name, Values: out.FloatWeights}, nil
	case out.Weights != nil:
		return graph.Column{Name: name, Values: out.Weights}, nil
	}
	return c, err
}

// columnOf returns what conditions compare a column as.
func columnOf(c *graph.Column) (columnar.Column, error) {
	col := columnar.Column{Path: c.Name, Type: c.Logical}
	if col.Type == "" {
		col.Type = strings.TrimPrefix(fmt.Sprintf("%T", c.Values), "[]")
	}
	switch c.Values.(type) {
	case []float32, []float64:
		_, col.Single = c.Values.([]float32)
		col.Class = columnar.Float
		return col, nil
	case []uint64:
		col.Class = columnar.Unsigned
		return col, nil
	case []uint32:
		switch {
		case c.Dictionary != nil && c.Logical == "uuid":
			col.Class, col.Type = columnar.UUID, "UUID"
		case c.Dictionary != nil && c.Dictionary.Binary:
			col.Class, col.Type = columnar.Bytes, "binary"
		case c.Dictionary != nil:
			col.Class, col.Type = columnar.Text, "string"
		case c.Logical == "bool":
			col.Class = columnar.Bool
		default:
			col.Class = columnar.Unsigned
		}
		return col, nil
	case []int32, []int64:
		return logicalColumn(col, c.Logical), nil
	}
	return col, errors.New("its type isn't one of a graph's columns")
}

// logicalColumn is the class of a column of integers: what graph.Column.Logical says, as loading writes it, or integers.
func logicalColumn(col columnar.Column, logical string) columnar.Column {
	kind, inside, _ := strings.Cut(strings.TrimRight(logical, "])"), "[")
	unit, zone, _ := strings.Cut(inside, ",")
	for perSecond, name := range columnar.UnitNames {
		if name == unit {
			col.Unit = perSecond
		}
	}
	switch {
	case kind == "date32":
		col.Class = columnar.Date
	case kind == "date64":
		col.Class, col.Unit = columnar.Date, 1000
	case kind == "timestamp" && col.Unit != 0:
		col.Class, col.UTC = columnar.Timestamp, zone != ""
	case kind == "time" && col.Unit != 0:
		col.Class = columnar.Time
	case strings.HasPrefix(kind, "decimal("):
		if n, err := fmt.Sscanf(logical, "decimal(18,%d)", &col.Scale); n == 1 && err == nil && col.Scale >= 0 && col.Scale <= columnar.MaxScale {
			col.Class = columnar.Decimal
			break
		}
		col.Class, col.Scale = columnar.Signed, 0
	default:
		col.Class = columnar.Signed
	}
	return col
}

// edgeFilter is a filter with vectors for a block of entries.
type edgeFilter struct {
	*Filter
	vectors []columnar.Vector
	cols    []*columnar.Vector
}

// choose evaluates the condition at a block of entries.
func (x *edgeFilter) choose(all []edgeValues, first uint64, chosen []bool) {
	x.cols = x.cols[:0]
	for i := range all {
		all[i].fill(&x.vectors[i], first, len(chosen))
		x.cols = append(x.cols, &x.vectors[i])
	}
	keep, _ := x.Rows(x.cols, len(chosen))
	copy(chosen, keep)
}

// fill makes a vector of a block of values.
func (e *edgeValues) fill(v *columnar.Vector, first uint64, n int) {
	v.Kind, v.Nulls, v.Valid = e.class.Kind(), 0, v.Valid[:0]
	switch a := e.values.(type) {
	case []int32:
		v.Ints = widened(v.Ints[:0], a[first:][:n])
	case []int64:
		v.Ints = a[first:][:n:n]
	case []uint64:
		v.Ints = widened(v.Ints[:0], a[first:][:n])
	case []float32:
		v.Doubles = widened(v.Doubles[:0], a[first:][:n])
		missingFloats(v)
	case []float64:
		v.Doubles = a[first:][:n:n]
		missingFloats(v)
	case []uint32:
		if e.codes == nil {
			v.Ints = widened(v.Ints[:0], a[first:][:n])
			return
		}
		v.Codes = a[first:][:n:n]
		for i, code := range v.Codes {
			if code == graph.NoCode {
				missing(v, i, n)
			}
		}
	}
}

// missingFloats makes NaN null, which stands for a missing value in a graph.
func missingFloats(v *columnar.Vector) {
	for i, x := range v.Doubles {
		if x != x {
			missing(v, i, len(v.Doubles))
		}
	}
}

// missing makes value i of n null.
func missing(v *columnar.Vector, i, n int) {
	for len(v.Valid) < n {
		v.Valid = append(v.Valid, true)
	}
	v.Valid[i] = false
	v.Nulls++
}

func widened[T int32 | uint32 | uint64 | float32, U int64 | float64](to []U, from []T) []U {
	for _, x := range from {
		to = append(to, U(x))
	}
	return to
}

// tabulate evaluates the tests of a column of strings at each string of its dictionary.
func (f *Filter) tabulate(t *test, column int, dictionary *columnar.Vector) {
	for _, child := range t.children {
		f.tabulate(child, column, dictionary)
	}
	if len(t.children) == 0 && t.column == column && t.op != opNull {
		table := make([]uint8, dictionary.Len())
		t.compare(dictionary, table)
		f.tables[t] = table
	}
}

// compareCodes marks the codes whose strings pass.
func (f *Filter) compareCodes(t *test, codes []uint32, out []uint8) {
	table := f.tables[t]
	for i, code := range codes[:len(out)] {
		out[i] = no
		if code != graph.NoCode {
			out[i] = table[code]
		}
	}
}
