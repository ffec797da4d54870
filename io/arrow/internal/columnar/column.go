// This file holds Column, the description of a column of either format.

package columnar

import "github.com/foray-graph/foray/graph"

// Column describes a column of a file.
type Column struct {
	Path     string       // names from the outermost field to the leaf, joined by dots
	Type     string       // the type in words, such as "int64" or "timestamp"
	IsID     bool         // ids can be read from it
	ID       graph.IDType // their type, where IsID
	Numeric  bool         // weights can be read from it
	Nullable bool
	Repeated bool // it has a list of values per row
}

// KindFor says how ids of the type are decoded.
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
