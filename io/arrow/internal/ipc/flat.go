// This file holds a reader of flatbuffers, in which Arrow writes its metadata.

package ipc

import (
	"encoding/binary"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// flat reads a flatbuffer. Every offset is checked against the bytes, and the
// tables that may be visited are counted: offsets may form cycles, or share
// tables so that a few bytes unfold without end. The first error sticks, and
// everything read after it is zero.
type flat struct {
	b    []byte
	left int // tables that may still be visited
	err  error
}

// table is a table in a flatbuffer. The zero table has no fields.
type table struct {
	f      *flat
	at     int
	vt     int // its vtable
	vtSize int
}

// vector is a vector in a flatbuffer.
type vector struct {
	f     *flat
	at, n int
	size  int // bytes of an element
}

func (f *flat) fail(format string, args ...any) {
	if f.err == nil {
		f.err = columnar.Corrupt(format, args...)
	}
}

// has reports whether n bytes are at position at.
func (f *flat) has(at, n int) bool {
	if f.err == nil && (at < 0 || n < 0 || at > len(f.b) || n > len(f.b)-at) {
		f.fail("the metadata points outside of itself")
	}
	return f.err == nil
}

func (f *flat) u16(at int) int {
	if !f.has(at, 2) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(f.b[at:]))
}

func (f *flat) i32(at int) int {
	if !f.has(at, 4) {
		return 0
	}
	return int(int32(binary.LittleEndian.Uint32(f.b[at:])))
}

func (f *flat) i64(at int) int64 {
	if !f.has(at, 8) {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(f.b[at:]))
}

// follow returns where the offset at points to.
func (f *flat) follow(at int) int {
	if !f.has(at, 4) {
		return 0
	}
	return at + int(binary.LittleEndian.Uint32(f.b[at:]))
}

func (f *flat) root() table { return f.table(f.follow(0)) }

func (f *flat) table(at int) table {
	if f.left--; f.left < 0 {
		f.fail("the metadata has too many tables")
	}
	t := table{f: f, at: at, vt: at - f.i32(at)}
	t.vtSize = f.u16(t.vt)
	if t.vtSize < 4 || !f.has(t.vt, t.vtSize) {
		f.fail("the metadata has a table without fields")
		return table{f: f}
	}
	return t
}

// field returns where the i-th field is, or false where it has its default.
func (t table) field(i int) (int, bool) {
	slot := 4 + 2*i
	if t.f.err != nil || slot+2 > t.vtSize {
		return 0, false
	}
	off := t.f.u16(t.vt + slot)
	return t.at + off, off != 0
}

func (t table) u8(i int) int {
	at, ok := t.field(i)
	if !ok || !t.f.has(at, 1) {
		return 0
	}
	return int(t.f.b[at])
}

func (t table) i16(i int) int {
	at, ok := t.field(i)
	if !ok {
		return 0
	}
	return int(int16(t.f.u16(at)))
}

func (t table) i32(i, missing int) int {
	at, ok := t.field(i)
	if !ok {
		return missing
	}
	return t.f.i32(at)
}

func (t table) i64(i int) int64 {
	at, ok := t.field(i)
	if !ok {
		return 0
	}
	return t.f.i64(at)
}

func (t table) sub(i int) (table, bool) {
	at, ok := t.field(i)
	if !ok {
		return table{f: t.f}, false
	}
	return t.f.table(t.f.follow(at)), t.f.err == nil
}

// vector returns the i-th field, a vector of elements of so many bytes.
func (t table) vector(i, size int) vector {
	at, ok := t.field(i)
	if !ok {
		return vector{f: t.f}
	}
	to := t.f.follow(at)
	n := t.f.i32(to)
	if n < 0 || n > len(t.f.b)/size || !t.f.has(to+4, n*size) {
		t.f.fail("the metadata points outside of itself")
		return vector{f: t.f}
	}
	return vector{f: t.f, at: to + 4, n: n, size: size}
}

func (t table) string(i int) string {
	v := t.vector(i, 1)
	if t.f.err != nil {
		return ""
	}
	return string(t.f.b[v.at : v.at+v.n])
}

// table returns the i-th element of a vector of tables.
func (v vector) table(i int) table { return v.f.table(v.f.follow(v.at + 4*i)) }

// i64 returns the integer at byte off of the i-th element.
func (v vector) i64(i, off int) int64 { return v.f.i64(v.at + i*v.size + off) }

// i32 is i64 for 32 bits.
func (v vector) i32(i, off int) int { return v.f.i32(v.at + i*v.size + off) }
