// This file reads the schema in a footer: the leaf columns, their types and
// levels.

package parquet

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// leaf is a column with values.
type leaf struct {
	columnar.Column
	physical       int
	width          int // bytes of a value; 0 where they vary
	maxDef, maxRep int
	unsigned       bool
	decimal        bool
	scale          int
	half           bool // a 16-bit float
	foreign        bool // of a file of another format
}

// element is a SchemaElement.
type element struct {
	physical, typeLen, repetition, children, converted, scale int
	leaf, hasChildren                                         bool
	name                                                      []byte
	logical, bits                                             int
	signed                                                    bool
	digits                                                    int
	unit                                                      int64 // of times: parts of a second
	utc                                                       bool
	fieldID                                                   int32
	hasFieldID                                                bool
}

// Members of the union LogicalType, by field id; the types before them are
// recognized by ConvertedType too.
const (
	logicalString  = 1
	logicalEnum    = 4
	logicalDecimal = 5
	logicalDate    = 6
	logicalTime    = 7
	logicalStamp   = 8
	logicalInteger = 10
	logicalJSON    = 12
	logicalBSON    = 13
	logicalUUID    = 14
	logicalHalf    = 15
)

// timeUnits are the members of the union TimeUnit, by field id.
var timeUnits = [...]int64{1: 1e3, 2: 1e6, 3: 1e9}

var logicalNames = [...]string{"", "string", "map", "list", "enum", "decimal", "date", "time", "timestamp",
	"interval", "integer", "null", "json", "bson", "uuid", "float16", "variant", "geometry", "geography"}

// convertedTo maps ConvertedType to LogicalType; the integers are apart.
var convertedTo = [...]int{0: 1, 1: 2, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 7, 9: 8, 10: 8, 19: 12, 20: 13, 21: 9}

// elementFields are the types of the fields of SchemaElement.
var elementFields = []byte{1: integer, 2: integer, 3: integer, 4: tBinary, 5: integer, 6: integer, 7: integer, 8: integer, 9: integer, 10: tStruct}

func (t *thrift) element() element {
	e := element{converted: -1, physical: -1}
	id := 0
	for {
		typ, ok := t.fieldOf(&id, elementFields)
		if !ok {
			break
		}
		switch id {
		case 1:
			e.physical, e.leaf = t.size(typ, "a column's type"), true
		case 2:
			e.typeLen = t.size(typ, "a column's width")
		case 3:
			e.repetition = t.size(typ, "a column's repetition")
		case 4:
			e.name = t.bytes(typ)
		case 5:
			e.children, e.hasChildren = t.size(typ, "a group's number of children"), true
		case 6:
			e.converted = t.size(typ, "a column's converted type")
		case 7:
			e.scale = int(t.int(typ))
		case 8:
			e.digits = int(t.int(typ))
		case 9:
			e.fieldID, e.hasFieldID = int32(t.int(typ)), true
		case 10:
			t.logicalType(typ, &e)
		default:
			t.skip(typ)
		}
	}
	if e.converted >= 11 && e.converted <= 18 && e.logical == 0 {
		e.logical, e.signed = logicalInteger, e.converted >= 15
		e.bits = 8 << ((e.converted - 11) & 3)
	} else if e.logical == 0 && e.converted >= 0 && e.converted < len(convertedTo) {
		e.logical = convertedTo[e.converted]
		if e.converted >= 7 && e.converted <= 10 { // milliseconds and microseconds, by turns
			e.unit, e.utc = timeUnits[1+(e.converted-7)&1], true
		}
	}
	return e
}

func (t *thrift) logicalType(typ byte, e *element) {
	if !t.expect(typ, tStruct) {
		return
	}
	id := 0
	for {
		typ, ok := t.field(&id)
		if !ok {
			return
		}
		if typ != tStruct {
			t.skip(typ)
			continue
		}
		e.logical = id
		switch id {
		case logicalInteger, logicalDecimal:
		case logicalTime, logicalStamp:
			t.timeType(typ, e)
			continue
		default:
			t.skip(typ)
			continue
		}
		if !t.expect(typ, tStruct) {
			return
		}
		inner := 0
		for {
			typ, ok := t.field(&inner)
			if !ok {
				break
			}
			switch {
			case id == logicalInteger && inner == 1 && typ == tByte:
				e.bits = int(t.byte())
			case id == logicalInteger && inner == 2 && (typ == tTrue || typ == tFalse):
				e.signed = typ == tTrue
			case id == logicalDecimal && !fits(typ, integer):
				t.skip(typ)
			case id == logicalDecimal && inner == 1:
				e.scale = int(t.int(typ))
			case id == logicalDecimal && inner == 2:
				e.digits = int(t.int(typ))
			default:
				t.skip(typ)
			}
		}
	}
}

