// This file reads kinds of vertices: COLUMN:KIND, or COLUMN:{COLUMN} where another
// column says the kind of each row.

package dataset

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// endKind is the kind of the vertices of an end.
type endKind struct {
	name   string // of all of them
	column string // or the column that says it
	pick   int    // of that column
}

// suffix is what stands behind the end's column.
func (k *endKind) suffix() string {
	switch {
	case k == nil:
		return ""
	case k.column != "":
		return ":{" + k.column + "}"
	}
	return ":" + k.name
}

// cutKind reads COLUMN:KIND, unless a column is called just that. Names of kinds have
// no colons, so that the last one counts.
func cutKind(cols []columnar.Column, value, option string) (column string, k *endKind, err error) {
	if isColumns(cols, value) {
		return value, nil, nil
	}
	if at := strings.LastIndex(value, ":{"); at >= 0 && strings.HasSuffix(value, "}") {
		column, k = value[:at], &endKind{column: value[at+2 : len(value)-1]}
		i, err := byName(cols, k.column, option)
		if err != nil {
			return "", nil, err
		}
		if cols[i].Class != columnar.Text {
			return "", nil, atColumn(cols[i].Path, fmt.Errorf("%w: names of kinds are strings, but it is %s", input.ErrColumnType, cols[i].Type))
		}
		k.column = cols[i].Path
		return column, k, nil
	}
	at := strings.LastIndexByte(value, ':')
	if at < 0 {
		return value, nil, nil
	}
	column, k = value[:at], &endKind{name: value[at+1:]}
	there := column == "" || isColumns(cols, column)
	switch {
	case there && !logical.KindName(k.name):
		return "", nil, input.ColumnErrorf("Options.%s is %.100q, but %.100q can't name a kind: use letters, digits, _, - and dots", option, value, k.name)
	case !there && fold(cols, k.name) >= 0:
		return "", nil, input.ColumnErrorf("Options.%s is %.100q, but kinds are written COLUMN:KIND: write %s:%s; %s", option, value, k.name, column, list(cols))
	case !logical.KindName(k.name):
		return value, nil, nil // a separate error follows
	case !there:
		_, err := byNames(cols, column, option)
		return "", nil, err
	}
	return column, k, nil
}

// isColumns reports whether all names of an option are names of columns.
func isColumns(cols []columnar.Column, value string) bool {
	names, err := columnNames(cols, value)
	for _, n := range names {
		if !slices.ContainsFunc(cols, func(c columnar.Column) bool { return strings.EqualFold(c.Path, n) }) {
			return false
		}
	}
	return err == nil && len(names) > 0
}

// cutKinds reads the kinds of both ends, or of vertices.
func (c *choice) cutKinds(cols []columnar.Column, options [2]*string, names [2]string) error {
	for end, value := range options {
		if value == nil {
			continue
		}
		var err error
		if *value, c.kinds[end], err = cutKind(cols, *value, names[end]); err != nil {
			return err
		}
	}
	if options[1] != nil && (c.kinds[0] == nil) != (c.kinds[1] == nil) {
		with, without := 0, 1
		if c.kinds[0] == nil {
			with, without = 1, 0
		}
		return fmt.Errorf("%w: Options.%s has a kind, %s, and Options.%s has none; write COLUMN:KIND in both, or in none",
			graph.ErrOptions, names[with], c.kinds[with].suffix()[1:], names[without])
	}
	return nil
}

// hasKinds reports whether ids have kinds.
func (c *choice) hasKinds() bool { return c.kinds[0] != nil }

// kindsForm returns the form of the ids, where columns have the names of kinds that
// were found. forms has the forms of the ids in the ends' columns.
func (c *choice) kindsForm(found []string) (logical.Type, error) {
	form := logical.Type{Kind: logical.Kinds}
	for end, k := range c.kinds {
		if k == nil {
			continue
		}
		names := found
		if k.column == "" {
			names = []string{k.name}
		}
		types := make([]logical.Type, len(names))
		for i := range types {
			types[i] = c.idForms[end]
		}
		of, err := logical.NewKinds(names, types)
		if err != nil {
			return form, input.ColumnErrorf("%v", err)
		}
		both, ok := columnar.CommonForm(form, of)
		if !ok {
			return form, fmt.Errorf("%w: ids of sources and targets are %v and %v; %s", input.ErrColumnType, form, of, columnar.TypesThatMix)
		}
		form = both
	}
	return form, nil
}

