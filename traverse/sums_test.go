package traverse_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/examples/walks"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

// fork returns a directed graph from 0 to 1 and 2 and from 1 to 2, with weights.
func fork(t *testing.T, weights ...float32) *graph.Placed {
	t.Helper()
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 2, 3, 3}, Targets: []uint32{1, 2, 2}, Weights: weights}, graph.CSROptions{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestWeightSums(t *testing.T) {
	p := fork(t, 0.5, 2, 3)
	x := traverse.New(context.Background(), p)
	defer x.Close()
	sums, again := traverse.WeightSums(x), traverse.WeightSums(x)
	if x.Err() != nil || !slices.Equal(sums.Host(), []float64{0.5, 2.5, 3}) || again != sums {
		t.Fatal(sums.Host(), x.Err())
	}
	if traverse.Set(x, sums, 1, 7); !errors.Is(x.Err(), graph.ErrOptions) || !strings.Contains(x.Err().Error(), "sums of weights of the graph") {
		t.Errorf("sums are written: %v", x.Err())
	}
	for _, bad := range []float32{-1, float32(math.NaN()), float32(math.Inf(1))} {
		x := traverse.New(context.Background(), fork(t, 1, 2, bad))
		if b := traverse.WeightSums(x); b != nil || !errors.Is(x.Err(), graph.ErrOptions) || !strings.Contains(x.Err().Error(), "the edge from 1 to 2 weighs") {
			t.Errorf("weight %v: %v", bad, x.Err())
		}
		x.Close()
	}
	x = traverse.New(context.Background(), fork(t))
	if traverse.WeightSums(x) != nil || !errors.Is(x.Err(), graph.ErrNoWeights) {
		t.Errorf("without weights: %v", x.Err())
	}
	if traverse.WeightSums(x) != nil || traverse.PrefixSums[int32](x, nil) != nil {
		t.Error("sums after an error")
	}
	x.Close()
}

func TestPrefixSums(t *testing.T) {
	p := fork(t)
	sums := func(make func(x *traverse.Traversal) *device.Buffer[float64], want []float64, text string) {
		t.Helper()
		x := traverse.New(context.Background(), p)
		defer x.Close()
		b := make(x)
		switch {
		case text == "" && (x.Err() != nil || !slices.Equal(b.Host(), want)):
			t.Errorf("%v, %v", b.Host(), x.Err())
		case text != "" && (b != nil || !errors.Is(x.Err(), graph.ErrOptions) || !strings.Contains(x.Err().Error(), text)):
			t.Errorf("%v, want %s", x.Err(), text)
		}
	}
	sums(func(x *traverse.Traversal) *device.Buffer[float64] {
		return traverse.PrefixSums(x, traverse.FromSlice(x, []int64{4, 5, 6}))
	}, []float64{4, 9, 6}, "")
	sums(func(x *traverse.Traversal) *device.Buffer[float64] {
		return traverse.PrefixSums(x, traverse.FromSlice(x, []int64{4, -5, 6}))
	}, nil, "the edge from 0 to 2 weighs -5")
	sums(func(x *traverse.Traversal) *device.Buffer[float64] {
		return traverse.PrefixSums(x, traverse.FromSlice(x, []float64{math.MaxFloat64, math.MaxFloat64, 6}))
	}, nil, "those of a row have a finite sum")
	sums(func(x *traverse.Traversal) *device.Buffer[float64] {
		return traverse.PrefixSums(x, traverse.FromSlice(x, []int64{4, 5}))
	}, nil, "a column of 2 entries for 3 edges")
	sums(func(x *traverse.Traversal) *device.Buffer[float64] { return traverse.PrefixSums[int32](x, nil) }, nil, "nil or closed")
}

// TestWalksEnd: walks end at a sink, and where all weights are zero.
func TestWalksEnd(t *testing.T) {
	x := traverse.New(context.Background(), fork(t, 1, 0, 0))
	defer x.Close()
	if visits := walks.Visits(x, 1, 100); x.Sync() != nil || !slices.Equal(visits.Host(), []uint32{0, 1, 0}) {
		t.Errorf("%v, %v", visits.Host(), x.Err())
	}
}

// TestPrefixSumsOfInEdges: a column in the order of in-edges would be added up along other rows.
func TestPrefixSumsOfInEdges(t *testing.T) {
	for _, directed := range []bool{true, false} {
		b := graph.NewBuilder(graph.Options{Directed: directed, Reverse: true, EdgeColumns: []string{"toll"}})
		defer b.Close()
		if err := b.Add(graph.Batch{Type: graph.Int64, Src: []int64{0, 0, 1}, Dst: []int64{1, 2, 2}, Columns: []graph.Column{{Name: "toll", Values: []int64{1, 2, 4}}}}); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.On(host.New(2))
		if err != nil {
			t.Fatal(err)
		}
		x := traverse.New(t.Context(), p)
		traverse.PrefixSums(x, traverse.InEdgeColumn[int64](x, "toll"))
		if err := x.Err(); directed != (errors.Is(err, graph.ErrOptions) && strings.Contains(err.Error(), "order of in-edges")) || !directed && err != nil {
			t.Errorf("directed %v: %v", directed, err)
		}
		x.Close()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
