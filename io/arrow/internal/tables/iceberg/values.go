// This file decodes single values: bounds in manifests, values of partitions, and
// defaults in schemas.

package iceberg

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// single decodes a value in the binary form of single values (the specification's
// appendix D). Columns may have been of a narrower type when it was written. ok is false
// where it can't be one of the type, or is NaN.
func (t *dataType) single(b []byte) (s columnar.Scalar, ok bool) {
	switch t.kind {
	case booleanKind:
		if len(b) != 1 {
			return s, false
		}
		if b[0] != 0 {
			s.Int = 1
		}
		return s, true
	case intKind, dateKind, longKind, timeKind, timestampKind, timestamptzKind, timestampNanosKind, timestamptzNanosKind:
		switch {
		case len(b) == 4 && t.instant(): // a date before
			return t.ofDays(int64(int32(binary.LittleEndian.Uint32(b))))
		case len(b) == 4 && t.kind != timeKind:
			s.Int = int64(int32(binary.LittleEndian.Uint32(b)))
			return s, true
		case len(b) == 8 && t.kind != intKind && t.kind != dateKind:
			s.Int = int64(binary.LittleEndian.Uint64(b))
			return s, true
		}
		return s, false
	case floatKind, doubleKind:
		switch {
		case len(b) == 4:
			s.Double = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		case len(b) == 8 && t.kind == doubleKind:
			s.Double = math.Float64frombits(binary.LittleEndian.Uint64(b))
		default:
			return s, false
		}
		return s, s.Double == s.Double
	case decimalKind:
		return t.decimal(b)
	case uuidKind:
		s.Bytes = b
		return s, len(b) == 16
	case stringKind, binaryKind, fixedKind:
		s.Bytes = b
		if s.Bytes == nil {
			s.Bytes = []byte{}
		}
		return s, len(b) <= maxBound
	}
	return s, false
}

// instant reports whether the type is a timestamp.
func (t *dataType) instant() bool { return t.kind >= timestampKind && t.kind <= timestamptzNanosKind }

// ofDays returns the beginning of a day, counted from 1970 on.
func (t *dataType) ofDays(days int64) (s columnar.Scalar, ok bool) {
	return scaled(days, secondsOfDay*t.kind.unit())
}

// scaled multiplies, if the product is an int64.
func scaled(a, b int64) (s columnar.Scalar, ok bool) {
	s.Int = a * b
	return s, a == 0 || s.Int/a == b
}

// decimal decodes a number in two's complement, big-endian, of as many bytes as it needs.
func (t *dataType) decimal(b []byte) (s columnar.Scalar, ok bool) {
	if len(b) == 0 || len(b) > 32 {
		return s, false
	}
	if t.precision > columnar.MaxDigits {
		s.Bytes = b
		return s, true
	}
	b = columnar.Trimmed(b)
	if len(b) > 8 {
		return s, false
	}
	for i, x := range b {
		if i == 0 {
			s.Int = int64(int8(x))
		} else {
			s.Int = s.Int<<8 | int64(x)
		}
	}
	return s, true
}

// value makes a value of a partition, as Avro has it without logical types, one of the
// type.
func (t *dataType) value(v any) (s columnar.Scalar, ok bool) {
	switch v := v.(type) {
	case bool:
		if v {
			s.Int = 1
		}
		return s, t.kind == booleanKind
	case int32:
		return t.integer(int64(v), true)
	case int64:
		return t.integer(v, false)
	case float32:
		s.Double = float64(v)
		return s, t.kind == floatKind || t.kind == doubleKind
	case float64:
		s.Double = v
		return s, t.kind == doubleKind || t.kind == floatKind && (float64(float32(v)) == v || v != v)
	case string:
		if t.kind == uuidKind { // of writers that have no fixed
			b, err := hex.DecodeString(strings.ReplaceAll(v, "-", ""))
			return columnar.Scalar{Bytes: b}, err == nil && len(b) == 16
		}
		s.Bytes = []byte(v)
		return s, t.kind == stringKind
	case []byte:
		switch t.kind {
		case decimalKind:
			return t.decimal(v)
		case uuidKind:
			s.Bytes = v
			return s, len(v) == 16
		case fixedKind:
			s.Bytes = v
			return s, len(v) == t.length
		case binaryKind:
			s.Bytes = v
			return s, true
		}
	}
	return s, false
}

