// This file tests weights out of range, and tables that don't go together.

package dataset

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// TestWeightRange: a finite number that is no float32 is an error with its
// place; infinities and NaN are what they are.
func TestWeightRange(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, weights []float64) string {
		ids := make([]int64, len(weights))
		for i := range ids {
			ids[i] = int64(i)
		}
		return samples.WriteTo(t, filepath.Join(dir, name), samples.WriteParquet(t, len(ids), 100, []samples.ParquetColumn{
			{Node: samples.Node(t, "src", false, nil, parquet.Types.Int64, 0), Values: ids},
			{Node: samples.Node(t, "dst", false, nil, parquet.Types.Int64, 0), Values: slices.Clone(ids)},
			{Node: samples.Node(t, "w", false, nil, parquet.Types.Double, 0), Values: weights},
		}))
	}
	weights := make([]float64, 250)
	weights[3], weights[4], weights[5], weights[6] = math.Inf(1), math.NaN(), math.MaxFloat32, -math.MaxFloat32
	o := Options{Weight: "w", Graph: graph.Options{KeepSelfLoops: true, Order: graph.OrderGiven}}
	g, err := Load(context.Background(), write("fine.parquet", weights), o)
	if err != nil {
		t.Fatal(err)
	}
	if w := g.Out().Weights; !math.IsInf(float64(w[3]), 1) || w[4] == w[4] || w[5] != math.MaxFloat32 {
		t.Errorf("%v", w[:8])
	}
	weights[217] = -1e39
	path := write("large.parquet", weights)
	if g, err = Load(context.Background(), path, o); err != nil || g.Out().FloatWeights[217] != -1e39 {
		t.Errorf("float64 holds it: %v", err)
	}
	o.Graph.WeightType = graph.WeightsFloat32
	_, err = Load(context.Background(), path, o)
	var f *input.FileError
	if !errors.Is(err, input.ErrWeight) || !errors.As(err, &f) || f.Path != path || f.Block != 2 || f.Row != 17 || f.Column != "w" || !strings.Contains(err.Error(), "-1e+39") {
		t.Errorf("%v", err)
	}
	o.Where = "src <> 217"
	if _, err := Load(context.Background(), path, o); err != nil {
		t.Errorf("the row is left out: %v", err)
	}
}

func TestTableErrors(t *testing.T) {
	dir := t.TempDir()
	one := intsFile(t, filepath.Join(dir, "one.parquet"), "src dst w a,b", 9, []int64{1}, []int64{2}, []int64{3}, []int64{4})
	for _, c := range []struct {
		name   string
		tables []Table
		is     error
		says   string
	}{
		{"none", nil, graph.ErrOptions, "no table"},
		{"weights of one", []Table{{Paths: []string{one}, Weight: "w"}, {Paths: []string{one}}}, input.ErrColumn, "weight"},
		{"weights of the other", []Table{{Paths: []string{one}}, {Paths: []string{one}, Weight: "w"}}, input.ErrColumn, "weights"},
		{"edge ids of one", []Table{{Paths: []string{one}, EdgeID: "w"}, {Paths: []string{one}}}, input.ErrColumn, "edge ids"},
		{"tuples of one", []Table{{Paths: []string{one}}, {Paths: []string{one}, Source: "src,w", Target: "dst,w"}}, input.ErrColumnType, "tuple"},
		{"as many", []Table{{Paths: []string{one}, Source: "src,w", Target: "dst"}}, input.ErrColumn, "names 2 columns and Options.Target 1"},
		{"only one side", []Table{{Paths: []string{one}, Source: "src,w"}}, input.ErrColumn, "name as many in Options.Target"},
		{"a quote", []Table{{Paths: []string{one}, Source: `"src`, Target: "dst"}}, input.ErrColumn, "isn't closed"},
		{"the same columns", []Table{{Paths: []string{one}, Source: "src,w", Target: "src,w"}}, input.ErrColumn, "both ends"},
		{"edge ids that aren't integers", []Table{{Paths: []string{one}, EdgeID: "x"}}, input.ErrColumn, `"x"`},
	} {
		_, err := OpenTables(context.Background(), c.tables, Options{})
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v that says %q", c.name, err, c.is, c.says)
		}
	}
	_, err := OpenTables(context.Background(), []Table{{Paths: []string{one}}}, Options{Where: "w > 1"})
	if !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "set Table.Where") {
		t.Errorf("a condition of all: %v", err)
	}
	// A name with a comma: as it is, and in quotes in a list.
	for source, want := range map[string]string{"a,b": "4", `"a,b",src`: "4,1"} {
		target := "dst"
		if source != "a,b" {
			target = "dst,w"
		}
		g, err := Load(context.Background(), one, Options{Source: source, Target: target})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.ParseVertex(want); err != nil {
			t.Error(err)
		}
	}
}
