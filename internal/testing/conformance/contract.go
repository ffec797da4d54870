// This file tests quotient graphs, against naive loops and those that the host makes.

package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/examples/louvain"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/traverse"
)

// Contract contracts random graphs on the device: a naive loop and the host find the same quotient graphs, entry
// for entry. Nothing is left on the device.
func (s Suite) Contract(t *testing.T) {
	defer func(edges, bytes uint64, wide bool) {
		tuning.DeviceEdges, tuning.PartBytes, tuning.WideOffsets = edges, bytes, wide
	}(tuning.DeviceEdges, tuning.PartBytes, tuning.WideOffsets)
	tuning.DeviceEdges = 0
	plain, used := tuning.PartBytes, s.used()
	before := used()
	t.Run("random", func(t *testing.T) {
		r := rand.New(rand.NewPCG(testlong.Seed(131), 1))
		there := 0
		for i := range testlong.Rounds(s.times(400, 60), s.times(4000, 60)) {
			tuning.PartBytes, tuning.WideOffsets = plain, r.IntN(3) == 0
			if r.IntN(2) == 0 {
				tuning.PartBytes = 1 << r.IntN(12)
			}
			if s.contractRandom(t, r, i) {
				there++
			}
			if t.Failed() {
				t.Fatalf("graph %d", i)
			}
			if left := used(); left != before {
				t.Fatalf("graph %d: %d bytes are left", i, left-before)
			}
		}
		if s.GPU && there < 10 {
			t.Errorf("the GPU contracted %d graphs", there)
		}
	})
	tuning.PartBytes, tuning.WideOffsets = plain, false
	t.Run("canceled", s.contractCanceled)
	t.Run("misused", s.contractMisused)
	t.Run("in turn", s.contractInTurn)
	if d, ok := s.Device.(*gpu.Device); ok {
		t.Run("failing", func(t *testing.T) { s.contractFailing(t, d.Context().FailAlloc) })
		t.Run("without memory", s.contractWithoutMemory)
	}
	if left := used(); left != before {
		t.Errorf("%d bytes are left", left-before)
	}
}

// contracting is a graph, with labels and options.
type contracting struct {
	g      *graph.Graph
	labels []uint32
	o      graph.Options
}

var contractColumns = []string{"i32", "kind", "i64", "u32", "u64", "f32", "f64"}

