// This file holds the tests of FlexBFS's steps.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/paper"
	"github.com/foray-graph/foray/internal/paper/flex"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// flexGraphs are graphs for the steps: tiny ones, lattices with hubs, long and wide ones.
func (s Suite) flexGraphs(t *testing.T) map[string]*graph.Graph {
	graphs := map[string]*graph.Graph{}
	for _, name := range []string{"one", "loop", "two", "isolated", "sparse-65", "dense-64", "skewed-directed", "skewed-undirected", "star", "hubs", "line", "lattice", "components"} {
		graphs[name] = s.caseOf(name).Graph(163)
	}
	specs := []string{"hubs:30x20,p=0.01,degree=90", "hubs:60x50,p=0.003,degree=700,seed=2", "star:700", "path:300"}
	if !s.Small {
		specs = append(specs, "grid2d:700x500", "hubs:700x500", "road:700x500", "kron16")
	}
	for _, spec := range specs {
		g, err := gen.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if graphs[spec], err = gen.Build(context.Background(), g, graph.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	return graphs
}

// onFlex calls try with each of the graphs.
func (s Suite) onFlex(t *testing.T, seed uint64, try func(t *testing.T, p *graph.Placed, x *flex.Space, r *rand.Rand)) {
	for name, g := range s.flexGraphs(t) {
		t.Run(name, func(t *testing.T) {
			p, err := g.On(s.Device)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			x, err := flex.New(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := x.Close(); err != nil {
					t.Error(err)
				}
			}()
			try(t, p, x, rand.New(rand.NewPCG(seed, 1)))
		})
	}
}

// flexed compares the depths of a step with the sequential search's.
func flexed(p *graph.Placed, x *flex.Space, how flex.Step, source uint32) error {
	f, err := x.Search(how, source)
	if err != nil {
		return err
	}
	got, err := x.Depths()
	if err != nil {
		return err
	}
	want := oracle.Depths(p.Graph().Out(), source)
	if at := differ(got, want); !slices.Equal(got, want) {
		return fmt.Errorf("vertex %d has depth %d, want %d", at, got[at], want[at])
	}
	if levels := int(slices.Max(want)) + 1; f.Levels != levels || f.Launches > levels || f.Launches < 1 || f.Time < 0 {
		return fmt.Errorf("%+v, want %d levels", f, levels)
	}
	return nil
}

// Flex searches by each of FlexBFS's steps, with frontiers of any size in the combined kernel or few, and with hubs of
// many edges and of few.
func (s Suite) Flex(t *testing.T) {
	launches := map[flex.Step]int{}
	s.onFlex(t, 163, func(t *testing.T, p *graph.Placed, x *flex.Space, r *rand.Rand) {
		for i := range s.times(8, 2) {
			source := uint32(r.IntN(p.NumVertices()))
			for _, how := range flex.Steps() {
				x.Tune([]uint32{512, 1 << 30, 0, 3, 40}[r.IntN(5)], []uint32{256, 4, 0, 60}[r.IntN(4)])
				if err := flexed(p, x, how, source); err != nil {
					t.Fatalf("search %d, %s from %d: %v", i, how, source, err)
				}
			}
		}
		x.Tune(1<<30, 256)
		for _, how := range flex.Steps() {
			f, err := x.Search(how, 0)
			if err != nil {
				t.Fatal(err)
			}
			launches[how] += f.Launches
			if how >= flex.Combined && f.Launches != 1 {
				t.Errorf("%s: %d launches, want all levels in one", how, f.Launches)
			}
		}
		if _, err := x.Search(flex.Fixed, uint32(p.NumVertices())); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("a source that isn't there: %v", err)
		}
	})
	if launches[flex.Feedback] <= launches[flex.Combined] {
		t.Errorf("launches %v: the combined kernel saves none", launches)
	}
	s.flexEnds(t)
}

// flexEnds cancels searches, and makes blocks impatient: later searches are right.
func (s Suite) flexEnds(t *testing.T) {
	p, err := testgraph.Path(900).Graph(1).On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithCancel(context.Background())
	x, err := flex.New(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	late := 0
	for i := range s.times(60, 12) {
		patience := gpu.Patience
		if i%2 == 0 {
			gpu.Patience = 0
		}
		err := flexed(p, x, flex.Apart, uint32(i))
		gpu.Patience = patience
		if i%2 == 0 && errors.Is(err, device.ErrNotSupported) {
			late++
		} else if err != nil {
			t.Fatalf("search %d: %v", i, err)
		}
	}
	if late == 0 {
		t.Error("no block gave up")
	}
	cancel()
	for _, how := range flex.Steps() {
		if _, err := x.Search(how, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a canceled context: %v", how, err)
		}
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// FlexApart searches on a device that doesn't always run all blocks at once, as it should: the search ends with an
// error, and leaves nothing that would make the next one wrong.
func (s Suite) FlexApart(t *testing.T) {
	late := 0
	s.onFlex(t, 167, func(t *testing.T, p *graph.Placed, x *flex.Space, r *rand.Rand) {
		for range 2 {
			source := uint32(r.IntN(p.NumVertices()))
			for _, how := range flex.Steps() {
				switch err := flexed(p, x, how, source); {
				case how >= flex.Combined && errors.Is(err, device.ErrNotSupported):
					late++
				case err != nil:
					t.Fatalf("%s from %d: %v", how, source, err)
				}
			}
		}
	})
	if late == 0 {
		t.Error("all blocks ran at once, always")
	}
}

// FlexReport measures the ablation for the report of bench paper, on graphs smaller than the report's. A run that
// continues another one measures what that one lacks.
func (s Suite) FlexReport(t *testing.T) {
	made := map[string]int{}
	o := paper.Options{Scale: paper.Small, Sources: 2, Trials: 2, Seed: 1, Generate: func(ctx context.Context, spec string) (*graph.Graph, error) {
		name, _, _ := strings.Cut(spec, ":")
		small := map[string]string{"grid2d": "grid2d:20x20", "hubs": "hubs:20x20,p=0.01,degree=300", "road": "road:20x20"}[name]
		if small == "" { // of another part of the report
			small = "kron5"
		} else {
			made[spec]++
		}
		g, err := gen.Parse(small)
		if err != nil {
			return nil, err
		}
		return gen.Build(ctx, g, graph.Options{})
	}}
	stop := errors.New("stopped")
	o.Save = func(r *paper.Report) error {
		if o.Had = r; len(r.Flex) == 2 {
			return stop
		}
		return nil
	}
	if _, err := paper.Run(context.Background(), s.Device, true, nil, o); !errors.Is(err, stop) {
		t.Fatalf("%v, want the error of Save", err)
	}
	o.Save = nil
	r, err := paper.Run(context.Background(), s.Device, true, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	for spec, times := range made {
		if times != 1 {
			t.Errorf("%s was measured %d times", spec, times)
		}
	}
	if len(r.Flex) != 3 {
		t.Fatalf("%d graphs", len(r.Flex))
	}
	for _, x := range r.Flex {
		if len(x.Steps) != len(flex.Steps())+1 {
			t.Fatalf("%s: %d steps", x.Graph, len(x.Steps))
		}
		levels := 0.0
		for _, from := range x.Steps[0].Sources {
			levels += float64(from.Levels) / float64(len(x.Steps[0].Sources))
		}
		for _, step := range x.Steps {
			if !step.Checked || step.MinMS > step.MedianMS || step.MedianMS > step.MaxMS || len(step.Sources) != 2 || len(step.Sources[1].MS) != 2 {
				t.Errorf("%s, %s: %+v", x.Graph, step.Algorithm, step)
			}
		}
		if first, combined := x.Steps[flex.Fixed].Launches, x.Steps[flex.Combined].Launches; first != levels || combined != 1 {
			t.Errorf("%s: %v launches of a fixed grid, want %v; %v of the combined kernel, want 1", x.Graph, first, levels, combined)
		}
	}
	for _, f := range r.Files() {
		if err := f.Write(io.Discard); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
