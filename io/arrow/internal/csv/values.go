// This file holds the types of values, and how they are written.

package csv

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Type is what the values of a column are.
type Type uint8

// The types. A date is days since 1970, a timestamp milliseconds since then.
const (
	None Type = iota
	Bool
	Int32
	Int64
	Float
	Double
	String
	Date
	Timestamp
)

var typeNames = [...]string{"none", "bool", "int32", "int64", "float", "double", "string", "date", "timestamp"}

func (t Type) String() string { return typeNames[t] }

// ParseType returns the type of that name, or None.
func ParseType(name string) Type {
	for t := Bool; t <= Timestamp; t++ {
		if typeNames[t] == name {
			return t
		}
	}
	return None
}

// Types names all types, for messages.
func Types() string { return strings.Join(typeNames[Bool:], ", ") }

// stampForms are how a timestamp is written; seconds may have a fraction, and
// where no zone is named the time is in UTC.
var stampForms = []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04:05-0700", "2006-01-02"}

// newVector returns an empty vector for values of a type.
func newVector(t Type) columnar.Vector {
	v := columnar.Vector{Kind: columnar.Ints}
	switch t {
	case Float:
		v.Kind = columnar.Weights
	case Double:
		v.Kind = columnar.Numbers
	case String:
		v.Kind, v.Offsets = columnar.Strings, []int64{0}
	}
	return v
}

// empty takes all values out of a vector.
func empty(v *columnar.Vector) {
	v.Ints, v.Floats, v.Doubles, v.Data, v.Valid, v.Nulls = v.Ints[:0], v.Floats[:0], v.Doubles[:0], v.Data[:0], v.Valid[:0], 0
	if v.Kind == columnar.Strings {
		v.Offsets = v.Offsets[:1]
	}
}

// add appends a value to v.
func add(v *columnar.Vector, t Type, f field) error {
	there := len(f.text) > 0 || t == String && f.quoted
	if v.Valid = append(v.Valid, there); !there {
		v.Nulls++
	}
	text := f.text
	if t != String {
		text = bytes.TrimSpace(text)
	}
	switch t {
	case String:
		if !utf8.Valid(text) {
			return columnar.Corrupt("%.40q is not UTF-8; write the file as UTF-8", text)
		}
		v.Data = append(v.Data, text...)
		v.Offsets = append(v.Offsets, int64(len(v.Data)))
		return nil
	case Float, Double:
		bits := 64
		if t == Float {
			bits = 32
		}
		x, err := 0.0, error(nil)
		if there {
			x, err = strconv.ParseFloat(string(text), bits)
		}
		if t == Float {
			v.Floats = append(v.Floats, float32(x))
		} else {
			v.Doubles = append(v.Doubles, x)
		}
		return wrong(text, t, err)
	}
	x, err := int64(0), error(nil)
	if there {
		x, err = integer(text, t)
	}
	v.Ints = append(v.Ints, x)
	return wrong(text, t, err)
}

var errFine = errors.New("parts of a millisecond")

// integer returns the value of a type that is held as an integer.
func integer(text []byte, t Type) (int64, error) {
	switch t {
	case Int32:
		return strconv.ParseInt(string(text), 10, 32)
	case Bool:
		switch {
		case bytes.EqualFold(text, []byte("true")), string(text) == "1":
			return 1, nil
		case bytes.EqualFold(text, []byte("false")), string(text) == "0":
			return 0, nil
		}
		return 0, strconv.ErrSyntax
	case Date:
		d, err := time.Parse(time.DateOnly, string(text))
		return d.Unix() / (24 * 60 * 60), err // of a whole day, so that it is exact before 1970 too
	case Timestamp:
		for _, form := range stampForms {
			if x, err := time.Parse(form, string(text)); err == nil {
				if x.Nanosecond()%int(time.Millisecond) != 0 {
					return 0, errFine
				}
				return x.UnixMilli(), nil
			}
		}
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(string(text), 10, 64)
}

// wrong is the error of a value that its type doesn't have.
func wrong(text []byte, t Type, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errFine):
		return columnar.Unsupported("%.40q has parts of a millisecond, and timestamps have milliseconds; round it", text)
	case errors.Is(err, strconv.ErrRange):
		return columnar.Corrupt("%.40q is beyond the values of type %v; declare a wider type", text, t)
	}
	want := ""
	switch t {
	case Bool:
		want = ", such as true"
	case Date:
		want = ", such as 2025-01-31"
	case Timestamp:
		want = ", such as 2025-01-31 15:04:05.123"
	}
	return columnar.Corrupt("%.40q is no %v%s; correct it, or the type that is declared", text, t, want)
}
