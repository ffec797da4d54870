// This file holds the test of statistics of searches of many levels.

package conformance

import (
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// Deep searches a path of more levels than statistics keep one by one, and more than
// a kernel has notes on.
func (s Suite) Deep(t *testing.T) {
	n := int64(s.times(9000, 300))
	var src, dst []int64
	for v := range n - 1 {
		src, dst = append(src, v, v), append(dst, v+1, max(v-1, 0))
	}
	g := built(t, graph.Options{}, src, dst)
	r := rand.New(rand.NewPCG(139, 1))
	notes := tuning.FusedNotes
	defer func() { tuning.FusedNotes = notes }()
	for _, tuning.FusedNotes = range []uint64{notes, uint64(n) / 3} {
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range s.variants()[:s.times(2, 2)+map[bool]int{true: 2}[s.GPU]] {
			if (s.Small || tuning.FusedNotes != notes) && v.o.Tuning.Coupling != "fused" { // others go as on the host
				continue
			}
			for _, o := range []bfs.Options{{Stats: true}, {Stats: true, Outputs: bfs.Depths | bfs.Parents, DepthLimit: int(n) - 50 - r.IntN(50)}} {
				source := []uint32{r.Uint32N(10)}
				found, err := v.run(p, source, o)
				if err == nil {
					err = testsearch.Check(g, source, o, found)
				}
				if err != nil {
					t.Errorf("%s, %d notes: %v", v.name, tuning.FusedNotes, err)
				}
				found.Close()
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
