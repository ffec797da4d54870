// This file holds the tests of Append and RemoveEdges.

package graph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/text/logical"
)

// named is what a graph is by the external ids of its vertices: its vertices, and the entries of its rows.
type named struct {
	vertices []string
	entries  map[[2]string][]cell // by source and target; sorted
}

func nameOf(ids *IDs, v uint32) string { return ids.Format(v) }

func entriesOf(g *Graph, c *CSR, turned bool) map[[2]string][]cell {
	all := map[[2]string][]cell{}
	for v := range uint32(c.NumVertices()) {
		row := c.row(c.Offsets[v], c.Offsets[v+1])
		for i, t := range row.targets {
			e := cell{}
			if row.weights != nil {
				e.key = uint64(weightKey(row.weights[i]))
			}
			if row.ids != nil {
				e.id = row.ids[i]
			}
			key := [2]string{nameOf(g.ids, v), nameOf(g.ids, t)}
			if turned {
				key[0], key[1] = key[1], key[0]
			}
			all[key] = append(all[key], e)
		}
	}
	for _, list := range all {
		slices.SortFunc(list, func(a, b cell) int {
			if a.key != b.key {
				return int(int64(a.key) - int64(b.key))
			}
			if a.id < b.id {
				return -1
			}
			return 1
		})
	}
	return all
}

func namedOf(g *Graph) named {
	x := named{entries: entriesOf(g, g.out, false)}
	for v := range uint32(g.NumVertices()) {
		x.vertices = append(x.vertices, nameOf(g.ids, v))
	}
	slices.Sort(x.vertices)
	return x
}

func (x named) equal(y named) bool {
	return slices.Equal(x.vertices, y.vertices) && maps.EqualFunc(x.entries, y.entries, slices.Equal)
}

// part is edges for a Builder, with ids of a kind.
type part struct {
	src, dst []int64
	weights  []float32
	ids      []uint64
}

func randomPart(r *rand.Rand, n, edges int) (p part) {
	for range edges {
		p.src, p.dst = append(p.src, int64(r.IntN(n))), append(p.dst, int64(r.IntN(1+r.IntN(n))))
		p.weights, p.ids = append(p.weights, float32(r.IntN(4))-1), append(p.ids, r.Uint64N(5))
	}
	return p
}

