// This file holds the tests of Run: that it measures what it says, finds wrong
// results, and stops when it is told to.

package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// placed places the graph of a spec on the host.
func placed(t *testing.T, spec string, o graph.Options) *graph.Placed {
	t.Helper()
	g, err := gen.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	built, err := gen.Build(context.Background(), g, o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := built.On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

var everything = []Algorithm{
	{Kind: BFS}, {Kind: BFS, Strategy: "read"}, {Kind: BFS, Strategy: "hybrid"},
	{Kind: DOBFS}, {Kind: DOBFS, Alpha: 2, Beta: 3},
}

func TestRun(t *testing.T) {
	for _, spec := range []string{"kron9", "grid2d:20x30", "star:50", "path:2", "smallworld:n=500"} {
		for _, order := range []graph.Order{graph.OrderGiven, graph.OrderDegree} {
			for _, o := range []Options{
				{Algorithms: append(slices.Clone(everything), Algorithm{Kind: Sequential}), Sources: 5, Trials: 2},
				{Algorithms: everything, Sources: 4, Trials: 1, Outputs: bfs.Depths | bfs.Parents, GivenOrder: true},
				{Algorithms: []Algorithm{{Kind: BFS}, {Kind: DOBFS}}, Sources: 4, Outputs: bfs.Parents, GivenOrder: true},
				{Algorithms: []Algorithm{{Kind: BFS}, {Kind: DOBFS}}, Sources: 4, Outputs: bfs.Counts},
				{Sources: 3, NoCheck: true, Seed: 5},
				{GivenOrder: true},
			} {
				check(t, placed(t, spec, graph.Options{Order: order}), o)
			}
		}
		check(t, placed(t, spec, graph.Options{Directed: true}), Options{Sources: 3})
		check(t, placed(t, spec, graph.Options{Directed: true, Reverse: true}), Options{Sources: 3, Outputs: bfs.Depths | bfs.Parents, Algorithms: []Algorithm{{Kind: DOBFS}}})
	}
}

// check runs the options and compares the report with what they ask for.
func check(t *testing.T, p *graph.Placed, o Options) {
	t.Helper()
	phases := map[string]int{}
	o.Progress = func(p graph.Progress) {
		phase, done, total := p.Phase, int(p.Done), int(p.Total)
		if done != phases[phase]+1 || done > total {
			t.Errorf("%s: %d of %d after %d", phase, done, total, phases[phase])
		}
		phases[phase] = done
	}
	r, err := Run(context.Background(), p, o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	g := p.Graph()
	algorithms := max(len(o.Algorithms), 1)
	sources, trials := o.Sources, o.Trials
	if sources == 0 {
		sources = DefaultSources
	}
	if trials == 0 {
		trials = DefaultTrials
	}
	searchable := 0
	for v := range g.NumVertices() {
		if g.Degree(uint32(v)) > 0 {
			searchable++
		}
	}
	sources = min(sources, searchable)
	if r.Graph.Vertices != g.NumVertices() || r.Graph.Edges != g.NumEdges() || r.Graph.Directed != g.Directed() ||
		r.Device != "host" || r.Units != 2 || r.Trials != trials || r.Seed != o.Seed ||
		r.Depths != o.Outputs.Has(bfs.Depths) || r.Parents != o.Outputs.Has(bfs.Parents) || r.GivenOrder != o.GivenOrder || len(r.Results) != algorithms {
		t.Fatalf("%+v: got %+v", o, r)
	}
	if phases["timing"] != sources*trials*algorithms || (phases["checking"] > sources) == o.NoCheck {
		t.Errorf("%+v: runs %v", o, phases)
	}
	for i, a := range r.Results {
		if a.Checked == o.NoCheck || len(a.Sources) != sources || !(a.MinMS <= a.MedianMS && a.MedianMS <= a.MaxMS) || a.MinMS <= 0 {
			t.Fatalf("%+v: got %+v", o, a)
		}
		if o.Algorithms != nil && a.Algorithm != o.Algorithms[i].String() {
			t.Errorf("%s is called %s", o.Algorithms[i], a.Algorithm)
		}
		for _, s := range a.Sources {
			v, err := g.ParseVertex(s.ID)
			if err != nil {
				t.Fatal(err)
			}
			reached, levels, edges := 0, 0, uint64(0)
			for u, d := range oracle.Depths(g.Out(), v) {
				if d >= 0 {
					reached++
					levels = max(levels, int(d)+1)
					edges += g.Degree(uint32(u))
				}
			}
			if !g.Directed() {
				edges /= 2
			}
			if s.Reached != reached || s.Levels != levels || s.Edges != edges || len(s.MS) != trials || s.MedianMS != median(s.MS) {
				t.Errorf("%+v: source %+v, want %d vertices in %d levels, %d edges", o, s, reached, levels, edges)
			}
		}
	}
	var text, js bytes.Buffer
	if err := r.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "\n"); n != 4+algorithms {
		t.Errorf("%d lines:\n%s", n, text.String())
	}
	var back []Report
	if err := WriteJSON(&js, []*Report{r}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(js.Bytes(), &back); err != nil || len(back) != 1 || back[0].Results[0].MedianMS != r.Results[0].MedianMS {
		t.Errorf("JSON comes back as %+v, %v", back, err)
	}
}

// TestTableOnGPU: the sequential search runs on the host there too, and small rates
// have the unit that suits them.
func TestTableOnGPU(t *testing.T) {
	for device, name := range map[string]string{"cuda:0": "seq, on the host ", "host": "seq "} {
		r := &Report{Machine: Machine{Device: device}, Results: []Result{
			{Algorithm: "dobfs", GTEPS: 6.5e-6, Sources: []Source{{Levels: 3}}}, {Algorithm: "seq", GTEPS: 0.25, Sources: []Source{{Levels: 3}}},
		}}
		var b bytes.Buffer
		if err := r.WriteTable(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"\n  dobfs ", " 6.50 kTEPS ", "\n  " + name, " 0.250 GTEPS "} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("no %q in\n%s", want, b.String())
			}
		}
	}
}

func TestPreparation(t *testing.T) {
	for _, c := range []struct {
		spec       string
		a          Algorithm
		pull, rows bool
	}{
		{"kron8", Algorithm{Kind: DOBFS}, true, false},
		{"kron8", Algorithm{Kind: BFS}, false, false},
		{"grid2d:9x9", Algorithm{Kind: DOBFS}, true, true},
		{"grid2d:9x9", Algorithm{Kind: BFS}, false, true},
		{"grid2d:9x9", Algorithm{Kind: Sequential}, false, false},
	} {
		r, err := Run(context.Background(), placed(t, c.spec, graph.Options{}), Options{Algorithms: []Algorithm{c.a}, Sources: 1, Trials: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []struct {
			what string
			got  *Preparation
			want bool
		}{{"pull", r.Pull, c.pull}, {"rows", r.Rows, c.rows}} {
			if (p.got != nil) != p.want || p.got != nil && p.got.Bytes == 0 {
				t.Errorf("%s, %s: %s prepared: %+v, want %v", c.spec, c.a, p.what, p.got, p.want)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	both := placed(t, "star:9", graph.Options{})
	oneWay := placed(t, "star:9", graph.Options{Directed: true})
	for _, c := range []struct {
		p    *graph.Placed
		o    Options
		want error
	}{
		{nil, Options{}, graph.ErrNoGraph},
		{both, Options{Sources: -1}, ErrOption},
		{both, Options{Trials: -1}, ErrOption},
		{both, Options{Algorithms: []Algorithm{{Kind: "dfs"}}}, ErrOption},
		{both, Options{Algorithms: []Algorithm{{Kind: Sequential}}, Outputs: bfs.Depths | bfs.Parents}, ErrOption},
		{both, Options{Algorithms: []Algorithm{{Kind: Sequential}}, Outputs: bfs.Counts}, ErrOption},
		{both, Options{Algorithms: []Algorithm{{Kind: BFS, Strategy: "hybrid"}}, Outputs: bfs.Counts}, ErrOption},
		{both, Options{Algorithms: []Algorithm{{Kind: BFS, Strategy: "read"}}, Outputs: bfs.Counts}, ErrOption},
		{both, Options{GivenOrder: true, Outputs: bfs.Counts}, ErrOption},
		{both, Options{Batch: -1}, ErrOption},
		{oneWay, Options{Algorithms: []Algorithm{{Kind: DOBFS}}}, graph.ErrNoReverse},
	} {
		if _, err := Run(context.Background(), c.p, c.o); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.o, err, c.want)
		}
	}
	loop, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 0, 0}}, graph.CSROptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := loop.On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), p, Options{}); !errors.Is(err, ErrNoSource) {
		t.Errorf("without edges: %v", err)
	}
}

