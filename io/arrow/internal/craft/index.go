// This file writes page indexes and bloom filters.

package craft

import "encoding/binary"

// Index describes the pages of a column. Its slices have an
// element per page of data.
type Index struct {
	Min, Max []string
	Null     []bool
	Nulls    []int64 // nil to leave it out
	Order    int     // of the bounds: 0 none, 1 ascending, 2 descending
	Bloom    []byte  // whole blocks, or nil
	Alone    bool    // the bloom filter is all there is
	Wrong    func(pages [][2]int64) [][2]int64
}

// Group is a row group: its columns, and what is said of them, nil for nothing.
type Group struct {
	Rows    int64
	Cols    []*Column
	Indexes []*Index
}

// Indexed returns a file of one row group with indexes, one per column or nil.
func Indexed(rows int64, cols []*Column, indexes []*Index) []byte {
	return IndexedGroups(Group{rows, cols, indexes})
}

// IndexedGroups returns a file of row groups with indexes, which come after all
// of them.
func IndexedGroups(groups ...Group) []byte {
	out := []byte("PAR1")
	schema := []*Struct{new(Struct).Bytes(4, "schema").Int(5, int64(len(groups[0].Cols)))}
	for _, c := range groups[0].Cols {
		schema = append(schema, c.Element())
	}
	places := make([][][][2]int64, len(groups)) // of data pages: offset and first row
	metas := make([][]*Struct, len(groups))
	rows := int64(0)
	for g, group := range groups {
		rows += group.Rows
		places[g] = make([][][2]int64, len(group.Cols))
		for i, c := range group.Cols {
			start, first := int64(len(out)), int64(0)
			for _, p := range c.Pages {
				if p.Kind != 2 {
					places[g][i] = append(places[g][i], [2]int64{int64(len(out)), first})
					first += int64(p.Values)
				}
				one := *c
				one.Pages = []Page{p}
				out = append(out, one.Bytes()...)
			}
			length := int64(len(out)) - start
			meta := new(Struct).Int(1, int64(c.Type)).ListHead(2, 5, 0).ListHead(3, 8, 0).
				Int(4, int64(c.Codec)).Int(5, group.Rows).Int(6, length).Int(7, length).Int(9, start)
			if c.Stats != nil {
				meta.Sub(12, c.Stats)
			}
			metas[g] = append(metas[g], meta)
		}
	}
	type part struct{ at, size int64 }
	put := func(b []byte) part {
		p := part{int64(len(out)), int64(len(b))}
		out = append(out, b...)
		return p
	}
	var list []*Struct
	for g, group := range groups {
		var chunks []*Struct
		for i, x := range group.Indexes {
			meta := metas[g][i]
			chunk := new(Struct).Int(2, 4)
			if x == nil {
				chunks = append(chunks, chunk.Sub(3, meta))
				continue
			}
			if x.Bloom != nil {
				union := func() *Struct { return new(Struct).Sub(1, new(Struct)) }
				head := new(Struct).Int(1, int64(len(x.Bloom))).Sub(2, union()).Sub(3, union()).Sub(4, union())
				p := put(append(head.End(), x.Bloom...))
				meta.Int(14, p.at).Int(15, p.size)
			}
			chunk.Sub(3, meta)
			if x.Alone {
				chunks = append(chunks, chunk)
				continue
			}
			if x.Wrong != nil {
				places[g][i] = x.Wrong(places[g][i])
			}
			var pages []*Struct
			for _, p := range places[g][i] {
				pages = append(pages, new(Struct).Int(1, p[0]).Int(2, 100).Int(3, p[1]))
			}
			offsets := put(new(Struct).List(1, pages...).End())
			chunk.Int(4, offsets.at).Int(5, offsets.size)
			if x.Min != nil {
				bounds := put(x.columnIndex())
				chunk.Int(6, bounds.at).Int(7, bounds.size)
			}
			chunks = append(chunks, chunk)
		}
		list = append(list, new(Struct).List(1, chunks...).Int(2, 0).Int(3, group.Rows))
	}
	return Footer(out, new(Struct).Int(1, 1).List(2, schema...).Int(3, rows).List(4, list...))
}

func (x *Index) columnIndex() []byte {
	s := new(Struct).ListHead(1, 2, len(x.Null))
	for _, null := range x.Null {
		if null {
			s.Raw(1)
		} else {
			s.Raw(2)
		}
	}
	for id, list := range [][]string{x.Min, x.Max} {
		s.ListHead(2+id, 8, len(list))
		for _, v := range list {
			s.Raw(binary.AppendUvarint(nil, uint64(len(v)))...).Raw([]byte(v)...)
		}
	}
	s.Int(4, int64(x.Order))
	if x.Nulls != nil {
		s.ListHead(5, 6, len(x.Nulls))
		for _, n := range x.Nulls {
			s.Raw(zigzag(n)...)
		}
	}
	return s.End()
}
