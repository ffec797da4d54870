// This file holds schemas: columns, and what their values stand for. It has the numbers
// of the format for types, encodings and codecs that are written.

package metadata

// Column is a column: its place in the schema.
type Column struct {
	Name     string
	Type     Type
	Length   int // bytes of a FixedLenByteArray
	Optional bool
	Logical  Logical
	// List says that a row is a list of values, none of which is missing, in
	// the three levels that the format prescribes: NAME, list, element.
	// Optional is then of the list.
	List bool
}

// path is where the values are in the schema.
func (c *Column) path() []string {
	if c.List {
		return []string{c.Name, "list", "element"}
	}
	return []string{c.Name}
}

// Kind is what values stand for.
type Kind uint8

const (
	NoLogical   Kind = iota
	String           // UTF-8
	Decimal          // of Precision digits, Scale of them behind the point
	Date             // days since 1970
	Time             // Units since midnight
	Timestamp        // Units since 1970
	Integer          // of Bits bits
	UUID             // 16 bytes
	listLogical      // the outermost of a list's three levels
)

// Unit is a unit of time: which member it is of the union TimeUnit.
type Unit uint8

const (
	Millis Unit = 1
	Micros Unit = 2
	Nanos  Unit = 3
)

// Logical is the logical type of a column. Of its fields those count that Kind
// names.
type Logical struct {
	Kind      Kind
	Bits      int  // of an Integer: 8, 16, 32 or 64
	Signed    bool // of an Integer
	Precision int  // of a Decimal
	Scale     int  // of a Decimal: the digits behind the point
	Unit      Unit // of a Timestamp or a Time
	UTC       bool // of a Timestamp: adjusted to it
}

// converted is the older name of a logical type, which old readers know alone.
func (l Logical) converted() (number int, ok bool) {
	switch l.Kind {
	case String:
		return 0, true
	case listLogical:
		return 3, true
	case Decimal:
		return 5, true
	case Date:
		return 6, true
	case Timestamp:
		if l.UTC && l.Unit != Nanos { // the older ones are of UTC
			return 8 + int(l.Unit), true
		}
	case Integer:
		number = map[int]int{8: 11, 16: 12, 32: 13, 64: 14}[l.Bits]
		if l.Signed {
			number += 4
		}
		return number, true
	}
	return 0, false
}

// write writes the union LogicalType.
func (l Logical) write(w *structWriter) {
	empty := func(*structWriter) {}
	switch l.Kind {
	case String:
		w.inner(1, empty)
	case listLogical:
		w.inner(3, empty)
	case Decimal:
		w.inner(5, func(w *structWriter) {
			w.i32(1, l.Scale)
			w.i32(2, l.Precision)
		})
	case Date:
		w.inner(6, empty)
	case Time:
		w.inner(7, func(w *structWriter) {
			w.bool(1, false)
			w.inner(2, func(w *structWriter) { w.inner(int(l.Unit), empty) })
		})
	case Timestamp:
		w.inner(8, func(w *structWriter) {
			w.bool(1, l.UTC)
			w.inner(2, func(w *structWriter) { w.inner(int(l.Unit), empty) })
		})
	case Integer:
		w.inner(10, func(w *structWriter) {
			w.byte(1, int8(l.Bits))
			w.bool(2, l.Signed)
		})
	case UUID:
		w.inner(14, empty)
	}
}

// element is a SchemaElement.
type element struct {
	column     *Column // nil of a group
	name       string
	repetition Repetition
	root       bool // which has no repetition
	children   int
	logical    Logical
}

// elements returns the column's part of the schema, depth first.
func (c *Column) elements() []element {
	repetition := Required
	if c.Optional {
		repetition = Optional
	}
	if !c.List {
		return []element{{column: c, name: c.Name, repetition: repetition, logical: c.Logical}}
	}
	return []element{
		{name: c.Name, repetition: repetition, children: 1, logical: Logical{Kind: listLogical}},
		{name: "list", repetition: Repeated, children: 1},
		{column: c, name: "element", repetition: Required, logical: c.Logical},
	}
}

func (e *element) write(w *structWriter) {
	if e.column != nil {
		w.i32(1, int(e.column.Type))
		if e.column.Type == FixedLenByteArray {
			w.i32(2, e.column.Length)
		}
	}
	if !e.root {
		w.i32(3, int(e.repetition))
	}
	w.string(4, e.name)
	if e.column == nil {
		w.i32(5, e.children)
	}
	if number, ok := e.logical.converted(); ok {
		w.i32(6, number)
	}
	if e.logical.Kind == Decimal {
		w.i32(7, e.logical.Scale)
		w.i32(8, e.logical.Precision)
	}
	if e.logical.Kind != NoLogical {
		w.inner(10, e.logical.write)
	}
}

// Type is a physical type.
type Type uint8

const (
	Boolean           Type = 0
	Int32             Type = 1
	Int64             Type = 2
	Float             Type = 4
	Double            Type = 5
	ByteArray         Type = 6
	FixedLenByteArray Type = 7
)

// Repetition defines how often a column has a value in a row.
type Repetition uint8

const (
	Required Repetition = 0
	Optional Repetition = 1
	Repeated Repetition = 2
)

// Encoding is how values or levels are written in a page.
type Encoding uint8

const (
	Plain         Encoding = 0
	RLE           Encoding = 3
	RLEDictionary Encoding = 8
)

// Codec is a compression.
type Codec uint8

const (
	Uncompressed Codec = 0
	Snappy       Codec = 1
	Gzip         Codec = 2
	Brotli       Codec = 4
	Zstd         Codec = 6
)
