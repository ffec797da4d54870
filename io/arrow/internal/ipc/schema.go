// This file reads schemas: the leaf columns, their types, and where in a
// record batch their buffers are.

package ipc

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Types, as the union Type of the format numbers them.
const (
	typeNull = iota + 1
	typeInt
	typeFloat
	typeBinary
	typeUtf8
	typeBool
	typeDecimal
	typeDate
	typeTime
	typeTimestamp
	typeInterval
	typeList
	typeStruct
	typeUnion
	typeFixed
	typeFixedList
	typeMap
	typeDuration
	typeLargeBinary
	typeLargeUtf8
	typeLargeList
	typeRunEnd
	typeBinaryView
	typeUtf8View
	typeListView
	typeLargeListView
)

var typeNames = [...]string{"", "null", "int", "float", "binary", "string", "bool", "decimal", "date", "time",
	"timestamp", "interval", "list", "struct", "union", "fixed_size_binary", "fixed_size_list", "map", "duration",
	"large_binary", "large_string", "large_list", "run_end_encoded", "binary_view", "string_view", "list_view",
	"large_list_view"}

// format is the layout of a column's values in its buffers.
type format struct {
	kind     int // one of the types
	width    int // bytes of a value or, of strings, an offset
	unsigned bool
	scale    int   // of decimals
	digits   int   // of decimals
	unit     int64 // of dates and times: parts of a second; 0 for days
	zoned    bool  // a timestamp that is an instant
	zone     string
}

// timeUnits are the parts of a second that the format counts in.
var timeUnits = [...]int64{1, 1e3, 1e6, 1e9}

// leaf is a column.
type leaf struct {
	columnar.Column
	format
	dictionary bool
	uuid       bool // by the name of an extension type
	dictID     int64
	index      *format // of dictionary indices

	node   int      // its FieldNode
	buffer int      // its first buffer, not counting those of views before it
	views  int      // columns of views before it, whose buffers vary in number
	in     *structs // around it
}

// structs are those around a field, from the outermost on; columns of one struct
// share them. nil means no column.
type structs struct{ nodes, buffers, views []int }

// with returns the structs and one more. The slices are clipped, lest siblings
// share what is appended.
func (s *structs) with(l *leaf) *structs {
	if s == nil {
		s = new(structs)
	}
	return &structs{append(slices.Clip(s.nodes), l.node), append(slices.Clip(s.buffers), l.buffer), append(slices.Clip(s.views), l.views)}
}

// schema is what is known of a file's columns.
type schema struct {
	leaves  []leaf
	nodes   int
	buffers int
	views   int
	v4      bool // unions have validity
	room    int
	foray   map[string]string // metadata of Foray's own
}

func readSchema(t table, version int) (*schema, error) {
	if t.f.err != nil {
		return nil, t.f.err
	}
	if t.i16(0) != 0 {
		return nil, columnar.Unsupported("big-endian data")
	}
	s := &schema{v4: version < versionV5, room: columnar.PathRoom(len(t.f.b))}
	s.foray = readMetadata(t.vector(2, 4))
	fields := t.vector(1, 4)
	// Once and for all: growing would take several times as much on the way.
	s.leaves = make([]leaf, 0, min(fields.n, maxFields))
	for i := 0; i < fields.n && t.f.err == nil; i++ {
		if err := s.field(fields.table(i), parent{}, 0); err != nil {
			return nil, err
		}
	}
	return s, t.f.err
}

// parent is what a field inherits.
type parent struct {
	path     string
	nullable bool
	hidden   bool // values don't go by rows
	in       *structs
}

