// This file holds the tests of the files of GBBS and PASGAL, and of written Matrix Market.

package edgelist

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// binBytes makes a .bin file, by the description of the layout.
func binBytes(rows [][]edge32) []byte {
	var offsets, targets []byte
	m := uint64(0)
	for _, row := range rows {
		offsets = binary.LittleEndian.AppendUint64(offsets, m)
		for _, e := range row {
			targets = binary.LittleEndian.AppendUint32(targets, e.v)
			m++
		}
	}
	offsets = binary.LittleEndian.AppendUint64(offsets, m)
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(rows)))
	b = binary.LittleEndian.AppendUint64(b, m)
	b = binary.LittleEndian.AppendUint64(b, uint64(24+len(offsets)+len(targets)))
	return slices.Concat(b, offsets, targets)
}

// adjText makes an .adj file, with a separator between words.
func adjText(rows [][]edge32, weights bool, sep string) string {
	head, m := "AdjacencyGraph", 0
	var offsets, targets, ws []string
	for _, row := range rows {
		offsets = append(offsets, fmt.Sprint(m))
		for _, e := range row {
			targets, ws = append(targets, fmt.Sprint(e.v)), append(ws, fmt.Sprint(e.w))
			m++
		}
	}
	words := []string{fmt.Sprint(len(rows)), fmt.Sprint(m)}
	words = slices.Concat(words, offsets, targets)
	if weights {
		head, words = "Weighted"+head, append(words, ws...)
	}
	return head + sep + strings.Join(words, sep) + sep
}

// TestGBBS loads random files as all options ask, and compares with loops over a list of edges.
func TestGBBS(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for i := range 400 {
		n, coin := 1+r.IntN(20), func() bool { return r.IntN(2) == 0 }
		in := naiveGraph(randomTriples(r, n), graph.Options{Directed: coin(), KeepDuplicates: true, KeepSelfLoops: true})
		o := Options{Graph: graph.Options{Directed: coin(), Reverse: coin(), KeepSelfLoops: coin(), KeepDuplicates: coin(),
			Combine: graph.Combine(r.IntN(3)), Order: graph.Order(r.IntN(3)), DenseIDs: coin()}, TwoPass: coin()}
		var path string
		weighted := false
		if i%2 == 0 {
			path = write(t, "x.bin", binBytes(rowsOf(in, n, nil)))
		} else {
			weighted = coin()
			o.Graph.Weights = weighted && coin()
			path = write(t, "x.adj", []byte(adjText(rowsOf(in, n, nil), weighted, []string{"\n", " ", "\r\n", "\n\n \t"}[r.IntN(4)])))
		}
		if !weighted {
			for i := range in {
				in[i].w = 0
			}
		}
		want := slices.Clone(in)
		if back := reversed(in); !o.Graph.Directed && slices.Equal(back, want) {
			want = naiveGraph(in, graph.Options{Directed: true, KeepSelfLoops: o.Graph.KeepSelfLoops, KeepDuplicates: o.Graph.KeepDuplicates, Combine: o.Graph.Combine})
		} else {
			want = naiveGraph(in, o.Graph)
		}
		if !o.Graph.Weights {
			for i := range want {
				want[i].w = 0
			}
		}
		g, err := Load(ctx, path, o)
		if err != nil {
			t.Fatalf("%+v: %v", o.Graph, err)
		}
		if got := triples(g.Out(), g.IDs()); !slices.Equal(got, want) || g.NumVertices() != n {
			t.Fatalf("%d: %+v, %d vertices: got %d, %v, want %v", i, o.Graph, n, g.NumVertices(), got, want)
		}
		if g.In() != nil && o.Graph.Directed {
			if got := triples(g.In(), g.IDs()); !slices.Equal(got, reversed(want)) {
				t.Fatalf("reverse of %+v: got %v", o.Graph, got)
			}
		}
	}
}

