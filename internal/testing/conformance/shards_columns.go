// This file holds the tests of columns, and of arrays with an entry per edge, over several devices.

package conformance

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/reach"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/examples/arrival"
	"github.com/foray-graph/foray/examples/typedpath"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// ShardsColumns runs functors that read columns of edges and vertices, on all devices, on two of them and on one: results are
// those of naive loops.
func (s Suite) ShardsColumns(t *testing.T) {
	all := strings.Split(s.Device.Info().Name, ",")
	devs := []device.Device{s.Device}
	for n := min(len(all)-1, 2); n > 0; n-- {
		dev, err := device.Open(strings.Join(all[:n], ","))
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		}()
		devs = append(devs, dev)
	}
	s.shardsInputs(t, 223, 1, func(t *testing.T, r *rand.Rand) {
		for _, c := range testgraph.Tiny() { // of as many vertices, perhaps, as there are kinds of edges
			if g := c.Weighted(r.Uint64()); g.NumVertices() > 0 {
				s.columnsOf(t, r, withColumns(t, g, r))
			}
		}
	})
	s.shardsInputs(t, 227, 1, s.edgesKept)
	for _, s.Device = range devs {
		s.shardsInputs(t, 211, testlong.Rounds(s.times(40, 3), s.times(2000, 30)), s.columnsOnce)
	}
}

// columnLoops are traversals of a graph with columns, each of which compares its result with that of a naive loop.
var columnLoops = []struct {
	name string
	run  func(x *traverse.Traversal, source uint32) error
}{
	{"latest int32", func(x *traverse.Traversal, _ uint32) error { return latest[int32](x, "i32") }},
	{"latest code", func(x *traverse.Traversal, _ uint32) error { return latest[uint32](x, "kind") }},
	{"latest int64", func(x *traverse.Traversal, _ uint32) error { return latest[int64](x, "time") }},
	{"latest uint64", func(x *traverse.Traversal, _ uint32) error { return latest[uint64](x, "u64") }},
	{"latest float32", func(x *traverse.Traversal, _ uint32) error { return latest[float32](x, "f32") }},
	{"latest float64", func(x *traverse.Traversal, _ uint32) error { return latest[float64](x, "f64") }},
	{"arrival", func(x *traverse.Traversal, source uint32) error {
		return equal(x, arrival.Times(x, source, 40), arrivals(x.Placed().Graph(), source, 40))
	}},
	{"typedpath", func(x *traverse.Traversal, source uint32) error {
		return equal(x, typedpath.Ends(x, source, 1, 0), ends(x.Placed().Graph(), source, 1, 0))
	}},
	{"toll", tolls},
	{"extremes of int64", func(x *traverse.Traversal, _ uint32) error { return extremes(x, "time", int64(-5)) }},
	{"extremes of uint64", func(x *traverse.Traversal, _ uint32) error { return extremes(x, "u64", uint64(1)<<63) }},
	{"raise", raises},
	{"relax in float64", func(x *traverse.Traversal, source uint32) error {
		dist := traverse.Array(x, math.Inf(1))
		traverse.Set(x, dist, source, 0)
		x.Repeat(x.From(source), advance.Push(composed.NewRelaxWide(dist, traverse.EdgeColumn[float64](x, "f64"), 3)), filter.Unique())
		f64 := x.Placed().Graph().EdgeColumns()[5].Values.([]float64)
		want := leastSums(x.Placed().Graph(), source, math.Inf(1), func(at float64, e uint64) (float64, bool) { return at + f64[e], at+f64[e] < 3 })
		return equal(x, dist, want)
	}},
	{"weights", func(x *traverse.Traversal, _ uint32) error {
		f, want := traverse.EdgeArray[float32](x, 0), x.Placed().Graph().Out().Weights
		x.Do(x.All(), advance.Push(composed.NewNote(f)), filter.Unique())
		last := traverse.Array[float32](x, 0)
		x.Do(x.All(), reduce.Out(composed.NewLatest(traverse.Weights(x), last), nil))
		most := make([]float32, x.Placed().NumVertices())
		out := x.Placed().Graph().Out()
		for v := range most {
			if row := want[out.Offsets[v]:out.Offsets[v+1]]; len(row) > 0 {
				most[v] = slices.Max(row)
			}
		}
		values, err := traverse.Result(x, last)
		if err != nil {
			return err
		}
		got, err := values.Slice()
		for v := range most {
			if row := out.Offsets[v+1] - out.Offsets[v]; err == nil && row > 0 && got[v] != most[v] {
				err = fmt.Errorf("vertex %d has %v, want %v", v, got[v], most[v])
			}
		}
		return errors.Join(err, values.Close(), equalEdges(x, f, want))
	}},
	{"sums of weights", func(x *traverse.Traversal, _ uint32) error {
		c := x.Placed().Graph().Out()
		return sumsOf(x, traverse.WeightSums(x), func(e uint64) float64 { return c.FloatWeight(e) })
	}},
	{"prefix sums of codes", prefixSumsOf[uint32]("kind")},
	{"prefix sums of int64", prefixSumsOf[int64]("time")},
	{"prefix sums of uint64", prefixSumsOf[uint64]("u64")},
	{"prefix sums of float32", prefixSumsOf[float32]("f32")},
	{"prefix sums of an array", func(x *traverse.Traversal, _ uint32) error {
		noted := traverse.EdgeArray[float32](x, 0)
		x.Do(x.All(), advance.Push(composed.NewNote(noted)))
		want := x.Placed().Graph().Out().Weights
		return sumsOf(x, traverse.PrefixSums(x, noted), func(e uint64) float64 { return float64(want[e]) })
	}},
	{"columns of vertices", func(x *traverse.Traversal, _ uint32) error {
		return errors.Join(columnOf[int32](x, "v i32"), columnOf[uint32](x, "v kind"), columnOf[int64](x, "v i64"), columnOf[uint64](x, "v u64"), columnOf[float32](x, "v f32"), columnOf[float64](x, "v f64"))
	}},
}

