// This file holds a report as one page of HTML, which refers to nothing outside.

package paper

import (
	"fmt"
	"html"
	"io"
	"strings"
)

const style = `:root{color-scheme:light dark;--bg:#fff;--fg:#1a1a1a;--soft:#666;--grid:#ddd;--c0:#0b5fa5;--c1:#d55e00;--c2:#2a8a4a;--c3:#8a4fbf;--c4:#b8860b;--c5:#888;--c6:#0aa;--c7:#c2185b;--c8:#5d4037}
@media (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e8e8e8;--soft:#a0a0a0;--grid:#363a40;--c0:#63b3ff;--c1:#ff9a4d;--c2:#62cc86;--c3:#c39bff;--c4:#e6bf4a;--c5:#aaa;--c6:#4dd;--c7:#ff7ab0;--c8:#c8a08f}}
body{background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1180px;padding:16px}
h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2em}h3{font-size:1em;margin:0}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px}
th,td{padding:3px 8px;text-align:right;border-bottom:1px solid var(--grid);white-space:nowrap}
th:first-child,td:first-child,.kind td:nth-child(-n+3),.kind th:nth-child(-n+3){text-align:left}
.scroll{overflow-x:auto}.soft,figcaption{color:var(--soft);font-size:13px}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(340px,100%),1fr));gap:12px}
figure{margin:1em 0}code{font-size:13px;overflow-wrap:anywhere}
svg{width:100%;height:auto;display:block}svg.spark{width:90px;height:24px}svg.wide{min-width:600px}
svg text{font:10.5px system-ui,sans-serif;fill:var(--soft);stroke:none}
polyline{fill:none;stroke-width:1.6}.grid{stroke:var(--grid)}.one{stroke:var(--fg)}.bar{fill:var(--c0)}
polyline.l0{stroke:var(--c0)}polyline.l1{stroke:var(--c1)}polyline.l2{stroke:var(--c2)}
text.l0{fill:var(--c0)}text.l1{fill:var(--c1)}text.l2{fill:var(--c2)}
.c6{fill:var(--c6)}.c7{fill:var(--c7)}.c8{fill:var(--c8)}.c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}
@media print{body{max-width:none}.plots{grid-template-columns:1fr 1fr}figure{break-inside:avoid}}`

// page writes HTML, whose texts are escaped.
type page struct{ b strings.Builder }

func (p *page) raw(s string) { p.b.WriteString(s) }

func (p *page) text(tag, format string, args ...any) {
	name, _, _ := strings.Cut(tag, " ")
	fmt.Fprintf(&p.b, "<%s>%s</%s>\n", tag, html.EscapeString(fmt.Sprintf(format, args...)), name)
}

// table writes a table of a class, whose first row has the names. The last cell of each other row may be followed by a
// picture.
func (p *page) table(class string, rows [][]string, pictures ...string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	p.raw(`<div class="scroll"><table` + class + `>`)
	for i, r := range rows {
		p.raw("<tr>")
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		for _, c := range r {
			fmt.Fprintf(&p.b, "<%s>%s</%s>", tag, html.EscapeString(c), tag)
		}
		if i > 0 && i <= len(pictures) {
			p.raw("<td>" + pictures[i-1] + "</td>")
		}
		p.raw("</tr>\n")
	}
	p.raw("</table></div>\n")
}

// figure writes a picture with its caption, the data as a table that opens, and the command.
func (p *page) figure(caption, command string, rows [][]string, draw func()) {
	p.raw("<figure>\n")
	draw()
	p.text("figcaption", "%s", caption)
	p.raw("<details><summary class=\"soft\">Table</summary>\n")
	p.table("", rows)
	p.raw("</details>\n<p class=\"soft\"><code>" + html.EscapeString(command) + "</code></p></figure>\n")
}