// findKinds reads the columns of kinds, if there are any, and tells all tables the
// names that are in them: the type of ids names all kinds.
func (d *Dataset) findKinds(ctx context.Context, paths []string) error {
	var found []string
	for _, k := range d.tables[0].choice.kinds {
		if k == nil || k.column == "" {
			continue
		}
		table := &VertexTable{ID: joinNames([]string{k.column}), Snapshot: d.o.Snapshot, AsOf: d.o.AsOf, since: d.o.Since}
		if d.o.table != nil {
			table.Snapshot, table.AsOf = d.o.table.Snapshot, d.o.table.AsOf
		}
		o := d.o.ofVertices(table)
		o.Where, o.SkipNulls, o.beside = d.o.Where, true, d.o.beside
		names, err := readKinds(ctx, paths, o)
		if err != nil {
			return fmt.Errorf("kinds of vertices: %w", err)
		}
		found = append(found, names...)
	}
	if found == nil {
		return nil
	}
	slices.Sort(found)
	found = slices.Compact(found)
	for _, t := range d.tables {
		form, err := t.choice.kindsForm(found)
		if err != nil {
			return input.InFile(t.Path, t.part(), err)
		}
		t.choice.own = form
	}
	d.form = d.tables[0].choice.own
	return nil
}

// readKinds returns the values of a column that has names of kinds.
func readKinds(ctx context.Context, paths []string, o Options) ([]string, error) {
	p, err := openPart(ctx, paths, o)
	if err != nil {
		return nil, err
	}
	p.settle(p.form)
	var mu sync.Mutex
	names := map[string]bool{}
	err = p.Batches(ctx, func(b graph.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		for i := range b.SrcStrings.Len() {
			name := b.SrcStrings.Value(i)
			if names[string(name)] {
				continue
			}
			if !logical.KindName(string(name)) {
				return fmt.Errorf("%s: column %.100q: %w: %.100q can't name a kind: use letters, digits, _, - and dots", p.tables[0].Path, o.table.ID, graph.ErrOptions, name)
			}
			if names[string(name)] = true; len(names) > logical.MaxKinds {
				return fmt.Errorf("%s: column %.100q: %w: it has more than %d values, and a graph at most so many kinds; is it the column of kinds?",
					p.tables[0].Path, o.table.ID, graph.ErrOptions, logical.MaxKinds)
			}
		}
		return nil
	})
	all := make([]string, 0, len(names))
	for name := range names {
		all = append(all, name)
	}
	return all, err
}

// makeKindKeys is makeKeys for ids of kinds.
func (s *slot) makeKindKeys(c *choice, end, n int, to *graph.Strings) (col int, err error) {
	of, col := c.kinds[end], c.ends[end][0]
	v := &s.cols[col]
	kind, ok := c.form.FindKind(of.name)
	if of.column == "" && !ok {
		return col, columnar.Corrupt("there is no kind %q", of.name)
	}
	last := []byte(nil)
	for row := range n {
		if of.column != "" {
			names := &s.cols[of.pick]
			if name := names.Data[names.Offsets[row]:names.Offsets[row+1]]; last == nil || string(name) != string(last) {
				if kind, ok = c.form.FindKind(string(name)); !ok {
					return of.pick, columnar.Corrupt("the kind %.100q wasn't there when the file was opened; it has changed", name)
				}
				last = name
			}
		}
		var id logical.Value
		switch part := &c.form.Parts[kind]; {
		case part.Integer():
			id.Int = v.Ints[row]
		case part.Kind == logical.Decimal:
			b := s.number[:0]
			if v.Kind == columnar.Ints { // a narrower one
				b = binary.BigEndian.AppendUint64(b, uint64(v.Ints[row]))
			} else {
				b = append(b, v.Data[v.Offsets[row]:v.Offsets[row+1]]...)
			}
			if s.number, ok = logical.DecimalKey(nil, b); !ok {
				return col, columnar.Corrupt("a decimal of more than 38 digits")
			}
			id.Bytes = s.number
		default:
			id.Bytes = v.Data[v.Offsets[row]:v.Offsets[row+1]]
		}
		to.Data = c.form.AppendKind(to.Data, kind, id)
		to.Offsets = append(to.Offsets, int64(len(to.Data)))
	}
	return 0, nil
}
