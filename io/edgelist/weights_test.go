package edgelist

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// TestWeightTypes writes weights that float32 doesn't hold, and reads them back.
func TestWeightTypes(t *testing.T) {
	for _, c := range []struct {
		name string
		b    graph.Batch
		want string
	}{
		{"a.wel", graph.Batch{IntWeights: []int64{1<<24 + 1, math.MaxInt64}}, "int64 [16777217 9223372036854775807]"},
		{"b.csv", graph.Batch{IntWeights: []int64{1<<53 + 1, math.MinInt64}}, "int64 [9007199254740993 -9223372036854775808]"},
		{"c.wel", graph.Batch{FloatWeights: []float64{0.1, 1e-300}}, "float64 [0.1 1e-300]"},
		{"d.tsv", graph.Batch{FloatWeights: []float64{5e-324, 1e300}}, "float64 [5e-324 1e+300]"},
		{"e.wsg", graph.Batch{IntWeights: []int64{1<<24 + 1, -1<<31 + 1}}, "int64 [16777217 -2147483647]"},
	} {
		c.b.Type, c.b.Src, c.b.Dst = graph.Int64, []int64{0, 1}, []int64{1, 2}
		o := graph.Options{Directed: true, Weights: true, Order: graph.OrderGiven}
		b := graph.NewBuilder(o)
		if err := b.Add(c.b); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), c.name)
		if err := Write(t.Context(), path, g, WriteOptions{Weights: true}); err != nil {
			t.Fatal(err)
		}
		back, err := Load(t.Context(), path, Options{Graph: o})
		if err != nil {
			t.Fatal(err)
		}
		if got := typed(back); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		o.WeightType = graph.WeightsFloat32
		back, err = Load(t.Context(), path, Options{Graph: o})
		if c.name == "d.tsv" { // 1e300
			if err == nil {
				t.Errorf("%s: taken as float32", c.name)
			}
		} else if err != nil || back.WeightType() != graph.WeightsFloat32 || !back.State().ExactWeights() {
			t.Errorf("%s as float32: %v", c.name, err)
		}
	}
	for text, want := range map[string]string{
		`{"src":0,"dst":1,"weight":9007199254740993}` + "\n":                         "int64 [9007199254740993]",
		`{"src":0,"dst":1,"weight":0.1}` + "\n":                                      "float64 [0.1]",
		"{\"src\":0,\"dst\":1,\"weight\":7}\n{\"src\":1,\"dst\":2,\"weight\":0.1}\n": "float64 [7 0.1]",
		`%%MatrixMarket matrix coordinate real general` + "\n3 3 1\n1 2 7\n":         "float64 [7]",
		`%%MatrixMarket matrix coordinate integer general` + "\n3 3 1\n1 2 7\n":      "int64 [7]",
		"p sp 2 1\na 1 2 4294967297\n":                                               "int64 [4294967297]",
	} {
		name := map[byte]string{'{': "x.jsonl", '%': "x.mtx", 'p': "x.gr"}[text[0]]
		g, err := Load(t.Context(), write(t, name, []byte(text)), Options{Graph: graph.Options{Directed: true, Weights: true, Order: graph.OrderGiven}})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := typed(g); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// typed is the weights of a graph in their type.
func typed(g *graph.Graph) string {
	var all []any
	for e := range g.NumDirectedEdges() {
		if g.WeightType() == graph.WeightsInt64 {
			all = append(all, g.Out().IntWeight(e))
		} else {
			all = append(all, g.Out().FloatWeight(e))
		}
	}
	return fmt.Sprint(g.WeightType(), " ", all)
}
