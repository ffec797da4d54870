// This file tests vertices that come without edges, separate sides, and what
// ids stand for.

package graph

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
)

// testVertex is a vertex that is given as such.
type testVertex struct {
	id   int64
	side Side
}

// vertexBatches makes a Batch of the vertices of each side.
func (k kind) vertexBatches(vertices []testVertex) (all []Batch) {
	for _, side := range []Side{Source, Target} {
		var edges []testEdge
		for _, v := range vertices {
			if v.side == side {
				edges = append(edges, testEdge{src: v.id})
			}
		}
		b := k.batch(edges, false)
		b.Dst, b.DstStrings, b.EdgeIDs, b.Vertices, b.Side = nil, nil, nil, true, side
		all = append(all, b)
	}
	return all
}

// addTypedVertices adds a batch by AddVertices or AddVertexStrings.
func addTypedVertices(b *Builder, e Batch) error {
	switch e.Type {
	case Int64:
		return AddVertices(b, e.Side, e.Src)
	case Int32:
		return AddVertices(b, e.Side, narrow[int32](e.Src))
	case Uint64:
		return AddVertices(b, e.Side, narrow[uint64](e.Src))
	case Uint8:
		return AddVertices(b, e.Side, narrow[uint8](e.Src))
	case String, Binary:
		return b.AddVertexStrings(e.Side, *e.SrcStrings)
	}
	return b.Add(e)
}

// checkSide compares a vertex of a graph with separate sides, and returns its
// id if it is on one side only, as it can then be looked up without.
func (k kind) checkSide(t testing.TB, g *Graph, want *naiveGraph, v uint32, id string) string {
	t.Helper()
	side, other := Source, "t"+id[1:]
	if id[0] == 't' {
		side, other = Target, "s"+id[1:]
	}
	m := g.IDs()
	if m.Side(v) != side {
		t.Fatalf("vertex %d is a %v, want a %v", v, m.Side(v), side)
	}
	if got, err := g.ParseVertex(m.Format(v)); err != nil || got != v || !strings.HasPrefix(m.Format(v), side.String()+":") {
		t.Fatalf("parsing the name of vertex %d, %s, found %d, %v", v, m.Format(v), got, err)
	}
	both := slices.Contains(want.ids, other)
	var got, on uint32
	var ok bool
	var err error
	switch {
	case !k.typ.Integer():
		on, ok = m.FindBytes(side, []byte(id[1:]))
		got, err = g.VertexString(id[1:])
	default:
		x := k.typ.idOf(binary.BigEndian.Uint64([]byte(id[1:])))
		on, ok = m.FindInt(side, x)
		if got, err = g.ParseVertex(strconv.FormatUint(uint64(x), 10)); k.typ.Signed() {
			got, err = g.Vertex(x)
		}
	}
	if !ok || on != v {
		t.Fatalf("the lookup of vertex %d on its side found %d, %v", v, on, ok)
	}
	if !both {
		if err != nil || got != v {
			t.Fatalf("the lookup of vertex %d found %d, %v", v, got, err)
		}
		return id[1:]
	}
	if !errors.Is(err, ErrAmbiguousSide) {
		t.Fatalf("the lookup of vertex %d, whose id is on both sides: %v", v, err)
	}
	if s := string(m.Bytes(v)); !k.typ.Integer() && s != id[1:] {
		t.Fatalf("vertex %d is %q, want %q", v, s, id[1:])
	}
	return ""
}

// TestVerticesAgainstDefinition adds vertices with and without edges, in all
// kinds, with and without separate sides.
func TestVerticesAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for which, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			for i, o := range someOptionSets(which) {
				n, m := 1+r.IntN(100), 1+r.IntN(400)
				if i%16 == 0 {
					m = 1 + r.IntN(6000)
				}
				edges := k.randomEdges(r, n, m)
				vertices := make([]testVertex, r.IntN(400))
				for j := range vertices {
					vertices[j] = testVertex{k.id(r, 2*n), Side(r.IntN(2))}
				}
				switch dense := k.typ.Integer() && r.IntN(4) == 0; {
				case dense:
					o.DenseIDs = true
					for i := range edges {
						edges[i].src, edges[i].dst = int64(uint8(edges[i].src)%100), int64(uint8(edges[i].dst)%100)
					}
					for i := range vertices {
						vertices[i].id = int64(uint8(vertices[i].id) % 120)
					}
				default:
					o.Bipartite = r.IntN(2) == 0
				}
				o.Workers, o.EdgeIDs = 1+r.IntN(8), r.IntN(3) == 0
				want := k.naiveWith(o, edges, vertices)
				b := NewBuilder(o)
				add := b.Add
				if r.IntN(2) == 0 {
					add = func(e Batch) error { return addTyped(b, e) }
				}
				k.addWith(t, r, edges, vertices, o.Weights, add)
				g, err := b.Build(context.Background())
				if err != nil {
					t.Fatalf("%+v: %v", o, err)
				}
				k.check(t, g, want, o)
				g, err = TwoPass(context.Background(), o, func(_ context.Context, yield func(Batch) error) error {
					k.addWith(t, r, edges, vertices, o.Weights, yield)
					return nil
				})
				if err != nil {
					t.Fatalf("%+v: %v", o, err)
				}
				k.check(t, g, want, o)
			}
		})
	}
}

