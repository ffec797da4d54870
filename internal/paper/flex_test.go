// This file holds the tests of FlexBFS's ablation that need no GPU.

package paper

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

// TestFlexGraphs: specs of all scales are valid, and those of the paper's scale have millions of vertices.
func TestFlexGraphs(t *testing.T) {
	for _, g := range flexGraphs {
		for _, scale := range Scales {
			x, err := gen.Parse(g.specs[scale])
			if err != nil {
				t.Errorf("%s, %s: %v", g.name, scale, err)
			} else if scale == Paper && x.NumVertices() < 2_000_000 || scale == Small && x.NumVertices() > 20_000 {
				t.Errorf("%s, %s: %d vertices", g.name, scale, x.NumVertices())
			}
		}
	}
}

// TestFlexFigure: times become medians and rates, which the page, CSV and JSON have.
func TestFlexFigure(t *testing.T) {
	r := &Report{Command: "foray bench paper -o r", Machine: bench.Machine{Device: "cuda:0"}}
	for _, name := range []string{"lattice", "<road>"} {
		x := Flex{Graph: name, Input: "gen:" + name}
		for k, step := range []string{"fixed grid", "+ combined kernel"} {
			s := FlexStep{Launches: 7, Result: bench.Result{Algorithm: step, Checked: true}}
			for _, ms := range [][]float64{{4, 1, 2}, {8, 6}} {
				for i := range ms {
					ms[i] /= float64(k + 1)
				}
				s.Sources = append(s.Sources, bench.Source{Levels: 12, Edges: 3_000_000, MS: ms})
			}
			s.sum()
			x.Steps = append(x.Steps, s)
		}
		r.Flex = append(r.Flex, x)
	}
	s := r.Flex[0].Steps[0]
	if s.MinMS != 2 || s.MaxMS != 7 || s.MedianMS != 4.5 || math.Abs(s.GTEPS-(1.5+3./7)/2) > 1e-9 {
		t.Errorf("%+v", s.Result)
	}
	var page, data strings.Builder
	if err := r.writeHTML(&page); err != nil {
		t.Fatal(err)
	}
	figures := strings.Split(page.String(), "<figure>")
	last := figures[len(figures)-1]
	for _, part := range []string{"<svg", "<figcaption>", "FlexBFS", "compared with a sequential search", "<td>2.00</td>", "&lt;road&gt;", "<code>foray bench paper"} {
		if !strings.Contains(last, part) {
			t.Errorf("the figure has no %s", part)
		}
	}
	if err := table(&data, r.flexRows()); err != nil {
		t.Fatal(err)
	}
	if rows, err := csv.NewReader(strings.NewReader(data.String())).ReadAll(); err != nil || len(rows) != 1+2*2 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	text, err := json.Marshal(r)
	var again Report
	if err != nil || json.Unmarshal(text, &again) != nil || again.Flex[1].Steps[1].MedianMS != 2.25 || again.Flex[0].Steps[0].Launches != 7 {
		t.Errorf("%v: %s", err, text)
	}
}

// TestFlexNeedsGPU: the page of a host says why the figure is absent.
func TestFlexNeedsGPU(t *testing.T) {
	for device, want := range map[string]bool{"host": true, "cuda:0": false} {
		var page strings.Builder
		if err := (&Report{Machine: bench.Machine{Device: device}}).writeHTML(&page); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(page.String(), "need a GPU"); got != want {
			t.Errorf("%s: the page says that a GPU is needed: %v", device, got)
		}
	}
}

// BenchmarkFlex measures the ablation alone, at the paper's scale, and logs it; the times of Go's benchmark mean
// nothing. With -short graphs are small.
func BenchmarkFlex(b *testing.B) {
	dev, err := device.Open("cuda")
	if errors.Is(err, device.ErrNotSupported) {
		b.Skip("needs a GPU:", err)
	}
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	o := Options{Scale: Paper, Sources: 4, Trials: 3, Seed: 1, Generate: func(ctx context.Context, spec string) (*graph.Graph, error) {
		g, err := gen.Parse(spec)
		if err != nil {
			return nil, err
		}
		return gen.Build(ctx, g, graph.Options{})
	}}
	if testing.Short() {
		o.Scale, o.Sources, o.Trials = Small, 1, 1
	}
	for _, g := range flexGraphs {
		b.Run(g.name, func(b *testing.B) {
			var x *Flex
			for b.Loop() {
				if x, err = ablated(b.Context(), dev, g.name, g.specs[o.Scale], o); err != nil {
					b.Fatal(err)
				}
			}
			for _, s := range x.Steps {
				b.Logf("%-20s %6.0f launches %9.3f ms %7.3f GTEPS, directed", s.Algorithm, s.Launches, s.MedianMS, 2*s.GTEPS)
			}
		})
	}
}
