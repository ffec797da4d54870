// This file reads page indexes: where the pages of a column chunk are, and
// between which values each page's lie. Readers work without them: one
// that contradicts itself, or the rest of the file, isn't used, and its reader is told.

package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// PageSpan is a page of data: its first row in the row group, and where it is.
type PageSpan struct {
	First int64
	at    int64
}

// PageBounds is the index's entry for the values of a page.
type PageBounds struct {
	columnar.Bounds
	Nulls   int64 // -1 if it doesn't say
	AllNull bool
}

// The types of the fields that are read of OffsetIndex, PageLocation and ColumnIndex.
var (
	offsetFields   = []byte{1: tList}
	locationFields = []byte{1: integer, 3: integer}
	columnFields   = []byte{1: tList, 2: tList, 3: tList, 4: integer, 5: tList}
)

// Pages returns where the pages of the k-th selected column are in a row
// group, or nil where the file doesn't say. doubt is the reason why the file's
// index isn't used; it is empty if the index is used, or missing. With look the headers of
// the pages are read too, and have to have as many values as the index says.
func (f *File) Pages(src io.ReaderAt, group, k int, look bool) (pages []PageSpan, doubt string, err error) {
	g := &f.Groups[group]
	c := &g.Chunks[k]
	t, err := f.index(src, c.offsetIndex)
	if t == nil || err != nil {
		return nil, "", err
	}
	id := 0
	for {
		typ, ok := t.fieldOf(&id, offsetFields)
		if !ok {
			break
		}
		if id != 1 {
			t.skip(typ)
			continue
		}
		n, elem := t.list(typ)
		if n == 0 || !t.expect(elem, tStruct) {
			break
		}
		pages = make([]PageSpan, n)
		for i := 0; i < n && t.err == nil; i++ {
			pages[i] = t.pageLocation()
			pages[i].at += c.base
		}
	}
	switch {
	case t.err != nil:
		return nil, "the offset index can't be read: " + t.err.Error(), nil
	case len(pages) == 0:
		return nil, "the offset index has no pages", nil
	case pages[0].First != 0:
		return nil, fmt.Sprintf("the first page of the offset index begins with row %d", pages[0].First), nil
	}
	for i, p := range pages {
		switch {
		case p.at < c.Start || p.at >= c.Start+c.Length:
			return nil, fmt.Sprintf("page %d of the offset index is at byte %d, outside of its column", i, p.at-c.base), nil
		case p.First >= g.Rows:
			return nil, fmt.Sprintf("page %d of the offset index begins with row %d of %d", i, p.First, g.Rows), nil
		case i > 0 && (p.First <= pages[i-1].First || p.at <= pages[i-1].at):
			return nil, fmt.Sprintf("pages %d and %d of the offset index aren't in order", i-1, i), nil
		}
	}
	if !look || len(pages) < 2 {
		return pages, "", nil
	}
	return f.looked(src, pages, c)
}

// looked compares the headers of pages with their index.
func (f *File) looked(src io.ReaderAt, pages []PageSpan, c *Chunk) ([]PageSpan, string, error) {
	var head [pageHeaderBytes]byte
	for i, p := range pages {
		b := head[:min(int64(len(head)), c.Start+c.Length-p.at)]
		if _, err := src.ReadAt(b, p.at); err != nil {
			return nil, "", readError(err)
		}
		t := thrift{b: b}
		h, err := t.header()
		if errors.Is(err, errShort) {
			continue // the header has long statistics; checkPage compares it when the page is read
		}
		want := rowsOf(pages, i, c)
		switch {
		case err != nil || h.kind != pageData && h.kind != pageDataV2:
			return nil, fmt.Sprintf("there is no page at byte %d, where the offset index has page %d", p.at-c.base, i), nil
		case int64(h.values) != want:
			return nil, fmt.Sprintf("page %d has %d values, where the offset index says %d", i, h.values, want), nil
		}
	}
	return pages, "", nil
}

