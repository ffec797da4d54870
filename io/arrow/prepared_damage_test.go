// This file tests what becomes of prepared graphs that are damaged, of those
// made to do harm, and of writing that fails.

package arrow

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/atomicfile"
)

// smallStored returns small graphs of all kinds, with their files.
func smallStored(t testing.TB) (graphs []*graph.Graph, files [][]byte) {
	for i, c := range storedCases() {
		for form := range 3 {
			r := rand.New(rand.NewPCG(uint64(i), uint64(form)))
			g := c.build(t, r, graph.Options{Directed: form > 0, Reverse: form > 1, Weights: (i+form)%2 == 0, Order: graph.OrderDegree})
			if g == nil {
				continue
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
	var f *FileError
	if err != nil && (!errors.As(err, &f) || f.Path != path || !strings.HasPrefix(err.Error(), path) || strings.Contains(err.Error(), panicked)) {
		t.Fatalf("an error that doesn't say where: %v", err)
	}
	return g, err
}

// TestStoredFlipped changes single bytes all over the files.
func TestStoredFlipped(t *testing.T) {
	graphs, files := smallStored(t)
	path := filepath.Join(t.TempDir(), "g.foray")
	r := rand.New(rand.NewPCG(1, 2))
	good, bad := 0, 0
	for i, data := range files {
		step := 37
		if i == 0 && !testing.Short() {
			step = 1
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
	_, files := smallStored(t)
	path := filepath.Join(t.TempDir(), "g.foray")
	for i, data := range files {
		step := 41
		if i == 0 && !testing.Short() {
			step = 1
		}
		for n := 0; n < len(data); n += step {
			if _, err := openBytes(t, path, data[:n], OpenGraphOptions{Trust: n%2 == 0, Workers: 1}); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrFormat) {
				t.Fatalf("file %d, cut at %d of %d: %v", i, n, len(data), err)
			}
		}
		if _, err := openBytes(t, path, append(bytes.Clone(data), 0), OpenGraphOptions{}); !errors.Is(err, ErrDamaged) {
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
	w := storedWriter{ctx: context.Background(), out: stdout{&out}}
	if err := w.file(s); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestStoredForged: checksums are right, but values lead out of the graph, or
// columns don't fit. No search may see such a graph.
func TestStoredForged(t *testing.T) {
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
			if _, err := openBytes(t, path, data, OpenGraphOptions{}); !errors.Is(err, graph.ErrMalformed) && !errors.Is(err, ErrDamaged) {
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
				if c == nil || n%64 == 0 {
					return false
				}
				words := arrayOf[uint64](c.array("values").data)
				words[len(words)-1] ^= 1 << 63
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

func TestStoredVersions(t *testing.T) {
	graphs, files := smallStored(t)
	path := filepath.Join(t.TempDir(), "g.foray")
	replaced := func(old, with string) []byte {
		if len(old) != len(with) || bytes.Count(files[0], []byte(old)) != 2 { // schema and footer
			t.Fatalf("%q is there %d times", old, bytes.Count(files[0], []byte(old)))
		}
		return bytes.ReplaceAll(files[0], []byte(old), []byte(with))
	}
	version := func(v byte) []byte { // the value stands before the key or behind it
		data := bytes.Clone(files[0])
		found := 0
		for at := 0; ; at++ {
			i := bytes.Index(data[at:], []byte("\x01\x00\x00\x001\x00\x00\x00"))
			if i < 0 {
				break
			}
			at += i
			data[at+4] = v
			found++
		}
		if found < 2 {
			t.Fatalf("found %d versions", found)
		}
		return data
	}
	for name, c := range map[string]struct {
		data []byte
		want error
		text string
	}{
		"newer":       {version('2'), ErrUnsupported, "version 2"},
		"none":        {version('x'), ErrDamaged, "version"},
		"zero":        {version('0'), ErrDamaged, "version"},
		"byte order":  {replaced("little\x00", "bigbig\x00"), ErrUnsupported, "byte order"},
		"format":      {replaced("graph\x00", "grape\x00"), ErrFormat, "no prepared graph"},
		"parquet":     {[]byte("PAR1............PAR1"), ErrFormat, "Parquet"},
		"text":        {[]byte("1,2\n3,4\n5,6\n"), ErrFormat, "no prepared graph"},
		"empty":       {nil, ErrFormat, "empty"},
		"cut":         {files[0][:len(files[0])-100], ErrDamaged, "truncated"},
		"zeros at it": {append(bytes.Clone(files[0][:len(files[0])-400]), make([]byte, 400)...), ErrDamaged, "truncated"},
	} {
		_, err := openBytes(t, path, c.data, OpenGraphOptions{})
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
		is, err := IsGraph(path)
		if err != nil || is && c.want == ErrFormat {
			t.Errorf("%s: IsGraph is %v, %v", name, is, err)
		}
	}

	// Edges where a graph is wanted, and the reverse.
	edges := filepath.Join(t.TempDir(), "edges.arrow")
	if err := WriteEdges(context.Background(), edges, graphs[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenGraph(context.Background(), edges, OpenGraphOptions{}); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "Load makes a graph") {
		t.Error(err)
	}
	if is, err := IsGraph(edges); is || err != nil {
		t.Error(is, err)
	}
	writeTo(t, path, files[0])
	if _, err := Load(context.Background(), path, Options{}); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "OpenGraph opens it") {
		t.Error(err)
	}
	if _, err := OpenGraph(context.Background(), path, OpenGraphOptions{Workers: -1}); !errors.Is(err, graph.ErrOptions) {
		t.Error(err)
	}
	for _, open := range []func(string) error{
		func(p string) error { _, err := IsGraph(p); return err },
		func(p string) error { _, err := OpenGraph(context.Background(), p, OpenGraphOptions{}); return err },
	} {
		if err := open(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		if err := open(t.TempDir()); !errors.Is(err, ErrUnsupported) {
			t.Error(err)
		}
	}
}

// TestStoredCutWhileMapped: memory whose file is gone is an error, not the end.
func TestStoredCutWhileMapped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files aren't mapped there")
	}
	r := rand.New(rand.NewPCG(1, 1))
	path := writeStoredTo(t, buildInts(func(r *rand.Rand) int64 { return r.Int64N(999) })(t, r, graph.Options{}))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	data, release, err := mapFile(f, int(info.Size()))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	pass := storedPass{arrays: []*storedArray{{name: "it", data: data}}}
	if _, err := pass.run(context.Background()); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "can't be read") {
		t.Error(err)
	}
}

func TestStoredCancelled(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	g := buildInts(func(r *rand.Rand) int64 { return r.Int64N(999) })(t, r, graph.Options{})
	good := writeStoredTo(t, g)
	for _, o := range []OpenGraphOptions{{Workers: 1}, {Workers: 1, InMemory: true}} {
		for left := 0; ; left++ {
			got, err := OpenGraph(&countdown{context.Background(), left}, good, o)
			if err == nil {
				if left < 5 {
					t.Errorf("the context was asked %d times", left)
				}
				if err := got.Close(); err != nil {
					t.Error(err)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("after %d: %v", left, err)
			}
		}
	}
	for left := 0; ; left++ {
		dir := t.TempDir()
		path := filepath.Join(dir, "g.foray")
		err := WriteGraph(&countdown{context.Background(), left}, path, g, WriteGraphOptions{Workers: 1})
		if err == nil {
			if left < 10 {
				t.Errorf("the context was asked %d times", left)
			}
			break
		}
		var e *atomicfile.Error
		if !errors.Is(err, context.Canceled) || !errors.As(err, &e) || !strings.Contains(err.Error(), path) {
			t.Fatalf("after %d: %v", left, err)
		}
		unchanged(t, dir, path, "")
	}
}

func TestStoredFullDisk(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	g := buildStrings(true)(t, r, graph.Options{})
	data, err := os.ReadFile(writeStoredTo(t, g))
	if err != nil {
		t.Fatal(err)
	}
	for room := 0; room < len(data); room += 1 + len(data)/50 {
		for _, before := range []string{"", "what was there before"} {
			dir := t.TempDir()
			path := filepath.Join(dir, "g.foray")
			if before != "" {
				writeTo(t, path, []byte(before))
			}
			err := writeStored(context.Background(), path, g, WriteGraphOptions{}, func(ctx context.Context, s *writeSpec) (output, error) {
				out, err := openOutput(ctx, s)
				return &fullDisk{out, room}, err
			})
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "nothing half-written is left") {
				t.Fatalf("with room for %d of %d: %v", room, len(data), err)
			}
			unchanged(t, dir, path, before)
		}
	}
	err = WriteGraph(context.Background(), filepath.Join(t.TempDir(), "missing", "g.foray"), g, WriteGraphOptions{})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "make the directory") {
		t.Error(err)
	}
}

func TestStoredProgress(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	g := buildInts(func(r *rand.Rand) int32 { return int32(r.IntN(99)) })(t, r, graph.Options{})
	path := filepath.Join(t.TempDir(), "g.foray")
	for name, f := range map[string]func(report func(done, total uint64)) error{
		"write": func(report func(done, total uint64)) error {
			return WriteGraph(context.Background(), path, g, WriteGraphOptions{Progress: report})
		},
		"open": func(report func(done, total uint64)) error {
			_, err := OpenGraph(context.Background(), writeStoredTo(t, g), OpenGraphOptions{Progress: report})
			return err
		},
	} {
		var last, all uint64
		err := f(func(done, total uint64) {
			if done < last || done > total || all > 0 && total != all {
				t.Errorf("%s: %d of %d after %d of %d", name, done, total, last, all)
			}
			last, all = done, total
		})
		if err != nil || last == 0 || last != all {
			t.Errorf("%s: ended at %d of %d, %v", name, last, all, err)
		}
	}
}

// FuzzGraphFile opens what fuzzing makes of small files. What opens can be
// searched.
func FuzzGraphFile(f *testing.F) {
	_, files := smallStored(f)
	for _, data := range files {
		f.Add(data)
	}
	path := filepath.Join(f.TempDir(), "g.foray")
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, o := range []OpenGraphOptions{{Workers: 1}, {InMemory: true, Workers: 1}, {Trust: true}} {
			g, err := openBytes(t, path, data, o)
			if err != nil {
				continue
			}
			if !o.Trust {
				search(t, g)
			}
			if err := g.Close(); err != nil {
				t.Error(err)
			}
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 64*uint64(len(data))+(64<<20) {
			t.Errorf("%d bytes allocated for a file of %d", n, len(data))
		}
	})
}

// search searches a graph in all ways that use what is stored with it.
func search(t testing.TB, g *graph.Graph) {
	t.Helper()
	if g.NumVertices() == 0 {
		return
	}
	dev := host.New(1)
	defer dev.Close()
	p, err := g.On(dev)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Free()
	r, err := bfs.Run(context.Background(), p, 0, bfs.Options{Parents: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.ParseVertex(g.IDs().Format(uint32(g.NumVertices() - 1))); err != nil && !errors.Is(err, graph.ErrNoVertex) {
		t.Fatal(err)
	}
	r.Free()
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
