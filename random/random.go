// Package random returns random numbers that are functions of their arguments: a seed, and a counter of two words, such
// as the number of a walk and of its step. Nothing is stored between calls. So results depend on neither the order of
// calls nor the number of workers, and are the same on all devices and in later versions, bit for bit.
//
// Functors call these functions (docs/subset.md), and so does plain Go. In a call, (seed, a, b) names the number: use
// every triple for one purpose. A step that needs several numbers for one vertex gives each another counter, such as
// b = 4*step, 4*step+1 and so on; another purpose gets another seed.
//
// The generator is Philox2x64-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC
// 2011): a keyed bijection of 128-bit counters by ten rounds, of which six suffice to pass BigCrush of TestU01, as
// the paper reports. It isn't for cryptography. The guide is [docs/compose.md].
//
// [docs/compose.md]: https://github.com/foray-graph/foray/blob/main/docs/compose.md
package random

import "math/bits"

const (
	multiplier = 0xD2B74407B1CE6E93 // of Philox2x64
	weyl       = 0x9E3779B97F4A7C15 // the golden ratio, by which keys proceed
	rounds     = 10
)

// Uint64 returns 64 random bits: the first word of Philox2x64-10 with the counter (a, b) and the key seed.
func Uint64(seed, a, b uint64) uint64 {
	for range rounds {
		high, low := bits.Mul64(multiplier, a)
		a, b = high^seed^b, low
		seed += weyl
	}
	return a
}

// Float64 returns a random number from 0 on and below 1: the upper 53 bits of Uint64, divided by 2^53. So every result is
// a multiple of 2^-53, and all are equally likely.
func Float64(seed, a, b uint64) float64 {
	return float64(Uint64(seed, a, b)>>11) * 0x1p-53
}

// Below returns a random number from 0 on and below n: the upper 64 bits of n times Uint64 (Lemire, "Fast random integer
// generation in an interval", 2019, without rejection). The probability of each result differs from 1/n by less than
// 2^-64. Below 0 is 0.
func Below(n, seed, a, b uint64) uint64 {
	high, _ := bits.Mul64(n, Uint64(seed, a, b))
	return high
}

// Choose chooses an edge of a row by weight. Row v has the edges from offsets[v] to before offsets[v+1], as traverse.Rows
// returns them. sums has the weights of each row, added up from the row's first edge to each edge, as
// traverse.WeightSums returns them. x is a number from 0 on and below 1, such as Float64 returns. The probability of an
// edge is its weight divided by the weight of the row. It takes as many steps as a binary search.
//
// ok is false if there is nothing to choose: the row is empty, or its weights are all zero. An edge of weight zero is
// never chosen, nor is one whose weight is so small that adding it changes no sum.
func Choose(offsets []uint64, sums []float64, v uint32, x float64) (edge uint64, ok bool) {
	low, high := offsets[v], offsets[int(v)+1]
	if low >= high {
		return 0, false
	}
	high--
	all := sums[high]
	if !(all > 0) {
		return 0, false
	}
	// The first edge whose sum is above the goal, or the first with the sum of all if a product with the least numbers
	// was rounded up to it.
	goal := x * all
	for range 64 {
		if low >= high {
			break
		}
		middle := low + (high-low)/2
		if s := sums[middle]; s > goal || s == all {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, true
}
