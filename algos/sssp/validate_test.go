package sssp_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestValidate breaks results in every way, on a path of ten vertices with a way back.
func TestValidate(t *testing.T) {
	nan := float32(math.NaN())
	for _, test := range []struct {
		name  string
		spoil func(d []float32, p []uint32, r *sssp.Result)
		want  string
	}{
		{"as it is", func([]float32, []uint32, *sssp.Result) {}, ""},
		{"another limit", func(_ []float32, _ []uint32, r *sssp.Result) { r.Limit = 8 }, "beyond the limit"},
		{"a source moved", func(d []float32, _ []uint32, _ *sssp.Result) { d[0] = 1 }, "isn't at distance 0"},
		{"a source adopted", func(_ []float32, p []uint32, _ *sssp.Result) { p[0] = 1 }, "not itself"},
		{"no vertex as source", func(_ []float32, _ []uint32, r *sssp.Result) { r.Sources = []uint32{10} }, "isn't at distance 0"},
		{"too far", func(d []float32, _ []uint32, _ *sssp.Result) { d[9] = 10 }, "but at 9"},
		{"not reached", func(d []float32, p []uint32, _ *sssp.Result) { d[9], p[9] = inf, graph.NoVertex }, "but at 9"},
		{"too near", func(d []float32, _ []uint32, _ *sssp.Result) { d[9] = 8.5 }, "doesn't lead"},
		{"too near, with what follows", func(d []float32, _ []uint32, _ *sssp.Result) { d[8], d[9] = 7.5, 8.5 }, "doesn't lead"},
		{"NaN", func(d []float32, _ []uint32, _ *sssp.Result) { d[9] = nan }, "at distance NaN"},
		{"negative", func(d []float32, _ []uint32, _ *sssp.Result) { d[9] = -1 }, "at distance -1"},
		{"a parent of none", func(_ []float32, p []uint32, _ *sssp.Result) { p[5] = graph.NoVertex }, "doesn't lead"},
		{"no vertex as parent", func(_ []float32, p []uint32, _ *sssp.Result) { p[5] = 77 }, "doesn't lead"},
		{"another parent", func(_ []float32, p []uint32, _ *sssp.Result) { p[5] = 2 }, "doesn't lead"},
		{"a circle", func(_ []float32, p []uint32, _ *sssp.Result) { p[2], p[4] = 4, 3 }, "doesn't lead"},
		{"other counts", func(_ []float32, _ []uint32, r *sssp.Result) { r.Reached = 9 }, "the result says 9"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := edge(t, 0)
			r, err := sssp.Run(t.Context(), p, 0, sssp.Options{Parents: true, Float32: true})
			if err != nil {
				t.Fatal(err)
			}
			d, err := r.Distances.Float32.Slice()
			if err != nil {
				t.Fatal(err)
			}
			parents, err := r.Parents.Slice()
			if err != nil {
				t.Fatal(err)
			}
			test.spoil(d, parents, r)
			err = sssp.Validate(p.Graph(), r)
			if test.want == "" && err != nil || test.want != "" && (!errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// TestValidateCircle says that a circle of edges without weight doesn't hold itself up, with and
// without parents.
func TestValidateCircle(t *testing.T) {
	for _, parents := range []bool{false, true} {
		g := weighted(t, testgraph.ByName("cycle").Graph(1), rand.New(rand.NewPCG(1, 1)), draws["nothing"])
		r, err := sssp.Run(t.Context(), placed(t, g, 2), 0, sssp.Options{Parents: parents, Limit: 7})
		if err != nil {
			t.Fatal(err)
		}
		if err := sssp.Validate(g, r); err != nil {
			t.Fatal(err)
		}
		r.Sources = nil
		if err := sssp.Validate(g, r); !errors.Is(err, graph.ErrInvalid) {
			t.Error(err)
		}
	}
}

func TestValidateNothing(t *testing.T) {
	p := edge(t, 1)
	if err := sssp.Validate(nil, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	if err := sssp.Validate(p.Graph(), nil); !errors.Is(err, graph.ErrInvalid) {
		t.Error(err)
	}
	r, err := sssp.Run(t.Context(), p, 0, sssp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	other := testgraph.ByName("road-directed").Weighted(1)
	if err := sssp.Validate(other, r); !errors.Is(err, graph.ErrInvalid) {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := sssp.Validate(p.Graph(), r); !errors.Is(err, graph.ErrInvalid) || !errors.Is(err, device.ErrClosed) {
		t.Error(err)
	}
}
