// This file holds Column, a column of values of the edges of a graph.

package graph

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/text"
)

// NoCode is the code of a missing string.
const NoCode = ^uint32(0)

// ErrNoColumn: the graph has no column of that name, the column has another type, or it lacks the string.
var ErrNoColumn = errors.New("graph: no such column")

// What else is ErrNoColumn.
var (
	errColumnType = text.Named("graph: column of another type", ErrNoColumn)
	errNoString   = text.Named("graph: no such string", ErrNoColumn)
	errNoValue    = text.Named("graph: missing value", ErrNoColumn)
)

// Column is a column of values of the edges or of the vertices of a graph, such as the time of each edge or the age of each
// vertex.
type Column struct {
	// Name is unique among the columns of a graph. In a Batch it may be empty.
	Name string
	// Values has one value per edge or vertex: an []int32, []uint32, []int64, []uint64, []float32 or []float64, or, in a Batch,
	// Strings. In a graph's column of strings it is the []uint32 of their codes.
	Values any
	// Valid, in a Batch of Strings, is false for the strings that are missing, whose code is NoCode. nil means that none
	// is missing. Numbers can't be missing.
	Valid []bool
	// Dictionary has the strings of a graph's column of strings, in ascending bytewise order: the string of code c is
	// Dictionary.Value(c). It is nil for columns of numbers.
	Dictionary *Strings
	// Logical is what numbers stand for, such as "timestamp[us]" or "date32", as package arrow writes types. It is only
	// passed on, except that values of uint32 that are "bool" must be 0 or 1. All batches must have the same.
	Logical string
}

// Merge chooses which of several parallel edges stays, with all of its columns, its weight and its edge id, if a graph has
// edge columns and Options.KeepDuplicates isn't set.
type Merge uint8

const (
	// MergeRefused makes parallel edges an error, since it is unknown which values count.
	MergeRefused Merge = iota
	// MergeFirst keeps the edge with the least row number (Batch.Rows).
	MergeFirst
	// MergeLeast keeps the edge with the least value in the column Options.MergeBy; of equal values the first row's.
	// NaN and missing strings only stay if there is nothing else.
	MergeLeast
	// MergeGreatest keeps the edge with the greatest value in that column, by the same rules.
	MergeGreatest
)

var mergeNames = [...]string{"refused", "first", "least", "greatest"}

// String returns the name: refused, first, least or greatest.
func (m Merge) String() string {
	if int(m) < len(mergeNames) {
		return mergeNames[m]
	}
	return fmt.Sprintf("Merge(%d)", uint8(m))
}

// typeName is the name of the type of the values.
func (c *Column) typeName() string {
	name := ""
	switch c.Values.(type) {
	case []int32:
		name = "int32"
	case []uint32:
		name = "uint32"
	case []int64:
		name = "int64"
	case []uint64:
		name = "uint64"
	case []float32:
		name = "float32"
	case []float64:
		name = "float64"
	case Strings:
		if name = "string"; c.Values.(Strings).Binary {
			name = "binary"
		}
	default:
		return fmt.Sprintf("%T", c.Values)
	}
	switch {
	case c.Dictionary != nil && c.Dictionary.Binary:
		name = "binary"
	case c.Dictionary != nil:
		name = "string"
	}
	if c.Logical != "" {
		name += " (" + c.Logical + ")"
	}
	return name
}

// valuesLen returns the number of values, or -1 for a type that columns don't have.
func valuesLen(values any) int {
	switch a := values.(type) {
	case []int32:
		return len(a)
	case []uint32:
		return len(a)
	case []int64:
		return len(a)
	case []uint64:
		return len(a)
	case []float32:
		return len(a)
	case []float64:
		return len(a)
	case Strings:
		return a.Len()
	}
	return -1
}

// valueBytes returns the size of a value in a graph.
func valueBytes(values any) uint64 {
	switch values.(type) {
	case []int64, []uint64, []float64:
		return 8
	}
	return 4
}

// makeLike returns an array of n values of the same type.
func makeLike(values any, n int) any {
	switch values.(type) {
	case []int32:
		return make([]int32, n)
	case []int64:
		return make([]int64, n)
	case []uint64:
		return make([]uint64, n)
	case []float32:
		return make([]float32, n)
	case []float64:
		return make([]float64, n)
	}
	return make([]uint32, n) // codes of strings too
}

// gatherValues copies the values of entries: of more where they have the tag addedEntry.
func gatherValues(to, from, more any, entries []uint64, at int) {
	switch a := from.(type) {
	case []int32:
		gatherOf(to, a, more, entries, at)
	case []uint32:
		gatherOf(to, a, more, entries, at)
	case []int64:
		gatherOf(to, a, more, entries, at)
	case []uint64:
		gatherOf(to, a, more, entries, at)
	case []float32:
		gatherOf(to, a, more, entries, at)
	case []float64:
		gatherOf(to, a, more, entries, at)
	}
}

