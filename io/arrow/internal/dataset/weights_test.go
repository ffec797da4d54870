package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/prepared"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// TestWeightColumns reads weights of all types, and writes them as tables and prepared graphs.
func TestWeightColumns(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	const big = 1<<53 + 1
	for name, c := range map[string]struct {
		typ    parquet.Type
		values any
		asked  graph.WeightType
		want   []string
		kind   graph.WeightType
	}{
		"int64":      {parquet.Types.Int64, []int64{1, big, math.MaxInt64, -5}, 0, []string{"1", "9007199254740993", "9223372036854775807", "-5"}, graph.WeightsInt64},
		"small":      {parquet.Types.Int64, []int64{1, 2, 3, 4}, 0, []string{"1", "2", "3", "4"}, graph.WeightsInt64},
		"double":     {parquet.Types.Double, []float64{0.1, 1e-300, 1e300, 5e-324}, 0, []string{"0.1", "1e-300", "1e+300", "5e-324"}, graph.WeightsFloat64},
		"as float64": {parquet.Types.Int64, []int64{1, big, 3, 4}, graph.WeightsFloat64, []string{"1", "9.007199254740992e+15", "3", "4"}, graph.WeightsFloat64},
		"as float32": {parquet.Types.Double, []float64{0.1, 1e-300, 3, 4}, graph.WeightsFloat32, []string{"0.10000000149011612", "0", "3", "4"}, graph.WeightsFloat32},
	} {
		t.Run(name, func(t *testing.T) {
			ids := []int64{0, 1, 2, 3}
			path := samples.WriteTo(t, filepath.Join(dir, name+".parquet"), samples.WriteParquet(t, len(ids), 100, []samples.ParquetColumn{
				{Node: samples.Node(t, "src", false, nil, parquet.Types.Int64, 0), Values: ids},
				{Node: samples.Node(t, "dst", false, nil, parquet.Types.Int64, 0), Values: []int64{1, 2, 3, 4}},
				{Node: samples.Node(t, "weight", false, nil, c.typ, 0), Values: c.values},
			}))
			o := Options{Graph: graph.Options{Directed: true, Weights: true, Order: graph.OrderGiven, WeightType: c.asked}}
			check := func(what string, g *graph.Graph, err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				var got []string
				for e := range g.NumDirectedEdges() {
					if g.WeightType() == graph.WeightsInt64 {
						got = append(got, fmt.Sprint(g.Out().IntWeight(e)))
					} else {
						got = append(got, fmt.Sprint(g.Out().FloatWeight(e)))
					}
				}
				if !slices.Equal(got, c.want) || g.WeightType() != c.kind {
					t.Errorf("%s: %v of %v, want %v of %v", what, got, g.WeightType(), c.want, c.kind)
				}
			}
			g, err := Load(ctx, path, o)
			check("loaded", g, err)
			stored := filepath.Join(dir, name+".foray")
			if err := prepared.WriteGraph(ctx, stored, g, prepared.WriteGraphOptions{}); err != nil {
				t.Fatal(err)
			}
			opened, err := prepared.OpenGraph(ctx, stored, prepared.OpenGraphOptions{})
			check("prepared", opened, err)
			if err := opened.Close(); err != nil {
				t.Error(err)
			}
			single, err := prepared.OpenGraph(ctx, stored, prepared.OpenGraphOptions{WeightType: graph.WeightsFloat32})
			if err != nil || single.WeightType() != graph.WeightsFloat32 || !single.State().ExactWeights() {
				t.Errorf("opened as float32: %v", err)
			}
			if err := single.Close(); err != nil {
				t.Error(err)
			}
			for _, ext := range []string{".parquet", ".arrow"} {
				table := filepath.Join(dir, name+"-back"+ext)
				if err := write.WriteEdges(ctx, table, g, write.WriteOptions{}); err != nil {
					t.Fatal(err)
				}
				again := o
				again.Graph.WeightType = graph.WeightsAuto
				if c.asked == graph.WeightsFloat32 {
					again.Graph.WeightType = c.asked
				}
				back, err := Load(ctx, table, again)
				check("back from "+ext, back, err)
			}
		})
	}
}

// TestUnsignedWeights refuses weights past int64, and takes them as floats.
func TestUnsignedWeights(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "w.parquet")
	if err := write.WriteColumns(ctx, path, pathGraph(t), []write.ResultColumn{
		{Name: "src", Values: []uint32{0, 1, 2}}, {Name: "dst", Values: []uint32{1, 2, 0}}, {Name: "weight", Values: []uint64{1, 1 << 63, 3}},
	}, write.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	o := Options{Source: "src", Target: "dst", Weight: "weight", Graph: graph.Options{Directed: true, Order: graph.OrderGiven}}
	if _, err := Load(ctx, path, o); !errors.Is(err, input.ErrWeight) || !strings.Contains(err.Error(), "9223372036854775808") || !strings.Contains(err.Error(), "WeightsFloat64") {
		t.Errorf("%v", err)
	}
	o.Graph.WeightType = graph.WeightsFloat64
	g, err := Load(ctx, path, o)
	if err != nil || g.Out().FloatWeight(1) != 1<<63 {
		t.Errorf("%v", err)
	}
}

func pathGraph(t *testing.T) *graph.Graph {
	t.Helper()
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 1, 2, 2}, Targets: []uint32{1, 2}}, graph.CSROptions{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
