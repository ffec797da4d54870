// This file holds the tests of rows that are on a device alone: who needs them on the host has them there.

package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// pair returns a random graph that the host built, and the same built on the device.
func (s Suite) pair(t *testing.T, r *rand.Rand, change func(o *graph.Options)) (want, got *graph.Graph) {
	t.Helper()
	in := randomInput(r, 0)
	change(&in.o)
	for _, g := range []**graph.Graph{&want, &got} {
		b, err := in.add(in.o)
		if err != nil {
			t.Fatal(err)
		}
		if *g, err = b.Build(t.Context()); err != nil {
			t.Fatal(err)
		}
		in.o.Device = s.Device
	}
	return want, got
}

func (s Suite) away(t *testing.T) {
	r := rand.New(rand.NewPCG(103, 1))
	for range 20 {
		s.reorderedAway(t, r)
		s.reversedAway(t, r)
		s.closedAway(t, r)
	}
}

func (s Suite) reorderedAway(t *testing.T, r *rand.Rand) {
	want, got := s.pair(t, r, func(o *graph.Options) { o.Order = graph.OrderGiven })
	a, err := want.Reorder(t.Context(), graph.ReorderOptions{Order: graph.OrderDegree})
	if err != nil {
		t.Fatal(err)
	}
	b, err := got.Reorder(t.Context(), graph.ReorderOptions{Order: graph.OrderDegree})
	if err != nil {
		t.Fatal(err)
	}
	if !sameRows(a.Out(), b.Out()) || !sameRows(a.In(), b.In()) {
		t.Error("renumbered before rows were fetched it differs")
	}
	if err := got.Close(); err != nil {
		t.Error(err)
	}
}

func (s Suite) reversedAway(t *testing.T, r *rand.Rand) {
	want, got := s.pair(t, r, func(o *graph.Options) { o.Directed, o.Reverse = true, true })
	var sums [2]any
	for i, g := range []*graph.Graph{want, got} {
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		q, err := p.Reversed()
		if err != nil {
			t.Fatal(err)
		}
		if sums[i], err = q.Graph().Checksum(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(g.Close(), p.Close()); err != nil {
			t.Error(err)
		}
	}
	if sums[0] != sums[1] {
		t.Error("the checksum of the reverse differs")
	}
}

// closedAway places, closes and fetches concurrently: a goroutine that holds the graph has its rows.
func (s Suite) closedAway(t *testing.T, r *rand.Rand) {
	want, got := s.pair(t, r, func(*graph.Options) {})
	release, err := got.Hold()
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		if p, err := got.On(s.Device); err == nil {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		} else if !errors.Is(err, device.ErrClosed) {
			t.Error(err)
		}
	})
	wait.Go(func() { _ = got.Fetch() })
	wait.Go(func() {
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	})
	if !sameRows(got.Out(), want.Out()) {
		t.Error("held it has other rows")
	}
	wait.Wait()
	release()
	if err := got.Fetch(); err != nil && !errors.Is(err, device.ErrClosed) {
		t.Error(err)
	}
}

// buildFailing has the device be out of memory at each allocation in turn.
func (s Suite) buildFailing(t *testing.T, fail func(after int)) {
	r := rand.New(rand.NewPCG(107, 1))
	for range s.times(24, 6) {
		in := randomInput(r, 0)
		in.combine(r)
		b, err := in.add(in.o)
		if err != nil {
			t.Fatal(err)
		}
		want, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		in.o.Device = s.Device
		for at := 1; at < 50; at++ {
			if b, err = in.add(in.o); err != nil {
				t.Fatal(err)
			}
			fail(at)
			got, err := b.Build(context.Background())
			fail(0)
			if err != nil { // late, when the pairs were gone
				if !errors.Is(err, device.ErrMemory) {
					t.Errorf("allocation %d: %v", at, err)
				}
				continue
			}
			if !sameRows(got.Out(), want.Out()) || !sameRows(got.In(), want.In()) || !in.sameIDs(got.IDs(), want.IDs()) {
				t.Errorf("%+v: without memory at allocation %d it differs", in.o, at)
			}
			if err := got.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// buildNothing drops Builders whose edges went to the device already.
func (s Suite) buildNothing(t *testing.T) {
	tuning.EarlyChunks, tuning.EarlyPairs = 4, 1<<12
	used := s.used()
	before := used()
	for _, weights := range []bool{false, true} {
		b := graph.NewBuilder(graph.Options{Device: s.Device, Weights: weights})
		e := graph.Batch{Type: graph.Int64, Src: make([]int64, 30_000), Dst: make([]int64, 30_000), Weights: make([]float32, 30_000)}
		if err := b.Add(e); err != nil {
			t.Fatal(err)
		}
		for at := time.Now(); s.GPU && used() == before; time.Sleep(time.Millisecond) {
			if time.Since(at) > 10*time.Second {
				t.Fatal("no edge has gone to the device")
			}
		}
		if err := errors.Join(b.Close(), b.Close()); err != nil {
			t.Fatal(err)
		}
		if err := b.Add(e); err == nil {
			t.Error("a Builder that was closed takes edges")
		}
		if _, err := b.Build(t.Context()); err == nil {
			t.Error("a Builder that was closed builds")
		}
		if left := used(); left != before {
			t.Errorf("%d bytes are left", left-before)
		}
	}
}
