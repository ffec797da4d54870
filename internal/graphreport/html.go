// This file holds a report as one page of HTML.

package graphreport

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/foray-graph/foray/internal/page"
	"github.com/foray-graph/foray/internal/text"
)

// Colors: the same thing has the same one in all figures.
const (
	ofVertices   = "l0"
	ofEdges      = "l1"
	ofComponents = "l2"
	ofTime       = "l3"
	ofInDegrees  = "l4"
	ofHost       = "c6"
	ofGPU        = "c7"
)

// mostRows is how many levels of a search have a row in a table of the page: about what a reader scrolls through. JSON
// has all.
const mostRows = 200

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// WriteHTML writes the report as one page of HTML, which refers to nothing outside.
func (r *Report) WriteHTML(w io.Writer) error {
	p := page.New("Graph report: " + r.Graph.Input)
	p.Text("p", "%s", r.summary())
	p.Text("h2", "Graph and machine")
	p.Facts(r.facts())
	p.Command(r.Command)
	p.Text("h2", "Shape and memory")
	p.Raw("<div class=\"plots\">\n")
	r.writeDegrees(p)
	r.writeComponents(p)
	r.writeMemory(p)
	p.Raw("</div>\n")
	p.Text("h2", "Searches")
	if len(r.Searches) == 0 {
		p.Text("p", "The graph has no vertices, so there is nothing to search from.")
	} else {
		r.writeTimes(p)
		r.writeFrontiers(p)
		r.writeLevelTimes(p)
		r.writeDirections(p)
	}
	p.Text("h2", "Automatic choices")
	rows := [][]string{{"what", "choice", "why"}}
	for _, c := range r.Choices {
		rows = append(rows, []string{c.What, c.Way, c.Why})
	}
	p.Table("why", rows)
	p.Command(r.Command)
	return p.End(w)
}

// summary is the graph and its searches in a few sentences.
func (r *Report) summary() string {
	g := &r.Graph
	directed := "undirected"
	if g.Directed {
		directed = "directed"
	}
	s := fmt.Sprintf("%s and %s, %s.", text.Plural(g.Vertices, "vertex"), text.Plural(g.Edges, "edge"), directed)
	if c := r.Components; c.Count > 0 {
		s += fmt.Sprintf(" %s; the largest has %s of the vertices.", text.Plural(c.Count, r.weakly()+"component"), text.Percent(uint64(c.Largest), uint64(g.Vertices)))
	}
	if len(r.Degrees) > 0 && g.Vertices > 0 {
		d := r.Degrees[0]
		s += fmt.Sprintf(" The largest %s is %s, the mean %.3g.", d.Name, text.Count(d.Max), d.Mean)
	}
	if n := len(r.Searches); n > 0 {
		lo, hi := r.Searches[0], r.Searches[0]
		for _, x := range r.Searches {
			if x.MedianMS < lo.MedianMS {
				lo = x
			}
			if x.MedianMS > hi.MedianMS {
				hi = x
			}
		}
		times := duration(lo.MedianMS)
		if n > 1 {
			times += " to " + duration(hi.MedianMS)
		}
		s += fmt.Sprintf(" Searches on %s (%s) took %s.", r.Device, text.Plural(r.Units, r.UnitName), times)
	}
	return s
}

func (r *Report) weakly() string {
	if r.Graph.Directed {
		return "weakly connected "
	}
	return ""
}

// duration formats milliseconds.
func duration(ms float64) string { return text.Duration(time.Duration(ms * 1e6)) }

// unitOf returns the unit of an axis for times up to so many milliseconds, and how many of it a millisecond is.
func unitOf(most float64) (name string, perMS float64) {
	switch {
	case most >= 1000:
		return "seconds", 1e-3
	case most >= 1:
		return "milliseconds", 1
	}
	return "microseconds", 1e3
}

func (r *Report) facts() [][2]string {
	g := &r.Graph
	device := r.Device
	if r.Model != "" {
		device += ", " + r.Model
	}
	if r.Driver != "" {
		device += ", driver " + r.Driver
	}
	return append(append([][2]string{}, g.Facts...),
		[2]string{"isolated", text.Plural(g.Isolated, "vertex") + " without an edge"},
		[2]string{"directed edges", text.Count(g.DirectedEdges) + g.counted()},
		[2]string{"placed", "on the device in " + duration(g.PlaceMS)},
		[2]string{"prepared", "in " + duration(g.PrepareMS) + ", once for all searches of the graph"},
		[2]string{"device", fmt.Sprintf("%s, %s", device, text.Plural(r.Units, r.UnitName))},
		[2]string{"processor", strings.TrimPrefix(r.CPU+", ", ", ") + text.Plural(r.CPUs, "CPU")},
		[2]string{"program", strings.TrimSuffix(fmt.Sprintf("Foray %s, %s, %s, %s", r.Version, r.GoVersion, r.Platform, r.Commit), ", ")},
		[2]string{"date", r.Time},
	)
}

