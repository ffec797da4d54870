// This file holds how bench times algorithms other than searches.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// calculations returns the algorithms that --algo names, or none if it names searches.
func (f *benchFlags) calculations() (list []*runItem, err error) {
	for _, name := range f.algos {
		words := strings.Fields(name)
		if len(words) == 0 || slices.Contains([]string{"auto", "bfs", "dobfs", "seq"}, words[0]) ||
			!slices.ContainsFunc(algorithms, func(al algorithm) bool { return al.name == strings.SplitN(words[0], ":", 2)[0] }) {
			continue
		}
		x, err := parseItem("algo", name, f.all)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	if len(list) > 0 && len(list) < len(f.algos) {
		return nil, usagef("--algo %s: searches (auto, bfs, dobfs, seq) are measured apart from other algorithms", strings.Join(f.algos, ","))
	}
	return list, nil
}

// benchCalculations measures algorithms on each of the graphs.
func (a *app) benchCalculations(ctx context.Context, paths []string, f *benchFlags, list []*runItem) error {
	for _, name := range []string{"strategy", "coupling", "balance", "culls", "alpha", "beta", "depths", "parents", "batch", "given-order"} {
		if f.changed(name) {
			return usagef("--%s is for searches: --algo auto, bfs, dobfs or seq", name)
		}
	}
	if f.sources == 0 || f.trials == 0 {
		return usagef("--sources and --trials must be at least 1")
	}
	var needs []graph.Options
	from := false
	for _, x := range list {
		from = from || x.oneSource
		if also, ok := x.calculation.(alsoWrites); ok && also.file() != "" {
			return usagef("--algo %s: bench writes no files", x.text)
		}
		if err := checkInput(x.calculation, &f.inputFlags); err != nil {
			return fmt.Errorf("--algo %s: %w", x.text, err)
		}
		var o graph.Options
		x.needs(&o, &f.inputFlags)
		needs = append(needs, o)
	}
	if !from && (f.changed("sources") || f.changed("seed")) {
		return usagef("--sources and --seed are for algorithms that begin at a vertex: bfs, dobfs, sssp, bc")
	}
	f.weights = f.weights || f.weightCol != ""
	if err := f.checkWeights(paths, ", which --algo needs"); err != nil {
		return err
	}
	dev, err := openDevice(f.device.value, int(f.workers))
	if err != nil {
		return err
	}
	defer dev.Close()
	reports := []*bench.Report{}
	for i, path := range paths {
		o := f.inputFlags.options()
		f.wanted(&o, needs...)
		r, err := a.benchGraph(ctx, path, f, list, o, dev)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		reports = append(reports, r)
		others := r.LayBeside(f.rivals.list)
		if f.json {
			continue
		}
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if err := writeCalculations(a.stdout, r); err != nil {
			return err
		}
		if err := f.rivals.write(a.stdout, r, others); err != nil {
			return err
		}
	}
	if f.json {
		if err := bench.WriteJSON(a.data, reports); err != nil {
			return err
		}
	}
	a.done("nothing was written", "--json keeps the times for foray bench compare")
	return f.rivals.draw(ctx, reports)
}

// benchGraph measures algorithms on a graph.
func (a *app) benchGraph(ctx context.Context, path string, f *benchFlags, list []*runItem, o graph.Options, dev device.Device) (*bench.Report, error) {
	o.Device = dev
	g, err := a.load(ctx, []string{path}, &f.inputFlags, o)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	start := time.Now()
	p, err := a.placeToRun(g, dev)
	if err != nil {
		return nil, err
	}
	defer done(p)
	info := p.Device().Info() // of several GPUs one may hold the graph
	r := &bench.Report{
		Graph: bench.Graph{Name: path, Vertices: g.NumVertices(), Edges: g.NumEdges(), DirectedEdges: g.NumDirectedEdges(),
			Directed: g.Directed(), Order: g.Order().String(), LoadMS: ms(g.took), PlaceMS: ms(time.Since(start)),
			RowsDevice: g.Stats().Device, WhyHost: g.Stats().WhyHost},
		Machine: bench.MachineOf(info), Seed: f.seed, Trials: int(f.trials),
	}
	sources := bench.Sources(g.Graph, bench.ExternalOrder(g.IDs()), int(f.sources), f.seed)
	for _, x := range list {
		t, err := a.benchOne(ctx, p, g, f, x, sources)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.text, err)
		}
		r.Results = append(r.Results, t)
	}
	return r, nil
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// benchOne measures an algorithm: from each of the sources, or as it is.
func (a *app) benchOne(ctx context.Context, p *graph.Placed, g *loaded, f *benchFlags, x *runItem, sources []uint32) (bench.Result, error) {
	var t bench.Result
	runs := []bench.Source{{}}
	if x.fromSource && x.oneSource && !x.given("source") && !x.given("samples") {
		if runs = nil; len(sources) == 0 {
			return t, bench.ErrNoSource
		}
		for _, v := range sources {
			runs = append(runs, bench.Source{ID: g.IDs().Format(v)})
		}
	}
	progress := a.progress()
	defer progress.end()
	for i := range runs {
		if err := x.parse("algo", x.from(runs[i].ID)); err != nil {
			return t, err
		}
		if r, ok := x.calculation.(interface{ repeat() }); ok {
			r.repeat()
		}
		start := time.Now()
		if err := x.prepare(p, &f.inputFlags); err != nil {
			return t, err
		}
		t.PreparedMS = max(t.PreparedMS, ms(time.Since(start)))
		var err error
		if runs[i].MS, t.CheckedBy, err = x.trials(ctx, p, g.Graph, f); err != nil {
			return t, err
		}
		progress.update("timing", uint64(i+1), uint64(len(runs)))
	}
	prepared, by := t.PreparedMS, t.CheckedBy
	t = bench.Timed(x.text, runs)
	t.PreparedMS, t.CheckedBy, t.Checked = prepared, by, by != ""
	return t, nil
}

