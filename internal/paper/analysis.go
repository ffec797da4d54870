// This file holds the page's sections about the halves of a level, culling, choices and growth.

package paper

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/internal/page"
)

// gteps returns 10^9 edges a second, as text.
func gteps(edges uint64, seconds float64) string {
	if seconds == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g", float64(edges)/seconds/1e9)
}

// rateOf returns edges a second of a measure by a strategy; any strategy if it is empty.
func (g *Graph) rateOf(measure, balance string) float64 {
	for _, r := range g.Replayed {
		if r.Measure == measure && (balance == "" || r.Balance == balance) && r.Seconds > 0 {
			return float64(r.Edges) / r.Seconds
		}
	}
	return 0
}

// fastest returns the highest rate of a measure by any strategy.
func (g *Graph) fastest(measure string) (best float64, balance string) {
	for _, r := range g.Replayed {
		if x := g.rateOf(measure, r.Balance); r.Measure == measure && x > best {
			best, balance = x, r.Balance
		}
	}
	return best, balance
}

func (r *Report) strategies() []string {
	var names []string
	for _, x := range r.Graphs[0].Replayed {
		if x.Measure == Gather {
			names = append(names, x.Balance)
		}
	}
	return names
}

// bytesPerEdge returns the bytes that gathering reads for an edge at least: the target, and its part of the vertex and of
// the two ends of the row.
func (g *Graph) bytesPerEdge() float64 {
	vertices, edges := 0.0, 0.0
	for _, l := range g.Levels {
		vertices, edges = vertices+float64(l.Vertices), edges+float64(l.Edges)
	}
	if edges == 0 {
		return 0
	}
	return 4 + vertices*(4+2*8)/edges
}

func (r *Report) writeReplayed(p *page.Page) {
	if len(r.Graphs) == 0 {
		return
	}
	names := r.strategies()
	base, way := names[0]+"'s", ""
	if len(names) == 1 {
		base, way = "those of the first row", " The host has one way to share out edges, called auto here."
	}
	p.Text("h2", "Neighbor gathering alone (figure 5)")
	p.Text("p", "The levels of one search are replayed: each edge frontier is written out, without a look at what was visited. Each level's time is from the call until the device is done.")
	rows := [][]string{append(append([]string{"graph"}, names...), "bytes an edge")}
	var labels []string
	var ratios [][]float64
	for _, g := range r.Graphs {
		row, line := []string{g.Name}, []float64{}
		for _, n := range names {
			x := g.rateOf(Gather, n)
			base := g.rateOf(Gather, names[0])
			if len(names) == 1 {
				base = r.Graphs[0].rateOf(Gather, n)
			}
			row, line = append(row, fmt.Sprintf("%.3g", x/1e9)), append(line, x/base)
		}
		rows = append(rows, append(row, fmt.Sprintf("%.1f", g.bytesPerEdge())))
		labels, ratios = append(labels, g.Name), append(ratios, line)
	}
	p.Figure(fmt.Sprintf("Rates of gathering, as multiples of %s.%s The table has 10^9 edges a second, and the bytes that are read for an edge at least (computed: target, vertex and both ends of its row).", base, way), r.Command, rows, func() {
		p.Picture(page.Dots("rates of gathering", labels, names, ratios))
	})

	p.Text("h2", "Gathering, lookup, and both at once (figures 6 and 9)")
	rows = [][]string{{"graph", "gather", "look up", "one after the other", "fused", "fused by", "fused, as a multiple"}}
	labels, ratios = nil, nil
	for _, g := range r.Graphs {
		gather, _ := g.fastest(Gather)
		lookup, _ := g.fastest(LookUp)
		fused, by := g.fastest(Fused)
		both := harmonic([]float64{gather, lookup}) / 2
		rows = append(rows, []string{g.Name, fmt.Sprintf("%.3g", gather/1e9), fmt.Sprintf("%.3g", lookup/1e9), fmt.Sprintf("%.3g", both/1e9), fmt.Sprintf("%.3g", fused/1e9), by, fmt.Sprintf("%.2f", fused/both)})
		labels, ratios = append(labels, g.Name), append(ratios, []float64{gather / both, lookup / both, fused / both})
	}
	p.Figure("Rates of each half of a level, and of one operator that gathers and looks up, as multiples of the two halves one after the other. Each has its fastest way to share out edges. The table has 10^9 edges a second.", r.Command, rows, func() {
		p.Picture(page.Dots("rates of the halves", labels, []string{"gather", "look up", "fused"}, ratios))
	})

	p.Text("h2", "Load balancing by size of the frontier")
	rows = [][]string{append([]string{"edge frontier", "levels", "edges"}, names...)}
	labels, ratios = nil, nil
	first := 0.0
	for k := 0; ; k++ {
		var levels int
		var edges uint64
		var least uint64
		seconds := make([]float64, len(names))
		more := false
		for _, g := range r.Graphs {
			at := 0
			for _, x := range g.Replayed {
				if x.Measure != Fused {
					continue
				}
				if k < len(x.Sizes) {
					more = true
					b := x.Sizes[k]
					least = b.Least
					seconds[at] += b.Seconds
					if at == 0 {
						levels, edges = levels+b.Levels, edges+b.Edges
					}
				}
				at++
			}
		}
		if !more {
			break
		}
		if levels == 0 {
			continue
		}
		name := fmt.Sprintf("%s to %s edges", page.SI(float64(least)), page.SI(float64(least<<bucketBits)))
		row, line := []string{name, fmt.Sprint(levels), page.SI(float64(edges))}, []float64{}
		for at := range names {
			rate := seconds[0] / seconds[at]
			if x := float64(edges) / seconds[at]; len(names) == 1 {
				if len(ratios) == 0 {
					first = x
				}
				rate = x / first
			}
			row, line = append(row, gteps(edges, seconds[at])), append(line, rate)
		}
		rows, labels, ratios = append(rows, row), append(labels, name), append(ratios, line)
	}
	p.Figure(fmt.Sprintf("Rates of gathering with lookup over the levels of all graphs, by edges of the frontier, as multiples of %s. The table has 10^9 edges a second.", base), r.Command, rows, func() {
		p.Picture(page.Dots("rates by size of the frontier", labels, names, ratios))
	})
}