// prefixSumsOf compares the prefix sums of a column.
func prefixSumsOf[T device.Elem](name string) func(*traverse.Traversal, uint32) error {
	return func(x *traverse.Traversal, _ uint32) error {
		c, err := x.Placed().Graph().EdgeColumn(name)
		if err != nil {
			return err
		}
		values := c.Values.([]T)
		return sumsOf(x, traverse.PrefixSums(x, traverse.EdgeColumn[T](x, name)), func(e uint64) float64 { return float64(values[e]) })
	}
}

// sumsOf compares sums along rows, as a functor reads them.
func sumsOf(x *traverse.Traversal, sums *device.Buffer[float64], weight func(e uint64) float64) error {
	if x.Err() != nil {
		return x.Err()
	}
	read := traverse.EdgeArray(x, -1.0)
	x.Do(x.All(), advance.Push(composed.NewNoteWide(sums, read)))
	c := x.Placed().Graph().Out()
	want := make([]float64, c.NumEdges())
	for v := range c.NumVertices() {
		sum := 0.0
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			sum += weight(e)
			want[e] = sum
		}
	}
	return equalEdges(x, read, want)
}

// columnOf compares a column of the vertices with what the device has.
func columnOf[T device.Elem](x *traverse.Traversal, name string) error {
	b := traverse.VertexColumn[T](x, name)
	c, err := x.Placed().Graph().VertexColumn(name)
	if err := errors.Join(x.Err(), err); err != nil {
		return err
	}
	got, err := run.Read(x.Placed(), b)
	if err == nil && !slices.Equal(got, c.Values.([]T)) {
		err = fmt.Errorf("column %s: %v, want %v", name, got, c.Values)
	}
	return err
}

// leastSums returns what is the least that a walk from a vertex comes to at each vertex. along returns what it comes to behind
// an edge, and whether it can be taken.
func leastSums[T int64 | float64](g *graph.Graph, source uint32, never T, along func(at T, e uint64) (T, bool)) []T {
	least, out := make([]T, g.NumVertices()), g.Out()
	for v := range least {
		least[v] = never
	}
	least[source] = 0
	for changed := true; changed; {
		changed = false
		for v := range least {
			for e := out.Offsets[v]; e < out.Offsets[v+1] && least[v] != never; e++ {
				if x, can := along(least[v], e); can && x < least[out.Targets[e]] {
					least[out.Targets[e]], changed = x, true
				}
			}
		}
	}
	return least
}

