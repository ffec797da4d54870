// This file holds a report as one page of HTML, which refers to nothing outside.

package paper

import (
	"fmt"
	"io"

	"github.com/foray-graph/foray/internal/page"
	"github.com/foray-graph/foray/internal/text"
)

func (r *Report) writeHTML(w io.Writer) error {
	p := page.New("Scalable graph traversal, analyzed")
	p.Text("p", "The analysis of Merrill, Garland and Grimshaw, “Scalable GPU Graph Traversal” (PPoPP 2012), repeated with Foray on graphs that stand for those of the paper's table 1.")
	p.Text(`p class="soft"`, "%s on %s. Scale %s, seed %d, %s, %s. %s", r.Command, r.where(), r.Scale, r.Seed, text.Plural(r.Sources, "source"), text.Plural(r.Trials, "trial"), r.Time)
	if len(r.Graphs) > 0 || r.Cluster == nil {
		r.writeGraphs(p)
		r.writeFrontiers(p)
		r.writeReplayed(p)
		r.writeCullings(p)
		r.writeSearches(p)
		r.writeChoices(p)
	}
	r.writeGrowth(p)
	r.writeCluster(p)
	r.writeFlex(p)
	r.writeRivals(p)
	return p.End(w)
}

// where names the machine, its driver and the program.
func (r *Report) where() string {
	s := r.Hardware()
	if r.Driver != "" {
		s += ", driver for " + r.Driver
	}
	s += ", " + r.GoVersion + ", Foray " + r.Version
	if r.Commit != "" {
		s += ", commit " + r.Commit
	}
	return s
}

func (r *Report) writeGraphs(p *page.Page) {
	p.Text("h2", "The graphs (table 1)")
	p.Text("p", "m counts directed edges. The depth is the mean over the sources. Columns in brackets are the paper's. The spread is the standard deviation of the degrees, as a multiple of their mean; the paper's table has the mean degree, and neither the spread nor the largest degree, of the originals. Degrees are in powers of two, their counts on a logarithmic scale.")
	rows := [][]string{{"graph", "kind", "input", "n", "(n)", "m", "(m)", "m/n", "(m/n)", "spread", "largest", "depth", "(depth)", "degrees"}}
	var pictures []string
	for _, g := range r.Graphs {
		o := g.Published
		published := func(x float64) string {
			if x == 0 { // a graph that isn't the paper's
				return ""
			}
			return page.SI(x)
		}
		mean := ""
		if o.Vertices > 0 {
			mean = page.SI(o.DirectedEdges / o.Vertices)
		}
		rows = append(rows, []string{g.Name, g.Kind, g.Input, page.SI(float64(g.Vertices)), published(o.Vertices), page.SI(float64(g.DirectedEdges)), published(o.DirectedEdges), page.SI(g.MeanDegree), mean,
			fmt.Sprintf("%.2f", g.DegreeSpread), page.SI(float64(g.MaxDegree)), page.SI(g.Depth), published(o.Depth)})
		pictures = append(pictures, page.Bars("degrees of "+g.Name, g.Degrees))
	}
	p.Table("kind", rows, pictures...)
	p.Command(r.Command)
}

func (r *Report) writeFrontiers(p *page.Page) {
	p.Text("h2", "Frontiers by iteration (figure 3)")
	rows := [][]string{{"graph", "source", "iterations", "largest edge frontier", "distinct there", "edges", "distinct", "share of duplicates"}}
	for _, g := range r.Graphs {
		var most Level
		edges, distinct := uint64(0), uint64(0)
		for _, l := range g.Levels {
			if l.Edges > most.Edges {
				most = l
			}
			edges, distinct = edges+l.Edges, distinct+l.Distinct
		}
		share := ""
		if edges > 0 {
			share = fmt.Sprintf("%.1f%%", 100*(1-float64(distinct)/float64(edges)))
		}
		rows = append(rows, []string{g.Name, g.Source, fmt.Sprint(len(g.Levels)), page.SI(float64(most.Edges)), page.SI(float64(most.Distinct)), page.SI(float64(edges)), page.SI(float64(distinct)), share})
	}
	p.Figure("Sizes of the vertex frontier, of the edge frontier, which is all neighbors of the vertex frontier, and of its part without duplicates, for one source of each graph. The vertical axis counts vertices or edges. Computed on the host.", r.Command, rows, func() {
		p.Raw("<div class=\"plots\">\n")
		for _, g := range r.Graphs {
			values := func(of func(Level) uint64) (v []float64) {
				for _, l := range g.Levels {
					v = append(v, float64(of(l)))
				}
				return v
			}
			p.Raw("<div>")
			p.Text("h3", "%s", g.Name)
			p.Raw(page.Curves("frontiers of "+g.Name, []page.Curve{
				{Class: "l1", Name: "edge frontier", Values: values(func(l Level) uint64 { return l.Edges })},
				{Class: "l2", Name: "without duplicates", Values: values(func(l Level) uint64 { return l.Distinct })},
				{Class: "l0", Name: "vertex frontier", Values: values(func(l Level) uint64 { return l.Vertices })},
			}))
			p.Raw("</div>\n")
		}
		p.Raw("</div>\n")
	})
}