// TestManyVertices has more vertices than edges, in the ways that ids are
// numbered that a few edges don't reach.
func TestManyVertices(t *testing.T) {
	const n = 150_000
	for _, spread := range []int64{1, 7, 1 << 10, 1 << 40} {
		for _, o := range []Options{{}, {Bipartite: true}, {Directed: true, Order: OrderGiven}} {
			var ids []int64
			for i := range int64(n) {
				ids = append(ids, i*spread)
			}
			b := NewBuilder(o)
			for i := 0; i < n; i += n / 3 {
				if err := AddVertices(b, Source, ids[i:i+n/3]); err != nil {
					t.Fatal(err)
				}
			}
			if err := AddInts(b, []int64{3 * spread}, []int64{9 * spread}, nil); err != nil {
				t.Fatal(err)
			}
			want := n
			if o.Bipartite {
				want++
			}
			g, err := b.Build(context.Background())
			if err != nil || g.NumVertices() != want {
				t.Fatalf("spread %d, %+v: %v; want %d vertices", spread, o, err, want)
			}
			for i := 0; i < n; i += 97 {
				v, err := g.ParseVertex("source:" + b.typ.formatKey(b.typ.orderedKey(ids[i])))
				if !o.Bipartite {
					v, err = g.Vertex(ids[i])
				}
				if err != nil || g.IDs().Int(v) != ids[i] || g.Out().Degree(v) != 0 && ids[i] != 3*spread && ids[i] != 9*spread {
					t.Fatalf("spread %d, %+v: id %d is vertex %d, %v", spread, o, ids[i], v, err)
				}
			}
		}
	}
}

func TestVertexErrors(t *testing.T) {
	two := Batch{Vertices: true, Src: []int64{1}, SrcStrings: column(false, "a")}
	edge := ints(Int64, 1, 2)
	targets := Batch{Vertices: true, Src: []int64{1}, Dst: []int64{2}}
	logical := func(name string, b Batch) Batch {
		b.Logical = name
		return b
	}
	many := make([]int64, 100_000)
	for i := range many {
		many[i] = int64(mix(uint64(i)))
	}
	for _, c := range []struct {
		name    string
		o       Options
		batches []Batch
		is      error
		says    string
	}{
		{"ids of two types", Options{}, []Batch{edge, {Vertices: true, Type: Int32, Src: []int64{1}}}, ErrIDType, "int32 ids in a graph of int64 ids"},
		{"strings among integers", Options{}, []Batch{edge, {Vertices: true, SrcStrings: column(false, "a")}}, ErrIDType, "string ids"},
		{"both forms", Options{}, []Batch{two}, ErrMalformed, "not both"},
		{"targets", Options{}, []Batch{targets}, ErrMalformed, "has no targets"},
		{"weights", Options{}, []Batch{{Vertices: true, Src: []int64{1}, Weights: []float32{1}}}, ErrMalformed, "no weights and"},
		{"no side", Options{}, []Batch{{Vertices: true, Src: []int64{1}, Side: 2}}, ErrOptions, "Side(2)"},
		{"out of range", Options{}, []Batch{{Vertices: true, Type: Int8, Src: []int64{1, 128}}}, ErrIDRange, "128"},
		{"dense out of range", Options{DenseIDs: true, Vertices: 10}, []Batch{edge, {Vertices: true, Src: []int64{10}}}, ErrIDRange, "10 is not a dense id"},
		{"dense strings", Options{DenseIDs: true}, []Batch{{Vertices: true, SrcStrings: column(false, "a")}}, ErrIDType, "DenseIDs"},
		{"dense and separate", Options{DenseIDs: true, Bipartite: true}, []Batch{edge}, ErrOptions, "Bipartite"},
		{"two meanings", Options{}, []Batch{logical("date32", ints(Int32, 1, 2)), ints(Int32, 1, 2)}, ErrIDType, "int32 ids in a graph of date32 ids"},
		{"two zones", Options{}, []Batch{logical("timestamp[us]", edge), logical("timestamp[us,UTC]", edge)}, ErrIDType, "timestamp[us,UTC] ids in a graph of timestamp[us] ids"},
		{"no meaning", Options{}, []Batch{logical("whim", edge)}, ErrIDType, "whim"},
		{"the meaning of another type", Options{}, []Batch{logical("uuid", edge)}, ErrIDType, "uuid"},
		{"memory", Options{MemoryLimit: 1 << 20}, []Batch{{Vertices: true, Src: many}, {Vertices: true, Src: many[:1]}, edge}, device.ErrMemory, "the limit is 1.05 MB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := buildBoth(t, c.o, c.batches...)
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %v that says %q", err, c.is, c.says)
			}
		})
	}
}

