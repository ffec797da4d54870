// Package graphreport measures a graph and a few searches of it for foray report. Measure fills in a Report, which is
// written as one page of HTML or as JSON.
package graphreport

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"time"

	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Options configure a measurement.
type Options struct {
	// Given are the vertices to search from. If there are none, Sources vertices with an out-edge are drawn by Seed.
	Given   []uint32
	Sources int
	Seed    uint64
	Trials  int  // of each source
	NoCheck bool // results aren't checked by Graph500's five rules
	// OneGPU says that the device is a GPU, and not several.
	OneGPU bool
	// Prepare, if not nil, prepares what searches need once per graph.
	Prepare func()
	// Label returns the external id of a vertex for people.
	Label func(v uint32) string
	// Progress, if not nil, is called before each part of the work, from the goroutine that called Measure.
	Progress func(graph.Progress)
}

// Report is what was measured. Measure fills in the fields up to Searches, the caller the others.
type Report struct {
	Time       string      `json:"time"`
	Version    string      `json:"version"`
	GoVersion  string      `json:"go_version"`
	Platform   string      `json:"platform"`
	Device     string      `json:"device"`
	Model      string      `json:"model,omitempty"`
	Driver     string      `json:"driver,omitempty"`
	CPU        string      `json:"cpu,omitempty"`
	CPUs       int         `json:"cpus"`
	Commit     string      `json:"commit,omitempty"`
	Units      int         `json:"units"` // workers of the host, multiprocessors of a GPU
	UnitName   string      `json:"unit_name"`
	Seed       uint64      `json:"seed"`
	Drawn      bool        `json:"sources_drawn"` // else they were given
	Trials     int         `json:"trials"`
	Checked    bool        `json:"checked"`
	Graph      Graph       `json:"graph"`
	Degrees    []Degrees   `json:"degrees"`
	Components *Components `json:"components"`
	Searches   []Search    `json:"searches"`

	Command string   `json:"command"` // makes the report again
	Choices []Choice `json:"choices"`
	Memory  []Memory `json:"memory"`
}

// Graph describes the graph. The caller of Measure fills in the fields from Input on.
type Graph struct {
	Vertices      int     `json:"vertices"`
	Edges         uint64  `json:"edges"`      // undirected ones once
	SelfLoops     uint64  `json:"self_loops"` // that the graph has, among its edges; of an undirected graph
	DirectedEdges uint64  `json:"directed_edges"`
	Directed      bool    `json:"directed"`
	Reverse       bool    `json:"reverse"`  // pulls are possible
	Isolated      uint64  `json:"isolated"` // vertices
	Order         string  `json:"order"`
	PrepareMS     float64 `json:"prepare_ms"` // once per graph

	Input      string      `json:"input"`
	Facts      [][2]string `json:"facts"` // for people: names and values
	InputEdges uint64      `json:"input_edges"`
	Loops      uint64      `json:"dropped_self_loops"`
	Repeated   uint64      `json:"dropped_repeated_edges"` // undirected ones once
	LoadMS     float64     `json:"load_ms"`                // reading or generating, and building
	PlaceMS    float64     `json:"place_ms"`               // onto the device
}

// Degrees is a distribution of degrees.
type Degrees struct {
	Name      string     `json:"name"` // degree, out-degree or in-degree
	Mean      float64    `json:"mean"`
	Spread    float64    `json:"spread"` // the mean of squares by the square of the mean, degrees of 0 left out
	Max       uint64     `json:"max"`
	MaxVertex string     `json:"max_vertex"` // external id
	Quantiles []Quantile `json:"quantiles"`
	Bins      []uint64   `json:"bins"` // vertices, as graph.DegreeHistogram.Bins
}

// Quantile is the smallest degree that so many percent of the vertices don't exceed.
type Quantile struct {
	Percent float64 `json:"percent"`
	Degree  uint64  `json:"degree"`
}

// Components are the weakly connected components.
type Components struct {
	Count         int       `json:"count"`
	Largest       int       `json:"largest"` // vertices
	LargestVertex string    `json:"largest_vertex"`
	MS            float64   `json:"ms"`
	Method        string    `json:"method"`
	Bins          []SizeBin `json:"bins"` // of 2^k to 2^(k+1)-1 vertices
}

// SizeBin counts components of similar size.
type SizeBin struct {
	Components int `json:"components"`
	Vertices   int `json:"vertices"` // in all of them
}

// Choice is an automatic choice.
type Choice struct {
	What string `json:"what"`
	Way  string `json:"way"`
	Why  string `json:"why"`
}

// Memory is the size of arrays, in bytes. A GPU's are those that one would need, whether there is one or not.
type Memory struct {
	What string `json:"what"`
	Host uint64 `json:"host_bytes"`
	GPU  uint64 `json:"gpu_bytes"`
}

