// This file tests reduces over slabs. Test graphs are too small to get slabs
// without it.

package conformance

import (
	"testing"

	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/operators/reduce"
)

// Slabs runs tests of reduces over slabs of 32 vertices wherever a reduce can be.
func (s Suite) Slabs(t *testing.T) {
	edges, degree, bits, run := tuning.SlabEdges, tuning.SlabDegree, tuning.SlabBits, tuning.SlabRun
	defer func() {
		tuning.SlabEdges, tuning.SlabDegree, tuning.SlabBits, tuning.SlabRun = edges, degree, bits, run
	}()
	tuning.SlabEdges, tuning.SlabDegree, tuning.SlabBits, tuning.SlabRun = 1, 0, 5, 1
	t.Run("ranks", s.PageRanks)
	t.Run("bytes", s.slabsUsed)
	for _, c := range []composedTest{{"rank", composedRank}, {"generic reduce", composedGenericReduce}, {"all kinds", composedAll}} {
		t.Run(c.name, func(t *testing.T) { s.composed(t, c) })
	}
}

// slabsUsed compares the memory that ranks over slabs keep with the prediction.
func (s Suite) slabsUsed(t *testing.T) {
	dev := s.Device.(interface{ Used() uint64 })
	p := s.generate(t, "urand10")
	defer p.Close()
	before := dev.Used()
	r, err := pagerank.Run(t.Context(), p, pagerank.Options{Iterations: 2, Tolerance: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if used, said := dev.Used()-before, pagerank.Bytes(p, pagerank.Options{Iterations: 2, Tolerance: -1}); used > said || reduce.SlabBytes(p) == 0 {
		t.Errorf("ranks take %d bytes beside the graph, %d were foretold", used, said)
	}
}
