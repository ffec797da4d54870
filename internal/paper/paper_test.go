// This file holds the tests of the stand-ins, the frontiers and the page.

package paper

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestSizes: at the paper's scale the stand-ins have n and m within 20% of the originals; specs of all scales are valid.
// Generators count repeated edges, which a built graph drops: of cliques, R-MAT and the web up to 15%.
func TestSizes(t *testing.T) {
	for _, s := range StandIns() {
		for _, scale := range Scales {
			g, err := gen.Parse(s.Spec(scale))
			if err != nil {
				t.Error(err)
				continue
			}
			if scale != Paper {
				continue
			}
			m := float64(g.NumEdges())
			if !s.Directed {
				m *= 2
			}
			for what, x := range map[string][2]float64{"vertices": {float64(g.NumVertices()), s.Published.Vertices}, "edges": {m, s.Published.DirectedEdges}} {
				if off := math.Abs(x[0]/x[1] - 1); off > .201 { // a lattice without the diagonal has 4 of 5 entries
					t.Errorf("%s: %s has %.0f %s, the original %.0f", s.Name, s.Spec(scale), x[0], what, x[1])
				}
			}
		}
	}
	if got := (&StandIn{}).Spec("none"); got != "" {
		t.Errorf("a scale that there isn't has the spec %q", got)
	}
}

// naiveLevels follows the definitions, with sets.
func naiveLevels(c *graph.CSR, source uint32) (levels []Level) {
	frontier, found := map[uint32]bool{source: true}, map[uint32]bool{source: true}
	for len(frontier) > 0 {
		l := Level{Vertices: uint64(len(frontier))}
		distinct, next := map[uint32]bool{}, map[uint32]bool{}
		for v := range frontier {
			for _, u := range c.Neighbors(v) {
				l.Edges++
				distinct[u] = true
				if !found[u] {
					next[u] = true
				}
			}
		}
		for u := range next {
			found[u] = true
		}
		l.Distinct, l.New = uint64(len(distinct)), uint64(len(next))
		levels, frontier = append(levels, l), next
	}
	return levels
}

