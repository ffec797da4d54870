// This file unpacks bit-packed values in groups of eight, which are as many
// bytes as a value has bits.

package parquet

import "encoding/binary"

// unpackGroups unpacks as many groups of eight values as there are eight more
// bytes in src behind, and returns how many. A group begins with a byte of its
// own. What costs is the loading and shifting of words: one word has all eight
// values up to 8 bits, four of them up to 16, and two up to 30.
func unpackGroups(dst []uint32, src []byte, width uint) (groups int) {
	w := int(width)
	groups = min(len(dst)/8, (len(src)-8)/max(w, 1))
	if groups <= 0 || width == 0 || width > 32 || width == 31 {
		return 0 // two values of 31 bits and the bits before them don't fit a word
	}
	switch {
	case width <= 8:
		unpackOctets(dst[:groups*8], src, width)
	case width <= 16:
		unpackQuads(dst[:groups*8], src, width)
	default:
		unpackPairs(dst[:groups*8], src, width)
	}
	return groups
}

func unpackOctets(dst []uint32, src []byte, width uint) {
	mask := uint32(1)<<width - 1
	width &= 63 // spares the compiler a look at whether it is more
	for ; len(dst) >= 8 && len(src) >= 8; dst, src = dst[8:], src[width:] {
		d := (*[8]uint32)(dst)
		x := binary.LittleEndian.Uint64(src)
		d[0] = uint32(x) & mask
		x >>= width
		d[1] = uint32(x) & mask
		x >>= width
		d[2] = uint32(x) & mask
		x >>= width
		d[3] = uint32(x) & mask
		x >>= width
		d[4] = uint32(x) & mask
		x >>= width
		d[5] = uint32(x) & mask
		x >>= width
		d[6] = uint32(x) & mask
		x >>= width
		d[7] = uint32(x) & mask
	}
}

func unpackQuads(dst []uint32, src []byte, width uint) {
	mask := uint32(1)<<width - 1
	// The second four begin in the middle of a byte where width is odd.
	half, shift := width/2, width&1*4
	width &= 63
	for ; len(dst) >= 8; dst, src = dst[8:], src[width:] {
		d := (*[8]uint32)(dst)
		x := binary.LittleEndian.Uint64(src)
		y := binary.LittleEndian.Uint64(src[half:]) >> shift
		d[0], d[4] = uint32(x)&mask, uint32(y)&mask
		x, y = x>>width, y>>width
		d[1], d[5] = uint32(x)&mask, uint32(y)&mask
		x, y = x>>width, y>>width
		d[2], d[6] = uint32(x)&mask, uint32(y)&mask
		x, y = x>>width, y>>width
		d[3], d[7] = uint32(x)&mask, uint32(y)&mask
	}
}

func unpackPairs(dst []uint32, src []byte, width uint) {
	mask := uint32(uint64(1)<<width - 1)
	// Pair k begins at bit 2*k*width.
	at1, at2, at3 := width/4, width/2, width*3/4
	shift1, shift2, shift3 := width*2&7, width*4&7, width*6&7
	width &= 63
	for ; len(dst) >= 8; dst, src = dst[8:], src[width:] {
		d := (*[8]uint32)(dst)
		x := binary.LittleEndian.Uint64(src)
		d[0], d[1] = uint32(x)&mask, uint32(x>>width)&mask
		x = binary.LittleEndian.Uint64(src[at1:]) >> shift1
		d[2], d[3] = uint32(x)&mask, uint32(x>>width)&mask
		x = binary.LittleEndian.Uint64(src[at2:]) >> shift2
		d[4], d[5] = uint32(x)&mask, uint32(x>>width)&mask
		x = binary.LittleEndian.Uint64(src[at3:]) >> shift3
		d[6], d[7] = uint32(x)&mask, uint32(x>>width)&mask
	}
}
