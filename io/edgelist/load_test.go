// This file holds the tests of Load: one graph from all the formats.

package edgelist

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// inAllFormats writes edges with ids from 1 in the text formats.
func inAllFormats(es []triple, n int) map[string]string {
	var el, csv, mtx, gr strings.Builder
	csv.WriteString("src,dst,weight\n")
	fmt.Fprintf(&mtx, "%s matrix coordinate integer general\n%d %d %d\n", banner, n, n, len(es))
	fmt.Fprintf(&gr, "p sp %d %d\n", n, len(es))
	for _, e := range es {
		fmt.Fprintln(&el, e.u, e.v, e.w)
		fmt.Fprintf(&csv, "%d,%d,%g\n", e.u, e.v, e.w)
		fmt.Fprintln(&mtx, e.u, e.v, e.w)
		fmt.Fprintln(&gr, "a", e.u, e.v, e.w)
	}
	return map[string]string{"x.el": el.String(), "x.csv": csv.String(), "x.mtx": mtx.String(), "x.gr": gr.String()}
}

func TestLoad(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 60 {
		n := 2 + r.IntN(30)
		es := append(randomTriples(r, n), triple{0, 1, 1})
		for i := range es {
			es[i].u++
			es[i].v++
		}
		coin := func() bool { return r.IntN(2) == 0 }
		o := Options{Graph: graph.Options{Directed: coin(), Reverse: coin(), KeepSelfLoops: coin(), KeepDuplicates: coin(), Weights: coin(),
			Order: graph.Order(r.IntN(3)), DenseIDs: coin()}, Workers: 1 + r.IntN(3), chunk: 1 + r.IntN(100), TwoPass: coin()}
		want := naiveGraph(es, o.Graph)
		if !o.Graph.Weights {
			for i := range want {
				want[i].w = 0
			}
		}
		for name, text := range inAllFormats(es, n) {
			g, err := Load(ctx, write(t, name, []byte(text)), o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := triples(g.Out(), g.IDs()); !slices.Equal(got, want) {
				t.Fatalf("%s %+v:\ngot  %v\nwant %v", name, o, got, want)
			}
		}
	}
}

// TestLoadSymmetric wants the same graph of a symmetric matrix as of all its
// entries.
func TestLoadSymmetric(t *testing.T) {
	for _, directed := range []bool{false, true} {
		o := Options{Graph: graph.Options{Directed: directed, Weights: true, KeepSelfLoops: true, KeepDuplicates: true}}
		g, err := Load(ctx, write(t, "x.mtx", []byte(banner+" matrix coordinate real symmetric\n4 4 3\n2 1 0.5\n3 3 2\n4 1 1\n")), o)
		if err != nil {
			t.Fatal(err)
		}
		want := []triple{{1, 2, 0.5}, {1, 4, 1}, {2, 1, 0.5}, {3, 3, 2}, {4, 1, 1}}
		if got := triples(g.Out(), g.IDs()); !slices.Equal(got, want) {
			t.Errorf("directed=%v: %v, want %v", directed, got, want)
		}
	}
	o := Options{Graph: graph.Options{Directed: true, Weights: true}}
	g, err := Load(ctx, write(t, "x.mtx", []byte(banner+" matrix coordinate real skew-symmetric\n2 2 1\n2 1 0.5\n")), o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := triples(g.Out(), g.IDs()), []triple{{1, 2, -0.5}, {2, 1, 0.5}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestLoadErrors(t *testing.T) {
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		name string
		text string
		o    Options
		is   error
	}{
		{ctx, "x.el", "", Options{}, graph.ErrEmpty},
		{ctx, "x.el", "# nothing\n\n", Options{}, graph.ErrEmpty},
		{ctx, "x.csv", "src,dst\n", Options{}, graph.ErrEmpty},
		{ctx, "x.csv", "src,dst\n", Options{TwoPass: true}, graph.ErrEmpty},
		{ctx, "x.mtx", "", Options{}, ErrDamaged},
		{ctx, "x.mtx", "1 2\n", Options{}, ErrDamaged},
		{ctx, "x.mtx", "1 2\n", Options{}, ErrFormat},
		{ctx, "x.gr", "", Options{}, ErrDamaged},
		{ctx, "x.gr", "c nothing\n", Options{}, ErrDamaged},
		{ctx, "x.metis", "% nothing\n", Options{}, ErrDamaged},
		{ctx, "x.wsg", "", Options{}, ErrDamaged},
		{ctx, "x.csv", "", Options{}, graph.ErrEmpty},
		{ctx, "x.csv", "\n", Options{Header: "first"}, ErrDamaged},
		{ctx, "x.csv", "", Options{Source: "a", Target: "b"}, ErrDamaged},
		{ctx, "x.csv", "a,b\n", Options{Source: "a", Target: "b"}, graph.ErrEmpty},
		{ctx, "x.jsonl", "", Options{Source: "a", Target: "b"}, graph.ErrEmpty},
		{ctx, "x.mtx", banner + " matrix coordinate pattern general\n0 0 0\n", Options{}, graph.ErrEmpty},
		{ctx, "x.gr", "p sp 0 0\n", Options{}, graph.ErrEmpty},
		{ctx, "x.sg", "", Options{}, ErrDamaged},
		{ctx, "x.el", "1 2\n3 x\n", Options{}, ErrSyntax},
		{ctx, "x.el", "1 -2\n", Options{Graph: graph.Options{DenseIDs: true}}, graph.ErrIDRange},
		{ctx, "x.el", "a b\n", Options{Graph: graph.Options{DenseIDs: true}}, graph.ErrIDType},
		{ctx, "x.foo", "1 2\n", Options{}, ErrFormat},
		{ctx, "x.el", "1 2\n", Options{Workers: -1}, graph.ErrOptions},
		{canceled, "x.el", "1 2\n", Options{}, context.Canceled},
	} {
		path := write(t, c.name, []byte(c.text))
		_, err := Load(c.ctx, path, c.o)
		if !errors.Is(err, c.is) || c.is != graph.ErrOptions && strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s %q: error %v, want %v", c.name, c.text, err, c.is)
		}
	}
	missing := filepath.Join(t.TempDir(), "x.el")
	if _, err := Load(ctx, missing, Options{}); err == nil || strings.Count(err.Error(), missing) != 1 {
		t.Errorf("error %v", err)
	}
}

func ExampleLoad() {
	g, err := Load(context.Background(), "testdata/tiny.csv", Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ann, err := g.VertexString("ann")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.NumVertices(), "vertices,", g.NumEdges(), "edges")
	for _, v := range g.Out().Neighbors(ann) {
		fmt.Println("ann -", g.IDs().Format(v))
	}
	// Output:
	// 4 vertices, 3 edges
	// ann - bob
	// ann - cid
}

// TestNaNRoundTrip: what the Builder takes as a weight is written and read.
func TestNaNRoundTrip(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	b := graph.NewBuilder(graph.Options{Weights: true, Directed: true})
	if err := b.Add(graph.Batch{Src: []int64{0, 1, 2}, Dst: []int64{1, 2, 3}, Weights: []float32{nan, inf, -inf}}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.wel", "a.csv", "a.tsv.gz"} {
		path := filepath.Join(t.TempDir(), name)
		if err := Write(context.Background(), path, g, WriteOptions{Weights: true}); err != nil {
			t.Fatal(err)
		}
		back, err := Load(context.Background(), path, Options{Graph: graph.Options{Weights: true, Directed: true}})
		if err != nil {
			t.Fatal(err)
		}
		if w := back.Out().Weights; len(w) != 3 || w[0] == w[0] || w[1] != inf || w[2] != -inf {
			t.Errorf("%s: %v", name, w)
		}
	}
}
