package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// columnRow is an edge with its columns.
type columnRow struct {
	src, dst int64
	weight   int64
	id       uint64
	i32      int32
	u32      uint32
	i64      int64
	u64      uint64
	f32      float32
	f64      float64
	kind     string // "": missing
}

var columnNames = []string{"i32", "u32", "i64", "u64", "f32", "f64", "kind"}

func randomRows(rng *rand.Rand, n, vertices int) []columnRow {
	rows := make([]columnRow, n)
	for i := range rows {
		rows[i] = columnRow{src: rng.Int64N(int64(vertices)), dst: rng.Int64N(int64(vertices)), weight: rng.Int64N(4) << 40, id: rng.Uint64N(50),
			i32: int32(rng.Uint32N(5)) - 2, u32: rng.Uint32N(5), i64: rng.Int64N(5) << 40, u64: rng.Uint64N(5) << 60,
			f32: float32(rng.Uint32N(4)), f64: float64(rng.Uint32N(4)) * 1e300, kind: strings.Repeat("k", rng.IntN(3)*3)}
		if rng.IntN(10) == 0 {
			rows[i].f32 = float32(math.NaN())
		}
	}
	return rows
}

// batchOf returns a batch of rows; first is the number of the first one.
func batchOf(rows []columnRow, numbers []uint64) Batch {
	b := Batch{Type: Int64, Rows: numbers, Columns: make([]Column, len(columnNames))}
	for i, name := range columnNames {
		b.Columns[i].Name = name
	}
	i32, u32, i64, u64, f32, f64 := []int32{}, []uint32{}, []int64{}, []uint64{}, []float32{}, []float64{}
	kinds, valid := Strings{Offsets: []int64{0}}, []bool{}
	for _, r := range rows {
		b.Src, b.Dst = append(b.Src, r.src), append(b.Dst, r.dst)
		b.IntWeights, b.EdgeIDs = append(b.IntWeights, r.weight), append(b.EdgeIDs, r.id)
		i32, u32, i64, u64 = append(i32, r.i32), append(u32, r.u32), append(i64, r.i64), append(u64, r.u64)
		f32, f64 = append(f32, r.f32), append(f64, r.f64)
		kinds.Data = append(kinds.Data, r.kind...)
		kinds.Offsets, valid = append(kinds.Offsets, int64(len(kinds.Data))), append(valid, r.kind != "")
	}
	for i, v := range []any{i32, u32, i64, u64, f32, f64, kinds} {
		b.Columns[i].Values = v
	}
	b.Columns[6].Valid = valid
	return b
}

// at returns an entry as a row without its ends.
func columnsAt(g *Graph, columns []Column, c *CSR, e uint64) columnRow {
	r := columnRow{i32: columns[0].Values.([]int32)[e], u32: columns[1].Values.([]uint32)[e], i64: columns[2].Values.([]int64)[e],
		u64: columns[3].Values.([]uint64)[e], f32: columns[4].Values.([]float32)[e], f64: columns[5].Values.([]float64)[e]}
	if code := columns[6].Values.([]uint32)[e]; code != NoCode {
		r.kind = string(columns[6].Dictionary.Value(int(code)))
	}
	if g.weighted() {
		r.weight = c.IntWeight(e)
	}
	if c.EdgeIDs != nil {
		r.id = c.EdgeIDs[e]
	}
	return r
}

// text makes rows comparable, NaN too.
func (r columnRow) text() string { return fmt.Sprint(r) }

// edgesOf returns the edges in a direction as text, sorted.
func edgesOf(t *testing.T, g *Graph, in bool) []string {
	t.Helper()
	c, columns := g.Out(), g.EdgeColumns()
	if in {
		c = g.In()
		for i := range columns {
			values, err := g.inColumn(context.Background(), &columns[i])
			if err != nil {
				t.Fatal(err)
			}
			columns[i].Values = values
		}
	}
	all := []string{}
	for v := range uint32(c.NumVertices()) {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			r := columnsAt(g, columns, c, e)
			if r.src, r.dst = g.IDs().Int(v), g.IDs().Int(c.Targets[e]); in {
				r.src, r.dst = r.dst, r.src
			}
			all = append(all, r.text())
		}
	}
	slices.Sort(all)
	return all
}

