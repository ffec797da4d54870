// This file tests what decimals of fixed width are ruled out by.

package parquet

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// TestBloomDecimals: a decimal is hashed as it is stored, at any width.
func TestBloomDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, width := range []int{3, 4, 8, 11, 16} {
		l := leaf{physical: typeFixed, width: width}
		l.Class = columnar.Decimal
		b := Bloom{leaf: &l, bits: make([]byte, 64*blockBytes)}
		var values []int64
		for range 100 {
			x := r.Int64() >> (64 - min(8*width-1, 60))
			if r.IntN(2) == 0 {
				x = -x
			}
			values = append(values, x)
			var raw [16]byte
			binary.BigEndian.PutUint64(raw[:], uint64(x>>63))
			binary.BigEndian.PutUint64(raw[8:], uint64(x))
			h := xxhash.Sum64(raw[16-width:])
			block := b.bits[(h>>32)*64>>32*blockBytes:][:blockBytes]
			for i, salt := range salts {
				bit := uint32(h) * salt >> 27
				block[4*i+int(bit>>3)] |= 1 << (bit & 7)
			}
		}
		for _, x := range values {
			if !b.Has(columnar.Scalar{Int: x}) {
				t.Errorf("width %d: %d isn't found", width, x)
			}
		}
	}
}

// TestOldStatistics: the old bounds of arrays of bytes say nothing, for they
// were compared byte by byte; those of integers do.
func TestOldStatistics(t *testing.T) {
	old := []byte{0x18, 4, 0, 0, 0, 9, 0x18, 4, 0, 0, 0, 1, 0} // fields 1 and 2: max and min
	for _, physical := range []int{typeFixed, typeInt32} {
		l := leaf{physical: physical, width: 4}
		l.Class = columnar.Decimal
		var c Chunk
		r := thrift{b: old}
		r.statistics(tStruct, &c, &l)
		if r.err != nil || c.Bounds.HasMin != (physical == typeInt32) || c.Bounds.HasMax != c.Bounds.HasMin {
			t.Errorf("type %d: %+v, %v", physical, c.Bounds, r.err)
		}
	}
}

// TestRangeUnsigned: ids past MaxInt64 have no range of int64.
func TestRangeUnsigned(t *testing.T) {
	stats := []byte{0x58, 8, 9, 0, 0, 0, 0, 0, 0, 0xf0, 0x18, 8, 1, 0, 0, 0, 0, 0, 0, 0xf0, 0} // fields 5 and 6
	for _, unsigned := range []bool{false, true} {
		l := leaf{physical: typeInt64}
		l.width = 8
		l.integer(64, !unsigned)
		var c Chunk
		r := thrift{b: stats}
		r.statistics(tStruct, &c, &l)
		if r.err != nil || c.Range.Known == unsigned {
			t.Errorf("unsigned %v: %+v, %v", unsigned, c.Range, r.err)
		}
	}
}
