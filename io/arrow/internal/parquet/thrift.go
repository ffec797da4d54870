// This file holds a reader of Thrift's compact protocol, in which footers and
// page headers are written.

package parquet

import (
	"errors"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// errShort: the bytes end within the value. A page header may then continue
// beyond the window that was read.
var errShort = errors.New("it ends too early")

// Types of the compact protocol.
const (
	tTrue   = 1
	tFalse  = 2
	tByte   = 3
	tI16    = 4
	tI32    = 5
	tI64    = 6
	tDouble = 7
	tBinary = 8
	tList   = 9
	tSet    = 10
	tMap    = 11
	tStruct = 12
)

// thrift reads values off b. The first error sticks, and every value after it
// is zero, so that callers check once. Nothing is allocated: a count is only
// believed as far as the bytes that follow can hold it.
type thrift struct {
	b   []byte
	p   int
	err error
}

func (t *thrift) fail(err error) {
	if t.err == nil {
		t.err = err
		t.p = len(t.b)
	}
}

func (t *thrift) byte() byte {
	if t.p >= len(t.b) {
		t.fail(errShort)
		return 0
	}
	c := t.b[t.p]
	t.p++
	return c
}

func (t *thrift) uvarint() uint64 {
	var v uint64
	for shift := uint(0); shift < 70; shift += 7 {
		c := t.byte()
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	t.fail(columnar.Corrupt("an integer of more than 64 bits"))
	return 0
}

// int reads an integer of type i16, i32 or i64.
func (t *thrift) int(typ byte) int64 {
	if typ < tI16 || typ > tI64 {
		t.fail(columnar.Corrupt("a field of type %d where an integer belongs", typ))
		return 0
	}
	u := t.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// size reads an integer that has to be 0 to MaxInt32.
func (t *thrift) size(typ byte, what string) int {
	v := t.int(typ)
	if v < 0 || v > 1<<31-1 {
		t.fail(columnar.Corrupt("%s is %d", what, v))
		return 0
	}
	return int(v)
}

func (t *thrift) expect(typ, want byte) bool {
	if typ != want {
		t.fail(columnar.Corrupt("a field of type %d where type %d belongs", typ, want))
	}
	return t.err == nil
}

// bytes reads a string. It aliases the input.
func (t *thrift) bytes(typ byte) []byte {
	if !t.expect(typ, tBinary) {
		return nil
	}
	n := t.uvarint()
	if n > uint64(len(t.b)-t.p) {
		t.fail(errShort)
		return nil
	}
	s := t.b[t.p : t.p+int(n)]
	t.p += int(n)
	return s
}

// field reads the header of the next field. It returns false at the end of
// the struct.
func (t *thrift) field(id *int) (typ byte, ok bool) {
	c := t.byte()
	if t.err != nil || c == 0 {
		return 0, false
	}
	if delta := int(c >> 4); delta != 0 {
		*id += delta
	} else {
		*id = int(t.int(tI16))
	}
	return c & 15, t.err == nil
}

// integer stands for the types of integers of 16 to 64 bits among those that fields have, and
// boolean for the two of booleans.
const (
	integer = 0x80 + iota
	boolean
)

// fieldOf is field for structs whose fields have the types that are listed by id, 0 being any.
// Fields of other types are passed over, as Thrift's readers do: for them the field isn't there.
func (t *thrift) fieldOf(id *int, types []byte) (typ byte, ok bool) {
	for {
		if typ, ok = t.field(id); !ok || *id < 0 || *id >= len(types) || fits(typ, types[*id]) {
			return typ, ok
		}
		t.skip(typ)
	}
}

func fits(typ, want byte) bool {
	switch want {
	case 0:
		return true
	case integer:
		return typ >= tI16 && typ <= tI64
	case boolean:
		return typ == tTrue || typ == tFalse
	case tList:
		return typ == tList || typ == tSet
	}
	return typ == want
}

// list reads the header of a list or set.
func (t *thrift) list(typ byte) (n int, elem byte) {
	if typ != tList && typ != tSet {
		t.fail(columnar.Corrupt("a field of type %d where a list belongs", typ))
		return 0, 0
	}
	c := t.byte()
	count := uint64(c >> 4)
	if count == 15 {
		count = t.uvarint()
	}
	// Every element takes a byte or more.
	if count > uint64(len(t.b)-t.p) {
		t.fail(errShort)
		return 0, 0
	}
	return int(count), c & 15
}

// skip passes over a field's value.
func (t *thrift) skip(typ byte) { t.skipNested(typ, 0, false) }

func (t *thrift) skipNested(typ byte, depth int, inList bool) {
	if depth > maxNesting {
		t.fail(columnar.Corrupt("fields nested more than %d deep", maxNesting))
		return
	}
	switch typ {
	case tTrue, tFalse:
		if inList {
			t.byte()
		}
	case tByte:
		t.byte()
	case tI16, tI32, tI64:
		t.uvarint()
	case tDouble:
		t.advance(8)
	case tBinary:
		t.bytes(typ)
	case tList, tSet:
		n, elem := t.list(typ)
		for i := 0; i < n && t.err == nil; i++ {
			t.skipNested(elem, depth+1, true)
		}
	case tMap:
		n := t.uvarint()
		if n == 0 {
			return
		}
		kv := t.byte()
		if n > uint64(len(t.b)-t.p) {
			t.fail(errShort)
			return
		}
		for i := uint64(0); i < n && t.err == nil; i++ {
			t.skipNested(kv>>4, depth+1, true)
			t.skipNested(kv&15, depth+1, true)
		}
	case tStruct:
		id := 0
		for {
			ft, ok := t.field(&id)
			if !ok {
				return
			}
			t.skipNested(ft, depth+1, false)
		}
	default:
		t.fail(columnar.Corrupt("a field of unknown type %d", typ))
	}
}

func (t *thrift) advance(n int) {
	if n > len(t.b)-t.p {
		t.fail(errShort)
		return
	}
	t.p += n
}
