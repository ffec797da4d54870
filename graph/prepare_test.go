// This file tests what is estimated of the memory that searches' preparations take.

package graph_test

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/testgraph"
)

func TestPreparedBytes(t *testing.T) {
	for _, c := range testgraph.All() {
		g := c.Graph(91)
		p := testgraph.Place(g, 2)
		took, cuts := uint64(0), uint64(0)
		if prep := p.State().Prepare(); prep != nil {
			took, cuts = prep.Bytes, 8+4*uint64(len(prep.Cuts))
		}
		if f := p.State().Ell4(); f != nil {
			took += f.Bytes
		}
		if said := g.State().PreparedBytes(); said < took || said > took+cuts {
			t.Errorf("%s: %d bytes estimated, %d taken", c.Name, said, took)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