// Measure measures a placed graph, whose rows are on the host too. It returns errors of components, of a search or of a check, or the context's.
func Measure(ctx context.Context, p *graph.Placed, o Options) (*Report, error) {
	g, info := p.Graph(), p.Device().Info()
	m := bench.MachineOf(info)
	r := &Report{
		Time: m.Time, Version: m.Version, GoVersion: m.GoVersion, Platform: m.Platform, CPU: m.CPU, CPUs: m.CPUs, Commit: m.Commit,
		Device: info.Name, Model: info.Model, Driver: m.Driver, Units: info.Units, UnitName: "multiprocessor", Seed: o.Seed, Drawn: len(o.Given) == 0, Trials: o.Trials, Checked: !o.NoCheck,
	}
	if info.Kind == device.Host {
		r.UnitName = "worker"
	}
	sources, fallback := o.Given, false
	if len(sources) == 0 {
		if sources = bench.Sources(g, bench.ExternalOrder(g.IDs()), o.Sources, o.Seed); len(sources) == 0 && g.NumVertices() > 0 {
			sources, fallback = []uint32{g.IDs().AtRank(0)}, true
		}
	}
	total, done := uint64(3+len(sources)), uint64(0)
	tell := func(phase string) {
		if o.Progress != nil {
			o.Progress(graph.Progress{Phase: phase, Done: done, Total: total})
		}
		done++
	}
	tell("degrees")
	r.Graph = Graph{Vertices: g.NumVertices(), Edges: g.NumEdges(), DirectedEdges: g.NumDirectedEdges(), Directed: g.Directed(), Reverse: g.HasReverse(), Order: g.Order().String()}
	if !g.Directed() {
		// NumEdges misses half of the self-loops, which have one entry each.
		r.Graph.SelfLoops = selfLoops(g)
		r.Graph.Edges = (r.Graph.DirectedEdges + r.Graph.SelfLoops) / 2
	}
	r.measureDegrees(g, o.Label)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tell("components")
	if err := r.measureComponents(ctx, p, o.Label); err != nil {
		return nil, err
	}
	tell("preparing")
	start := time.Now()
	if o.Prepare != nil {
		o.Prepare()
	}
	r.Graph.PrepareMS = milliseconds(time.Since(start))
	for _, v := range sources {
		tell("searching from " + o.Label(v))
		s, err := search(ctx, p, v, o)
		if err != nil {
			return nil, err
		}
		s.Fallback = fallback
		r.Searches = append(r.Searches, *s)
	}
	return r, nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

func selfLoops(g *graph.Graph) (n uint64) {
	for v := range uint32(g.NumVertices()) {
		for _, u := range g.Out().Neighbors(v) {
			if u == v {
				n++
			}
		}
	}
	return n
}

func (r *Report) measureDegrees(g *graph.Graph, label func(uint32) string) {
	n := g.NumVertices()
	r.Graph.Isolated = g.DegreeHistogram().Isolated
	name := "degree"
	if g.Directed() {
		name = "out-degree"
	}
	r.Degrees = append(r.Degrees, degreesOf(name, n, g.Degree, label))
	if !g.Directed() {
		return
	}
	in := g.InDegree
	if !g.HasReverse() {
		counts := make([]uint32, n)
		for _, v := range g.Out().Targets {
			counts[v]++
		}
		in = func(v uint32) uint64 { return uint64(counts[v]) }
	}
	r.Degrees = append(r.Degrees, degreesOf("in-degree", n, in, label))
}

// percents are the quantiles of the report.
var percents = []float64{1, 10, 25, 50, 75, 90, 99, 99.9, 100}

func degreesOf(name string, n int, degree func(uint32) uint64, label func(uint32) string) Degrees {
	d := Degrees{Name: name}
	if n == 0 {
		return d
	}
	counts := make([]uint64, 1<<16) // of small degrees; large ones are few
	var large []uint64
	var sum uint64
	squares := 0.0
	most := uint32(0)
	var bins [65]uint64
	for v := range uint32(n) {
		x := degree(v)
		sum += x
		squares += float64(x) * float64(x)
		bins[bits.Len64(x)]++
		if x > d.Max {
			d.Max, most = x, v
		}
		if x < uint64(len(counts)) {
			counts[x]++
		} else {
			large = append(large, x)
		}
	}
	slices.Sort(large)
	if sum > 0 {
		d.Spread = squares * float64(n-int(counts[0])) / float64(sum) / float64(sum)
	}
	d.Mean, d.MaxVertex, d.Bins = float64(sum)/float64(n), label(most), slices.Clone(bins[:bits.Len64(d.Max)+1])
	below, at := counts[0], 0 // vertices of degree at or less
	for _, p := range percents {
		want := uint64(p / 100 * float64(n))
		if float64(want) < p/100*float64(n) {
			want++
		}
		want = max(want, 1)
		for below < want && at+1 < len(counts) {
			at++
			below += counts[at]
		}
		q := uint64(at)
		if below < want {
			q = large[want-below-1]
		}
		d.Quantiles = append(d.Quantiles, Quantile{p, q})
	}
	return d
}

func (r *Report) measureComponents(ctx context.Context, p *graph.Placed, label func(uint32) string) (err error) {
	if p.NumVertices() == 0 {
		r.Components = &Components{}
		return nil
	}
	if err := cc.Prepare(ctx, p); err != nil {
		return err
	}
	start := time.Now()
	found, err := cc.Run(ctx, p, cc.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	c := &Components{Count: found.Components, MS: milliseconds(time.Since(start)), Method: found.Method}
	sizes, err := found.Sizes()
	if err != nil {
		return err
	}
	for i, s := range sizes {
		if i == 0 {
			c.Largest, c.LargestVertex = s.Vertices, label(s.Component)
			c.Bins = make([]SizeBin, bits.Len(uint(s.Vertices)))
		}
		b := &c.Bins[bits.Len(uint(s.Vertices))-1]
		b.Components++
		b.Vertices += s.Vertices
	}
	r.Components = c
	return nil
}
