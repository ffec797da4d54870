// This file holds the tests of serialized graphs: what is written is read
// again, options are heeded, damage is found.

package edgelist

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

var ctx = context.Background()

// sgBytes makes a file, by the description of the layout, of rows of targets.
func sgBytes(directed, weights bool, sides ...[][]edge32) []byte {
	b := []byte{0}
	if directed {
		b[0] = 1
	}
	m := 0
	for _, row := range sides[0] {
		m += len(row)
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(m))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(sides[0])))
	for _, rows := range sides {
		at := 0
		for _, row := range rows {
			b = binary.LittleEndian.AppendUint64(b, uint64(at))
			at += len(row)
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(at))
		for _, row := range rows {
			for _, e := range row {
				b = binary.LittleEndian.AppendUint32(b, e.v)
				if weights {
					b = binary.LittleEndian.AppendUint32(b, uint32(e.w))
				}
			}
		}
	}
	return b
}

type edge32 struct {
	v uint32
	w int32
}

func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// triple is a directed edge with its weight.
type triple struct {
	u, v uint32
	w    float32
}

// naiveGraph does with edges what graph.Options say, on a list.
func naiveGraph(es []triple, o graph.Options) []triple {
	var all []triple
	for _, e := range es {
		if e.u == e.v && !o.KeepSelfLoops {
			continue
		}
		all = append(all, e)
		if !o.Directed && e.u != e.v {
			all = append(all, triple{e.v, e.u, e.w})
		}
	}
	sortTriples(all)
	if !o.KeepDuplicates && o.Combine != graph.CombineMin {
		weights := map[[2]uint32]float32{}
		for _, e := range all {
			if at := [2]uint32{e.u, e.v}; o.Combine == graph.CombineSum {
				weights[at] += e.w // small whole numbers
			} else {
				weights[at] = e.w // in ascending order
			}
		}
		for i, e := range all {
			all[i].w = weights[[2]uint32{e.u, e.v}]
		}
	}
	if !o.KeepDuplicates {
		all = slices.CompactFunc(all, func(a, b triple) bool { return a.u == b.u && a.v == b.v })
	}
	return all
}

func sortTriples(es []triple) {
	slices.SortFunc(es, func(a, b triple) int {
		return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v), cmp.Compare(a.w, b.w))
	})
}

// triples returns the edges of a CSR under external ids.
func triples(c *graph.CSR, ids *graph.IDs) (es []triple) {
	for u := range uint32(c.NumVertices()) {
		for e := c.Offsets[u]; e < c.Offsets[u+1]; e++ {
			x := triple{uint32(ids.Int(u)), uint32(ids.Int(c.Targets[e])), 0}
			if c.Weights != nil {
				x.w = c.Weights[e]
			}
			es = append(es, x)
		}
	}
	sortTriples(es)
	return es
}

func reversed(es []triple) (r []triple) {
	for _, e := range es {
		r = append(r, triple{e.v, e.u, e.w})
	}
	sortTriples(r)
	return r
}

// rowsOf makes rows, shuffled if r isn't nil.
func rowsOf(es []triple, n int, r *rand.Rand) [][]edge32 {
	rows := make([][]edge32, n)
	for _, e := range es {
		rows[e.u] = append(rows[e.u], edge32{e.v, int32(e.w)})
	}
	if r != nil {
		for _, row := range rows {
			r.Shuffle(len(row), func(i, j int) { row[i], row[j] = row[j], row[i] })
		}
	}
	return rows
}

func randomTriples(r *rand.Rand, n int) (es []triple) {
	for range r.IntN(4 * n) {
		es = append(es, triple{uint32(r.IntN(n)), uint32(r.IntN(n)), float32(r.IntN(9) - 4)})
	}
	return es
}

// TestSGRefusesOptions: options that mean nothing, or another number of
// vertices than the file has, are errors as they are for text.
func TestSGRefusesOptions(t *testing.T) {
	path := write(t, "x.sg", sgBytes(false, false, rowsOf([]triple{{0, 1, 0}, {1, 0, 0}}, 4, nil)))
	for _, o := range []graph.Options{{Workers: -1}, {Order: 9}, {Vertices: 4}, {Vertices: 5, DenseIDs: true}} {
		if _, err := Load(ctx, path, Options{Graph: o}); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("%+v: got %v, want ErrOptions", o, err)
		}
	}
	if g, err := Load(ctx, path, Options{Graph: graph.Options{Vertices: 4, DenseIDs: true}}); err != nil || g.NumVertices() != 4 {
		t.Errorf("as many as the file has: %v", err)
	}
}