// builtOf builds the graph of parts, whose ids are of a kind.
func builtOf(t *testing.T, o Options, kind int, parts ...part) *Graph {
	t.Helper()
	b := NewBuilder(o)
	for _, p := range parts {
		e := Batch{Type: Int64, Weights: p.weights, EdgeIDs: p.ids}
		src, dst := Strings{Offsets: []int64{0}}, Strings{Offsets: []int64{0}}
		for i := range p.src {
			u, v := p.src[i], p.dst[i]
			switch kind {
			case 1:
				u, v = u*3-20, v*3-20
			case 2:
				u, v = int64(uint64(u+1)*0x9e3779b97f4a7c15), int64(uint64(v+1)*0x9e3779b97f4a7c15)
			case 3:
				e.Type = Uint16
			case 4:
				src.Data = fmt.Appendf(src.Data, "n%d", u)
				dst.Data = fmt.Appendf(dst.Data, "n%d", v)
				src.Offsets, dst.Offsets = append(src.Offsets, int64(len(src.Data))), append(dst.Offsets, int64(len(dst.Data)))
				continue
			}
			e.Src, e.Dst = append(e.Src, u), append(e.Dst, v)
		}
		if kind == 4 {
			e.SrcStrings, e.DstStrings = &src, &dst
		}
		if err := b.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// checkNumbers reports vertices of the base that have another number, and lookups that fail.
func checkNumbers(t *testing.T, base, got *Graph) {
	t.Helper()
	for v := range uint32(base.NumVertices()) {
		if nameOf(base.ids, v) != nameOf(got.ids, v) {
			t.Fatalf("vertex %d is %s, was %s", v, nameOf(got.ids, v), nameOf(base.ids, v))
		}
	}
	for v := range uint32(got.NumVertices()) {
		w, ok := got.ids.FindInt(got.ids.Side(v), got.ids.Int(v))
		if !got.ids.Type.Integer() {
			w, ok = got.ids.FindBytes(got.ids.Side(v), got.ids.Bytes(v))
		}
		if !ok || w != v {
			t.Fatalf("%s is vertex %d, %v; want %d", nameOf(got.ids, v), w, ok, v)
		}
	}
	for _, c := range []*CSR{got.out, got.in} {
		if c != nil {
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !got.directed {
		if err := got.out.CheckSymmetric(); err != nil {
			t.Fatal(err)
		}
	}
	if got.directed && got.in != nil && !maps.EqualFunc(entriesOf(got, got.out, false), entriesOf(got, got.in, true), slices.Equal) {
		t.Fatal("the reverse isn't that of the graph")
	}
}

// TestAppendRandom: what is appended to a graph makes the graph of all edges, and what is taken away again
// leaves the vertices.
func TestAppendRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for i := range 600 {
		n := 1 + r.IntN(60)
		kind := r.IntN(5)
		o := Options{Directed: r.IntN(2) == 0, Reverse: r.IntN(2) == 0, KeepSelfLoops: r.IntN(2) == 0, KeepDuplicates: r.IntN(3) == 0,
			Order: Order(r.IntN(3)), Weights: r.IntN(2) == 0, EdgeIDs: r.IntN(3) == 0, Workers: 1 + r.IntN(3)}
		o.Bipartite = kind != 3 && r.IntN(5) == 0
		o.DenseIDs = kind == 0 && !o.Bipartite && r.IntN(2) == 0
		o.Combine = Combine(r.IntN(3))
		a, b := randomPart(r, n, 1+r.IntN(4*n)), randomPart(r, 1+r.IntN(2*n), 1+r.IntN(2*n))
		base, more, want := builtOf(t, o, kind, a), builtOf(t, o, kind, b), builtOf(t, o, kind, a, b)
		before := namedOf(base)
		got, err := base.Append(context.Background(), more, AppendOptions{KeepDuplicates: o.KeepDuplicates, Combine: o.Combine, Workers: o.Workers})
		if err != nil {
			t.Fatal(err)
		}
		checkNumbers(t, base, got)
		if x, y := namedOf(got), namedOf(want); !x.equal(y) {
			t.Fatalf("input %d, kind %d, %+v:\n%v\nwant\n%v", i, kind, o, x, y)
		}
		if s, w := got.Stats(), want.Stats(); s != w {
			t.Fatalf("input %d, kind %d, %+v: %+v, want %+v", i, kind, o, s, w)
		}
		if !namedOf(base).equal(before) {
			t.Fatal("the base has changed")
		}
		less, err := got.RemoveEdges(context.Background(), more, AppendOptions{Workers: o.Workers})
		if err != nil {
			t.Fatal(err)
		}
		checkNumbers(t, got, less)
		if less.Stats() != got.Stats() {
			t.Fatalf("input %d: without: %+v, want those before, %+v", i, less.Stats(), got.Stats())
		}
		left := namedOf(got)
		for e := range namedOf(more).entries {
			delete(left.entries, e)
		}
		if !namedOf(less).equal(left) {
			t.Fatalf("input %d, kind %d, %+v: without\n%v\nwant\n%v", i, kind, o, namedOf(less), left)
		}
	}
}

// TestAppendUnsorted: the rows of a graph that was made of parts may be in any order.
func TestAppendUnsorted(t *testing.T) {
	base, err := FromCSR(CSR{Offsets: []uint64{0, 3, 3, 3}, Targets: []uint32{2, 0, 1}}, CSROptions{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	more := builtOf(t, Options{Directed: true}, 0, part{src: []int64{0, 0, 4}, dst: []int64{1, 4, 0}})
	got, err := base.Append(context.Background(), more, AppendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint32{0, 1, 2, 3, 0}; !slices.Equal(got.out.Targets, want) || got.NumVertices() != 4 || got.ids.Int(3) != 4 {
		t.Errorf("%v, want %v; %d vertices", got.out.Targets, want, got.NumVertices())
	}
}

// TestAppendRefused: graphs that don't go together.
func TestAppendRefused(t *testing.T) {
	one := part{src: []int64{1}, dst: []int64{2}, weights: []float32{1}, ids: []uint64{7}}
	big := part{src: []int64{70000}, dst: []int64{2}}
	plain := func(p part) part { return part{src: p.src, dst: p.dst} }
	base := builtOf(t, Options{}, 0, one)
	for name, x := range map[string]struct {
		base, more *Graph
		o          AppendOptions
		want       error
	}{
		"nil":        {base, nil, AppendOptions{}, ErrNoGraph},
		"directed":   {base, builtOf(t, Options{Directed: true}, 0, one), AppendOptions{}, ErrOptions},
		"strings":    {base, builtOf(t, Options{}, 4, one), AppendOptions{}, ErrIDType},
		"weights":    {builtOf(t, Options{Weights: true}, 0, one), builtOf(t, Options{}, 0, plain(one)), AppendOptions{}, ErrNoWeights},
		"edge ids":   {builtOf(t, Options{EdgeIDs: true}, 0, one), builtOf(t, Options{}, 0, plain(one)), AppendOptions{}, errNoEdgeIDs},
		"range":      {builtOf(t, Options{}, 3, one), builtOf(t, Options{}, 0, big), AppendOptions{}, ErrIDRange},
		"workers":    {base, base, AppendOptions{Workers: -1}, ErrOptions},
		"sides":      {base, builtOf(t, Options{Bipartite: true}, 0, one), AppendOptions{}, ErrIDType},
		"itself":     {base, base, AppendOptions{}, nil},
		"other type": {base, builtOf(t, Options{}, 3, one), AppendOptions{}, nil},
	} {
		if _, err := x.base.Append(context.Background(), x.more, x.o); !errors.Is(err, x.want) {
			t.Errorf("%s: %v, want %v", name, err, x.want)
		}
	}
	for _, change := range []func(context.Context, *Graph, AppendOptions) (*Graph, error){base.Append, base.RemoveEdges} {
		if _, err := change(context.Background(), base, AppendOptions{Workers: -2}); err == nil || !strings.Contains(err.Error(), ": AppendOptions.Workers is -2; want at least 1, or 0") {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := base.Append(ctx, base, AppendOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	unsigned := builtOf(t, Options{}, 3, one)
	for id, ok := range map[int64]bool{65535: true, 65536: false, -1: false, 0: true, math.MinInt64: false} {
		more := builtOf(t, Options{}, 0, part{src: []int64{id}, dst: []int64{1}})
		if _, err := unsigned.Append(context.Background(), more, AppendOptions{}); (err == nil) != ok || err != nil && !errors.Is(err, ErrIDRange) {
			t.Errorf("id %d: %v", id, err)
		}
	}
}

// TestAppendKinds: what is added, or taken away, may have some of the graph's kinds alone.
func TestAppendKinds(t *testing.T) {
	built := func(name string, pairs ...string) *Graph {
		t.Helper()
		form, err := logical.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		e := Batch{Type: Binary, Logical: name, SrcStrings: &Strings{Offsets: []int64{0}, Binary: true}, DstStrings: &Strings{Offsets: []int64{0}, Binary: true}}
		for i, id := range pairs {
			key, err := form.ParseBytes(id)
			if err != nil {
				t.Fatal(err)
			}
			s := e.SrcStrings
			if i%2 > 0 {
				s = e.DstStrings
			}
			s.Data = append(s.Data, key...)
			s.Offsets = append(s.Offsets, int64(len(s.Data)))
		}
		b := NewBuilder(Options{Directed: true, Order: OrderGiven})
		if err := b.Add(e); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	edges := func(g *Graph) (all []string) {
		for v := range uint32(g.NumVertices()) {
			for _, w := range g.Out().Neighbors(v) {
				all = append(all, g.IDs().Format(v)+" "+g.IDs().Format(w))
			}
		}
		slices.Sort(all)
		return all
	}
	const all = "kinds(item:string,tag:int32,user:int64)"
	base := built(all, "user:1", "item:a", "user:2", "item:b", "user:1", "tag:7", "user:1", "user:2")
	users := built("kinds(user:int64)", "user:3", "user:1", "user:1", "user:2")
	for name, more := range map[string]*Graph{"users": users, "all of the kinds": built(all, "user:3", "user:1", "user:1", "user:2")} {
		got, err := base.Append(context.Background(), more, AppendOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		checkNumbers(t, base, got)
		if want := []string{"user:1 item:a", "user:1 tag:7", "user:1 user:2", "user:2 item:b", "user:3 user:1"}; !slices.Equal(edges(got), want) || got.ids.Logical != all {
			t.Errorf("%s: %v of %s, want %v", name, edges(got), got.ids.Logical, want)
		}
		if got, err = base.RemoveEdges(context.Background(), more, AppendOptions{}); err != nil || len(edges(got)) != 3 {
			t.Errorf("%s: without: %v, %v", name, edges(got), err)
		}
	}
	if v, err := users.ParseVertex("user:3"); err != nil || users.IDs().Format(v) != "user:3" {
		t.Error("what was added has changed", err)
	}
	// A kind that no vertex has doesn't count; others do, and so do their types.
	if _, err := base.Append(context.Background(), built("kinds(bot:string,user:int64)", "user:3", "user:1"), AppendOptions{}); err != nil {
		t.Error(err)
	}
	for _, more := range []*Graph{built("kinds(bot:string,user:int64)", "user:3", "bot:x"), built("kinds(user:int32)", "user:3", "user:1")} {
		if _, err := base.Append(context.Background(), more, AppendOptions{}); !errors.Is(err, ErrIDType) || !strings.Contains(err.Error(), "each kind of the added or removed vertices must be a kind of the graph") {
			t.Error(err)
		}
	}
}
