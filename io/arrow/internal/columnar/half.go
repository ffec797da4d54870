// This file converts 16-bit floats.

package columnar

import "math"

// Half returns the number that the IEEE 754 binary16 bits stand for.
func Half(bits uint16) float32 {
	sign := uint32(bits>>15) << 31
	exp, frac := uint32(bits>>10&31), uint32(bits&1023)
	switch exp {
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	case 0:
		f := float32(frac) / (1 << 24)
		if sign != 0 {
			f = -f
		}
		return f
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}