// tolls compares a push that reads columns of edges and vertices, and writes an array of edges.
func tolls(x *traverse.Traversal, source uint32) error {
	const never = int64(1) << 40
	least, taken := traverse.Array(x, never), traverse.EdgeArray[uint32](x, 0)
	traverse.Set(x, least, source, 0)
	x.Repeat(x.From(source), advance.Push(composed.NewToll(least, traverse.EdgeColumn[int32](x, "i32"), traverse.VertexColumn[float32](x, "v f32"), taken)), filter.Unique())
	g := x.Placed().Graph()
	closed, err := g.VertexColumn("v f32")
	if err != nil {
		return err
	}
	costs, out := g.EdgeColumns()[0].Values.([]int32), g.Out()
	open := func(e uint64) bool { return closed.Values.([]float32)[out.Targets[e]] < 0.5 }
	want := leastSums(g, source, never, func(at int64, e uint64) (int64, bool) { return at + int64(costs[e]&255), open(e) })
	along := make([]uint32, out.NumEdges())
	for v := range want {
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			if want[v] != never && open(e) {
				along[e] = 1
			}
		}
	}
	return errors.Join(equal(x, least, want), equalEdges(x, taken, along))
}

// extremes compares a visit that lowers and raises integers of 64 bits at targets.
func extremes[T int64 | uint64](x *traverse.Traversal, name string, from T) error {
	least, most := traverse.Array(x, from), traverse.Array(x, from)
	x.Do(x.All(), advance.VisitAll(composed.NewExtremes(traverse.EdgeColumn[T](x, name), least, most)))
	c, err := x.Placed().Graph().EdgeColumn(name)
	if err != nil {
		return err
	}
	low := slices.Repeat([]T{from}, x.Placed().NumVertices())
	high := slices.Clone(low)
	for e, u := range x.Placed().Graph().Out().Targets {
		low[u], high[u] = min(low[u], c.Values.([]T)[e]), max(high[u], c.Values.([]T)[e])
	}
	return errors.Join(equal(x, least, low), equal(x, most, high))
}

// raises compares a visit that reads a column of edges, raises floats of 64 bits at targets, and counts; then a foreach and a keep
// read a column of vertices.
func raises(x *traverse.Traversal, _ uint32) error {
	most, above := traverse.Array(x, -1.0), traverse.Scalar[uint64](x, operators.Sum)
	x.Do(x.All(), advance.VisitAll(composed.NewRaise(traverse.EdgeColumn[float64](x, "f64"), most, 0.75, above)))
	kept := x.All()
	x.Do(kept, filter.Keep(composed.NewBelow(traverse.VertexColumn[uint32](x, "v kind"), 1)))
	doubled := traverse.Array(x, 1.0)
	x.Do(kept, foreach.Each(composed.NewDouble(doubled), nil))
	g := x.Placed().Graph()
	out, price, count := g.Out(), g.EdgeColumns()[5].Values.([]float64), uint64(0)
	want, twice := make([]float64, g.NumVertices()), make([]float64, g.NumVertices())
	for v := range want {
		want[v], twice[v] = -1, 1
	}
	for e, u := range out.Targets {
		want[u] = max(want[u], price[e])
		if price[e] > 0.75 {
			count++
		}
	}
	kinds, err := g.VertexColumn("v kind")
	if err != nil {
		return err
	}
	for v, k := range kinds.Values.([]uint32) {
		if k < 1 {
			twice[v] = 2
		}
	}
	if got := traverse.Get(x, above); x.Err() == nil && got != count {
		return fmt.Errorf("%d edges above the limit, want %d", got, count)
	}
	return errors.Join(equal(x, most, want), equal(x, doubled, twice))
}

func (s Suite) columnsOnce(t *testing.T, r *rand.Rand) {
	t.Helper()
	s.columnsOf(t, r, s.shardsColumned(t, r))
}

