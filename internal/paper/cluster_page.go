// This file holds the page's section about searches over ranks, with its pictures.

package paper

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
)

// part is a thing that has one color in all pictures of the section.
type part struct {
	color int // of the page's style
	name  string
}

// The parts of time, of bytes sent, and the other curves.
var (
	computing  = part{0, "computation"}
	counting   = part{5, "counts, waiting"}
	uniting    = part{3, "delegates' bitmaps"}
	locally    = part{2, "local exchange"}
	remotely   = part{1, "remote exchange"}
	exchanging = part{1, "exchange"}
	nnEdges    = part{1, "nn edges, of all edges"}
	delegates  = part{3, "delegates, of all vertices"}
	memory     = part{4, "subgraphs and maps of all ranks"}
	measuredIt = part{0, "measured"}
	ideal      = part{5, "ideal"}
)

func (x *ClusterRun) perEdge() float64 { return float64(x.Bytes) / float64(max(x.DirectedEdges, 1)) }

func (x *ClusterRun) nnShare() float64 { return float64(x.NN) / float64(max(x.DirectedEdges, 1)) }

func (x *ClusterRun) delegateShare() float64 {
	return float64(x.Delegates) / float64(max(x.Vertices, 1))
}

// thresholdName is as the run was asked for.
func (x *ClusterRun) thresholdName() string {
	if x.Asked < 0 {
		return fmt.Sprintf("auto: %d", x.Threshold)
	}
	return fmt.Sprint(x.Threshold)
}

func (c *Cluster) of(figure string) (list []ClusterRun) {
	for _, x := range c.Runs {
		if x.Figure == figure {
			list = append(list, x)
		}
	}
	return list
}

// ranksAre says what ranks are, for captions.
func (c *Cluster) ranksAre(runs []ClusterRun) string {
	most, checked := 0, true
	for _, x := range runs {
		most, checked = max(most, x.Ranks), checked && x.Checked
	}
	text := "Ranks are goroutines of one process with one worker each: exchange is through memory, not a network."
	if most > c.Cores {
		text += fmt.Sprintf(" They share %d cores, so ranks in excess of that wait for a core.", c.Cores)
	} else {
		text += fmt.Sprintf(" There are %d cores.", c.Cores)
	}
	if c.Host {
		text += " They search on the host: NCCL needs a GPU for each rank, and the report's device is one."
	}
	if checked {
		return text + " Depths were compared with a sequential search before timing."
	}
	return text + " Depths were not checked (--no-check)."
}

func (r *Report) writeCluster(p *page) {
	c := r.Cluster
	if c == nil {
		return
	}
	p.text("h2", "Search over ranks (Pan, Pearce and Owens, IPDPS 2018)")
	p.text("p", "Each rank holds a part of the graph. Vertices with more neighbors than the threshold are delegates, which every rank knows; each other vertex, a normal one, belongs to one rank. After a level the bitmaps of delegates are combined, and normal vertices are sent to their owners along nn edges, which join two normal vertices.")
	p.text("p", "Times are from the call until all ranks have their depths: the median trial of the median source. Parts are means over the ranks. After each level the ranks add up their counts, and wait for the slowest one. The exchange includes dropping duplicates and visiting what came. Tables have times in ms, and rates in 10^9 directed edges a second.")
	if runs := c.of(ByThreshold); len(runs) > 0 {
		slices.SortStableFunc(runs, func(a, b ClusterRun) int { return cmp.Compare(a.Threshold, b.Threshold) }) // auto's where it belongs
		r.writeThresholds(p, c, runs)
	}
	for _, figure := range []string{Strong, Weak} {
		if runs := c.of(figure); len(runs) > 0 {
			r.writeScaling(p, c, figure, runs)
		}
	}
}