// timeType reads a TimeType or TimestampType.
func (t *thrift) timeType(typ byte, e *element) {
	if !t.expect(typ, tStruct) {
		return
	}
	id := 0
	for {
		typ, ok := t.field(&id)
		if !ok {
			return
		}
		switch {
		case id == 1 && (typ == tTrue || typ == tFalse):
			e.utc = typ == tTrue
		case id == 2 && typ == tStruct:
			unit := 0
			for {
				typ, ok := t.field(&unit)
				if !ok {
					break
				}
				if unit > 0 && unit < len(timeUnits) {
					e.unit = timeUnits[unit]
				}
				t.skip(typ)
			}
		default:
			t.skip(typ)
		}
	}
}

// group is a group of the schema whose children are being read.
type group struct {
	left     int
	path     string
	def, rep int
	nullable bool
}

// schema reads the list of elements, which is the tree in preorder.
func (t *thrift) schema(typ byte) []leaf {
	n, elem := t.list(typ)
	if t.err != nil || !t.expect(elem, tStruct) {
		return nil
	}
	if n == 0 || n > maxElements {
		t.fail(columnar.Unsupported("a schema of %d elements, where 1 to %d are read", n, maxElements))
		return nil
	}
	root := t.element()
	if root.leaf {
		t.fail(columnar.Corrupt("the root of the schema is a column"))
		return nil
	}
	open := []group{{left: root.children}}
	// Once and for all: growing would take five times as much on the way, which
	// is garbage that a busy machine's collector is late for.
	leaves := make([]leaf, 0, n-1)
	room := columnar.PathRoom(len(t.b))
	for i := 1; i < n && t.err == nil; i++ {
		for len(open) > 0 && open[len(open)-1].left == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			t.fail(columnar.Corrupt("the schema has elements that belong to no group"))
			return nil
		}
		parent := &open[len(open)-1]
		parent.left--
		e := t.element()
		g := group{left: e.children, path: string(e.name), def: parent.def, rep: parent.rep}
		if parent.path != "" {
			g.path = parent.path + "." + g.path
		}
		g.nullable = parent.nullable || e.repetition == optional
		switch e.repetition {
		case required:
		case optional:
			g.def++
		case repeated:
			g.def++
			g.rep++
		default:
			t.fail(columnar.Corrupt("column %.64q has repetition %d", g.path, e.repetition))
		}
		if room -= len(g.path); room < 0 {
			t.fail(columnar.Unsupported("the names of the columns are too long"))
			return nil
		}
		if !e.leaf {
			if len(open) >= columnar.MaxDepth {
				t.fail(columnar.Unsupported("columns nested more than %d deep", columnar.MaxDepth))
				return nil
			}
			open = append(open, g)
			continue
		}
		if e.children > 0 {
			t.fail(columnar.Corrupt("column %.64q has both a type and children", g.path))
			return nil
		}
		leaves = append(leaves, e.column(g))
	}
	for _, g := range open {
		if g.left != 0 && t.err == nil {
			t.fail(columnar.Corrupt("the schema lacks %d elements of group %.64q", g.left, g.path))
		}
	}
	return leaves
}

