// This file holds FlexBFS's ablation: what each of its ideas gains, on a GPU.

package paper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/page"
	"github.com/foray-graph/foray/internal/paper/flex"
)

// Flex is what the steps of FlexBFS's ablation took on one graph.
type Flex struct {
	Graph         string     `json:"graph"`
	Input         string     `json:"input"`
	Vertices      int        `json:"vertices"`
	DirectedEdges uint64     `json:"directed_edges"`
	Steps         []FlexStep `json:"steps"` // the last one is bfs with its automatic choices
}

// FlexStep is what one step took.
type FlexStep struct {
	bench.Result
	Launches float64 `json:"launches,omitempty"` // of kernels that expand a frontier, in the mean over the sources
}

// flexGraphs are the ablation's graphs: a name, and the specs by scale.
var flexGraphs = []struct {
	name  string
	specs map[Scale]string
}{
	{"lattice", map[Scale]string{Small: "grid2d:100x100", Medium: "grid2d:700x700", Paper: "grid2d:2000x2000"}},
	{"lattice with 0.1% hubs", map[Scale]string{Small: "hubs:100x100", Medium: "hubs:700x700", Paper: "hubs:2000x2000"}},
	{"road", map[Scale]string{Small: "road:100x100", Medium: "road:700x700", Paper: "road:2000x2000"}},
}

// ablate measures the ablation's graphs that had lacks.
func (r *Report) ablate(ctx context.Context, dev device.Device, o Options, had *Report, tell func(phase string), save func() error) error {
	for _, g := range flexGraphs {
		spec := g.specs[o.Scale]
		if i := slices.IndexFunc(had.Flex, func(x Flex) bool { return x.Input == "gen:"+spec }); i >= 0 {
			r.Flex = append(r.Flex, had.Flex[i])
			continue
		}
		tell("FlexBFS, " + g.name)
		x, err := ablated(ctx, dev, g.name, spec, o)
		if err != nil {
			return fmt.Errorf("%s: %w", spec, err)
		}
		r.Flex = append(r.Flex, *x)
		if err := save(); err != nil {
			return err
		}
	}
	return nil
}