// counted describes how degrees count the edges.
func (g *Graph) counted() string {
	switch {
	case g.Directed:
		return ", the sum of the out-degrees"
	case g.SelfLoops > 0:
		return fmt.Sprintf(", the sum of the degrees: an edge counts at both ends, and each of %s once", text.Plural(g.SelfLoops, "self-loop"))
	}
	return ", the sum of the degrees: an edge counts at both ends"
}

// binName names bin k of degrees by its range.
func binName(k int) string {
	if k < 2 {
		return text.Count(k)
	}
	return text.Count(uint64(1)<<(k-1)) + "–" + text.Count(uint64(1)<<k-1)
}

// binMark is the mark of a bin on an axis: where it begins.
func binMark(k int) string {
	if k == 0 {
		return "0"
	}
	return number(float64(uint64(1) << (k - 1)))
}

func floats[T uint64 | int](list []T) []float64 {
	v := make([]float64, len(list))
	for i, x := range list {
		v[i] = float64(x)
	}
	return v
}

func (r *Report) writeDegrees(p *page.Page) {
	h := page.Histogram{Title: "distribution of degrees", X: "degree: edges of a vertex, bins by powers of two", Y: "vertices (log)"}
	head, caption := []string{"degree"}, "Vertices by degree."
	bins := 0
	for i, d := range r.Degrees {
		class, name := ofVertices, "vertices by "+d.Name
		if i > 0 {
			class = ofInDegrees
		}
		h.Series = append(h.Series, page.Curve{Class: class, Name: name, Values: floats(d.Bins)})
		head = append(head, name)
		bins = max(bins, len(d.Bins))
		if r.Graph.Vertices == 0 {
			caption = "The graph has no vertices."
			continue
		}
		q := func(percent float64) string {
			for _, q := range d.Quantiles {
				if q.Percent == percent {
					return text.Count(q.Degree)
				}
			}
			return ""
		}
		caption += fmt.Sprintf(" The largest %s, %s, is that of vertex %s; the mean is %.3g, the median %s, and 99%% of the vertices have at most %s.", d.Name, text.Count(d.Max), d.MaxVertex, d.Mean, q(50), q(99))
	}
	rows := [][]string{head}
	for k := range bins {
		h.Bins = append(h.Bins, binMark(k))
		row := []string{binName(k)}
		for _, d := range r.Degrees {
			n := uint64(0)
			if k < len(d.Bins) {
				n = d.Bins[k]
			}
			row = append(row, text.Count(n))
		}
		rows = append(rows, row)
	}
	for k, percent := range percents {
		row := []string{fmt.Sprintf("%g%% of the vertices have at most", percent)}
		for _, d := range r.Degrees {
			if k < len(d.Quantiles) {
				row = append(row, text.Count(d.Quantiles[k].Degree))
			}
		}
		if len(row) > 1 {
			rows = append(rows, row)
		}
	}
	p.Figure(caption, r.Command, rows, func() { p.Raw(h.SVG()) })
}

func (r *Report) writeComponents(p *page.Page) {
	c := r.Components
	h := page.Histogram{Title: "sizes of components", X: "size: vertices of a component, bins by powers of two", Y: "components (log)"}
	rows := [][]string{{"vertices of a component", "components", "vertices in all"}}
	values := []float64{}
	for k, b := range c.Bins {
		h.Bins = append(h.Bins, binMark(k+1))
		values = append(values, float64(b.Components))
		rows = append(rows, []string{binName(k + 1), text.Count(b.Components), text.Count(b.Vertices)})
	}
	h.Series = []page.Curve{{Class: ofComponents, Name: r.weakly() + "components", Values: values}}
	caption := "The graph has no components."
	if c.Count > 0 {
		caption = fmt.Sprintf("%s. The largest, which has vertex %s, has %s of %s (%s). Found in %s by %s.", text.Plural(c.Count, r.weakly()+"component"), c.LargestVertex,
			text.Count(c.Largest), text.Plural(r.Graph.Vertices, "vertex"), text.Percent(uint64(c.Largest), uint64(r.Graph.Vertices)), duration(c.MS), c.Method)
	}
	p.Figure(caption, r.Command, rows, func() { p.Raw(h.SVG()) })
}

