// This file tests reading GraphAr on directories that it writes itself, by the
// specification.

package graphar

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

var lists = []adjList{{Ordered: true, AlignedBy: "src"}, {AlignedBy: "src"}, {Ordered: true, AlignedBy: "dst"}, {AlignedBy: "dst"}}

// TestRandom reads random graphs, of one type of vertices and of two.
// loadGraph returns the graph that Load loads.
func loadGraph(ctx context.Context, path string, o Options) (*graph.Graph, error) {
	l, err := Load(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return l.Graph, nil
}

// loadWithProperties returns the graph that Load loads, and its properties.
func loadWithProperties(ctx context.Context, path string, o Options) (*graph.Graph, *arrow.Properties, error) {
	l, err := Load(ctx, path, o)
	if err != nil {
		return nil, nil, err
	}
	return l.Graph, l.Properties, nil
}

func TestRandom(t *testing.T) {
	keyTypes := []any{[]int64(nil), []int32(nil), []string(nil), nil}
	for seed := range testlong.Rounds(5, 200) {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		dir := t.TempDir()
		person := vertices{name: "person", n: 1 + r.IntN(60), chunk: 1 + r.IntN(30)}
		thing := vertices{name: "thing", n: 1 + r.IntN(40), chunk: 1 + r.IntN(30)}
		person.keys = randomKeys(r, person.n, keyTypes[seed%4])
		thing.keys = person.keys
		all := []vertices{person}
		e := edges{src: person, dst: person, name: "knows", chunk: 1 + r.IntN(20), list: lists[r.IntN(4)], counts: r.IntN(3) > 0}
		bipartite := r.IntN(2) == 0
		if bipartite {
			// Keys that are different from those of the others.
			both := randomKeys(r, person.n+thing.n, keyTypes[seed%4])
			switch k := both.(type) {
			case []int64:
				person.keys, thing.keys = k[:person.n], k[person.n:]
			case []int32:
				person.keys, thing.keys = k[:person.n], k[person.n:]
			case []string:
				person.keys, thing.keys = k[:person.n], k[person.n:]
			}
			all = []vertices{thing, person}
			e.src, e.dst, e.name = person, thing, "has"
		}
		for range 1 + r.IntN(200) {
			e.pairs = append(e.pairs, [2]int64{r.Int64N(int64(e.src.n)), r.Int64N(int64(e.dst.n))})
		}
		csv := rand.New(rand.NewPCG(uint64(seed), 3)) // which chunks are in CSV
		person.csv, thing.csv, e.csv = csv.IntN(2) == 0, csv.IntN(2) == 0, csv.IntN(2) == 0
		for i := range all {
			all[i].csv = csv.IntN(2) == 0
			all[i].write(t, dir)
		}
		if bipartite {
			thing.write(t, dir)
			person.write(t, dir)
		}
		edge := e.write(t, dir)
		prefix := []string{"", "prefix: ./\n", "prefix: " + dir + "/\n", "prefix: file://" + dir + "/\n"}[r.IntN(4)]
		whole := writeGraphInfo(t, dir, prefix, all, []edges{e})

		shift := int64(0)
		if bipartite {
			shift = int64(person.n)
		}
		var indices, keys []string
		for _, p := range e.pairs {
			indices = append(indices, fmt.Sprint(p[0], p[1]+shift))
			if e.src.keys != nil {
				keys = append(keys, keyText(e.src.keys, p[0])+" "+keyText(e.dst.keys, p[1]))
			}
		}
		if e.src.keys == nil {
			keys = slices.Clone(indices)
		}
		slices.Sort(indices)
		slices.Sort(keys)
		for _, path := range []string{edge, whole} {
			for _, c := range []struct {
				index bool
				want  []string
			}{{false, keys}, {true, indices}} {
				o := Options{IndexIDs: c.index, TwoPass: r.IntN(2) == 0, Edge: []string{"", e.name}[r.IntN(2)]}
				o.Graph = graph.Options{Directed: true, Reverse: r.IntN(2) == 0, KeepDuplicates: true, KeepSelfLoops: true, Order: graph.Order(r.IntN(3))}
				g, err := loadGraph(context.Background(), path, o)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if got := edgeTexts(g); !slices.Equal(got, c.want) {
					t.Fatalf("seed %d, index %v: got %q, want %q", seed, c.index, got, c.want)
				}
				if want := e.src.n + int(shift)/max(e.src.n, 1)*e.dst.n; g.NumVertices() != want {
					t.Fatalf("seed %d: %d vertices, want %d", seed, g.NumVertices(), want)
				}
				if (g.In() != nil) != o.Graph.Reverse {
					t.Errorf("the reverse is lost")
				}
				for v := range uint32(g.NumVertices()) {
					if got, err := g.ParseVertex(g.IDs().Format(v)); got != v || err != nil {
						t.Fatalf("vertex %d is %d, %v", v, got, err)
					}
				}
			}
		}
		if names, err := Edges(whole); err != nil || len(names) != 1 || names[0] != e.src.name+"_"+e.name+"_"+e.dst.name {
			t.Errorf("Edges: %q, %v", names, err)
		}
	}
}

func TestChoice(t *testing.T) {
	dir := t.TempDir()
	e, _ := sample(t, dir)
	other := e
	other.name = "likes"
	other.write(t, dir)
	whole := writeGraphInfo(t, dir, "", []vertices{e.src}, []edges{e, other})
	for name, want := range map[string]error{"": errEdge, "hates": errEdge, "likes": nil, "person_knows_person": nil} {
		if _, err := loadGraph(context.Background(), whole, Options{Edge: name}); !errors.Is(err, want) {
			t.Errorf("%q: %v", name, err)
		} else if want != nil && !strings.Contains(err.Error(), "person_knows_person, person_likes_person") {
			t.Errorf("%q: %v doesn't say which there are", name, err)
		}
	}
	if _, err := loadGraph(context.Background(), filepath.Join(dir, "person.vertex.yml"), Options{}); !errors.Is(err, errInfo) {
		t.Errorf("vertices: %v", err)
	}
	if _, err := loadGraph(context.Background(), whole, Options{Edge: "likes", Graph: graph.Options{Weights: true}}); !errors.Is(err, arrow.ErrColumn) {
		t.Errorf("weights: %v", err)
	}
	writeFile(t, whole, []byte("name: it\nprefix: s3://bucket/it\nvertices: []\nedges: []\n"))
	if _, err := loadGraph(context.Background(), whole, Options{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("elsewhere: %v", err)
	}
	writeFile(t, whole, []byte("name: it\nvertices: []\nedges: []\n"))
	if _, err := loadGraph(context.Background(), whole, Options{}); !errors.Is(err, errEdge) {
		t.Errorf("no edges: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := loadGraph(ctx, filepath.Join(dir, "person_likes_person.edge.yml"), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestSameKeys: two types whose keys are the same.
func TestSameKeys(t *testing.T) {
	dir := t.TempDir()
	a := vertices{name: "a", n: 2, chunk: 2, keys: []int64{1, 2}}
	b := vertices{name: "b", n: 2, chunk: 2, keys: []int64{2, 3}}
	a.write(t, dir)
	b.write(t, dir)
	e := edges{src: a, dst: b, name: "has", chunk: 9, list: adjList{AlignedBy: "dst"}, pairs: [][2]int64{{0, 1}, {1, 1}}}
	info := e.write(t, dir)
	if _, err := loadGraph(context.Background(), info, Options{}); !errors.Is(err, errIDs) || !strings.Contains(err.Error(), "the id 2") {
		t.Error(err)
	}
	g, err := loadGraph(context.Background(), info, Options{IndexIDs: true, Graph: graph.Options{Directed: true}})
	if err != nil {
		t.Fatal(err)
	}
	if got := edgeTexts(g); !slices.Equal(got, []string{"0 3", "1 3"}) {
		t.Errorf("%q", got)
	}
}
