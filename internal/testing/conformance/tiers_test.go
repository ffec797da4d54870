// This file runs tests of steps and algorithms over graphs in tiers.

package conformance_test

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/conformance"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// inTiers places all graphs in tiers, whose rows are streamed through buffers of so many entries; 0: read in place.
func inTiers(t *testing.T, entries uint64) conformance.Suite {
	chunk, least, register := tuning.ChunkEntries, tuning.LeastChunk, tuning.RegisterBytes
	tuning.InTiers, tuning.ChunkEntries, tuning.LeastChunk, tuning.RegisterBytes = true, entries, 1, 64<<10
	t.Cleanup(func() {
		tuning.InTiers, tuning.ChunkEntries, tuning.LeastChunk, tuning.RegisterBytes = false, chunk, least, register
	})
	return onGPU(t)
}

// TestGPUTiersAlgorithms has rows in chunks. Chunks are a few rows, and some rows are longer than a buffer.
func TestGPUTiersAlgorithms(t *testing.T) {
	s := inTiers(t, 300)
	t.Run("cc", s.AlgorithmCC)
	t.Run("pagerank", s.PageRanks)
	if !testlong.Long() {
		return
	}
	t.Run("decayed", s.RanksDecayed)
	t.Run("centralities", s.Centralities)
	t.Run("sssp", s.ShortestPaths)
	t.Run("msbfs", s.AlgorithmMSBFS)
	t.Run("bc", s.AlgorithmBC)
	t.Run("kcore", s.AlgorithmKCore)
	t.Run("lpa", s.Labels)
	t.Run("color", s.AlgorithmColor)
	t.Run("communities", s.AlgorithmCommunities)
	t.Run("mis", s.AlgorithmMIS)
	t.Run("bridges", s.AlgorithmBridges)
	t.Run("msf", s.AlgorithmMSF)
	t.Run("topo", s.AlgorithmTopo)
	t.Run("similar", s.AlgorithmSimilar)
	t.Run("walks", s.AlgorithmWalks)
	t.Run("triangles", s.AlgorithmTriangles)
}

// TestGPUTiersSteps does the same for steps and traversals that are composed of them.
func TestGPUTiersSteps(t *testing.T) {
	s := inTiers(t, 300)
	t.Run("traversals", s.Traversals)
	if !testlong.Long() {
		return
	}
	t.Run("composed", s.Composed)
	t.Run("programs", s.Programs)
	t.Run("piles", s.Piles)
	t.Run("by key", s.ByKey)
	t.Run("columns", s.Columns)
	t.Run("accumulators", s.Accumulators)
	t.Run("contract", s.Contract)
	t.Run("arrays", s.Arrays)
	t.Run("wide", func(t *testing.T) {
		tuning.WideOffsets = true
		defer func() { tuning.WideOffsets = false }()
		s.PageRanks(t)
	})
}

// TestGPUTiersInPlace reads rows in place.
func TestGPUTiersInPlace(t *testing.T) {
	s := inTiers(t, 0)
	t.Run("cc", s.AlgorithmCC)
	if testlong.Long() {
		t.Run("pagerank", s.PageRanks)
		t.Run("traversals", s.Traversals)
	}
}

// TestGPUTiersLimit runs algorithms on a graph in tiers within a limit of the device's memory.
func TestGPUTiersLimit(t *testing.T) { onEmulated(t).TiersLimit(t) }
