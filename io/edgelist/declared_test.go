// This file tests that vertices which a file declares are in the graph, whether they have
// edges or not.

package edgelist

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// declaring writes edges between vertices 1 to n in every format that declares n. Weights are whole.
// METIS has every edge of an undirected graph in two lines, so that es is made simple for it.
func declaring(r *rand.Rand, es []triple, n int) map[string][]byte {
	all := map[string][]byte{}
	var gr strings.Builder
	fmt.Fprintf(&gr, "c\np sp %d %d\n", n, len(es))
	for _, field := range []string{"integer", "real", "pattern"} {
		var mtx strings.Builder
		fmt.Fprintf(&mtx, "%s matrix coordinate %s general\n%% hello\n%d %d %d\n", banner, field, n, n, len(es))
		for _, e := range es {
			if fmt.Fprint(&mtx, e.u, e.v); field != "pattern" {
				fmt.Fprint(&mtx, " ", e.w)
			}
			mtx.WriteByte('\n')
		}
		all[field+".mtx"] = []byte(mtx.String())
	}
	all["banner.txt"] = all["integer.mtx"]
	for _, e := range es {
		fmt.Fprintln(&gr, "a", e.u, e.v, e.w)
	}
	all["x.gr"] = []byte(gr.String())
	rows := make([][]edge32, n)
	for _, e := range es {
		rows[e.u-1] = append(rows[e.u-1], edge32{e.v - 1, int32(e.w)})
	}
	back := make([][]edge32, n)
	for _, e := range es {
		back[e.v-1] = append(back[e.v-1], edge32{e.u - 1, int32(e.w)})
	}
	all["x.sg"], all["x.wsg"] = sgBytes(true, false, rows, back), sgBytes(true, true, rows, back)
	return all
}

// metisOf writes an undirected simple graph.
func metisOf(es []triple, n int) []byte {
	rows := make([][]string, n+1)
	for _, e := range es {
		rows[e.u] = append(rows[e.u], fmt.Sprint(e.v, " ", e.w))
		rows[e.v] = append(rows[e.v], fmt.Sprint(e.u, " ", e.w))
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%% hello\n%d %d 001\n", n, len(es))
	for _, row := range rows[1:] {
		fmt.Fprintln(&b, strings.Join(row, " "))
	}
	return b.Bytes()
}

// TestDeclaredVertices loads random graphs, of which some have no edge, in all formats that say how many
// vertices there are, and compares them with the edges that were written.
func TestDeclaredVertices(t *testing.T) {
	testlong.Project(t)
	r := rand.New(rand.NewPCG(41, 2))
	for round := range 60 {
		n := 1 + r.IntN(60)
		var es []triple
		for range r.IntN(4) * r.IntN(2*n) {
			es = append(es, triple{uint32(1 + r.IntN(n)), uint32(1 + r.IntN(n)), float32(1 + r.IntN(5))})
		}
		coin := func() bool { return r.IntN(2) == 0 }
		o := Options{Graph: graph.Options{Directed: coin(), KeepSelfLoops: coin(), KeepDuplicates: coin(), Weights: coin(),
			Order: graph.Order(r.IntN(3)), DenseIDs: coin()}, Workers: 1 + r.IntN(3), chunk: 1 + r.IntN(100), batch: 1 + r.IntN(70), TwoPass: coin()}
		o.Graph.Reverse = o.Graph.Directed && coin()
		files := declaring(r, es, n)
		simple := naiveGraph(es, graph.Options{})
		simple = slices.DeleteFunc(slices.Clone(simple), func(e triple) bool { return e.u > e.v })
		files["x.metis"] = metisOf(simple, n)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			o, given := o, es
			switch name {
			case "x.metis":
				if o.Graph.Directed { // each edge stands there both ways
					given = naiveGraph(simple, graph.Options{})
				} else {
					given = simple
				}
			case "x.sg":
				o.Graph.Weights = false
			}
			first := uint32(1)
			if strings.HasSuffix(name, "sg") {
				first = 0
			}
			if given = slices.Clone(given); name == "pattern.mtx" {
				for i := range given {
					given[i].w = 1
				}
			}
			for i := range given {
				given[i].u, given[i].v = given[i].u-1+first, given[i].v-1+first
			}
			want := naiveGraph(given, o.Graph)
			if !o.Graph.Weights {
				for i := range want {
					want[i].w = 0
				}
			}
			g, err := Load(ctx, write(t, name, files[name]), o)
			if err != nil {
				t.Fatalf("round %d, %s %+v: %v\n%s", round, name, o, err, files[name])
			}
			if got := triples(g.Out(), g.IDs()); g.NumVertices() != n || !slices.Equal(got, want) {
				t.Fatalf("round %d, %s %+v: %d vertices, want %d\ngot  %v\nwant %v", round, name, o, g.NumVertices(), n, got, want)
			}
			ends := map[uint32]bool{}
			for _, e := range want {
				ends[e.u], ends[e.v] = true, true
			}
			if h := g.DegreeHistogram(); int(h.Isolated) != n-len(ends) {
				t.Fatalf("round %d, %s: %d isolated vertices, want %d", round, name, h.Isolated, n-len(ends))
			}
			for i := range uint32(n) {
				if v, err := g.Vertex(int64(i + first)); err != nil || uint32(g.IDs().Int(v)) != i+first {
					t.Fatalf("round %d, %s: vertex %d: %d, %v", round, name, i+first, v, err)
				}
			}
			if _, err := g.Vertex(int64(first) - 1); err == nil {
				t.Fatalf("round %d, %s: a vertex %d that nobody declared", round, name, int64(first)-1)
			}

			// Of batches, as those who combine inputs have it.
			plain := o.Graph
			plain.DenseIDs, plain.Device = false, nil
			b := graph.NewBuilder(plain)
			o.Graph.Vertices = 0
			if err := ReadFile(ctx, write(t, name, files[name]), o, b.Add); err != nil {
				t.Fatal(name, err)
			}
			g, err = b.Build(ctx)
			if err != nil {
				t.Fatal(name, err)
			}
			if got := triples(g.Out(), g.IDs()); g.NumVertices() != n || !slices.Equal(got, want) {
				t.Fatalf("round %d, %s, of batches: %d vertices, want %d\ngot  %v\nwant %v", round, name, g.NumVertices(), n, got, want)
			}
		}
	}
}

