// This file reads columns of edges and of vertices (graph.Options.EdgeColumns, Options.VertexColumns) of text and JSON lines.

package edgelist

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// columnSet is the columns of one read. Its types stay what they are: where a value doesn't fit, reading ends and may begin
// again with a type that fits it.
type columnSet struct {
	names   []string
	types   []valueType
	skip    bool   // Options.SkipNulls
	what    string // an edge or a vertex
	name    string // of the input
	skipped atomic.Uint64

	mu    sync.Mutex
	wider map[string]string // Options.ColumnTypes
	lacks []uint64          // the first line that lacks a value, by column
	seen  []atomic.Bool     // some object has the member, null or not
}

// newColumns returns the columns that the options name, or nil.
func newColumns(o *Options, name string) (*columnSet, error) {
	names, what := o.Graph.EdgeColumns, "an edge"
	if o.OnlyVertices {
		names, what = o.VertexColumns, "a vertex"
	}
	if len(names) == 0 {
		return nil, nil
	}
	s := &columnSet{names: names, skip: o.SkipNulls, what: what, name: name, wider: o.ColumnTypes, lacks: make([]uint64, len(names)), seen: make([]atomic.Bool, len(names))}
	for _, n := range names {
		t := typeUnknown
		if as, ok := o.ColumnTypes[n]; ok {
			var err error
			if t, err = parseType(as); err != nil {
				return nil, err
			}
		}
		s.types = append(s.types, t)
	}
	return s, nil
}

// settle sets the types that aren't known: each holds the values of the first rows. row returns the i-th of these, nil at
// their end.
func (s *columnSet) settle(row func() []cellText) {
	known := make([]bool, len(s.types))
	for i := range s.types {
		known[i] = s.types[i].class != classUnknown
	}
	if slices.Contains(known, false) {
		for cells := row(); cells != nil; cells = row() {
			for i, c := range cells {
				if !known[i] && !c.missing() {
					s.types[i] = s.types[i].with(c.typ())
				}
			}
		}
	}
	if s.wider == nil {
		return
	}
	for i, t := range s.types {
		if t.class != classUnknown {
			s.wider[s.names[i]] = t.name
		}
	}
}

// cellText is a value as a text has it.
type cellText struct {
	text   []byte // without quotes; nil without quotes is a missing value
	quotes bool   // a string of JSON, which is no number, and may be empty
}

func (c cellText) missing() bool { return len(c.text) == 0 && !c.quotes }

// typ is the narrowest type that holds the value.
func (c cellText) typ() valueType {
	switch {
	case !c.quotes:
		return typeOf(c.text)
	case len(c.text) > 0 && c.text[0] >= '0' && c.text[0] <= '9':
		return timeOf(c.text)
	}
	return typeString
}

// lack notes that a row lacks a value of a column whose values can't be missing.
func (s *columnSet) lack(i int, line uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lacks[i] == 0 || line < s.lacks[i] {
		s.lacks[i] = line
	}
}

// misfit is the error of a value that isn't of the column's type. The next read takes a type that fits it.
func (s *columnSet) misfit(i int, c cellText) error {
	t, is := &s.types[i], c.typ()
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.class == classString {
		return faultf(ErrSyntax, "column %.100q holds %s, which isn't UTF-8", s.names[i], quoted(c.text))
	}
	to := t.with(is)
	if s.wider != nil {
		was := *t
		if as, ok := s.wider[s.names[i]]; ok {
			was, _ = parseType(as) // it was parsed, or written here
		}
		to = was.with(is)
	}
	if to == *t { // a time that its unit doesn't hold
		to = typeString
	}
	if s.wider != nil {
		s.wider[s.names[i]] = to.name
	}
	held := "no values"
	if t.class != classUnknown {
		held = "values of type " + t.name
	}
	return faultf(ErrColumnType, "column %.100q holds %s, and other rows hold %s; set Options.ColumnTypes to read it as %s", s.names[i], quoted(c.text), held, to.name)
}

// end returns errors that are known at the end of the input. names are the members of the first object of JSON lines.
func (s *columnSet) end(o *Options, names [][]byte) error {
	if s == nil {
		return nil
	}
	if o.Skipped != nil {
		defer func() { o.Skipped(s.skipped.Load()) }()
	}
	for i := range s.types {
		t := &s.types[i]
		switch {
		case names != nil && !s.seen[i].Load():
			return fmt.Errorf("%s: %w: no object has a member %.100q, which a column is to be read from; %s%s", s.name, errColumns, s.names[i], listMembers(names), text.Meant(s.names[i], stringsOf(names)))
		case t.class == classUnknown && s.wider != nil: // all values are missing, which strings may be
			s.wider[s.names[i]] = typeString.name
		case s.lacks[i] > 0 && !s.skip:
			return &lineError{Name: s.name, Line: s.lacks[i], Err: ErrSyntax, Msg: fmt.Sprintf("%s without %.100q, whose values are of type %s and can't be missing; set Options.SkipNulls to leave such rows out", s.what, s.names[i], t.name)}
		}
	}
	return nil
}

