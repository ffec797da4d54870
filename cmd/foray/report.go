// This file holds the report command: a page about a graph and a few searches of it.

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/graphreport"
	"github.com/foray-graph/foray/internal/text"
)

type reportFlags struct {
	inputFlags
	device          word
	given           []string
	sources, trials positive
	seed            uint64
	noCheck, json   bool
	output          string
}

const reportLong = `Measures a graph and a few searches of it, and writes one page of HTML, which
needs no network:

  graph       where it comes from, its size, ids, time to load
  degrees     their distribution; of a directed graph out- and in-degrees
  components  number and sizes; of a directed graph weakly connected ones
  memory      of the graph and of a search, on the host and on a GPU
  searches    time, rate, and the frontier at each depth
  choices     what was chosen automatically, and the numbers that decided:
              the algorithm, the order of vertices, push or pull by level

Each figure has its data as a table, and the command that makes it again.

Searches find depths. The time of a search is the median of --trials, by the
rules of foray bench. --source names the sources; otherwise --sources of them
are drawn from the vertices that have an edge.

The file appears when the page is complete. An existing file is replaced.

`

func (a *app) reportCommand() *cobra.Command {
	f := &reportFlags{sources: 3, trials: bench.DefaultTrials, device: word{"DEVICE", "auto"}}
	cmd := &cobra.Command{
		Use:   "report PATH... -o FILE.html",
		Short: "Report a graph and its searches on one page",
		Long:  reportLong,
		Example: `  foray report testdata/karate.parquet -o report.html
  foray report follows/ --src user --dst follows --directed -o report.html
  foray report road.gr --source 1 --source 7 --trials 9 -o report.html
  foray report gen:kron20 --json > report.json`,
		GroupID: groupGraphs,
		Args:    needArgs(1, -1, "report needs a PATH"),
	}
	m := newGroup(titleAlgorithm)
	m.flags.StringArrayVarP(&f.given, "source", "s", nil, "`ID` of a vertex to search from; may be repeated (default random ones)")
	m.flags.Var(&f.sources, "sources", "number of random vertices to search from")
	m.flags.Uint64Var(&f.seed, "seed", 1, "seed `N` of the random sources")
	m.flags.Var(&f.trials, "trials", "how often each source is timed; the median counts")
	m.flags.Var(&f.device, "device", "where to search: a device that foray devices lists, or auto, the first one that opens and has enough memory; several GPUs of this machine as in cuda:0,cuda:1, or all")
	f.addGPUMemory(m)
	m.flags.Var(&f.device, "devices", "another name of --device")
	m.flags.BoolVar(&f.noCheck, "no-check", false, "don't check the searches by Graph500's five rules: faster, but results aren't verified")
	out := newGroup(titleOutput)
	out.flags.StringVarP(&f.output, "output", "o", "", "write the page to `FILE`, which ends in .html; - is standard output")
	in := f.inputFlags.group()
	f.addEdgeWhere(in)
	setFlags(cmd, m, out, in)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f.json = a.json
		if err := f.check(cmd, args); err != nil {
			return err
		}
		return a.report(cmd.Context(), args, f)
	}
	return cmd
}

// check refuses flags that don't go together, and files that can't be written, before anything is read.
func (f *reportFlags) check(cmd *cobra.Command, paths []string) error {
	given := cmd.Flags().Changed
	switch ext := strings.ToLower(filepath.Ext(f.output)); {
	case f.output == "" && (given("output") || !f.json):
		return usagef("report needs -o FILE.html, or --json")
	case f.output == "-" && f.json:
		return usagef("-o - and --json both print to standard output; give one of them")
	case inStore(f.output):
		return usagef("-o %s: reports are local files; name one, and copy it to the store", f.output)
	case f.output != "" && f.output != "-" && ext != ".html" && ext != ".htm":
		return usagef("-o %s: the name must end in .html", f.output)
	case f.sources == 0 || f.trials == 0:
		return usagef("--sources and --trials must be at least 1")
	case len(f.given) > 0 && given("seed"):
		return usagef("--source names the sources, --seed is for random ones; give one of them")
	case len(f.given) > 0 && given("sources"):
		return usagef("--source names the sources, --sources draws random ones; give one of them")
	}
	if err := f.checkInside(paths, &outputFlags{output: f.output}); err != nil {
		return err
	}
	return checkOutput(f.output)
}

