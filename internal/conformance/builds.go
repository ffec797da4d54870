// This file holds the tests of building on a device.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/placed"
	"github.com/foray-graph/foray/internal/tuning"
)

// Builds builds graphs on the device: they are those that the host builds, with all options and types of
// ids, and so are searches. Nothing is left on the device.
func (s Suite) Builds(t *testing.T) {
	defer func(edges, bytes uint64) { tuning.DeviceEdges, tuning.PartBytes = edges, bytes }(tuning.DeviceEdges, tuning.PartBytes)
	tuning.DeviceEdges = 0
	plain := tuning.PartBytes
	used := s.used()
	before := used()
	r := rand.New(rand.NewPCG(89, 1))
	few := 120
	if !s.GPU { // the host's tests are small where they are under the race detector
		few = 40
	}
	for i := range s.times(3000, few) {
		tuning.PartBytes = plain // small graphs aren't parted
		if r.IntN(2) == 0 {
			tuning.PartBytes = 1 << r.IntN(12)
		}
		if s.build(t, r, i); t.Failed() {
			t.Fatalf("input %d", i)
		}
		if left := used(); left != before {
			t.Fatalf("input %d: %d bytes are left", i, left-before)
		}
	}
	s.made(t)
	s.buildCancelled(t)
	s.buildWithoutMemory(t)
	if left := used(); left != before {
		t.Errorf("%d bytes are left", left-before)
	}
}

// input is edges for a Builder.
type input struct {
	o       graph.Options
	batches []graph.Batch
}

// add adds all of it to a Builder.
func (in *input) add(o graph.Options) (*graph.Builder, error) {
	b := graph.NewBuilder(o)
	for _, e := range in.batches {
		if err := b.Add(e); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// randomInput has rows of every length that is sorted in a way of its own, and ids of all kinds.
func randomInput(r *rand.Rand, i int) *input {
	n, hubs := 1+r.IntN(1+r.IntN(1500)), []int{0, 0, 40, 110, 230, 700, 1900}[r.IntN(7)]
	if i%40 == 5 {
		n, hubs = 9000+r.IntN(9000), 9100
	}
	in := &input{o: graph.Options{Directed: r.IntN(2) == 0, Reverse: r.IntN(2) == 0, KeepSelfLoops: r.IntN(2) == 0, KeepDuplicates: r.IntN(3) == 0,
		Order: graph.Order(r.IntN(3)), Workers: 1 + r.IntN(3)}}
	kind := r.IntN(9)
	in.o.DenseIDs, in.o.SeparateIDs = kind == 0, kind == 1
	in.o.Weights, in.o.EdgeIDs = r.IntN(2) == 0, r.IntN(16) == 0
	id := func(v int) int64 {
		switch kind {
		case 0, 1, 2: // 0 to n-1
			return int64(v)
		case 3: // a few apart, from somewhere on
			return int64(v)*3 - 1000
		case 4: // far apart
			return int64(v)*7919 - 5
		case 7: // a few lie far from the others
			if v == n-1 {
				return math.MaxInt64
			}
			if v > n/2 {
				return int64(v) << 33
			}
			return int64(v)
		}
		return int64(uint64(v+1) * 0x9e3779b97f4a7c15)
	}
	var src, dst []int64
	for range r.IntN(4 * n) {
		src, dst = append(src, id(r.IntN(n))), append(dst, id(r.IntN(n)))
	}
	for range r.IntN(3) {
		hub := r.IntN(n)
		for v := range min(hubs, n) {
			src, dst = append(src, id(hub)), append(dst, id(v))
			if r.IntN(4) == 0 {
				src, dst = append(src, id(r.IntN(n))), append(dst, id(hub))
			}
		}
	}
	src, dst = append(src, id(0)), append(dst, id(n-1))
	if kind == 7 && r.IntN(2) == 0 { // they come last
		slices.Sort(src)
		slices.Sort(dst)
	}
	for len(src) > 0 {
		k := 1 + r.IntN(len(src))
		e := graph.Batch{Type: graph.Int64, Src: src[:k], Dst: dst[:k]}
		if kind == 6 {
			e = graph.Batch{SrcStrings: names(src[:k]), DstStrings: names(dst[:k])}
		}
		if in.o.Weights {
			e.Weights = make([]float32, k)
			for i := range e.Weights {
				e.Weights[i] = oddWeights[r.IntN(len(oddWeights))]
			}
		}
		if in.o.EdgeIDs {
			e.EdgeIDs = make([]uint64, k)
			for i := range e.EdgeIDs {
				e.EdgeIDs[i] = r.Uint64()
			}
		}
		in.batches = append(in.batches, e)
		src, dst = src[k:], dst[k:]
	}
	if kind > 1 && kind != 6 && r.IntN(4) == 0 {
		in.batches = append(in.batches, graph.Batch{Type: graph.Int64, Src: []int64{id(n), id(n + 1)}, Vertices: true})
	}
	return in
}

var oddWeights = []float32{0, float32(math.Copysign(0, -1)), 1, 2, 0.5, -1, -2, 1e-45, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}

// sameRows compares rows bit by bit.
func sameRows(a, b *graph.CSR) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Targets, b.Targets) && sameWeights(a.Weights, b.Weights) && slices.Equal(a.EdgeIDs, b.EdgeIDs)
}