// column describes what can be read from a leaf.
func (e *element) column(g group) leaf {
	l := leaf{physical: e.physical, maxDef: g.def, maxRep: g.rep, width: e.typeLen}
	l.Path, l.Nullable, l.Repeated = g.path, g.nullable, g.rep > 0
	l.FieldID, l.HasFieldID = e.fieldID, e.hasFieldID
	l.Type = name(typeNames[:], e.physical)
	if e.logical != 0 {
		if l.Type = fmt.Sprintf("logical type %d of Parquet, which isn't known here", e.logical); e.logical > 0 && e.logical < len(logicalNames) {
			l.Type = logicalNames[e.logical]
		}
	}
	plain := e.logical == 0
	switch e.physical {
	case typeInt32, typeInt64:
		l.width = 4
		if e.physical == typeInt64 {
			l.width = 8
		}
		if e.logical == logicalInteger {
			l.integer(e.bits, e.signed)
		} else if plain {
			l.integer(l.width*8, true)
		}
	case typeInt96:
		l.width = 12
	case typeFloat:
		l.width, l.Numeric = 4, plain
	case typeDouble:
		l.width, l.Numeric = 8, plain
	case typeByteArray:
		l.width = 0
		switch e.logical {
		case logicalString, logicalEnum, logicalJSON:
			l.IsID, l.ID = true, graph.String
		case 0, logicalBSON:
			l.IsID, l.ID = true, graph.Binary
			if plain {
				l.Type = "binary"
			}
		}
	case typeFixed:
		if plain || e.logical == logicalUUID {
			l.IsID, l.ID = l.width > 0 && l.width <= columnar.MaxIDBytes, graph.Binary
		}
		if plain {
			l.Type = fmt.Sprintf("fixed_size_binary[%d]", l.width)
		}
		l.half = e.logical == logicalHalf && l.width == 2
		l.Numeric = l.half
	}
	if e.logical == logicalDecimal {
		l.decimal, l.scale = true, e.scale
		l.Type = fmt.Sprintf("decimal of scale %d", e.scale)
		l.Numeric = e.scale >= 0 && e.scale <= 38 && (e.physical == typeInt32 || e.physical == typeInt64 ||
			e.physical == typeFixed && l.width > 0 && l.width <= 32)
	}
	l.classify(e)
	if l.Repeated {
		l.Type = "list of " + l.Type
		l.IsID, l.Numeric, l.Class = false, false, columnar.Opaque
	}
	return l
}

// classify sets how the values of a column compare.
func (l *leaf) classify(e *element) {
	integer := e.physical == typeInt32 || e.physical == typeInt64
	switch {
	case e.physical == typeBoolean:
		l.Class = columnar.Bool
	case integer && l.IsID && l.unsigned:
		l.Class = columnar.Unsigned
	case integer && l.IsID:
		l.Class = columnar.Signed
	case e.logical == logicalDecimal && l.Numeric && (integer || e.digits > 0 && e.digits <= columnar.MaxDigits):
		l.Class, l.Scale = columnar.Decimal, l.scale
	case e.logical == logicalDecimal && e.scale >= 0 && e.scale <= columnar.MaxScale && (e.physical == typeByteArray ||
		e.physical == typeFixed && l.width > 0 && l.width <= columnar.MaxIDBytes):
		l.Class, l.Scale = columnar.BigDecimal, l.scale
	case e.physical == typeInt96 && e.logical == 0:
		l.Class, l.Unit = columnar.Int96, 1e9
	case e.physical == typeInt32 && e.logical == logicalDate:
		l.Class = columnar.Date
	case integer && e.logical == logicalTime && e.unit != 0:
		l.Class, l.Unit = columnar.Time, e.unit
	case e.physical == typeInt64 && e.logical == logicalStamp && e.unit != 0:
		l.Class, l.Unit, l.UTC = columnar.Timestamp, e.unit, e.utc
	case (e.physical == typeFloat || e.physical == typeDouble || l.half) && l.Numeric:
		l.Class, l.Single = columnar.Float, e.physical != typeDouble
	case l.IsID && e.logical == logicalUUID && l.width == 16:
		l.Class = columnar.UUID
	case l.IsID && l.ID == graph.String:
		l.Class = columnar.Text
	case l.IsID:
		l.Class = columnar.Bytes
	}
	if l.decimal && l.scale == 0 && l.Numeric {
		if l.Digits = e.digits; l.Digits <= 0 { // which ones of integers may leave out
			l.Digits = map[int]int{typeInt32: 9, typeInt64: 18}[e.physical]
		}
	}
	if l.Class == columnar.BigDecimal && l.scale == 0 && e.physical == typeByteArray {
		l.Digits = max(e.digits, columnar.MaxDigits+1) // they are read as strings, however few they have
	}
	if l.UTC {
		l.Zone = "UTC"
	}
	if l.IsID && e.physical == typeFixed {
		l.Width, l.IsUUID = l.width, l.Class == columnar.UUID
	}
}

// integer sets the type of a column of integers of so many bits.
func (l *leaf) integer(bits int, signed bool) {
	l.unsigned = !signed
	types := [2][4]graph.IDType{
		{graph.Int8, graph.Int16, graph.Int32, graph.Int64},
		{graph.Uint8, graph.Uint16, graph.Uint32, graph.Uint64},
	}
	row := 0
	if l.unsigned {
		row = 1
	}
	for i, t := range types[row] {
		// 64 bits are stored in int64, fewer in int32.
		if bits == 8<<i && (bits == 64) == (l.width == 8) {
			l.IsID, l.ID, l.Numeric, l.Type = true, t, true, t.String()
		}
	}
}
