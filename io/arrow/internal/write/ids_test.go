// This file tests that results and edges carry the ids that came in: every form
// of id map, order and format against maps made of the edges as they were
// given, without a look at the graph's id map.

package write

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// skewedEdges makes edges between n names, the first of which isn't the one of
// the largest degree: a hub, a path that hangs off it, and two vertices apart.
func skewedEdges(rng *rand.Rand, n int) (src, dst []int) {
	shuffled := rng.Perm(n)
	add := func(u, v int) { src, dst = append(src, shuffled[u]), append(dst, shuffled[v]) }
	for v := 1; v < n/2; v++ {
		add(rng.IntN(v), v)
		add(0, v)
	}
	for v := n / 2; v < n-2; v++ {
		add(v-1, v)
	}
	add(n-2, n-1)
	return src, dst
}

// idForms has, for each form of id map, the ids of names 0 to n-1.
func idForms(n int) map[string]idForm {
	forms := map[string]idForm{}
	for _, typ := range idTypes {
		f := idForm{typ: typ}
		for i := range n {
			s := fmt.Sprintf("%c%d", 'a'+i*7%20, i)
			f.strings = append(f.strings, s)
			if typ == graph.Binary {
				s = fmt.Sprintf("%x", s)
			}
			f.text = append(f.text, s)
		}
		if !typ.Integer() {
			forms[typ.String()] = f
			continue
		}
		dense, spread := idForm{typ: typ}, idForm{typ: typ}
		for i := range n {
			dense.ints = append(dense.ints, int64(i))
			x := int64(i)*2 + 1
			if typ.Signed() {
				x -= 50
			}
			spread.ints = append(spread.ints, x)
			dense.text, spread.text = append(dense.text, strconv.Itoa(i)), append(spread.text, strconv.FormatInt(x, 10))
		}
		if typ == graph.Uint64 {
			spread.ints[n/3], spread.text[n/3] = -1, "18446744073709551615"
		}
		forms[typ.String()+" spread"] = spread
		forms[typ.String()+" from 0"] = dense
		dense.dense = true
		forms[typ.String()+" dense"] = dense
	}
	return forms
}

// idForm is what ids a graph has, by the names of its vertices.
type idForm struct {
	typ     graph.IDType
	dense   bool // and said to be
	ints    []int64
	strings []string
	text    []string // as a table has them
}

