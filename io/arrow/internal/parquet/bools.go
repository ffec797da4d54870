// This file decodes booleans, into integers 0 and 1.

package parquet

import (
	"encoding/binary"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// bools reads booleans: bits, lowest first, or runs.
type bools struct {
	data []byte // bits
	at   int    // the next of them
	runs hybrid
	rle  bool
}

func (b *bools) init(data []byte, enc int) error {
	*b = bools{data: data, rle: enc == encRLE}
	if !b.rle {
		return nil
	}
	if len(data) < 4 {
		return columnar.Corrupt("booleans without a length")
	}
	n := uint64(binary.LittleEndian.Uint32(data))
	if n > uint64(len(data)-4) {
		return columnar.Corrupt("booleans of %d bytes in a page of %d", n, len(data))
	}
	b.runs.init(data[4:4+n], 1)
	return nil
}

func (b *bools) read(v *columnar.Vector, n int) error {
	if b.rle {
		var some [256]uint32
		for n > 0 {
			k := min(n, len(some))
			if err := b.runs.read(some[:k]); err != nil {
				return err
			}
			for _, x := range some[:k] {
				v.Ints = append(v.Ints, int64(x))
			}
			n -= k
		}
		return nil
	}
	if n > len(b.data)*8-b.at {
		return columnar.Corrupt("%d booleans, where %d are left", n, len(b.data)*8-b.at)
	}
	for i := b.at; i < b.at+n; i++ {
		v.Ints = append(v.Ints, int64(b.data[i>>3]>>(i&7)&1))
	}
	b.at += n
	return nil
}