func (r *Report) writeMemory(p *page.Page) {
	rows := [][]string{{"arrays", "host", "GPU"}}
	var bars []page.Bar
	var host, gpu uint64
	for _, m := range r.Memory {
		rows = append(rows, []string{m.What, text.Bytes(m.Host), text.Bytes(m.GPU)})
		host, gpu = host+m.Host, gpu+m.GPU
		for _, b := range []struct {
			where, class string
			bytes        uint64
		}{{"host", ofHost, m.Host}, {"GPU", ofGPU, m.GPU}} {
			if b.bytes > 0 {
				bars = append(bars, page.Bar{Class: b.class, Name: m.What + ", " + b.where, Text: text.Bytes(b.bytes), Value: float64(b.bytes)})
			}
		}
	}
	rows = append(rows, []string{"in all", text.Bytes(host), text.Bytes(gpu)})
	p.Figure(fmt.Sprintf("Memory of the graph, with what is prepared once for its searches, and of each search for depths and parents, at most: %s on the host, and on a GPU %s. Computed from the sizes of arrays.", text.Bytes(host), text.Bytes(gpu)), r.Command, rows, func() {
		p.Raw(page.RowsOfBars("memory", "bytes", bars))
	})
}

func (r *Report) writeTimes(p *page.Page) {
	rows := [][]string{{"source", "degree", "algorithm", "reached", "share", "levels", "edges", "time", "rate"}}
	runs := [][]string{{"source", "time"}}
	if r.Trials > 1 {
		rows[0] = slices.Insert(rows[0], len(rows[0])-1, "fastest", "slowest")
		runs[0] = []string{"source", "median", "trials"}
	}
	var bars []page.Bar
	for _, s := range r.Searches {
		rate := ""
		if s.Edges > 0 && s.MedianMS > 0 {
			rate = text.RateUnit(s.GTEPS)
		}
		row, run := []string{s.Source, text.Count(s.Degree), s.Algorithm, text.Count(s.Reached), text.Percent(uint64(s.Reached), uint64(r.Graph.Vertices)), text.Count(s.Levels), text.Count(s.Edges), duration(s.MedianMS)}, []string{s.Source, duration(s.MedianMS)}
		if r.Trials > 1 {
			var each []string
			for _, ms := range s.MS {
				each = append(each, duration(ms))
			}
			row, run = append(row, duration(slices.Min(s.MS)), duration(slices.Max(s.MS))), append(run, strings.Join(each, ", "))
		}
		rows, runs = append(rows, append(row, rate)), append(runs, run)
		bars = append(bars, page.Bar{Class: "c3", Name: "from " + s.Source + ": " + s.Algorithm, Text: duration(s.MedianMS), Value: s.MedianMS})
	}
	sources := "The sources were given."
	switch {
	case r.Searches[0].Fallback:
		sources = "No vertex has an edge out of it, so the search is from the smallest id."
	case r.Drawn:
		sources = fmt.Sprintf("The sources were drawn from the vertices with an edge out of them, by seed %d.", r.Seed)
	}
	checked := "Each search was checked by Graph500's five rules first."
	if !r.Checked {
		checked = "Results were not checked (--no-check)."
	}
	p.Text("h3", "Times")
	p.Table("", rows)
	p.Text(`p class="soft"`, "%s %s The rate counts edges in the reached part of the graph, undirected ones once: 1 GTEPS is 10^9 edges a second, 1 MTEPS 10^6.", sources, checked)
	most := 0.0
	for _, b := range bars {
		most = max(most, b.Value)
	}
	unit, perMS := unitOf(most)
	for i := range bars {
		bars[i].Value *= perMS
	}
	p.Raw("<div class=\"plots\">\n")
	trials := "one trial, so a single run"
	if r.Trials > 1 {
		trials = fmt.Sprintf("the median of %s trials", text.Count(r.Trials))
	}
	p.Figure("Time of a warm search for depths from each source, without loading, placing and preparing: "+trials+".", r.Command, runs, func() {
		p.Raw(page.RowsOfBars("times of searches", unit, bars))
	})
	p.Raw("</div>\n")
}

// bands are the pulled levels of a search.
func (s *Search) bands() (list [][2]int) {
	for _, ph := range s.Phases {
		if ph.Direction == "pull" {
			list = append(list, [2]int{ph.Depth, ph.Depth + ph.Levels - 1})
		}
	}
	return list
}

