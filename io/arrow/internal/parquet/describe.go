// This file describes how a file stores one column.

package parquet

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Stored is how a file stores a column.
type Stored struct {
	Physical string // the physical type, such as INT32 or FIXED_LEN_BYTE_ARRAY(16)
	Chunks   []StoredChunk
}

// StoredChunk is how a row group stores a column.
type StoredChunk struct {
	Values        int64 // nulls included
	Nulls         int64 // -1 where the statistics don't say
	Distinct      int64 // likewise
	Bytes, Plain  int64 // in the file, and decompressed
	Codec         string
	Encodings     []string
	Bounds        columnar.Bounds
	Statistics    bool // there are any
	Dictionary    bool // there is one
	Index, Bloom  bool // there is a page index; a bloom filter
	Contradictory bool // the statistics contradict themselves
}

// Stored returns how the file stores a column, by its index in Columns. It is for files
// of which no columns were selected yet.
func (f *File) Stored(i int) (*Stored, error) {
	l := &f.leaves[i]
	s := &Stored{Physical: l.physicalName()}
	if f.groupsAt == 0 {
		return s, nil
	}
	t := &thrift{b: f.footer, p: f.groupsAt}
	n, elem := t.list(tList)
	if n > 0 {
		t.expect(elem, tStruct)
	}
	for g := 0; g < n && t.err == nil; g++ {
		id := 0
		for {
			typ, ok := t.fieldOf(&id, groupFields)
			if !ok {
				break
			}
			if id != 1 {
				t.skip(typ)
				continue
			}
			cols, elem := t.list(typ)
			if t.err == nil && cols != len(f.leaves) {
				return nil, columnar.PlaceAt(g, "", columnar.Corrupt("it has %d columns, but the schema %d", cols, len(f.leaves)))
			}
			if !t.expect(elem, tStruct) {
				break
			}
			for k := 0; k < cols && t.err == nil; k++ {
				if k != i {
					t.skip(tStruct)
					continue
				}
				at := t.p
				var c Chunk
				if err := t.chunk(&c, l); err != nil {
					return nil, columnar.PlaceAt(g, l.Path, err)
				}
				t.p = at
				chunk := t.storedChunk(l)
				chunk.Values, chunk.Bytes, chunk.Codec = c.values, c.Length, name(codecNames[:], c.codec)
				chunk.Nulls, chunk.Bounds = c.Nulls, c.Bounds
				chunk.Index, chunk.Bloom = c.columnIndex.At > 0, c.bloom.At > 0
				s.Chunks = append(s.Chunks, chunk)
			}
		}
	}
	if errors.Is(t.err, errShort) {
		return nil, columnar.Corrupt("the footer: %w", t.err)
	}
	return s, t.err
}

// storedChunk reads what chunk leaves out.
func (t *thrift) storedChunk(l *leaf) (c StoredChunk) {
	c.Distinct = -1
	id := 0
	for {
		typ, ok := t.fieldOf(&id, chunkFields)
		if !ok {
			return c
		}
		if id != 3 {
			t.skip(typ)
			continue
		}
		inner := 0
		for {
			typ, ok := t.fieldOf(&inner, []byte{2: tList, 6: integer, 11: integer, 12: tStruct})
			if !ok {
				break
			}
			switch inner {
			case 2:
				n, elem := t.list(typ)
				for k := 0; k < n && t.err == nil; k++ {
					if fits(elem, integer) {
						c.Encodings = append(c.Encodings, name(encodingNames[:], int(t.int(elem))))
					} else {
						t.skipNested(elem, 0, true)
					}
				}
			case 6:
				c.Plain = t.int(typ)
			case 11:
				c.Dictionary = t.int(typ) > 0
			case 12:
				c.Statistics = true
				t.storedStatistics(&c, l)
			default:
				t.skip(typ)
			}
		}
	}
}

// storedStatistics reads the number of distinct values, and looks at the bounds.
func (t *thrift) storedStatistics(c *StoredChunk, l *leaf) {
	var lo, hi []byte
	id := 0
	for {
		typ, ok := t.fieldOf(&id, []byte{1: tBinary, 2: tBinary, 3: integer, 4: integer, 5: tBinary, 6: tBinary})
		if !ok {
			_, c.Contradictory = l.boundsOf(lo, hi)
			return
		}
		switch id {
		case 4:
			c.Distinct = t.int(typ)
		case 5:
			hi = t.bytes(typ)
		case 6:
			lo = t.bytes(typ)
		default:
			t.skip(typ)
		}
	}
}

// physicalName is how the format writes the physical type.
func (l *leaf) physicalName() string {
	names := [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}
	if l.physical == typeFixed {
		return fmt.Sprintf("%s(%d)", names[typeFixed], l.width)
	}
	return name(names[:], l.physical)
}
