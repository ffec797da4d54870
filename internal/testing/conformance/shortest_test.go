// This file runs the tests of shortest paths on both devices.

package conformance_test

import "testing"

func TestHostShortestPaths(t *testing.T) {
	onHost(3).ShortestPaths(t)
	onHost(3).ShortestPathsByWeight(t)
	onHost(2).ShortestPathsWeightless(t)
}

func TestGPUShortestPaths(t *testing.T) {
	s := onGPU(t)
	s.ShortestPaths(t)
	s.ShortestPathsByWeight(t)
	s.ShortestPathsWeightless(t)
}

func TestGPUAscending(t *testing.T) { onGPU(t).Ascending(t) }