func (r *Report) writeHTML(w io.Writer) error {
	p := &page{}
	p.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>Scalable graph traversal, analyzed</title>\n<style>" + style + "</style></head><body>\n")
	p.text("h1", "Scalable graph traversal, analyzed")
	p.text("p", "The analysis of Merrill, Garland and Grimshaw, “Scalable GPU Graph Traversal” (PPoPP 2012), repeated with Foray on graphs that stand for those of the paper's table 1.")
	p.text(`p class="soft"`, "%s on %s. Scale %s, seed %d, %d sources, %d trials. %s", r.Command, r.where(), r.Scale, r.Seed, r.Sources, r.Trials, r.Time)
	r.writeGraphs(p)
	r.writeFrontiers(p)
	r.writeReplayed(p)
	r.writeCullings(p)
	r.writeSearches(p)
	r.writeChoices(p)
	r.writeGrowth(p)
	r.writeCluster(p)
	r.writeFlex(p)
	r.writeRivals(p)
	p.raw("</body></html>\n")
	_, err := io.WriteString(w, p.b.String())
	return err
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

func (r *Report) writeGraphs(p *page) {
	p.text("h2", "The graphs (table 1)")
	p.text("p", "m counts directed edges. The depth is the mean over the sources. Columns in brackets are the paper's. The spread is the standard deviation of the degrees, as a multiple of their mean; the paper's table has the mean degree, and neither the spread nor the largest degree, of the originals. Degrees are in powers of two, their counts on a logarithmic scale.")
	rows := [][]string{{"graph", "kind", "input", "n", "(n)", "m", "(m)", "m/n", "(m/n)", "spread", "largest", "depth", "(depth)", "degrees"}}
	var pictures []string
	for _, g := range r.Graphs {
		o := g.Published
		published := func(x float64) string {
			if x == 0 { // a graph that isn't the paper's
				return ""
			}
			return si(x)
		}
		mean := ""
		if o.Vertices > 0 {
			mean = si(o.DirectedEdges / o.Vertices)
		}
		rows = append(rows, []string{g.Name, g.Kind, g.Input, si(float64(g.Vertices)), published(o.Vertices), si(float64(g.DirectedEdges)), published(o.DirectedEdges), si(g.MeanDegree), mean,
			fmt.Sprintf("%.2f", g.DegreeSpread), si(float64(g.MaxDegree)), si(g.Depth), published(o.Depth)})
		pictures = append(pictures, bars("degrees of "+g.Name, g.Degrees))
	}
	p.table("kind", rows, pictures...)
	p.raw("<p class=\"soft\"><code>" + html.EscapeString(r.Command) + "</code></p>\n")
}

func (r *Report) writeFrontiers(p *page) {
	p.text("h2", "Frontiers by iteration (figure 3)")
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
		rows = append(rows, []string{g.Name, g.Source, fmt.Sprint(len(g.Levels)), si(float64(most.Edges)), si(float64(most.Distinct)), si(float64(edges)), si(float64(distinct)), share})
	}
	p.figure("Sizes of the vertex frontier, of the edge frontier, which is all neighbors of the vertex frontier, and of its part without duplicates, for one source of each graph. The vertical axis counts vertices or edges. Computed on the host.", r.Command, rows, func() {
		p.raw("<div class=\"plots\">\n")
		for _, g := range r.Graphs {
			values := func(of func(Level) uint64) (v []float64) {
				for _, l := range g.Levels {
					v = append(v, float64(of(l)))
				}
				return v
			}
			p.raw("<div>")
			p.text("h3", "%s", g.Name)
			p.raw(curves("frontiers of "+g.Name, []curve{
				{"l1", "edge frontier", values(func(l Level) uint64 { return l.Edges })},
				{"l2", "without duplicates", values(func(l Level) uint64 { return l.Distinct })},
				{"l0", "vertex frontier", values(func(l Level) uint64 { return l.Vertices })},
			}))
			p.raw("</div>\n")
		}
		p.raw("</div>\n")
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

func (r *Report) writeSearches(p *page) {
	if len(r.Graphs) == 0 {
		return
	}
	p.text("h2", "Searches (figure 10 and table 2)")
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
			row = append(row, fmt.Sprintf("%.3g (%.3g to %.3g)", v, low, high))
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
	p.figure(fmt.Sprintf("Rates of searches for distances, as multiples of %s's. The table has seq too, a search on one goroutine, and rates in GTEPS, 10^9 directed edges a second, medians over the sources with quartiles in brackets, beside the paper's rate on a Tesla C2050. %s", names[0], checked), r.Command, rows, func() {
		p.picture(dots("rates of searches", labels, shown, ratios))
	})
}