// trials checks a result, and times runs. It returns their milliseconds, and what was checked; nothing without a check.
func (x *runItem) trials(ctx context.Context, p *graph.Placed, g *graph.Graph, f *benchFlags) (times []float64, checked string, err error) {
	once := func(check bool) (took time.Duration, err error) {
		start := time.Now()
		res, err := x.run(ctx, p, nil) // reports would cost time that isn't requested
		took = time.Since(start)
		if err != nil {
			return 0, err
		}
		if check {
			if checked, err = res.validate(g); err != nil {
				return 0, errors.Join(err, res.Close())
			}
		}
		return took, res.Close()
	}
	if _, err := once(!f.noCheck); err != nil {
		return nil, "", err
	}
	for warm := time.Now(); time.Since(warm) < bench.WarmUp; {
		if _, err := once(false); err != nil {
			return nil, "", err
		}
	}
	for range f.trials {
		took, err := once(false)
		if err != nil {
			return nil, "", err
		}
		times = append(times, ms(took))
	}
	return times, checked, nil
}

// writeCalculations prints a report as a table.
func writeCalculations(w io.Writer, r *bench.Report) error {
	directed := "undirected"
	if r.Graph.Directed {
		directed = "directed"
	}
	kind, _, _ := strings.Cut(r.Device, ":")
	fmt.Fprintf(w, "%s: %s, %s, %s, order %s; %s, %s; loaded in %.0f ms, placed in %.1f ms\n", r.Graph.Name, text.Plural(r.Graph.Vertices, "vertex"),
		text.Plural(r.Graph.Edges, "edge"), directed, r.Graph.Order, r.Device, units(device.Info{Kind: device.Kind(kind), Units: r.Units}), r.Graph.LoadMS, r.Graph.PlaceMS)
	t := &text.Table{Align: "lrrrrrrrl"}
	t.Row("algorithm", "runs", "prepared ms", "ms min", "q1", "median", "q3", "max", "checked")
	for _, x := range r.Results {
		checked := "no"
		if x.Checked {
			checked = "yes"
		}
		t.Row(x.Algorithm, fmt.Sprintf("%d x %d", len(x.Sources), len(x.Sources[0].MS)), fmt.Sprintf("%.2f", x.PreparedMS), fmt.Sprintf("%.3f", x.MinMS),
			fmt.Sprintf("%.3f", x.Q1MS), fmt.Sprintf("%.3f", x.MedianMS), fmt.Sprintf("%.3f", x.Q3MS), fmt.Sprintf("%.3f", x.MaxMS), checked)
	}
	return t.Write(w, "  ")
}
