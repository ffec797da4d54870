// This file decodes the least and greatest values that statistics and page
// indexes state.

package parquet

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// signed reports whether values compare as signed numbers.
func (l *leaf) signed() bool {
	switch l.Class {
	case columnar.Signed, columnar.Decimal, columnar.Bool, columnar.Date, columnar.Time, columnar.Timestamp, columnar.Float:
		return true
	}
	return false
}

// bounds decodes the values in statistics; nil stands for a missing one.
func (l *leaf) bounds(lo, hi []byte) columnar.Bounds {
	b, _ := l.boundsOf(lo, hi)
	return b
}

// boundsOf is bounds, and reports whether the least is more than the greatest, which says
// nothing: they were compared as another type, or not at all.
func (l *leaf) boundsOf(lo, hi []byte) (b columnar.Bounds, inverted bool) {
	b.Min, b.HasMin = l.bound(lo, -1)
	b.Max, b.HasMax = l.bound(hi, 1)
	if b.HasMin && b.HasMax && l.compare(&b.Min, &b.Max) > 0 {
		return columnar.Bounds{}, true
	}
	return b, false
}

// compare orders two values that aren't NaN, as conditions do.
func (l *leaf) compare(a, b *columnar.Scalar) int {
	switch {
	case l.Class == columnar.Float:
		return cmp.Compare(a.Double, b.Double)
	case l.Class == columnar.Unsigned:
		return cmp.Compare(uint64(a.Int), uint64(b.Int))
	case l.Class.Kind() == columnar.Ints:
		return cmp.Compare(a.Int, b.Int)
	}
	if l.Class == columnar.BigDecimal {
		return columnar.CompareDecimals(a.Bytes, b.Bytes)
	}
	return bytes.Compare(a.Bytes, b.Bytes)
}

// bound decodes one; side is less than 0 for the least.
func (l *leaf) bound(raw []byte, side int) (s columnar.Scalar, ok bool) {
	if raw == nil {
		return s, false
	}
	switch l.Class {
	case columnar.Opaque, columnar.Int96: // the order of which was never said
		return s, false
	case columnar.BigDecimal:
		// Those of any length some writers shorten as if they were strings.
		if l.physical != typeFixed || len(raw) != l.width {
			return s, false
		}
		s.Bytes = bytes.Clone(raw)
		return s, true
	case columnar.Bool:
		if len(raw) != 1 || raw[0] > 1 {
			return s, false
		}
		s.Int = int64(raw[0])
		return s, true
	case columnar.Float:
		if len(raw) != l.width {
			return s, false
		}
		switch {
		case l.half:
			s.Double = float64(columnar.Half(binary.LittleEndian.Uint16(raw)))
		case l.width == 4:
			s.Double = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		default:
			s.Double = math.Float64frombits(binary.LittleEndian.Uint64(raw))
		}
		return s, s.Double == s.Double // writers were told not to, and some do
	case columnar.Text, columnar.Bytes, columnar.UUID:
		// Writers shorten long ones so that they still bound. Some writers
		// leave the greatest empty where they couldn't.
		if len(raw) > maxBound || side > 0 && len(raw) == 0 {
			return s, false
		}
		s.Bytes = bytes.Clone(raw)
		if s.Bytes == nil {
			s.Bytes = []byte{}
		}
		return s, true
	}
	if len(raw) != l.width {
		return s, false
	}
	if l.physical == typeFixed {
		s.Int, ok = bigEndian(raw)
		return s, ok
	}
	s.Int = l.int(raw)
	return s, true
}
