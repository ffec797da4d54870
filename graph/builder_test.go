package graph

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// check compares a graph with its definition.
func (k kind) check(t testing.TB, g *Graph, want *naiveGraph, o Options) {
	t.Helper()
	if g.NumVertices() != len(want.ids) || g.Stats() != want.stats || g.Order() != want.order || g.Directed() != o.Directed {
		t.Fatalf("%d vertices, %+v, %v, directed %v; want %d, %+v, %v, %v", g.NumVertices(), g.Stats(), g.Order(), g.Directed(),
			len(want.ids), want.stats, want.order, o.Directed)
	}
	for v, id := range want.ids {
		if o.Bipartite {
			if id = k.checkSide(t, g, want, uint32(v), id); id == "" {
				continue
			}
		}
		var got uint32
		var err error
		if k.typ.Integer() {
			x := k.typ.idOf(binary.BigEndian.Uint64([]byte(id)))
			if g.IDs().Int(uint32(v)) != x {
				t.Fatalf("vertex %d is %d, want %d", v, g.IDs().Int(uint32(v)), x)
			}
			if k.typ.Signed() {
				got, err = g.Vertex(x)
			} else {
				got, err = g.ParseVertex(strconv.FormatUint(uint64(x), 10))
			}
		} else {
			if s := string(g.IDs().Bytes(uint32(v))); s != id {
				t.Fatalf("vertex %d is %q, want %q", v, s, id)
			}
			got, err = g.VertexString(id)
		}
		if err != nil || got != uint32(v) {
			t.Fatalf("the lookup of vertex %d found %d, %v", v, got, err)
		}
		if got, err := g.ParseVertex(g.IDs().Format(uint32(v))); err != nil || got != uint32(v) {
			t.Fatalf("parsing the name of vertex %d found %d, %v", v, got, err)
		}
	}
	checkRows(t, "out", g.Out(), want.out, o)
	switch {
	case !o.Directed && g.In() != g.Out():
		t.Fatal("an undirected graph is not its own reverse")
	case o.Directed && o.Reverse:
		checkRows(t, "in", g.In(), want.in, o)
	case o.Directed && g.In() != nil:
		t.Fatal("a reverse nobody asked for")
	}
}

func checkRows(t testing.TB, name string, c *CSR, want [][]naiveEntry, o Options) {
	t.Helper()
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	if o.Weights != (c.Weights != nil) || o.EdgeIDs != (c.EdgeIDs != nil) {
		t.Fatalf("%s: weights %v, edge ids %v", name, c.Weights != nil, c.EdgeIDs != nil)
	}
	for v, row := range want {
		lo, hi := c.Offsets[v], c.Offsets[v+1]
		if int(hi-lo) != len(row) {
			t.Fatalf("%s row %d: %v, want %v", name, v, c.Targets[lo:hi], row)
		}
		for i, e := range row {
			if c.Targets[lo+uint64(i)] != e.target {
				t.Fatalf("%s row %d: %v, want %v", name, v, c.Targets[lo:hi], row)
			}
			if o.Weights && lighter(c.Weights[lo+uint64(i)], e.weight) != 0 {
				t.Fatalf("%s row %d: %v, want %v", name, v, c.Weights[lo:hi], row)
			}
			if o.EdgeIDs && c.EdgeIDs[lo+uint64(i)] != e.id {
				t.Fatalf("%s row %d: edges %v, want %v", name, v, c.EdgeIDs[lo:hi], row)
			}
		}
	}
}

// optionSets returns all combinations of the options that change the graph.
func optionSets() (all []Options) {
	for i := range 32 {
		for _, order := range []Order{OrderAuto, OrderDegree, OrderGiven} {
			o := Options{Directed: i&1 != 0, Reverse: i&2 != 0, KeepSelfLoops: i&4 != 0,
				KeepDuplicates: i&8 != 0, Weights: i&16 != 0, Order: order}
			if o.Directed || !o.Reverse {
				all = append(all, o)
			}
		}
	}
	return all
}

// someOptionSets returns all of them in the long form of tests, else a fourth, other
// ones for each kind of ids.
func someOptionSets(kind int) (some []Options) {
	every := testlong.Of(4, 1)
	for i, o := range optionSets() {
		if (i+kind)%every == 0 {
			some = append(some, o)
		}
	}
	return some
}

func (k kind) naive(o Options, edges []testEdge) *naiveGraph { return k.naiveWith(o, edges, nil) }