// randomContracting has columns sometimes, weights of each type, hubs, and labels with gaps.
func randomContracting(t *testing.T, r *rand.Rand, i int) *contracting {
	t.Helper()
	n := 2 + r.IntN(1+[]int{5, 60, 700}[r.IntN(3)])
	in := graph.Options{Directed: r.IntN(2) == 0, Reverse: r.IntN(2) == 0, KeepSelfLoops: r.IntN(2) == 0, KeepDuplicates: true, Order: graph.Order(r.IntN(3)),
		Weights: r.IntN(3) > 0, EdgeIDs: r.IntN(3) == 0, WeightType: []graph.WeightType{graph.WeightsAuto, graph.WeightsFloat32}[r.IntN(2)]}
	if r.IntN(2) == 0 {
		in.EdgeColumns = contractColumns
	}
	e := graph.Batch{Type: graph.Int64}
	add := func(u, v int) { e.Src, e.Dst = append(e.Src, int64(u)), append(e.Dst, int64(v)) }
	add(0, n-1)
	for range r.IntN(6 * n) {
		add(r.IntN(n), r.IntN(n))
	}
	if i%8 == 3 { // parallel edges by the thousand
		for range 6000 {
			add(r.IntN(3), r.IntN(n))
		}
	}
	m := len(e.Src)
	weight := r.IntN(4)
	var i32, u32 = make([]int32, m), make([]uint32, m)
	var i64, u64 = make([]int64, m), make([]uint64, m)
	var f32, f64 = make([]float32, m), make([]float64, m)
	kinds := graph.Strings{Offsets: []int64{0}}
	for k := range m {
		switch {
		case !in.Weights:
		case weight == 0:
			e.IntWeights = append(e.IntWeights, r.Int64N(9)-4)
		case weight == 1: // of which sums have more than 24 bits
			e.IntWeights = append(e.IntWeights, 1<<24-r.Int64N(3))
		case weight == 2:
			e.FloatWeights = append(e.FloatWeights, float64(r.IntN(64))/4-3)
		default:
			e.Weights = append(e.Weights, oddWeights[r.IntN(len(oddWeights))], r.Float32())[:k+1]
		}
		if in.EdgeIDs {
			e.EdgeIDs = append(e.EdgeIDs, r.Uint64N(1<<(1+r.IntN(40))))
		}
		i32[k], u32[k], i64[k], u64[k] = int32(r.Uint32N(1000))-500, r.Uint32N(9), r.Int64()>>20, r.Uint64N(1<<30)
		f32[k], f64[k] = oddWeights[r.IntN(6)], r.NormFloat64()
		kinds.Data = append(kinds.Data, "abcd"[r.IntN(4)])
		kinds.Offsets = append(kinds.Offsets, int64(k+1))
	}
	if len(in.EdgeColumns) > 0 {
		for _, values := range []any{i32, kinds, i64, u32, u64, f32, f64} {
			e.Columns = append(e.Columns, graph.Column{Values: values})
		}
	}
	b := graph.NewBuilder(in)
	if err := b.Add(e); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &contracting{g: g, labels: make([]uint32, g.NumVertices())}
	some, scale := 1+r.Uint32N(uint32(n)), []uint32{1, 1000, 1 << 21}[r.IntN(3)]
	for v := range c.labels {
		if c.labels[v] = r.Uint32N(some) * scale; r.IntN(10) == 0 {
			c.labels[v] = graph.NoVertex
		}
	}
	c.labels[0] = 0
	c.o = graph.Options{Weights: r.IntN(3) > 0, EdgeIDs: r.IntN(3) == 0, KeepSelfLoops: r.IntN(2) == 0, KeepDuplicates: r.IntN(5) == 0, Reverse: r.IntN(2) == 0,
		Order: graph.Order(r.IntN(3)), Workers: 1 + r.IntN(3), Combine: graph.Combine(r.IntN(4))}
	if c.o.Combine == graph.CombineFirst {
		c.o.EdgeIDs = true
	}
	if len(in.EdgeColumns) > 0 && r.IntN(3) > 0 {
		if c.foldColumns(r); c.o.Combine == graph.CombineFirst { // Merge chooses
			c.o.Combine = graph.CombineMin
		}
	}
	return c
}

// foldColumns chooses columns, and what becomes of them.
func (c *contracting) foldColumns(r *rand.Rand) {
	for _, i := range r.Perm(len(contractColumns))[:1+r.IntN(len(contractColumns))] {
		c.o.EdgeColumns = append(c.o.EdgeColumns, contractColumns[i])
	}
	if c.o.KeepDuplicates {
		return
	}
	c.o.Merge, c.o.Fold = graph.MergeFirst, map[string]graph.Combine{}
	if c.o.Merge = graph.Merge(1 + r.IntN(3)); c.o.Merge != graph.MergeFirst {
		c.o.MergeBy = c.o.EdgeColumns[r.IntN(len(c.o.EdgeColumns))]
	}
	for _, name := range c.o.EdgeColumns {
		switch {
		case r.IntN(3) == 0:
		case name == "kind":
			c.o.Fold[name] = graph.CombineFirst
		default:
			c.o.Fold[name] = graph.Combine(r.IntN(4))
		}
	}
	if len(c.o.Fold) == len(c.o.EdgeColumns) && c.o.MergeBy == "" {
		c.o.Merge = graph.MergeRefused
	}
}

