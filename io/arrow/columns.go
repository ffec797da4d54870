// This file chooses the columns of ids and weights.

package arrow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
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
	read   int       // which of the columns that are read of the file
	value  *constant // of directories: nothing is read
}

// choice is which columns of a table are read: the ids of sources, those of
// targets, then the others.
type choice struct {
	picks  []pick
	weight int   // in picks, -1 for none
	where  []int // in picks: the columns of the filter, in its order
	id     graph.IDType
}

// data returns how many of the picks are data of edges: ids and weights. The
// others are what the filter compares besides.
func (c *choice) data() int {
	if c.weight >= 0 {
		return c.weight + 1
	}
	return 2
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
	c := choice{weight: -1}
	source, target, err := chooseEnds(cols, o.Source, o.Target)
	if err != nil {
		return c, err
	}
	if source == target {
		return c, atColumn(cols[source].Path, columnErrorf("it can't be both ends of an edge; Options.Source and Options.Target have to differ; %s", list(cols)))
	}
	weight := -1
	switch {
	case o.Weight != "":
		if weight, err = byName(cols, o.Weight, "Weight"); err != nil {
			return c, err
		}
	case o.Graph.Weights:
		if weight = fold(cols, weightName); weight < 0 {
			return c, columnErrorf("weights are wanted, but no column is named %q; name it in Options.Weight; %s", weightName, list(cols))
		}
	}
	for _, i := range []int{source, target} {
		if !cols[i].IsID {
			return c, atColumn(cols[i].Path, fmt.Errorf("%w: ids are integers, strings or binary, but it is %s", ErrColumnType, cols[i].Type))
		}
	}
	from, to := cols[source].ID, cols[target].ID
	var ok bool
	if c.id, ok = commonType(from, to); !ok {
		return c, atColumn(cols[target].Path, fmt.Errorf("%w: it is %v, but column %.100q is %v; %s",
			ErrColumnType, to, cols[source].Path, from, typesThatMix))
	}
	c.add(cols, source, columnar.KindFor(c.id))
	c.add(cols, target, columnar.KindFor(c.id))
	if weight >= 0 {
		if !cols[weight].Numeric {
			return c, atColumn(cols[weight].Path, fmt.Errorf("%w: weights are numbers, but it is %s", ErrColumnType, cols[weight].Type))
		}
		c.weight = c.add(cols, weight, columnar.Weights)
	}
	return c, nil
}

// typesThatMix says what commonType does, to people.
const typesThatMix = "ids have to be all integers (uint64 with unsigned ones only), all strings or all binary"

// commonType returns the type that ids of two types are read as: of integers
// the narrowest that holds all values of both.
func commonType(a, b graph.IDType) (graph.IDType, bool) {
	if a == b {
		return a, true
	}
	if !a.Integer() || !b.Integer() {
		return a, false
	}
	signed := [...]graph.IDType{graph.Int8, graph.Int16, graph.Int32, graph.Int64}
	unsigned := [...]graph.IDType{graph.Uint8, graph.Uint16, graph.Uint32, graph.Uint64}
	width := func(t graph.IDType) int { return max(slices.Index(signed[:], t), slices.Index(unsigned[:], t)) }
	i := max(width(a), width(b))
	if !a.Signed() && !b.Signed() {
		return unsigned[i], true
	}
	for _, t := range []graph.IDType{a, b} {
		if !t.Signed() {
			i = max(i, width(t)+1) // all of its values take a bit more
		}
	}
	if i == len(signed) {
		return a, false
	}
	return signed[i], true
}

func chooseEnds(cols []columnar.Column, source, target string) (s, t int, err error) {
	switch {
	case source != "" && target != "":
		if s, err = byName(cols, source, "Source"); err == nil {
			t, err = byName(cols, target, "Target")
		}
		return s, t, err
	case source != "":
		if s, err = byName(cols, source, "Source"); err == nil {
			t, err = partner(cols, s, 0, "Target")
		}
		return s, t, err
	case target != "":
		if t, err = byName(cols, target, "Target"); err == nil {
			s, err = partner(cols, t, 1, "Source")
		}
		return s, t, err
	}
	found := 0
	for _, p := range pairs {
		if i, k := fold(cols, p[0]), fold(cols, p[1]); i >= 0 && k >= 0 {
			s, t = i, k
			found++
		}
	}
	switch {
	case found == 1:
		return s, t, nil
	case found == 0 && own(cols) == 2:
		return 0, 1, nil
	case found > 1:
		return 0, 0, columnErrorf("several pairs of columns may be source and target; name them in Options.Source and Options.Target; %s", list(cols))
	}
	return 0, 0, columnErrorf("no columns are named src and dst, source and target, or from and to; name them in Options.Source and Options.Target; %s", list(cols))
}

// own returns how many columns a file has itself; those of directories come
// after them.
func own(cols []columnar.Column) int {
	n := 0
	for i := range cols {
		if !cols[i].Partition {
			n++
		}
	}
	return n
}

// byName returns the column of that name.
func byName(cols []columnar.Column, name, option string) (int, error) {
	found := -1
	for i := range cols {
		if cols[i].Path != name {
			continue
		}
		if found >= 0 {
			return 0, atColumn(name, columnErrorf("Options.%s names it, but there are several of that name", option))
		}
		found = i
	}
	if found < 0 {
		return 0, atColumn(name, columnErrorf("Options.%s names it, but %s", option, list(cols)))
	}
	return found, nil
}

// fold returns the one column of that name in any case of letters, else -1.
func fold(cols []columnar.Column, name string) int {
	found := -1
	for i := range cols {
		if strings.EqualFold(cols[i].Path, name) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// partner returns the column that goes with column i, which is end 0 or 1.
func partner(cols []columnar.Column, i, end int, option string) (int, error) {
	for _, p := range pairs {
		if strings.EqualFold(cols[i].Path, p[end]) {
			if k := fold(cols, p[1-end]); k >= 0 {
				return k, nil
			}
		}
	}
	if own(cols) == 2 && i < 2 {
		return 1 - i, nil
	}
	return 0, columnErrorf("which column goes with %.100q isn't clear; name it in Options.%s; %s", cols[i].Path, option, list(cols))
}

// list names the columns, the first of them where there are many.
func list(cols []columnar.Column) string {
	const most = 20
	var b strings.Builder
	b.WriteString("the columns are ")
	for i := range cols {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(cols)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%.64q (%s)", cols[i].Path, cols[i].Type)
	}
	if len(cols) == 0 {
		return "there are no columns"
	}
	return b.String()
}

func atColumn(column string, err error) error { return columnar.PlaceAt(-1, column, err) }
