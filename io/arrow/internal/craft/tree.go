// This file writes Parquet files with nested and repeated columns, and with field ids.

package craft

import (
	"encoding/binary"
	"math/bits"
)

// Node is a column, or a group of them.
type Node struct {
	Name       string
	Repetition int // 0 required, 1 optional, 2 repeated
	ID         int // the field id, where HasID
	HasID      bool
	Children   []*Node

	// Of a column:
	Type, Length int
	Logical      *Struct
	Rep, Def     []int    // a pair for each entry; nil where the greatest are 0
	Values       [][]byte // of entries that are there, plain, strings with their lengths
	PageEntries  int      // entries of a page; 0 for all. Pages begin with rows
	V2           bool     // pages are of version 2
	Dictionary   bool
	Nulls        *int64 // what the statistics say
}

// Tree returns a file of one row group.
func Tree(rows int64, fields ...*Node) []byte {
	out := []byte("PAR1")
	schema := []*Struct{new(Struct).Bytes(4, "schema").Int(5, int64(len(fields)))}
	var chunks []*Struct
	var walk func(f *Node, def, rep int)
	walk = func(f *Node, def, rep int) {
		if f.Repetition > 0 {
			def++
		}
		if f.Repetition == 2 {
			rep++
		}
		schema = append(schema, f.element())
		if f.Children != nil {
			for _, c := range f.Children {
				walk(c, def, rep)
			}
			return
		}
		c := &Column{Name: f.Name, Type: f.Type, Rows: f.entries(), Pages: f.pages(def, rep)}
		if f.Nulls != nil {
			c.Stats = new(Struct).Int(3, *f.Nulls)
		}
		b := c.Bytes()
		chunks = append(chunks, c.Chunk(int64(len(out)), int64(len(b))))
		out = append(out, b...)
	}
	for _, f := range fields {
		walk(f, 0, 0)
	}
	group := new(Struct).List(1, chunks...).Int(2, 0).Int(3, rows)
	return Footer(out, new(Struct).Int(1, 1).List(2, schema...).Int(3, rows).List(4, group))
}

func (f *Node) entries() int64 {
	if f.Def != nil {
		return int64(len(f.Def))
	}
	return int64(len(f.Values))
}

// element returns the field's element of the schema.
func (f *Node) element() *Struct {
	e := new(Struct)
	if f.Children == nil {
		e.Int(1, int64(f.Type))
		if f.Length > 0 {
			e.Int(2, int64(f.Length))
		}
	}
	e.Int(3, int64(f.Repetition)).Bytes(4, f.Name)
	if f.Children != nil {
		e.Int(5, int64(len(f.Children)))
	}
	if f.HasID {
		e.Int(9, int64(f.ID))
	}
	if f.Logical != nil {
		e.Sub(10, f.Logical)
	}
	return e
}

// pages cuts the entries into pages.
func (f *Node) pages(def, rep int) (pages []Page) {
	var dictionary [][]byte
	index := map[string]int{}
	if f.Dictionary {
		var body []byte
		for _, v := range f.Values {
			if _, ok := index[string(v)]; !ok {
				index[string(v)] = len(dictionary)
				dictionary, body = append(dictionary, v), append(body, v...)
			}
		}
		pages = append(pages, Page{Kind: 2, Values: len(dictionary), Body: body})
	}
	n := int(f.entries())
	value := 0
	for from := 0; from < n || from == 0; {
		to := n
		if f.PageEntries > 0 {
			for to = min(n, from+f.PageEntries); to < n && rep > 0 && f.Rep[to] > 0; {
				to++
			}
		}
		var reps, defs []byte
		there := to - from
		if rep > 0 {
			reps = runs(f.Rep[from:to], rep)
		}
		if def > 0 {
			defs = runs(f.Def[from:to], def)
			there = 0
			for _, d := range f.Def[from:to] {
				if d == def {
					there++
				}
			}
		}
		values := f.Values[value : value+there]
		value += there
		var body []byte
		p := Page{Values: to - from}
		if f.Dictionary {
			width := bits.Len(uint(max(1, len(dictionary)-1)))
			var list []int
			for _, v := range values {
				list = append(list, index[string(v)])
			}
			p.Encoding, body = 8, append([]byte{byte(width)}, runsOf(list, width)...)
		} else {
			for _, v := range values {
				body = append(body, v...)
			}
		}
		if f.V2 {
			p.Kind, p.Stored, p.Levels, p.Reps = 3, true, len(defs), len(reps)
			p.Rows = f.rowsOf(from, to)
			p.Body = append(append(reps, defs...), body...)
		} else {
			if rep > 0 {
				p.Body = append(binary.LittleEndian.AppendUint32(p.Body, uint32(len(reps))), reps...)
			}
			if def > 0 {
				p.Body = append(binary.LittleEndian.AppendUint32(p.Body, uint32(len(defs))), defs...)
			}
			p.Body = append(p.Body, body...)
		}
		pages = append(pages, p)
		if from = to; n == 0 {
			break
		}
	}
	return pages
}

// rowsOf returns how many rows begin among entries.
func (f *Node) rowsOf(from, to int) (rows int) {
	if f.Rep == nil {
		return to - from
	}
	for _, r := range f.Rep[from:to] {
		if r == 0 {
			rows++
		}
	}
	return rows
}

func runs(levels []int, most int) []byte { return runsOf(levels, bits.Len(uint(most))) }

// runsOf encodes numbers of so many bits as runs.
func runsOf(list []int, width int) (out []byte) {
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && list[i+n] == list[i] {
			n++
		}
		out = binary.AppendUvarint(out, uint64(n)<<1)
		for k := 0; k < (width+7)/8; k++ {
			out = append(out, byte(list[i]>>(8*k)))
		}
		i += n
	}
	return out
}

// Plain returns a string as plain pages have it.
func Plain(s string) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...)
}