func (r *Report) writeThresholds(p *page, c *Cluster, runs []ClusterRun) {
	var labels []string
	var times, bytes, perEdge [][]float64
	var nn, dd []float64
	rows := [][]string{{"threshold", "delegates", "share", "nn edges", "share", "bytes a directed edge", "ms", computing.name, counting.name, uniting.name, locally.name, remotely.name, "sent locally, bytes", "remotely, bytes", "bitmaps of each rank, bytes", "GTEPS"}}
	percent := func(x float64) string { return fmt.Sprintf("%.3g%%", 100*x) }
	for _, x := range runs {
		labels = append(labels, x.thresholdName())
		times = append(times, []float64{x.ComputingMS, x.CountingMS, x.UnitingMS, x.LocalMS, x.ExchangingMS})
		bytes = append(bytes, []float64{float64(x.Sent - x.Across), float64(x.Across)})
		perEdge = append(perEdge, []float64{x.perEdge()})
		nn, dd = append(nn, 100*x.nnShare()), append(dd, 100*x.delegateShare())
		row := []string{x.thresholdName(), si(float64(x.Delegates)), percent(x.delegateShare()), si(float64(x.NN)), percent(x.nnShare()), fmt.Sprintf("%.2f", x.perEdge()), fmt.Sprintf("%.3g", x.MedianMS)}
		for _, t := range times[len(times)-1] {
			row = append(row, fmt.Sprintf("%.3g", t))
		}
		rows = append(rows, append(row, si(float64(x.Sent-x.Across)), si(float64(x.Across)), si(float64(x.United)), fmt.Sprintf("%.3g", 2*x.GTEPS)))
	}
	p.figure(fmt.Sprintf("Searches of %s over %d ranks by the threshold of delegates; auto is the one that Foray chooses. %d ranks that follow one another count as a machine: the ranks of a machine exchange normal vertices among themselves (local), then with those of the other machine (remote). An edge list takes 16 bytes a directed edge with 64-bit ids. %s",
		runs[0].Input, runs[0].Ranks, perMachine, c.ranksAre(runs)), r.Command, rows, func() {
		p.plots(
			"Time by part", stacks("time by part", "threshold", "ms", labels, []part{computing, counting, uniting, locally, remotely}, times),
			"Shares", lines("shares of edges and vertices", "threshold", "%", labels, []part{nnEdges, delegates}, [][]float64{nn, dd}),
			"Bytes of normal vertices sent", stacks("bytes sent", "threshold", "bytes, all ranks", labels, []part{locally, remotely}, bytes),
			"Memory", stacks("memory", "threshold", "bytes a directed edge", labels, []part{memory}, perEdge))
	})
}

func (r *Report) writeScaling(p *page, c *Cluster, figure string, runs []ClusterRun) {
	var labels []string
	var times [][]float64
	var rates, ideals []float64
	rows := [][]string{{"ranks", "graph", "directed edges", "threshold", "delegates", "bytes a directed edge", "ms", computing.name, counting.name, uniting.name, exchanging.name, "sent, bytes", "GTEPS", "as a multiple"}}
	for _, x := range runs {
		labels = append(labels, fmt.Sprint(x.Ranks))
		times = append(times, []float64{x.ComputingMS, x.CountingMS, x.UnitingMS, x.ExchangingMS})
		rate := 0.0
		if runs[0].GTEPS > 0 {
			rate = x.GTEPS / runs[0].GTEPS
		}
		rates, ideals = append(rates, rate), append(ideals, float64(x.Ranks)/float64(runs[0].Ranks))
		row := []string{fmt.Sprint(x.Ranks), x.Input, si(float64(x.DirectedEdges)), fmt.Sprint(x.Threshold), si(float64(x.Delegates)), fmt.Sprintf("%.2f", x.perEdge()), fmt.Sprintf("%.3g", x.MedianMS)}
		for _, t := range times[len(times)-1] {
			row = append(row, fmt.Sprintf("%.3g", t))
		}
		rows = append(rows, append(row, si(float64(x.Sent)), fmt.Sprintf("%.3g", 2*x.GTEPS), fmt.Sprintf("%.2f", rate)))
	}
	what := "Strong scaling: the same graph, " + runs[0].Input + ", over more ranks."
	if figure == Weak {
		what = fmt.Sprintf("Weak scaling: the graph grows with the ranks, from %s to %s.", runs[0].Input, runs[len(runs)-1].Input)
	}
	p.figure(fmt.Sprintf("%s Times by part, and rates as multiples of one rank's. Thresholds are those that Foray chooses; every rank sends straight to every other. %s", what, c.ranksAre(runs)), r.Command, rows, func() {
		p.plots(
			"Time by part", stacks(figure+", time by part", "ranks", "ms", labels, []part{computing, counting, uniting, exchanging}, times),
			"Rate", lines(figure+", rates", "ranks", "rate, × one rank's", labels, []part{measuredIt, ideal}, [][]float64{rates, ideals}))
	})
}

// plots writes pictures side by side, each after its title.
func (p *page) plots(pairs ...string) {
	p.raw("<div class=\"plots\">\n")
	for i := 0; i < len(pairs); i += 2 {
		p.raw("<div>")
		p.text("h3", "%s", pairs[i])
		p.raw(pairs[i+1] + "</div>\n")
	}
	p.raw("</div>\n")
}

// chart is a plot over labels.
type chart struct {
	strings.Builder
	top, bottom, most, each float64
}