func (r *Report) writeCullings(p *page.Page) {
	p.Text("h2", "Redundant expansion and culling (figures 7 and 8)")
	if len(r.Graphs) == 0 || len(r.Graphs[0].Cullings) == 0 {
		p.Text("p", "Ways of culling are a GPU's: on a host each vertex enters a frontier once.")
		return
	}
	names := []string{}
	for _, c := range r.Graphs[0].Cullings {
		names = append(names, c.Ways)
	}
	head := []string{"graph"}
	for _, n := range names {
		head = append(head, n, "missed", "rate")
	}
	rows := [][]string{head}
	var labels []string
	var factors, rates [][]float64
	for _, g := range r.Graphs {
		row, line, rate := []string{g.Name}, []float64{}, []float64{}
		exact := g.Cullings[len(g.Cullings)-1].rate()
		for _, c := range g.Cullings {
			row = append(row, fmt.Sprintf("%.3f", c.Factor), fmt.Sprintf("%.2f%%", 100*c.Missed), fmt.Sprintf("%.3g", c.rate()/1e9))
			line, rate = append(line, c.Factor), append(rate, c.rate()/exact)
		}
		rows, labels, factors, rates = append(rows, row), append(labels, g.Name), append(factors, line), append(rates, rate)
	}
	p.Figure("Edges looked at, as multiples of those of the vertices reached: 1 is no redundant work. Each way but the last has those before it, and all of these let some vertices through twice: threads that find a vertex at the same time don't see each other's writes. The last, exact, is what Foray uses: an atomic OR claims a vertex in a bitmap. The second picture has what each costs: rates of the search without counting, a single run, as multiples of exact's. A search's edges are those of the vertices reached, each counted once. The table also has false negatives, which are targets that are let through in excess, as a part of those to drop, and rates in 10^9 directed edges a second.", r.Command, rows, func() {
		p.Picture(page.Dots("redundant expansion", labels, names, factors))
		p.Picture(page.Dots("rates by way of culling", labels, names, rates))
	})
}

