// This file reads page headers.

package parquet

import "github.com/foray-graph/foray/io/arrow/internal/columnar"

// header is a PageHeader.
type header struct {
	kind       int
	plain      int // bytes when decompressed, levels included
	packed     int // bytes in the file
	crc        uint32
	hasCRC     bool
	values     int // nulls included
	encoding   int
	defs, reps int // the encodings of levels of version 1
	repBytes   int // the lengths of levels of version 2
	defBytes   int
	compressed bool
}

// hasValues reports whether the page is one of data or a dictionary.
func (h *header) hasValues() bool {
	return h.kind == pageData || h.kind == pageDataV2 || h.kind == pageDictionary
}

// headerFields are the types of the fields that are read of PageHeader.
var headerFields = []byte{1: integer, 2: integer, 3: integer, 4: integer, 5: tStruct, 7: tStruct, 8: tStruct}

// header reads a page header.
func (t *thrift) header() (header, error) {
	h := header{kind: -1, plain: -1, packed: -1, values: -1, encoding: -1, compressed: true}
	id, described := 0, -1
	for {
		typ, ok := t.fieldOf(&id, headerFields)
		if !ok {
			break
		}
		switch id {
		case 1:
			h.kind = t.size(typ, "a page's type")
		case 2:
			h.plain = t.size(typ, "a page's size")
		case 3:
			h.packed = t.size(typ, "a page's compressed size")
		case 4:
			h.crc, h.hasCRC = uint32(t.int(typ)), true
		case 5:
			described = pageData
			t.pageFields(typ, &h, [9]int{1: fieldValues, 2: fieldEncoding, 3: fieldDefs, 4: fieldReps})
		case 7:
			described = pageDictionary
			t.pageFields(typ, &h, [9]int{1: fieldValues, 2: fieldEncoding})
		case 8:
			described = pageDataV2
			t.pageFields(typ, &h, [9]int{1: fieldValues, 4: fieldEncoding, 5: fieldDefBytes, 6: fieldRepBytes, 7: fieldCompressed})
		default:
			t.skip(typ)
		}
	}
	switch {
	case t.err != nil:
		return h, t.err
	case h.kind < 0 || h.plain < 0 || h.packed < 0:
		return h, columnar.Corrupt("a page header lacks type or size")
	case h.kind == pageIndex || h.kind > pageDataV2:
		return h, nil // skipped
	case described != h.kind || h.values < 0 || h.encoding < 0:
		return h, columnar.Corrupt("a page header doesn't describe its page")
	}
	return h, nil
}

const (
	fieldValues = iota + 1
	fieldEncoding
	fieldDefs
	fieldReps
	fieldDefBytes
	fieldRepBytes
	fieldCompressed
)

// pageFields reads the header of a type of page; which has the numbers of its fields.
func (t *thrift) pageFields(typ byte, h *header, which [9]int) {
	if !t.expect(typ, tStruct) {
		return
	}
	id := 0
	for {
		typ, ok := t.field(&id)
		if !ok {
			return
		}
		field := 0
		if id > 0 && id < len(which) {
			field = which[id]
		}
		if field == fieldCompressed && !fits(typ, boolean) || field != 0 && field != fieldCompressed && !fits(typ, integer) {
			field = 0
		}
		switch field {
		case fieldValues:
			h.values = t.size(typ, "a page's number of values")
		case fieldEncoding:
			h.encoding = t.size(typ, "a page's encoding")
		case fieldDefs:
			h.defs = t.size(typ, "a page's encoding of levels")
		case fieldReps:
			h.reps = t.size(typ, "a page's encoding of levels")
		case fieldDefBytes:
			h.defBytes = t.size(typ, "a page's length of levels")
		case fieldRepBytes:
			h.repBytes = t.size(typ, "a page's length of levels")
		case fieldCompressed:
			h.compressed = typ == tTrue
		default:
			t.skip(typ)
		}
	}
}
