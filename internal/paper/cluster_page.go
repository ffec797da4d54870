// This file holds the page's section about searches over ranks, with its pictures.

package paper

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/foray-graph/foray/internal/page"
	"github.com/foray-graph/foray/internal/text"
)

// The parts of time, of bytes sent, and the other curves.
var (
	computing  = page.Part{Color: 0, Name: "computation"}
	counting   = page.Part{Color: 5, Name: "counts, waiting"}
	waiting    = page.Part{Color: 5, Name: "waiting"}
	uniting    = page.Part{Color: 3, Name: "delegates' bitmaps"}
	locally    = page.Part{Color: 2, Name: "local exchange"}
	remotely   = page.Part{Color: 1, Name: "remote exchange"}
	exchanging = page.Part{Color: 1, Name: "exchange"}
	nnEdges    = page.Part{Color: 1, Name: "nn edges, of all edges"}
	delegates  = page.Part{Color: 3, Name: "delegates, of all vertices"}
	memory     = page.Part{Color: 4, Name: "subgraphs and maps of all ranks"}
	gpuMemory  = page.Part{Color: 4, Name: "memory of all GPUs"}
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
	switch {
	case x.Asked < 0:
		return fmt.Sprintf("auto: %d", x.Threshold)
	case x.Asked == noDelegates:
		return "none"
	}
	return fmt.Sprint(x.Asked)
}

// parts returns the parts of time that ranks measure. apart has the local exchange apart from the remote one.
func (c *Cluster) parts(apart bool) []page.Part {
	switch {
	case c.GPUs > 0:
		return []page.Part{computing, waiting, exchanging}
	case apart:
		return []page.Part{computing, counting, uniting, locally, remotely}
	}
	return []page.Part{computing, counting, uniting, exchanging}
}

// times returns the times of these parts.
func (c *Cluster) times(x *ClusterRun, apart bool) []float64 {
	switch {
	case c.GPUs > 0:
		return []float64{x.ComputingMS, x.CountingMS, x.ExchangingMS}
	case apart:
		return []float64{x.ComputingMS, x.CountingMS, x.UnitingMS, x.LocalMS, x.ExchangingMS}
	}
	return []float64{x.ComputingMS, x.CountingMS, x.UnitingMS, x.LocalMS + x.ExchangingMS}
}

func names(parts []page.Part) (list []string) {
	for _, p := range parts {
		list = append(list, p.Name)
	}
	return list
}

// rates formats the times of a run, by part too.
func figures(median float64, times []float64) (list []string) {
	for _, t := range append([]float64{median}, times...) {
		list = append(list, fmt.Sprintf("%.3g", t))
	}
	return list
}

// lacking is a row of a run that wasn't measured.
func (x *ClusterRun) lacking(name string) []string { return []string{name, "not measured: " + x.Lacks} }

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
		most, checked = max(most, x.Ranks), checked && (x.Checked || x.Lacks != "")
	}
	says := "Ranks are goroutines of one process with one worker each: exchange is through memory, not a network."
	switch {
	case c.GPUs > 0 && c.Processes > 0:
		says = fmt.Sprintf("Ranks are the first of %d processes on %s, with one GPU each, connected by NCCL.", c.Processes, text.Plural(c.Machines, "machine"))
	case c.GPUs > 0:
		says = fmt.Sprintf("Ranks are the first of %s of one process, connected by NCCL.", text.Plural(c.GPUs, "GPU"))
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
		if c.NoGPUs != "" {
			says = strings.TrimSuffix(says, ".") + ": " + c.NoGPUs + "."
		}
	}
	switch {
	case !checked:
		says += " Depths were not checked (--no-check)."
	case c.GPUs > 0:
		says += " Before timing, depths were checked by the rules of Graph500 on all GPUs, and compared with these by their checksum."
	default:
		says += " Depths were compared with a sequential search before timing."
	}
	return says
}

// machinesAre describes which ranks are a machine's, for the caption of the figure with local exchange.
func (c *Cluster) machinesAre() string {
	switch {
	case c.GPUs > 0:
		return ""
	case c.each() == 0:
		return fmt.Sprintf("The ranks are on %d machines: the ranks of a machine exchange normal vertices among themselves (local), then with those of other machines (remote). ", c.Machines)
	}
	return fmt.Sprintf("%d ranks that follow one another count as a machine: the ranks of a machine exchange normal vertices among themselves (local), then with those of other machines (remote). ", c.each())
}

// timesAre describes the parts of the time.
func (c *Cluster) timesAre() string {
	if c.GPUs > 0 {
		return "Times are from the call until all GPUs have their depths in their memory: the median trial of the median source. Parts are measured by the GPUs' clocks in a search of its own, and scaled to the median. Computation is the mean over the ranks. The exchange is the least of all ranks, level by level: the rank that comes last waits for none. The rest is waiting."
	}
	return "Times are from the call until all ranks have their depths: the median trial of the median source. Parts are means over the ranks. After each level the ranks add up their counts, and wait for the slowest one. The exchange includes dropping duplicates and visiting what came."
}

