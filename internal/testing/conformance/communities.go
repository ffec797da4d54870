// This file holds the tests of communities.

package conformance

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/leiden"
	"github.com/foray-graph/foray/algos/louvain"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// AlgorithmCommunities compares communities with the host's, which are the same ones: with and without weights, which float32
// may not hold, directed or not.
func (s Suite) AlgorithmCommunities(t *testing.T) {
	was := tuning.DeviceEdges
	defer func() { tuning.DeviceEdges = was }()
	r := rand.New(rand.NewPCG(47, 47))
	for i := range s.times(60, 9) { // graph 8 has self-loops, in rows that do not ascend
		n := 1 + r.IntN(200)
		var es []testgraph.Edge
		for range r.IntN(5 * n) {
			es = append(es, testgraph.Edge{From: r.Uint32N(1 + r.Uint32N(uint32(n))), To: r.Uint32N(uint32(n))})
		}
		kind := []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse}[i%2]
		if tuning.DeviceEdges = was; i%3 > 0 { // the device contracts small levels too, if float32 holds their weights
			tuning.DeviceEdges = 0
		}
		g, o := testgraph.Build(n, es, kind), leiden.Options{Seed: r.Uint64N(5), Resolution: []float64{0, 2}[i/2%2]}
		if i%4 > 1 {
			g, o.Weighted = testgraph.BuildWeighted(n, es, kind, r.Uint64()), true
		}
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		h, err := g.On(host.New(2))
		if err != nil {
			t.Fatal(err)
		}
		for name, run := range map[string]func(p *graph.Placed) (*leiden.Result, error){
			"leiden": func(p *graph.Placed) (*leiden.Result, error) { return leiden.Run(t.Context(), p, o) },
			"louvain": func(p *graph.Placed) (*leiden.Result, error) {
				r, err := louvain.Run(t.Context(), p, louvain.Options(o))
				return (*leiden.Result)(r), err
			},
		} {
			got, err := run(p)
			if err != nil {
				t.Fatalf("graph %d: %s: %v", i, name, err)
			}
			want, err := run(h)
			if err != nil {
				t.Fatalf("graph %d: %s on the host: %v", i, name, err)
			}
			a, err := got.Community.Slice()
			b, err2 := want.Community.Slice()
			if err = errors.Join(err, err2); err != nil || !slices.Equal(a, b) || got.Modularity != want.Modularity {
				t.Fatalf("graph %d, %+v: %s finds other communities than the host, of modularity %v, not %v: %v", i, o, name, got.Modularity, want.Modularity, err)
			}
			if name == "leiden" {
				err = leiden.Validate(g, got, o)
			}
			if err := errors.Join(err, got.Close(), want.Close()); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(p.Close(), h.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
