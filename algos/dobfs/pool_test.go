// This file tests pools, of this package and of package bfs, and what searchers log.

package dobfs_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// Many goroutines share a pool with room for two searches.
func TestPool(t *testing.T) {
	for _, kind := range searchers {
		g := testgraph.ByName("skewed-undirected").Graph(34)
		p := testgraph.Place(g, 2)
		before := runtime.NumGoroutine()
		o := bfs.Options{Outputs: bfs.Depths | bfs.Parents}
		s, err := kind.one(p, o)
		if err != nil {
			t.Fatal(err)
		}
		b := device.NewBudget(2*s.Bytes() + 1)
		pool, err := kind.pool(p, o, b)
		if err != nil {
			t.Fatal(err)
		}
		if err := pool.Do(t.Context(), func(*bfs.Searcher) error {
			if b.Used() != s.Bytes() {
				t.Errorf("the pool takes %d bytes, a searcher says %d", b.Used(), s.Bytes())
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		var running, most atomic.Int64
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				r := rand.New(rand.NewPCG(34, uint64(i)))
				for range 10 {
					src := uint32(r.IntN(g.NumVertices()))
					ctx, cancel := context.WithCancel(context.Background())
					hasty := r.IntN(5) == 0
					if hasty {
						go cancel()
					}
					err := pool.Run(ctx, bfs.Query{Sources: []uint32{src}}, func(res *bfs.Result) error {
						n := running.Add(1)
						defer running.Add(-1)
						for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
						}
						return testsearch.Check(g, []uint32{src}, o, res)
					})
					cancel()
					if err != nil && !(hasty && errors.Is(err, context.Canceled)) {
						t.Errorf("%s: %v", kind.name, err)
					}
				}
			}()
		}
		wg.Wait()
		if most.Load() > 2 {
			t.Errorf("%s: %d searches ran at once, there is room for two", kind.name, most.Load())
		}
		if u := b.Used(); u == 0 || u > b.Total() {
			t.Errorf("%s: idle searchers hold %d bytes of %d", kind.name, u, b.Total())
		}
		for range 2 {
			if err := pool.Close(); err != nil {
				t.Error(err)
			}
		}
		if b.Used() != 0 || b.State().Waiting() != 0 {
			t.Errorf("%s: after Close %d used, %d waiting", kind.name, b.Used(), b.State().Waiting())
		}
		if err := pool.Run(context.Background(), bfs.Query{Sources: []uint32{0}}, func(*bfs.Result) error { return nil }); !errors.Is(err, device.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		// Goroutines are counted for a moment after they said that they are done.
		for range 1000 {
			if runtime.NumGoroutine() <= before {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%d goroutines are left, there were %d", n, before)
		}
		if _, err := kind.pool(p, o, device.NewBudget(s.Bytes()-1)); !errors.Is(err, device.ErrBudget) {
			t.Errorf("a budget that no search fits in: %v", err)
		}
	}
}

// Pools over two graphs share a budget with room for one search of either: an
// idle searcher makes way.
func TestPoolsShareABudget(t *testing.T) {
	small, large := testgraph.ByName("uniform-undirected").Graph(35), testgraph.ByName("road-undirected").Graph(35)
	o := bfs.Options{}
	var pools []*bfs.Pool
	graphs := []*graph.Graph{small, large}
	need := uint64(0)
	for _, g := range graphs {
		s, err := bfs.NewSearcher(testgraph.Place(g, 1), o)
		if err != nil {
			t.Fatal(err)
		}
		need = max(need, s.Bytes())
	}
	b := device.NewBudget(need)
	for _, g := range graphs {
		pool, err := dobfs.NewPool(testgraph.Place(g, 1), dobfs.Options{}, b)
		if err != nil {
			t.Fatal(err)
		}
		pools = append(pools, pool)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := range 20 {
				which := (i + k) % 2
				err := pools[which].Run(context.Background(), bfs.Query{Sources: []uint32{uint32(k)}}, func(r *bfs.Result) error {
					return testsearch.Check(graphs[which], []uint32{uint32(k)}, o, r)
				})
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	for _, pool := range pools {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}
	if b.Used() != 0 {
		t.Errorf("%d bytes are held in the end", b.Used())
	}
}

// The logger gets a line per search and, if it wants them, per level; nobody
// else gets any.
func TestLogger(t *testing.T) {
	g := testgraph.Path(5).Graph(36)
	for _, kind := range searchers {
		for level, want := range map[slog.Level]int{slog.LevelDebug: 6, slog.LevelInfo: 1, slog.LevelWarn: 0} {
			var out bytes.Buffer
			o := bfs.Options{Logger: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level}))}
			s, err := kind.one(testgraph.Place(g, 1), o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Run(context.Background(), bfs.Query{Sources: []uint32{0}}); err != nil {
				t.Fatal(err)
			}
			s.Close()
			if n := strings.Count(out.String(), "\n"); n != want {
				t.Errorf("%s, %s: %d lines, want %d:\n%s", kind.name, level, n, want, out.String())
			}
			if want > 0 && !strings.Contains(out.String(), "msg=search algorithm="+kind.name+" device=host reached=5 levels=5 limited=false") {
				t.Errorf("%s: %s", kind.name, out.String())
			}
		}
	}
}

// TestLoggerNamesIDs: log lines have the ids that the input has, not vertices' numbers.
func TestLoggerNamesIDs(t *testing.T) {
	b := graph.NewBuilder(graph.Options{})
	src := &graph.Strings{Offsets: []int64{0, 3, 6, 9}, Data: []byte("annbobzoe")}
	dst := &graph.Strings{Offsets: []int64{0, 3, 6, 13}, Data: []byte("zoezoecarl c.")}
	if err := b.Add(graph.Batch{SrcStrings: src, DstStrings: dst}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := testgraph.Place(g, 1)
	for _, kind := range searchers {
		var out bytes.Buffer
		o := bfs.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))}
		s, err := kind.one(p, o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, id := range []string{"bob", "carl c.", "zoe"} {
			v, err := g.VertexString(id)
			if err != nil {
				t.Fatal(err)
			}
			for what, search := range map[string]func() error{
				"searcher": func() error { _, err := s.Run(t.Context(), bfs.Query{Sources: []uint32{v}}); return err },
				"bfs":      func() error { _, err := bfs.Run(t.Context(), p, v, o); return err },
				"dobfs":    func() error { _, err := dobfs.Run(t.Context(), p, v, turned(o)); return err },
			} {
				out.Reset()
				want := " source=" + id + "\n"
				if strings.Contains(id, " ") {
					want = " source=" + strconv.Quote(id) + "\n"
				}
				if err := search(); err != nil || !strings.HasSuffix(out.String(), want) {
					t.Errorf("%s, %s: %v, %q; want it to end in %q", kind.name, what, err, out.String(), want)
				}
			}
		}
		out.Reset()
		if _, err := s.Run(t.Context(), bfs.Query{Sources: []uint32{0, 1}}); err != nil || !strings.HasSuffix(out.String(), " sources=2\n") {
			t.Errorf("%s: %v, %q", kind.name, err, out.String())
		}
	}
}