func (r *Report) writeCluster(p *page.Page) {
	c := r.Cluster
	if c == nil {
		return
	}
	p.Text("h2", "Search over ranks (Pan, Pearce and Owens, IPDPS 2018)")
	p.Text("p", "Each rank holds a part of the graph. Vertices with more neighbors than the threshold are delegates, which every rank knows; each other vertex, a normal one, belongs to one rank. After a level the bitmaps of delegates are combined, and normal vertices are sent to their owners along nn edges, which join two normal vertices.")
	p.Text("p", "%s Tables have times in ms, and rates in 10^9 directed edges a second.", c.timesAre())
	if runs := c.of(ByThreshold); len(runs) > 0 {
		sort.SliceStable(runs, func(i, k int) bool { return runs[i].Threshold < runs[k].Threshold }) // auto's where it belongs
		r.writeThresholds(p, c, runs)
	}
	if runs := c.of(ByOption); len(runs) > 0 {
		r.writeOptions(p, c, runs)
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
	parts, sent := c.parts(true), []page.Part{locally, remotely}
	head := append([]string{"threshold", "delegates", "share", "nn edges", "share", "bytes a directed edge", "ms"}, names(parts)...)
	if c.GPUs > 0 {
		head, sent = append(head, "sent, bytes"), []page.Part{exchanging}
	} else {
		head = append(head, "sent locally, bytes", "remotely, bytes")
	}
	rows := [][]string{append(head, "bitmaps of each rank, bytes", "GTEPS")}
	percent := func(x float64) string { return fmt.Sprintf("%.3g%%", 100*x) }
	for _, x := range runs {
		if x.Lacks != "" {
			rows = append(rows, x.lacking(x.thresholdName()))
			continue
		}
		labels = append(labels, strings.TrimSuffix(x.thresholdName(), fmt.Sprintf(": %d", x.Threshold)))
		times = append(times, c.times(&x, true))
		moved := []float64{float64(x.Sent - x.Across), float64(x.Across)}
		if c.GPUs > 0 {
			moved = []float64{float64(x.Sent)}
		}
		bytes = append(bytes, moved)
		perEdge = append(perEdge, []float64{x.perEdge()})
		nn, dd = append(nn, 100*x.nnShare()), append(dd, 100*x.delegateShare())
		row := []string{x.thresholdName(), page.SI(float64(x.Delegates)), percent(x.delegateShare()), page.SI(float64(x.NN)), percent(x.nnShare()), fmt.Sprintf("%.2f", x.perEdge())}
		row = append(row, figures(x.MedianMS, times[len(times)-1])...)
		for _, b := range moved {
			row = append(row, page.SI(b))
		}
		rows = append(rows, append(row, page.SI(float64(x.United)), fmt.Sprintf("%.3g", 2*x.GTEPS)))
	}
	p.Figure(fmt.Sprintf("Searches of %s over %d ranks by the threshold of delegates; auto is the one that Foray chooses. %sAn edge list takes 16 bytes a directed edge with 64-bit ids. %s",
		runs[0].Input, runs[0].Ranks, c.machinesAre(), c.ranksAre(runs)), r.Command, rows, func() {
		p.Plots(
			"Time by part", page.Stacks("time by part", "threshold", "ms", labels, parts, times),
			"Shares", page.Lines("shares of edges and vertices", "threshold", "%", labels, []page.Part{nnEdges, delegates}, [][]float64{nn, dd}),
			"Bytes of normal vertices sent", page.Stacks("bytes sent", "threshold", "bytes, all ranks", labels, sent, bytes),
			"Memory", page.Stacks("memory", "threshold", "bytes a directed edge", labels, []page.Part{c.memory()}, perEdge))
	})
}

// memory is what the graph takes.
func (c *Cluster) memory() page.Part {
	if c.GPUs > 0 {
		return gpuMemory
	}
	return memory
}

func (r *Report) writeOptions(p *page.Page, c *Cluster, runs []ClusterRun) {
	var labels []string
	var times [][]float64
	parts := c.parts(true)
	rows := [][]string{append(append([]string{"", "option", "ms"}, names(parts)...), "sent, bytes", "bitmaps of each rank, bytes", "GTEPS")}
	for i, x := range runs {
		number := string(rune('A' + i))
		if x.Lacks != "" {
			rows = append(rows, append([]string{number}, x.lacking(x.Option)...))
			continue
		}
		labels = append(labels, number)
		times = append(times, c.times(&x, true))
		row := append([]string{number, x.Option}, figures(x.MedianMS, times[len(times)-1])...)
		rows = append(rows, append(row, page.SI(float64(x.Sent)), page.SI(float64(x.United)), fmt.Sprintf("%.3g", 2*x.GTEPS)))
	}
	own := runs[0].Threshold
	p.Figure(fmt.Sprintf("Searches of %s over %d ranks with threshold %d by option; the table has the letters. %s%s", runs[0].Input, runs[0].Ranks, own, c.machinesAre(), c.ranksAre(runs)), r.Command, rows, func() {
		p.Plots("Time by part", page.Stacks("time by option", "option", "ms", labels, parts, times))
	})
}

func (r *Report) writeScaling(p *page.Page, c *Cluster, figure string, runs []ClusterRun) {
	var labels []string
	var times [][]float64
	var rates, ideals []float64
	parts := c.parts(false)
	rows := [][]string{append(append([]string{"ranks", "graph", "directed edges", "threshold", "delegates", "bytes a directed edge", "ms"}, names(parts)...), "sent, bytes", "GTEPS", "as a multiple")}
	for _, x := range runs {
		if x.Lacks != "" {
			rows = append(rows, []string{fmt.Sprint(x.Ranks), x.Input, "not measured: " + x.Lacks})
			continue
		}
		labels = append(labels, fmt.Sprint(x.Ranks))
		times = append(times, c.times(&x, false))
		rate := 0.0
		if runs[0].GTEPS > 0 {
			rate = x.GTEPS / runs[0].GTEPS
		}
		rates, ideals = append(rates, rate), append(ideals, float64(x.Ranks)/float64(runs[0].Ranks))
		row := []string{fmt.Sprint(x.Ranks), x.Input, page.SI(float64(x.DirectedEdges)), fmt.Sprint(x.Threshold), page.SI(float64(x.Delegates)), fmt.Sprintf("%.2f", x.perEdge())}
		row = append(row, figures(x.MedianMS, times[len(times)-1])...)
		rows = append(rows, append(row, page.SI(float64(x.Sent)), fmt.Sprintf("%.3g", 2*x.GTEPS), fmt.Sprintf("%.2f", rate)))
	}
	what := "Strong scaling: the same graph, " + runs[0].Input + ", over more ranks."
	if figure == Weak {
		what = fmt.Sprintf("Weak scaling: the graph grows with the ranks, from %s to %s.", runs[0].Input, runs[len(runs)-1].Input)
	}
	every := "every rank sends straight to every other"
	if c.GPUs > 0 {
		every = "NCCL chooses the routes"
	}
	p.Figure(fmt.Sprintf("%s Times by part, and rates as multiples of one rank's. Thresholds are those that Foray chooses; %s. %s", what, every, c.ranksAre(runs)), r.Command, rows, func() {
		p.Plots(
			"Time by part", page.Stacks(figure+", time by part", "ranks", "ms", labels, parts, times),
			"Rate", page.Lines(figure+", rates", "ranks", "rate, × one rank's", labels, []page.Part{measuredIt, ideal}, [][]float64{rates, ideals}))
	})
}

func (r *Report) clusterRows() [][]string {
	rows := [][]string{{"figure", "input", "vertices", "directed_edges", "ranks", "mpi_processes", "cores", "local_all_to_all", "chosen", "threshold", "delegates", "nn_edges", "nd_edges", "dn_edges", "dd_edges", "bytes", "bytes_per_directed_edge", "checked", "source",
		"min_ms", "median_ms", "max_ms", "computing_ms", "counting_ms", "uniting_ms", "local_exchange_ms", "exchange_ms", "sent_bytes", "sent_between_machines_bytes", "bitmap_bytes_per_rank", "directed_gteps", "gpus", "option", "not_measured"}}
	if r.Cluster == nil {
		return rows
	}
	c := r.Cluster
	for _, x := range c.Runs {
		measured := make([]string, 12)
		if x.Lacks == "" {
			measured = []string{number(x.MinMS), number(x.MedianMS), number(x.MaxMS), number(x.ComputingMS), number(x.CountingMS), number(x.UnitingMS), number(x.LocalMS), number(x.ExchangingMS), whole(x.Sent), whole(x.Across), whole(x.United), number(2 * x.GTEPS)}
			if c.GPUs > 0 { // which don't measure these apart
				measured[5], measured[6], measured[9] = "", "", ""
			}
		}
		row := []string{x.Figure, x.Input, fmt.Sprint(x.Vertices), whole(x.DirectedEdges), fmt.Sprint(x.Ranks), fmt.Sprint(c.Processes), fmt.Sprint(c.Cores), strconv.FormatBool(x.ByMachine), strconv.FormatBool(x.Asked < 0), whole(x.Threshold), whole(x.Delegates),
			whole(x.NN), whole(x.ND), whole(x.DN), whole(x.DD), whole(x.Bytes), number(x.perEdge()), strconv.FormatBool(x.Checked), x.Source}
		rows = append(rows, append(append(row, measured...), fmt.Sprint(c.GPUs), x.Option, x.Lacks))
	}
	return rows
}
