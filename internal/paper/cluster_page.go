// This file holds the page's section about searches over ranks, with its pictures.

package paper

import (
	"fmt"
	"sort"
	"strconv"

	"github.com/foray-graph/foray/internal/page"
	"github.com/foray-graph/foray/internal/text"
)

// The parts of time, of bytes sent, and the other curves.
var (
	computing  = page.Part{Color: 0, Name: "computation"}
	counting   = page.Part{Color: 5, Name: "counts, waiting"}
	uniting    = page.Part{Color: 3, Name: "delegates' bitmaps"}
	locally    = page.Part{Color: 2, Name: "local exchange"}
	remotely   = page.Part{Color: 1, Name: "remote exchange"}
	exchanging = page.Part{Color: 1, Name: "exchange"}
	nnEdges    = page.Part{Color: 1, Name: "nn edges, of all edges"}
	delegates  = page.Part{Color: 3, Name: "delegates, of all vertices"}
	memory     = page.Part{Color: 4, Name: "subgraphs and maps of all ranks"}
	measuredIt = page.Part{Color: 0, Name: "measured"}
	ideal      = page.Part{Color: 5, Name: "ideal"}
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

// ranksAre describes the ranks, for captions.
func (c *Cluster) ranksAre(runs []ClusterRun) string {
	most, checked := 0, true
	for _, x := range runs {
		most, checked = max(most, x.Ranks), checked && x.Checked
	}
	says := "Ranks are goroutines of one process with one worker each: exchange is through memory, not a network."
	switch {
	case c.Processes > 0:
		says = fmt.Sprintf("Ranks are the first of %d processes that mpirun started on %s, with one worker each: exchange is through MPI. Each process may use %s; processes that share a core wait for it.",
			c.Processes, text.Plural(c.Machines, "machine"), text.Plural(c.Cores, "core"))
	case most > c.Cores:
		says += fmt.Sprintf(" They share %d cores, so ranks in excess of that wait for a core.", c.Cores)
	default:
		says += fmt.Sprintf(" There are %d cores.", c.Cores)
	}
	if c.Host {
		says += " They search on the host, though the report's device is a GPU."
	}
	if checked {
		return says + " Depths were compared with a sequential search before timing."
	}
	return says + " Depths were not checked (--no-check)."
}

// machinesAre describes which ranks are a machine's, for the caption of the figure with local exchange.
func (c *Cluster) machinesAre() string {
	if c.each() == 0 {
		return fmt.Sprintf("The ranks are on %d machines", c.Machines)
	}
	return fmt.Sprintf("%d ranks that follow one another count as a machine", c.each())
}

func (r *Report) writeCluster(p *page.Page) {
	c := r.Cluster
	if c == nil {
		return
	}
	p.Text("h2", "Search over ranks (Pan, Pearce and Owens, IPDPS 2018)")
	p.Text("p", "Each rank holds a part of the graph. Vertices with more neighbors than the threshold are delegates, which every rank knows; each other vertex, a normal one, belongs to one rank. After a level the bitmaps of delegates are combined, and normal vertices are sent to their owners along nn edges, which join two normal vertices.")
	p.Text("p", "Times are from the call until all ranks have their depths: the median trial of the median source. Parts are means over the ranks. After each level the ranks add up their counts, and wait for the slowest one. The exchange includes dropping duplicates and visiting what came. Tables have times in ms, and rates in 10^9 directed edges a second.")
	if runs := c.of(ByThreshold); len(runs) > 0 {
		sort.SliceStable(runs, func(i, k int) bool { return runs[i].Threshold < runs[k].Threshold }) // auto's where it belongs
		r.writeThresholds(p, c, runs)
	}
	for _, figure := range []string{Strong, Weak} {
		if runs := c.of(figure); len(runs) > 0 {
			r.writeScaling(p, c, figure, runs)
		}
	}
}

func (r *Report) writeThresholds(p *page.Page, c *Cluster, runs []ClusterRun) {
	var labels []string
	var times, bytes, perEdge [][]float64
	var nn, dd []float64
	rows := [][]string{{"threshold", "delegates", "share", "nn edges", "share", "bytes a directed edge", "ms", computing.Name, counting.Name, uniting.Name, locally.Name, remotely.Name, "sent locally, bytes", "remotely, bytes", "bitmaps of each rank, bytes", "GTEPS"}}
	percent := func(x float64) string { return fmt.Sprintf("%.3g%%", 100*x) }
	for _, x := range runs {
		labels = append(labels, x.thresholdName())
		times = append(times, []float64{x.ComputingMS, x.CountingMS, x.UnitingMS, x.LocalMS, x.ExchangingMS})
		bytes = append(bytes, []float64{float64(x.Sent - x.Across), float64(x.Across)})
		perEdge = append(perEdge, []float64{x.perEdge()})
		nn, dd = append(nn, 100*x.nnShare()), append(dd, 100*x.delegateShare())
		row := []string{x.thresholdName(), page.SI(float64(x.Delegates)), percent(x.delegateShare()), page.SI(float64(x.NN)), percent(x.nnShare()), fmt.Sprintf("%.2f", x.perEdge()), fmt.Sprintf("%.3g", x.MedianMS)}
		for _, t := range times[len(times)-1] {
			row = append(row, fmt.Sprintf("%.3g", t))
		}
		rows = append(rows, append(row, page.SI(float64(x.Sent-x.Across)), page.SI(float64(x.Across)), page.SI(float64(x.United)), fmt.Sprintf("%.3g", 2*x.GTEPS)))
	}
	p.Figure(fmt.Sprintf("Searches of %s over %d ranks by the threshold of delegates; auto is the one that Foray chooses. %s: the ranks of a machine exchange normal vertices among themselves (local), then with those of other machines (remote). An edge list takes 16 bytes a directed edge with 64-bit ids. %s",
		runs[0].Input, runs[0].Ranks, c.machinesAre(), c.ranksAre(runs)), r.Command, rows, func() {
		p.Plots(
			"Time by part", page.Stacks("time by part", "threshold", "ms", labels, []page.Part{computing, counting, uniting, locally, remotely}, times),
			"Shares", page.Lines("shares of edges and vertices", "threshold", "%", labels, []page.Part{nnEdges, delegates}, [][]float64{nn, dd}),
			"Bytes of normal vertices sent", page.Stacks("bytes sent", "threshold", "bytes, all ranks", labels, []page.Part{locally, remotely}, bytes),
			"Memory", page.Stacks("memory", "threshold", "bytes a directed edge", labels, []page.Part{memory}, perEdge))
	})
}

func (r *Report) writeScaling(p *page.Page, c *Cluster, figure string, runs []ClusterRun) {
	var labels []string
	var times [][]float64
	var rates, ideals []float64
	rows := [][]string{{"ranks", "graph", "directed edges", "threshold", "delegates", "bytes a directed edge", "ms", computing.Name, counting.Name, uniting.Name, exchanging.Name, "sent, bytes", "GTEPS", "as a multiple"}}
	for _, x := range runs {
		labels = append(labels, fmt.Sprint(x.Ranks))
		times = append(times, []float64{x.ComputingMS, x.CountingMS, x.UnitingMS, x.ExchangingMS})
		rate := 0.0
		if runs[0].GTEPS > 0 {
			rate = x.GTEPS / runs[0].GTEPS
		}
		rates, ideals = append(rates, rate), append(ideals, float64(x.Ranks)/float64(runs[0].Ranks))
		row := []string{fmt.Sprint(x.Ranks), x.Input, page.SI(float64(x.DirectedEdges)), fmt.Sprint(x.Threshold), page.SI(float64(x.Delegates)), fmt.Sprintf("%.2f", x.perEdge()), fmt.Sprintf("%.3g", x.MedianMS)}
		for _, t := range times[len(times)-1] {
			row = append(row, fmt.Sprintf("%.3g", t))
		}
		rows = append(rows, append(row, page.SI(float64(x.Sent)), fmt.Sprintf("%.3g", 2*x.GTEPS), fmt.Sprintf("%.2f", rate)))
	}
	what := "Strong scaling: the same graph, " + runs[0].Input + ", over more ranks."
	if figure == Weak {
		what = fmt.Sprintf("Weak scaling: the graph grows with the ranks, from %s to %s.", runs[0].Input, runs[len(runs)-1].Input)
	}
	p.Figure(fmt.Sprintf("%s Times by part, and rates as multiples of one rank's. Thresholds are those that Foray chooses; every rank sends straight to every other. %s", what, c.ranksAre(runs)), r.Command, rows, func() {
		p.Plots(
			"Time by part", page.Stacks(figure+", time by part", "ranks", "ms", labels, []page.Part{computing, counting, uniting, exchanging}, times),
			"Rate", page.Lines(figure+", rates", "ranks", "rate, × one rank's", labels, []page.Part{measuredIt, ideal}, [][]float64{rates, ideals}))
	})
}

func (r *Report) clusterRows() [][]string {
	rows := [][]string{{"figure", "input", "vertices", "directed_edges", "ranks", "mpi_processes", "cores", "local_all_to_all", "chosen", "threshold", "delegates", "nn_edges", "nd_edges", "dn_edges", "dd_edges", "bytes", "bytes_per_directed_edge", "checked", "source",
		"min_ms", "median_ms", "max_ms", "computing_ms", "counting_ms", "uniting_ms", "local_exchange_ms", "exchange_ms", "sent_bytes", "sent_between_machines_bytes", "bitmap_bytes_per_rank", "directed_gteps"}}
	if r.Cluster == nil {
		return rows
	}
	for _, x := range r.Cluster.Runs {
		rows = append(rows, []string{x.Figure, x.Input, fmt.Sprint(x.Vertices), whole(x.DirectedEdges), fmt.Sprint(x.Ranks), fmt.Sprint(r.Cluster.Processes), fmt.Sprint(r.Cluster.Cores), strconv.FormatBool(x.ByMachine), strconv.FormatBool(x.Asked < 0), whole(x.Threshold), whole(x.Delegates),
			whole(x.NN), whole(x.ND), whole(x.DN), whole(x.DD), whole(x.Bytes), number(x.perEdge()), strconv.FormatBool(x.Checked), x.Source,
			number(x.MinMS), number(x.MedianMS), number(x.MaxMS), number(x.ComputingMS), number(x.CountingMS), number(x.UnitingMS), number(x.LocalMS), number(x.ExchangingMS), whole(x.Sent), whole(x.Across), whole(x.United), number(2 * x.GTEPS)})
	}
	return rows
}
