// This file tests the estimates of a GPU's memory.

package conformance

import (
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/graph"
)

// Estimated compares the estimate of a search's memory before the graph is placed with
// its searcher's.
func (s Suite) Estimated(t *testing.T) {
	s.some(t, 73, []string{"one", "sparse-65", "skewed-reverse", "line", "road-undirected"}, func(t *testing.T, p *graph.Placed, _ *rand.Rand) {
		for _, v := range s.variants() {
			for _, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents, Stats: true}, {Outputs: bfs.Depths | bfs.Parents, ByID: true}, {Targets: []uint32{0}}} {
				if o = v.countable(o); !v.fits(p.Graph(), o) {
					continue
				}
				one, err := v.searcher(p, o)
				if err != nil {
					t.Fatalf("%s: %v", v.name, err)
				}
				o.Tuning = v.o.Tuning
				said, _ := o.RemoteBytes(p.Graph())
				exact := o.Tuning.Coupling != ""
				if v.pull {
					said, _ = dobfs.Options{Outputs: o.Outputs, Targets: o.Targets, Stats: o.Stats,
						ByID: o.ByID, Tuning: bfs.Tuning{Coupling: o.Tuning.Coupling}}.RemoteBytes(p.Graph())
					exact = true
				}
				if got := one.Bytes(); said < got || exact && said != got || said > 4*got {
					t.Errorf("%s, %+v: %d bytes estimated, a searcher says %d", v.name, o, said, got)
				}
				if err := one.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// Used searches a mesh on a GPU, which takes no more of its memory than was estimated.
func (s Suite) Used(t *testing.T) {
	dev := s.Device.(interface{ Used() uint64 })
	before := dev.Used()
	p := s.generate(t, "grid2d:200x200")
	o := dobfs.Options{Outputs: bfs.Depths | bfs.Parents}
	r, err := dobfs.Run(t.Context(), p, 0, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	g := p.Graph()
	rows := g.RemoteBytes()
	search, shared := o.RemoteBytes(g)
	if used := dev.Used() - before; used > rows+shared+search || shared != 16*40_000 {
		t.Errorf("a search and its graph take %d bytes; estimated %d of the graph, %d beside, %d of the search", used, rows, shared, search)
	}
}