// contractRandom reports whether the device made the rows.
func (s Suite) contractRandom(t *testing.T, r *rand.Rand, i int) bool {
	t.Helper()
	c := randomContracting(t, r, i)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%+v: %v", c.o, err)
		}
	}
	want, err := c.g.Contract(t.Context(), c.labels, c.o)
	must(err)
	must(c.naive(want))
	p, err := c.g.On(s.Device)
	must(err)
	labels := device.Wrap(c.labels)
	if r.IntN(2) == 0 {
		labels, err = device.NewBuffer[uint32](s.Device, len(c.labels))
		must(err)
		must(labels.Write(s.Device, 0, c.labels))
	}
	got, err := p.Contract(t.Context(), labels, c.o)
	must(err)
	must(labels.Close())
	if got.Order() != want.Order() || got.Directed() != want.Directed() || got.NumVertices() != want.NumVertices() || got.WeightType() != want.WeightType() {
		t.Errorf("%+v: a graph of other form: %v, want %v", c.o, got.Order(), want.Order())
	}
	there := got.Stats().Device != ""
	gotStats := got.Stats()
	gotStats.Device, gotStats.WhyHost = "", ""
	if gotStats != want.Stats() {
		t.Errorf("%+v: %+v, want %+v", c.o, gotStats, want.Stats())
	}
	if s.GPU && r.IntN(2) == 0 { // its rows are there
		q, err := got.On(s.Device)
		must(err)
		defer func() { must(q.Close()) }()
	}
	if !sameRows(got.Out(), want.Out()) || !sameRows(got.In(), want.In()) {
		t.Errorf("%+v: on the device rows differ: %v", c.o, got.Stats())
	}
	for v := range uint32(want.NumVertices()) {
		if a, b := got.IDs().Int(v), want.IDs().Int(v); a != b {
			t.Fatalf("%+v: vertex %d is label %d, want %d", c.o, v, a, b)
		}
	}
	a, err := got.Checksum(t.Context())
	must(err)
	b, err := want.Checksum(t.Context())
	must(err)
	if a != b {
		t.Errorf("%+v: checksums differ", c.o)
	}
	must(p.Close())
	must(got.Close())
	return there
}

// merged is an edge of a quotient graph: a weight, an id, and the values of columns.
type merged struct {
	weight  float64
	id      uint64
	columns string
}

// naive compares a quotient graph with one of a loop over all edges.
func (c *contracting) naive(to *graph.Graph) error {
	type pair struct{ from, to uint32 }
	all := map[pair][]uint64{}
	out := c.g.Out()
	used := map[uint32]bool{}
	for v, l := range c.labels {
		if l == graph.NoVertex {
			continue
		}
		used[l] = true
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			w := out.Targets[e]
			k := c.labels[w]
			if k == graph.NoVertex || k == l && !c.o.KeepSelfLoops || !c.g.Directed() && w < uint32(v) {
				continue
			}
			p := pair{l, k}
			if !c.g.Directed() {
				p = pair{min(l, k), max(l, k)}
			}
			all[p] = append(all[p], e)
		}
	}
	want := map[pair][]merged{}
	for p, entries := range all {
		edges, err := c.merge(entries)
		if err != nil {
			return err
		}
		want[p] = edges
		if q := (pair{p.to, p.from}); !c.g.Directed() && q != p {
			want[q] = edges
		}
	}
	got := map[pair][]merged{}
	rows := to.Out()
	for v := range uint32(to.NumVertices()) {
		l := uint32(to.IDs().Int(v))
		if !used[l] {
			return fmt.Errorf("a vertex of label %d", l)
		}
		for e := rows.Offsets[v]; e < rows.Offsets[v+1]; e++ {
			p := pair{l, uint32(to.IDs().Int(rows.Targets[e]))}
			m := merged{}
			if c.o.Weights {
				m.weight = rows.FloatWeight(e)
			}
			if c.o.EdgeIDs {
				m.id = rows.EdgeIDs[e]
			}
			for _, name := range c.o.EdgeColumns {
				col, err := to.EdgeColumn(name)
				if err != nil {
					return err
				}
				m.columns += formatValue(&col, e) + " "
			}
			got[p] = append(got[p], m)
		}
	}
	if len(got) != len(want) || to.NumVertices() != len(used) {
		return fmt.Errorf("%d pairs of %d labels, want %d of %d", len(got), to.NumVertices(), len(want), len(used))
	}
	for p, edges := range want {
		for _, list := range [][]merged{edges, got[p]} {
			slices.SortFunc(list, func(a, b merged) int {
				return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(a.id, b.id), strings.Compare(a.columns, b.columns))
			})
		}
		same := func(a, b merged) bool {
			return (a.weight == b.weight || a.weight != a.weight && b.weight != b.weight) && a.id == b.id && a.columns == b.columns
		}
		if !slices.EqualFunc(edges, got[p], same) {
			return fmt.Errorf("from %d to %d: %v, want %v", p.from, p.to, got[p], edges)
		}
	}
	return nil
}

