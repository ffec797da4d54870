// This file tests what becomes of prepared graphs that are damaged, of those
// made to do harm, and of writing that fails.

package prepared

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// smallStored returns small graphs of all kinds, with their files.
func smallStored(t testing.TB) (graphs []*graph.Graph, files [][]byte) {
	for i, c := range samples.StoredCases() {
		for form := range 3 {
			r := rand.New(rand.NewPCG(uint64(i), uint64(form)))
			g := c.Build(t, r, graph.Options{Directed: form > 0, Reverse: form > 1, Weights: (i+form)%2 == 0, EdgeIDs: form == 2 || i == 4, Order: graph.OrderDegree})
			if g == nil {
				continue
			}
			if i%2 == 1 && form != 1 {
				g = withColumns(t, r, g)
			}
			data, err := os.ReadFile(writeStoredTo(t, g))
			if err != nil {
				t.Fatal(err)
			}
			graphs, files = append(graphs, g), append(files, data)
		}
	}
	return graphs, files
}

// openBytes opens a graph that is in memory, by way of a file.
func openBytes(t testing.TB, path string, data []byte, o OpenGraphOptions) (*graph.Graph, error) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	g, err := OpenGraph(context.Background(), path, o)
	var f *input.FileError
	if err != nil && (!errors.As(err, &f) || f.Path != path || !strings.HasPrefix(err.Error(), path) || strings.Contains(err.Error(), samples.Panicked)) {
		t.Fatalf("an error that doesn't say where: %v", err)
	}
	return g, err
}

