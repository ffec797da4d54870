// This file holds the tests of building on a device.

package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// Builds builds graphs on the device: they are those that the host builds, with all options and types of
// ids, and so are searches. Nothing is left on the device.
func (s Suite) Builds(t *testing.T) {
	defer func(edges, bytes, pairs, chunks, early uint64) {
		tuning.DeviceEdges, tuning.PartBytes, tuning.BatchPairs, tuning.InBatches = edges, bytes, pairs, false
		tuning.EarlyChunks, tuning.EarlyPairs = chunks, early
	}(tuning.DeviceEdges, tuning.PartBytes, tuning.BatchPairs, tuning.EarlyChunks, tuning.EarlyPairs)
	tuning.DeviceEdges = 0
	plain := tuning.PartBytes
	used := s.used()
	before := used()
	t.Run("random", func(t *testing.T) { s.buildRandom(t, used, before, plain) })
	tuning.InBatches = false
	t.Run("made", s.made)
	t.Run("away", s.away)
	if d, ok := s.Device.(*gpu.Device); ok {
		t.Run("failing", func(t *testing.T) { s.buildFailing(t, d.Context().FailAlloc) })
	}
	t.Run("canceled", s.buildCanceled)
	t.Run("without memory", s.buildWithoutMemory)
	t.Run("in memory", s.buildInMemory)
	t.Run("nothing", s.buildNothing)
	if left := used(); left != before {
		t.Errorf("%d bytes are left", left-before)
	}
}

// buildRandom builds random inputs, and leaves nothing on the device of any.
func (s Suite) buildRandom(t *testing.T, used func() uint64, before, plain uint64) {
	r := rand.New(rand.NewPCG(testlong.Seed(89), 1))
	many := s.times(750, 30)
	if !s.GPU { // with the device and without it the host builds
		many = s.times(testlong.Of(38, 3000), 10)
	}
	for i := range testlong.Rounds(many, many) {
		tuning.PartBytes = plain // small graphs aren't parted
		if r.IntN(2) == 0 {
			tuning.PartBytes = 1 << r.IntN(12)
		}
		tuning.InBatches = r.IntN(3) == 0
		tuning.EarlyChunks, tuning.EarlyPairs = 1<<r.IntN(4), 1<<(10+r.IntN(4))
		if s.build(t, r, i); t.Failed() {
			t.Fatalf("input %d", i)
		}
		if i%1000 == 999 { // with -v they are seen at once
			t.Logf("%d inputs", i+1)
		}
		if left := used(); left != before {
			t.Fatalf("input %d: %d bytes are left", i, left-before)
		}
	}
}

func (s Suite) build(t *testing.T, r *rand.Rand, i int) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	in := randomInput(r, i)
	in.combine(r)
	b, err := in.add(in.o)
	must(err)
	want, err := b.Build(context.Background())
	must(err)
	o := in.o
	o.Device = s.Device
	o.DeviceOnly = s.GPU && in.o.Combine != graph.CombineSum && r.IntN(4) == 0
	b, err = in.add(o)
	must(err)
	tuning.BatchPairs = 1 + in.edges()/(1+r.Uint64N(30))
	got, err := b.Build(context.Background())
	must(err)
	stats := got.Stats()
	stats.Device, stats.WhyHost = "", ""
	if got.Order() != want.Order() || stats != want.Stats() || got.Directed() != want.Directed() {
		t.Errorf("%+v: %v, %+v; want %v, %+v", in.o, got.Order(), got.Stats(), want.Order(), want.Stats())
	}
	there := s.GPU && !in.needsHost(got)
	if !s.GPU || there {
		s.saysWhere(t, got, in)
	}
	if there && got.State().Fetched() {
		t.Errorf("%+v: the host made the rows", in.o)
	}
	fetches := placed.Fetches.Load()
	compare := func() {
		if !sameRows(got.Out(), want.Out()) || !sameRows(got.In(), want.In()) || !in.sameIDs(got.IDs(), want.IDs()) {
			t.Errorf("%+v: rows or ids differ", in.o)
		}
	}
	if got.HasReverse() != (want.In() != nil) || !slices.Equal(got.State().Offsets(), want.State().Offsets()) || got.NumEdges() != want.NumEdges() {
		t.Errorf("%+v: offsets differ", in.o)
	}
	a, err := got.Checksum(context.Background())
	must(err)
	c, err := want.Checksum(context.Background())
	must(err)
	if a != c {
		t.Errorf("%+v: the checksum differs", in.o)
	}
	when := r.IntN(4)
	if when == 0 {
		compare()
	}
	if r.IntN(4) > 0 { // what isn't placed is given back
		p, err := got.On(s.Device)
		must(err)
		s.searchBuilt(t, r, p, want)
		s.compareExtras(t, p, want)
		if there && when > 0 && placed.Fetches.Load() != fetches {
			t.Errorf("%+v: searches fetched the rows", in.o)
		}
		if when == 1 {
			compare()
		}
		if r.IntN(2) == 0 { // the rows were taken: these are uploaded
			q, err := got.On(s.Device)
			must(err)
			must(q.Close())
		}
		if r.IntN(4) == 0 { // rows that are closed at once
			must(got.Close())
			must(p.Close())
			return
		}
		must(p.Close())
	}
	compare()
	must(got.Close())
}