func formatValue(c *graph.Column, e uint64) string {
	switch a := c.Values.(type) {
	case []int32:
		return fmt.Sprint(a[e])
	case []int64:
		return fmt.Sprint(a[e])
	case []uint64:
		return fmt.Sprint(a[e])
	case []float32:
		return fmt.Sprint(a[e])
	case []float64:
		return fmt.Sprint(a[e])
	}
	code := c.Values.([]uint32)[e]
	if c.Dictionary == nil {
		return fmt.Sprint(code)
	}
	return string(c.Dictionary.Value(int(code)))
}

// merge returns the edges that the entries of a pair of labels become.
func (c *contracting) merge(entries []uint64) (edges []merged, err error) {
	out := c.g.Out()
	weight := func(e uint64) float64 {
		if c.g.WeightType() == graph.WeightsAuto {
			return 1
		}
		return out.FloatWeight(e)
	}
	id := func(e uint64) uint64 {
		if out.EdgeIDs != nil {
			return out.EdgeIDs[e]
		}
		return e
	}
	columns := make([]graph.Column, len(c.o.EdgeColumns))
	for i, name := range c.o.EdgeColumns {
		if columns[i], err = c.g.EdgeColumn(name); err != nil {
			return nil, err
		}
	}
	of := func(e uint64) (m merged) {
		if c.o.Weights {
			m.weight = weight(e)
		}
		if c.o.EdgeIDs {
			m.id = id(e)
		}
		return m
	}
	if c.o.KeepDuplicates {
		for _, e := range entries {
			m := of(e)
			for i := range columns {
				m.columns += formatValue(&columns[i], e) + " "
			}
			edges = append(edges, m)
		}
		return edges, nil
	}
	less := func(a, b uint64) int { // by weight, and by id
		x, y := weight(a), weight(b)
		if x != x || y != y {
			return cmp.Or(-cmp.Compare(x, y), cmp.Compare(id(a), id(b))) // NaN is the largest
		}
		return cmp.Or(cmp.Compare(x, y), -cmp.Compare(b2i(math.Signbit(x)), b2i(math.Signbit(y))), cmp.Compare(id(a), id(b)))
	}
	first := slices.Min(entries)
	byWeight := slices.SortedFunc(slices.Values(entries), less)
	stays := byWeight[0]
	if !c.o.Weights {
		stays = slices.MinFunc(entries, func(a, b uint64) int { return cmp.Compare(id(a), id(b)) })
	}
	if len(columns) > 0 {
		stays = first
		for i := range columns {
			if columns[i].Name == c.o.MergeBy {
				stays = slices.MinFunc(slices.Sorted(slices.Values(entries)), func(a, b uint64) int {
					d := compareValues(&columns[i], a, b)
					if c.o.Merge == graph.MergeGreatest {
						d = -d
					}
					return d
				})
			}
		}
	}
	m := of(stays)
	if c.o.Weights {
		last := byWeight[len(byWeight)-1]
		switch k := stays; c.o.Combine {
		case graph.CombineMax:
			for _, e := range byWeight { // the least id of the largest weight
				if w, most := weight(e), weight(last); w == most && math.Signbit(w) == math.Signbit(most) || w != w && most != most {
					k = e
					break
				}
			}
			m.weight = weight(k)
			if len(columns) == 0 && c.o.EdgeIDs {
				m.id = id(k)
			}
		case graph.CombineFirst:
			k = slices.MinFunc(byWeight, func(a, b uint64) int {
				if len(columns) > 0 {
					return cmp.Compare(a, b)
				}
				return cmp.Compare(id(a), id(b))
			})
			m.weight = weight(k)
			if len(columns) == 0 {
				m.id = id(k)
			}
		case graph.CombineSum:
			sum := 0.0
			for i, e := range byWeight {
				if sum += weight(e); i == 0 {
					sum = weight(e)
				}
				if len(columns) == 0 && c.o.EdgeIDs {
					m.id = min(m.id, id(e))
				}
			}
			if m.weight = sum; c.g.WeightType() == graph.WeightsFloat32 {
				m.weight = float64(float32(sum))
			}
		}
	}
	for i := range columns {
		by, folds := c.o.Fold[columns[i].Name]
		m.columns += c.folded(&columns[i], entries, stays, first, by, folds) + " "
	}
	return []merged{m}, nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func compareValues(c *graph.Column, a, b uint64) int {
	switch x := c.Values.(type) {
	case []int32:
		return cmp.Compare(x[a], x[b])
	case []uint32:
		return cmp.Compare(x[a], x[b])
	case []int64:
		return cmp.Compare(x[a], x[b])
	case []uint64:
		return cmp.Compare(x[a], x[b])
	case []float32:
		return cmp.Compare(x[a], x[b])
	}
	x := c.Values.([]float64)
	return cmp.Compare(x[a], x[b])
}

// folded returns what a column has for an edge.
func (c *contracting) folded(col *graph.Column, entries []uint64, stays, first uint64, by graph.Combine, folds bool) string {
	switch {
	case !folds:
		return formatValue(col, stays)
	case by == graph.CombineFirst:
		return formatValue(col, first)
	}
	switch a := col.Values.(type) {
	case []int32:
		return fmt.Sprint(foldOf(a, entries, by))
	case []uint32:
		return fmt.Sprint(foldOf(a, entries, by))
	case []int64:
		return fmt.Sprint(foldOf(a, entries, by))
	case []uint64:
		return fmt.Sprint(foldOf(a, entries, by))
	case []float32:
		wide := make([]float64, len(a))
		for e := range a {
			wide[e] = float64(a[e])
		}
		return fmt.Sprint(float32(foldOf(wide, entries, by)))
	}
	return fmt.Sprint(foldOf(col.Values.([]float64), entries, by))
}

func foldOf[T int32 | uint32 | int64 | uint64 | float64](a []T, entries []uint64, by graph.Combine) T {
	var values []T
	for _, e := range entries {
		values = append(values, a[e])
	}
	slices.SortStableFunc(values, func(x, y T) int {
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(1/float64(x), 1/float64(y))) // -0 before 0
	})
	switch by {
	case graph.CombineMin:
		return values[0]
	case graph.CombineMax:
		return values[len(values)-1]
	}
	sum := values[0]
	for _, x := range values[1:] {
		sum += x
	}
	return sum
}

