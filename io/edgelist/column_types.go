// This file holds the types of columns of edges: which type a text has, and what values are in it.

package edgelist

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/foray-graph/foray/graph"
)

// valueClass is what the values of a column are.
type valueClass uint8

const (
	classUnknown valueClass = iota // no row has a value yet
	classBool
	classInt
	classUint
	classFloat
	classDate
	classTimestamp
	classTime
	classDecimal
	classString
	classBinary
	classUUID
)

// valueType is the type of a column.
type valueType struct {
	name  string // as in Options.ColumnTypes; of no numbers, graph.Column.Logical
	class valueClass
	bits  int   // of numbers: 32 or 64
	unit  int64 // of dates and times: so many a second; 0: days
	utc   bool  // timestamps have a zone
	scale int   // of decimals
}

// The types that values of a text show.
var (
	typeUnknown = valueType{}
	typeBool    = valueType{name: "bool", class: classBool, bits: 32}
	typeInt64   = valueType{name: "int64", class: classInt, bits: 64}
	typeFloat64 = valueType{name: "float64", class: classFloat, bits: 64}
	typeDate    = valueType{name: "date32", class: classDate, bits: 64}
	typeString  = valueType{name: "string", class: classString}
)

// unitNames are the units of times in names of types.
var unitNames = map[int64]string{1: "s", 1e3: "ms", 1e6: "us", 1e9: "ns"}

func timestampOf(unit int64, utc bool) valueType {
	name := "timestamp[" + unitNames[unit]
	if utc {
		name += ",UTC"
	}
	return valueType{name: name + "]", class: classTimestamp, bits: 64, unit: unit, utc: utc}
}

// parseType returns the type of that name.
func parseType(name string) (valueType, error) {
	t := valueType{name: name, bits: 64}
	kind, inside, _ := strings.Cut(strings.TrimRight(name, "])"), "[")
	unit, zone, _ := strings.Cut(inside, ",")
	for perSecond, n := range unitNames {
		if n == unit {
			t.unit = perSecond
		}
	}
	switch {
	case name == "bool":
		return typeBool, nil
	case name == "int32", name == "int64":
		t.class = classInt
	case name == "uint32", name == "uint64":
		t.class = classUint
	case name == "float32", name == "float64":
		t.class = classFloat
	case name == "date32":
		return typeDate, nil
	case name == "date64":
		t.class, t.unit = classDate, 1e3
	case kind == "timestamp" && t.unit != 0 && (zone == "" || zone == "UTC"):
		return timestampOf(t.unit, zone != ""), nil
	case kind == "time" && t.unit != 0 && zone == "":
		t.class = classTime
	case name == "string":
		return typeString, nil
	case name == "binary":
		return valueType{name: name, class: classBinary}, nil
	case name == "uuid":
		return valueType{name: name, class: classUUID}, nil
	case strings.HasPrefix(name, "decimal("):
		if n, err := fmt.Sscanf(name, "decimal(18,%d)", &t.scale); n == 1 && err == nil && t.scale >= -maxScale && t.scale <= maxScale {
			t.class = classDecimal
			break
		}
		return t, unknownType(name)
	default:
		return t, unknownType(name)
	}
	if strings.HasSuffix(name, "32") {
		t.bits = 32
	}
	return t, nil
}

func unknownType(name string) error {
	return fmt.Errorf("%w: Options.ColumnTypes has the type %.60q; want int32, int64, uint32, uint64, float32, float64, bool, date32, date64, timestamp[us], timestamp[us,UTC], time[us] (or s, ms, ns), decimal(18,2), string, binary or uuid", errOptions, name)
}

// strings reports whether values become codes.
func (t *valueType) strings() bool { return t.class >= classString || t.class == classUnknown }

// mayLack reports whether values may be missing: floats are NaN then, and strings graph.NoCode.
func (t *valueType) mayLack() bool {
	return t.class == classFloat || t.strings()
}

// logical is graph.Column.Logical.
func (t *valueType) logical() string {
	switch t.class {
	case classUnknown, classInt, classUint, classFloat, classString, classBinary:
		return ""
	}
	return t.name
}

// typeOf returns the narrowest type that holds a value.
func typeOf(v []byte) valueType {
	if len(v) == 0 {
		return typeString
	}
	switch c := v[0]; {
	case isBool(v):
		return typeBool
	case plainInt(v):
		if _, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return typeInt64
		}
		return typeString // exactly, rather than as a rounded float
	case plainFloat(v):
		return typeFloat64
	case c < '0' || c > '9':
		return typeString
	}
	return timeOf(v)
}

