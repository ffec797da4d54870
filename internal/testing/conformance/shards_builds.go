// This file holds the tests of building on several devices.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// ShardsBuilds builds graphs on several devices, from edges of all kinds and from generators: each
// device holds the same data as after placing the host's graph.
func (s Suite) ShardsBuilds(t *testing.T) {
	defer func(edges, window, batch uint64) {
		tuning.DeviceEdges, tuning.ShardWindow, tuning.ShardBatch, tuning.InBatches, tuning.WideOffsets = edges, window, batch, false, false
	}(tuning.DeviceEdges, tuning.ShardWindow, tuning.ShardBatch)
	tuning.DeviceEdges = 0
	used := s.used()
	before := used()
	r := rand.New(rand.NewPCG(testlong.Seed(137), 1))
	for i := range testlong.Rounds(s.times(150, 5), s.times(6000, 120)) {
		in := randomInput(r, i)
		s.shardsTuning(r, in.edges())
		s.shardsBuild(t, r, fmt.Sprintf("%+v", in.o), func(o graph.Options) (*graph.Graph, error) {
			b, err := in.add(o)
			if err != nil {
				return nil, err
			}
			return b.Build(t.Context())
		}, in.o)
		if left := used(); left != before {
			t.Errorf("%d bytes are left", left-before)
		}
		if t.Failed() {
			t.Fatalf("input %d", i)
		}
	}
	for _, spec := range []string{
		"kron1", "kron5", "kron9:edgefactor=5,seed=7", "kron6:edgefactor=300", "urand1", "urand:n=1007,edgefactor=9,seed=3", "urand:n=1,edgefactor=7000", "urand:n=2,edgefactor=1",
		"grid2d:30x23", "grid2d:1x400", "grid3d:7x3x5,torus", "star:300", "star:20000", "kron5:weights=1:9",
	} {
		g, err := gen.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []graph.Options{{}, {Directed: true, Reverse: true, KeepDuplicates: true, KeepSelfLoops: true, Order: graph.OrderGiven}, {Directed: true}, {Directed: true, Reverse: true}, {Order: graph.OrderDegree, KeepSelfLoops: true}} {
			if s.Small && r.IntN(2) == 0 {
				continue
			}
			s.shardsTuning(r, g.NumEdges())
			s.shardsBuild(t, r, fmt.Sprintf("%s %+v", spec, o), func(o graph.Options) (*graph.Graph, error) { return gen.Build(t.Context(), g, o) }, o)
			if left := used(); left != before {
				t.Fatalf("%s, %+v: %d bytes are left", spec, o, left-before)
			}
		}
	}
	s.shardsFailing(t)
	s.shardsBuildCanceled(t)
	s.shardsRefused(t)
	if left := used(); left != before {
		t.Errorf("%d bytes are left", left-before)
	}
}

// shardsTuning makes edges arrive in several batches, or all at once.
func (s Suite) shardsTuning(r *rand.Rand, edges uint64) {
	tuning.InBatches, tuning.WideOffsets = r.IntN(2) == 0, r.IntN(4) == 0
	tuning.ShardBatch, tuning.ShardWindow = 1+edges/(1+r.Uint64N(8)), 1+2*edges/(1+r.Uint64N(8))
}

