// This file compares shortest paths with Dijkstra's algorithm, in the type of the distances.

package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// comparePaths compares the result of a search with a sequential search.
func comparePaths(g *graph.Graph, q sssp.Query, res *sssp.Result) error {
	switch d := res.Distances; d.Type() {
	case graph.WeightsInt64:
		return comparePathsOf(g, q, d.Int64, res.Parents)
	case graph.WeightsFloat64:
		return comparePathsOf(g, q, d.Float64, res.Parents)
	default:
		return comparePathsOf(g, q, d.Float32, res.Parents)
	}
}

// overflows reports whether a distance within the limit is past the largest number of the type that distances get.
func overflows(g *graph.Graph, o sssp.Options, q sssp.Query) bool {
	switch typ := g.WeightType(); {
	case o.Float32 || typ == graph.WeightsFloat32:
		return oracle.ShortestPaths[float32](g.Out(), q.Sources, q.Targets, q.Limit).Overflow
	case typ == graph.WeightsInt64:
		return oracle.ShortestPaths[int64](g.Out(), q.Sources, q.Targets, q.Limit).Overflow
	}
	return oracle.ShortestPaths[float64](g.Out(), q.Sources, q.Targets, q.Limit).Overflow
}

// expectOverflow checks that a search returned sssp.ErrOverflow alone.
func expectOverflow(res *sssp.Result, err error) error {
	if res != nil || !errors.Is(err, sssp.ErrOverflow) {
		return fmt.Errorf("a distance is past the largest number, but the error is %v", err)
	}
	return nil
}

func comparePathsOf[T interface {
	device.Elem
	int64 | float32 | float64
}](g *graph.Graph, q sssp.Query, got *traverse.Values[T], gotParents *traverse.Values[uint32]) error {
	want := oracle.ShortestPaths[T](g.Out(), q.Sources, q.Targets, q.Limit)
	if err := compare(got, want.Distances); err != nil {
		return fmt.Errorf("distances: %w", err)
	}
	if gotParents == nil {
		return nil
	}
	if err := compare(gotParents, want.Parents); err != nil {
		return fmt.Errorf("parents: %w", err)
	}
	byID, err := got.ByID()
	if err != nil {
		return err
	}
	for i, d := range byID {
		if v := g.IDs().AtRank(uint32(i)); d != want.Distances[v] {
			return fmt.Errorf("by id, entry %d is %v, that of vertex %d %v", i, d, v, want.Distances[v])
		}
	}
	return nil
}

// exactPaths searches over weights that float32 doesn't hold, and over those whose sums it doesn't.
func (s Suite) exactPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 2))
	for name, draw := range map[string]func(b *graph.Batch){
		"fractions": func(b *graph.Batch) { b.FloatWeights = append(b.FloatWeights, r.Float64()) },
		"singles":   func(b *graph.Batch) { b.FloatWeights = append(b.FloatWeights, float64(r.Float32())) },
		"long":      func(b *graph.Batch) { b.IntWeights = append(b.IntWeights, int64(1<<22+r.IntN(1<<22))) },
		"large":     func(b *graph.Batch) { b.FloatWeights = append(b.FloatWeights, []float64{0.1, 1e308}[r.IntN(2)]) },
		"wide":      func(b *graph.Batch) { b.IntWeights = append(b.IntWeights, 1<<24+r.Int64N(9)) },
		"longest":   func(b *graph.Batch) { b.IntWeights = append(b.IntWeights, 1<<52+r.Int64N(9)) },
	} {
		for _, c := range []string{"skewed-undirected", "road-undirected", "path"} {
			t.Run(name+"/"+c, func(t *testing.T) {
				shape := testgraph.ByName(c).Graph(1)
				b := graph.Batch{Type: graph.Int64}
				for u := range uint32(shape.NumVertices()) {
					for _, v := range shape.Out().Neighbors(u) {
						if shape.Directed() || u <= v {
							b.Src, b.Dst = append(b.Src, int64(u)), append(b.Dst, int64(v))
							draw(&b)
						}
					}
				}
				x := graph.NewBuilder(graph.Options{Weights: true, Directed: shape.Directed()})
				if err := x.Add(b); err != nil {
					t.Fatal(err)
				}
				p := s.built(t, x)
				defer p.Close()
				for _, e := range s.engines() {
					for i := range 2 {
						q := sssp.Query{Sources: []uint32{r.Uint32N(uint32(p.NumVertices()))}}
						if i == 1 {
							q.Targets = []uint32{r.Uint32N(uint32(p.NumVertices()))}
						}
						res, err := sssp.Run(t.Context(), p, q.Sources[0], sssp.Options{Parents: true, Engine: e, Targets: q.Targets})
						if overflows(p.Graph(), sssp.Options{}, q) {
							if err := expectOverflow(res, err); err != nil {
								t.Errorf("%s, %+v: %v", e, q, err)
							}
							continue
						}
						if err != nil {
							t.Fatal(err)
						}
						if err := comparePaths(p.Graph(), q, res); err != nil {
							t.Errorf("%s, %+v: %v", e, q, err)
						}
						if err := sssp.Validate(p.Graph(), res); err != nil {
							t.Errorf("%s, %+v: %v", e, q, err)
						}
						if err := res.Close(); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
	}
}