func gatherOf[T any](to any, from []T, more any, entries []uint64, at int) {
	added, _ := more.([]T)
	part := to.([]T)[at : at+len(entries)]
	for i, e := range entries {
		if e&addedEntry == 0 {
			part[i] = from[e]
		} else {
			part[i] = added[e&^addedEntry]
		}
	}
}

// check returns an error for a column of a batch or of FromCSR that doesn't fit so many edges.
func (c *Column) check(name string, edges int, batch bool) error {
	n := valuesLen(c.Values)
	s, isStrings := c.Values.(Strings)
	switch {
	case n < 0 || isStrings && !batch:
		return fmt.Errorf("%w: column %.100q has values of type %T; want []int32, []uint32, []int64, []uint64, []float32, []float64, or Strings in a Batch", ErrMalformed, name, c.Values)
	case !utf8.ValidString(c.Logical):
		return fmt.Errorf("%w: column %.100q has Logical %.100q, which isn't UTF-8", ErrMalformed, name, c.Logical)
	case n != edges:
		return fmt.Errorf("%w: column %.100q has %d values, want %d", ErrMalformed, name, n, edges)
	case c.Valid != nil && (!isStrings || len(c.Valid) != edges):
		return fmt.Errorf("%w: column %.100q has %d values of Valid; want one per edge, of Strings only", ErrMalformed, name, len(c.Valid))
	}
	if isStrings {
		return s.check()
	}
	if batch && c.Dictionary != nil {
		return fmt.Errorf("%w: column %.100q has a dictionary; a Batch has Strings", ErrMalformed, name)
	}
	if c.Dictionary == nil {
		return c.checkBooleans(name)
	}
	codes, ok := c.Values.([]uint32)
	if !ok {
		return fmt.Errorf("%w: column %.100q has a dictionary, but its codes are a %T; want a []uint32", ErrMalformed, name, c.Values)
	}
	if err := c.Dictionary.check(); err != nil {
		return err
	}
	for i := 1; i < c.Dictionary.Len(); i++ {
		if bytes.Compare(c.Dictionary.Value(i-1), c.Dictionary.Value(i)) >= 0 {
			return fmt.Errorf("%w: the dictionary of column %.100q doesn't ascend at string %d", ErrMalformed, name, i)
		}
	}
	for i, x := range codes {
		if x != NoCode && uint64(x) >= uint64(c.Dictionary.Len()) {
			return fmt.Errorf("%w: column %.100q has code %d at entry %d, and %d strings", ErrMalformed, name, x, i, c.Dictionary.Len())
		}
	}
	return nil
}

// checkBooleans returns an error for a boolean that is neither 0 nor 1.
func (c *Column) checkBooleans(name string) error {
	values, ok := c.Values.([]uint32)
	if !ok || c.Logical != "bool" {
		return nil
	}
	for i, x := range values {
		if x > 1 {
			return fmt.Errorf("%w: column %.100q of booleans has %d at entry %d; want 0 or 1", ErrMalformed, name, x, i)
		}
	}
	return nil
}

// code returns the code of a string. The error wraps ErrNoColumn and suggests similar strings.
func (c *Column) code(value string) (uint32, error) {
	if c.Dictionary == nil {
		return NoCode, fmt.Errorf("%w: column %.100q has no strings but values of type %s", errColumnType, c.Name, c.typeName())
	}
	d := c.Dictionary
	i := sort.Search(d.Len(), func(i int) bool { return string(d.Value(i)) >= value })
	if i < d.Len() && string(d.Value(i)) == value {
		return uint32(i), nil
	}
	var names []string
	for i := range min(d.Len(), 1000) {
		names = append(names, string(d.Value(i)))
	}
	return NoCode, fmt.Errorf("%w: column %.100q has no string %.100q%s", errNoString, c.Name, value, text.Meant(value, names))
}

// EdgeColumns returns the columns of the edges, in the order of Options.EdgeColumns: entry e of Values belongs to entry
// e of Out. The arrays belong to the graph and must not be written to. Like Out, it panics with device.ErrClosed once a graph
// in a mapped file was closed.
func (g *Graph) EdgeColumns() []Column {
	if g.hold.mapped != nil {
		g.mustHave()
	}
	return append([]Column(nil), g.columns...)
}

// EdgeColumn returns one of EdgeColumns: the column of that name, else the only one whose name differs just in case. The error wraps ErrNoColumn and suggests similar names.
func (g *Graph) EdgeColumn(name string) (Column, error) {
	c, err := g.column(name)
	if err != nil {
		return Column{}, err
	}
	return *c, nil
}