// shardsBuild compares a graph that is built on the devices with the host's.
func (s Suite) shardsBuild(t *testing.T, r *rand.Rand, what string, build func(graph.Options) (*graph.Graph, error), o graph.Options) {
	t.Helper()
	want, err := build(o)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	o.Device = s.Device
	got, err := build(o)
	if err != nil {
		t.Fatalf("%s: on several devices: %v", what, err)
	}
	defer func() {
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	}()
	plain := !o.Weights && !o.EdgeIDs
	stats := want.Stats()
	if plain {
		stats.Device = s.Device.Info().Name
	} else {
		stats.WhyHost = "several GPUs build graphs without weights and edge ids"
	}
	if got.Stats() != stats || got.Order() != want.Order() || got.Directed() != want.Directed() || got.State().Fetched() == plain ||
		got.HasReverse() != want.HasReverse() || !slices.Equal(got.State().Offsets(), want.State().Offsets()) || !reflect.DeepEqual(got.IDs(), want.IDs()) {
		t.Errorf("%s: %+v, want %+v; fetched %v; or offsets or ids differ", what, got.Stats(), stats, got.State().Fetched())
		return
	}
	fetches := placed.Fetches.Load()
	a, err := got.Checksum(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if b, err := want.Checksum(t.Context()); err != nil || a != b {
		t.Errorf("%s: the checksum differs, %v", what, err)
	}
	when := r.IntN(4)
	compare := func() {
		if !sameRows(got.Out(), want.Out()) || !sameRows(got.In(), want.In()) {
			t.Errorf("%s: fetched rows differ", what)
		}
	}
	if when == 0 {
		compare()
	}
	if r.IntN(6) > 0 {
		p, err := want.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		q, err := got.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		s.sameShards(t, what, q, p)
		if r.IntN(4) == 0 {
			for range 2 {
				s.shardsSearch(t, r, want, q, what)
			}
		}
		if when > 0 && placed.Fetches.Load() != fetches {
			t.Errorf("%s: searches fetched the rows", what)
		}
		if r.IntN(4) == 0 { // fetches them, to compare
			if err := s.componentsTwice(t, q, map[string]bool{}); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if r.IntN(4) == 0 { // the rows were taken: these are uploaded
			again, err := got.On(s.Device)
			if err != nil {
				t.Fatal(err)
			}
			s.sameShards(t, what, again, p)
			if err := again.Close(); err != nil {
				t.Error(err)
			}
		}
		closed := r.IntN(4) == 0
		if closed {
			if err := got.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := errors.Join(q.Close(), p.Close()); err != nil {
			t.Error(err)
		}
		if closed {
			return
		}
	}
	compare()
}

// sameShards compares the data on each device.
func (s Suite) sameShards(t *testing.T, what string, got, want *graph.Placed) {
	t.Helper()
	of := func(p *graph.Placed) *placed.Shards {
		a, ok := placed.Lookup(p.State(), placed.ShardsKey{})
		if !ok {
			t.Fatal("not dealt out")
		}
		return a
	}
	g, w := of(got), of(want)
	if g.Vertices != w.Vertices || g.Stride != w.Stride || g.Wide != w.Wide || g.Reverse != w.Reverse || g.Candidates != w.Candidates || len(g.Parts) != len(w.Parts) {
		t.Errorf("%s: %+v, want %+v", what, g, w)
		return
	}
	for i := range g.Parts {
		p, q := &g.Parts[i], &w.Parts[i]
		if p.Vertices != q.Vertices || p.Words != q.Words || p.Ones != q.Ones || p.Dev != q.Dev {
			t.Errorf("%s: part %d has %d vertices, %d words, ones %d; want %d, %d, %d", what, i, p.Vertices, p.Words, p.Ones, q.Vertices, q.Words, q.Ones)
		}
		same := func(name string, a, b uintptr, words int) {
			if (a == 0) != (b == 0) {
				t.Errorf("%s: part %d has %s at %x, want %x", what, i, name, a, b)
			}
			if a == 0 || b == 0 || words == 0 {
				return
			}
			x, y := make([]uint32, words), make([]uint32, words)
			if err := errors.Join(discrete.Read(p.Dev, x, p.Memory(a)), discrete.Read(q.Dev, y, q.Memory(b))); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(x, y) {
				t.Errorf("%s: %s of part %d differ: %v, want %v", what, name, i, x[:min(len(x), 20)], y[:min(len(y), 20)])
			}
		}
		width := 1
		if g.Wide {
			width = 2
		}
		entries := func(g *graph.Graph, degree func(v uint32) uint64) (n uint64) {
			for v := i; v < g.NumVertices(); v += len(w.Parts) {
				n += degree(uint32(v))
			}
			return n
		}
		host := want.Graph()
		same("offsets", p.Offsets, q.Offsets, width*(p.Vertices+1))
		same("targets", p.Targets, q.Targets, int(entries(host, host.Degree)))
		if g.Reverse {
			same("offsets of in-edges", p.InOffsets, q.InOffsets, width*(p.Vertices+1))
			same("targets of in-edges", p.InTargets, q.InTargets, int(entries(host, host.InDegree)))
			same("first targets", p.First, q.First, p.Vertices)
			same("bits of empty rows", p.None, q.None, int(g.Stride/32))
		}
	}
}

// shardsFailing makes each allocation of a build fail, on each device: either the host builds the graph, or the error
// reports too little memory. No memory stays in use.
func (s Suite) shardsFailing(t *testing.T) {
	group := s.Device.(*gpu.Group)
	r := rand.New(rand.NewPCG(139, 1))
	e := graph.Batch{Type: graph.Int64}
	for range 200 {
		e.Src, e.Dst = append(e.Src, 1000*r.Int64N(60)), append(e.Dst, 1000*r.Int64N(60))
	}
	tuning.InBatches, tuning.ShardBatch, tuning.ShardWindow = true, 50, 150
	before := group.Used()
	for i, d := range group.Devices() {
		for k, failed := 1, true; failed; k++ { // until no allocation is left to fail
			b := graph.NewBuilder(graph.Options{Directed: true, Reverse: true, Device: s.Device, DeviceOnly: k%2 == 0})
			if err := b.Add(e); err != nil {
				t.Fatal(err)
			}
			d.Context().FailAlloc(k)
			g, err := b.Build(t.Context())
			d.Context().FailAlloc(0)
			failed = err != nil || g.Stats().Device == ""
			switch {
			case err != nil && !errors.Is(err, device.ErrMemory):
				t.Errorf("device %d, allocation %d: %v", i, k, err)
			case err == nil:
				if err := g.Close(); err != nil {
					t.Error(err)
				}
			}
			if left := group.Used(); left != before {
				t.Fatalf("device %d, allocation %d: %d bytes are left", i, k, left-before)
			}
			if k > 200 {
				t.Fatal("allocations have no end")
			}
		}
	}
}

// shardsBuildCanceled ends builds early, somewhere on their way.
func (s Suite) shardsBuildCanceled(t *testing.T) {
	g, err := gen.Parse("kron9")
	if err != nil {
		t.Fatal(err)
	}
	phases := 0
	for at := 0; at <= phases; at++ {
		ctx, cancel := context.WithCancel(context.Background())
		called := 0
		got, err := gen.Build(ctx, g, graph.Options{Device: s.Device, DeviceOnly: true, Progress: func(graph.Progress) {
			if called++; called == at {
				cancel()
			}
		}})
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
	if phases < 3 {
		t.Errorf("%d calls of EachLevel", phases)
	}
}

// shardsRefused makes builds that several devices don't support, and builds with next to no free memory on one of them.
func (s Suite) shardsRefused(t *testing.T) {
	group := s.Device.(*gpu.Group)
	tuning.InBatches = false
	build := func(spec string, o graph.Options) (graph.BuildStats, error) {
		g, err := gen.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		o.Device = s.Device
		got, err := gen.Build(t.Context(), g, o)
		if err != nil {
			return graph.BuildStats{}, err
		}
		return got.Stats(), got.Close()
	}
	if _, err := build("kron5:weights=1:9", graph.Options{Weights: true, DeviceOnly: true}); !errors.Is(err, device.ErrNotSupported) {
		t.Errorf("weights on several devices alone: %v", err)
	}
	if !strings.Contains(group.Info().Model, "Emulated") { // a GPU doesn't give away its last bytes
		return
	}
	const left = 4 << 20 // less than the predicted memory of any graph
	d := group.Devices()[1]
	taken, err := d.Alloc(d.Info().MemoryFree - left)
	if err != nil {
		t.Fatal(err)
	}
	used := group.Used()
	if st, err := build("kron5", graph.Options{}); err != nil || st.Device != "" || !regexp.MustCompile(`^it takes about \S+ MB of each of cuda:0,cuda:1\S*, which have \S+ MB free$`).MatchString(st.WhyHost) {
		t.Errorf("without memory: %+v, %v", st, err)
	}
	d.Context().FailAlloc(1) // it is refused before anything is taken
	if _, err := build("kron5", graph.Options{DeviceOnly: true}); !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), "of which") {
		t.Errorf("without memory, on the devices alone: %v", err)
	}
	d.Context().FailAlloc(0)
	if now := group.Used(); now != used {
		t.Errorf("%d bytes are left", now-used)
	}
	if err := taken.Close(); err != nil {
		t.Error(err)
	}
}
