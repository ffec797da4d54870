// This file holds the bucket transform.

package iceberg

import (
	"encoding/binary"
	"math/bits"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

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