// build makes the graph of edges between names.
func (f *idForm) build(t *testing.T, src, dst []int, o graph.Options) *graph.Graph {
	t.Helper()
	o.DenseIDs = f.dense
	batch := graph.Batch{Type: f.typ}
	if f.ints == nil {
		var columns [2]graph.Strings
		for i, names := range [][]int{src, dst} {
			c := &columns[i]
			c.Binary, c.Offsets = f.typ == graph.Binary, []int64{0}
			for _, x := range names {
				c.Data = append(c.Data, f.strings[x]...)
				c.Offsets = append(c.Offsets, int64(len(c.Data)))
			}
		}
		batch.SrcStrings, batch.DstStrings = &columns[0], &columns[1]
	}
	for e := range src {
		if f.ints != nil {
			batch.Src, batch.Dst = append(batch.Src, f.ints[src[e]]), append(batch.Dst, f.ints[dst[e]])
		}
	}
	b := graph.NewBuilder(o)
	if err := b.Add(batch); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (f *idForm) vertex(g *graph.Graph, name int) (uint32, error) {
	if f.ints == nil {
		return g.VertexString(f.strings[name])
	}
	if f.typ == graph.Uint64 {
		return g.ParseVertex(strconv.FormatUint(uint64(f.ints[name]), 10))
	}
	return g.Vertex(f.ints[name])
}

// naiveDepths searches the edges by name.
func naiveDepths(n int, src, dst []int, directed bool, source int) []int {
	depths := slices.Repeat([]int{-1}, n)
	depths[source] = 0
	for changed := true; changed; {
		changed = false
		for e := range src {
			for _, arc := range [2][2]int{{src[e], dst[e]}, {dst[e], src[e]}} {
				u, v := arc[0], arc[1]
				if depths[u] >= 0 && (depths[v] < 0 || depths[v] > depths[u]+1) {
					depths[v], changed = depths[u]+1, true
				}
				if directed {
					break
				}
			}
		}
	}
	return depths
}

// internalResult searches the graph by its own numbers.
func internalResult(g *graph.Graph, source uint32) samples.TestResult {
	n := g.NumVertices()
	r := samples.TestResult{DepthList: slices.Repeat([]int32{-1}, n), ParentList: slices.Repeat([]uint32{graph.NoVertex}, n)}
	r.DepthList[source], r.ParentList[source] = 0, source
	for queue := []uint32{source}; len(queue) > 0; queue = queue[1:] {
		for _, v := range g.Out().Neighbors(queue[0]) {
			if r.DepthList[v] < 0 {
				r.DepthList[v], r.ParentList[v] = r.DepthList[queue[0]]+1, queue[0]
				queue = append(queue, v)
			}
		}
	}
	return r
}

func TestWriteEveryForm(t *testing.T) {
	testlong.Only(t)
	t.Parallel()
	const n = 60
	rng := rand.New(rand.NewPCG(41, 42))
	forms := idForms(n)
	for i, name := range slices.Sorted(maps.Keys(forms)) {
		f := forms[name]
		for j, order := range []graph.Order{graph.OrderAuto, graph.OrderGiven, graph.OrderDegree} {
			for k, directed := range []bool{false, true} {
				if (i+j+k)%2 == 1 && !testlong.Long() {
					continue
				}
				src, dst := skewedEdges(rng, n)
				g := f.build(t, src, dst, graph.Options{Order: order, Directed: directed})
				f.checkWritten(t, fmt.Sprintf("%s, order %v, directed %t", name, order, directed), g, src, dst)
			}
		}
	}
}

// checkWritten checks what is written of the graph of these edges.
func (f *idForm) checkWritten(t *testing.T, what string, g *graph.Graph, src, dst []int) {
	t.Helper()
	n := len(f.text)
	source := src[len(src)/3]
	v, err := f.vertex(g, source)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	result, depths := internalResult(g, v), naiveDepths(n, src, dst, g.Directed(), source)
	names := map[string]int{}
	for i, s := range f.text {
		names[s] = i
	}
	type pair [2]int
	edges := map[pair]bool{}
	for e := range src {
		u, v := src[e], dst[e]
		edges[pair{u, v}] = true
		if !g.Directed() {
			edges[pair{v, u}] = true
		}
	}
	ctx, dir := context.Background(), t.TempDir()
	for _, format := range []string{"parquet", "arrow", "arrows", "csv", "jsonl"} {
		path := filepath.Join(dir, "out."+format)
		for _, only := range []bool{false, true} {
			if err := WriteResult(ctx, path, g, result, WriteOptions{ReachedOnly: only}); err != nil {
				t.Fatalf("%s, %s: %v", what, format, err)
			}
			left := map[string]int{}
			for i, d := range depths {
				if d >= 0 || !only {
					left[f.text[i]] = d
				}
			}
			for _, row := range readBack(t, path).rows {
				d, ok := left[row[0]]
				delete(left, row[0])
				cell := strconv.Itoa(d)
				if d < 0 && format != "csv" {
					cell = samples.Null
				}
				if !ok || row[1] != cell {
					t.Fatalf("%s, %s: vertex %s at depth %s, want %s (there: %t)", what, format, row[0], row[1], cell, ok)
				}
				v := names[row[0]]
				u, ok := names[row[2]]
				if d > 0 && (!ok || depths[u] != d-1 || !edges[pair{u, v}]) || d == 0 && row[2] != row[0] ||
					d < 0 && row[2] != samples.Null && row[2] != "" {
					t.Fatalf("%s, %s: the parent of %s, at depth %d, is %s", what, format, row[0], d, row[2])
				}
			}
			if len(left) > 0 {
				t.Fatalf("%s, %s: no rows for %v", what, format, left)
			}
		}
		if err := WriteEdges(ctx, path, g, WriteOptions{}); err != nil {
			t.Fatalf("%s, %s: %v", what, format, err)
		}
		got := map[pair]bool{}
		for _, row := range readBack(t, path).rows {
			u, ok := names[row[0]]
			v, ok2 := names[row[1]]
			if !ok || !ok2 || !edges[pair{u, v}] || got[pair{u, v}] {
				t.Fatalf("%s, %s: edge %s to %s, which wasn't there, or twice", what, format, row[0], row[1])
			}
			got[pair{u, v}] = true
			if !g.Directed() {
				got[pair{v, u}] = true
			}
		}
		if len(got) != len(edges) {
			t.Fatalf("%s, %s: %d edges, want %d", what, format, len(got), len(edges))
		}
	}
}
