// This file decodes the hybrid of run lengths and bit packing, in which levels
// and dictionary indices are written.

package parquet

import (
	"encoding/binary"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// hybrid reads unsigned values of width bits, 0 to 32.
type hybrid struct {
	data  []byte
	p     int // of the next run
	width uint
	left  int    // values left in the run
	rle   bool   // the run is one value repeated
	value uint32 // that value
	bits  []byte // a packed run
	bit   int    // the next bit in it
}

func (h *hybrid) init(data []byte, width uint) {
	*h = hybrid{data: data, width: width}
}

// run makes sure that a value is left in the current run.
func (h *hybrid) run() error {
	for h.left == 0 {
		head, n := binary.Uvarint(h.data[h.p:])
		if n <= 0 {
			return columnar.Corrupt("a run is missing")
		}
		h.p += n
		rest := h.data[h.p:]
		if h.rle = head&1 == 0; h.rle {
			size := int(h.width+7) / 8
			if size > len(rest) {
				return columnar.Corrupt("a run ends too early")
			}
			h.value = 0
			for i := 0; i < size; i++ {
				h.value |= uint32(rest[i]) << (8 * i)
			}
			if h.width < 32 && h.value>>h.width != 0 {
				return columnar.Corrupt("a run of %d, which has more than %d bits", h.value, h.width)
			}
			h.left = int(min(head>>1, 1<<31))
			h.p += size
			continue
		}
		groups := min(head>>1, 1<<28)
		h.left, h.bit = int(groups)*8, 0
		if h.width == 0 {
			h.rle, h.value = true, 0
			continue
		}
		// The last group may be cut short, where its values aren't needed.
		size := int(min(groups*uint64(h.width), uint64(len(rest))))
		h.bits = rest[:size]
		h.left = min(h.left, size*8/int(h.width))
		h.p += size
		if h.left == 0 && groups > 0 {
			return columnar.Corrupt("a run ends too early")
		}
	}
	return nil
}

// repeat takes up to n values, if the next ones are a run of one value.
func (h *hybrid) repeat(n int) (value uint32, taken int, err error) {
	if err := h.run(); err != nil {
		return 0, 0, err
	}
	if !h.rle {
		return 0, 0, nil
	}
	taken = min(n, h.left)
	h.left -= taken
	return h.value, taken, nil
}

// read fills dst.
func (h *hybrid) read(dst []uint32) error {
	for len(dst) > 0 {
		if err := h.run(); err != nil {
			return err
		}
		n := min(len(dst), h.left)
		if h.rle {
			for i := range dst[:n] {
				dst[i] = h.value
			}
		} else {
			h.unpack(dst[:n])
		}
		h.left -= n
		dst = dst[n:]
	}
	return nil
}

// unpack reads packed values, of which there must be enough.
func (h *hybrid) unpack(dst []uint32) {
	i := 0
	for ; i < len(dst) && h.bit&7 != 0; i++ {
		h.unpackEach(dst[i : i+1])
	}
	groups := unpackGroups(dst[i:], h.bits[min(h.bit>>3, len(h.bits)):], h.width)
	h.bit += groups * 8 * int(h.width)
	h.unpackEach(dst[i+groups*8:])
}

// unpackEach is unpack value by value.
func (h *hybrid) unpackEach(dst []uint32) {
	width, bit := int(h.width), h.bit
	mask := uint64(1)<<h.width - 1
	i := 0
	// Whole words as long as eight bytes are there.
	for fast := (len(h.bits) - 8) * 8; i < len(dst) && bit <= fast; i++ {
		dst[i] = uint32(binary.LittleEndian.Uint64(h.bits[bit>>3:]) >> (bit & 7) & mask)
		bit += width
	}
	for ; i < len(dst); i++ {
		dst[i] = uint32(tail64(h.bits[bit>>3:]) >> (bit & 7) & mask)
		bit += width
	}
	h.bit = bit
}

// tail64 is the little-endian number of up to eight bytes.
func tail64(b []byte) uint64 {
	var word [8]byte
	copy(word[:], b)
	return binary.LittleEndian.Uint64(word[:])
}
