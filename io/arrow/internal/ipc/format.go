// This file turns the values of a column into those of vectors, by their format.

package ipc

import (
	"encoding/binary"
	"math"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// maxDecimal is the bytes of the widest decimals.
const maxDecimal = 32

// decimals reads decimals of at most 18 digits. What is more, as may stand
// where a value is null, becomes the nearest that isn't.
func (f *format) decimals(dst []int64, data []byte) {
	for i := range dst {
		value := data[i*f.width : (i+1)*f.width]
		if f.width == 4 {
			dst[i] = int64(int32(binary.LittleEndian.Uint32(value)))
			continue
		}
		dst[i] = int64(binary.LittleEndian.Uint64(value))
		sign := int64(int8(value[f.width-1])) >> 63
		for _, b := range value[8:] {
			if b != byte(sign) || dst[i]>>63 != sign {
				dst[i] = math.MaxInt64 ^ sign
			}
		}
	}
}

// doubles widens floats.
func (f *format) doubles(dst []float64, data []byte) {
	switch f.width {
	case 2:
		for i := range dst {
			dst[i] = float64(columnar.Half(binary.LittleEndian.Uint16(data[i*2:])))
		}
	case 4:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[i*4:])))
		}
	default:
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[i*8:]))
		}
	}
}

// ints widens integers.
func (f *format) ints(dst []int64, data []byte) {
	switch {
	case f.width == 8:
		columnar.CopyInts(dst, data)
	case f.width == 4 && f.unsigned:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint32(data[i*4:]))
		}
	case f.width == 4:
		for i := range dst {
			dst[i] = int64(int32(binary.LittleEndian.Uint32(data[i*4:])))
		}
	case f.width == 2 && f.unsigned:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint16(data[i*2:]))
		}
	case f.width == 2:
		for i := range dst {
			dst[i] = int64(int16(binary.LittleEndian.Uint16(data[i*2:])))
		}
	case f.unsigned:
		for i := range dst {
			dst[i] = int64(data[i])
		}
	default:
		for i := range dst {
			dst[i] = int64(int8(data[i]))
		}
	}
}

// floats converts numbers.
func (f *format) floats(dst []float32, data []byte) {
	switch {
	case f.kind == typeFloat && f.width == 2:
		for i := range dst {
			dst[i] = columnar.Half(binary.LittleEndian.Uint16(data[i*2:]))
		}
	case f.kind == typeFloat && f.width == 4:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[i*4:]))
		}
	case f.kind == typeFloat:
		for i := range dst {
			dst[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(data[i*8:])))
		}
	case f.kind == typeDecimal:
		scale := math.Pow10(f.scale)
		for i := range dst {
			value := data[i*f.width : (i+1)*f.width]
			x := float64(int8(value[f.width-1]))
			for k := f.width - 2; k >= 0; k-- {
				x = x*256 + float64(value[k])
			}
			dst[i] = float32(x / scale)
		}
	default:
		var some [256]int64
		for at := 0; at < len(dst); at += len(some) {
			n := min(len(some), len(dst)-at)
			f.ints(some[:n], data[at*f.width:])
			for i, x := range some[:n] {
				if f.unsigned {
					dst[at+i] = float32(uint64(x))
				} else {
					dst[at+i] = float32(x)
				}
			}
		}
	}
}
