// This file holds the tests of writing text: what is written is read again.

package edgelist

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// external returns the edges of a graph, each undirected one once.
func external(g *graph.Graph) (es []edge) {
	c := g.Out()
	for u := range uint32(c.NumVertices()) {
		for e := c.Offsets[u]; e < c.Offsets[u+1]; e++ {
			if v := c.Targets[e]; g.Directed() || u <= v {
				x := edge{u: g.IDs().Format(u), v: g.IDs().Format(v)}
				if c.Weights != nil {
					x.w = c.FloatWeight(e)
				}
				es = append(es, x)
			}
		}
	}
	return es
}

func randomIDs(r *rand.Rand, n int, quotable bool) *graph.IDs {
	ids := &graph.IDs{Len: n}
	switch r.IntN(4) {
	case 0:
		return nil
	case 1:
		for range n {
			ids.Ints = append(ids.Ints, int64(r.Uint64())>>r.IntN(60))
		}
	case 2:
		ids.Type = graph.Uint64
		for range n {
			ids.Ints = append(ids.Ints, int64(r.Uint64()))
		}
	case 3:
		ids.Type = graph.String
		ids.StringOffsets = []uint64{0}
		for v := range n {
			ids.Data = append(ids.Data, fmt.Sprint("v", v)...)
			if quotable {
				ids.Data = append(ids.Data, []string{"", " x", ",", `"`, "\t", " ", "#"}[r.IntN(7)]...)
			}
			if v%3 == 0 && quotable {
				at := ids.StringOffsets[v]
				ids.Data[at] = ` "#%,`[r.IntN(5)]
			}
			if v == 0 && quotable { // one may be empty
				ids.Data = ids.Data[:len(ids.Data)*r.IntN(2)]
			}
			ids.StringOffsets = append(ids.StringOffsets, uint64(len(ids.Data)))
		}
	}
	return ids
}

func TestTextRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	names := []string{"x.el", "x.txt", "x.csv", "x.tsv", "x.edges.gz", "x.csv.zst", "x.wel"}
	for i := range 350 {
		name := names[i%len(names)]
		n := 2 + r.IntN(30)
		if i == 0 {
			n = 30000 // more than is written or read at a time
		}
		coin := func() bool { return r.IntN(2) == 0 }
		o := graph.Options{Directed: coin(), KeepDuplicates: coin(), KeepSelfLoops: coin(), Weights: name != "x.el" && (name == "x.wel" || coin())}
		ids := randomIDs(r, n, strings.Contains(name, "sv"))
		g := graphOf(t, append(randomTriples(r, n), triple{0, 1, 2}), n, o, ids)
		if o.Weights {
			for e := range g.Out().Weights {
				g.Out().Weights[e] *= 0.1
			}
		}
		path := filepath.Join(t.TempDir(), name)
		var done, total uint64
		err := Write(ctx, path, g, WriteOptions{Weights: o.Weights, Progress: func(p graph.Progress) { done, total = p.Done, p.Total }})
		if err != nil {
			t.Fatal(err)
		}
		if done != total || total != g.NumDirectedEdges() {
			t.Errorf("progress came to %d of %d", done, total)
		}
		ro := Options{Graph: o, Workers: 1}
		if ids != nil && ids.Type == graph.Uint64 {
			ro.IDs = "uint64"
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := collect(t, data, ro)
		if err != nil {
			t.Fatalf("%s %v\n%s", name, err, data)
		}
		if err := sameEdges(got, external(g), 1); err != nil {
			t.Fatalf("%s: %v\n%q", name, err, data)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	es := []triple{{0, 1, 0.5}, {1, 2, 1}}
	plain := graphOf(t, es, 3, graph.Options{}, nil)
	weighted := graphOf(t, es, 3, graph.Options{Directed: true}, nil)
	weighted.Out().Weights = []float32{0.5, 1}
	strs := func(data string) *graph.Graph {
		return graphOf(t, es, 3, graph.Options{}, &graph.IDs{Type: graph.String, Len: 3, Data: []byte(data),
			StringOffsets: []uint64{0, 1, uint64(len(data) - 1), uint64(len(data))}})
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		name string
		g    *graph.Graph
		o    WriteOptions
		is   error
	}{
		{ctx, "x.wel", plain, WriteOptions{}, graph.ErrWeights},
		{ctx, "x.csv", plain, WriteOptions{Weights: true}, graph.ErrWeights},
		{ctx, "x.el.gz", weighted, WriteOptions{Weights: true}, graph.ErrWeights},
		{ctx, "x.sg", weighted, WriteOptions{Weights: true}, graph.ErrWeights},
		{ctx, "x.wsg", weighted, WriteOptions{}, graph.ErrWeights},
		{ctx, "x.el", strs("a b c"), WriteOptions{}, ErrFormat},
		{ctx, "x.el", strs("a,b"), WriteOptions{}, ErrFormat},
		{ctx, "x.el", strs("#xb"), WriteOptions{}, ErrFormat},
		{ctx, "x.el", strs("a\nb"), WriteOptions{}, ErrFormat},
		{ctx, "x.el", strs("ab"), WriteOptions{}, ErrFormat}, // one is empty
		{ctx, "x.csv", strs("a\x00b"), WriteOptions{}, ErrFormat},
		{cancelled, "x.el", plain, WriteOptions{}, context.Canceled},
		{cancelled, "x.sg.zst", plain, WriteOptions{}, context.Canceled},
		{ctx, "no/such/x.el", plain, WriteOptions{}, os.ErrNotExist},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		err := Write(c.ctx, path, c.g, c.o)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.is)
		}
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("%s: %v is left, %v", c.name, left, err)
		}
	}
}

func TestWriteVertexNumbers(t *testing.T) {
	ids := &graph.IDs{Type: graph.String, Len: 3, Data: []byte("abc"), StringOffsets: []uint64{0, 1, 2, 3}}
	g := graphOf(t, []triple{{1, 2, 0}, {2, 0, 0}}, 3, graph.Options{}, ids)
	path := filepath.Join(t.TempDir(), "x.el")
	if err := Write(ctx, path, g, WriteOptions{VertexNumbers: true}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); string(b) != "0 2\n1 2\n" {
		t.Errorf("%q %v", b, err)
	}
	es, err := readTriples(path, Options{})
	if want := []triple{{0, 2, 0}, {1, 2, 0}}; err != nil || !slices.Equal(es, want) {
		t.Errorf("%v %v", es, err)
	}
}

// TestWriteMeanings writes ids as what they stand for, and with their side.
func TestWriteMeanings(t *testing.T) {
	for _, c := range []struct {
		o     graph.Options
		batch graph.Batch
		want  string
	}{
		{graph.Options{}, graph.Batch{Type: graph.Int32, Logical: "date32", Src: []int64{0}, Dst: []int64{1}}, "1970-01-01,1970-01-02\n"},
		{graph.Options{Bipartite: true}, graph.Batch{Src: []int64{7}, Dst: []int64{7}}, "source:7,target:7\n"},
	} {
		c.o.Order = graph.OrderGiven
		b := graph.NewBuilder(c.o)
		if err := b.Add(c.batch); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "x.csv")
		if err := Write(context.Background(), path, g, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(string(got), c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
