// This file holds what measures the memory of searches in steady state.

package testgraph

import (
	"runtime"
	"testing"
)

// Steady returns how many bytes a search takes in steady state, and in how many pieces: the mean of 20
// searches after 5 others. Which worker gets how much of a search differs, so that one makes room for more
// than it had before now and then, and the rest of the process allocates too. So where the mean isn't small
// others follow, of which the least counts.
func Steady(search func()) (bytes, pieces float64) {
	const small, means = 256, 8
	for range 5 {
		search()
	}
	for i := range means {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 20 {
			search()
		}
		runtime.ReadMemStats(&after)
		if mean := float64(after.TotalAlloc-before.TotalAlloc) / 20; i == 0 || mean < bytes {
			bytes = mean
		}
		if bytes <= small {
			break
		}
	}
	return bytes, testing.AllocsPerRun(20, search)
}
