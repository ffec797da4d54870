// This file holds the intersection by searching: for a row that is much shorter
// than the other one.

package intersect

// search writes the entries of a that b has too to out, which is as long as a,
// each once. last is the entry before the first. It gallops through b (Bentley,
// Yao, 1976): the step is doubled until it is past the entry, and what is between
// is searched by halves. It returns how many it wrote, the rest of b, and the
// last entry of a that it looked up.
func search(a, b, out []uint32, last uint32) (k int, rest []uint32, was uint32) {
	for _, x := range a {
		if x == last {
			continue
		}
		last = x
		hi := 1
		for hi < len(b) && b[hi] < x {
			hi *= 2
		}
		lo := hi / 2
		b = b[lo:]
		b = b[below(b[:min(hi+1-lo, len(b))], x):]
		if len(b) == 0 {
			break
		}
		if b[0] == x {
			out[k] = x
			k++
		}
	}
	return k, b, last
}