// TestGBBSWrite writes graphs, reads the files by the description of their layout, and loads them.
func TestGBBSWrite(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for i := range 300 {
		n, coin := 1+r.IntN(30), func() bool { return r.IntN(2) == 0 }
		if i == 0 {
			n = 20000 // more than is written or read at a time
		}
		o := graph.Options{Directed: coin(), KeepDuplicates: true, KeepSelfLoops: true, Weights: coin()}
		name := []string{"x.bin", "x.adj", "x.mtx", "x.bin.zst", "x.adj.gz", "x.mtx.gz"}[i%6]
		first := 0
		if strings.HasPrefix(name, "x.mtx") {
			first = 1
		}
		ids := &graph.IDs{Type: graph.Int64, Len: n}
		for _, x := range r.Perm(n) {
			ids.Ints = append(ids.Ints, int64(x+first))
		}
		g := graphOf(t, randomTriples(r, n), n, o, ids)
		w := WriteOptions{Weights: o.Weights && !strings.HasPrefix(name, "x.bin"), VertexNumbers: coin()}
		if g.NumDirectedEdges() == 0 {
			w.Weights = false
		}
		want := triples(g.Out(), g.IDs())
		if w.VertexNumbers {
			want = triples(g.Out(), &graph.IDs{Type: graph.Int64, Len: n})
			for i := range want {
				want[i].u, want[i].v = want[i].u+uint32(first), want[i].v+uint32(first)
			}
		}
		if !w.Weights {
			for i := range want {
				want[i].w = 0
			}
		}
		sortTriples(want)
		path := filepath.Join(t.TempDir(), name)
		if err := Write(ctx, path, g, w); err != nil {
			t.Fatal(err)
		}
		if raw, err := os.ReadFile(path); err != nil {
			t.Fatal(err)
		} else if name == "x.bin" && !bytes.Equal(raw, binBytes(rowsOf(want, n, nil))) {
			t.Fatal("the file has another layout")
		} else if name == "x.adj" && string(raw) != adjText(rowsOf(want, n, nil), w.Weights, "\n") {
			t.Fatalf("the file has another layout:\n%s", raw)
		}
		back, err := Load(ctx, path, Options{Graph: graph.Options{Directed: o.Directed, KeepDuplicates: true, KeepSelfLoops: true, Weights: w.Weights}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := triples(back.Out(), back.IDs()); !slices.Equal(got, want) || back.NumVertices() != n {
			t.Fatalf("%s, directed %v, weights %v: got %v, want %v", name, o.Directed, w.Weights, got, want)
		}
	}
	g := graphOf(t, []triple{{0, 1, 0}, {1, 2, 0}}, 3, graph.Options{}, &graph.IDs{Type: graph.Int64, Len: 3, Ints: []int64{1, 2, 7}})
	for name, o := range map[string]WriteOptions{"x.bin": {}, "x.adj": {}, "x.mtx": {}} {
		if err := Write(ctx, filepath.Join(t.TempDir(), name), g, o); !errors.Is(err, graph.ErrIDRange) || !strings.Contains(err.Error(), "VertexNumbers") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Write(ctx, filepath.Join(t.TempDir(), "x.bin"), g, WriteOptions{Weights: true}); !errors.Is(err, graph.ErrWeights) {
		t.Error(err)
	}
}

// TestGBBSDamage wants an error of the right kind for each of many damages, with and without a known length.
func TestGBBSDamage(t *testing.T) {
	rows := rowsOf([]triple{{0, 1, 5}, {0, 2, 6}, {1, 0, 5}, {2, 0, 6}}, 3, nil)
	bin := binBytes(rows)
	with := func(at int, x ...byte) []byte {
		b := slices.Clone(bin)
		copy(b[at:], x)
		return b
	}
	type damage struct {
		what, format string
		data         []byte
		is           error
	}
	cases := []damage{
		{"empty", "bin", nil, errTruncated},
		{"vertices", "bin", with(0, 4), errNoHead},
		{"huge vertices", "bin", with(7, 0xff), errNoHead},
		{"edges", "bin", with(8, 5), errNoHead},
		{"length", "bin", with(16, 5), errNoHead},
		{"first offset", "bin", with(24, 1), graph.ErrMalformed},
		{"descending offsets", "bin", with(32, 9), graph.ErrMalformed},
		{"target", "bin", with(24+32, 3), graph.ErrMalformed},
		{"more", "bin", append(slices.Clone(bin), 0), errNoHead},
		{"no vertices", "bin", binBytes(nil), graph.ErrEmpty},
		{"empty", "adj", nil, errTruncated},
		{"another head", "adj", []byte("EdgeArray\n0 1\n"), errNoHead},
		{"no numbers", "adj", []byte("AdjacencyGraph\n"), errTruncated},
		{"a word", "adj", []byte("AdjacencyGraph\n2\nx\n"), ErrSyntax},
		{"a sign", "adj", []byte("AdjacencyGraph\n2\n1\n0\n1\n-1\n"), ErrSyntax},
		{"past 64 bits", "adj", []byte("AdjacencyGraph\n2\n99999999999999999999999\n"), ErrSyntax},
		{"too many vertices", "adj", []byte("AdjacencyGraph\n9999999999\n1\n0 0"), nil},
		{"first offset", "adj", []byte("AdjacencyGraph\n2\n1\n1\n1\n1\n"), graph.ErrMalformed},
		{"descending offsets", "adj", []byte("AdjacencyGraph\n3\n2\n0\n2\n1\n1\n1\n"), graph.ErrMalformed},
		{"offset", "adj", []byte("AdjacencyGraph\n2\n1\n0\n2\n1\n"), graph.ErrMalformed},
		{"target", "adj", []byte("AdjacencyGraph\n2\n1\n0\n1\n2\n"), graph.ErrMalformed},
		{"weight", "adj", []byte("WeightedAdjacencyGraph\n2\n1\n0\n1\n1\nx\n"), ErrSyntax},
		{"more", "adj", []byte("AdjacencyGraph\n2\n1\n0\n1\n1\n7\n"), ErrDamaged},
		{"edges without a vertex", "adj", []byte("AdjacencyGraph\n0\n1\n0\n"), graph.ErrMalformed},
		{"no vertices", "adj", []byte("AdjacencyGraph\n0\n0\n"), graph.ErrEmpty},
	}
	for i := 1; i < len(bin); i++ {
		cases = append(cases, damage{fmt.Sprint("cut to ", i), "bin", bin[:i], errTruncated})
	}
	words := strings.Fields(adjText(rows, true, "\n"))
	for i := 1; i < len(words); i++ {
		cases = append(cases, damage{fmt.Sprint("cut to ", i), "adj", []byte(strings.Join(words[:i], "\n")), errTruncated})
	}
	for _, c := range cases {
		for _, known := range []bool{true, false} {
			var err error
			if known {
				_, err = Load(ctx, write(t, "x."+c.format, c.data), Options{})
			} else {
				err = Read(ctx, bytes.NewReader(c.data), Options{Format: c.format}, func(graph.Batch) error { return nil })
			}
			if err == nil || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%s, %s, of known length %v: got %v, want %v", c.format, c.what, known, err, c.is)
			} else if want := map[bool]string{true: "x." + c.format + ":", false: "input:"}[known]; !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v doesn't name the input", c.format, c.what, err)
			}
		}
	}
	for _, name := range []string{"x.bin", "x.adj"} {
		data := bin
		if name == "x.adj" {
			data = []byte(adjText(rows, false, "\n"))
		}
		if _, err := Load(ctx, write(t, name, data), Options{Graph: graph.Options{Weights: true}}); !errors.Is(err, graph.ErrWeights) {
			t.Errorf("%s without weights: %v", name, err)
		}
		if _, err := Load(ctx, write(t, name, data), Options{Graph: graph.Options{MemoryLimit: 40}}); !errors.Is(err, device.ErrMemory) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Load(ctx, write(t, name, data), Options{Graph: graph.Options{DenseIDs: true, Vertices: 4}}); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzGBBS(f *testing.F) {
	rows := [][]edge32{{{1, 5}, {2, 6}}, {{0, 5}}, {{0, 6}}, {}}
	f.Add(binBytes(rows), uint8(0))
	f.Add([]byte(adjText(rows, true, "\n")), uint8(1))
	f.Add([]byte(adjText(rows, false, " ")), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, x uint8) {
		o := Options{Format: formatNames[formatBIN+format(x&1)], Graph: graph.Options{Directed: x&2 > 0}, batch: 3}
		b := graph.NewBuilder(graph.Options{Directed: x&2 > 0})
		defer b.Close()
		if err := Read(ctx, bytes.NewReader(data), o, b.Add); err != nil {
			return
		}
		g, err := b.Build(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Out().Check(); err != nil {
			t.Fatal(err)
		}
	})
}
