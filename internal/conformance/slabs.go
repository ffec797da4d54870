// This file holds the tests of reduces over slabs, which graphs as small as those of tests don't have
// by themselves.

package conformance

import (
	"testing"

	"github.com/foray-graph/foray/internal/tuning"
)

// Slabs runs tests of reduces over slabs of 32 vertices wherever a reduce can be.
func (s Suite) Slabs(t *testing.T) {
	edges, degree, bits := tuning.SlabEdges, tuning.SlabDegree, tuning.SlabBits
	defer func() { tuning.SlabEdges, tuning.SlabDegree, tuning.SlabBits = edges, degree, bits }()
	tuning.SlabEdges, tuning.SlabDegree, tuning.SlabBits = 1, 0, 5
	t.Run("ranks", s.PageRanks)
	for _, c := range []composedTest{{"rank", composedRank}, {"generic reduce", composedGenericReduce}, {"all kinds", composedAll}} {
		t.Run(c.name, func(t *testing.T) { s.composed(t, c) })
	}
}