// better reports whether row a stays rather than row b; both are numbers of rows.
func (o Options) better(rows []columnRow, a, b int) bool {
	sign := 1.0
	if o.Merge == MergeGreatest {
		sign = -1
	}
	value := func(r columnRow) float64 {
		switch o.MergeBy {
		case "i32":
			return sign * float64(r.i32)
		case "u64":
			return sign * float64(r.u64)
		case "f32":
			if r.f32 != r.f32 {
				return math.Inf(1)
			}
			return sign * float64(r.f32)
		case "kind":
			if r.kind == "" {
				return math.Inf(1)
			}
			return sign * float64(len(r.kind))
		}
		return 0
	}
	x, y := value(rows[a]), value(rows[b])
	return x < y || x == y && a < b
}

// naiveEdges returns the edges that the graph should have.
func naiveEdges(rows []columnRow, o Options) []string {
	type pair struct{ u, v int64 }
	stays := map[pair]int{}
	all := []string{}
	add := func(i int) {
		r := rows[i]
		if !o.Weights {
			r.weight = 0
		}
		if !o.EdgeIDs {
			r.id = 0
		}
		all = append(all, r.text())
		if !o.Directed && r.src != r.dst {
			r.src, r.dst = r.dst, r.src
			all = append(all, r.text())
		}
	}
	for i, r := range rows {
		p := pair{r.src, r.dst}
		if !o.Directed {
			p = pair{min(r.src, r.dst), max(r.src, r.dst)}
		}
		if p.u == p.v && !o.KeepSelfLoops {
			continue
		}
		if o.KeepDuplicates {
			add(i)
		} else if k, ok := stays[p]; !ok || o.better(rows, i, k) {
			stays[p] = i
		}
	}
	for _, i := range stays {
		add(i)
	}
	slices.Sort(all)
	return all
}

// randomColumnOptions draws options for edges with columns.
func randomColumnOptions(rng *rand.Rand) Options {
	o := Options{EdgeColumns: columnNames, Directed: rng.IntN(2) == 0, KeepSelfLoops: rng.IntN(2) == 0, KeepDuplicates: rng.IntN(3) == 0,
		Weights: rng.IntN(2) == 0, EdgeIDs: rng.IntN(2) == 0, Order: Order(rng.IntN(3)), Workers: 1 + rng.IntN(3)}
	o.Reverse = o.Directed && rng.IntN(2) == 0
	if !o.KeepDuplicates {
		o.Merge = Merge(1 + rng.IntN(3))
		if o.Merge != MergeFirst {
			o.MergeBy = []string{"i32", "u64", "f32", "kind"}[rng.IntN(4)]
		}
	}
	return o
}

