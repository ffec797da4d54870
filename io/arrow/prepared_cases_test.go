// This file makes the random graphs that prepared graphs are tested with, and
// compares graphs.

package arrow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
)

// storedCase makes a random graph of a kind.
type storedCase struct {
	name  string
	build func(t testing.TB, r *rand.Rand, o graph.Options) *graph.Graph
}

// buildInts builds a graph of random edges between ids.
func buildInts[T graph.Integer](ids func(r *rand.Rand) T) func(testing.TB, *rand.Rand, graph.Options) *graph.Graph {
	return func(t testing.TB, r *rand.Rand, o graph.Options) *graph.Graph {
		b := graph.NewBuilder(o)
		var src, dst []T
		for range 1 + r.IntN(400) {
			src, dst = append(src, ids(r)), append(dst, ids(r))
		}
		addInts(t, b, r, o, src, dst)
		return built(t, b)
	}
}

// addInts adds edges, with weights and edge ids where the options have them.
func addInts[T graph.Integer](t testing.TB, b *graph.Builder, r *rand.Rand, o graph.Options, src, dst []T) {
	t.Helper()
	if !o.EdgeIDs {
		if err := graph.AddInts(b, src, dst, randomFloats(r, len(src), o.Weights)); err != nil {
			t.Fatal(err)
		}
		return
	}
	var zero T
	e := graph.Batch{Weights: randomFloats(r, len(src), o.Weights), EdgeIDs: randomEdgeIDs(r, len(src), true)}
	switch any(zero).(type) {
	case uint8:
		e.Type = graph.Uint8
	case int32:
		e.Type = graph.Int32
	case uint32:
		e.Type = graph.Uint32
	case uint64:
		e.Type = graph.Uint64
	}
	for i := range src {
		e.Src, e.Dst = append(e.Src, int64(src[i])), append(e.Dst, int64(dst[i]))
	}
	if err := b.Add(e); err != nil {
		t.Fatal(err)
	}
}

func randomEdgeIDs(r *rand.Rand, n int, edgeIDs bool) []uint64 {
	if !edgeIDs {
		return nil
	}
	ids := make([]uint64, n)
	for i := range ids {
		ids[i] = r.Uint64() >> r.IntN(64)
	}
	return ids
}

func randomFloats(r *rand.Rand, n int, weights bool) []float32 {
	if !weights {
		return nil
	}
	w := make([]float32, n)
	for i := range w {
		w[i] = r.Float32()
	}
	if r.IntN(4) == 0 {
		w[0] = float32(math.NaN())
	}
	return w
}