// rowsOf returns how many rows the i-th page of a chunk has.
func rowsOf(pages []PageSpan, i int, c *Chunk) int64 {
	if i+1 < len(pages) {
		return pages[i+1].First - pages[i].First
	}
	return c.values - pages[i].First
}

func (t *thrift) pageLocation() (p PageSpan) {
	id := 0
	for {
		typ, ok := t.fieldOf(&id, locationFields)
		if !ok {
			return p
		}
		switch id {
		case 1:
			p.at = t.int(typ)
		case 3:
			p.First = t.int(typ)
		default:
			t.skip(typ)
		}
	}
}

// index reads an index; it returns nil if the file has no index.
func (f *File) index(src io.ReaderAt, x Extent) (*thrift, error) {
	if x.At <= 0 || x.Size <= 0 || x.Size > maxIndex || x.At > f.Size || x.Size > f.Size-x.At {
		return nil, nil
	}
	b := make([]byte, x.Size)
	if _, err := src.ReadAt(b, x.At); err != nil {
		return nil, readError(err)
	}
	return &thrift{b: b}, nil
}

// PageBounds returns the bounds that the file states for each page of the k-th selected
// column, or nil. doubt is the reason why they aren't used: the index contradicts itself, the
// offset index or the statistics of the column chunk.
func (f *File) PageBounds(src io.ReaderAt, group, k int, pages []PageSpan) (bounds []PageBounds, doubt string, err error) {
	c := &f.Groups[group].Chunks[k]
	t, err := f.index(src, c.columnIndex)
	if t == nil || err != nil {
		return nil, "", err
	}
	n := len(pages)
	x := columnIndex{leaf: &f.leaves[f.picked[k]], chunk: c, pages: pages}
	var lists [6][][]byte
	id := 0
	for {
		typ, ok := t.fieldOf(&id, columnFields)
		if !ok {
			break
		}
		switch id {
		case 1, 2, 3, 5:
		case 4:
			x.order = t.int(typ)
			continue
		default:
			t.skip(typ)
			continue
		}
		have, elem := t.list(typ)
		if have > 0 && !fits(elem, [...]byte{1: boolean, 2: tBinary, 3: tBinary, 5: integer}[id]) {
			return nil, "the column index has a list of another type", nil
		}
		if have != n && t.err == nil {
			return nil, fmt.Sprintf("the column index has a list of %d pages, where the offset index has %d", have, n), nil
		}
		for i := 0; i < n && t.err == nil; i++ {
			switch id {
			case 1:
				x.null = append(x.null, t.byte() == tTrue)
			case 5:
				x.nulls = append(x.nulls, t.int(tI64))
			default:
				lists[id] = append(lists[id], t.bytes(tBinary))
			}
		}
	}
	switch {
	case t.err != nil:
		return nil, "the column index can't be read: " + t.err.Error(), nil
	case len(x.null) != n || len(lists[2]) != n || len(lists[3]) != n || x.nulls != nil && len(x.nulls) != n:
		return nil, fmt.Sprintf("the column index lacks lists of its %d pages, or has one twice", n), nil
	}
	x.min, x.max = lists[2], lists[3]
	bounds, doubt = x.check()
	return bounds, doubt, nil
}

// columnIndex is a ColumnIndex, as it was read.
type columnIndex struct {
	leaf     *leaf
	chunk    *Chunk
	pages    []PageSpan
	null     []bool
	nulls    []int64 // nil where it doesn't say
	order    int64
	min, max [][]byte
}