func TestSGOptions(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 300 {
		n := 1 + r.IntN(20)
		coin := func() bool { return r.IntN(2) == 0 }
		fileDirected, weighted := coin(), coin()
		// In the file: everything, symmetric if it is undirected.
		in := naiveGraph(randomTriples(r, n), graph.Options{Directed: fileDirected, KeepDuplicates: true, KeepSelfLoops: true})
		var shuffle *rand.Rand
		if coin() {
			shuffle = r
		}
		sides := [][][]edge32{rowsOf(in, n, shuffle)}
		if fileDirected {
			sides = append(sides, rowsOf(reversed(in), n, shuffle))
		}
		o := Options{Graph: graph.Options{Directed: coin(), Reverse: coin(), KeepSelfLoops: coin(), KeepDuplicates: coin(),
			Weights: weighted && coin(), Combine: graph.Combine(r.IntN(3)), Order: graph.Order(r.IntN(3))}}
		name := "x.sg"
		if weighted {
			name = "x.wsg"
		}
		g, err := Load(ctx, write(t, name, sgBytes(fileDirected, weighted, sides...)), o)
		if err != nil {
			t.Fatal(err)
		}
		want := naiveGraph(in, o.Graph)
		if !o.Graph.Weights {
			for i := range want {
				want[i].w = 0
			}
		}
		if !fileDirected && !o.Graph.Directed {
			// The file has every edge twice already.
			d := o.Graph
			d.Directed = true
			want = naiveGraph(in, d)
			if !o.Graph.Weights {
				for i := range want {
					want[i].w = 0
				}
			}
		}
		if got := triples(g.Out(), g.IDs()); !slices.Equal(got, want) {
			t.Fatalf("%+v, file directed=%v\nin   %v\ngot  %v\nwant %v", o.Graph, fileDirected, in, got, want)
		}
		if g.NumVertices() != n || g.Directed() != o.Graph.Directed {
			t.Fatalf("%d vertices, directed=%v, want %d, %v", g.NumVertices(), g.Directed(), n, o.Graph.Directed)
		}
		if got := g.Order(); got == graph.OrderAuto || (got == graph.OrderDegree) != (o.Graph.Order == graph.OrderDegree) {
			t.Fatalf("order %v, asked for %v", got, o.Graph.Order)
		}
		switch {
		case !g.Directed():
			if err := g.Out().CheckSymmetric(); err != nil {
				t.Fatal(err)
			}
		case (g.In() != nil) != o.Graph.Reverse:
			t.Fatalf("reverse %v, asked for %v", g.In() != nil, o.Graph.Reverse)
		case g.In() != nil:
			if got := triples(g.In(), g.IDs()); !slices.Equal(got, reversed(want)) {
				t.Fatalf("%+v reverse\ngot  %v\nwant %v", o.Graph, got, reversed(want))
			}
		}
		for v := range uint32(n) {
			if row := g.Out().Neighbors(v); !slices.IsSorted(row) {
				t.Fatalf("row %v isn't sorted", row)
			}
			if o.Graph.Order != graph.OrderDegree && g.IDs().Int(v) != int64(v) {
				t.Fatalf("vertex %d has id %d", v, g.IDs().Int(v))
			}
			if x, err := g.Vertex(g.IDs().Int(v)); err != nil || x != v {
				t.Fatalf("id of vertex %d leads to %d, %v", v, x, err)
			}
			if !g.Directed() && o.Graph.Order == graph.OrderDegree && v > 0 && g.Out().Degree(v) > g.Out().Degree(v-1) {
				t.Fatal("not in the order of degrees")
			}
		}
	}
}

