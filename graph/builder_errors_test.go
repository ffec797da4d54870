package graph

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// buildBoth builds the batches with a Builder and by TwoPass, which must agree
// on the error.
func buildBoth(t *testing.T, o Options, batches ...Batch) (*Graph, error) {
	t.Helper()
	return buildLimited(t, o, uint64(NoVertex), batches...)
}

// buildLimited is buildBoth with fewer vertices allowed.
func buildLimited(t *testing.T, o Options, most uint64, batches ...Batch) (*Graph, error) {
	t.Helper()
	b := NewBuilder(o)
	b.maxVertices = most
	var err error
	for _, e := range batches {
		if err = b.Add(e); err != nil {
			break
		}
	}
	var g *Graph
	if err == nil {
		g, err = b.Build(context.Background())
	}
	in := newIntake(o)
	in.maxVertices = most
	_, err2 := twoPass(context.Background(), in, func(_ context.Context, yield func(Batch) error) error {
		for _, e := range batches {
			if err := yield(e); err != nil {
				return err
			}
		}
		return nil
	})
	for _, is := range []error{ErrEmpty, ErrOptions, ErrTooManyVertices, device.ErrMemory, ErrIDType, ErrIDRange, ErrMalformed} {
		if errors.Is(err, is) != errors.Is(err2, is) {
			t.Errorf("the Builder said %v, TwoPass %v", err, err2)
		}
	}
	return g, err
}

func ints(typ IDType, ids ...int64) Batch {
	b := Batch{Type: typ}
	for i := 0; i < len(ids); i += 2 {
		b.Src, b.Dst = append(b.Src, ids[i]), append(b.Dst, ids[i+1])
	}
	return b
}

func column(binary bool, ids ...string) *Strings {
	s := &Strings{Offsets: []int64{0}, Binary: binary}
	for _, id := range ids {
		s.Data = append(s.Data, id...)
		s.Offsets = append(s.Offsets, int64(len(s.Data)))
	}
	return s
}