// contractCanceled ends at once, or somewhere on the way.
func (s Suite) contractCanceled(t *testing.T) {
	r := rand.New(rand.NewPCG(137, 1))
	for range 4 {
		c := randomContracting(t, r, 3)
		p, err := c.g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		phases := 0
		for at := 0; at <= phases; at++ {
			ctx, cancel := context.WithCancel(t.Context())
			if at == 0 {
				cancel()
			}
			called := 0
			c.o.Progress = func(graph.Progress) {
				if called++; called == at {
					cancel()
				}
			}
			got, err := p.Contract(ctx, device.Wrap(c.labels), c.o)
			if err == nil {
				err = got.Close()
			} else if errors.Is(err, context.Canceled) {
				err = nil
			}
			if err != nil {
				t.Errorf("canceled at call %d: %v", at, err)
			}
			phases = max(phases, called)
			cancel()
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// contractMisused passes labels and options that don't fit.
func (s Suite) contractMisused(t *testing.T) {
	c := randomContracting(t, rand.New(rand.NewPCG(139, 1)), 0)
	p, err := c.g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	none := slices.Repeat([]uint32{graph.NoVertex}, len(c.labels))
	for _, x := range []struct {
		labels *device.Buffer[uint32]
		o      graph.Options
		is     error
	}{
		{nil, graph.Options{}, graph.ErrMalformed},
		{device.Wrap(c.labels[1:]), graph.Options{}, graph.ErrMalformed},
		{device.Wrap(none), graph.Options{}, graph.ErrEmpty},
		{device.Wrap(c.labels), graph.Options{DenseIDs: true}, graph.ErrOptions},
		{device.Wrap(c.labels), graph.Options{EdgeColumns: []string{"none"}}, graph.ErrNoColumn},
		{device.Wrap(c.labels), graph.Options{Combine: 9}, graph.ErrOptions},
		{device.Wrap(c.labels), graph.Options{MemoryLimit: 1}, device.ErrMemory},
	} {
		if _, err := p.Contract(t.Context(), x.labels, x.o); !errors.Is(err, x.is) {
			t.Errorf("%+v: %v, want %v", x.o, err, x.is)
		}
	}
	got, err := p.Contract(t.Context(), device.Wrap(c.labels), graph.Options{DeviceOnly: true})
	switch {
	case !s.GPU:
		if !errors.Is(err, graph.ErrOptions) {
			t.Errorf("DeviceOnly on the host: %v", err)
		}
	case err != nil:
		t.Error(err)
	default:
		if got.Stats().Device == "" {
			t.Error("DeviceOnly: the host contracted")
		}
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Contract(t.Context(), device.Wrap(c.labels), graph.Options{}); !errors.Is(err, device.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// contractInTurn moves vertices to communities and contracts these, again and again, as Louvain's method does. The host need
// not have the rows of quotient graphs.
func (s Suite) contractInTurn(t *testing.T) {
	r := rand.New(rand.NewPCG(149, 1))
	const n = 3000
	e := graph.Batch{Type: graph.Int64}
	for range 20_000 {
		u := r.Int64N(n)
		e.Src, e.Dst, e.IntWeights = append(e.Src, u), append(e.Dst, (u+1+r.Int64N(9))%n), append(e.IntWeights, 1+r.Int64N(4))
	}
	b := graph.NewBuilder(graph.Options{DenseIDs: true, Vertices: n, Weights: true})
	if err := b.Add(e); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want, rounds := g, 0
	o := graph.Options{Weights: true, Combine: graph.CombineSum, KeepSelfLoops: true}
	for fewer := true; fewer; rounds++ {
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		x := traverse.New(t.Context(), p)
		community := louvain.Phase(x, 6)
		if x.Err() != nil {
			t.Fatal(x.Err())
		}
		next, err := p.Contract(t.Context(), community, o)
		if err != nil {
			t.Fatal(err)
		}
		labels := make([]uint32, g.NumVertices())
		if err := community.Read(s.Device, 0, labels); err != nil {
			t.Fatal(err)
		}
		if fetched := g.State().Fetched(); s.GPU && rounds > 0 && fetched {
			t.Error("the host fetched the rows")
		}
		if want, err = want.Contract(t.Context(), labels, o); err != nil {
			t.Fatal(err)
		}
		fewer = next.NumVertices() < g.NumVertices()
		if err := errors.Join(x.Close(), p.Close(), g.Close()); err != nil {
			t.Error(err)
		}
		g = next
	}
	if !sameRows(g.Out(), want.Out()) || rounds < 3 {
		t.Errorf("graphs differ in the end, after %d rounds", rounds)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// contractFailing has allocations fail, one after the other: the host contracts.
func (s Suite) contractFailing(t *testing.T, fail func(after int)) {
	r := rand.New(rand.NewPCG(151, 1))
	for range s.times(12, 4) {
		c := randomContracting(t, r, 0)
		want, err := c.g.Contract(t.Context(), c.labels, c.o)
		if err != nil {
			t.Fatal(err)
		}
		for at := 1; at < 40; at++ {
			p, err := c.g.On(s.Device)
			if err != nil {
				t.Fatal(err)
			}
			fail(at)
			got, err := p.Contract(t.Context(), device.Wrap(c.labels), c.o)
			fail(0)
			if err != nil {
				t.Errorf("allocation %d: %v", at, err)
			} else if !sameRows(got.Out(), want.Out()) {
				t.Errorf("%+v: without memory at allocation %d it differs", c.o, at)
			}
			if err := errors.Join(got.Close(), p.Close()); err != nil {
				t.Error(err)
			}
		}
	}
}

// contractWithoutMemory contracts when the device has next to no free memory: the host does, or it is an error.
func (s Suite) contractWithoutMemory(t *testing.T) {
	if !strings.HasPrefix(s.Device.Info().Model, "Emulated") { // as buildWithoutMemory
		return
	}
	c := randomContracting(t, rand.New(rand.NewPCG(157, 1)), 3)
	p, err := c.g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	taken, err := s.Device.Alloc(s.Device.Info().MemoryFree - 500<<10)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Contract(t.Context(), device.Wrap(c.labels), graph.Options{})
	if err != nil || got.Stats().Device != "" {
		t.Errorf("without memory: %v", err)
	}
	if _, err := p.Contract(t.Context(), device.Wrap(c.labels), graph.Options{DeviceOnly: true}); !errors.Is(err, device.ErrMemory) {
		t.Errorf("without memory, with DeviceOnly: %v", err)
	}
	if err := errors.Join(taken.Close(), got.Close(), p.Close()); err != nil {
		t.Error(err)
	}
}