func sameWeights(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

func names(ids []int64) *graph.Strings {
	s := &graph.Strings{Offsets: []int64{0}}
	for _, id := range ids {
		s.Data = fmt.Appendf(s.Data, "vertex %d", id)
		s.Offsets = append(s.Offsets, int64(len(s.Data)))
	}
	return s
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
	b, err := in.add(in.o)
	must(err)
	want, err := b.Build(context.Background())
	must(err)
	o := in.o
	o.Device = s.Device
	b, err = in.add(o)
	must(err)
	got, err := b.Build(context.Background())
	must(err)
	if got.Order() != want.Order() || got.Stats() != want.Stats() || got.Directed() != want.Directed() {
		t.Errorf("%+v: %v, %+v; want %v, %+v", in.o, got.Order(), got.Stats(), want.Order(), want.Stats())
	}
	fetches := placed.Fetches.Load()
	compare := func() {
		if !sameRows(got.Out(), want.Out()) || !sameRows(got.In(), want.In()) || !reflect.DeepEqual(got.IDs(), want.IDs()) {
			t.Errorf("%+v: rows or ids differ", in.o)
		}
	}
	if got.HasReverse() != (want.In() != nil) || !slices.Equal(got.Offsets(), want.Offsets()) || got.NumEdges() != want.NumEdges() {
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
		if in.o.Weights {
			there := make([]float32, want.NumDirectedEdges())
			weights, err := p.Weights()
			must(err)
			must(weights.Read(s.Device, 0, there))
			if !sameWeights(there, want.Out().Weights) {
				t.Error("weights on the device differ")
			}
			if want.In() != nil {
				weights, err := p.InWeights()
				must(err)
				must(weights.Read(s.Device, 0, there))
				if !sameWeights(there, want.In().Weights) {
					t.Error("weights of in-edges on the device differ")
				}
			}
		}
		if s.GPU && when > 0 && placed.Fetches.Load() != fetches && !in.o.EdgeIDs {
			t.Errorf("%+v: searches fetched the rows", in.o)
		}
		if when == 1 {
			compare()
		}
		if r.IntN(2) == 0 { // the rows were taken: these are uploaded
			q, err := got.On(s.Device)
			must(err)
			must(q.Free())
		}
		if r.IntN(4) == 0 { // nobody wants rows that go with it
			must(got.Close())
			must(p.Free())
			return
		}
		must(p.Free())
	}
	compare()
	must(got.Close())
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
		found.Free()
	}
}

// made compares graphs whose edges the device makes with those that the host makes.
func (s Suite) made(t *testing.T) {
	for _, spec := range []string{
		"kron1", "kron5", "kron9:edgefactor=5,seed=7", "kron13", "kron12:a=0.25,b=0.25,c=0.25", "kron6:edgefactor=2000,weights=-3:250", "kron11:weights=-1.0:2.5,weightseed=9",
		"urand1", "urand:n=10007,edgefactor=9,seed=3", "urand12:weights=0.0:-0.0", "urand:n=1,edgefactor=70000", "urand10:weights=7:7",
		"grid2d:300x230", "grid2d:1x400", "grid2d:400x1", "grid2d:3x3,torus", "grid2d:230x300,torus,weights=0.5:2", "grid3d:40x30x41", "grid3d:1x1x50", "grid3d:1x50x2", "grid3d:7x1x5",
		"grid3d:31x29x37,torus", "star:300000", "star:140000,weights=1:9", "road:40x30", "smallworld:n=400,k=8,p=0.1",
	} {
		g, err := gen.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []graph.Options{{}, {Directed: true, Reverse: true, KeepDuplicates: true, KeepSelfLoops: true, Order: graph.OrderGiven}, {Directed: true}} {
			_, o.Weights = g.(*gen.Weighted)
			want, err := gen.Build(t.Context(), g, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Device, o.DeviceOnly = s.Device, s.GPU
			got, err := gen.Build(t.Context(), g, o)
			if err != nil {
				t.Fatal(err)
			}
			if !sameRows(got.Out(), want.Out()) || !sameRows(got.In(), want.In()) || !reflect.DeepEqual(got.IDs(), want.IDs()) || got.Stats() != want.Stats() || got.Order() != want.Order() {
				t.Errorf("%s, %+v: made on the device it differs", spec, o)
			}
			if err := got.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// buildCancelled ends a build early, at once or somewhere on its way.
func (s Suite) buildCancelled(t *testing.T) {
	t.Helper()
	in := randomInput(rand.New(rand.NewPCG(97, 1)), 5)
	in.o.Weights, in.o.EdgeIDs = false, false
	phases := 0
	for at := 0; at <= phases; at++ {
		ctx, cancel := context.WithCancel(context.Background())
		o, called := in.o, 0
		o.Device = s.Device
		o.Progress = func(string, uint64, uint64) {
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
			t.Errorf("cancelled at call %d: %v", at, err)
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		phases = max(phases, called)
		cancel()
	}
	in.o.Device, in.o.DeviceOnly = s.Device, true
	_, gpu := s.Device.(device.Uploader)
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

// buildWithoutMemory builds where the device has next to no memory left: the host does it, or nobody.
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
		if err := taken.Free(); err != nil {
			t.Error(err)
		}
	}()
	r := rand.New(rand.NewPCG(101, 1))
	for range 30 {
		in := randomInput(r, 0)
		b, err := in.add(in.o)
		if err != nil {
			t.Fatal(err)
		}
		want, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		in.o.Device = s.Device
		if b, err = in.add(in.o); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if !sameRows(g.Out(), want.Out()) || !sameRows(g.In(), want.In()) || !reflect.DeepEqual(g.IDs(), want.IDs()) {
			t.Errorf("%+v: without memory rows or ids differ", in.o)
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
	if _, err := b.Build(context.Background()); !errors.Is(err, device.ErrMemory) || !errors.Is(err, graph.ErrMemory) {
		t.Errorf("without memory: %v", err)
	}
}