func (a *app) report(ctx context.Context, paths []string, f *reportFlags) error {
	dev, err := openDevice(f.device.value, int(f.workers))
	if err != nil {
		return err
	}
	defer func() { dev.Close() }()
	o := f.inputFlags.options()
	o.Device = dev
	f.emptyToo = true
	g, err := a.load(ctx, paths, &f.inputFlags, o)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := g.Fetch(); err != nil { // degrees, memory and checks look at the rows
		return err
	}
	given, err := f.vertexIDs(g.Graph, "source", f.given)
	if err != nil {
		return err
	}
	r, placed, err := a.measure(ctx, dev, g, f, given)
	if err != nil && f.device.value == "auto" && tooSmall(dev, err) {
		if err := a.note("%s; searching on the host", oneLine(explain(err))); err != nil {
			return err
		}
		_ = dev.Close() // the other error has been reported
		dev = host.New(int(f.workers))
		r, placed, err = a.measure(ctx, dev, g, f, given)
	}
	if err != nil {
		return err
	}
	if err := f.describe(r, g, placed); err != nil {
		return err
	}
	r.Command = commandLine(a.args)
	switch {
	case f.output == "-":
		return r.WriteHTML(a.data)
	case f.output != "":
		if err := writeReport(ctx, f.output, r); err != nil {
			return err
		}
	}
	if f.json {
		return r.WriteJSON(a.data)
	}
	a.done("the report is in "+f.output, "open it in a browser")
	if err := g.print(a.stdout); err != nil {
		return err
	}
	searches := "1 search"
	if n := len(r.Searches); n != 1 {
		searches = text.Count(n) + " searches"
	}
	return line(a.stdout, "report", f.output+", "+searches)
}

// writeReport writes the page to a file, which appears when it is complete.
func writeReport(ctx context.Context, path string, r *graphreport.Report) error {
	w, err := atomicfile.Create(ctx, path)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := r.WriteHTML(w); err != nil {
		return w.Explain(err)
	}
	if err := ctx.Err(); err != nil { // an interrupted run leaves no page
		return err
	}
	return w.Commit()
}

// measure places the graph on the device and measures it. It returns the time of placing.
func (a *app) measure(ctx context.Context, dev device.Device, g *loaded, f *reportFlags, given []uint32) (_ *graphreport.Report, placed time.Duration, err error) {
	start := time.Now()
	p, err := a.place(g, dev)
	if err != nil {
		return nil, 0, err
	}
	placed = time.Since(start)
	defer func() { err = errors.Join(err, p.Close()) }()
	for _, x := range []struct {
		what string
		need uint64
	}{{"finding components", cc.Bytes(p, cc.Options{})}, {"the search", a.roomOfSearch(g.Graph)}} {
		if err := a.checkRoom(dev, x.what, x.need); err != nil {
			return nil, 0, err
		}
	}
	progress := a.progress()
	defer progress.end()
	_, oneGPU := dev.(discrete.Device)
	r, err := graphreport.Measure(ctx, p, graphreport.Options{
		OneGPU: oneGPU, Prepare: func() { prepareSearches(p, bench.Auto(g.Graph).Kind) },
		Given: given, Sources: int(f.sources), Seed: f.seed, Trials: int(f.trials), NoCheck: f.noCheck,
		Label:    func(v uint32) string { return formatID(g.IDs(), v) },
		Progress: func(p graph.Progress) { progress.update(p.Phase, p.Done, p.Total) },
	})
	return r, placed, err
}