func built(t testing.TB, b *graph.Builder) *graph.Graph {
	t.Helper()
	g, err := b.Build(context.Background())
	if errors.Is(err, graph.ErrEmpty) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func buildStrings(binary bool) func(testing.TB, *rand.Rand, graph.Options) *graph.Graph {
	return func(t testing.TB, r *rand.Rand, o graph.Options) *graph.Graph {
		b := graph.NewBuilder(o)
		column := func(n int) graph.Strings {
			s := graph.Strings{Offsets: []int64{0}, Binary: binary}
			for range n {
				s.Data = fmt.Appendf(s.Data, "%d", r.IntN(150)*r.IntN(150))
				if binary {
					s.Data = append(s.Data, 0xff, byte(r.Uint32()))
				}
				s.Offsets = append(s.Offsets, int64(len(s.Data)))
			}
			return s
		}
		n := 1 + r.IntN(400)
		src, dst := column(n), column(n)
		if err := b.Add(graph.Batch{SrcStrings: &src, DstStrings: &dst, Weights: randomFloats(r, n, o.Weights), EdgeIDs: randomEdgeIDs(r, n, o.EdgeIDs)}); err != nil {
			t.Fatal(err)
		}
		return built(t, b)
	}
}

// buildKinds builds a graph of vertices of several kinds.
func buildKinds(t testing.TB, r *rand.Rand, o graph.Options) *graph.Graph {
	form, err := logical.Parse("kinds(day:date32,item:string,u:uint64)")
	if err != nil {
		t.Fatal(err)
	}
	b := graph.NewBuilder(o)
	column := func(n int) graph.Strings {
		s := graph.Strings{Offsets: []int64{0}, Binary: true}
		for range n {
			k := r.IntN(3)
			id := logical.Value{Int: int64(r.IntN(40))}
			if k == 1 {
				id.Bytes = fmt.Appendf(nil, "%d\x00:", r.IntN(40))
			}
			s.Data = form.AppendKind(s.Data, k, id)
			s.Offsets = append(s.Offsets, int64(len(s.Data)))
		}
		return s
	}
	n := 1 + r.IntN(400)
	src, dst := column(n), column(n)
	if err := b.Add(graph.Batch{Type: graph.Binary, Logical: form.String(), SrcStrings: &src, DstStrings: &dst, Weights: randomFloats(r, n, o.Weights), EdgeIDs: randomEdgeIDs(r, n, o.EdgeIDs)}); err != nil {
		t.Fatal(err)
	}
	return built(t, b)
}

func storedCases() []storedCase {
	return []storedCase{
		{"dense", func(t testing.TB, r *rand.Rand, o graph.Options) *graph.Graph {
			o.DenseIDs = true
			n := 1 + r.IntN(200)
			return buildInts(func(r *rand.Rand) uint32 { return uint32(r.IntN(n) * r.IntN(n) / n) })(t, r, o)
		}},
		{"path", func(t testing.TB, r *rand.Rand, o graph.Options) *graph.Graph { // of low degree: it has Fours
			o.DenseIDs = true
			b := graph.NewBuilder(o)
			var src, dst []uint32
			for v := range uint32(70 + r.IntN(200)) {
				src, dst = append(src, v), append(dst, v+1)
				if v%40 == 0 { // some rows are long
					for i := range uint32(4) {
						src, dst = append(src, v), append(dst, v/2+7*i)
					}
				}
			}
			addInts(t, b, r, o, src, dst)
			return built(t, b)
		}},
		{"int64", buildInts(func(r *rand.Rand) int64 { return r.Int64N(300)*1_000_000_007 - 5e9 })},
		{"int32", buildInts(func(r *rand.Rand) int32 { return int32(r.IntN(100)*99 - 3000) })},
		{"uint8", buildInts(func(r *rand.Rand) uint8 { return uint8(r.Uint32()) })},
		{"uint64", buildInts(func(r *rand.Rand) uint64 { return math.MaxUint64 - uint64(r.IntN(100))*77 })},
		{"string", buildStrings(false)},
		{"binary", buildStrings(true)},
		{"kinds", buildKinds},
	}
}

// eachStored calls f with random graphs of all kinds, half of them with edge ids
// and, where ids aren't dense, half with separate sides.
func eachStored(t *testing.T, seeds int, f func(t *testing.T, r *rand.Rand, g *graph.Graph)) {
	for _, c := range storedCases() {
		for form := range 3 { // undirected, directed, with its reverse
			for _, weights := range []bool{false, true} {
				for _, order := range []graph.Order{graph.OrderAuto, graph.OrderDegree, graph.OrderGiven} {
					t.Run(fmt.Sprintf("%s/%d/%v/%v", c.name, form, weights, order), func(t *testing.T) {
						for seed := range seeds {
							r := rand.New(rand.NewPCG(uint64(seed), uint64(form)))
							o := graph.Options{Directed: form > 0, Reverse: form > 1, Weights: weights, Order: order,
								KeepDuplicates: r.IntN(2) == 0, KeepSelfLoops: r.IntN(2) == 0, EdgeIDs: (seed+form)%2 == 1,
								Bipartite: c.name != "dense" && c.name != "path" && r.IntN(2) == 0}
							if g := c.build(t, r, o); g != nil {
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

// sameFloats compares bits, so that NaN is NaN.
func sameFloats(a, b []float32) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

func sameRows(a, b *graph.CSR) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Targets, b.Targets) && sameFloats(a.Weights, b.Weights) &&
		(a.EdgeIDs == nil) == (b.EdgeIDs == nil) && slices.Equal(a.EdgeIDs, b.EdgeIDs)
}

// different says in what two graphs differ, or nothing.
func different(a, b *graph.Graph) string {
	x, y := a.IDs(), b.IDs()
	switch {
	case a.Directed() != b.Directed() || a.Order() != b.Order() || a.Stats() != b.Stats():
		return fmt.Sprintf("%v %v %+v, want %v %v %+v", a.Directed(), a.Order(), a.Stats(), b.Directed(), b.Order(), b.Stats())
	case !sameRows(a.Out(), b.Out()) || !sameRows(a.In(), b.In()) || (a.In() == a.Out()) != (b.In() == b.Out()):
		return "the rows differ"
	case x.Type != y.Type || x.Len != y.Len || x.Dense() != y.Dense() || !slices.Equal(x.Dense32, y.Dense32) ||
		!slices.Equal(x.Ints, y.Ints) || !slices.Equal(x.StringOffsets, y.StringOffsets) || !bytes.Equal(x.Data, y.Data):
		return fmt.Sprintf("the ids differ: %+v, want %+v", x, y)
	case !slices.Equal(x.Sides, y.Sides):
		return "the sides of ids differ"
	case !slices.Equal(x.ByID(), y.ByID()) || (x.ByID() == nil) != (y.ByID() == nil):
		return "the index of ids differs"
	}
	p, q := a.Prepare(), b.Prepare()
	if (p == nil) != (q == nil) || p != nil && (!slices.Equal(p.First, q.First) || !slices.Equal(p.NoIn, q.NoIn) ||
		p.Candidates != q.Candidates || p.Words != q.Words || !slices.Equal(p.Cuts, q.Cuts) || p.Bytes != q.Bytes) {
		return "what is prepared differs"
	}
	f, h := a.Fours(), b.Fours()
	if (f == nil) != (h == nil) || f != nil && (!slices.Equal(f.Rows, h.Rows) || !slices.Equal(f.Long, h.Long) || (f.Long == nil) != (h.Long == nil) || f.Bytes != h.Bytes) {
		return "the rows of fixed width differ"
	}
	for v := range uint32(b.NumVertices()) {
		if got, err := a.ParseVertex(y.Format(v)); got != v || err != nil {
			return fmt.Sprintf("vertex %s is %d (%v), want %d", y.Format(v), got, err, v)
		}
	}
	return ""
}
