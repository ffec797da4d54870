package conformance

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// SteadySearchers has searchers search in steady state: the program allocates next to nothing then.
func (s Suite) SteadySearchers(t *testing.T) {
	const searches = 10
	defer func(was bool) { tuning.LevelByLevel = was }(tuning.LevelByLevel)
	for _, name := range []string{"sparse-65", "tree"} {
		p, err := testgraph.ByName(name).Weighted(7).On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		most := uint32(min(100, p.NumVertices()))
		for _, levels := range []bool{false, true} {
			tuning.LevelByLevel = levels
			for _, c := range steadySearchers(t, p) {
				source := uint32(0)
				search := func() {
					source = (source + 7) % most
					if err := c.search(source); err != nil {
						t.Fatal(c.name, err)
					}
				}
				for range 12 { // it allocates what it needs
					search()
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range searches {
					search()
				}
				runtime.ReadMemStats(&after)
				bytes, pieces := (after.TotalAlloc-before.TotalAlloc)/searches, (after.Mallocs-before.Mallocs)/searches
				if t.Logf("%s, %s, level by level %v: a search takes %d bytes, in %d pieces", name, c.name, levels, bytes, pieces); bytes >= 1024 {
					t.Errorf("%s, %s, level by level %v: %d bytes are too much", name, c.name, levels, bytes)
				}
				if err := c.close(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

type steadySearcher struct {
	name   string
	search func(source uint32) error
	close  func() error
}

func steadySearchers(t *testing.T, p *graph.Placed) (all []steadySearcher) {
	for _, parents := range []bool{false, true} {
		s, err := sssp.NewSearcher(p, sssp.Options{Parents: parents})
		if err != nil {
			t.Fatal(err)
		}
		q := sssp.Query{Sources: make([]uint32, 1)}
		all = append(all, steadySearcher{fmt.Sprintf("sssp, parents %v", parents), func(v uint32) error {
			q.Sources[0] = v
			_, err := s.Run(t.Context(), q)
			return err
		}, s.Close})
	}
	b, err := bc.NewSearcher(p, bc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	from := make([]uint32, 2)
	all = append(all, steadySearcher{"bc", func(v uint32) error {
		from[0], from[1] = v, v/2
		_, err := b.Run(t.Context(), from)
		return err
	}, b.Close})
	m, err := msbfs.NewSearcher(p, msbfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	many := make([]uint32, 64)
	return append(all, steadySearcher{"msbfs", func(v uint32) error {
		for i := range many {
			many[i] = (v + uint32(i*i)) % uint32(p.NumVertices())
		}
		_, err := m.Run(t.Context(), many)
		return err
	}, m.Close})
}
