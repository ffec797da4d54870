// This file compares the report with figures of other systems.

package paper

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/internal/page"
)

// Beside is a figure of another system next to one of the report's.
type Beside struct {
	Graph string `json:"graph"`
	bench.Beside
}

// layBeside adds the rivals' figures of the report's graphs. A stand-in is another graph than the original, so it takes
// figures of its spec only, and none of the original's name; a file takes figures of both names.
func (r *Report) layBeside(rivals []bench.Rival) {
	for _, g := range r.Graphs {
		for _, x := range g.Results {
			list, _ := bench.LayBeside(rivals, g.Input, x.Algorithm, x.MedianMS)
			if !strings.HasPrefix(g.Input, "gen:") && bench.GraphName(g.Name) != bench.GraphName(g.Input) {
				more, _ := bench.LayBeside(rivals, g.Name, x.Algorithm, x.MedianMS)
				list = append(list, more...)
			}
			for _, b := range list {
				r.Rivals = append(r.Rivals, Beside{g.Name, b})
			}
		}
	}
}

func (r *Report) writeRivals(p *page.Page) {
	if len(r.Rivals) == 0 {
		return
	}
	p.Text("h2", "Beside other systems")
	rows := [][]string{{"graph", "algorithm", "rival", "ms", "rival's ms", "times ours", "rival measured", "on", "note"}}
	for _, b := range r.Rivals {
		rows = append(rows, []string{b.Graph, b.Algorithm, b.Rival.Name(), fmt.Sprintf("%.4g", b.MS), fmt.Sprintf("%.4g", b.Rival.MedianMS()), fmt.Sprintf("%.2f", b.Ratio), b.Rival.Date, b.Rival.Machine, b.Rival.Note})
	}
	p.Text("p", "Figures of other systems, from the file of --rivals, of the same graph and algorithm. They were measured on the machines and days that are named; a ratio compares programs only where the machine is that of this report.")
	p.Table("kind", rows)
}

func (r *Report) rivalRows() [][]string {
	rows := [][]string{{"graph", "algorithm", "median_ms", "rival", "rival_algorithm", "rival_median_ms", "ratio", "rival_machine", "rival_date", "rival_source", "rival_note"}}
	for _, b := range r.Rivals {
		rows = append(rows, []string{b.Graph, b.Algorithm, number(b.MS), b.Rival.Name(), b.Rival.Algorithm, number(b.Rival.MedianMS()), number(b.Ratio), b.Rival.Machine, b.Rival.Date, b.Rival.Source, b.Rival.Note})
	}
	return rows
}
