// This file holds Column, the description of a column of either format, and Bounds, between which
// the values of a column lie.

package columnar

import (
	"github.com/foray-graph/foray/graph"
)

// Column describes a column of a file.
type Column struct {
	Path     string       // names from the outermost field to the leaf, joined by dots
	Type     string       // the type in words, such as "int64" or "timestamp"
	IsID     bool         // ids can be read from it
	ID       graph.IDType // their type, where IsID
	Numeric  bool         // weights can be read from it
	Nullable bool
	Repeated bool // it has a list of values per row
	// Partition: the names of directories have it, as in year=2025.
	Partition bool
	// Weak: it is a partition, but only where it is asked for by name.
	Weak bool

	Class  Class // what its values are, for comparisons; Opaque where they can't be read
	Unit   int64 // of times and timestamps: how many make a second
	UTC    bool  // of timestamps: they are instants, not times on a wall
	Scale  int   // of decimals: the digits behind the point
	Single bool  // of floats: they have 32 bits or fewer

	// FieldID is what Parquet's schema says it is, where HasFieldID.
	FieldID    int32
	HasFieldID bool

	// For ids:
	Zone   string // of timestamps that are instants
	Digits int    // of decimals without digits behind the point: how many they have
	Width  int    // of binary of one width: the bytes
	IsUUID bool   // of those: the file says that they are UUIDs
}

// MaxDigits is how many digits decimals have at most that an int64 holds; others
// are BigDecimal.
const MaxDigits = 18

// MaxScale is the most digits behind the point of decimals that are compared: as
// many as the widest of Arrow's have.
const MaxScale = 76

// Class is the class of a column's values, which defines how they compare.
type Class uint8

// The classes of columns, and the kind of vector that comparisons read each
// into.
const (
	Opaque    Class = iota // can't be compared
	Signed                 // Ints
	Unsigned               // Ints, a uint64 bit for bit
	Float                  // Numbers
	Decimal                // Ints, times ten to the power of Scale
	Bool                   // Ints, 0 and 1
	Text                   // Strings
	Bytes                  // Strings
	UUID                   // Strings of 16 bytes
	Date                   // Ints, days since 1970 or, with a Unit, parts of seconds since
	Time                   // Ints, since midnight
	Timestamp              // Ints, since 1970
	// Strings whose bytes aren't in the values' order:
	BigDecimal // two's complement, big-endian, of any length, times ten to the power of Scale
	Int96      // 12 bytes, see Int96Of
)

var classNames = [...]string{"opaque", "an integer", "an unsigned integer", "a float", "a decimal", "a boolean", "a string",
	"binary", "a UUID", "a date", "a time", "a timestamp", "a decimal", "a timestamp"}

func (c Class) String() string { return classNames[c] }

// Kind returns what vectors a class is compared in.
func (c Class) Kind() Kind {
	switch c {
	case Float:
		return Numbers
	case Text, Bytes, UUID, BigDecimal, Int96:
		return Strings
	}
	return Ints
}

// KindFor returns how ids of the type are decoded.
func KindFor(t graph.IDType) Kind {
	if t.Integer() {
		return Ints
	}
	return Strings
}

// Range of the integer ids of a file's column, where the file states it.
type Range struct {
	Min, Max int64
	Known    bool
}

// CheckWidth reports an error where a value isn't one of the type, which
// formats that store narrow integers in 32 bits allow for.
func CheckWidth(t graph.IDType, values []int64) error {
	var lo, hi int64
	switch t {
	case graph.Int8:
		lo, hi = -1<<7, 1<<7-1
	case graph.Int16:
		lo, hi = -1<<15, 1<<15-1
	case graph.Uint8:
		lo, hi = 0, 1<<8-1
	case graph.Uint16:
		lo, hi = 0, 1<<16-1
	default:
		return nil
	}
	for _, v := range values {
		if v < lo || v > hi {
			return Corrupt("%d is not a value of type %v", v, t)
		}
	}
	return nil
}

// Scalar is one value: the field that its column's Class is compared in.
type Scalar struct {
	Int    int64
	Double float64
	Bytes  []byte
}

// Bounds are what is known of a run of values. The zero value knows nothing.
type Bounds struct {
	HasMin, HasMax bool
	Min, Max       Scalar // no value is less, or more; they needn't occur
}

// Exactly returns the bounds of values that are all alike.
func Exactly(s Scalar) Bounds { return Bounds{HasMin: true, HasMax: true, Min: s, Max: s} }
