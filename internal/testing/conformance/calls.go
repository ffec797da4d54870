// This file tests which driver calls runs make.

package conformance

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/bridges"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/color"
	"github.com/foray-graph/foray/algos/degree"
	"github.com/foray-graph/foray/algos/eigenvector"
	"github.com/foray-graph/foray/algos/hits"
	"github.com/foray-graph/foray/algos/katz"
	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/ktruss"
	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/algos/mis"
	"github.com/foray-graph/foray/algos/msf"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// costly are the calls that wait for the device, or take as long as a small run: no run makes
// them whose predecessor left its memory behind.
var costly = []string{"cuMemAlloc_v2", "cuMemFree_v2", "cuMemHostAlloc", "cuMemFreeHost", "cuModuleLoadDataEx", "cuModuleGetFunction", "cuStreamCreate", "cuMemGetInfo_v2"}

// Calls runs every algorithm again and again, and reads the names of the driver's calls from a
// file of the emulated GPU.
func (s Suite) Calls(t *testing.T, file string) {
	type result interface{ Close() error }
	of := func(r result, err error) (result, error) { return r, err }
	algorithms := map[string]func(p *graph.Placed) (result, error){
		"cc":    func(p *graph.Placed) (result, error) { return of(cc.Run(t.Context(), p, cc.Options{})) },
		"kcore": func(p *graph.Placed) (result, error) { return of(kcore.Run(t.Context(), p, kcore.Options{})) },
		"degree": func(p *graph.Placed) (result, error) {
			return of(degree.Run(t.Context(), p, degree.Options{Weighted: true}))
		},
		"eigenvector": func(p *graph.Placed) (result, error) {
			return of(eigenvector.Run(t.Context(), p, eigenvector.Options{Iterations: 5}))
		},
		"hits": func(p *graph.Placed) (result, error) {
			return of(hits.Run(t.Context(), p, hits.Options{Iterations: 5}))
		},
		"katz":  func(p *graph.Placed) (result, error) { return of(katz.Run(t.Context(), p, katz.Options{Alpha: 1e-5})) },
		"lpa":   func(p *graph.Placed) (result, error) { return of(lpa.Run(t.Context(), p, lpa.Options{})) },
		"color": func(p *graph.Placed) (result, error) { return of(color.Run(t.Context(), p, color.Options{})) },
		"bridges": func(p *graph.Placed) (result, error) {
			return of(bridges.Run(t.Context(), p, bridges.Options{}))
		},
		"ktruss":    func(p *graph.Placed) (result, error) { return of(ktruss.Run(t.Context(), p, ktruss.Options{})) },
		"msf":       func(p *graph.Placed) (result, error) { return of(msf.Run(t.Context(), p, msf.Options{})) },
		"mis":       func(p *graph.Placed) (result, error) { return of(mis.Run(t.Context(), p, mis.Options{})) },
		"pagerank":  func(p *graph.Placed) (result, error) { return of(pagerank.Run(t.Context(), p, pagerank.Options{})) },
		"triangles": func(p *graph.Placed) (result, error) { return of(triangles.Run(t.Context(), p, triangles.Options{})) },
		"bc": func(p *graph.Placed) (result, error) {
			return of(bc.Run(t.Context(), p, bc.Options{Sources: []uint32{1}}))
		},
		"bc, edges": func(p *graph.Placed) (result, error) {
			return of(bc.Run(t.Context(), p, bc.Options{Sources: []uint32{1}, Edges: true}))
		},
		"sssp": func(p *graph.Placed) (result, error) { return of(sssp.Run(t.Context(), p, 1, sssp.Options{})) },
	}
	for _, c := range []testgraph.Case{testgraph.ByName("skewed-undirected"), testgraph.Path(200)} { // of many edges, and of many levels
		p, err := simply(t, c.Weighted(1)).On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		for name, run := range algorithms {
			var calls []string
			for range 6 { // frontiers find their memory in the first few
				before, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				r, err := run(p)
				if err != nil {
					t.Fatalf("%s: %s: %v", c.Name, name, err)
				}
				if err := r.Close(); err != nil {
					t.Fatal(err)
				}
				after, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				calls = strings.Split(string(bytes.TrimSpace(after[len(before):])), "\n")
			}
			count := map[string]int{}
			for _, call := range calls {
				if !strings.HasPrefix(call, "of ") {
					count[call]++
				}
			}
			t.Logf("%s: %s: %v", c.Name, name, count)
			for call := range count {
				if slices.Contains(costly, call) {
					t.Errorf("%s: %s: %d calls of %s", c.Name, name, count[call], call)
				}
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// simply builds the graph as loading does: undirected, its rows ascending, each edge once.
func simply(t *testing.T, g *graph.Graph) *graph.Graph {
	b := graph.NewBuilder(graph.Options{Weights: true})
	for v := range uint32(g.NumVertices()) {
		to := g.Out().Neighbors(v)
		if err := graph.AddInts(b, slices.Repeat([]uint32{v}, len(to)), to, g.Out().Weights[g.Out().Offsets[v]:][:len(to)]); err != nil {
			t.Fatal(err)
		}
	}
	simple, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return simple
}
