// This file holds the intersection by merging two rows.

package intersect

// merge writes the entries that both rows have to out, each once, until a row or
// out comes to its end. last is the entry before the first. It returns how many
// it wrote, the rest of the rows, and the last entry that it wrote.
func merge(a, b, out []uint32, last uint32) (k int, restA, restB []uint32, was uint32) {
	i, j := 0, 0
	for i < len(a) && j < len(b) && k < len(out) {
		// No branches but the loop's: which row continues can't be estimated.
		x, y := a[i], b[j]
		out[k] = x
		var same, fresh, stepA, stepB int
		if x == y {
			same = 1
		}
		if x != last {
			fresh = 1
		}
		if x <= y {
			stepA = 1
		}
		if y <= x {
			stepB = 1
		}
		if same != 0 {
			last = x
		}
		k += same & fresh
		i += stepA
		j += stepB
	}
	return k, a[i:], b[j:], last
}