func (r *Report) writeFrontiers(p *page.Page) {
	rows := [][]string{{"source", "depth", "vertices", "edges out of them"}}
	for _, s := range r.Searches {
		for d, l := range s.ByDepth {
			if d == mostRows {
				rows = append(rows, []string{s.Source, fmt.Sprintf("%s more", text.Count(len(s.ByDepth)-d)), "", ""})
				break
			}
			rows = append(rows, []string{s.Source, text.Count(d), text.Count(l.Vertices), text.Count(l.Edges)})
		}
	}
	p.Text("h3", "Frontiers")
	p.Figure("Frontiers of the searches by depth: the vertices of each, and the edges out of them. Levels on a gray ground were pulled, the others pushed.", r.Command, rows, func() {
		p.Raw("<div class=\"plots\">\n")
		for _, s := range r.Searches {
			f := page.Plot{Title: "frontiers of the search from " + s.Source, X: "depth: edges from the source", Y: "vertices, edges (log)", Log: true, Dots: true, Bands: s.bands(), BandName: "pulled"}
			var vs, es []float64
			for _, l := range s.ByDepth {
				vs, es = append(vs, float64(l.Vertices)), append(es, float64(l.Edges))
			}
			f.Curves = []page.Curve{{Class: ofVertices, Name: "vertices", Values: vs}, {Class: ofEdges, Name: "edges", Values: es}}
			p.Raw("<div>")
			p.Text("h4", "from %s", s.Source)
			p.Raw(f.SVG() + "</div>\n")
		}
		p.Raw("</div>\n")
	})
}

func (r *Report) writeLevelTimes(p *page.Page) {
	rows := [][]string{{"source", "depth", "direction", "frontier", "vertices", "edges visited", "time"}}
	for _, s := range r.Searches {
		for i, x := range s.Steps {
			if i == mostRows {
				rows = append(rows, []string{s.Source, fmt.Sprintf("%s more rows", text.Count(len(s.Steps)-i)), "", "", "", "", ""})
				break
			}
			depth, visited := text.Count(x.Depth), text.Count(x.Visited)
			if x.Levels > 1 {
				depth += "–" + text.Count(x.Depth+x.Levels-1)
			}
			if r.UnitName != "worker" && x.Direction == "pull" && x.Visited == 0 {
				visited = "not counted"
			}
			rows = append(rows, []string{s.Source, depth, x.Direction, x.Form, text.Count(x.Vertices), visited, duration(x.MS)})
		}
	}
	p.Text("h3", "Time by level")
	p.Figure("Time of each level of one run with statistics, which cost two readings of the clock a level. Of deep searches the table sums up several levels in a row, and the curve has their mean.", r.Command, rows, func() {
		p.Raw("<div class=\"plots\">\n")
		for _, s := range r.Searches {
			most := 0.0
			for _, x := range s.Steps {
				most = max(most, x.MS/float64(x.Levels))
			}
			unit, perMS := unitOf(most)
			f := page.Plot{Title: "time by level of the search from " + s.Source, X: "depth: edges from the source", Y: unit, Dots: true, Bands: s.bands(), BandName: "pulled"}
			var times []float64
			for _, x := range s.Steps {
				for range x.Levels {
					times = append(times, x.MS*perMS/float64(x.Levels))
				}
			}
			f.Curves = []page.Curve{{Class: ofTime, Name: "time", Values: times}}
			p.Raw("<div>")
			p.Text("h4", "from %s", s.Source)
			p.Raw(f.SVG() + "</div>\n")
		}
		p.Raw("</div>\n")
	})
}

func (r *Report) writeDirections(p *page.Page) {
	p.Text("h3", "Directions, and why")
	p.Text(`p class="soft"`, "A push goes along the edges out of the frontier. A pull has each vertex that wasn't reached look for a neighbor in the frontier. The reason is that of the first level in the row. Times are those of the run with statistics.")
	rows := [][]string{{"source", "depths", "direction", "vertices", "time", "why"}}
	for _, s := range r.Searches {
		for _, ph := range s.Phases {
			depths := text.Count(ph.Depth)
			if ph.Levels > 1 {
				depths += "–" + text.Count(ph.Depth+ph.Levels-1)
			}
			rows = append(rows, []string{s.Source, depths, ph.Direction, text.Count(ph.Vertices), duration(ph.MS), ph.Why})
		}
		if s.More > 0 {
			rows = append(rows, []string{s.Source, "", "", "", "", fmt.Sprintf("%s of direction are left out.", text.Plural(s.More, "more change"))})
		}
	}
	p.Table("why", rows)
	p.Command(r.Command)
}