// TestDeclaredNumber: Options.Graph.Vertices goes with what the file declares, or is refused.
func TestDeclaredNumber(t *testing.T) {
	for name, data := range declaring(rand.New(rand.NewPCG(1, 2)), []triple{{1, 2, 1}}, 5) {
		for n, ok := range map[uint64]bool{4: false, 5: true, 6: false} {
			for _, twice := range []bool{false, true} {
				o := Options{Graph: graph.Options{DenseIDs: true, Vertices: n}, TwoPass: twice}
				g, err := Load(ctx, write(t, name, data), o)
				if (err == nil) != ok || ok && g.NumVertices() != 5 {
					t.Errorf("%s, %d vertices asked for: %v", name, n, err)
				}
			}
		}
	}
}

// TestDeclaredSamples are the numbers of vertices that a head alone tells.
func TestDeclaredSamples(t *testing.T) {
	for _, c := range []struct {
		name, text string
		vertices   int
		edges      uint64
	}{
		{"a.mtx", banner + " matrix coordinate pattern symmetric\n5 5 2\n2 1\n3 2\n", 5, 2},
		{"a.mtx", banner + " matrix coordinate real general\n3 3 0\n", 3, 0},
		{"a.txt", banner + " matrix coordinate complex hermitian\n3 3 0\n", 3, 0},
		{"a.gr", "p sp 5 2\na 1 2 1\na 2 3 1\n", 5, 2},
		{"a.gr", "p sp 3 0\n", 3, 0},
		{"a.metis", "5 2\n2\n1 3\n2\n\n\n", 5, 2},
		{"a.metis", "3 0\n\n\n\n", 3, 0},
		{"a.graph", "1 0\n\n", 1, 0},
	} {
		for _, dense := range []bool{false, true} {
			g, err := Load(ctx, write(t, c.name, []byte(c.text)), Options{Graph: graph.Options{DenseIDs: dense}})
			if err != nil || g.NumVertices() != c.vertices || g.NumEdges() != c.edges {
				t.Errorf("%q, dense %v: %v", c.text, dense, err)
			}
		}
	}
}