// describe adds what the command knows of the graph: its input, its memory, and what was chosen.
func (f *reportFlags) describe(r *graphreport.Report, g *loaded, placed time.Duration) error {
	w := &strings.Builder{}
	describeInput(w, g)
	describeGraph(w, g)
	for l := range strings.Lines(w.String()) {
		key, value := strings.TrimSpace(l[:keyWidth]), strings.TrimSpace(l[keyWidth:])
		if key == "edges" { // with all self-loops, of which NumEdges counts half
			_, rest, _ := strings.Cut(value, ", ")
			value = text.Count(r.Graph.Edges) + ", " + rest
		}
		value = location.Redact(value)
		if last := len(r.Graph.Facts) - 1; key == "" && last >= 0 {
			r.Graph.Facts[last][1] += "; " + value
			continue
		}
		r.Graph.Facts = append(r.Graph.Facts, [2]string{key, value})
	}
	st := g.Stats()
	r.Graph.Input = text.Escape(location.Redact(g.in.name))
	r.Graph.InputEdges, r.Graph.Loops, r.Graph.Repeated = st.InputEdges, st.SelfLoops, st.Duplicates
	if !g.Directed() {
		r.Graph.Repeated = (st.Duplicates + 1) / 2 // counted in both directions
	}
	r.Graph.LoadMS, r.Graph.PlaceMS = float64(g.took.Microseconds())/1e3, float64(placed.Microseconds())/1e3
	r.Choices = []graphreport.Choice{f.chosenDevice(r), f.chosenOrder(r, g), chosenAlgorithm(g.Graph)}
	if n := len(r.Searches); n > 0 {
		s := r.Searches[n-1]
		r.Choices = append(r.Choices, graphreport.Choice{What: "search", Way: s.Way, Why: s.Why})
	}
	m := estimate(g.Graph)
	search, searchGPU, shared, err := searchBytes(g.Graph, int(f.workers))
	if err != nil {
		return err
	}
	r.Memory = []graphreport.Memory{{What: "graph", Host: m.graph + g.State().PreparedBytes(), GPU: g.RemoteBytes() + shared}, {What: "id map", Host: m.ids}, {What: "a search", Host: search, GPU: searchGPU}}
	return nil
}

func (f *reportFlags) chosenDevice(r *graphreport.Report) graphreport.Choice {
	c := graphreport.Choice{What: "device", Way: r.Device, Why: "--device names it"}
	if f.device.value != "auto" {
		return c
	}
	c.Why = "auto is the first device that opens and has enough memory"
	if r.Device == host.Name {
		for _, k := range otherKinds {
			dev, err := device.Open(string(k)) // the only way to learn the reason
			if err != nil {
				c.Why += "; " + oneLine(err)
				continue
			}
			c.Why += "; " + string(k) + " has too little memory"
			_ = dev.Close() // it was opened for the reason alone
		}
	}
	return c
}

func (f *reportFlags) chosenOrder(r *graphreport.Report, g *loaded) graphreport.Choice {
	c := graphreport.Choice{What: "order of vertices", Way: g.Order().String(), Why: "--order names it"}
	if f.order.value != "auto" {
		return c
	}
	spread := "differ widely"
	if g.Order() == graph.OrderGiven {
		spread = "don't differ widely"
	}
	c.Why = "auto numbers vertices by degree if degrees differ widely, and these " + spread
	if d := r.Degrees[0]; !g.Directed() && d.Spread > 0 {
		c.Why += fmt.Sprintf(": the mean of their squares is %.3g times the square of their mean", d.Spread)
	}
	for _, p := range g.in.parts {
		if name := strings.ToLower(p.text); p.prepared != "" || strings.Contains(name, ".sg") || strings.Contains(name, ".wsg") {
			c.Why = "the file has its vertices in this order"
		}
	}
	return c
}

func chosenAlgorithm(g *graph.Graph) graphreport.Choice {
	switch {
	case bench.Auto(g).Kind != bench.DOBFS:
		return graphreport.Choice{What: "algorithm", Way: "bfs", Why: "the graph is directed and has no reverse, so that nothing can be pulled; foray convert prepares a graph with its reverse, for dobfs"}
	case g.Directed():
		return graphreport.Choice{What: "algorithm", Way: "dobfs", Why: "the directed graph has its reverse, along which levels can be pulled"}
	}
	return graphreport.Choice{What: "algorithm", Way: "dobfs", Why: "the graph is undirected, so that its rows serve pushes and pulls"}
}

// commandLine returns the command line as a shell takes it, without secrets of addresses.
func commandLine(args []string) string {
	words := []string{"foray"}
	for _, a := range args {
		words = append(words, quoted(location.Redact(a)))
	}
	return strings.Join(words, " ")
}
