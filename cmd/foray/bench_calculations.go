// This file holds how bench times algorithms other than searches.

package main

import (
	"context"
	"encoding/json"
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

// calculationReport is what was measured on one graph.
type calculationReport struct {
	Graph      bench.Graph         `json:"graph"`
	Device     string              `json:"device"`
	Units      int                 `json:"units"` // workers, or multiprocessors
	units      string              // the same in words
	Time       time.Time           `json:"time"`
	Algorithms []*calculationTimes `json:"algorithms"`
}

// calculationTimes are the times of an algorithm.
type calculationTimes struct {
	Algorithm string           `json:"algorithm"` // with its flags
	Prepared  float64          `json:"prepared_ms"`
	Checked   string           `json:"checked,omitempty"` // what was checked before; none: nothing
	Runs      []calculationRun `json:"runs"`
	// Of the sources' medians, or of all runs where there is no source.
	Min    float64 `json:"ms_min"`
	Median float64 `json:"ms_median"`
	Max    float64 `json:"ms_max"`
}

// calculationRun has the times of the runs from one source, or of all runs if the algorithm has none.
type calculationRun struct {
	Source string    `json:"source,omitempty"`
	MS     []float64 `json:"ms"`
	Median float64   `json:"ms_median"`
}

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
	reports := []*calculationReport{}
	for i, path := range paths {
		o := f.inputFlags.options()
		f.wanted(&o, needs...)
		r, err := a.benchGraph(ctx, path, f, list, o, dev)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		reports = append(reports, r)
		if f.json {
			continue
		}
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if err := r.write(a.stdout); err != nil {
			return err
		}
	}
	if !f.json {
		return nil
	}
	e := json.NewEncoder(a.data)
	e.SetIndent("", "  ")
	return e.Encode(reports)
}

// benchGraph measures algorithms on a graph.
func (a *app) benchGraph(ctx context.Context, path string, f *benchFlags, list []*runItem, o graph.Options, dev device.Device) (*calculationReport, error) {
	o.Device = dev
	g, err := a.load(ctx, []string{path}, &f.inputFlags, o)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	start := time.Now()
	p, err := g.On(dev)
	if err != nil {
		return nil, err
	}
	defer done(p)
	info := p.Device().Info() // of several GPUs one may hold the graph
	r := &calculationReport{
		Graph: bench.Graph{Name: path, Vertices: g.NumVertices(), Edges: g.NumEdges(), DirectedEdges: g.NumDirectedEdges(),
			Directed: g.Directed(), Order: g.Order().String(), LoadMS: ms(g.took), PlaceMS: ms(time.Since(start)),
			RowsDevice: g.Stats().Device, WhyHost: g.Stats().WhyHost},
		Device: info.Name, Units: info.Units, units: units(info), Time: time.Now().UTC().Truncate(time.Second),
	}
	sources := bench.Sources(g.Graph, bench.ExternalOrder(g.IDs()), int(f.sources), f.seed)
	for _, x := range list {
		t, err := a.benchOne(ctx, p, g, f, x, sources)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.text, err)
		}
		r.Algorithms = append(r.Algorithms, t)
	}
	return r, nil
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// benchOne measures an algorithm: from each of the sources, or as it is.
func (a *app) benchOne(ctx context.Context, p *graph.Placed, g *loaded, f *benchFlags, x *runItem, sources []uint32) (*calculationTimes, error) {
	t := &calculationTimes{Algorithm: x.text}
	runs := []calculationRun{{}}
	if x.fromSource && x.oneSource && !x.given("source") && !x.given("samples") {
		if runs = nil; len(sources) == 0 {
			return nil, bench.ErrNoSource
		}
		for _, v := range sources {
			runs = append(runs, calculationRun{Source: g.IDs().Format(v)})
		}
	}
	progress := a.progress()
	defer progress.end()
	for i := range runs {
		if err := x.parse("algo", x.from(runs[i].Source)); err != nil {
			return nil, err
		}
		start := time.Now()
		if err := x.prepare(p, &f.inputFlags); err != nil {
			return nil, err
		}
		t.Prepared = max(t.Prepared, ms(time.Since(start)))
		if err := x.trials(ctx, p, g.Graph, f, &runs[i], t); err != nil {
			return nil, err
		}
		progress.update("timing", uint64(i+1), uint64(len(runs)))
	}
	t.Runs = runs
	var medians []float64
	for _, r := range runs {
		medians = append(medians, r.Median)
	}
	if len(runs) == 1 {
		medians = slices.Clone(runs[0].MS)
	}
	slices.Sort(medians)
	t.Min, t.Median, t.Max = medians[0], medians[len(medians)/2], medians[len(medians)-1]
	return t, nil
}

// trials checks a result, and times runs.
func (x *runItem) trials(ctx context.Context, p *graph.Placed, g *graph.Graph, f *benchFlags, r *calculationRun, t *calculationTimes) error {
	once := func(check bool) (took time.Duration, err error) {
		start := time.Now()
		res, err := x.run(ctx, p, nil) // reports would cost time that isn't requested
		took = time.Since(start)
		if err != nil {
			return 0, err
		}
		if check {
			if t.Checked, err = res.validate(g); err != nil {
				return 0, errors.Join(err, res.Close())
			}
		}
		return took, res.Close()
	}
	if _, err := once(!f.noCheck); err != nil {
		return err
	}
	for warm := time.Now(); time.Since(warm) < bench.WarmUp; {
		if _, err := once(false); err != nil {
			return err
		}
	}
	for range f.trials {
		took, err := once(false)
		if err != nil {
			return err
		}
		r.MS = append(r.MS, ms(took))
	}
	sorted := slices.Sorted(slices.Values(r.MS))
	r.Median = sorted[len(sorted)/2]
	return nil
}

// write prints the report as a table.
func (r *calculationReport) write(w io.Writer) error {
	directed := "undirected"
	if r.Graph.Directed {
		directed = "directed"
	}
	fmt.Fprintf(w, "%s: %s, %s, %s, order %s; %s, %s; loaded in %.0f ms, placed in %.1f ms\n", r.Graph.Name, text.Plural(r.Graph.Vertices, "vertex"),
		text.Plural(r.Graph.Edges, "edge"), directed, r.Graph.Order, r.Device, r.units, r.Graph.LoadMS, r.Graph.PlaceMS)
	t := &text.Table{Align: "lrrrrrl"}
	t.Row("algorithm", "runs", "prepared ms", "ms min", "median", "max", "checked")
	for _, x := range r.Algorithms {
		checked := "no"
		if x.Checked != "" {
			checked = "yes"
		}
		t.Row(x.Algorithm, fmt.Sprintf("%d x %d", len(x.Runs), len(x.Runs[0].MS)), fmt.Sprintf("%.2f", x.Prepared), fmt.Sprintf("%.3f", x.Min),
			fmt.Sprintf("%.3f", x.Median), fmt.Sprintf("%.3f", x.Max), checked)
	}
	return t.Write(w, "  ")
}
