// Package bitmap sets bits of vertices on the host: bit v%64 of word v/64 stands for vertex v. Its functions are
// inlined, as loops call them at edges.
package bitmap

import "sync/atomic"

// Claim sets bit v and reports whether this call was the one that set it. It
// is safe for concurrent use. The bit is tested before the atomic operation,
// which most calls of a traversal then save (Agarwal et al., SC 2010).
func Claim(words []uint64, v uint32) bool {
	w, bit := &words[v>>6], uint64(1)<<(v&63)
	return atomic.LoadUint64(w)&bit == 0 && atomic.OrUint64(w, bit)&bit == 0
}

// ClaimAlone is Claim for a caller that is the only one to touch words.
func ClaimAlone(words []uint64, v uint32) bool {
	w, bit := &words[v>>6], uint64(1)<<(v&63)
	if *w&bit != 0 {
		return false
	}
	*w |= bit
	return true
}