func TestBuildErrors(t *testing.T) {
	broken := column(false, "a", "b")
	broken.Offsets[1] = 9
	short := column(false, "a", "b")
	short.Offsets[2] = 9
	for _, c := range []struct {
		name    string
		o       Options
		batches []Batch
		is      error
		says    string
	}{
		{"nothing", Options{}, nil, ErrEmpty, "graph: empty input: no edge was added, and no vertex; look at what"},
		{"an empty batch", Options{Weights: true}, []Batch{ints(Int8)}, ErrEmpty, ""},
		{"two integer types", Options{}, []Batch{ints(Int32, 1, 2), ints(Int64, 1, 2)}, ErrIDType, "int64 ids in a graph of int32 ids"},
		{"integers and strings", Options{}, []Batch{ints(Int32, 1, 2), {SrcStrings: column(false, "a"), DstStrings: column(false, "b")}},
			ErrIDType, "string ids in a graph of int32 ids"},
		{"a string and a binary column", Options{}, []Batch{{SrcStrings: column(false, "a"), DstStrings: column(true, "b")}}, ErrIDType, "binary"},
		{"integers that say they are strings", Options{}, []Batch{{Type: String, Src: []int64{1}, Dst: []int64{1}}}, ErrIDType, "string"},
		{"half a batch of strings", Options{}, []Batch{{SrcStrings: column(false, "a")}}, ErrMalformed, "DstStrings"},
		{"strings and integers in a batch", Options{}, []Batch{{SrcStrings: column(false, "a"), DstStrings: column(false, "b"), Src: []int64{1}}}, ErrMalformed, ""},
		{"lengths", Options{}, []Batch{{Src: []int64{1, 2}, Dst: []int64{1}}}, ErrMalformed, "2 sources but 1 targets"},
		{"lengths of strings", Options{}, []Batch{{SrcStrings: column(false, "a", "b"), DstStrings: column(false, "b")}}, ErrMalformed, "2 sources but 1 targets"},
		{"offsets that descend", Options{}, []Batch{{SrcStrings: broken, DstStrings: column(false, "a", "b")}}, ErrMalformed, "value 1"},
		{"offsets past the data", Options{}, []Batch{{SrcStrings: short, DstStrings: column(false, "a", "b")}}, ErrMalformed, "9 in 2 bytes"},
		{"no weights", Options{Weights: true}, []Batch{ints(Int64, 1, 2)}, ErrMalformed, "no weights"},
		{"too few weights", Options{}, []Batch{{Src: []int64{1, 2}, Dst: []int64{1, 2}, Weights: []float32{1}}}, ErrMalformed, "1 weights for 2 edges"},
		{"no edge ids", Options{EdgeIDs: true}, []Batch{ints(Int64, 1, 2)}, ErrMalformed, "no edge ids"},
		{"too few edge ids", Options{}, []Batch{{Src: []int64{1, 2}, Dst: []int64{1, 2}, EdgeIDs: []uint64{1}}}, ErrMalformed, "1 edge ids for 2 edges"},
		{"an int8 out of range", Options{}, []Batch{ints(Int8, 1, 128)}, ErrIDRange, "128"},
		{"a negative uint32", Options{}, []Batch{ints(Uint32, 1, -1)}, ErrIDRange, "-1"},
		{"dense past the end", Options{DenseIDs: true}, []Batch{ints(Int64, 1, math.MaxUint32)}, ErrIDRange, "4294967295 is not a dense id"},
		{"dense far past the end", Options{DenseIDs: true}, []Batch{ints(Uint64, 1, -1)}, ErrIDRange, "18446744073709551615 is not a dense id"},
		{"dense below zero", Options{DenseIDs: true}, []Batch{ints(Int16, 1, -7)}, ErrIDRange, "-7 is not a dense id"},
		{"dense strings", Options{DenseIDs: true}, []Batch{{SrcStrings: column(false, "a"), DstStrings: column(false, "b")}}, ErrIDType, "DenseIDs"},
		{"memory", Options{MemoryLimit: 1 << 20}, []Batch{ints(Int64, make([]int64, 1<<20)...)}, device.ErrMemory, "the limit is 1.05 MB (Options.MemoryLimit)"},
		{"memory of vertices", Options{MemoryLimit: 1 << 30, DenseIDs: true}, []Batch{ints(Int64, 0, math.MaxUint32-1)}, device.ErrMemory, "4294967295 vertices"},
		{"negative workers", Options{Workers: -1}, []Batch{ints(Int64, 1, 2)}, ErrOptions, "Workers is -1"},
		{"negative workers, no edges", Options{Workers: -1 << 63}, nil, ErrOptions, "Workers"},
		{"an invalid order", Options{Order: 77}, []Batch{ints(Int64, 1, 2)}, ErrOptions, "Order(77)"},
		{"vertices without dense ids", Options{Vertices: 9}, []Batch{ints(Int64, 1, 2)}, ErrOptions, "DenseIDs"},
		{"too many vertices asked for", Options{DenseIDs: true, Vertices: 1 << 32}, []Batch{ints(Int64, 1, 2)}, ErrTooManyVertices, "4294967296"},
		{"an id at the number of vertices", Options{DenseIDs: true, Vertices: 10}, []Batch{ints(Int64, 1, 10)}, ErrIDRange, "10 is not a dense id, which are 0 to 9; set Options.Vertices"},
		{"an id past the number of vertices", Options{DenseIDs: true, Vertices: 10}, []Batch{ints(Uint64, 1, -1)}, ErrIDRange, "18446744073709551615"},
		{"an id below 0", Options{DenseIDs: true, Vertices: 10}, []Batch{ints(Int32, -1, 1)}, ErrIDRange, "-1 is not"},
		{"more vertices than int8 ids", Options{DenseIDs: true, Vertices: 129}, []Batch{ints(Int8, 1, 2)}, ErrIDRange, "int8 don't reach to 128"},
		{"more vertices than uint16 ids", Options{DenseIDs: true, Vertices: 65537}, []Batch{ints(Uint16, 1, 2)}, ErrIDRange, "65536"},
		{"memory of vertices alone", Options{MemoryLimit: 1 << 30, DenseIDs: true, Vertices: math.MaxUint32}, nil, device.ErrMemory, "4294967295 vertices"},
		{"memory of isolated vertices", Options{MemoryLimit: 1 << 30, DenseIDs: true, Vertices: math.MaxUint32}, []Batch{ints(Int64, 0, 1)}, device.ErrMemory, "4294967295 vertices"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := buildBoth(t, c.o, c.batches...)
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %v that says %q", err, c.is, c.says)
			}
		})
	}
}

