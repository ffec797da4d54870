// This file holds what measures the memory of searches in steady state.

package testgraph

import (
	"runtime"
	"testing"
)

// Steady returns how many bytes a search takes in steady state, and in how many pieces: the mean of 20
// searches after 5 others, and the least of three such means. The rest of the process allocates too, and which
// worker gets how much of a search differs, so that one may make room for more than it had before.
func Steady(search func()) (bytes, pieces float64) {
	for range 5 {
		search()
	}
	for i := range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 20 {
			search()
		}
		runtime.ReadMemStats(&after)
		if mean := float64(after.TotalAlloc-before.TotalAlloc) / 20; i == 0 || mean < bytes {
			bytes = mean
		}
	}
	return bytes, testing.AllocsPerRun(20, search)
}
