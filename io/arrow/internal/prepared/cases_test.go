// This file makes the random graphs that prepared graphs are tested with, and
// compares graphs.

package prepared

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// eachStored calls f with random graphs of all kinds, half of them with edge ids
// and, where ids aren't dense, half with separate sides.
func eachStored(t *testing.T, seeds int, f func(t *testing.T, r *rand.Rand, g *graph.Graph)) {
	for _, c := range samples.StoredCases() {
		for form := range 3 { // undirected, directed, with its reverse
			for _, weights := range []bool{false, true} {
				for _, order := range []graph.Order{graph.OrderAuto, graph.OrderDegree, graph.OrderGiven} {
					t.Run(fmt.Sprintf("%s/%d/%v/%v", c.Name, form, weights, order), func(t *testing.T) {
						for seed := range seeds {
							r := rand.New(rand.NewPCG(uint64(seed), uint64(form)))
							o := graph.Options{Directed: form > 0, Reverse: form > 1, Weights: weights, Order: order,
								KeepDuplicates: r.IntN(2) == 0, KeepSelfLoops: r.IntN(2) == 0, EdgeIDs: (seed+form)%2 == 1,
								Bipartite: c.Name != "dense" && c.Name != "path" && r.IntN(2) == 0}
							if g := c.Build(t, r, o); g != nil {
								if r.IntN(3) == 0 {
									g = withColumns(t, r, g)
								}
								f(t, r, g)
							}
						}
					})
				}
			}
		}
	}
}

// writeStoredTo writes the graph to a file of the test's.
func writeStoredTo(t testing.TB, g *graph.Graph) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g.foray")
	if err := WriteGraph(context.Background(), path, g, WriteGraphOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// different returns a difference between two graphs, or "".
func different(a, b *graph.Graph) string {
	x, y := a.IDs(), b.IDs()
	switch {
	case a.Directed() != b.Directed() || a.Order() != b.Order() || a.Stats() != b.Stats():
		return fmt.Sprintf("%v %v %+v, want %v %v %+v", a.Directed(), a.Order(), a.Stats(), b.Directed(), b.Order(), b.Stats())
	case !samples.SameRows(a.Out(), b.Out()) || !samples.SameRows(a.In(), b.In()) || (a.In() == a.Out()) != (b.In() == b.Out()):
		return "the rows differ"
	case x.Type != y.Type || x.Len != y.Len || x.Dense() != y.Dense() || !slices.Equal(x.Dense32, y.Dense32) ||
		!slices.Equal(x.Ints, y.Ints) || !slices.Equal(x.StringOffsets, y.StringOffsets) || !bytes.Equal(x.Data, y.Data):
		return fmt.Sprintf("the ids differ: %+v, want %+v", x, y)
	case !slices.Equal(x.Sides, y.Sides):
		return "the sides of ids differ"
	case !slices.Equal(x.ByID(), y.ByID()) || (x.ByID() == nil) != (y.ByID() == nil):
		return "the index of ids differs"
	}
	if diff := differentColumns(a.EdgeColumns(), b.EdgeColumns()); diff != "" {
		return diff
	}
	if diff := differentColumns(a.VertexColumns(), b.VertexColumns()); diff != "" {
		return "of vertices: " + diff
	}
	p, q := a.State().Prepare(), b.State().Prepare()
	if (p == nil) != (q == nil) || p != nil && (!slices.Equal(p.First, q.First) || !slices.Equal(p.NoIn, q.NoIn) ||
		p.Candidates != q.Candidates || p.Words != q.Words || !slices.Equal(p.Cuts, q.Cuts) || p.Bytes != q.Bytes) {
		return "what is prepared differs"
	}
	f, h := a.State().Ell4(), b.State().Ell4()
	if (f == nil) != (h == nil) || f != nil && (!slices.Equal(f.Rows, h.Rows) || !slices.Equal(f.Long, h.Long) || (f.Long == nil) != (h.Long == nil) || f.Bytes != h.Bytes) {
		return "the ELL4 rows differ"
	}
	for v := range uint32(b.NumVertices()) {
		if got, err := a.ParseVertex(y.Format(v)); got != v || err != nil {
			return fmt.Sprintf("vertex %s is %d (%v), want %d", y.Format(v), got, err, v)
		}
	}
	return ""
}

// randomColumns returns some random columns of m values.
func randomColumns(r *rand.Rand, m int, prefix string) (some []graph.Column) {
	i32, u32, i64, u64, f32, f64, codes := make([]int32, m), make([]uint32, m), make([]int64, m), make([]uint64, m), make([]float32, m), make([]float64, m), make([]uint32, m)
	for e := range m {
		i32[e], u32[e], i64[e], u64[e] = int32(r.Uint32()), r.Uint32(), int64(r.Uint64()), r.Uint64()
		f32[e], f64[e], codes[e] = r.Float32(), r.Float64(), r.Uint32N(3)
		if r.IntN(5) == 0 {
			codes[e] = graph.NoCode
		}
	}
	all := []graph.Column{
		{Name: "i32", Values: i32}, {Name: "u32", Values: u32, Logical: "flags"}, {Name: "i64", Values: i64, Logical: "timestamp[us,UTC]"}, {Name: "u64", Values: u64},
		{Name: "f32 \u00e9", Values: f32}, {Name: "f64", Values: f64},
		{Name: "kind", Values: codes, Dictionary: &graph.Strings{Offsets: []int64{0, 0, 5, 9}, Data: []byte("likesowns"), Binary: r.IntN(2) == 0}},
	}
	for _, i := range r.Perm(len(all))[:1+r.IntN(len(all))] {
		all[i].Name = prefix + all[i].Name
		some = append(some, all[i])
	}
	return some
}

// withColumns returns a graph with random columns of its edges, its vertices or both.
func withColumns(t testing.TB, r *rand.Rand, g *graph.Graph) *graph.Graph {
	t.Helper()
	o := graph.CSROptions{Directed: g.Directed(), IDs: g.IDs(), Order: g.Order(), Stats: g.Stats(), WeightType: g.WeightType()}
	which := r.IntN(3)
	if which != 1 {
		o.EdgeColumns = randomColumns(r, len(g.Out().Targets), "")
	}
	if which != 0 {
		o.VertexColumns = randomColumns(r, g.NumVertices(), "of ")
	}
	if g.Directed() && g.HasReverse() {
		o.In = g.In()
	}
	o.Stored.Checked = true
	to, err := graph.FromCSR(*g.Out(), o)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// differentColumns returns a difference between columns, or "".
func differentColumns(a, b []graph.Column) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d columns, want %d", len(a), len(b))
	}
	for i := range a {
		x, y := a[i], b[i]
		same := x.Name == y.Name && x.Logical == y.Logical && (x.Dictionary == nil) == (y.Dictionary == nil) && reflect.DeepEqual(x.Values, y.Values)
		if same && x.Dictionary != nil {
			same = x.Dictionary.Binary == y.Dictionary.Binary && slices.Equal(x.Dictionary.Offsets, y.Dictionary.Offsets) && bytes.Equal(x.Dictionary.Data, y.Dictionary.Data)
		}
		if !same {
			return fmt.Sprintf("column %+v, want %+v", x, y)
		}
	}
	return ""
}