func (s *schema) field(t table, up parent, depth int) error {
	if depth > columnar.MaxDepth {
		return columnar.Unsupported("columns nested more than %d deep", columnar.MaxDepth)
	}
	l := leaf{node: s.nodes, buffer: s.buffers, views: s.views, in: up.in}
	l.Path = t.string(0)
	if up.path != "" {
		l.Path = up.path + "." + l.Path
	}
	if s.room -= len(l.Path); s.room < 0 {
		return columnar.Unsupported("the names of the columns are too long")
	}
	l.Nullable = up.nullable || t.u8(1) != 0
	l.Repeated = up.hidden
	kind := t.u8(2)
	typ, _ := t.sub(3)
	l.format, l.Type = readType(kind, typ)
	children := t.vector(5, 4)
	meta := t.vector(6, 4)
	for i := 0; i < meta.n && t.f.err == nil; i++ {
		kv := meta.table(i)
		l.uuid = l.uuid || kv.string(0) == "ARROW:extension:name" && kv.string(1) == "arrow.uuid"
	}
	if s.nodes++; s.nodes > maxFields {
		return columnar.Unsupported("a schema of more than %d fields", maxFields)
	}
	if enc, ok := t.sub(4); ok {
		l.dictionary, l.dictID = true, enc.i64(0)
		l.index = &format{kind: typeInt, width: 4}
		if it, ok := enc.sub(1); ok {
			*l.index, _ = readType(typeInt, it)
		}
		s.buffers += 2
		l.classify()
		if w := l.index.width; w != 1 && w != 2 && w != 4 && w != 8 || enc.i16(3) != 0 {
			l.IsID, l.Numeric, l.Class = false, false, columnar.Opaque
		}
		if l.kind == typeBool { // no writer makes dictionaries of two values
			l.Class = columnar.Opaque
		}
		l.Type = "dictionary of " + l.Type
		s.leaves = append(s.leaves, l)
		return t.f.err
	}
	own := s.own(kind, typ)
	if own < 0 {
		return columnar.Unsupported("column %.64q is of unknown type %d", l.Path, kind)
	}
	s.buffers += own
	if kind == typeBinaryView || kind == typeUtf8View {
		s.views++
	}
	down := up
	down.path, down.nullable = l.Path, l.Nullable
	if kind == typeStruct && !up.hidden {
		down.in = up.in.with(&l)
		s.leaves = slices.Grow(s.leaves, max(0, min(children.n, maxFields-len(s.leaves))))
	} else {
		if children.n > 0 {
			l.Repeated = true
		}
		l.classify()
		if !up.hidden {
			s.leaves = append(s.leaves, l)
		}
		down.hidden = true
	}
	for i := 0; i < children.n && t.f.err == nil; i++ {
		if err := s.field(children.table(i), down, depth+1); err != nil {
			return err
		}
	}
	return t.f.err
}

// own returns how many buffers a field has without its children, -1 if the
// type isn't known.
func (s *schema) own(kind int, typ table) int {
	switch kind {
	case typeNull, typeRunEnd:
		return 0
	case typeStruct, typeFixedList:
		return 1
	case typeInt, typeFloat, typeBool, typeDecimal, typeDate, typeTime, typeTimestamp, typeInterval, typeFixed,
		typeDuration, typeList, typeLargeList, typeMap, typeBinaryView, typeUtf8View:
		return 2
	case typeBinary, typeUtf8, typeLargeBinary, typeLargeUtf8, typeListView, typeLargeListView:
		return 3
	case typeUnion:
		n := 1 + typ.i16(0)&1 // dense ones have offsets
		if s.v4 {
			n++
		}
		return n
	}
	return -1
}