func ablated(ctx context.Context, dev device.Device, name, spec string, o Options) (_ *Flex, err error) {
	g, err := o.Generate(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	p, err := g.On(dev)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	b, err := bench.Run(ctx, p, bench.Options{Sources: o.Sources, Seed: o.Seed, Trials: o.Trials, NoCheck: o.NoCheck, Algorithms: []bench.Algorithm{{Kind: bench.BFS}}})
	if err != nil {
		return nil, err
	}
	x := &Flex{Graph: name, Input: "gen:" + spec, Vertices: g.NumVertices(), DirectedEdges: g.NumDirectedEdges()}
	bfs := b.Results[0]
	if x.Steps, err = flexSteps(ctx, p, bfs, o); err != nil {
		return nil, err
	}
	bfs.Algorithm = "bfs, automatic"
	x.Steps = append(x.Steps, FlexStep{Result: bfs})
	return x, nil
}

// flexSteps searches by each step from the sources of a result. Depths are compared before anything is timed; trials
// of the steps alternate, as in bench.Run.
func flexSteps(ctx context.Context, p *graph.Placed, like bench.Result, o Options) (_ []FlexStep, err error) {
	g := p.Graph()
	sources := bench.Sources(g, bench.ExternalOrder(g.IDs()), o.Sources, o.Seed)
	s, err := flex.New(ctx, p)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	list := make([]FlexStep, len(flex.Steps()))
	for i, how := range flex.Steps() {
		list[i].Result = bench.Result{Algorithm: how.String(), Checked: !o.NoCheck, Sources: slices.Clone(like.Sources)}
	}
	for i, v := range sources {
		var want []int32
		if !o.NoCheck {
			if want, err = oracle.DepthsContext(ctx, g.Out(), v); err != nil {
				return nil, err
			}
		}
		for k, how := range flex.Steps() { // without a check it warms up
			f, err := s.Search(how, v)
			if err != nil {
				return nil, err
			}
			list[k].Launches += float64(f.Launches) / float64(len(sources))
			if o.NoCheck {
				continue
			}
			got, err := s.Depths()
			if err != nil {
				return nil, err
			}
			if !slices.Equal(got, want) || f.Levels != like.Sources[i].Levels {
				return nil, &bench.CheckError{Algorithm: "FlexBFS, " + how.String(), Source: like.Sources[i].ID, Err: errors.New("depths differ")}
			}
		}
	}
	for i, v := range sources {
		for k := range list {
			list[k].Sources[i].MS = nil
		}
		for began := time.Now(); time.Since(began) < bench.WarmUp; {
			if _, err := s.Search(flex.Fixed, v); err != nil {
				return nil, err
			}
		}
		for range o.Trials {
			for k, how := range flex.Steps() {
				f, err := s.Search(how, v)
				if err != nil {
					return nil, err
				}
				list[k].Sources[i].MS = append(list[k].Sources[i].MS, f.Time.Seconds()*1e3)
			}
		}
	}
	for k := range list {
		list[k].sum()
	}
	return list, nil
}

// sum fills in the medians, as bench.Run does.
func (s *FlexStep) sum() {
	var times, rates []float64
	for i := range s.Sources {
		x := &s.Sources[i]
		x.MedianMS = middle(x.MS)
		x.GTEPS = 0
		if x.MedianMS > 0 {
			x.GTEPS = float64(x.Edges) / x.MedianMS / 1e6
		}
		times, rates = append(times, x.MedianMS), append(rates, x.GTEPS)
	}
	s.MinMS, s.MedianMS, s.MaxMS, s.GTEPS = slices.Min(times), middle(times), slices.Max(times), middle(rates)
}

// middle is the median; of an even number of values it is the mean of the two in the middle.
func middle(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func (r *Report) writeFlex(p *page.Page) {
	const title = "FlexBFS's ablation"
	if len(r.Flex) == 0 {
		if r.Device == "host" {
			p.Text("h2", title)
			p.Text("p", "The steps of FlexBFS (Liu et al., PPoPP 2012) need a GPU.")
		}
		return
	}
	p.Text("h2", title)
	rows := [][]string{{"graph", "step", "levels", "launches", "ms", "GTEPS", "times " + r.Flex[0].Steps[0].Algorithm}}
	var names, labels []string
	for _, s := range r.Flex[0].Steps {
		names = append(names, s.Algorithm)
	}
	var ratios [][]float64
	checked := "Depths were compared with a sequential search before timing."
	for _, x := range r.Flex {
		var line []float64
		for _, s := range x.Steps {
			levels, launches := 0, ""
			for _, from := range s.Sources {
				levels = max(levels, from.Levels)
			}
			if s.Launches > 0 {
				launches = page.SI(s.Launches)
			}
			ratio := 0.0
			if first := x.Steps[0].GTEPS; first > 0 {
				ratio = s.GTEPS / first
			}
			line = append(line, ratio)
			rows = append(rows, []string{x.Graph + ", " + x.Input, s.Algorithm, fmt.Sprint(levels), launches, fmt.Sprintf("%.3g", s.MedianMS), fmt.Sprintf("%.3g", 2*s.GTEPS), fmt.Sprintf("%.2f", ratio)})
			if !s.Checked {
				checked = "Depths were not checked (--no-check)."
			}
		}
		labels, ratios = append(labels, x.Graph), append(ratios, line)
	}
	p.Figure("Rates of the steps of Liu et al., “FlexBFS” (PPoPP 2012), as multiples of the first one's, and of bfs with its automatic choices. Each step has the ideas of those before it. The first one launches as many blocks as run at once for each level, with a thread for each vertex and one queue in global memory. Then the grid has the size of the frontier. The combined kernel runs levels of small frontiers in one launch, with a barrier between blocks. The two-level queue collects vertices in shared memory first. Hubs, vertices of more than 256 edges, wait in a queue of their own, whose rows all threads share at the end of a level. The table has the most levels of a search, launches for levels in the mean, median times, and rates in 10^9 directed edges a second. "+checked, r.Command, rows, func() {
		p.Picture(page.Dots("rates of FlexBFS's steps", labels, names, ratios))
	})
}

func (r *Report) flexRows() [][]string {
	rows := [][]string{{"graph", "input", "step", "checked", "launches", "min_ms", "median_ms", "max_ms", "directed_gteps"}}
	for _, x := range r.Flex {
		for _, s := range x.Steps {
			rows = append(rows, []string{x.Graph, x.Input, s.Algorithm, strconv.FormatBool(s.Checked), known(s.Launches), number(s.MinMS), number(s.MedianMS), number(s.MaxMS), number(2 * s.GTEPS)})
		}
	}
	return rows
}
