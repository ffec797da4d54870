// This file tests that prepared graphs come back as they were written.

package prepared

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

func TestStoredRoundTrip(t *testing.T) {
	modes := map[string]OpenGraphOptions{"map": {}, "trust": {Trust: true}, "memory": {InMemory: true, Workers: 3}, "both": {Trust: true, InMemory: true}}
	ell4 := 0
	eachStored(t, testlong.Of(1, 2), func(t *testing.T, _ *rand.Rand, g *graph.Graph) {
		path := writeStoredTo(t, g)
		if is, err := IsGraph(path); !is || err != nil {
			t.Fatalf("IsGraph: %v, %v", is, err)
		}
		for name, o := range modes {
			got, err := OpenGraph(context.Background(), path, o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := different(got, g); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			if got.State().Ell4() != nil {
				ell4++
			}
			// Written again it is the same file.
			if name == "map" {
				again := writeStoredTo(t, got)
				x, _ := os.ReadFile(path)
				y, _ := os.ReadFile(again)
				if !bytes.Equal(x, y) {
					t.Error("written again it is another file")
				}
			}
			if err := got.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	if ell4 == 0 {
		t.Error("no graph was of low degree")
	}
}

// TestStoredIsArrow reads a file with Arrow's own reader.
func TestStoredIsArrow(t *testing.T) {
	testlong.Project(t)
	eachStored(t, 1, func(t *testing.T, _ *rand.Rand, g *graph.Graph) {
		f, err := os.Open(writeStoredTo(t, g))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := ipc.NewFileReader(f)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if format, _ := r.Schema().Metadata().GetValue("foray.format"); r.NumRecords() != 1 || format != "graph" {
			t.Fatalf("%d record batches, format %q", r.NumRecords(), format)
		}
		rec, err := r.Record(0)
		if err != nil {
			t.Fatal(err)
		}
		if rec.NumRows() != int64(g.NumVertices()) {
			t.Fatalf("%d rows, want %d", rec.NumRows(), g.NumVertices())
		}
		for i, field := range rec.Schema().Fields() {
			if name, ok := strings.CutPrefix(field.Name, columnEdge); ok {
				checkArrowColumn(t, rec.Column(i).(*array.LargeList), g, name)
			}
			switch field.Name {
			case "out", "in":
				want := g.Out()
				if field.Name == "in" {
					want = g.In()
				}
				checkArrowRows(t, rec.Column(i).(*array.LargeList), want)
			case "id":
				for v := range uint32(rec.NumRows()) {
					want := g.IDs().Format(v)
					if g.IDs().Sides != nil { // which have a separate column
						_, want, _ = strings.Cut(want, ":")
					}
					if b, ok := rec.Column(i).(*array.LargeBinary); ok {
						if !bytes.Equal(b.Value(int(v)), g.IDs().Bytes(v)) {
							t.Fatalf("id %d is %x", v, b.Value(int(v)))
						}
					} else if got := rec.Column(i).ValueStr(int(v)); got != want {
						t.Fatalf("id %d is %s, want %s", v, got, want)
					}
				}
			case "no_in":
				for v := range int(rec.NumRows()) {
					if got := rec.Column(i).(*array.Boolean).Value(v); got != (g.In().Degree(uint32(v)) == 0) {
						t.Fatalf("no_in of %d is %v", v, got)
					}
				}
			case "fours":
				list := rec.Column(i).(*array.FixedSizeList).ListValues().(*array.Uint32)
				for v, row := range g.State().Ell4().Rows {
					if got := list.Uint32Values()[4*v : 4*v+4]; !slices.Equal(got, row[:]) {
						t.Fatalf("row %d is %v, want %v", v, got, row)
					}
				}
			}
		}
	})
}

func checkArrowRows(t *testing.T, list *array.LargeList, want *graph.CSR) {
	t.Helper()
	targets, _ := list.ListValues().(*array.Uint32)
	if s, ok := list.ListValues().(*array.Struct); ok {
		targets = s.Field(0).(*array.Uint32)
		fields := 1
		if want.Weights != nil {
			if !samples.SameFloats(s.Field(fields).(*array.Float32).Float32Values(), want.Weights) {
				t.Fatal("the weights differ")
			}
			fields++
		}
		if want.EdgeIDs != nil {
			if !slices.Equal(s.Field(fields).(*array.Uint64).Uint64Values(), want.EdgeIDs) {
				t.Fatal("the edge ids differ")
			}
			fields++
		}
		if s.NumField() != fields {
			t.Fatalf("%d fields, want %d", s.NumField(), fields)
		}
	} else if want.Weights != nil || want.EdgeIDs != nil {
		t.Fatal("there are no weights and edge ids")
	}
	for v := range want.NumVertices() {
		lo, hi := list.ValueOffsets(v)
		if !slices.Equal(targets.Uint32Values()[lo:hi], want.Neighbors(uint32(v))) {
			t.Fatalf("row %d differs", v)
		}
	}
}

// TestStoredEdgeCases: graphs that a Builder doesn't make.
func TestStoredEdgeCases(t *testing.T) {
	text := func(typ graph.IDType, ids ...string) *graph.IDs {
		m := &graph.IDs{Type: typ, Len: len(ids), StringOffsets: []uint64{3}, Data: []byte("...")} // not from 0
		for _, id := range ids {
			m.Data = append(m.Data, id...)
			m.StringOffsets = append(m.StringOffsets, uint64(len(m.Data)))
		}
		return m
	}
	one := graph.CSR{Offsets: []uint64{0, 0}}
	for name, p := range map[string]struct {
		out graph.CSR
		o   graph.CSROptions
	}{
		"nothing":       {},
		"one offset":    {out: graph.CSR{Offsets: []uint64{0}}},
		"directed":      {o: graph.CSROptions{Directed: true}},
		"with reverse":  {o: graph.CSROptions{Directed: true, In: &graph.CSR{}}},
		"one vertex":    {out: one},
		"not UTF-8":     {out: one, o: graph.CSROptions{IDs: text(graph.String, "\xff")}},
		"an empty id":   {out: one, o: graph.CSROptions{IDs: text(graph.String, "")}},
		"binary":        {out: one, o: graph.CSROptions{IDs: text(graph.Binary, "\xff")}},
		"64 vertices":   {out: graph.CSR{Offsets: make([]uint64, 65)}},
		"types of ids":  {out: graph.CSR{Offsets: make([]uint64, 3)}, o: graph.CSROptions{IDs: &graph.IDs{Type: graph.Uint8, Len: 2, Ints: []int64{200, 3}}}},
		"dense, uint16": {out: graph.CSR{Offsets: make([]uint64, 3)}, o: graph.CSROptions{IDs: &graph.IDs{Type: graph.Uint16, Len: 2}}},
		"a loop":        {out: graph.CSR{Offsets: []uint64{0, 1}, Targets: []uint32{0}, Weights: []float32{1}}},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := graph.FromCSR(p.out, p.o)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []OpenGraphOptions{{}, {Trust: true}, {InMemory: true}} {
				got, err := OpenGraph(context.Background(), writeStoredTo(t, g), o)
				if err != nil {
					t.Fatal(err)
				}
				if got.NumVertices() != g.NumVertices() || got.NumDirectedEdges() != g.NumDirectedEdges() || got.IDs().Type != g.IDs().Type {
					t.Errorf("%d vertices, %d entries", got.NumVertices(), got.NumDirectedEdges())
				}
				for v := range uint32(g.NumVertices()) {
					if w, err := got.ParseVertex(g.IDs().Format(v)); w != v || err != nil {
						t.Errorf("vertex %d is %d, %v", v, w, err)
					}
				}
				if err := got.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestStoredMalformed: what OpenGraph would refuse isn't written.
func TestStoredMalformed(t *testing.T) {
	csr := graph.CSR{Offsets: []uint64{0, 0}}
	for name, ids := range map[string]*graph.IDs{
		"number too large": {Len: 1, Dense32: []uint32{1}},
		"offsets descend":  {Type: graph.String, Len: 1, StringOffsets: []uint64{2, 1}, Data: []byte("abc")},
		"offsets too far":  {Type: graph.Binary, Len: 1, StringOffsets: []uint64{0, 4}, Data: []byte("abc")},
		"too few offsets":  {Type: graph.String, Len: 1, StringOffsets: []uint64{0}},
		"two forms":        {Len: 1, Dense32: []uint32{0}, Ints: []int64{0}},
	} {
		g, err := graph.FromCSR(csr, graph.CSROptions{IDs: ids})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		err = WriteGraph(context.Background(), filepath.Join(dir, "g.foray"), g, WriteGraphOptions{})
		if !errors.Is(err, graph.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
		samples.Unchanged(t, dir, "", "")
	}
	if err := WriteGraph(context.Background(), "x", nil, WriteGraphOptions{}); !errors.Is(err, graph.ErrMalformed) {
		t.Error(err)
	}
}

func TestStoredClose(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	g := samples.BuildStrings(false)(t, r, graph.Options{})
	open, err := OpenGraph(context.Background(), writeStoredTo(t, g), OpenGraphOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dev := host.New(1)
	defer dev.Close()
	p, err := open.On(dev)
	if err != nil {
		t.Fatal(err)
	}
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := different(open, g); diff != "" {
		t.Errorf("closed while it is placed: %s", diff)
	}
	if _, err := open.On(dev); !errors.Is(err, device.ErrClosed) {
		t.Errorf("placed although it is closed: %v", err)
	}
	for range 2 {
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if open.NumVertices() != g.NumVertices() || open.IDs().Len != g.NumVertices() || open.NumEdges() != g.NumEdges() {
		t.Errorf("once it is closed it has %d vertices and %d edges", open.NumVertices(), open.NumEdges())
	}
	if err := open.Close(); err != nil {
		t.Error(err)
	}
}

func TestStoredConcurrent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	g := samples.BuildInts(func(r *rand.Rand) int64 { return r.Int64N(99) })(t, r, graph.Options{Directed: true, Reverse: true})
	path := writeStoredTo(t, g)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			got, err := OpenGraph(context.Background(), path, OpenGraphOptions{Trust: i%3 == 0, InMemory: i%2 == 0})
			if err != nil {
				t.Error(err)
				return
			}
			if i == 7 { // over the file that others have open
				if err := WriteGraph(context.Background(), path, g, WriteGraphOptions{}); err != nil {
					t.Error(err)
				}
			}
			if diff := different(got, g); diff != "" {
				t.Error(diff)
			}
			if err := got.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// checkArrowColumn compares a column of edges with what Arrow's reader reads.
func checkArrowColumn(t *testing.T, list *array.LargeList, g *graph.Graph, name string) {
	t.Helper()
	c, err := g.EdgeColumn(name)
	if err != nil {
		t.Fatal(err)
	}
	values := reflect.ValueOf(c.Values)
	if list.ListValues().Len() != values.Len() {
		t.Fatalf("column %s has %d values, want %d", name, list.ListValues().Len(), values.Len())
	}
	for e := range values.Len() {
		if got, want := list.ListValues().ValueStr(e), fmt.Sprint(values.Index(e)); got != want {
			t.Fatalf("column %s, entry %d is %s, want %s", name, e, got, want)
		}
	}
}