func (k kind) naiveWith(o Options, edges []testEdge, vertices []testVertex) *naiveGraph {
	var list []naiveEdge
	var others []string
	most := int64(-1)
	source, target := "", "" // sources sort before targets
	if o.Bipartite {
		source, target = "s", "t"
	}
	for _, e := range edges {
		list = append(list, naiveEdge{source + k.naiveID(e.src), target + k.naiveID(e.dst), 0, 0})
		if o.Weights {
			list[len(list)-1].w = e.w
		}
		if o.EdgeIDs {
			list[len(list)-1].id = e.id
		}
		most = max(most, e.src, e.dst)
	}
	for _, v := range vertices {
		side := source
		if v.side == Target {
			side = target
		}
		others = append(others, side+k.naiveID(v.id))
		most = max(most, v.id)
	}
	if o.DenseIDs {
		for x := range max(most+1, int64(o.Vertices)) {
			others = append(others, k.naiveID(x))
		}
	}
	return naiveBuild(o, list, others)
}

func TestBuildAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for which, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			for _, o := range someOptionSets(which) {
				o.EdgeIDs = r.IntN(2) == 0
				if o.Combine = Combine(r.IntN(4)); !o.EdgeIDs {
					o.Combine %= CombineFirst
				}
				n := 1 + r.IntN(100)
				edges := k.randomEdges(r, n, 1+r.IntN(600))
				if k.typ.Integer() && r.IntN(3) == 0 {
					o.DenseIDs = true
					if r.IntN(2) == 0 {
						o.Vertices = 100 + r.Uint64N(28) // an int8 goes to 127
					}
					for i := range edges {
						edges[i].src, edges[i].dst = int64(uint8(edges[i].src)%100), int64(uint8(edges[i].dst)%100)
					}
				}
				want := k.naive(o, edges)
				for range 2 {
					o.Workers = 1 + r.IntN(8)
					b := NewBuilder(o)
					add := b.Add
					if r.IntN(2) == 0 {
						add = func(e Batch) error { return addTyped(b, e) }
					}
					k.add(t, r, edges, o.Weights, add)
					g, err := b.Build(context.Background())
					if err != nil {
						t.Fatalf("%+v: %v", o, err)
					}
					k.check(t, g, want, o)
					g, err = k.twoPass(t, r, o, edges)
					if err != nil {
						t.Fatalf("%+v: %v", o, err)
					}
					k.check(t, g, want, o)
					if t.Failed() {
						t.Fatalf("%+v", o)
					}
				}
			}
		})
	}
}

func (k kind) twoPass(t testing.TB, r *rand.Rand, o Options, edges []testEdge) (*Graph, error) {
	reads := 0
	g, err := TwoPass(context.Background(), o, func(_ context.Context, yield func(Batch) error) error {
		reads++
		k.add(t, r, edges, o.Weights, yield)
		return nil
	})
	if reads != 2 {
		t.Errorf("%d reads", reads)
	}
	return g, err
}

// TestBuildLarge has enough edges for several buckets, chunks and the long
// ways of sorting.
func TestBuildLarge(t *testing.T) {
	testlong.Only(t)
	m := 120_000
	if testing.Short() {
		m = 50_000
	}
	r := rand.New(rand.NewPCG(3, 4))
	for i, k := range kinds {
		for j, o := range optionSets() {
			if (i+j)%83 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", k.name, j), func(t *testing.T) {
				o.Workers, o.EdgeIDs = 1+r.IntN(4), r.IntN(2) == 0
				edges := k.randomEdges(r, 1+m/(1+r.IntN(30)), m)
				b := NewBuilder(o)
				k.add(t, r, edges, o.Weights, b.Add)
				g, err := b.Build(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				want := k.naive(o, edges)
				k.check(t, g, want, o)
				if g, err = k.twoPass(t, r, o, edges); err != nil {
					t.Fatal(err)
				}
				k.check(t, g, want, o)
			})
		}
	}
}

func TestBuildSmall(t *testing.T) {
	b := NewBuilder(Options{Order: OrderDegree})
	if err := AddInts(b, []int32{7, 7, -3, 9, 7}, []int32{-3, 9, 7, 9, 12}, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if g.NumVertices() != 4 || g.NumDirectedEdges() != 6 || g.Stats() != (BuildStats{InputEdges: 5, SelfLoops: 1, Duplicates: 2}) {
		t.Fatalf("%d vertices, %d edges, %+v", g.NumVertices(), g.NumDirectedEdges(), g.Stats())
	}
	for v, id := range []int64{7, -3, 9, 12} {
		if got, err := g.Vertex(id); err != nil || got != uint32(v) || g.IDs().Int(got) != id {
			t.Errorf("Vertex(%d) = %d, %v; want %d", id, got, err, v)
		}
	}
	if _, err := g.Vertex(8); !errors.Is(err, ErrNoVertex) {
		t.Errorf("an absent id: %v", err)
	}
	if err := g.Out().CheckSymmetric(); err != nil {
		t.Error(err)
	}
}