// TestTwoPassNoticesOtherVertices gives other vertices the second time.
func TestTwoPassNoticesOtherVertices(t *testing.T) {
	vertices := func(ids ...int64) Batch { return Batch{Vertices: true, Src: ids} }
	for name, second := range map[string]Batch{"fewer": vertices(3), "more": vertices(3, 4, 4), "others": vertices(3, 5), "past the rest": vertices(3, 99)} {
		for _, dense := range []bool{false, true} {
			if dense && name == "others" {
				continue // 5 is a vertex as good as 4 is
			}
			reads := 0
			_, err := TwoPass(context.Background(), Options{DenseIDs: dense}, func(_ context.Context, yield func(Batch) error) error {
				if reads++; reads == 2 {
					return errors.Join(yield(ints(Int64, 1, 6)), yield(second))
				}
				return errors.Join(yield(ints(Int64, 1, 6)), yield(vertices(3, 4)))
			})
			if !errors.Is(err, ErrMalformed) {
				t.Errorf("%s, dense %v: %v", name, dense, err)
			}
		}
	}
}

// TestLogicalIDs looks up ids by their logical values.
func TestLogicalIDs(t *testing.T) {
	uuid := func(x byte) string { return string(bytes.Repeat([]byte{x}, 16)) }
	for _, c := range []struct {
		batch Batch
		names []string
		bad   string
	}{
		{Batch{Type: Int32, Logical: "date32", Src: []int64{19737}, Dst: []int64{-1}}, []string{"2024-01-15", "1969-12-31"}, "19737"},
		{Batch{Logical: "timestamp[ms,UTC]", Src: []int64{1705321800123}, Dst: []int64{0}}, []string{"2024-01-15T12:30:00.123Z", "1970-01-01T00:00:00Z"}, "2024-01-15T12:30:00"},
		{Batch{Logical: "decimal(18,0)", Src: []int64{-7}, Dst: []int64{999999999999999999}}, []string{"-7", "999999999999999999"}, "1.5"},
		{Batch{Logical: "uuid", SrcStrings: column(true, uuid(0x11)), DstStrings: column(true, uuid(0xfe))},
			[]string{"11111111-1111-1111-1111-111111111111", "fefefefe-fefe-fefe-fefe-fefefefefefe"}, "1111"},
		{Batch{Logical: "tuple(string,int8)", SrcStrings: column(true, "acme\x00\x00\x85"), DstStrings: column(true, "a,b\x00\x00\x7f")},
			[]string{"acme,5", `"a,b",-1`}, "acme"},
	} {
		g, err := buildBoth(t, Options{}, c.batch)
		if err != nil {
			t.Fatal(err)
		}
		if g.IDs().Logical != c.batch.Logical {
			t.Errorf("%q, want %q", g.IDs().Logical, c.batch.Logical)
		}
		for _, name := range c.names {
			v, err := g.ParseVertex(name)
			if err != nil || g.IDs().Format(v) != name {
				t.Errorf("%s: %q is vertex %d, %v", c.batch.Logical, name, v, err)
			}
		}
		if _, err := g.ParseVertex(c.bad); !errors.Is(err, ErrIDType) {
			t.Errorf("%s: %q is %v", c.batch.Logical, c.bad, err)
		}
	}
}
