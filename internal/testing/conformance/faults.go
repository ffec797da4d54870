// This file tests failures on a GPU: no memory, a search that is
// given up.

package conformance

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// Allocations lets the k-th allocation of placing and searching fail, for every
// k: each time there is one clear error, and nothing stays behind.
func (s Suite) Allocations(t *testing.T) {
	dev := s.Device.(*gpu.Device)
	given := testgraph.ByName("skewed-undirected").Graph(61)
	byDegree, err := given.Reorder(t.Context(), graph.ReorderOptions{Order: graph.OrderDegree})
	if err != nil {
		t.Fatal(err)
	}
	search := func(coupling string, pull bool) error {
		g, byID := given, coupling == "fused"
		if byID { // in an order other than by ids
			g = byDegree
		}
		p, err := g.On(dev)
		if err != nil {
			return err
		}
		var res *bfs.Result
		if pull {
			res, err = dobfs.RunMultiSource(context.Background(), p, []uint32{1, 2}, dobfs.Options{Outputs: bfs.Depths | bfs.Parents, ByID: byID, Tuning: bfs.Tuning{Coupling: coupling}})
		} else {
			res, err = bfs.RunMultiSource(context.Background(), p, []uint32{1, 2}, bfs.Options{Outputs: bfs.Depths | bfs.Parents, ByID: byID, Tuning: bfs.Tuning{Coupling: coupling}})
		}
		res.Close()
		return errors.Join(err, p.Close())
	}
	for _, c := range []struct {
		name     string
		coupling string
		pull     bool
	}{{"bfs", "", false}, {"two-phase", "two-phase", false}, {"dobfs", "", true}, {"by id", "fused", false}, {"dobfs by id", "fused", true}} {
		if err := search(c.coupling, c.pull); err != nil { // afterwards the device has its permanent memory
			t.Fatal(err)
		}
		before := dev.Context().Live()
		k := 1
		for ; ; k++ {
			dev.Context().FailAlloc(k)
			err := search(c.coupling, c.pull)
			left := dev.Context().Live()
			if left != before {
				t.Fatalf("%s, allocation %d: %+v is in use, %+v was", c.name, k, left, before)
			}
			if err == nil {
				break
			}
			if !errors.Is(err, driver.ErrOutOfMemory) || !strings.Contains(err.Error(), "made to fail") {
				t.Fatalf("%s, allocation %d: %v", c.name, k, err)
			}
		}
		dev.Context().FailAlloc(0)
		if k < 8 {
			t.Errorf("%s: only %d allocations", c.name, k-1)
		}
	}
}

// PreparedFails makes each allocation for pulls fail in turn: the memory allocated before is
// freed at once, and the next attempt succeeds.
func (s Suite) PreparedFails(t *testing.T) {
	dev := s.Device.(*gpu.Device)
	p, err := testgraph.ByName("skewed-undirected").Graph(61).On(dev)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	defer dev.Context().FailAlloc(0)
	bytes, used := p.Remote().Bytes, dev.Used()
	for k := 1; k <= 2; k++ {
		dev.Context().FailAlloc(k)
		if _, err := p.PrepareRemote(); !errors.Is(err, device.ErrMemory) {
			t.Fatalf("allocation %d: %v", k, err)
		}
		if p.Remote().Bytes != bytes || dev.Used() != used {
			t.Errorf("allocation %d: %d bytes of %d in use, there were %d of %d", k, p.Remote().Bytes, dev.Used(), bytes, used)
		}
	}
	dev.Context().FailAlloc(0)
	if prep, err := p.PrepareRemote(); err != nil || prep.First == 0 || prep.None == 0 {
		t.Fatalf("%+v, %v", prep, err)
	}
}

// Panics lets callbacks panic: the panic reaches the caller, nothing stays
// behind, and the next search is right.
func (s Suite) Panics(t *testing.T) {
	g := s.caseOf("road-undirected").Graph(63)
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for i := range s.times(20, 5) {
		func() {
			defer func() {
				if recover() != "enough" {
					t.Error("the callback's panic didn't reach the caller")
				}
			}()
			res, err := bfs.Run(context.Background(), p, 1, bfs.Options{EachLevel: func(l bfs.Level) {
				if l.Level == i+1 {
					panic("enough")
				}
			}})
			if err == nil {
				res.Close()
			}
			panic("enough") // fewer levels than that
		}()
		s.check(t, variant{name: "after a panic"}, p, []uint32{uint32(i)}, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
	}
	s.loggerPanics(t, p)
	if dev, ok := s.Device.(*gpu.Device); ok {
		if live := dev.Context().Live(); live.Streams > 20 {
			t.Errorf("%d streams are left", live.Streams)
		}
	}
}

// loggerPanics makes the logger panic at the line of a level, while one kernel may be
// running, and at the line of a search, whose result exists by then and has no owner: the next search
// reuses the memory.
func (s Suite) loggerPanics(t *testing.T, p *graph.Placed) {
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo} {
		s.loggerPanicsAt(t, p, slog.New(loudHandler{slog.DiscardHandler, level}))
	}
}

