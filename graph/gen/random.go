// This file holds the randomness: a stream that starts anywhere, and
// permutations of 2^bits ids.

package gen

import "math/bits"

// gamma is the step of SplitMix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014): 2^64 divided by the golden
// ratio, made odd.
const gamma = 0x9e3779b97f4a7c15

// Each purpose has a separate random stream. So the edges of a seed and its
// permutation are independent, and so are two generators with one seed.
const (
	keyRMAT uint64 = iota + 1
	keyPermutation
	keyUniform
	keyRoad
	keySmallWorld
	keyWeights
	keyMesh
	keyBanded
	keyCliques
	keyCliqueSizes
	keyWeb
	keyWebLinks
	keyHubs
	keyHubLinks
)

// mix64 is the finalizer of SplitMix64 (variant 13 of Stafford's mixers of
// MurmurHash3): a bijection of 64-bit words in which every bit of the input
// moves every bit of the output.
func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// stream is a SplitMix64 sequence: number i is mix64(start + (i+1)*gamma). So
// the start of a block's stretch is found without drawing what comes before.
type stream uint64

// stretch is the length of a block's part of the stream, as a power of two. A
// block draws at most 2^23 numbers, and there are at most 2^28 blocks (see
// maxEdges), so that stretches neither overlap nor wrap.
const stretch = 24

// newStream returns the stretch of block i in the stream of a seed for one
// purpose.
func newStream(seed, key uint64, i int) stream {
	return stream(keyed(seed, key) + (uint64(i)<<stretch)*gamma)
}

// keyed returns the start of the stream of a seed for one purpose.
func keyed(seed, key uint64) uint64 { return mix64(mix64(seed) + key*gamma) }

// next returns the next number of the stream, 64 random bits.
func (s *stream) next() uint64 {
	*s += gamma
	return mix64(uint64(*s))
}

// below returns a number less than n; each has probability 1/n to within
// 2^-64.
func (s *stream) below(n uint64) uint64 {
	hi, _ := bits.Mul64(s.next(), n)
	return hi
}

// permutation is a bijection of [0, 2^bits): rounds of multiplying by an odd
// number modulo 2^bits, which carries low bits up, and folding the upper half
// onto the lower, which carries high bits down. Each step can be undone, so
// the whole is one to one; it needs no table and any id is permuted alone.
type permutation struct {
	mask  uint32
	shift uint8
	mul   [permRounds]uint32
	add   [permRounds]uint32
}

// permRounds: two rounds let every bit reach every other; the third makes the
// low bits of the result as good as the high ones.
const permRounds = 3

// newPermutation returns the permutation of [0, 2^bits) of a seed, for bits
// from 1 to 32.
func newPermutation(bits int, seed uint64) permutation {
	p := permutation{mask: uint32(1<<bits - 1), shift: uint8((bits + 1) / 2)}
	s := newStream(seed, keyPermutation, 0)
	for r := range p.mul {
		x := s.next()
		p.mul[r] = uint32(x>>32) | 1
		p.add[r] = uint32(x)
	}
	return p
}

// apply returns the id that v is moved to.
func (p *permutation) apply(v uint32) uint32 {
	// Unrolled, so that it is cheap enough for the compiler to inline.
	v = (v*p.mul[0] + p.add[0]) & p.mask
	v ^= v >> (p.shift & 31)
	v = (v*p.mul[1] + p.add[1]) & p.mask
	v ^= v >> (p.shift & 31)
	v = (v*p.mul[2] + p.add[2]) & p.mask
	return v ^ v>>(p.shift&31)
}
