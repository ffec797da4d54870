// This file compares values that are wider than an int64: decimals of any number of
// digits, and timestamps of 96 bits.

package columnar

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
)

// Trimmed returns a number in two's complement, big-endian, without the bytes in
// front that only repeat its sign; none for zero.
func Trimmed(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	sign := byte(int8(b[0]) >> 7)
	for len(b) > 1 && b[0] == sign && byte(int8(b[1])>>7) == sign {
		b = b[1:]
	}
	if len(b) == 1 && b[0] == 0 {
		return b[1:]
	}
	return b
}

// CompareDecimals compares two numbers in two's complement, big-endian, each of any
// length. It is 0 only where Trimmed returns the same.
func CompareDecimals(a, b []byte) int {
	a, b = Trimmed(a), Trimmed(b)
	less, lower := len(a) > 0 && a[0] >= 0x80, len(b) > 0 && b[0] >= 0x80
	switch {
	case less != lower && less:
		return -1
	case less != lower:
		return 1
	case len(a) != len(b) && less: // the longer one is the further one from zero
		return cmp.Compare(len(b), len(a))
	case len(a) != len(b):
		return cmp.Compare(len(a), len(b))
	}
	return bytes.Compare(a, b)
}

const (
	dayNanos = 24 * 60 * 60 * 1_000_000_000
	// epochDay is the Julian day of 1970-01-01.
	epochDay = 2_440_588
)

// Int96Of returns the days since 1970 and the nanoseconds of the day of a timestamp of
// 12 bytes: the nanoseconds, then the Julian day, little-endian. Writers may say
// more nanoseconds than a day has, or fewer than none.
func Int96Of(b []byte) (day, nanos int64) {
	_ = b[11]
	nanos = int64(binary.LittleEndian.Uint64(b))
	day = int64(int32(binary.LittleEndian.Uint32(b[8:]))) - epochDay
	if uint64(nanos) >= dayNanos {
		past := nanos / dayNanos
		if nanos -= past * dayNanos; nanos < 0 {
			nanos, past = nanos+dayNanos, past-1
		}
		day += past
	}
	return day, nanos
}

// CompareInt96 compares two timestamps of 12 bytes.
func CompareInt96(a, b []byte) int {
	day, nanos := Int96Of(a)
	other, more := Int96Of(b)
	return cmp.Or(cmp.Compare(day, other), cmp.Compare(nanos, more))
}

// AppendInt96 appends a timestamp of 12 bytes.
func AppendInt96(b []byte, day, nanos int64) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(nanos))
	return binary.LittleEndian.AppendUint32(b, uint32(day+epochDay))
}

// DecimalFloat returns the decimal that a number in two's complement, big-endian, is with
// so many digits behind the point.
func DecimalFloat(b []byte, scale int) float64 {
	if len(b) == 0 {
		return 0
	}
	x := float64(int8(b[0]))
	for _, c := range b[1:] {
		x = x*256 + float64(c)
	}
	return x / math.Pow10(scale)
}