// readType reads the layout of a type's values in buffers, and its name.
func readType(kind int, t table) (format, string) {
	f := format{kind: kind}
	text := fmt.Sprintf("type %d", kind)
	if kind >= 0 && kind < len(typeNames) {
		text = typeNames[kind]
	}
	switch kind {
	case typeInt:
		bits := t.i32(0, 0)
		f.unsigned = t.u8(1) == 0
		if bits == 8 || bits == 16 || bits == 32 || bits == 64 {
			f.width = bits / 8
		}
		text = fmt.Sprintf("int%d", bits)
		if f.unsigned {
			text = "u" + text
		}
	case typeFloat:
		if p := t.i16(0); p >= 0 && p <= 2 {
			f.width = 2 << p
		}
		text = fmt.Sprintf("float%d", f.width*8)
	case typeDecimal:
		f.scale, f.digits = t.i32(1, 0), t.i32(0, 0)
		if bits := t.i32(2, 128); bits == 128 || bits == 256 || bits == 32 || bits == 64 {
			f.width = bits / 8
		}
		text = fmt.Sprintf("decimal of scale %d", f.scale)
	case typeDate:
		if f.width = 4; t.unit(1) != 0 {
			f.width, f.unit = 8, 1e3
		}
	case typeTime:
		f.unit = timeUnits[t.unit(1)&3]
		if bits := t.i32(1, 32); bits == 32 || bits == 64 {
			f.width = bits / 8
		}
	case typeTimestamp:
		f.width, f.unit = 8, timeUnits[t.unit(0)&3]
		f.zone = t.string(1)
		f.zoned = f.zone != ""
	case typeFixed:
		f.width = t.i32(0, 0)
		text = fmt.Sprintf("fixed_size_binary[%d]", f.width)
	case typeBinaryView, typeUtf8View:
		f.width = viewBytes
	case typeBinary, typeUtf8:
		f.width = 4
	case typeLargeBinary, typeLargeUtf8:
		f.width = 8
	}
	return f, text
}

// unit reads the unit in a type's first field.
func (t table) unit(missing int) int {
	if at, ok := t.field(0); ok {
		return t.f.u16(at)
	}
	return missing
}

// compares sets how the values compare.
func (l *leaf) compares() columnar.Class {
	switch {
	case l.kind == typeBool:
		return columnar.Bool
	case l.kind == typeInt && l.IsID && l.unsigned:
		return columnar.Unsigned
	case l.kind == typeInt && l.IsID:
		return columnar.Signed
	case l.kind == typeFloat && l.width > 0:
		return columnar.Float
	case l.kind == typeDecimal && l.Numeric && l.digits <= columnar.MaxDigits:
		return columnar.Decimal
	case l.kind == typeDecimal && l.Numeric:
		return columnar.BigDecimal
	case l.kind == typeDate && l.width > 0:
		return columnar.Date
	case l.kind == typeTime && l.width > 0:
		return columnar.Time
	case l.kind == typeTimestamp:
		return columnar.Timestamp
	case l.IsID && l.ID == graph.String:
		return columnar.Text
	case l.kind == typeFixed && l.width == 16:
		return columnar.UUID
	case l.IsID:
		return columnar.Bytes
	}
	return columnar.Opaque
}

// classify sets what can be read from the column.
func (l *leaf) classify() {
	l.readable()
	l.Class, l.Unit, l.UTC, l.Scale = l.compares(), l.unit, l.zoned, l.scale
	l.Single = l.kind == typeFloat && l.width < 8
	l.Zone = l.zone
	if l.kind == typeDecimal && l.scale == 0 && l.Numeric {
		l.Digits = l.digits
	}
	if l.kind == typeFixed && l.IsID {
		l.Width, l.IsUUID = l.width, l.uuid && l.width == 16
	}
	if l.Repeated {
		l.Class = columnar.Opaque
	}
}

func (l *leaf) readable() {
	types := [2][4]graph.IDType{
		{graph.Int8, graph.Int16, graph.Int32, graph.Int64},
		{graph.Uint8, graph.Uint16, graph.Uint32, graph.Uint64},
	}
	switch l.kind {
	case typeInt:
		row := 0
		if l.unsigned {
			row = 1
		}
		for i, t := range types[row] {
			if l.width == 1<<i {
				l.IsID, l.ID, l.Numeric = true, t, true
			}
		}
	case typeFloat:
		l.Numeric = l.width > 0
	case typeDecimal:
		l.Numeric = l.width > 0 && l.scale >= 0 && l.scale <= 76
	case typeUtf8, typeLargeUtf8, typeUtf8View:
		l.IsID, l.ID = true, graph.String
	case typeBinary, typeLargeBinary, typeBinaryView:
		l.IsID, l.ID = true, graph.Binary
	case typeFixed:
		l.IsID, l.ID = l.width > 0 && l.width <= columnar.MaxIDBytes, graph.Binary
	}
}
