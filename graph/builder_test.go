package graph

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/internal/testlong"
)

// kind is a way to give edges to a Builder: integer ids of one type, or
// strings, spread in some way.
type kind struct {
	name string
	typ  IDType
	id   func(r *rand.Rand, n int) int64 // integers: one of about n ids
}

var kinds = []kind{
	{"int64 close", Int64, func(r *rand.Rand, n int) int64 { return r.Int64N(int64(n)) - int64(n)/3 }},
	{"int64 from 0", Int64, func(r *rand.Rand, n int) int64 { return r.Int64N(int64(n)) }},
	{"int64 scattered", Int64, func(r *rand.Rand, n int) int64 { return int64(mix(uint64(r.IntN(n)))) }},
	{"int64 apart", Int64, func(r *rand.Rand, n int) int64 { return -5000 + r.Int64N(int64(n))*37 }},
	{"int64 two heaps", Int64, func(r *rand.Rand, n int) int64 { return r.Int64N(int64(n))*5 - (r.Int64N(2) << 33) }},
	{"int32", Int32, func(r *rand.Rand, n int) int64 { return int64(int32(mix(uint64(r.IntN(n))))) }},
	{"int16", Int16, func(r *rand.Rand, n int) int64 { return int64(int16(mix(uint64(r.IntN(n))))) }},
	{"int8", Int8, func(r *rand.Rand, n int) int64 { return int64(int8(r.IntN(n))) }},
	{"uint64 high", Uint64, func(r *rand.Rand, n int) int64 { return math.MaxInt64 - int64(n)/2 + r.Int64N(int64(n)) }},
	{"uint64 scattered", Uint64, func(r *rand.Rand, n int) int64 { return int64(mix(uint64(r.IntN(n)))) }},
	{"uint32", Uint32, func(r *rand.Rand, n int) int64 { return int64(uint32(mix(uint64(r.IntN(n))))) }},
	{"uint16", Uint16, func(r *rand.Rand, n int) int64 { return int64(uint16(r.IntN(n) * 3)) }},
	{"uint8", Uint8, func(r *rand.Rand, n int) int64 { return int64(uint8(r.IntN(n))) }},
	{"string", String, func(r *rand.Rand, n int) int64 { return r.Int64N(int64(n)) }},
	{"binary", Binary, func(r *rand.Rand, n int) int64 { return r.Int64N(int64(n)) }},
}

func asString(x int64) string {
	switch x % 4 {
	case 0:
		return fmt.Sprint(x)
	case 1:
		return fmt.Sprintf("a common prefix, then %d", x)
	case 2:
		return strings.Repeat("\x00", int(x)%12)
	}
	return string(binary.BigEndian.AppendUint64(nil, mix(uint64(x)))[:1+x%8])
}

// naiveID is the id as naiveBuild has it.
func (k kind) naiveID(x int64) string {
	if !k.typ.Integer() {
		return asString(x)
	}
	return string(binary.BigEndian.AppendUint64(nil, k.typ.orderedKey(x)))
}

// testEdge is an edge as tests make them.
type testEdge struct {
	src, dst int64
	w        float32
	id       uint64
}

// randomEdges makes m edges between about n ids, with hubs, self-loops and
// duplicates.
func (k kind) randomEdges(r *rand.Rand, n, m int) []testEdge {
	weights := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2.5, float32(math.Inf(1)), float32(math.Inf(-1)),
		float32(math.NaN()), math.Float32frombits(0xffc00001)}
	few := max(1, n/20)
	edges := make([]testEdge, m)
	for i := range edges {
		e := &edges[i]
		e.src, e.dst = k.id(r, n), k.id(r, n)
		switch r.IntN(8) {
		case 0:
			e.dst = e.src
		case 1:
			e.src = k.id(r, few)
		case 2:
			*e = edges[r.IntN(i+1)]
		case 3:
			*e = edges[r.IntN(i+1)]
			e.src, e.dst = e.dst, e.src
		}
		e.w = weights[r.IntN(len(weights))]
		e.id = r.Uint64N(uint64(m)) << r.IntN(40)
	}
	return edges
}

