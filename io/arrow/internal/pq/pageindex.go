// This file reads page indexes: where the pages of a column chunk are, and
// between which values each page's lie. Nobody needs them to read a file: one
// that contradicts itself is as good as none.

package pq

import (
	"io"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// PageSpan is a page of data: its first row in the row group, and where it is.
type PageSpan struct {
	First int64
	at    int64
}

// PageBounds is what the index says of a page's values.
type PageBounds struct {
	columnar.Bounds
	Nulls   int64 // -1 if it doesn't say
	AllNull bool
}

// Pages returns where the pages of the k-th selected column are in a row
// group, or nil where the file doesn't say.
func (f *File) Pages(src io.ReaderAt, group, k int) ([]PageSpan, error) {
	g := &f.Groups[group]
	c := &g.Chunks[k]
	t, err := f.index(src, c.offsetIndex)
	if t == nil || err != nil {
		return nil, err
	}
	var pages []PageSpan
	id := 0
	for {
		typ, ok := t.field(&id)
		if !ok {
			break
		}
		if id != 1 {
			t.skip(typ)
			continue
		}
		n, elem := t.list(typ)
		if n == 0 || !t.expect(elem, tStruct) {
			return nil, nil
		}
		pages = make([]PageSpan, n)
		for i := 0; i < n && t.err == nil; i++ {
			pages[i] = t.pageLocation()
			pages[i].at += c.base
		}
	}
	if t.err != nil || len(pages) == 0 || pages[0].First != 0 {
		return nil, nil
	}
	for i, p := range pages {
		if p.at < c.Start || p.at >= c.Start+c.Length || p.First >= g.Rows ||
			i > 0 && (p.First <= pages[i-1].First || p.at <= pages[i-1].at) {
			return nil, nil
		}
	}
	return pages, nil
}

func (t *thrift) pageLocation() (p PageSpan) {
	id := 0
	for {
		typ, ok := t.field(&id)
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

// index reads an index, nil where there is none.
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

// PageBounds returns what the file says of the values of each of n pages of
// the k-th selected column, or nil.
func (f *File) PageBounds(src io.ReaderAt, group, k, n int) ([]PageBounds, error) {
	t, err := f.index(src, f.Groups[group].Chunks[k].columnIndex)
	if t == nil || err != nil {
		return nil, err
	}
	var lists [6][][]byte
	var null []bool
	var nulls []int64
	id := 0
	for {
		typ, ok := t.field(&id)
		if !ok {
			break
		}
		if id != 1 && id != 2 && id != 3 && id != 5 {
			t.skip(typ)
			continue
		}
		have, _ := t.list(typ)
		if have != n || t.err != nil {
			return nil, nil
		}
		for range n {
			switch id {
			case 1:
				null = append(null, t.byte() == tTrue)
			case 5:
				nulls = append(nulls, t.int(tI64))
			default:
				lists[id] = append(lists[id], t.bytes(tBinary))
			}
		}
	}
	if t.err != nil || len(null) != n || len(lists[2]) != n || len(lists[3]) != n {
		return nil, nil
	}
	l := &f.leaves[f.picked[k]]
	bounds := make([]PageBounds, n)
	for i := range bounds {
		b := &bounds[i]
		b.Nulls, b.AllNull = -1, null[i]
		if nulls != nil {
			b.Nulls = nulls[i]
		}
		if !b.AllNull {
			b.Bounds = l.bounds(lists[2][i], lists[3][i])
		}
	}
	return bounds, nil
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
