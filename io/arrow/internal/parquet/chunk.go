// This file reads the metadata of one column chunk in a footer.

package parquet

import (
	"encoding/binary"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// The types of the fields that are read of ColumnChunk, ColumnMetaData and Statistics.
var (
	chunkFields      = []byte{1: tBinary, 3: tStruct, 4: integer, 5: integer, 6: integer, 7: integer, 8: tStruct, 9: tBinary}
	chunkMetaFields  = []byte{1: integer, 4: integer, 5: integer, 7: integer, 9: integer, 11: integer, 12: tStruct, 14: integer, 15: integer}
	statisticsFields = []byte{1: tBinary, 2: tBinary, 3: integer, 5: tBinary, 6: tBinary}
)

// chunk reads a ColumnChunk of the column l.
func (t *thrift) chunk(c *Chunk, l *leaf) error {
	*c = Chunk{Nulls: -1, Start: -1, Length: -1, values: -1}
	id, described := 0, false
	for {
		typ, ok := t.fieldOf(&id, chunkFields)
		if !ok {
			break
		}
		switch id {
		case 1:
			if len(t.bytes(typ)) > 0 {
				return columnar.Unsupported("its data is in another file")
			}
		case 3:
			described = true
			if err := t.chunkMeta(typ, c, l); err != nil {
				return err
			}
		case 4:
			c.offsetIndex.At = t.int(typ)
		case 5:
			c.offsetIndex.Size = t.int(typ)
		case 6:
			c.columnIndex.At = t.int(typ)
		case 7:
			c.columnIndex.Size = t.int(typ)
		case 8, 9:
			return columnar.Unsupported("it is encrypted")
		default:
			t.skip(typ)
		}
	}
	if t.err == nil && !described {
		return columnar.Corrupt("its metadata is missing")
	}
	return nil
}

// chunkMeta reads a ColumnMetaData.
func (t *thrift) chunkMeta(typ byte, c *Chunk, l *leaf) error {
	if !t.expect(typ, tStruct) {
		return nil
	}
	var dictionary int64
	physical := -1
	id := 0
	for {
		typ, ok := t.fieldOf(&id, chunkMetaFields)
		if !ok {
			break
		}
		switch id {
		case 1:
			physical = t.size(typ, "its type")
		case 4:
			c.codec = t.size(typ, "its codec")
		case 5:
			c.values = t.int(typ)
		case 7:
			c.Length = t.int(typ)
		case 9:
			c.Start = t.int(typ)
		case 11:
			dictionary = t.int(typ)
		case 12:
			t.statistics(typ, c, l)
		case 14:
			c.bloom.At = t.int(typ)
		case 15:
			c.bloom.Size = t.int(typ)
		default:
			t.skip(typ)
		}
	}
	if t.err != nil {
		return nil // Select tells
	}
	if physical != l.physical {
		return columnar.Corrupt("its type is %s, but the schema says %s", name(typeNames[:], physical), name(typeNames[:], l.physical))
	}
	if c.Nulls > c.values && c.values >= 0 || c.Nulls < 0 {
		c.Nulls = -1 // there can't be so many
	}
	if l.maxDef == 0 {
		c.Nulls = 0
	}
	// Some writers state 0 for "none".
	if dictionary > 0 && dictionary < c.Start {
		c.Start = dictionary
	}
	if c.codec == codecLZO || c.codec > codecLZ4Raw {
		return columnar.Unsupported("codec %s", name(codecNames[:], c.codec))
	}
	return nil
}

// statistics reads a Statistics: how many nulls, and of integers the range.
func (t *thrift) statistics(typ byte, c *Chunk, l *leaf) {
	if !t.expect(typ, tStruct) {
		return
	}
	var lo, hi, oldLo, oldHi []byte
	id := 0
	for {
		typ, ok := t.fieldOf(&id, statisticsFields)
		if !ok {
			break
		}
		switch id {
		case 1:
			oldHi = t.bytes(typ)
		case 2:
			oldLo = t.bytes(typ)
		case 3:
			c.Nulls = t.int(typ)
		case 5:
			hi = t.bytes(typ)
		case 6:
			lo = t.bytes(typ)
		default:
			t.skip(typ)
		}
	}
	// The old ones were compared as signed, whatever the type, and those of
	// decimals in bytes as bytes.
	if lo == nil && hi == nil && l.signed() && l.physical != typeFixed {
		lo, hi = oldLo, oldHi
	}
	c.Bounds = l.bounds(lo, hi)
	if !l.IsID || !l.ID.Integer() || len(lo) != l.width || len(hi) != l.width {
		return
	}
	c.Range.Min, c.Range.Max = l.int(lo), l.int(hi)
	// Unsigned 64-bit values past MaxInt64 are no range of int64.
	c.Range.Known = c.Range.Min <= c.Range.Max && !(l.unsigned && c.Range.Min < 0)
}

// int reads one plain integer of the column.
func (l *leaf) int(b []byte) int64 {
	switch {
	case l.width == 8:
		return int64(binary.LittleEndian.Uint64(b))
	case l.unsigned:
		return int64(binary.LittleEndian.Uint32(b))
	}
	return int64(int32(binary.LittleEndian.Uint32(b)))
}