func (g *Graph) column(name string) (*Column, error) {
	if m := g.hold.mapped; m != nil && m.released.Load() {
		return nil, errGraphClosed()
	}
	return columnNamed(g.columns, name, "the graph has no edge columns: build it with Options.EdgeColumns")
}

// columnNamed returns the column of that name, else the only one whose name differs just in case. If there are none, the
// error has the text none.
func columnNamed(columns []Column, name, none string) (*Column, error) {
	var names []string
	var folded []*Column
	for i := range columns {
		if columns[i].Name == name {
			return &columns[i], nil
		}
		if names = append(names, columns[i].Name); strings.EqualFold(columns[i].Name, name) {
			folded = append(folded, &columns[i])
		}
	}
	if len(folded) == 1 {
		return folded[0], nil
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: %.100q; %s", ErrNoColumn, name, none)
	}
	return nil, fmt.Errorf("%w: %.100q%s (the graph has %s)", ErrNoColumn, name, text.Meant(name, names), quoted(names))
}

func quoted(names []string) string {
	s := ""
	for i, n := range names {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("%.100q", n)
	}
	return s
}

// Code returns the code of a string in a column of strings, of the edges or of the vertices, for functors that compare
// codes. The error wraps
// ErrNoColumn and suggests similar names or strings; the code is then NoCode. traverse.Code passes the error on to a traversal.
func (g *Graph) Code(column, value string) (uint32, error) {
	release, err := g.Hold()
	if err != nil {
		return NoCode, err
	}
	defer release()
	c, err := g.column(column)
	if err != nil {
		v, errV := g.VertexColumn(column)
		if errV != nil {
			if len(g.columns) == 0 {
				err = errV
			}
			return NoCode, err
		}
		c = &v
	}
	return c.code(value)
}

// hash adds a column to a checksum by array, which adds an array.
func (c *Column) hash(array func(name string, n, size int, encode func(b []byte, lo, hi int) []byte) error) error {
	name, le := "column "+c.Name+" "+c.typeName(), binary.LittleEndian
	if d := c.Dictionary; d != nil {
		err := array("strings of "+name, len(d.Data), 1, func(b []byte, lo, hi int) []byte { return append(b, d.Data[lo:hi]...) })
		if err == nil {
			err = array("offsets of "+name, len(d.Offsets), 8, func(b []byte, lo, hi int) []byte {
				for _, x := range d.Offsets[lo:hi] {
					b = le.AppendUint64(b, uint64(x))
				}
				return b
			})
		}
		if err != nil {
			return err
		}
	}
	size := int(valueBytes(c.Values))
	return array(name, valuesLen(c.Values), size, func(b []byte, lo, hi int) []byte {
		for e := lo; e < hi; e++ {
			if x := valueBits(c.Values, e); size == 8 {
				b = le.AppendUint64(b, x)
			} else {
				b = le.AppendUint32(b, uint32(x))
			}
		}
		return b
	})
}

// valueBits returns the bits of a value.
func valueBits(values any, e int) uint64 {
	switch a := values.(type) {
	case []int32:
		return uint64(uint32(a[e]))
	case []uint32:
		return uint64(a[e])
	case []int64:
		return uint64(a[e])
	case []uint64:
		return a[e]
	case []float32:
		return uint64(math.Float32bits(a[e]))
	case []float64:
		return math.Float64bits(a[e])
	}
	return 0
}

// ofValues calls the function for the type of the values of a column.
func ofValues(a any, i32 func([]int32) (any, error), u32 func([]uint32) (any, error), i64 func([]int64) (any, error),
	u64 func([]uint64) (any, error), f32 func([]float32) (any, error), f64 func([]float64) (any, error)) (any, error) {
	switch a := a.(type) {
	case []int32:
		return i32(a)
	case []uint32:
		return u32(a)
	case []int64:
		return i64(a)
	case []uint64:
		return u64(a)
	case []float32:
		return f32(a)
	case []float64:
		return f64(a)
	}
	return nil, fmt.Errorf("graph: a column of %T", a)
}

func wrapped[T device.Elem](a []T) (any, error) { return device.Wrap(a), nil }

func uploader[T device.Elem](dev device.Device) func([]T) (any, error) {
	return by(func(a []T) (*device.Buffer[T], error) { return uploaded(dev, a) })
}

func placer[T device.Elem](d *onDevice) func([]T) (any, error) {
	return by(func(a []T) (*device.Buffer[T], error) { return ofEdges(d, a) })
}

func by[T device.Elem](place func([]T) (*device.Buffer[T], error)) func([]T) (any, error) {
	return func(a []T) (any, error) {
		b, err := place(a)
		if err != nil {
			return nil, err // not a nil *device.Buffer
		}
		return b, nil
	}
}