// columnsOf runs the loops over a graph, which it closes.
func (s Suite) columnsOf(t *testing.T, r *rand.Rand, g *graph.Graph) {
	t.Helper()
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(p.Close(), g.Close()); err != nil {
			t.Error(err)
		}
	}()
	source := r.Uint32N(uint32(g.NumVertices()))
	what := fmt.Sprintf("on %s, %d vertices, %d edges, directed %v, from %d", s.Device.Info().Name, g.NumVertices(), g.NumEdges(), g.Directed(), source)
	if need, most := (traverse.Memory{EdgeArrays: []int{4, 8}}).Bytes(p)-(traverse.Memory{}).Bytes(p), g.NumDirectedEdges(); need > 12*most || need < 12*most/uint64(len(strings.Split(s.Device.Info().Name, ","))) {
		t.Errorf("%s: arrays of edges take %d bytes, of %d edges in all", what, need, most)
	}
	for _, i := range r.Perm(len(columnLoops)) {
		l := columnLoops[i]
		search := func(x *traverse.Traversal, source uint32) (int, error) { return 0, l.run(x, source) }
		a := traverse.Algorithm[uint32, int]{Name: l.name, Run: search, RunShards: search}
		for range 1 + r.IntN(2) {
			if _, err := traverse.Run(t.Context(), p, a, source, traverse.Options{Engine: traverse.LevelByLevel}); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	if err := reachedIn(t.Context(), p, source); err != nil {
		t.Errorf("%s: reach: %v", what, err)
	}
	o := reach.Options{Sources: []uint32{source}, Departure: -1 << 30, Time: "i32"} // a column of other integers than int64
	times, err := reach.Arrivals(t.Context(), p, o)
	if err != nil {
		t.Fatalf("%s: arrivals by int32: %v", what, err)
	}
	at, err := times.Slice()
	if err := errors.Join(err, reach.ValidateArrivals(t.Context(), g, o, at), times.Close()); err != nil {
		t.Errorf("%s: arrivals by int32: %v", what, err)
	}
}

// edgesKept runs a Searcher that keeps arrays of edges, over a graph that the devices have built.
func (s Suite) edgesKept(t *testing.T, r *rand.Rand) {
	t.Helper()
	defer func(edges uint64) { tuning.DeviceEdges = edges }(tuning.DeviceEdges)
	tuning.DeviceEdges = 0
	spec, err := gen.Parse("kron8")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(t.Context(), spec, graph.Options{Device: s.Device})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	if g.Stats().Device != s.Device.Info().Name {
		t.Errorf("built on %q: %s", g.Stats().Device, g.Stats().WhyHost)
	}
	type plan struct {
		to    *device.Buffer[float64]
		steps []operators.Step
	}
	search := func(x *traverse.Traversal, source uint32) ([]float64, error) {
		kept := traverse.Kept(x, func() *plan {
			from, to := traverse.EdgeArray(x, 2.5), traverse.EdgeArray(x, 0.0)
			return &plan{to, []operators.Step{advance.Push(composed.NewNoteWide(from, to))}}
		})
		if x.Err() != nil {
			return nil, x.Err()
		}
		x.Do(x.From(source), kept.steps...)
		found, err := traverse.EdgeResult(x, kept.to)
		if err != nil {
			return nil, err
		}
		all, err := found.Slice()
		return slices.Clone(all), errors.Join(err, found.Close())
	}
	searcher, err := traverse.NewSearcher(p, traverse.Algorithm[uint32, []float64]{Name: "notes", Run: search, RunShards: search}, traverse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	notes := map[uint32][]float64{}
	for range 4 {
		source := r.Uint32N(uint32(g.NumVertices()))
		if notes[source], err = searcher.Run(t.Context(), source); err != nil {
			t.Fatal(err)
		}
	}
	for source, got := range notes { // the host has the rows from here on
		want := make([]float64, g.NumDirectedEdges())
		for e := g.Out().Offsets[source]; e < g.Out().Offsets[source+1]; e++ {
			want[e] = 2.5
		}
		if !slices.Equal(got, want) {
			t.Errorf("edges of vertex %d: %v, want %v", source, got, want)
		}
	}
	if err := errors.Join(searcher.Close(), g.Close(), p.Close()); err != nil {
		t.Error(err)
	}
}

// shardsColumned returns a random graph with weights, and columns of edges and vertices.
func (s Suite) shardsColumned(t *testing.T, r *rand.Rand) *graph.Graph {
	t.Helper()
	return withColumns(t, s.shardsWeighted(t, r, func(r *rand.Rand) float32 { return r.Float32() }), r)
}

// withColumns returns a graph with random columns of edges and vertices.
func withColumns(t *testing.T, g *graph.Graph, r *rand.Rand) *graph.Graph {
	t.Helper()
	o := graph.CSROptions{Directed: g.Directed(), EdgeColumns: edgeColumns(g, r)}
	if g.Directed() {
		o.In = g.In()
	}
	with, err := graph.FromCSR(*g.Out(), o)
	if err != nil {
		t.Fatal(err)
	}
	n := g.NumVertices()
	i32, kinds, i64, u64, f32, f64 := make([]int32, n), make([]uint32, n), make([]int64, n), make([]uint64, n), make([]float32, n), make([]float64, n)
	for v := range n {
		i32[v], kinds[v], i64[v], u64[v], f32[v], f64[v] = int32(r.Uint32()), r.Uint32N(2), r.Int64(), r.Uint64(), r.Float32(), r.Float64()
	}
	err = with.AddVertexColumns(graph.Column{Name: "v i32", Values: i32}, graph.Column{Name: "v kind", Values: kinds, Dictionary: o.EdgeColumns[6].Dictionary}, graph.Column{Name: "v i64", Values: i64},
		graph.Column{Name: "v u64", Values: u64}, graph.Column{Name: "v f32", Values: f32}, graph.Column{Name: "v f64", Values: f64})
	if err != nil {
		t.Fatal(err)
	}
	return with
}

// columnsRefused requests uses of columns, and of arrays of edges, that several devices don't support, or none.
func (s Suite) columnsRefused(t *testing.T, of *graph.Graph) {
	t.Helper()
	g := withColumns(t, of, rand.New(rand.NewPCG(3, 1)))
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want error
		text string
		run  func(x *traverse.Traversal)
	}{
		{device.ErrNotSupported, "step visit: functor Numbered: ", func(x *traverse.Traversal) {
			x.Do(x.All(), advance.VisitAll(composed.NewNumbered(traverse.Array[uint64](x, 0))))
		}},
		{device.ErrNotSupported, "has to be an array of edges", func(x *traverse.Traversal) {
			x.Do(x.All(), reduce.Out(composed.NewLatest(traverse.ArrayN[int64](x, int(g.NumDirectedEdges()), 1), traverse.Array[int64](x, 0)), nil))
		}},
		{device.ErrNotSupported, "isn't an array of the edges that this step goes over", func(x *traverse.Traversal) {
			x.Do(x.All(), reduce.In(composed.NewLatest(traverse.EdgeArray[int64](x, 1), traverse.Array[int64](x, 0)), nil))
		}},
		{device.ErrNotSupported, "by something else than Edge.Index", func(x *traverse.Traversal) {
			x.Do(x.All(), foreach.All(composed.NewFar[uint64](traverse.EdgeArray[uint32](x, 2), 1), nil))
		}},
		{device.ErrNotSupported, "by something else than Edge.Index", func(x *traverse.Traversal) {
			x.Do(x.All(), foreach.All(composed.NewDouble(traverse.EdgeArray(x, 2.0)), nil))
		}},
		{device.ErrNotSupported, "an array of edges on several GPUs", func(x *traverse.Traversal) { traverse.Set(x, traverse.EdgeArray(x, 2.0), 0, 1) }},
		{device.ErrNotSupported, "the offsets of rows aren't an array on several GPUs", func(x *traverse.Traversal) { traverse.Rows(x) }},
		{graph.ErrOptions, "use traverse.EdgeColumn or Weights", func(x *traverse.Traversal) {
			x.Do(x.All(), reduce.Out(composed.NewLatest(traverse.InEdgeColumn[int64](x, "time"), traverse.Array[int64](x, 0)), nil))
		}},
		{graph.ErrOptions, "which no functor may write", func(x *traverse.Traversal) {
			x.Do(x.All(), advance.Push(composed.NewNote(traverse.EdgeColumn[float32](x, "f32"))))
		}},
		{graph.ErrOptions, "which no functor may write", func(x *traverse.Traversal) {
			x.Do(x.All(), foreach.All(composed.NewDouble(traverse.VertexColumn[float64](x, "v f64")), nil))
		}},
		{graph.ErrOptions, "with an element per edge", func(x *traverse.Traversal) {
			x.Do(x.All(), filter.Keep(composed.NewBelow(traverse.EdgeColumn[uint32](x, "kind"), 1)))
		}},
		{graph.ErrOptions, "prefix sums", func(x *traverse.Traversal) {
			traverse.PrefixSums(x, traverse.ArrayN[float64](x, traverse.EdgeArray(x, 0.0).Len(), 1))
		}},
		{graph.ErrNoColumn, "time", func(x *traverse.Traversal) { traverse.EdgeColumn[int32](x, "time") }},
	} {
		steps := func(x *traverse.Traversal, _ int) (int, error) {
			c.run(x)
			return 0, x.Err()
		}
		a := traverse.Algorithm[int, int]{Name: "refused", Run: steps, RunShards: steps}
		_, err := traverse.Run(t.Context(), p, a, 0, traverse.Options{})
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v, want %v: ... %s ...", err, c.want, c.text)
		}
	}
	if err := errors.Join(p.Close(), g.Close()); err != nil {
		t.Error(err)
	}
}