// withRows builds a graph of rows in batches that come in any order from several goroutines.
func withRows(t *testing.T, rng *rand.Rand, rows []columnRow, o Options) *Graph {
	t.Helper()
	b := NewBuilder(o)
	var batches []Batch
	first, gap := rng.Uint64N(1<<rng.IntN(50)), rng.Uint64N(1<<rng.IntN(50))
	for at := 0; at < len(rows); {
		n := min(1+rng.IntN(20), len(rows)-at)
		numbers := make([]uint64, n)
		for i := range numbers {
			numbers[i] = first + uint64(at+i)*3 + uint64(rng.IntN(3)) // some rows are left out
			if at+i > len(rows)/2 {                                   // and many
				numbers[i] += gap
			}
		}
		batches = append(batches, batchOf(rows[at:at+n], numbers))
		at += n
	}
	rng.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for i := w; i < len(batches); i += 3 {
				if err := b.Add(batches[i]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	return g
}

func sameEdges(t *testing.T, what string, g *Graph, want []string) {
	t.Helper()
	if got := edgesOf(t, g, false); !slices.Equal(got, want) {
		t.Fatalf("%s: out-edges\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if g.Directed() && g.HasReverse() {
		if got := edgesOf(t, g, true); !slices.Equal(got, want) {
			t.Fatalf("%s: in-edges\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestColumns compares the columns of random graphs with their rows, through building, another order, subgraphs,
// appending and removing.
func TestColumns(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(testlong.Rounds(50, 300)) {
		rng := rand.New(rand.NewPCG(seed, 45))
		o := randomColumnOptions(rng)
		rows := randomRows(rng, 1+rng.IntN(200), 2+rng.IntN(30))
		rows = append(rows, columnRow{src: 0, dst: 1, kind: "kkk"}) // an edge at least
		what := fmt.Sprintf("seed %d, %+v", seed, o)
		g := withRows(t, rng, rows, o)
		want := naiveEdges(rows, o)
		sameEdges(t, what, g, want)
		re, err := g.Reorder(ctx, ReorderOptions{Order: Order(1 + rng.IntN(2))})
		if err != nil {
			t.Fatal(err)
		}
		sameEdges(t, what+", reordered", re, want)

		var vs []uint32
		in := map[string]bool{}
		for v := range uint32(g.NumVertices()) {
			if rng.IntN(3) > 0 {
				vs = append(vs, v)
				in[fmt.Sprint(g.IDs().Int(v))] = true
			}
		}
		some, err := g.InducedSubgraph(vs)
		if err != nil {
			t.Fatal(err)
		}
		sameEdges(t, what+", induced", some, slices.DeleteFunc(slices.Clone(want), func(s string) bool {
			ends := strings.Fields(strings.Trim(s, "{}"))
			return !in[ends[0]] || !in[ends[1]]
		}))

		// Edges that only one of the graphs has.
		others := randomRows(rng, 1+rng.IntN(50), 30)
		for i := range others {
			others[i].src += 100
			others[i].kind = strings.Replace(others[i].kind, "kkk", "zz", 1)
		}
		more := withRows(t, rng, others, o)
		both, err := g.Append(ctx, more, AppendOptions{KeepDuplicates: o.KeepDuplicates})
		if err != nil {
			t.Fatal(err)
		}
		all := append(slices.Clone(want), naiveEdges(others, o)...)
		slices.Sort(all)
		sameEdges(t, what+", appended", both, all)
		less, err := both.RemoveEdges(ctx, more, AppendOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sameEdges(t, what+", removed", less, want)

		if !o.Weights { // weights that the graph doesn't have are lost
			with := o
			with.Weights = true
			heavy, err := g.Append(ctx, withRows(t, rng, others, with), AppendOptions{KeepDuplicates: o.KeepDuplicates})
			if err != nil {
				t.Fatal(err)
			}
			sameEdges(t, what+", appended with weights", heavy, all)
			if heavy.Out().Check() != nil || heavy.WeightType() != WeightsAuto {
				t.Fatalf("%s: weights that the graph doesn't have: %v", what, heavy.Out().Check())
			}
		}

		// An edge that both have stays as the first graph has it, where weights don't differ.
		if !o.Weights && !o.KeepDuplicates {
			again := slices.Clone(rows)
			for i := range again {
				again[i].i32 = 77
			}
			twice, err := g.Append(ctx, withRows(t, rng, again, o), AppendOptions{})
			if err != nil {
				t.Fatal(err)
			}
			sameEdges(t, what+", appended again", twice, want)
		}
	}
}

// TestColumnCodes looks codes up.
func TestColumnCodes(t *testing.T) {
	b := NewBuilder(Options{Directed: true, EdgeColumns: []string{"ts", "kind"}})
	for i, kind := range []string{"likes", "follows", "blocks"} {
		s := Strings{Offsets: []int64{0, int64(len(kind))}, Data: []byte(kind)}
		err := b.Add(Batch{Type: Int64, Src: []int64{0}, Dst: []int64{int64(i + 1)}, Columns: []Column{{Values: []int64{int64(i)}, Logical: "timestamp[us]"}, {Values: s}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if code, err := g.Code("kind", "follows"); err != nil || code != 1 {
		t.Errorf("code %d, %v; want 1", code, err)
	}
	ts, err := g.EdgeColumn("ts")
	if err != nil || ts.Logical != "timestamp[us]" || !slices.Equal(ts.Values.([]int64), []int64{0, 1, 2}) {
		t.Errorf("%+v, %v", ts, err)
	}
	for _, c := range []struct {
		column, value, want string
	}{
		{"kind", "folows", `did you mean "follows"?`},
		{"kin", "follows", `did you mean "kind"?`},
		{"ts", "follows", "no strings but values of type int64"},
		{"x", "follows", `the graph has "ts", "kind"`},
	} {
		if _, err := g.Code(c.column, c.value); !errors.Is(err, ErrNoColumn) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v; want %s", c.column, c.value, err, c.want)
		}
	}
}

// TestColumnErrors wants a clear error for options and batches that don't go together.
func TestColumnErrors(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Merge: MergeFirst}, "EdgeColumns is empty"},
		{Options{EdgeColumns: []string{"a", "a"}}, "there twice"},
		{Options{EdgeColumns: []string{""}}, "empty"},
		{Options{EdgeColumns: []string{"a"}, Merge: 9}, "want MergeRefused"},
		{Options{EdgeColumns: []string{"a"}, Merge: MergeLeast}, "want one of EdgeColumns"},
		{Options{EdgeColumns: []string{"a"}, Merge: MergeFirst, MergeBy: "a"}, "set MergeLeast"},
		{Options{EdgeColumns: []string{"a"}, Merge: MergeFirst, KeepDuplicates: true}, "leave out one"},
		{Options{EdgeColumns: []string{"a"}, Fold: map[string]Combine{"b": CombineSum}}, "want those of EdgeColumns"},
		{Options{EdgeColumns: []string{"a"}, Fold: map[string]Combine{"b": CombineSum}}, "want those of EdgeColumns"},
		{Options{EdgeColumns: []string{"a"}, Fold: map[string]Combine{"a": 9}}, "want CombineMin"},
		{Options{Fold: map[string]Combine{"a": CombineSum}}, "EdgeColumns is empty"},
		{Options{EdgeColumns: []string{"a"}, EdgeIDs: true, Weights: true, Combine: CombineFirst, Merge: MergeFirst}, "leave out Combine"},
		{Options{EdgeColumns: []string{"a"}, Fold: map[string]Combine{"a": CombineSum}, KeepDuplicates: true}, "leave out one"},
	} {
		if err := c.o.Check(); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v; want %s", c.o, err, c.want)
		}
	}
	edge := func(columns ...Column) Batch {
		return Batch{Type: Int64, Src: []int64{0}, Dst: []int64{1}, Columns: columns}
	}
	for _, c := range []struct {
		first, batch Batch
		want         string
	}{
		{Batch{}, edge(), "has 0 columns"},
		{Batch{}, edge(Column{Values: []int64{1, 2}}), "has 2 values, want 1"},
		{Batch{}, edge(Column{Values: []uint32{2}, Logical: "bool"}), "of booleans has 2 at entry 0; want 0 or 1"},
		{Batch{}, edge(Column{Values: []int16{1}}), "values of type []int16"},
		{Batch{}, edge(Column{Name: "b", Values: []int32{1}}), `Options.EdgeColumns has "a" there`},
		{Batch{}, edge(Column{Values: Strings{Offsets: []int64{0, 5}}}), "string offsets"},
		{Batch{}, edge(Column{Values: []int32{1}, Valid: []bool{true}}), "of Strings only"},
		{edge(Column{Values: []int32{1}}), edge(Column{Values: []int64{1}}), "is int64 in a batch and int32"},
		{edge(Column{Values: []int32{1}}), edge(Column{Values: []int32{1}, Logical: "date32"}), "int32 (date32)"},
	} {
		b := NewBuilder(Options{EdgeColumns: []string{"a"}})
		if c.first.Src != nil {
			if err := b.Add(c.first); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Add(c.batch); !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %s", err, c.want)
		}
	}
	b := NewBuilder(Options{EdgeColumns: []string{"a"}})
	if err := AddInts(b, []int64{1}, []int64{2}, nil); !errors.Is(err, ErrMalformed) {
		t.Errorf("edges without columns: %v", err)
	}
	for i := range 2 {
		if err := b.Add(edge(Column{Values: []int32{int32(i)}})); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Build(context.Background()); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), "several edges between 0 and 1") {
		t.Errorf("repeated edges: %v", err)
	}
	if _, err := TwoPass(context.Background(), Options{EdgeColumns: []string{"a"}}, nil); !errors.Is(err, ErrOptions) {
		t.Errorf("TwoPass: %v", err)
	}
	b = NewBuilder(Options{EdgeColumns: []string{"a"}, KeepDuplicates: true})
	for range 2 {
		x := edge(Column{Values: []int32{1}})
		x.Rows = []uint64{7}
		if err := b.Add(x); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Build(context.Background()); !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), "a row belongs to one edge") {
		t.Errorf("a row twice: %v", err)
	}
	b = NewBuilder(Options{EdgeColumns: []string{"a"}})
	if err := AddVertices(b, Source, []int64{1, 2}); err != nil {
		t.Fatal(err)
	}
	if g, err := b.Build(context.Background()); err != nil || len(g.EdgeColumns()) != 1 {
		t.Errorf("vertices alone: %v", err)
	}
}

// TestColumnCase prefers the exact name, and takes the only one that differs in case.
func TestColumnCase(t *testing.T) {
	g, err := FromCSR(CSR{Offsets: []uint64{0, 1, 1}, Targets: []uint32{1}}, CSROptions{Directed: true,
		EdgeColumns:   []Column{{Name: "Kind", Values: []int64{1}}, {Name: "ts", Values: []int64{2}}, {Name: "TS", Values: []int64{3}}},
		VertexColumns: []Column{{Name: "Age", Values: []int64{4, 5}}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"Kind": "Kind", "KIND": "Kind", "ts": "ts", "TS": "TS", "Ts": "", "age": "Age"} {
		c, err := g.EdgeColumn(name)
		if name == "age" {
			c, err = g.VertexColumn(name)
		}
		if c.Name != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, ErrNoColumn) {
			t.Errorf("%s: %q %v, want %q", name, c.Name, err, want)
		}
	}
}

// TestColumnsOfFewEdges appends to and removes from graphs without edges, and with other columns.
func TestColumnsOfFewEdges(t *testing.T) {
	ctx := context.Background()
	edges := func(values ...any) *Graph {
		t.Helper()
		b := NewBuilder(Options{Directed: true, EdgeColumns: []string{"kind"}})
		for i, v := range values {
			if err := b.Add(Batch{Type: Int64, Src: []int64{int64(i)}, Dst: []int64{int64(i + 1)}, Columns: []Column{{Values: v}}}); err != nil {
				t.Fatal(err)
			}
		}
		if len(values) == 0 {
			if err := AddVertices(b, Source, []int64{7, 8}); err != nil {
				t.Fatal(err)
			}
			if err := b.Add(Batch{}); err != nil { // an empty batch is no error
				t.Fatal(err)
			}
		}
		g, err := b.Build(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	word := func(s string) Strings { return Strings{Offsets: []int64{0, int64(len(s))}, Data: []byte(s)} }
	text := func(g *Graph) (all []string) {
		c, err := g.EdgeColumn("kind")
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range c.Values.([]uint32) {
			all = append(all, string(c.Dictionary.Value(int(code))))
		}
		return all
	}
	some, none, numbers := edges(word("b"), word("a")), edges(), edges([]int64{5})
	g, err := some.Append(ctx, none, AppendOptions{})
	if err != nil || !slices.Equal(text(g), []string{"b", "a"}) || g.NumVertices() != 5 {
		t.Errorf("vertices: %v", err)
	}
	if g, err = none.Append(ctx, some, AppendOptions{}); err != nil || !slices.Equal(text(g), []string{"b", "a"}) {
		t.Errorf("to vertices: %v", err)
	}
	if g, err = some.RemoveEdges(ctx, numbers, AppendOptions{}); err != nil || !slices.Equal(text(g), []string{"a"}) {
		t.Errorf("removed: %v", err)
	}
	if _, err := some.Append(ctx, numbers, AppendOptions{}); !errors.Is(err, ErrNoColumn) || !strings.Contains(err.Error(), "is string, and that of what is added int64") {
		t.Errorf("other types: %v", err)
	}
	if _, err := some.Append(ctx, edges(Strings{Offsets: []int64{0, 1}, Data: []byte("c"), Binary: true}), AppendOptions{}); !errors.Is(err, ErrNoColumn) {
		t.Errorf("binary: %v", err)
	}

	// Parallel edges of rows that don't ascend.
	out := CSR{Offsets: []uint64{0, 3, 3, 3}, Targets: []uint32{2, 1, 1}, Weights: []float32{1, 3, 1}}
	in := CSR{Offsets: []uint64{0, 0, 2, 3}, Targets: []uint32{0, 0, 0}, Weights: []float32{3, 1, 1}}
	base, err := FromCSR(out, CSROptions{Directed: true, In: &in, EdgeColumns: []Column{{Name: "c", Values: []int64{9, 30, 10}}}})
	if err != nil {
		t.Fatal(err)
	}
	b := NewBuilder(Options{Directed: true, Weights: true, Reverse: true, EdgeColumns: []string{"c"}})
	if err := b.Add(Batch{Type: Int64, Src: []int64{0}, Dst: []int64{2}, Weights: []float32{5}, Columns: []Column{{Values: []int64{50}}}}); err != nil {
		t.Fatal(err)
	}
	more, err := b.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	both, err := base.Append(ctx, more, AppendOptions{KeepDuplicates: true})
	if err != nil {
		t.Fatal(err)
	}
	columns := both.EdgeColumns()
	values, err := both.inColumn(ctx, &columns[0])
	if err != nil {
		t.Fatal(err)
	}
	want := map[float32][]int64{1: {9, 10}, 3: {30}, 5: {50}}
	for e, w := range both.In().Weights {
		if !slices.Contains(want[w], values.([]int64)[e]) {
			t.Errorf("in-edges of weights %v have %v", both.In().Weights, values)
		}
	}
	for e, w := range both.Out().Weights {
		if !slices.Contains(want[w], columns[0].Values.([]int64)[e]) {
			t.Errorf("out-edges of weights %v have %v", both.Out().Weights, columns[0].Values)
		}
	}
}

// TestColumnMemory wants an error before strings exceed the limit.
func TestColumnMemory(t *testing.T) {
	b := NewBuilder(Options{Directed: true, EdgeColumns: []string{"kind"}, MemoryLimit: 64 << 20})
	data := make([]byte, 1<<20)
	for i := range 200 {
		data[0], data[1] = byte(i), byte(i>>8)
		err := b.Add(Batch{Type: Int64, Src: []int64{int64(i)}, Dst: []int64{int64(i + 1)}, Columns: []Column{{Values: Strings{Offsets: []int64{0, 1 << 20}, Data: data}}}})
		if err != nil {
			if !errors.Is(err, errMemory) || i > 70 {
				t.Errorf("after %d strings: %v", i, err)
			}
			return
		}
	}
	t.Error("200 MB of strings within a limit of 64 MiB")
}

// TestColumnsOfNoEdge: a batch without edges sets the types of the columns of a graph of vertices alone.
func TestColumnsOfNoEdge(t *testing.T) {
	b := NewBuilder(Options{EdgeColumns: []string{"at", "kind"}})
	err := errors.Join(b.Add(Batch{Src: []int64{}, Dst: []int64{}, Columns: []Column{{Values: []int32{}, Logical: "date32"}, {Values: Strings{Binary: true}}}}),
		AddVertices(b, Source, []int64{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if c := g.EdgeColumns(); len(c) != 2 || c[0].typeName() != "int32 (date32)" || c[1].typeName() != "binary" || valuesLen(c[1].Values) != 0 {
		t.Errorf("%+v", c)
	}
	if _, err := g.Code("kind", "x"); !errors.Is(err, ErrNoColumn) {
		t.Error(err)
	}
}