// batch makes a Batch of edges.
func (k kind) batch(edges []testEdge, weighted bool) Batch {
	b := Batch{Type: k.typ}
	src, dst := &Strings{Binary: k.typ == Binary}, &Strings{Binary: k.typ == Binary}
	// Offsets need not begin at zero.
	src.Data = append(src.Data, "skipped"...)
	src.Offsets, dst.Offsets = append(src.Offsets, 7), append(dst.Offsets, 0)
	for _, e := range edges {
		if k.typ.Integer() {
			b.Src, b.Dst = append(b.Src, e.src), append(b.Dst, e.dst)
		} else {
			src.Data, dst.Data = append(src.Data, asString(e.src)...), append(dst.Data, asString(e.dst)...)
			src.Offsets, dst.Offsets = append(src.Offsets, int64(len(src.Data))), append(dst.Offsets, int64(len(dst.Data)))
		}
		if weighted {
			b.Weights = append(b.Weights, e.w)
		}
		b.EdgeIDs = append(b.EdgeIDs, e.id)
	}
	if !k.typ.Integer() {
		b.SrcStrings, b.DstStrings = src, dst
	}
	return b
}

// add adds the edges in batches of random lengths and order, from several
// goroutines, in one of the two ways there are.
func (k kind) add(t testing.TB, r *rand.Rand, edges []testEdge, weighted bool, add func(Batch) error) {
	t.Helper()
	k.addWith(t, r, edges, nil, weighted, add)
}

// addWith is add with vertices among the edges.
func (k kind) addWith(t testing.TB, r *rand.Rand, edges []testEdge, vertices []testVertex, weighted bool, add func(Batch) error) {
	t.Helper()
	edges = slices.Clone(edges)
	r.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	var batches []Batch
	for len(edges) > 0 {
		n := min(len(edges), r.IntN(1+len(edges)))
		batches = append(batches, k.batch(edges[:n], weighted))
		edges = edges[n:]
	}
	for len(vertices) > 0 {
		n := min(len(vertices), r.IntN(1+len(vertices)))
		batches = append(batches, k.vertexBatches(vertices[:n])...)
		vertices = vertices[n:]
	}
	r.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	var wait sync.WaitGroup
	adders := 1 + r.IntN(4)
	for a := range adders {
		wait.Go(func() {
			for i := a; i < len(batches); i += adders {
				if err := add(batches[i]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

// addTyped adds a batch by AddInts or AddStrings.
func addTyped(b *Builder, e Batch) error {
	switch {
	case e.Vertices:
		return addTypedVertices(b, e)
	case b.o.EdgeIDs:
		return b.Add(e)
	}
	switch e.Type {
	case Int64:
		return AddInts(b, e.Src, e.Dst, e.Weights)
	case Int32:
		return AddInts(b, narrow[int32](e.Src), narrow[int32](e.Dst), e.Weights)
	case Int16:
		return AddInts(b, narrow[int16](e.Src), narrow[int16](e.Dst), e.Weights)
	case Int8:
		return AddInts(b, narrow[int8](e.Src), narrow[int8](e.Dst), e.Weights)
	case Uint64:
		return AddInts(b, narrow[uint64](e.Src), narrow[uint64](e.Dst), e.Weights)
	case Uint32:
		return AddInts(b, narrow[uint32](e.Src), narrow[uint32](e.Dst), e.Weights)
	case Uint16:
		return AddInts(b, narrow[uint16](e.Src), narrow[uint16](e.Dst), e.Weights)
	case Uint8:
		return AddInts(b, narrow[uint8](e.Src), narrow[uint8](e.Dst), e.Weights)
	}
	return b.AddStrings(*e.SrcStrings, *e.DstStrings, e.Weights)
}

func narrow[T Integer](ids []int64) []T {
	out := make([]T, len(ids))
	for i, x := range ids {
		out[i] = T(x)
	}
	return out
}

// check compares a graph with its definition.
func (k kind) check(t testing.TB, g *Graph, want *naiveGraph, o Options) {
	t.Helper()
	if g.NumVertices() != len(want.ids) || g.Stats() != want.stats || g.Order() != want.order || g.Directed() != o.Directed {
		t.Fatalf("%d vertices, %+v, %v, directed %v; want %d, %+v, %v, %v", g.NumVertices(), g.Stats(), g.Order(), g.Directed(),
			len(want.ids), want.stats, want.order, o.Directed)
	}
	for v, id := range want.ids {
		if o.SeparateIDs {
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
				got, err = g.VertexUint(uint64(x))
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

// optionSets are all combinations of what changes the graph.
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
	if o.SeparateIDs {
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
	if g.NumVertices() != 4 || g.NumDirectedEdges() != 6 || g.Stats() != (BuildStats{5, 1, 2}) {
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
