// This file holds graphs of every kind of ids, for tests.

package samples

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
)

// storedCase makes a random graph of a kind.
type storedCase struct {
	Name  string
	Build func(t testing.TB, r *rand.Rand, o graph.Options) *graph.Graph
}

// BuildInts builds a graph of random edges between ids.
func BuildInts[T graph.Integer](ids func(r *rand.Rand) T) func(testing.TB, *rand.Rand, graph.Options) *graph.Graph {
	return func(t testing.TB, r *rand.Rand, o graph.Options) *graph.Graph {
		b := graph.NewBuilder(o)
		var src, dst []T
		for range 1 + r.IntN(400) {
			src, dst = append(src, ids(r)), append(dst, ids(r))
		}
		addInts(t, b, r, o, src, dst)
		return Built(t, b)
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
	e := graph.Batch{Weights: randomFloats(r, len(src), o.Weights), EdgeIDs: RandomEdgeIDs(r, len(src), true)}
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

func RandomEdgeIDs(r *rand.Rand, n int, edgeIDs bool) []uint64 {
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

func Built(t testing.TB, b *graph.Builder) *graph.Graph {
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

func BuildStrings(binary bool) func(testing.TB, *rand.Rand, graph.Options) *graph.Graph {
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
		if err := b.Add(graph.Batch{SrcStrings: &src, DstStrings: &dst, Weights: randomFloats(r, n, o.Weights), EdgeIDs: RandomEdgeIDs(r, n, o.EdgeIDs)}); err != nil {
			t.Fatal(err)
		}
		return Built(t, b)
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
	if err := b.Add(graph.Batch{Type: graph.Binary, Logical: form.String(), SrcStrings: &src, DstStrings: &dst, Weights: randomFloats(r, n, o.Weights), EdgeIDs: RandomEdgeIDs(r, n, o.EdgeIDs)}); err != nil {
		t.Fatal(err)
	}
	return Built(t, b)
}

func StoredCases() []storedCase {
	return []storedCase{
		{"dense", func(t testing.TB, r *rand.Rand, o graph.Options) *graph.Graph {
			o.DenseIDs = true
			n := 1 + r.IntN(200)
			return BuildInts(func(r *rand.Rand) uint32 { return uint32(r.IntN(n) * r.IntN(n) / n) })(t, r, o)
		}},
		{"path", func(t testing.TB, r *rand.Rand, o graph.Options) *graph.Graph { // of low degree: it has Ell4
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
			return Built(t, b)
		}},
		{"int64", BuildInts(func(r *rand.Rand) int64 { return r.Int64N(300)*1_000_000_007 - 5e9 })},
		{"int32", BuildInts(func(r *rand.Rand) int32 { return int32(r.IntN(100)*99 - 3000) })},
		{"uint8", BuildInts(func(r *rand.Rand) uint8 { return uint8(r.Uint32()) })},
		{"uint64", BuildInts(func(r *rand.Rand) uint64 { return math.MaxUint64 - uint64(r.IntN(100))*77 })},
		{"string", BuildStrings(false)},
		{"binary", BuildStrings(true)},
		{"kinds", buildKinds},
	}
}

// SameFloats compares bits, so that NaN is NaN.
func SameFloats(a, b []float32) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

func SameRows(a, b *graph.CSR) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Targets, b.Targets) && SameFloats(a.Weights, b.Weights) &&
		(a.EdgeIDs == nil) == (b.EdgeIDs == nil) && slices.Equal(a.EdgeIDs, b.EdgeIDs)
}

// TestResult is a Result of two slices.
type TestResult struct {
	DepthList  []int32
	ParentList []uint32
}

func (r TestResult) Depths() ([]int32, error) { return r.DepthList, nil }

func (r TestResult) Parents() ([]uint32, error) { return r.ParentList, nil }

// WithIDs makes a graph without edges, which results don't look at.
func WithIDs(t testing.TB, ids *graph.IDs) *graph.Graph {
	t.Helper()
	g, err := graph.FromCSR(graph.CSR{Offsets: make([]uint64, ids.Len+1)}, graph.CSROptions{IDs: ids})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