func newChart(title, axis, unit string, labels []string, parts []part, most float64) *chart {
	perRow, column, row := 3, 115, 14 // of the legend
	if len(parts) < perRow {          // whose names may be longer
		perRow, column = 2, 172
	}
	rows := (len(parts) + perRow - 1) / perRow
	height := plotHeight + row*(rows+1)
	by := step(most, plotTicks)
	c := &chart{top: float64(row*rows + 22), bottom: float64(height - plotBottom), most: max(by*math.Ceil(most/by), by), each: float64(plotWidth-plotLeft-plotRight) / float64(max(len(labels), 1))}
	fmt.Fprintf(c, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, plotWidth, height, html.EscapeString(title))
	for i, p := range parts {
		x, y := i%perRow*column+6, i/perRow*row+2
		fmt.Fprintf(c, `<rect class="c%d" x="%d" y="%d" width="9" height="9"/><text x="%d" y="%d">%s</text>`, p.color, x, y, x+13, y+8, html.EscapeString(p.name))
	}
	fmt.Fprintf(c, `<text x="6" y="%.0f">%s</text>`, c.top-8, html.EscapeString(unit))
	for v := 0.0; v <= c.most*1.001; v += by {
		fmt.Fprintf(c, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`, plotLeft, plotWidth-plotRight, c.y(v), c.y(v), plotLeft-5, c.y(v)+3.5, si(v))
	}
	for i, l := range labels {
		fmt.Fprintf(c, `<text x="%.1f" y="%.0f" text-anchor="middle">%s</text>`, c.x(i), c.bottom+14, html.EscapeString(l))
	}
	fmt.Fprintf(c, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, (plotLeft+plotWidth-plotRight)/2, height-5, html.EscapeString(axis))
	return c
}

// x is the middle of a label.
func (c *chart) x(i int) float64 { return plotLeft + (float64(i)+.5)*c.each }

func (c *chart) y(v float64) float64 { return c.bottom - v/c.most*(c.bottom-c.top) }

// stacks returns a plot of a bar for each label, whose parts lie on one another, the first one at the bottom.
func stacks(title, axis, unit string, labels []string, parts []part, values [][]float64) string {
	most := 0.0
	for _, v := range values {
		sum := 0.0
		for _, x := range v {
			sum += x
		}
		most = max(most, sum)
	}
	c := newChart(title, axis, unit, labels, parts, most)
	for i, v := range values {
		sum := 0.0
		for k, x := range v {
			sum += x
			if x > 0 {
				fmt.Fprintf(c, `<rect class="c%d" x="%.1f" y="%.2f" width="%.1f" height="%.2f"/>`, parts[k].color, c.x(i)-.35*c.each, c.y(sum), .7*c.each, c.y(sum-x)-c.y(sum))
			}
		}
	}
	c.WriteString("</svg>")
	return c.String()
}

// lines returns a plot of a curve for each part, with a dot for each label.
func lines(title, axis, unit string, labels []string, parts []part, values [][]float64) string {
	most := 0.0
	for _, v := range values {
		for _, x := range v {
			most = max(most, x)
		}
	}
	c := newChart(title, axis, unit, labels, parts, most)
	for k, v := range values {
		fmt.Fprintf(c, `<polyline style="stroke:var(--c%d)" points="`, parts[k].color)
		for i, x := range v {
			fmt.Fprintf(c, "%.1f,%.1f ", c.x(i), c.y(x))
		}
		c.WriteString(`"/>`)
		for i, x := range v {
			fmt.Fprintf(c, `<circle class="c%d" cx="%.1f" cy="%.1f" r="3"/>`, parts[k].color, c.x(i), c.y(x))
		}
	}
	c.WriteString("</svg>")
	return c.String()
}

func (r *Report) clusterRows() [][]string {
	rows := [][]string{{"figure", "input", "vertices", "directed_edges", "ranks", "cores", "local_all_to_all", "chosen", "threshold", "delegates", "nn_edges", "nd_edges", "dn_edges", "dd_edges", "bytes", "bytes_per_directed_edge", "checked", "source",
		"min_ms", "median_ms", "max_ms", "computing_ms", "counting_ms", "uniting_ms", "local_exchange_ms", "exchange_ms", "sent_bytes", "sent_between_machines_bytes", "bitmap_bytes_per_rank", "directed_gteps"}}
	if r.Cluster == nil {
		return rows
	}
	for _, x := range r.Cluster.Runs {
		rows = append(rows, []string{x.Figure, x.Input, fmt.Sprint(x.Vertices), whole(x.DirectedEdges), fmt.Sprint(x.Ranks), fmt.Sprint(r.Cluster.Cores), strconv.FormatBool(x.ByMachine), strconv.FormatBool(x.Asked < 0), whole(x.Threshold), whole(x.Delegates),
			whole(x.NN), whole(x.ND), whole(x.DN), whole(x.DD), whole(x.Bytes), number(x.perEdge()), strconv.FormatBool(x.Checked), x.Source,
			number(x.MinMS), number(x.MedianMS), number(x.MaxMS), number(x.ComputingMS), number(x.CountingMS), number(x.UnitingMS), number(x.LocalMS), number(x.ExchangingMS), whole(x.Sent), whole(x.Across), whole(x.United), number(2 * x.GTEPS)})
	}
	return rows
}
