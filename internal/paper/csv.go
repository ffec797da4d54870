// This file holds a report as CSV and JSON.

package paper

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"github.com/foray-graph/foray/bench"
)

// File is a file of a report.
type File struct {
	Name  string
	Write func(w io.Writer) error
}

// Files returns the files of the report.
func (r *Report) Files() []File {
	return []File{
		{"report.html", r.writeHTML},
		{"report.json", func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(r)
		}},
		{"graphs.csv", func(w io.Writer) error { return table(w, r.graphRows()) }},
		{"frontiers.csv", func(w io.Writer) error { return table(w, r.frontierRows()) }},
		{"searches.csv", func(w io.Writer) error { return table(w, r.searchRows()) }},
		{"gathering.csv", func(w io.Writer) error { return table(w, r.gatheringRows()) }},
		{"culling.csv", func(w io.Writer) error { return table(w, r.cullingRows()) }},
		{"choices.csv", func(w io.Writer) error { return table(w, r.choiceRows()) }},
		{"growth.csv", func(w io.Writer) error { return table(w, r.growthRows()) }},
		{"levels.csv", func(w io.Writer) error { return table(w, r.levelRows()) }},
		{"cluster.csv", func(w io.Writer) error { return table(w, r.clusterRows()) }},
		{"rivals.csv", func(w io.Writer) error { return table(w, r.rivalRows()) }},
		{"flex.csv", func(w io.Writer) error { return table(w, r.flexRows()) }},
	}
}

func table(w io.Writer, rows [][]string) error { return csv.NewWriter(w).WriteAll(rows) }

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// known is number, and empty for 0: a figure that wasn't published.
func known(x float64) string {
	if x == 0 {
		return ""
	}
	return number(x)
}

func whole(x uint64) string { return strconv.FormatUint(x, 10) }

func (r *Report) graphRows() [][]string {
	rows := [][]string{{"graph", "kind", "input", "directed", "vertices", "directed_edges", "mean_degree", "max_degree", "degree_spread", "depth", "published_vertices", "published_directed_edges", "published_depth"}}
	for _, g := range r.Graphs {
		rows = append(rows, []string{g.Name, g.Kind, g.Input, strconv.FormatBool(g.Directed), strconv.Itoa(g.Vertices), whole(g.DirectedEdges), number(g.MeanDegree), whole(g.MaxDegree), number(g.DegreeSpread), number(g.Depth),
			known(g.Published.Vertices), known(g.Published.DirectedEdges), known(g.Published.Depth)})
	}
	return rows
}

func (r *Report) frontierRows() [][]string {
	rows := [][]string{{"graph", "source", "level", "vertices", "edges", "distinct", "new"}}
	for _, g := range r.Graphs {
		for i, l := range g.Levels {
			rows = append(rows, []string{g.Name, g.Source, strconv.Itoa(i), whole(l.Vertices), whole(l.Edges), whole(l.Distinct), whole(l.New)})
		}
	}
	return rows
}

func (r *Report) searchRows() [][]string {
	rows := [][]string{{"graph", "algorithm", "checked", "min_ms", "q1_ms", "median_ms", "q3_ms", "max_ms", "directed_gteps", "q1_directed_gteps", "q3_directed_gteps", "published_gteps_c2050"}}
	for _, g := range r.Graphs {
		for _, s := range g.Results {
			low, high := g.rates(s)
			rows = append(rows, []string{g.Name, s.Algorithm, strconv.FormatBool(s.Checked), number(s.MinMS), number(s.Q1MS), number(s.MedianMS), number(s.Q3MS), number(s.MaxMS), number(g.rate(s.GTEPS)), number(low), number(high), known(g.Published.GTEPS)})
		}
	}
	return rows
}

// rate returns a rate in directed edges, as the paper counts them.
func (g *Graph) rate(gteps float64) float64 {
	if g.Directed {
		return gteps
	}
	return 2 * gteps
}

// rates returns the quartiles of the sources' rates, in directed edges.
func (g *Graph) rates(r bench.Result) (first, third float64) {
	var all []float64
	for _, s := range r.Sources {
		all = append(all, g.rate(s.GTEPS))
	}
	return bench.Quartiles(all)
}