// graphOf makes a graph of edges, with its ids as given (nil: dense).
func graphOf(t testing.TB, es []triple, n int, o graph.Options, ids *graph.IDs) *graph.Graph {
	t.Helper()
	side := func(es []triple) graph.CSR {
		c := graph.CSR{Offsets: []uint64{0}}
		for v, row := range rowsOf(es, n, nil) {
			for _, e := range row {
				c.Targets = append(c.Targets, e.v)
				if o.Weights {
					c.Weights = append(c.Weights, float32(e.w))
				}
			}
			c.Offsets = append(c.Offsets, c.Offsets[v]+uint64(len(row)))
		}
		return c
	}
	es = naiveGraph(es, o)
	out := side(es)
	var in *graph.CSR
	if o.Directed && o.Reverse {
		c := side(reversed(es))
		in = &c
	}
	g, err := graph.FromCSR(out, graph.CSROptions{In: in, Directed: o.Directed, IDs: ids})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestSGRoundTrip(t *testing.T) {
	testlong.Project(t)
	r := rand.New(rand.NewPCG(15, 16))
	for i := range 200 {
		n := 1 + r.IntN(40)
		if i == 0 {
			n = 30000 // more than is written or read at a time
		}
		coin := func() bool { return r.IntN(2) == 0 }
		o := graph.Options{Directed: coin(), Reverse: coin(), KeepDuplicates: coin(), KeepSelfLoops: coin(), Weights: coin()}
		var ids *graph.IDs
		if coin() {
			ids = &graph.IDs{Type: graph.Int64, Len: n}
			for _, x := range r.Perm(n) {
				ids.Ints = append(ids.Ints, int64(x))
			}
		}
		g := graphOf(t, randomTriples(r, n), n, o, ids)
		name := "x.sg" + []string{"", ".gz", ".zst"}[i%3]
		if o.Weights {
			name = strings.Replace(name, "sg", "wsg", 1)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := Write(ctx, path, g, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		back, err := Load(ctx, path, Options{Graph: o})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(triples(g.Out(), g.IDs()), triples(back.Out(), back.IDs())) {
			t.Fatalf("%+v: got other edges back", o)
		}
		if back.NumVertices() != n || !back.IDs().Dense() {
			t.Fatal("other ids")
		}

		// As edges.
		got, err := readTriples(path, Options{Graph: o, batch: 1 + r.IntN(9)})
		if err != nil {
			t.Fatal(err)
		}
		if want := triples(g.Out(), g.IDs()); !slices.Equal(naiveGraph(got, o), want) {
			t.Fatalf("%+v: got %v, want %v", o, got, want)
		}
	}
}

// readTriples reads a file of integer ids by ReadFile.
func readTriples(path string, o Options) (es []triple, err error) {
	o.Workers = 1
	err = ReadFile(ctx, path, o, func(b graph.Batch) error {
		for i := range b.Dst { // no vertices

			e := triple{u: uint32(b.Src[i]), v: uint32(b.Dst[i])}
			if w := weightsOf(b); w != nil {
				e.w = float32(w[i])
			}
			es = append(es, e)
		}
		return nil
	})
	return es, err
}

func TestSGVertexNumbers(t *testing.T) {
	ids := &graph.IDs{Type: graph.Int64, Len: 3, Ints: []int64{7, 8, 9}}
	g := graphOf(t, []triple{{0, 1, 0}, {1, 2, 0}}, 3, graph.Options{Directed: true}, ids)
	path := filepath.Join(t.TempDir(), "x.sg")
	if err := Write(ctx, path, g, WriteOptions{VertexNumbers: true}); err != nil {
		t.Fatal(err)
	}
	es, err := readTriples(path, Options{Graph: graph.Options{Directed: true}})
	if want := []triple{{0, 1, 0}, {1, 2, 0}}; err != nil || !slices.Equal(es, want) {
		t.Errorf("%v %v, want %v", es, err, want)
	}
	for _, ids := range []*graph.IDs{ids, {Type: graph.Int64, Len: 3, Ints: []int64{0, 1, 1}}, {Type: graph.Int64, Len: 3, Ints: []int64{0, -1, 1}},
		{Type: graph.String, Len: 3, StringOffsets: []uint64{0, 1, 2, 3}, Data: []byte("012")}} {
		path := filepath.Join(t.TempDir(), "x.sg")
		err := Write(ctx, path, graphOf(t, []triple{{0, 1, 0}}, 3, graph.Options{Directed: true}, ids), WriteOptions{})
		if !errors.Is(err, graph.ErrIDRange) || !strings.Contains(err.Error(), "VertexNumbers") {
			t.Errorf("%v: error %v", ids.Ints, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("a file is left")
		}
	}
}
