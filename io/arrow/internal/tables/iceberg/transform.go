// This file holds partition transforms: the bounds that a partition's value implies for the values of
// the column that it was made of.

package iceberg

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// transform is a partition transform.
type transform struct {
	name string // without its argument
	n    int64  // of bucket and truncate
}

func parseTransform(text string) transform {
	name, rest, ok := strings.Cut(text, "[")
	if digits, closed := strings.CutSuffix(rest, "]"); ok && closed {
		if n, err := strconv.ParseInt(digits, 10, 32); err == nil && n > 0 {
			return transform{name, n}
		}
	}
	return transform{name: text}
}

// result returns the type of the transform's values; of kind unknownKind if nothing is
// known of it.
func (x transform) result(source *dataType) *dataType {
	switch x.name {
	case "identity":
		return source
	case "truncate":
		if x.n > 0 {
			return source
		}
	case "bucket":
		if x.n > 0 {
			return &dataType{kind: intKind, name: "int"}
		}
	case "year", "month", "day", "hour":
		if source.kind == dateKind && x.name != "hour" || source.instant() {
			return &dataType{kind: intKind, name: "int"}
		}
	}
	return &dataType{}
}

// between returns what is known of the values of a column whose partition values lie
// between two, which may be the same; nil where there is no such bound. Nulls are none.
func (x transform) between(source *dataType, lo, hi *columnar.Scalar) (k tables.Known) {
	switch x.name {
	case "identity":
		if lo != nil && !math.IsNaN(lo.Double) {
			k.HasMin, k.Min = true, *lo
		}
		if hi != nil && !math.IsNaN(hi.Double) {
			k.HasMax, k.Max = true, *hi
		}
	case "truncate":
		if lo != nil { // of negative numbers too: they are rounded down
			k.HasMin, k.Min = true, *lo
		}
		if hi != nil {
			k.Max, k.HasMax = x.last(source, *hi)
		}
	case "bucket":
		if lo != nil && hi != nil {
			first, last := lo.Int, hi.Int
			k.Has = func(s columnar.Scalar) bool {
				b, ok := x.bucket(source, s)
				return !ok || b >= first && b <= last
			}
		}
	case "year", "month", "day", "hour":
		if lo != nil {
			first := lo.Int
			// Old writers rounded times before 1970 up.
			if first <= 0 && !(x.name == "day" && source.kind == dateKind) {
				first--
			}
			k.Min, k.HasMin = x.start(source, first)
		}
		if hi != nil {
			if k.Max, k.HasMax = x.start(source, hi.Int+1); k.HasMax {
				k.Max.Int--
			}
		}
	}
	return k
}

// start returns the first value of a year, month, day or hour, counted from 1970 on.
func (x transform) start(source *dataType, n int64) (s columnar.Scalar, ok bool) {
	if n < math.MinInt32 || n > math.MaxInt32 {
		return s, false
	}
	var seconds int64
	switch x.name {
	case "year":
		if n > 1<<20 || n < -1<<20 { // time.Date has its limits
			return s, false
		}
		seconds = time.Date(1970+int(n), 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	case "month":
		if n > 1<<24 || n < -1<<24 {
			return s, false
		}
		seconds = time.Date(1970, time.Month(1+n), 1, 0, 0, 0, 0, time.UTC).Unix()
	case "day":
		seconds = n * secondsOfDay
	case "hour":
		seconds = n * 60 * 60
	}
	if source.kind == dateKind {
		s.Int = seconds / secondsOfDay // of whole days
		return s, true
	}
	return scaled(seconds, source.kind.unit())
}

// last returns the greatest value that may have been truncated to s.
func (x transform) last(source *dataType, s columnar.Scalar) (columnar.Scalar, bool) {
	switch source.kind {
	case intKind, longKind:
		if s.Int > math.MaxInt64-(x.n-1) {
			return s, false
		}
		s.Int += x.n - 1
		return s, true
	case decimalKind:
		if source.precision <= columnar.MaxDigits {
			s.Int += x.n - 1 // of 18 digits at most
			return s, true
		}
		n := new(big.Int).SetBytes(s.Bytes)
		if len(s.Bytes) > 0 && s.Bytes[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(len(s.Bytes))*8))
		}
		s.Bytes = twosComplement(n.Add(n, big.NewInt(x.n-1)))
		return s, true
	case stringKind:
		if int64(utf8.RuneCount(s.Bytes)) < x.n {
			return s, true // it is as it was
		}
	case binaryKind:
		if int64(len(s.Bytes)) < x.n {
			return s, true
		}
	default:
		return s, false
	}
	return above(s)
}

// above returns a value that is greater than all values that begin with s.
func above(s columnar.Scalar) (columnar.Scalar, bool) {
	for i := len(s.Bytes) - 1; i >= 0; i-- {
		if s.Bytes[i] < 0xff {
			next := append([]byte(nil), s.Bytes[:i+1]...)
			next[i]++
			return columnar.Scalar{Bytes: next}, true
		}
	}
	return s, false
}

// bucket returns the bucket that a value is in; ok is false where that isn't known.
func (x transform) bucket(source *dataType, s columnar.Scalar) (n int64, ok bool) {
	var b []byte
	switch source.kind {
	case intKind, longKind, dateKind, timeKind, timestampKind, timestamptzKind:
		b = binary.LittleEndian.AppendUint64(nil, uint64(s.Int))
	case timestampNanosKind, timestamptzNanosKind: // hashed as microseconds, rounded down
		micros := s.Int / 1000
		if s.Int%1000 < 0 {
			micros--
		}
		b = binary.LittleEndian.AppendUint64(nil, uint64(micros))
	case decimalKind:
		b = s.Bytes
		if source.precision <= columnar.MaxDigits {
			b = binary.BigEndian.AppendUint64(nil, uint64(s.Int))
		}
		if b = columnar.Trimmed(b); len(b) == 0 {
			b = []byte{0}
		}
	case stringKind, uuidKind, fixedKind, binaryKind:
		b = s.Bytes
	default:
		return 0, false
	}
	return int64(murmur3(b)&0x7fffffff) % x.n, true
}

// murmur3 is the hash Murmur3 of 32 bits with seed 0 (Appleby 2008, MurmurHash3_x86_32).
func murmur3(b []byte) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	var h uint32
	n := len(b)
	for ; len(b) >= 4; b = b[4:] {
		h ^= bits.RotateLeft32(binary.LittleEndian.Uint32(b)*c1, 15) * c2
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	if len(b) > 0 {
		var tail [4]byte
		copy(tail[:], b)
		h ^= bits.RotateLeft32(binary.LittleEndian.Uint32(tail[:])*c1, 15) * c2
	}
	h ^= uint32(n)
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
