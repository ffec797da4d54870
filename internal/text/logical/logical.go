// Package logical has the logical types of external ids that are stored as integers or bytes:
// dates, timestamps, decimals, UUIDs, tuples of several columns, and ids of vertices of several
// kinds. It parses and prints such ids.
//
// The names are
//
//	date32                      days since 1970, an integer
//	date64                      milliseconds since 1970, an integer
//	timestamp[us]               s, ms, us or ns since 1970, an integer; no zone
//	timestamp[us,UTC]           the same with a zone: an instant
//	decimal(18,0)               up to 18 digits an integer, up to 38 16 bytes
//	uuid                        16 bytes
//	fixed(20)                   so many bytes
//	tuple(int32,string,date32)  bytes; see AppendInt
//	kinds(item:string,user:int64)  bytes; see AppendKind
//
// The parts of a tuple may also be the plain types int8 to uint64, string and
// binary. Decimals of 16 bytes are big-endian with the sign bit flipped, so that
// they sort bytewise as by value.
package logical

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is a kind of logical type.
type Kind uint8

// The kinds. Plain is a part of a tuple that stands for itself.
const (
	Plain Kind = iota
	Date32
	Date64
	Timestamp
	Decimal
	UUID
	Fixed
	Tuple
	Kinds
)

// Type is a logical type. Parse makes one.
type Type struct {
	Kind  Kind
	Base  string   // of Plain: the name of the graph's type
	Unit  string   // the unit of a Timestamp: s, ms, us or ns
	Zone  string   // the time zone of a Timestamp; empty if it has no time zone
	Width int      // the digits of a Decimal, the bytes of a Fixed
	Parts []Type   // of Tuple and Kinds
	Names []string // of Kinds: their names, ascending, as many as Parts

	width int // of Plain integers, in bytes
}

var plainNames = []string{"int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "string", "binary"}

// Parse reads a name.
func Parse(name string) (Type, error) {
	if len(name) > maxName {
		return Type{}, fmt.Errorf("a logical type's name of %d bytes", len(name))
	}
	return parse(name, false)
}

func parse(name string, part bool) (Type, error) {
	bad := fmt.Errorf("no logical type: %q", name)
	if part {
		for _, p := range plainNames {
			if p == name {
				return PlainType(p), nil
			}
		}
	}
	switch name {
	case "date32":
		return Type{Kind: Date32}, nil
	case "date64":
		return Type{Kind: Date64}, nil
	case "uuid":
		return Type{Kind: UUID}, nil
	}
	if in, ok := inside(name, "timestamp[", "]"); ok {
		unit, zone, has := strings.Cut(in, ",")
		if unitsPerSecond(unit) == 0 || strings.ContainsAny(zone, "[](),\"") || has && zone == "" {
			return Type{}, bad
		}
		return Type{Kind: Timestamp, Unit: unit, Zone: zone}, nil
	}
	if in, ok := inside(name, "decimal(", ",0)"); ok {
		p, err := strconv.Atoi(in)
		if err != nil || p < 1 || p > 38 {
			return Type{}, bad
		}
		return Type{Kind: Decimal, Width: p}, nil
	}
	if in, ok := inside(name, "fixed(", ")"); ok {
		n, err := strconv.Atoi(in)
		if err != nil || n < 0 || n >= 1<<30 {
			return Type{}, bad
		}
		return Type{Kind: Fixed, Width: n}, nil
	}
	if in, ok := inside(name, "kinds(", ")"); ok && !part {
		return parseKinds(in)
	}
	if in, ok := inside(name, "tuple(", ")"); ok && !part {
		t := Type{Kind: Tuple}
		for _, s := range splitParts(in) {
			p, err := parse(s, true)
			if err != nil {
				return Type{}, err
			}
			t.Parts = append(t.Parts, p)
		}
		if len(t.Parts) > maxParts {
			return Type{}, fmt.Errorf("a tuple of %d parts; at most %d", len(t.Parts), maxParts)
		}
		return t, nil
	}
	return Type{}, bad
}

// PlainType returns the type of values without a logical type, given the name of the graph's
// type: int8 to uint64, string or binary.
func PlainType(base string) Type {
	t := Type{Base: base}
	t.width = t.bits() / 8
	return t
}

func inside(s, before, after string) (string, bool) {
	s, ok := strings.CutPrefix(s, before)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(s, after)
}

// splitParts cuts at the commas that aren't between brackets.
func splitParts(s string) (parts []string) {
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, s[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, s[from:])
}

// String returns the name.
func (t Type) String() string {
	switch t.Kind {
	case Plain:
		return t.Base
	case Date32:
		return "date32"
	case Date64:
		return "date64"
	case Timestamp:
		if t.Zone != "" {
			return "timestamp[" + t.Unit + "," + t.Zone + "]"
		}
		return "timestamp[" + t.Unit + "]"
	case Decimal:
		return fmt.Sprintf("decimal(%d,0)", t.Width)
	case UUID:
		return "uuid"
	case Fixed:
		return fmt.Sprintf("fixed(%d)", t.Width)
	}
	var s []string
	for i, p := range t.Parts {
		if t.Kind == Kinds {
			s = append(s, t.Names[i]+":"+p.String())
		} else {
			s = append(s, p.String())
		}
	}
	if t.Kind == Kinds {
		return "kinds(" + strings.Join(s, ",") + ")"
	}
	return "tuple(" + strings.Join(s, ",") + ")"
}

// Integer reports whether ids of this type are kept as integers.
func (t Type) Integer() bool {
	switch t.Kind {
	case Plain:
		return t.Base != "string" && t.Base != "binary"
	case Date32, Date64, Timestamp:
		return true
	case Decimal:
		return t.Width <= 18
	}
	return false
}

// Fits reports whether ids of the graph's type base can stand for this.
func (t Type) Fits(base string) bool {
	switch {
	case t.Kind == Plain:
		return t.Base == base
	case t.Integer():
		return strings.HasPrefix(base, "int")
	}
	return base == "binary"
}

// bytesWidth is the number of bytes of a value that isn't an integer, -1 where
// that varies.
func (t Type) bytesWidth() int {
	switch t.Kind {
	case UUID, Decimal:
		return 16
	case Fixed:
		return t.Width
	}
	return -1
}