// TestStoredFlipped changes single bytes all over the files.
func TestStoredFlipped(t *testing.T) {
	testlong.Only(t)
	graphs, files := smallStored(t)
	path := filepath.Join(t.TempDir(), "g.foray")
	r := rand.New(rand.NewPCG(1, 2))
	good, bad := 0, 0
	for i, data := range files {
		step := testlong.Of(151, 37)
		if i == 0 {
			step = testlong.Of(11, 1)
		}
		for at := 0; at < len(data); at += step {
			damaged := bytes.Clone(data)
			damaged[at] ^= byte(1 + r.IntN(255))
			g, err := openBytes(t, path, damaged, OpenGraphOptions{InMemory: at%2 == 0, Workers: 1})
			if err != nil {
				bad++
				continue
			}
			good++
			if diff := different(g, graphs[i]); diff != "" {
				t.Fatalf("file %d, byte %d of %d: %s", i, at, len(data), diff)
			}
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d errors, %d times nothing that is read", bad, good)
	if bad < good {
		t.Error("most bytes mean something")
	}
}

// TestStoredCut cuts files everywhere, and adds to them.
func TestStoredCut(t *testing.T) {
	testlong.Project(t)
	_, files := smallStored(t)
	path := filepath.Join(t.TempDir(), "g.foray")
	for i, data := range files {
		step := testlong.Of(163, 41)
		if i == 0 {
			step = testlong.Of(11, 1)
		}
		for n := 0; n < len(data); n += step {
			if _, err := openBytes(t, path, data[:n], OpenGraphOptions{Trust: n%2 == 0, Workers: 1}); !errors.Is(err, input.ErrDamaged) && !errors.Is(err, input.ErrFormat) {
				t.Fatalf("file %d, cut at %d of %d: %v", i, n, len(data), err)
			}
		}
		if _, err := openBytes(t, path, append(bytes.Clone(data), 0), OpenGraphOptions{}); !errors.Is(err, input.ErrDamaged) {
			t.Errorf("one byte more: %v", err)
		}
	}
}

// rewritten writes the graph with a layout that change was called with; it
// keeps the checksums right.
func rewritten(t testing.TB, g *graph.Graph, change func(s *storedGraph)) []byte {
	t.Helper()
	s, err := newStoredGraph(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range s.arrays() {
		a.data = bytes.Clone(a.data)
	}
	change(s)
	pass := storedPass{arrays: s.arrays()}
	sums, err := pass.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range pass.arrays {
		a.sum = sums[i]
	}
	var out bytes.Buffer
	w := storedWriter{ctx: context.Background(), out: write.Stdout{Writer: &out}}
	if err := w.file(s); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestStoredForged: checksums are right, but values lead out of the graph, or
// columns don't fit. No search may see such a graph.
func TestStoredForged(t *testing.T) {
	testlong.Project(t)
	path := filepath.Join(t.TempDir(), "g.foray")
	graphs, _ := smallStored(t)
	r := rand.New(rand.NewPCG(7, 8))
	tried := map[string]int{}
	for _, g := range graphs {
		n := uint32(g.NumVertices())
		try := func(what string, change func(s *storedGraph) bool) {
			done := false
			data := rewritten(t, g, func(s *storedGraph) { done = change(s) })
			if !done {
				return
			}
			tried[what]++
			if _, err := openBytes(t, path, data, OpenGraphOptions{}); !errors.Is(err, graph.ErrMalformed) && !errors.Is(err, input.ErrDamaged) {
				t.Errorf("%s: %v", what, err)
			}
		}
		for _, name := range []string{"out.targets", "in.targets", "first.values", "by_id.values", "fours.values"} {
			for _, v := range []uint32{n, n + 1, 1 << 31, ^uint32(0)} {
				try(name, func(s *storedGraph) bool {
					for _, a := range s.arrays() {
						if a.name == name && len(a.data) > 0 {
							values := arrayOf[uint32](a.data)
							values[r.IntN(len(values))] = v
							return true
						}
					}
					return false
				})
			}
		}
		for _, name := range []string{"out.offsets", "in.offsets", "id.offsets"} {
			for _, x := range []uint64{1 << 40, ^uint64(0), 1 << 63} {
				try(name, func(s *storedGraph) bool {
					for _, a := range s.arrays() {
						if a.name == name {
							offsets := arrayOf[uint64](a.data)
							offsets[r.IntN(len(offsets))] = x
							return true
						}
					}
					return false
				})
			}
		}
		for _, name := range []string{columnLong, columnNoIn} {
			try(name, func(s *storedGraph) bool {
				c := s.column(name)
				if c == nil {
					return false
				}
				words := arrayOf[uint64](c.array("values").data)
				words[r.IntN(len(words))] ^= 1 << r.IntN(64)
				return true
			})
		}
		try("order", func(s *storedGraph) bool {
			offsets := arrayOf[uint64](s.column(columnOut).array("offsets").data)
			if s.directed || offsets[1] == offsets[n] || n < 3 {
				return false
			}
			for v := range offsets[:n] {
				offsets[v] = 0 // all edges are the last vertex's
			}
			return true
		})
		for i := range 4 {
			try("columns", func(s *storedGraph) bool {
				switch i {
				case 0:
					s.columns = append(s.columns, s.columns[0])
				case 1:
					s.columns = s.columns[:1]
					return s.columns[0].name != columnOut
				case 2:
					s.columns[0].name = "other"
				case 3:
					s.vertices--
				}
				return true
			})
		}
	}
	for _, what := range []string{"out.targets", "in.targets", "first.values", "by_id.values", "fours.values", "out.offsets",
		"in.offsets", "id.offsets", "long", "no_in", "order", "columns"} {
		if tried[what] == 0 {
			t.Errorf("%s was never tried", what)
		}
	}
}

// TestAllBelow compares with the plain loop, which takes over where it says no.
func TestAllBelow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	words := make([]uint64, 40)
	for _, n := range []uint64{0, 1, 2, 3, 1000, 1<<22 - 1, 1 << 22, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1} {
		for range 2000 {
			values := arrayOf[uint32](bytesOf(words))[:r.IntN(80)]
			for i := range values {
				values[i] = uint32(r.Uint64N(max(n, 1)))
				if r.IntN(8) == 0 {
					values[i] = uint32(max(n, 1) - 1)
				}
			}
			if n > 0 && n <= 1<<31 && !allBelow(values, n) {
				t.Fatalf("%d: %d", n, values)
			}
			if len(values) == 0 {
				continue
			}
			values[r.IntN(len(values))] = uint32(min(n+r.Uint64N(1<<r.IntN(33)), 1<<32-1))
			if allBelow(values, n) {
				t.Fatalf("%d: %d", n, values)
			}
		}
	}
}

// TestStoredNonsense: checksums are right and values within the graph, but they
// make no sense: no search panics or hangs, whatever it finds.
func TestStoredNonsense(t *testing.T) {
	testlong.Project(t)
	path := filepath.Join(t.TempDir(), "g.foray")
	graphs, _ := smallStored(t)
	r := rand.New(rand.NewPCG(17, 18))
	opened := 0
	for range 20 {
		for _, g := range graphs {
			n := uint32(g.NumVertices())
			data := rewritten(t, g, func(s *storedGraph) {
				s.order = graph.OrderGiven
				for _, c := range s.columns {
					if r.IntN(2) == 0 {
						continue
					}
					switch c.kind {
					case storedRows, storedWeights:
						for i := range arrayOf[uint32](c.array("targets").data) {
							arrayOf[uint32](c.array("targets").data)[i] = r.Uint32N(n)
						}
						offsets := arrayOf[uint64](c.array("offsets").data)
						for i := range offsets[1:n] {
							offsets[i+1] = r.Uint64N(s.entries + 1)
						}
						slices.Sort(offsets)
					case storedUint32, storedEll4:
						values := arrayOf[uint32](c.array("values").data)
						for i := range values {
							values[i] = r.Uint32N(n)
						}
					}
				}
				// These are checked against the offsets.
				rows := s.column(columnOut)
				for _, c := range s.columns {
					if c.kind.isEdges() {
						c.array("offsets").data = rows.array("offsets").data
					}
				}
				if s.column(columnLong) != nil {
					setBits(s.column(columnLong), rows, func(degree uint64) bool { return degree > 4 })
				}
				if s.column(columnIn) != nil {
					rows = s.column(columnIn)
				}
				if s.column(columnNoIn) != nil {
					setBits(s.column(columnNoIn), rows, func(degree uint64) bool { return degree == 0 })
				}
			})
			got, err := openBytes(t, path, data, OpenGraphOptions{})
			if err != nil {
				t.Fatal(err)
			}
			opened++
			search(t, got)
			if err := got.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if opened == 0 {
		t.Error("no graph was opened")
	}
}

// setBits sets a column's bits by the vertices' degrees; those past the last
// vertex stay.
func setBits(c, rows *storedColumn, is func(degree uint64) bool) {
	words, offsets := arrayOf[uint64](c.array("values").data), arrayOf[uint64](rows.array("offsets").data)
	for v := range len(offsets) - 1 {
		words[v/64] &^= 1 << (v % 64)
		if is(offsets[v+1] - offsets[v]) {
			words[v/64] |= 1 << (v % 64)
		}
	}
}