// TestVertices: the number of vertices that is asked for is what there is, in
// every order, with the widest ids of a type, and in the estimates.
func TestVertices(t *testing.T) {
	for _, order := range []Order{OrderAuto, OrderDegree, OrderGiven} {
		for typ, n := range map[IDType]uint64{Int8: 128, Uint8: 256, Uint16: 1 << 16, Int64: 100_000} {
			for _, o := range []Options{{}, {Directed: true}, {Directed: true, Reverse: true}} {
				o.DenseIDs, o.Vertices, o.Order = true, n, order
				g, err := buildBoth(t, o, ints(typ, 5, 7, 7, 5, 9, 5))
				if err != nil {
					t.Fatalf("%v: %v", typ, err)
				}
				if g.NumVertices() != int(n) || g.IDs().Len != int(n) || len(g.Out().Offsets) != int(n)+1 {
					t.Fatalf("%v, %v: %d vertices, want %d", typ, order, g.NumVertices(), n)
				}
				last, err := g.Vertex(int64(n - 1))
				if err != nil || g.Out().Degree(last) != 0 || g.IDs().Int(last) != int64(n-1) {
					t.Errorf("%v, %v: the last vertex is %d, %v", typ, order, last, err)
				}
				if _, err := g.Vertex(int64(n)); !errors.Is(err, ErrNoVertex) {
					t.Errorf("%v, %v: one past the last: %v", typ, order, err)
				}
			}
		}
	}
	o := Options{DenseIDs: true, Vertices: 1 << 20, Workers: 2}
	plain := o
	plain.Vertices = 0
	if got, want := Estimate(o, 1000, 7, 0), Estimate(plain, 1000, 1<<20, 0); got != want {
		t.Errorf("estimate %+v, want %+v", got, want)
	}
	b := NewBuilder(o)
	if got, want := b.Estimate(), Estimate(plain, 0, 1<<20, 0); got != want {
		t.Errorf("before any edge: %+v, want %+v", got, want)
	}
	if err := b.Add(ints(Int64, 1, 2)); err != nil {
		t.Fatal(err)
	}
	if got, want := b.Estimate(), Estimate(plain, 1, 1<<20, 0); got != want {
		t.Errorf("after an edge: %+v, want %+v", got, want)
	}
}

// TestTooManyVertices lowers the limit, in all the ways that ids are numbered.
func TestTooManyVertices(t *testing.T) {
	testlong.Project(t)
	r := rand.New(rand.NewPCG(5, 6))
	for _, k := range kinds {
		if k.typ == Int8 || k.typ == Uint8 {
			continue
		}
		batch := k.batch(k.randomEdges(r, 20_000, 40_000), false)
		if _, err := buildLimited(t, Options{}, 1000, batch); !errors.Is(err, ErrTooManyVertices) {
			t.Errorf("%s: %v", k.name, err)
		}
		if _, err := buildLimited(t, Options{}, 60_000, batch); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
	dense := ints(Int64, 3, 1000)
	if _, err := buildLimited(t, Options{DenseIDs: true}, 1000, dense); !errors.Is(err, ErrIDRange) {
		t.Error(err)
	}
	if _, err := buildLimited(t, Options{DenseIDs: true}, 1001, dense); err != nil {
		t.Error(err)
	}
}