// harmonic returns the harmonic mean of positive numbers, or 0.
func harmonic(x []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range x {
		if v > 0 {
			sum, n = sum+1/v, n+1
		}
	}
	if n == 0 {
		return 0
	}
	return float64(n) / sum
}

// middle describes the rate of a graph in the table.
func (r *Report) middle() string {
	switch {
	case r.Sources >= leastQuartiles:
		return "medians over the sources with quartiles in brackets"
	case r.Sources > 1:
		return "medians over the sources"
	case r.Trials > 1:
		return "of one source, the median of its trials"
	}
	return "of one trial"
}

func (r *Report) writeSearches(p *page.Page) {
	if len(r.Graphs) == 0 {
		return
	}
	p.Text("h2", "Searches (figure 10 and table 2)")
	var names []string
	for _, s := range r.Graphs[0].Results {
		names = append(names, s.Algorithm)
	}
	of := func(g Graph, k int) float64 {
		if k < len(g.Results) {
			return g.rate(g.Results[k].GTEPS)
		}
		return 0
	}
	ratio := func(a, b float64) string {
		if b == 0 {
			return ""
		}
		return fmt.Sprintf("%.2f", a/b)
	}
	// The picture leaves out the sequential search, which is last: hundreds of times slower, it would press the others together.
	shown := names[:len(names)-1]
	var labels []string
	var ratios [][]float64
	rows := [][]string{append(append([]string{"graph"}, names...), "best", "best / seq", "(C2050)", "best / (C2050)")}
	by := make([][]float64, len(names))
	for _, g := range r.Graphs {
		row, line, best := []string{g.Name}, []float64{}, 0.0
		sequential := 0.0
		for k := range names {
			v := of(g, k)
			low, high := g.rates(g.Results[k])
			cell := fmt.Sprintf("%.3g", v)
			if len(g.Results[k].Sources) >= leastQuartiles {
				cell += fmt.Sprintf(" (%.3g to %.3g)", low, high)
			}
			row = append(row, cell)
			if g.Results[k].Algorithm == "seq" {
				sequential = v
			} else {
				best = max(best, v)
			}
			if first := of(g, 0); first > 0 {
				by[k] = append(by[k], v/first)
				if k < len(shown) {
					line = append(line, v/first)
				}
			}
		}
		published := ""
		if g.Published.GTEPS > 0 {
			published = fmt.Sprint(g.Published.GTEPS)
		}
		rows = append(rows, append(row, fmt.Sprintf("%.3g", best), ratio(best, sequential), published, ratio(best, g.Published.GTEPS)))
		labels, ratios = append(labels, g.Name), append(ratios, line)
	}
	var means []float64
	last := []string{"harmonic mean of the ratios to " + names[0]}
	for k := range names {
		means = append(means, harmonic(by[k]))
		last = append(last, fmt.Sprintf("%.3g", means[k]))
	}
	labels, ratios = append(labels, "harmonic mean"), append(ratios, means[:len(shown)])
	rows = append(rows, append(last, "", "", "", ""))
	checked := "Depths were compared with a sequential search before timing."
	for _, g := range r.Graphs {
		for _, s := range g.Results {
			if !s.Checked {
				checked = "Depths were not checked (--no-check)."
			}
		}
	}
	p.Figure(fmt.Sprintf("Rates of searches for distances, as multiples of %s's. The table has seq too, a search on one goroutine, and rates in GTEPS, 10^9 directed edges a second, %s, beside the paper's rate on a Tesla C2050. %s", names[0], r.middle(), checked), r.Command, rows, func() {
		p.Picture(page.Dots("rates of searches", labels, shown, ratios))
	})
}