// timeOf returns the type of a date or a timestamp, else that of strings.
func timeOf(v []byte) valueType {
	if _, ok := typeDate.parse(v); ok {
		return typeDate
	}
	t, zone, ok := parseInstant(v)
	if !ok {
		return typeString
	}
	to := timestampOf(1e6, zone)
	if t.Nanosecond()%1e3 != 0 {
		to = timestampOf(1e9, zone)
	}
	if _, ok := to.parse(v); !ok {
		return typeString
	}
	return to
}

// with returns the narrowest type that holds the values of both types.
func (t valueType) with(u valueType) valueType {
	if t.class > u.class {
		t, u = u, t
	}
	switch {
	case t == u, t.class == classUnknown:
		return u
	case t.class == classInt && u.class == classFloat:
		return u
	case t.class == classDate && u.class == classTimestamp && !u.utc:
		return u
	case t.class == classTimestamp && u.class == classTimestamp && t.utc == u.utc:
		return timestampOf(max(t.unit, u.unit), t.utc)
	}
	return typeString
}

func isBool(v []byte) bool {
	return len(v) <= 5 && (bytes.EqualFold(v, []byte("true")) || bytes.EqualFold(v, []byte("false")))
}

// plainInt reports decimal digits as programs write integers: a sign of -, no zeros before. 007 is a name.
func plainInt(v []byte) bool {
	d := bytes.TrimPrefix(v, []byte{'-'})
	return onlyDigits(d) && d[0] >= '0' && d[0] <= '9' && (d[0] != '0' || len(d) == 1)
}

// plainFloat reports a float, or the name of one, without zeros before its digits.
func plainFloat(v []byte) bool {
	d := bytes.TrimPrefix(v, []byte{'-'})
	if len(d) > 1 && d[0] == '0' && d[1] >= '0' && d[1] <= '9' || len(d) > 0 && d[0] == '+' {
		return false
	}
	w, ok := parseWeight(v)
	return ok && w.float && !w.past
}

// instantForms are the forms of timestamps. A fraction and a zone may follow.
var instantForms = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"}

// parseInstant reads a timestamp.
func parseInstant(v []byte) (t time.Time, zone, ok bool) {
	if len(v) < len("2006-01-02T15:04") || len(v) > maxTimeBytes || v[4] != '-' {
		return t, false, false
	}
	s := string(v)
	rest := s[len("2006-01-02"):]
	zone = strings.ContainsAny(rest, "Z+-")
	if _, fraction, ok := strings.Cut(rest, "."); ok && len(strings.TrimRight(strings.TrimLeft(fraction, "0123456789"), "")) < len(fraction)-9 {
		return t, zone, false // finer than a nanosecond
	}
	if strings.IndexByte(rest, ',') >= 0 {
		return t, zone, false
	}
	for _, form := range instantForms {
		if zone {
			form += "Z07:00"
		}
		if t, err := time.Parse(form, s); err == nil {
			return t, zone, true
		}
	}
	return t, zone, false
}

// parse returns the bits of a value that isn't missing: those of an int64, a uint64 or a float64. Strings it only checks.
func (t *valueType) parse(v []byte) (uint64, bool) {
	switch t.class {
	case classBool:
		if !isBool(v) {
			return 0, false
		}
		if v[0]|0x20 == 't' {
			return 1, true
		}
		return 0, true
	case classInt:
		if !plainInt(v) {
			return 0, false
		}
		x, err := strconv.ParseInt(string(v), 10, t.bits)
		return uint64(x), err == nil
	case classUint:
		if !plainInt(v) {
			return 0, false
		}
		x, err := strconv.ParseUint(string(v), 10, t.bits)
		return x, err == nil
	case classFloat:
		if !plainInt(v) && !plainFloat(v) {
			return 0, false
		}
		w, ok := parseWeight(v)
		if x := w.asFloat(); t.bits == 32 && !math.IsInf(x, 0) && math.IsInf(float64(float32(x)), 0) {
			return 0, false
		}
		return w.asFloatBits(), ok && !w.past
	case classDate:
		if len(v) != len(time.DateOnly) {
			return 0, false
		}
		x, err := time.Parse(time.DateOnly, string(v))
		day := x.Unix() / (24 * 3600)
		if t.unit != 0 {
			day *= 24 * 3600 * t.unit
		}
		return uint64(day), err == nil
	case classTimestamp:
		return t.parseTimestamp(v)
	case classTime:
		return t.parseTime(v)
	case classDecimal:
		return t.parseDecimal(v)
	case classString:
		return 0, utf8.Valid(v)
	case classUUID:
		_, ok := parseUUID(v)
		return 0, ok
	}
	return 0, t.class == classBinary
}