func (s Suite) loggerPanicsAt(t *testing.T, p *graph.Placed, loud *slog.Logger) {
	used := s.used()
	for _, coupling := range []string{"", "fused"} {
		if coupling != "" && !s.GPU {
			continue
		}
		run := func(l *slog.Logger) {
			defer func() {
				if got := recover(); (got == "loud") != (l != nil) {
					t.Errorf("%s: a search panicked with %v", coupling, got)
				}
			}()
			res, err := bfs.Run(context.Background(), p, 1, bfs.Options{Outputs: bfs.Depths | bfs.Parents, ByID: true, Stats: true, Tuning: bfs.Tuning{Coupling: coupling}, Logger: l})
			if err != nil {
				t.Error(err)
			}
			res.Close()
		}
		run(nil)
		before := used()
		for range 3 {
			run(loud)
		}
		run(nil)
		if left := used(); left != before {
			t.Errorf("%s: %d bytes are in use after the logger's panics, there were %d", coupling, left, before)
		}
	}
}

// loudHandler panics at lines of a level and above.
type loudHandler struct {
	slog.Handler
	from slog.Level
}

func (h loudHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.from }

func (loudHandler) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "search" {
		panic("loud")
	}
	return nil
}

// cancelledAnywhere gives searches up after some microseconds, wherever they are
// by then, and searches at once beside and after them. The two graphs take
// different amounts of a kernel's shared memory.
func (s Suite) cancelledAnywhere(t *testing.T) {
	spec, times := "grid2d:400x300", 60
	if s.Small {
		spec, times = "grid2d:30x25", 6
	}
	large, small := s.generate(t, spec), s.generate(t, "grid2d:10x8")
	for i := range times {
		if s.Small {
			i *= 20
		}
		from := func(p *graph.Placed, k int) []uint32 { return []uint32{uint32(k % p.NumVertices())} }
		for _, coupling := range []string{"", "fused", "contract-expand", "quadratic-pull"} {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+i*i)*time.Microsecond)
			var wg sync.WaitGroup
			wg.Add(1)
			go func() {
				defer wg.Done()
				s.check(t, variant{name: "beside"}, large, from(large, i), bfs.Options{Outputs: bfs.Depths | bfs.Parents})
			}()
			res, err := bfs.Run(ctx, large, 7, bfs.Options{Tuning: bfs.Tuning{Coupling: coupling}})
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%s, canceled after %d µs: %v", coupling, 1+i*i, err)
			}
			res.Close()
			wg.Wait()
			cancel()
			s.check(t, variant{name: "after"}, large, from(large, i*13), bfs.Options{Outputs: bfs.Depths | bfs.Parents})
			s.check(t, variant{name: "after, dobfs", pull: true}, large, from(large, i*7), bfs.Options{})
			s.check(t, variant{name: "small"}, small, from(small, i), bfs.Options{})
		}
	}
}

// Canceled gives searches up at every level: the error is the context's, and
// the next search is right.
func (s Suite) Canceled(t *testing.T) {
	g := s.caseOf("path").Graph(62)
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for at := 1; at <= s.times(40, 4); at++ {
		ctx, cancel := context.WithCancel(context.Background())
		res, err := bfs.Run(ctx, p, 5, bfs.Options{EachLevel: func(l bfs.Level) {
			if l.Level == at {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || res != nil {
			t.Fatalf("canceled at level %d: %v", at, err)
		}
		cancel()
		s.check(t, variant{name: "after"}, p, []uint32{uint32(at - 1)}, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
	}
	if s.GPU {
		s.cancelledAnywhere(t)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := bfs.Run(done, p, 5, bfs.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled before: %v", err)
	}
	if _, err := bfs.Run(context.Background(), p, 1<<30, bfs.Options{}); !errors.Is(err, graph.ErrNoVertex) {
		t.Errorf("no such source: %v", err)
	}
}