// compareExtras compares weights and edge ids on the device with those in the graph that the host built.
func (s Suite) compareExtras(t *testing.T, p *graph.Placed, want *graph.Graph) {
	t.Helper()
	for _, in := range []bool{false, true} {
		rows, weights, ids := want.Out(), p.State().Weights, p.State().EdgeIDs
		if in {
			rows, weights, ids = want.In(), p.InWeights, p.State().InEdgeIDs
		}
		if rows == nil {
			continue
		}
		if rows.Weights != nil && !slices.EqualFunc(readAll(t, s.Device, weights), rows.Weights, sameWeight) {
			t.Errorf("weights on the device differ; of in-edges: %v", in)
		}
		if rows.EdgeIDs != nil && !slices.Equal(readAll(t, s.Device, ids), rows.EdgeIDs) {
			t.Errorf("edge ids on the device differ; of in-edges: %v", in)
		}
	}
}

// readAll reads an array of a placed graph.
func readAll[T device.Elem](t *testing.T, dev device.Device, array func() (*device.Buffer[T], error)) []T {
	t.Helper()
	b, err := array()
	if err != nil {
		t.Fatal(err)
	}
	there := make([]T, b.Len())
	if err := b.Read(dev, 0, there); err != nil {
		t.Fatal(err)
	}
	return there
}

// searchBuilt searches a graph in the memory in which it was built.
func (s Suite) searchBuilt(t *testing.T, r *rand.Rand, p *graph.Placed, want *graph.Graph) {
	t.Helper()
	for _, v := range []uint32{0, uint32(want.NumVertices() - 1)} {
		run := func() (*bfs.Result, error) { return bfs.Run(context.Background(), p, v, bfs.Options{}) }
		if want.In() != nil && r.IntN(2) == 0 {
			run = func() (*bfs.Result, error) { return dobfs.Run(context.Background(), p, v, dobfs.Options{}) }
		}
		found, err := run()
		if err != nil {
			t.Fatal(err)
		}
		if err := bfs.Validate(want, found); err != nil {
			t.Error(err)
		}
		found.Close()
	}
}