func (t *valueType) parseTimestamp(v []byte) (uint64, bool) {
	x, zone, ok := parseInstant(v)
	if !ok && !t.utc { // a date is its midnight
		var err error
		x, err = time.Parse(time.DateOnly, string(v))
		ok = err == nil
	}
	fine := 1e9 / t.unit
	if !ok || zone != t.utc || int64(x.Nanosecond())%fine != 0 {
		return 0, false
	}
	if t.unit == 1e9 && (x.Year() < 1678 || x.Year() > 2261) { // past 64 bits
		return 0, false
	}
	return uint64(x.Unix()*t.unit + int64(x.Nanosecond())/fine), true
}

func (t *valueType) parseTime(v []byte) (uint64, bool) {
	if len(v) > maxTimeBytes {
		return 0, false
	}
	x, err := time.Parse("15:04:05", string(v))
	if err != nil {
		x, err = time.Parse("15:04", string(v))
	}
	fine := 1e9 / t.unit
	if err != nil || int64(x.Nanosecond())%fine != 0 {
		return 0, false
	}
	return uint64(int64(x.Hour()*3600+x.Minute()*60+x.Second())*t.unit + int64(x.Nanosecond())/fine), true
}

// parseDecimal reads digits with or without a point, exactly.
func (t *valueType) parseDecimal(v []byte) (uint64, bool) {
	if len(v) == 0 || len(v) > maxDecimalBytes || len(bytes.TrimLeft(v, "+-0123456789.")) > 0 {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(string(v))
	if !ok {
		return 0, false
	}
	power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(t.scale, -t.scale))), nil))
	if t.scale < 0 {
		power.Inv(power)
	}
	if r.Mul(r, power); !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return uint64(r.Num().Int64()), true
}

// parseUUID reads the 16 bytes of 8-4-4-4-12 hexadecimal digits.
func parseUUID(v []byte) (id [16]byte, ok bool) {
	if len(v) != 36 || v[8] != '-' || v[13] != '-' || v[18] != '-' || v[23] != '-' {
		return id, false
	}
	n, err := hex.Decode(id[:], bytes.ReplaceAll(v, []byte{'-'}, nil))
	return id, err == nil && n == len(id)
}

// columnValues are the values of a column of a batch.
type columnValues struct {
	bits   []uint64 // of numbers
	text   graph.Strings
	valid  []bool
	lacks  bool // some value is missing
	i32    []int32
	u32    []uint32
	floats []float32
}

func (c *columnValues) reset() {
	c.bits, c.valid, c.lacks = c.bits[:0], c.valid[:0], false
	c.text.Offsets, c.text.Data = append(c.text.Offsets[:0], 0), c.text.Data[:0]
}

// add appends a value: its bits, or of strings the text. nil is a missing one.
func (c *columnValues) add(t *valueType, bits uint64, v []byte, missing bool) {
	if !t.strings() {
		if missing {
			bits = math.Float64bits(math.NaN())
		}
		c.bits = append(c.bits, bits)
		return
	}
	c.valid, c.lacks = append(c.valid, !missing), c.lacks || missing
	switch {
	case missing:
	case t.class == classUUID:
		id, _ := parseUUID(v) // it was checked
		c.text.Data = append(c.text.Data, id[:]...)
	default:
		c.text.Data = append(c.text.Data, v...)
	}
	c.text.Offsets = append(c.text.Offsets, int64(len(c.text.Data)))
}

// column returns them as a column of a batch.
func (c *columnValues) column(name string, t *valueType) graph.Column {
	to := graph.Column{Name: name, Logical: t.logical()}
	switch {
	case t.strings():
		c.text.Binary = t.class == classBinary || t.class == classUUID
		to.Values = c.text
		if c.lacks {
			to.Valid = c.valid
		}
	case t.class == classFloat && t.bits == 64:
		to.Values = valuesAs[float64](c.bits)
	case t.class == classFloat:
		c.floats = c.floats[:0]
		for _, x := range c.bits {
			c.floats = append(c.floats, float32(math.Float64frombits(x)))
		}
		to.Values = c.floats
	case t.class == classUint && t.bits == 64:
		to.Values = c.bits
	case t.class == classBool, t.class == classUint:
		c.u32 = c.u32[:0]
		for _, x := range c.bits {
			c.u32 = append(c.u32, uint32(x))
		}
		to.Values = c.u32
	case t.bits == 32:
		c.i32 = c.i32[:0]
		for _, x := range c.bits {
			c.i32 = append(c.i32, int32(x))
		}
		to.Values = c.i32
	default:
		to.Values = valuesAs[int64](c.bits)
	}
	return to
}