func TestFrontiers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + r.IntN(40)
		b := graph.NewBuilder(graph.Options{Directed: r.IntN(2) == 0, DenseIDs: true, Vertices: uint64(n), KeepSelfLoops: r.IntN(2) == 0})
		var src, dst []uint32
		for range r.IntN(3 * n) {
			src, dst = append(src, uint32(r.IntN(n))), append(dst, uint32(r.IntN(n)))
		}
		if err := graph.AddInts(b, src, dst, nil); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		source := uint32(r.IntN(n))
		got, vertices, err := Frontiers(context.Background(), g.Out(), source)
		if err != nil {
			t.Fatal(err)
		}
		want := naiveLevels(g.Out(), source)
		if len(got) != len(want) {
			t.Fatalf("%d levels, want %d", len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] || uint64(len(vertices[i])) != want[i].Vertices {
				t.Fatalf("level %d: %+v, want %+v", i, got[i], want[i])
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g, err := gen.Parse("path:1000")
	if err != nil {
		t.Fatal(err)
	}
	built, err := gen.Build(context.Background(), g, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Frontiers(ctx, built.Out(), 0); err == nil {
		t.Error("a canceled context: no error")
	}
}

// TestReport: every figure has a caption, a table and a command; the page refers to nothing outside; names are escaped;
// CSV and JSON can be read, with a row for each graph and search.
func TestReport(t *testing.T) {
	var inputs []Input
	for _, spec := range []string{"path:600", "star:50", "kron8", "grid2d:9x9"} {
		g, err := gen.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, Input{StandIn: StandIn{Name: `<b a="&">` + spec}, Path: "gen:" + spec, Load: func(ctx context.Context) (*graph.Graph, error) { return gen.Build(ctx, g, graph.Options{}) }})
	}
	inputs[0].StandIn = StandIns()[0]
	var phases []string
	r, err := Run(context.Background(), host.New(2), false, inputs, Options{Scale: Small, Sources: 2, Trials: 1, Command: "foray bench paper -o '<x>'", Generate: generated, Progress: func(p graph.Progress) { phases = append(phases, p.Phase) }})
	if err != nil {
		t.Fatal(err)
	}
	runs := (&Cluster{Cores: runtime.GOMAXPROCS(0)}).clusterRuns(Small)
	divisions := map[string]bool{} // of graphs among ranks
	for _, x := range runs {
		divisions[fmt.Sprint(x.Input, x.Ranks, x.Asked)] = true
	}
	if len(phases) != 4*5+1+3+1+len(divisions) || len(r.Graphs[0].Levels) < 300 || r.Graphs[1].Depth < 1 || r.Graphs[1].Depth > 2 {
		t.Errorf("phases %v, %d levels of a path, depth %v of a star", phases, len(r.Graphs[0].Levels), r.Graphs[1].Depth)
	}
	files := map[string]string{}
	for _, f := range r.Files() {
		var b strings.Builder
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		files[f.Name] = b.String()
	}
	page := files["report.html"]
	if at := regexp.MustCompile(`(?i)https?:|src=|href=|url\(|@import|<script|<link`).FindString(page); at != "" {
		t.Errorf("the page has %q", at)
	}
	if strings.Contains(page, "<b ") || strings.Contains(page, "<x>") || strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
		t.Error("the page has a name that isn't escaped, or a number that is none")
	}
	figures := strings.Split(page, "<figure>")[1:]
	if len(figures) != 8+4 {
		t.Errorf("%d figures", len(figures))
	}
	for i, f := range figures {
		for _, part := range []string{"<svg", "<figcaption>", "<table", "<code>foray bench paper"} {
			if !strings.Contains(f, part) {
				t.Errorf("figure %d has no %s", i, part)
			}
		}
	}
	for name, rows := range map[string]int{"graphs.csv": 5, "searches.csv": 1 + 4*6, "growth.csv": 1 + 3*2, "choices.csv": 1 + 4*(6+10), "culling.csv": 1, "cluster.csv": 1 + len(runs)} {
		got, err := csv.NewReader(strings.NewReader(files[name])).ReadAll()
		if err != nil || len(got) != rows {
			t.Errorf("%s: %d rows, want %d, %v", name, len(got), rows, err)
		}
	}
	growth, err := csv.NewReader(strings.NewReader(files["growth.csv"])).ReadAll()
	if err != nil || growth[1][5] != "bfs" || growth[1][10] == "" || growth[1][11] == "" || growth[2][5] != "dobfs" || growth[2][11] != "" || r.Bandwidth == nil || r.Bandwidth.GBs <= 0 {
		t.Errorf("the floor has no time of pushes, or one of pulls: %v, %v", growth, err)
	}
	if s := r.Graphs[3].DegreeSpread; s < .1 || s > .3 || r.Graphs[1].DegreeSpread < 3 { // a lattice and a star
		t.Errorf("degrees are spread by %v and %v", s, r.Graphs[1].DegreeSpread)
	}
	var again Report
	if err := json.Unmarshal([]byte(files["report.json"]), &again); err != nil || len(again.Graphs) != 4 || again.Graphs[2].Results[0].MedianMS <= 0 {
		t.Errorf("report.json: %v", err)
	}
}

// TestEmptyGraph: a graph without edges has no source.
func TestEmptyGraph(t *testing.T) {
	testlong.Project(t)
	in := Input{StandIn: StandIn{Name: "empty"}, Load: func(context.Context) (*graph.Graph, error) {
		return graph.FromCSR(graph.CSR{Offsets: []uint64{0, 0, 0}}, graph.CSROptions{})
	}}
	if _, err := Run(context.Background(), host.New(1), false, []Input{in}, Options{Sources: 1, Trials: 1}); err == nil || !strings.HasPrefix(err.Error(), "empty: ") {
		t.Errorf("%v, want an error that names the graph", err)
	}
}
