// This file asks the bloom filters of column chunks, which know of most values
// that a chunk lacks that it lacks them: split blocks of 256 bits, hashed by
// xxHash (Putze, Sanders and Singler 2007; the format's BloomFilter.md).

package parquet

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/cespare/xxhash/v2"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// salts make eight hashes of one.
var salts = [8]uint32{0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31}

// Bloom is the bloom filter of a column chunk.
type Bloom struct {
	leaf *leaf
	bits []byte // whole blocks
}

// bloomFields are the types of the fields of BloomFilterHeader.
var bloomFields = []byte{1: integer, 2: tStruct, 3: tStruct, 4: tStruct}

// Bloom reads the filter of the k-th selected column in a row group, nil where
// no filter can be used.
func (f *File) Bloom(src io.ReaderAt, group, k int) (*Bloom, error) {
	x := f.Groups[group].Chunks[k].bloom
	if x.At <= 0 || x.At >= f.Size {
		return nil, nil
	}
	head := make([]byte, min(maxBloomHeader, f.Size-x.At))
	if _, err := src.ReadAt(head, x.At); err != nil {
		return nil, readError(err)
	}
	t := &thrift{b: head}
	size, plain := int64(0), 0
	id := 0
	for {
		typ, ok := t.fieldOf(&id, bloomFields)
		if !ok {
			break
		}
		if id == 1 {
			size = t.int(typ)
			continue
		}
		// Algorithm, hash and compression are unions, of which only the first
		// member is known: split blocks, xxHash, none.
		if !t.expect(typ, tStruct) {
			break
		}
		member := 0
		if typ, ok := t.field(&member); ok {
			if member == 1 {
				plain++
			}
			t.skip(typ)
			t.field(&member)
		}
	}
	at := x.At + int64(t.p)
	if t.err != nil || plain != 3 || size < blockBytes || size%blockBytes != 0 || size > maxBloom || size > f.Size-at {
		return nil, nil
	}
	b := &Bloom{leaf: &f.leaves[f.picked[k]], bits: make([]byte, size)}
	if _, err := src.ReadAt(b.bits, at); err != nil {
		return nil, readError(err)
	}
	return b, nil
}

// Has reports whether the value may be in the chunk.
func (b *Bloom) Has(s columnar.Scalar) bool {
	var plain [8]byte
	raw := s.Bytes
	switch l := b.leaf; {
	case l.Class == columnar.Bool || l.half || l.Class == columnar.BigDecimal || l.Class == columnar.Int96:
		return true // one value may be stored in several ways
	case l.physical == typeFixed && l.Class.Kind() == columnar.Ints:
		// A decimal, hashed as it is stored: big-endian, of any width.
		raw = make([]byte, l.width)
		for i := range raw {
			raw[len(raw)-1-i] = byte(s.Int >> min(8*i, 63))
		}
	case l.Class == columnar.Float && l.width == 4:
		// A value outside the type is in no chunk, and zero has two
		// forms.
		if s.Double == 0 {
			return true
		}
		raw = binary.LittleEndian.AppendUint32(plain[:0], math.Float32bits(float32(s.Double)))
	case l.Class == columnar.Float:
		if s.Double == 0 {
			return true
		}
		raw = binary.LittleEndian.AppendUint64(plain[:0], math.Float64bits(s.Double))
	case l.Class.Kind() == columnar.Ints && l.physical == typeFixed: // decimals, of any length
		raw = make([]byte, l.width)
		for i, x := l.width-1, s.Int; i >= 0; i-- {
			raw[i] = byte(x)
			x >>= 8
		}
	case l.Class.Kind() == columnar.Ints && l.width == 4:
		raw = binary.LittleEndian.AppendUint32(plain[:0], uint32(s.Int))
	case l.Class.Kind() == columnar.Ints:
		raw = binary.LittleEndian.AppendUint64(plain[:0], uint64(s.Int))
	}
	h := xxhash.Sum64(raw)
	blocks := uint64(len(b.bits) / blockBytes)
	block := b.bits[(h>>32)*blocks>>32*blockBytes:][:blockBytes]
	for i, salt := range salts {
		bit := uint32(h) * salt >> 27
		if binary.LittleEndian.Uint32(block[4*i:])>>bit&1 == 0 {
			return false
		}
	}
	return true
}