func (r *Report) writeChoices(p *page.Page) {
	if len(r.Graphs) == 0 {
		return
	}
	p.Text("h2", "What choices cost")
	rows := [][]string{{"graph", "best fixed way of bfs", "bfs is slower by", "best factors of dobfs", "dobfs is slower by"}}
	var names, labels []string
	for _, f := range r.Graphs[0].Factors[1:] {
		names = append(names, strings.TrimPrefix(f.Algorithm, "dobfs/"))
	}
	rows[0] = append(rows[0], names...)
	var ratios [][]float64
	for _, g := range r.Graphs {
		row := []string{g.Name, g.Best, fmt.Sprintf("%.1f%%", 100*g.Regret), strings.TrimPrefix(g.BestFactors, "dobfs/"), fmt.Sprintf("%.1f%%", 100*g.FactorsRegret)}
		var line []float64
		own := total(g.Factors[0])
		for _, f := range g.Factors[1:] {
			row, line = append(row, fmt.Sprintf("%.2f", own/total(f))), append(line, own/total(f))
		}
		rows, labels, ratios = append(rows, row), append(labels, g.Name), append(ratios, line)
	}
	p.Figure("Rates of direction-optimizing search by its factors alpha and beta, as multiples of its automatic choice. The table also has by how much the automatic choices of bfs and dobfs are slower than the best fixed one. "+r.noise(), r.Command, rows, func() {
		p.Picture(page.Dots("rates by factors", labels, names, ratios))
	})
}

