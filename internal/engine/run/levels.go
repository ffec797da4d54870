// This file holds how many levels of a deep traversal are kept, and how the others are
// summed up.

package run

import "slices"

// Statistics keep SingleLevels levels one by one, more than any traversal of a graph with
// short paths has, and road networks of a state's size. Up to MostLevels entries are kept in
// all, 256 KB of a search: enough to draw by.
const (
	SingleLevels = 2048
	MostLevels   = 4096
)

// WorkerBytes is what the host's operators hold for each worker, whatever the graph.
const WorkerBytes = 64 << 10

// AddLevel appends a level to those that are kept: the first SingleLevels as they are, the
// others summed up in entries that stand for equally many levels, except the last, and which
// are joined in pairs whenever there would be more than MostLevels entries. count says how
// many levels an entry stands for, sum sums up two that follow one another.
func AddLevel[L any](kept []L, l L, count func(L) int, sum func(a, b L) L) []L {
	n := len(kept)
	if n <= SingleLevels {
		return append(kept, l)
	}
	if last := kept[n-1]; count(last)+count(l) <= count(kept[SingleLevels]) {
		kept[n-1] = sum(last, l)
		return kept
	}
	if n == MostLevels {
		tail := kept[SingleLevels:]
		for i := range len(tail) / 2 {
			tail[i] = sum(tail[2*i], tail[2*i+1])
		}
		kept = slices.Delete(kept, SingleLevels+len(tail)/2, n)
	}
	return append(kept, l)
}