func (t *dataType) integer(v int64, narrow bool) (s columnar.Scalar, ok bool) {
	s.Int = v
	switch {
	case t.instant() && narrow:
		return t.ofDays(v)
	case t.kind == longKind, t.kind == timeKind, t.instant():
		return s, true
	case t.kind == intKind, t.kind == dateKind:
		return s, v == int64(int32(v))
	}
	return s, false
}

// compare orders two values, as conditions do.
func (t *dataType) compare(a, b *columnar.Scalar) int {
	switch c := t.column("", false).Class; {
	case c == columnar.Float:
		return cmp.Compare(a.Double, b.Double)
	case c == columnar.BigDecimal:
		return columnar.CompareDecimals(a.Bytes, b.Bytes)
	case c.Kind() == columnar.Ints:
		return cmp.Compare(a.Int, b.Int)
	}
	return bytes.Compare(a.Bytes, b.Bytes)
}

// layouts of times in JSON.
const (
	dateLayout  = "2006-01-02"
	clockLayout = "15:04:05.999999999"
	stampLayout = "2006-01-02T15:04:05.999999999"
)

// fromJSON decodes a value in the JSON form of single values, such as a default.
func (t *dataType) fromJSON(b json.RawMessage) (s columnar.Scalar, err error) {
	fail := func() (columnar.Scalar, error) {
		return s, columnar.Corrupt("%.60s is no value of type %s", b, t.name)
	}
	var text string
	isText := json.Unmarshal(b, &text) == nil
	switch t.kind {
	case booleanKind:
		var yes bool
		if json.Unmarshal(b, &yes) != nil {
			return fail()
		}
		if yes {
			s.Int = 1
		}
		return s, nil
	case intKind, longKind:
		bits := 64
		if t.kind == intKind {
			bits = 32
		}
		if s.Int, err = strconv.ParseInt(string(b), 10, bits); err != nil {
			return fail()
		}
		return s, nil
	case floatKind, doubleKind:
		number := string(b)
		if isText { // NaN and infinities
			number = text
		}
		bits := 64
		if t.kind == floatKind {
			bits = 32
		}
		if s.Double, err = strconv.ParseFloat(number, bits); err != nil {
			return fail()
		}
		return s, nil
	}
	if !isText {
		return fail()
	}
	switch t.kind {
	case decimalKind:
		if s, ok := t.parseDecimal(text); ok {
			return s, nil
		}
	case dateKind:
		if at, err := time.Parse(dateLayout, text); err == nil {
			s.Int = at.Unix() / secondsOfDay
			return s, nil
		}
	case timeKind:
		if at, err := time.Parse(clockLayout, text); err == nil {
			s.Int = at.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)).Microseconds()
			return s, nil
		}
	case timestampKind, timestamptzKind, timestampNanosKind, timestamptzNanosKind:
		layout := stampLayout
		if t.kind == timestamptzKind || t.kind == timestamptzNanosKind {
			layout += "Z07:00"
		}
		if at, err := time.Parse(layout, text); err == nil {
			sub := int64(at.Nanosecond()) / (1e9 / t.kind.unit())
			if s, ok := scaled(at.Unix(), t.kind.unit()); ok && s.Int <= math.MaxInt64-sub {
				s.Int += sub
				return s, nil
			}
		}
	case stringKind:
		s.Bytes = []byte(text)
		return s, nil
	case uuidKind:
		if b, err := hex.DecodeString(strings.ReplaceAll(text, "-", "")); err == nil && len(b) == 16 {
			s.Bytes = b
			return s, nil
		}
	case fixedKind, binaryKind:
		if b, err := hex.DecodeString(text); err == nil && (t.kind == binaryKind || len(b) == t.length) {
			s.Bytes = b
			return s, nil
		}
	}
	return fail()
}

// parseDecimal reads a decimal, which has exactly as many digits behind the point as the
// type says.
func (t *dataType) parseDecimal(text string) (s columnar.Scalar, ok bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(text) > 2*maxPrecision || len(fraction) != t.scale {
		return s, false
	}
	n, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok || len(new(big.Int).Abs(n).String()) > t.precision {
		return s, false
	}
	if t.precision <= columnar.MaxDigits {
		s.Int = n.Int64()
		return s, true
	}
	s.Bytes = twosComplement(n)
	return s, true
}

// twosComplement returns a number big-endian, in as few bytes as it needs.
func twosComplement(n *big.Int) []byte {
	if n.Sign() >= 0 {
		return append([]byte{0}, n.Bytes()...)
	}
	size := n.BitLen()/8 + 1
	return new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(size)*8)).FillBytes(make([]byte, size))
}
