package testgraph

import (
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// TestCasesAreWhatTheySay keeps the cases from turning into ones that no
// longer reach the code they are for.
func TestCasesAreWhatTheySay(t *testing.T) {
	longest := func(g *graph.Graph) (d uint64) { return g.DegreeHistogram().Max }
	for _, c := range All() {
		g := c.Graph(1)
		if err := g.Out().Check(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if g.Directed() != (c.Kind != Undirected) || (g.In() != nil) != (c.Kind != Directed) {
			t.Errorf("%s: directed %v, reverse %v", c.Name, g.Directed(), g.In() != nil)
		}
		again := c.Graph(1)
		if !slices.Equal(g.Out().Targets, again.Out().Targets) || !slices.Equal(g.Out().Offsets, again.Out().Offsets) {
			t.Errorf("%s: another graph from the same seed", c.Name)
		}
		if in := g.In(); in != nil && g.Directed() {
			want := g.Out().Transpose()
			if !slices.Equal(in.Offsets, want.Offsets) {
				t.Fatalf("%s: the reverse has other degrees", c.Name)
			}
			for v := range uint32(g.NumVertices()) {
				row := slices.Sorted(slices.Values(in.Neighbors(v)))
				if !slices.Equal(row, want.Neighbors(v)) {
					t.Fatalf("%s: row %d of the reverse", c.Name, v)
				}
			}
		}
	}
	for _, name := range []string{"star", "hubs", "road-directed"} {
		if d := longest(ByName(name).Graph(1)); d < HubRow {
			t.Errorf("%s: the longest row is %d, want %d", name, d, HubRow)
		}
	}
	for _, name := range []string{"road-undirected", "road-directed", "road-reverse"} {
		if f := Place(ByName(name).Graph(1), 1).State().Ell4(); f == nil || f.Long == nil {
			t.Errorf("%s: want ELL4 rows with some that are longer", name)
		}
	}
	if f := Place(ByName("lattice").Graph(1), 1).State().Ell4(); f == nil || f.Long != nil {
		t.Error("lattice: want ELL4 rows, none longer")
	}
	if f := Place(ByName("uniform-undirected").Graph(1), 1).State().Ell4(); f != nil {
		t.Error("uniform: want no ELL4 rows")
	}
	sorted := true
	for g, v := ByName("uniform-directed").Graph(1), uint32(0); v < 3000 && sorted; v++ {
		sorted = slices.IsSorted(g.Out().Neighbors(v))
	}
	if sorted {
		t.Error("uniform: want unsorted rows")
	}
}