func (r *Report) writeGrowth(p *page.Page) {
	if len(r.Growth) > 0 {
		p.Text("h2", "Growth of cost")
		rows := [][]string{{"graph", "vertices", "directed edges", "bytes", "bytes an edge"}}
		var names, labels []string
		for _, x := range r.Growth[0].Results {
			names = append(names, x.Algorithm)
			rows[0] = append(rows[0], x.Algorithm+" ms", x.Algorithm+" GTEPS")
		}
		rows[0] = append(rows[0], "floor, bytes", "floor, ms", "floor / bfs")
		var ratios [][]float64
		for _, g := range r.Growth {
			row, line := []string{g.Input, page.SI(float64(g.Vertices)), page.SI(float64(g.DirectedEdges)), page.SI(float64(g.Bytes)), fmt.Sprintf("%.1f", float64(g.Bytes)/float64(g.DirectedEdges))}, []float64{}
			for k, x := range g.Results {
				row = append(row, fmt.Sprintf("%.3g", x.MedianMS), fmt.Sprintf("%.3g", 2*x.GTEPS))
				line = append(line, x.GTEPS/r.Growth[0].Results[k].GTEPS)
			}
			floor, part := "", ""
			if ms, share := r.floorShare(g.Floor, g.Results[0].MedianMS); ms > 0 {
				floor, part = fmt.Sprintf("%.3g", ms), fmt.Sprintf("%.0f%%", 100*share)
			}
			rows = append(rows, append(row, page.SI(float64(g.Floor)), floor, part))
			labels, ratios = append(labels, g.Input), append(ratios, line)
		}
		copied := "The device's bandwidth wasn't measured, so the floor has no time."
		if b := r.Bandwidth; b != nil {
			copied = fmt.Sprintf("Its time is by the %.4g GB/s, read and written, at which this device copies an array of %sB; a search of a graph that fits into caches may take less.", b.GBs, page.SI(float64(b.Bytes)))
		}
		p.Figure("Rates on R-MAT graphs of growing size, as multiples of the rate on the smallest. The table has times, rates in 10^9 directed edges a second, bytes of the graph's arrays (on a GPU of a search's too), and the floor: bytes that a search by pushes moves at least, each target and offset once and a depth for each vertex. "+copied+" A search that pulls moves fewer bytes.", r.Command, rows, func() {
			p.Picture(page.Dots("rates by size", labels, names, ratios))
		})
	}
	x := r.RMAT
	if x == nil {
		return
	}
	p.Text("h2", "Levels of a large R-MAT graph")
	rows := [][]string{{"level", "vertices", "share", "(published)", "(share)"}}
	for _, w := range x.Ways {
		rows[0] = append(rows[0], w.Name)
	}
	sum := func(list []uint64) (s float64) {
		for _, v := range list {
			s += float64(v)
		}
		return s
	}
	all, theirs := sum(x.Levels), sum(x.Published)
	var ours, others []float64
	for i := range max(len(x.Levels), len(x.Published)) {
		row := []string{fmt.Sprint(i), "", "", "", ""}
		if i < len(x.Levels) {
			row[1], row[2] = fmt.Sprint(x.Levels[i]), fmt.Sprintf("%.4f%%", 100*float64(x.Levels[i])/all)
			ours = append(ours, float64(x.Levels[i])/all)
		}
		if i < len(x.Published) {
			row[3], row[4] = fmt.Sprint(x.Published[i]), fmt.Sprintf("%.4f%%", 100*float64(x.Published[i])/theirs)
			others = append(others, float64(x.Published[i])/theirs)
		}
		for _, w := range x.Ways {
			cell := ""
			if i < len(w.Levels) {
				cell = w.Levels[i]
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	p.Figure(fmt.Sprintf("Shares of the vertices reached, by level, of %s from vertex %s (%s vertices, %s directed edges), and of the graph with 32 M vertices and 256 M edges of Agarwal et al. (SC 2010). The table also says how each way did a level: push or pull, and the form of its frontier.", x.Input, x.Source, page.SI(float64(x.Vertices)), page.SI(float64(x.DirectedEdges))), r.Command, rows, func() {
		p.Raw(`<div class="plots">` + page.Curves("levels of a large graph", []page.Curve{{Class: "l0", Name: "this graph", Values: ours}, {Class: "l1", Name: "published", Values: others}}) + "</div>\n")
	})
}

func (r *Report) gatheringRows() [][]string {
	rows := [][]string{{"graph", "measure", "balance", "least_edges_of_frontier", "levels", "edges", "seconds"}}
	for _, g := range r.Graphs {
		for _, x := range g.Replayed {
			for _, b := range x.Sizes {
				if b.Levels > 0 {
					rows = append(rows, []string{g.Name, x.Measure, x.Balance, whole(b.Least), fmt.Sprint(b.Levels), whole(b.Edges), number(b.Seconds)})
				}
			}
		}
	}
	return rows
}

func (r *Report) cullingRows() [][]string {
	rows := [][]string{{"graph", "ways", "reached", "edges", "dropped", "passed", "redundant_expansion", "false_negatives", "seconds"}}
	for _, g := range r.Graphs {
		for _, c := range g.Cullings {
			rows = append(rows, []string{g.Name, c.Ways, whole(c.Reached), whole(c.Edges), whole(c.Dropped), whole(c.Passed), number(c.Factor), number(c.Missed), number(c.Seconds)})
		}
	}
	return rows
}

// noise returns a sentence on how much the times vary.
func (r *Report) noise() string {
	if r.Trials == 1 {
		return "Each time is a single run: on a machine that does other work too, differences below a factor of 2 are noise."
	}
	return "Times are medians of few trials: differences of a few percent are noise."
}

func (r *Report) choiceRows() [][]string {
	rows := [][]string{{"graph", "compared", "choice", "ms"}}
	add := func(g Graph, compared string, list []bench.Result) { // what was compared was measured together
		for _, x := range list {
			rows = append(rows, []string{g.Name, compared, x.Algorithm, number(total(x))})
		}
	}
	for _, g := range r.Graphs {
		add(g, "ways", g.Results)
		add(g, "factors", g.Factors)
	}
	return rows
}

func (r *Report) growthRows() [][]string {
	rows := [][]string{{"input", "vertices", "directed_edges", "bytes", "floor_bytes", "algorithm", "q1_ms", "median_ms", "q3_ms", "directed_gteps", "floor_ms", "floor_share"}}
	for _, g := range r.Growth {
		for _, x := range g.Results {
			floorMS, share := 0.0, 0.0
			if x.Algorithm == string(bench.BFS) {
				floorMS, share = r.floorShare(g.Floor, x.MedianMS)
			}
			rows = append(rows, []string{g.Input, fmt.Sprint(g.Vertices), whole(g.DirectedEdges), whole(g.Bytes), whole(g.Floor), x.Algorithm, number(x.Q1MS), number(x.MedianMS), number(x.Q3MS), number(2 * x.GTEPS), known(floorMS), known(share)})
		}
	}
	return rows
}

func (r *Report) levelRows() [][]string {
	rows := [][]string{{"input", "source", "level", "vertices", "published_vertices", "way", "how"}}
	if r.RMAT == nil {
		return rows
	}
	for _, w := range r.RMAT.Ways {
		for i, v := range r.RMAT.Levels {
			theirs, how := "", ""
			if i < len(r.RMAT.Published) {
				theirs = whole(r.RMAT.Published[i])
			}
			if i < len(w.Levels) {
				how = w.Levels[i]
			}
			rows = append(rows, []string{r.RMAT.Input, r.RMAT.Source, fmt.Sprint(i), whole(v), theirs, w.Name, how})
		}
	}
	return rows
}