// buildCanceled ends a build early, at once or somewhere on its way.
func (s Suite) buildCanceled(t *testing.T) {
	t.Helper()
	in := randomInput(rand.New(rand.NewPCG(97, 1)), 5)
	in.o.Weights, in.o.EdgeIDs = false, false
	phases := 0
	for at := 0; at <= phases; at++ {
		ctx, cancel := context.WithCancel(context.Background())
		o, called := in.o, 0
		o.Device = s.Device
		o.Progress = func(graph.Progress) {
			if called++; called == at {
				cancel()
			}
		}
		b, err := in.add(o)
		if err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(ctx)
		if err == nil {
			err = g.Close()
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("canceled at call %d: %v", at, err)
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		phases = max(phases, called)
		cancel()
	}
	in.o.Device, in.o.DeviceOnly = s.Device, true
	_, gpu := s.Device.(discrete.Device)
	if b, err := in.add(in.o); gpu {
		if err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if m := graph.Estimate(in.o, g.Stats().InputEdges, uint64(g.NumVertices()), 0); m.Device == 0 {
			t.Errorf("%+v: nothing is foretold of the device", m)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	} else if !errors.Is(err, graph.ErrOptions) {
		t.Errorf("DeviceOnly on the host: %v", err)
	}
	b, err := in.add(graph.Options{Device: device.Device(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Build(context.Background()); err != nil {
		t.Error(err)
	}
}

// buildWithoutMemory builds when the device has next to no free memory: the host builds the graph, or it fails.
func (s Suite) buildWithoutMemory(t *testing.T) {
	t.Helper()
	if !strings.HasPrefix(s.Device.Info().Model, "Emulated") { // a GPU doesn't give away its last bytes, and they are others' too
		return
	}
	const left = 300 << 10
	taken, err := s.Device.Alloc(s.Device.Info().MemoryFree - left)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := taken.Close(); err != nil {
			t.Error(err)
		}
	}()
	r := rand.New(rand.NewPCG(101, 1))
	for i := range 30 {
		want, g := s.pair(t, r, func(*graph.Options) {})
		if !sameRows(g.Out(), want.Out()) || !sameRows(g.In(), want.In()) || !reflect.DeepEqual(g.IDs(), want.IDs()) {
			t.Errorf("graph %d: without memory rows or ids differ", i)
		}
		const why = `^it takes about \S+ [kM]?B of cuda:0, which has \S+ kB free$|^cuda:0 ran out of memory$|^edges have both|^an edge id is`
		if st := g.Stats(); st.Device != "" && st.WhyHost != "" || st.Device == "" && !regexp.MustCompile(why).MatchString(st.WhyHost) {
			t.Errorf("graph %d: rows made on %q, or the host because %q", i, st.Device, st.WhyHost)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
	in := randomInput(rand.New(rand.NewPCG(101, 1)), 5)
	in.o.Weights, in.o.EdgeIDs, in.o.Device, in.o.DeviceOnly = false, false, s.Device, true
	b, err := in.add(in.o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Build(context.Background()); !errors.Is(err, device.ErrMemory) {
		t.Errorf("without memory: %v", err)
	}
}

// saysWhere checks that a graph reports where its rows were built.
func (s Suite) saysWhere(t *testing.T, g *graph.Graph, in *input) {
	t.Helper()
	device := ""
	if s.GPU {
		device = s.Device.Info().Name
	}
	if st := g.Stats(); st.Device != device || st.WhyHost != "" {
		t.Errorf("%+v: rows made on %q, or the host because %q; want %q", in.o, st.Device, st.WhyHost, device)
	}
}

// buildInMemory builds when the device has no more free memory than was predicted.
func (s Suite) buildInMemory(t *testing.T) {
	t.Helper()
	if !strings.HasPrefix(s.Device.Info().Model, "Emulated") {
		return
	}
	const n = 2000
	edges := testlong.Of(20_000, 100_000)
	r := rand.New(rand.NewPCG(103, 1))
	e := graph.Batch{Type: graph.Int64}
	for i := range edges {
		e.Src, e.Dst = append(e.Src, r.Int64N(n)), append(e.Dst, r.Int64N(n))
		e.Weights, e.EdgeIDs = append(e.Weights, r.Float32()), append(e.EdgeIDs, uint64(i))
	}
	wide := e
	wide.EdgeIDs = make([]uint64, edges)
	for i := range wide.EdgeIDs {
		wide.EdgeIDs[i] = 1<<40 + uint64(i)
	}
	all := tuning.BatchPairs
	defer func() { tuning.BatchPairs = all }()
	for _, tuning.BatchPairs = range []uint64{all, uint64(edges / 10)} {
		for _, o := range []graph.Options{{}, {Directed: true}, {Directed: true, Reverse: true}} {
			o.DenseIDs, o.Vertices, o.KeepDuplicates, o.Order, o.Device, o.DeviceOnly = true, n, true, graph.OrderDegree, s.Device, true
			for extras := range 4 {
				o.Weights, o.EdgeIDs = extras&1 > 0, extras&2 > 0
				s.buildWith(t, o, e)
				if o.EdgeIDs && !o.Weights && o.Reverse { // which takes the most
					s.buildWith(t, o, wide)
				}
			}
		}
	}
}

// buildWith builds when the device has as much free memory as the Builder's estimate.
func (s Suite) buildWith(t *testing.T, o graph.Options, e graph.Batch) {
	t.Helper()
	const rounding = 4096
	b := graph.NewBuilder(o)
	if err := b.Add(e); err != nil {
		t.Fatal(err)
	}
	need := b.Estimate().Device
	if e.EdgeIDs[0] == 0 { // which those are that Estimate assumes
		if m := graph.Estimate(o, uint64(len(e.Src)), o.Vertices, 0); m.Device != need {
			t.Errorf("%+v: before edges were added it was to take %d bytes, and then %d", o, m.Device, need)
		}
	}
	taken, err := s.Device.Alloc(s.Device.Info().MemoryFree - need - rounding)
	if err != nil {
		t.Fatal(err)
	}
	if g, err := b.Build(t.Context()); err != nil {
		t.Errorf("%+v: %v", o, err)
	} else if err := g.Close(); err != nil {
		t.Error(err)
	}
	if err := taken.Close(); err != nil {
		t.Error(err)
	}
}