// TestBatch: a batch has as many searches as asked for, whatever the number of
// sources, and a figure per search.
func TestBatch(t *testing.T) {
	p := placed(t, "kron8", graph.Options{Order: graph.OrderDegree})
	for _, n := range []int{1, 3, 7} {
		r, err := Run(context.Background(), p, Options{Sources: 3, Trials: 1, Batch: n, Outputs: bfs.Depths | bfs.Parents, GivenOrder: n > 1,
			Algorithms: []Algorithm{{Kind: BFS}, {Kind: DOBFS}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range r.Results {
			if b := a.Batch; b == nil || b.Searches != n || b.MS <= 0 || b.EachMS != b.MS/float64(n) || b.Ratio != b.EachMS/b.SingleMS {
				t.Errorf("batch of %d of %s: %+v", n, a.Algorithm, b)
			}
		}
	}
}

// TestCanceled cancels at every step.
func TestCanceled(t *testing.T) {
	p := placed(t, "kron8", graph.Options{})
	for stop := range 12 {
		ctx, cancel := context.WithCancel(context.Background())
		steps := 0
		if stop == 0 {
			cancel()
		}
		_, err := Run(ctx, p, Options{Sources: 2, Trials: 4, Progress: func(graph.Progress) {
			if steps++; steps == stop {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) && steps < 12 {
			t.Errorf("canceled at step %d: %v after %d steps", stop, err, steps)
		}
		cancel()
	}
}

// TestFindsWrongResults changes what a search found.
func TestFindsWrongResults(t *testing.T) {
	p := placed(t, "kron8", graph.Options{Order: graph.OrderDegree})
	g := p.Graph()
	s := &suite{p: p, order: ExternalOrder(g.IDs()), o: Options{Outputs: bfs.Depths | bfs.Parents, GivenOrder: true}}
	want := oracle.Depths(g.Out(), 0)
	row := describe(g, 0, want)
	for name, spoil := range map[string]func(f *found){
		"":              func(*found) {},
		"depth":         func(f *found) { f.depths[1]++ },
		"unreached":     func(f *found) { f.depths[2] = -1 },
		"parent":        func(f *found) { f.parents[1] = 1 },
		"no parent":     func(f *found) { f.parents[1] = graph.NoVertex },
		"given depth":   func(f *found) { f.given.depths[s.order.Rank(3)]-- },
		"given parent":  func(f *found) { f.given.parents[s.order.Rank(3)] = graph.NoVertex },
		"other parent":  func(f *found) { r := s.order.Rank(0); f.given.parents[r] = (r + 1) % uint32(g.NumVertices()) },
		"count":         func(f *found) { f.res.Reached++ },
		"levels":        func(f *found) { f.res.Levels-- },
		"missing depth": func(f *found) { f.depths = f.depths[1:] },
	} {
		f, _, err := s.run(context.Background(), Algorithm{Kind: DOBFS}, 0)
		if err == nil {
			err = f.fetch()
		}
		if err != nil {
			t.Fatal(err)
		}
		spoil(&f)
		if err := s.compare(f, want, row); (err != nil) != (name != "") {
			t.Errorf("spoilt %q: %v", name, err)
		}
		f.free()
	}
	err := &CheckError{Algorithm: "bfs", Source: "7", Err: graph.ErrInvalid}
	if !errors.Is(err, ErrWrong) || !errors.Is(err, graph.ErrInvalid) || err.Error() != "bfs from vertex 7: wrong result: not a valid result" {
		t.Errorf("%v", err)
	}
}

func TestFigures(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{5, 1}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := median(c.in); got != c.want {
			t.Errorf("median(%v) = %v, want %v", c.in, got, c.want)
		}
	}
	if got := gteps(64_200_000, 0.5); got != 128.4 {
		t.Errorf("64.2 million edges in half a millisecond are %v GTEPS", got)
	}
	if got := gteps(1, 0); got != 0 {
		t.Errorf("in no time: %v", got)
	}
	r := sum(Algorithm{Kind: BFS}, []Source{{ID: "a", Edges: 1e6, Levels: 3}, {ID: "b", Edges: 4e6, Levels: 7}}, [][]float64{{1, 3, 2}, {4, 4, 1}}, true)
	if r.MinMS != 2 || r.MedianMS != 3 || r.MaxMS != 4 || r.GTEPS != 0.75 || r.Sources[0].GTEPS != 0.5 || !r.Checked {
		t.Errorf("%+v", r)
	}
	if lo, hi := r.levels(); lo != 3 || hi != 7 {
		t.Errorf("%d to %d levels", lo, hi)
	}
}

func TestNames(t *testing.T) {
	for want, a := range map[string]Algorithm{
		"bfs": {Kind: BFS}, "bfs/hybrid": {Kind: BFS, Strategy: "hybrid"}, "seq": {Kind: Sequential},
		"dobfs": {Kind: DOBFS}, "dobfs/alpha=1.5": {Kind: DOBFS, Alpha: 1.5}, "dobfs/alpha=2/beta=3": {Kind: DOBFS, Alpha: 2, Beta: 3},
	} {
		if a.String() != want {
			t.Errorf("%+v is called %s, want %s", a, a, want)
		}
	}
}

// TestProgramsCompile: the programs beside this package, which "go run" starts one by one and "go build
// ./..." doesn't see, fit the packages that they import.
func TestProgramsCompile(t *testing.T) {
	testlong.Project(t)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(text, []byte("//go:build ignore")) {
			continue
		}
		programs++
		if out, err := exec.Command("go", "vet", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", file, err, out)
		}
	}
	if programs == 0 {
		t.Error("no program has a go:build ignore line: the test looks in the wrong folder")
	}
}

// TestPrograms: what append.go and load.go are told wrongly, they say so.
func TestPrograms(t *testing.T) {
	testlong.Project(t)
	if testing.Short() {
		t.Skip("needs a run without -short: building the programs takes long")
	}
	for args, want := range map[string]string{
		"append.go":                        "usage: go run bench/append.go",
		"append.go -percent 150 kron6":     "-percent is 150: want more than 0 and less than 100",
		"append.go -percent 0 kron6":       "-percent is 0: want more than 0 and less than 100",
		"append.go -percent 99.999 path:9": "leave none on one side",
		"append.go -trials 1 gen:kron6":    "gen:kron6: built in",
		"load.go":                          "usage: go run bench/load.go",
		"load.go -trials 1 gen:kron6":      "gen:kron6: 64 vertices",
	} {
		out, _ := exec.Command("go", append([]string{"run"}, strings.Fields(args)...)...).CombinedOutput() // some fail, as they should
		if !strings.Contains(string(out), want) || strings.Contains(string(out), "panic") {
			t.Errorf("%s: no %q in %s", args, want, out)
		}
	}
}