// check returns what is known of each page, or what contradicts what.
func (x *columnIndex) check() (all []PageBounds, doubt string) {
	all = make([]PageBounds, len(x.pages))
	sum := int64(0)
	for i := range all {
		b := &all[i]
		rows := rowsOf(x.pages, i, x.chunk)
		b.Nulls, b.AllNull = -1, x.null[i]
		if x.nulls != nil {
			b.Nulls = x.nulls[i]
			switch {
			case b.Nulls < 0 || b.Nulls > rows:
				return nil, fmt.Sprintf("page %d has %d nulls in %d rows", i, b.Nulls, rows)
			case b.AllNull && b.Nulls != rows:
				return nil, fmt.Sprintf("page %d is said to be null, with %d nulls in %d rows", i, b.Nulls, rows)
			case !b.AllNull && b.Nulls == rows:
				return nil, fmt.Sprintf("page %d isn't said to be null, with %d nulls in %d rows", i, b.Nulls, rows)
			}
			sum += b.Nulls
		} else if b.AllNull {
			sum += rows
		}
		if (b.AllNull || b.Nulls > 0) && x.leaf.maxDef == 0 {
			return nil, fmt.Sprintf("page %d has nulls, which the column can't have", i)
		}
		if b.AllNull {
			continue
		}
		var inverted bool
		if b.Bounds, inverted = x.leaf.boundsOf(x.min[i], x.max[i]); inverted {
			return nil, fmt.Sprintf("the least value of page %d is more than the greatest", i)
		}
		if x.outside(&b.Bounds) {
			return nil, fmt.Sprintf("values of page %d lie outside of those that the statistics of the column chunk have", i)
		}
	}
	if n := x.chunk.Nulls; n >= 0 && (x.nulls != nil && sum != n || sum > n) {
		return nil, fmt.Sprintf("the pages have %d nulls, and the column chunk %d", sum, n)
	}
	if x.order < unordered || x.order > descending || x.order != unordered && !x.inOrder(all) {
		return nil, "the pages aren't in the order that the column index says"
	}
	return all, ""
}

// The orders of pages, by their bounds.
const (
	unordered = iota
	ascending
	descending
)

// outside reports whether bounds of a page contradict those of the chunk. Strings may be
// cut in one place and not in the other.
func (x *columnIndex) outside(b *columnar.Bounds) bool {
	l, of := x.leaf, &x.chunk.Bounds
	if l.Class == columnar.Text || l.Class == columnar.Bytes {
		return b.HasMin && of.HasMax && l.compare(&b.Min, &of.Max) > 0 || b.HasMax && of.HasMin && l.compare(&b.Max, &of.Min) < 0
	}
	return b.HasMin && of.HasMin && l.compare(&b.Min, &of.Min) < 0 || b.HasMax && of.HasMax && l.compare(&b.Max, &of.Max) > 0
}

// inOrder reports whether the bounds of pages ascend, or descend, as the index says.
func (x *columnIndex) inOrder(all []PageBounds) bool {
	last := -1
	for i := range all {
		b := &all[i]
		if !b.HasMin || !b.HasMax {
			continue
		}
		if last >= 0 {
			lo, hi := x.leaf.compare(&all[last].Min, &b.Min), x.leaf.compare(&all[last].Max, &b.Max)
			if x.order == ascending && (lo > 0 || hi > 0) || x.order == descending && (lo < 0 || hi < 0) {
				return false
			}
		}
		last = i
	}
	return true
}

// Extents returns where the rows from one on to another of the k-th selected
// column are in a row group, as far as pages (nil where they aren't known) tell.
func (f *File) Extents(group, k int, pages []PageSpan, from, to int64) []Extent {
	c := &f.Groups[group].Chunks[k]
	if len(pages) == 0 {
		return []Extent{{c.Start, c.Length}}
	}
	end := c.Start + c.Length
	first, last := pages[0].at, end
	for _, p := range pages {
		if p.First <= from {
			first = p.at
		}
		if p.First >= to {
			last = p.at
			break
		}
	}
	// The dictionary, if there is one, comes first.
	out := []Extent{{first, last - first}}
	if dict := pages[0].at - c.Start; dict > 0 {
		out = append(out, Extent{c.Start, dict})
	}
	return out
}
