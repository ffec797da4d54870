// This file holds a writer of Thrift's compact protocol.

package metadata

import "encoding/binary"

// Types of the compact protocol.
const (
	tTrue   = 1
	tFalse  = 2
	tByte   = 3
	tI16    = 4
	tI32    = 5
	tI64    = 6
	tBinary = 8
	tList   = 9
	tStruct = 12
)

// structWriter appends the fields of one struct, in the order of their ids, to
// what was written before it. It is a value: the struct inside another is written
// by its own writer, from begin to end.
type structWriter struct {
	b    []byte
	last int
}

// field begins a field. Ids ascend by less than 16 in all structs of the format.
func (w *structWriter) field(id int, typ byte) {
	w.b = append(w.b, byte(id-w.last)<<4|typ)
	w.last = id
}

func (w *structWriter) bool(id int, x bool) {
	if x {
		w.field(id, tTrue)
	} else {
		w.field(id, tFalse)
	}
}

// byte writes an i8.
func (w *structWriter) byte(id int, x int8) {
	w.field(id, tByte)
	w.b = append(w.b, byte(x))
}

func (w *structWriter) i16(id int, x int) { w.int(id, tI16, int64(x)) }
func (w *structWriter) i32(id int, x int) { w.int(id, tI32, int64(x)) }

func (w *structWriter) i64(id int, x int64) { w.int(id, tI64, x) }

func (w *structWriter) int(id int, typ byte, x int64) {
	w.field(id, typ)
	w.b = binary.AppendVarint(w.b, x) // zigzag, as Thrift has it
}

func (w *structWriter) bytes(id int, x []byte) {
	w.field(id, tBinary)
	w.b = append(binary.AppendUvarint(w.b, uint64(len(x))), x...)
}

func (w *structWriter) string(id int, x string) {
	w.field(id, tBinary)
	w.b = appendString(w.b, x)
}

func appendString(b []byte, x string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(x))), x...)
}

// list begins a list of n elements, which the caller appends.
func (w *structWriter) list(id int, elem byte, n int) {
	w.field(id, tList)
	if n < 15 {
		w.b = append(w.b, byte(n)<<4|elem)
		return
	}
	w.b = binary.AppendUvarint(append(w.b, 0xf0|elem), uint64(n))
}

// inner writes a field that is a struct.
func (w *structWriter) inner(id int, write func(w *structWriter)) {
	w.field(id, tStruct)
	w.element(write)
}

// element writes a struct without a field's head: an element of a list.
func (w *structWriter) element(write func(w *structWriter)) { w.b = appendStruct(w.b, write) }

// appendStruct appends a struct.
func appendStruct(b []byte, write func(w *structWriter)) []byte {
	w := structWriter{b: b}
	write(&w)
	return append(w.b, 0)
}