func stringsOf(names [][]byte) (all []string) {
	for _, n := range names {
		all = append(all, string(n))
	}
	return all
}

// columnBatch has the values of the rows of a batch. Each worker has its own.
type columnBatch struct {
	*columnSet
	cells  []cellText // of a row
	bits   []uint64
	values []columnValues
	rows   []uint64 // lines that the rows begin in
	line   uint64   // the number of the line that begins at from
	from   int
	out    []graph.Column
}

func (s *columnSet) newBatch() *columnBatch {
	if s == nil {
		return nil
	}
	b := &columnBatch{columnSet: s, cells: make([]cellText, len(s.names)), bits: make([]uint64, len(s.names)), values: make([]columnValues, len(s.names))}
	b.reset()
	return b
}

func (b *columnBatch) reset() {
	b.rows = b.rows[:0]
	for i := range b.values {
		b.values[i].reset()
	}
}

// startAt is called before a chunk, whose first line has that number.
func (b *columnBatch) startAt(line uint64) {
	if b != nil {
		b.line, b.from = line, 0
	}
}

// at notes that a row begins at data[p:].
func (b *columnBatch) at(data []byte, p int) {
	if b != nil {
		b.line += uint64(bytes.Count(data[b.from:p], []byte{'\n'}))
		b.from = p
	}
}

// read parses the cells of a row. If ok is false, the row is left out.
func (b *columnBatch) read() (ok bool, err error) {
	ok = true
	for i, c := range b.cells {
		t := &b.types[i]
		if c.missing() && !(t.class == classString && c.text != nil) {
			if !t.mayLack() {
				b.lack(i, b.line)
				ok = false
			}
			continue
		}
		var fits bool
		if b.bits[i], fits = t.parse(c.text); !fits || c.quotes && t.class <= classFloat {
			return false, b.misfit(i, c)
		}
	}
	if !ok {
		if b.skip {
			b.skipped.Add(1)
		}
		return false, nil
	}
	return true, nil
}

// keep adds the row that was read.
func (b *columnBatch) keep() {
	for i, c := range b.cells {
		t := &b.types[i]
		b.values[i].add(t, b.bits[i], c.text, c.missing() && !(t.class == classString && c.text != nil))
	}
	b.rows = append(b.rows, b.line)
}

// large reports whether strings take so many bytes that the batch should be passed on.
func (b *columnBatch) large() bool {
	if b == nil {
		return false
	}
	n := 0
	for i := range b.values {
		n += len(b.values[i].text.Data)
	}
	return n >= batchBytes
}

// give makes them the columns of a batch.
func (b *columnBatch) give(e *graph.Batch) {
	if b == nil {
		return
	}
	b.out = b.out[:0]
	for i := range b.values {
		b.out = append(b.out, b.values[i].column(b.names[i], &b.types[i]))
	}
	e.Columns, e.Rows = b.out, b.rows
}

// clear is reset, of nil too.
func (b *columnBatch) clear() {
	if b != nil {
		b.reset()
	}
}

func valuesAs[T int64 | float64](bits []uint64) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bits))), len(bits))
}

// numbered reports whether the names of columns are numbers, from 1, which a text without a header has.
func numbered(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { k, err := strconv.Atoi(n); return err != nil || k < 1 || n[0] == '+' })
}

// places returns where the columns are in a header, or in a text without one.
func places(names [][]byte, o *Options, header bool) ([]int, error) {
	wanted, option := o.edgeColumns(), "Graph.EdgeColumns"
	if o.OnlyVertices {
		option = "VertexColumns"
	}
	var at []int
	for _, name := range wanted {
		if !header {
			k, err := strconv.Atoi(name)
			if err != nil || k > len(names) {
				return nil, faultf(errColumns, "Options.%s names column %.100q, but the text has no header, and %s; of such a text name them by number, from \"1\"", option, name, text.Plural(len(names), "column"))
			}
			at = append(at, k-1)
			continue
		}
		k, err := namedColumn(names, name, option)
		if err != nil {
			return nil, err
		}
		at = append(at, k)
	}
	return at, nil
}

// again reads until each column of edges has a type that fits all values. Types of ColumnTypes stay.
func (o *Options) again(ctx context.Context, read func() error) error {
	if len(o.Graph.EdgeColumns) == 0 && len(o.VertexColumns) == 0 {
		return read()
	}
	fixed := o.ColumnTypes
	o.ColumnTypes = maps.Clone(fixed)
	if o.ColumnTypes == nil {
		o.ColumnTypes = map[string]string{}
	}
	for {
		err := read()
		if !errors.Is(err, ErrColumnType) || ctx.Err() != nil {
			return err
		}
		for name, t := range fixed {
			if o.ColumnTypes[name] != t {
				return err
			}
		}
	}
}
