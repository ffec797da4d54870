// This file tests what is reported of queries that fail or panic, and that pools count right then.

package traverse_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

// both runs a query by a searcher and by a pool of the searchers.
func both[S interface {
	Run(context.Context, Q) (R, error)
	Close() error
}, P interface {
	Run(context.Context, Q, func(R) error) error
	Close() error
}, Q, R any](t *testing.T, q Q, s S, err1 error, p P, err2 error) map[string]func(context.Context) error {
	t.Helper()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), p.Close()); err != nil {
			t.Error(err)
		}
	})
	return map[string]func(context.Context) error{
		"searcher": func(ctx context.Context) error { _, err := s.Run(ctx, q); return err },
		"pool":     func(ctx context.Context) error { return p.Run(ctx, q, func(R) error { return nil }) },
	}
}

// TestMetricsOfRefused: a query for a vertex that the graph doesn't have is reported once, with its error, and logged
// once, however it is run.
func TestMetricsOfRefused(t *testing.T) {
	p := weighted(t)
	var lines []string
	var lost int
	log, r := slog.New(noted{slog.DiscardHandler, &lines, &lost, slog.LevelInfo}), &recorder{}
	const none = 1000
	bo, do := bfs.Options{Metrics: r, Logger: log}, dobfs.Options{Metrics: r, Logger: log}
	so, mo, co := sssp.Options{Metrics: r, Logger: log}, msbfs.Options{Metrics: r, Logger: log}, bc.Options{Metrics: r, Logger: log}
	all := map[string]map[string]func(context.Context) error{}
	{
		s, err1 := bfs.NewSearcher(p, bo)
		q, err2 := bfs.NewPool(p, bo, nil)
		all["bfs"] = both(t, bfs.Query{Sources: []uint32{none}}, s, err1, q, err2)
		all["bfs, no source"] = both(t, bfs.Query{}, s, err1, q, err2)
		all["bfs, target"] = both(t, bfs.Query{Sources: []uint32{0}, Targets: []uint32{none}}, s, err1, q, err2)
	}
	{
		s, err1 := dobfs.NewSearcher(p, do)
		q, err2 := dobfs.NewPool(p, do, nil)
		all["dobfs"] = both(t, bfs.Query{Sources: []uint32{none}}, s, err1, q, err2)
	}
	{
		s, err1 := sssp.NewSearcher(p, so)
		q, err2 := sssp.NewPool(p, so, nil)
		all["sssp"] = both(t, sssp.Query{Sources: []uint32{none}}, s, err1, q, err2)
		all["sssp, no source"] = both(t, sssp.Query{}, s, err1, q, err2)
		all["sssp, target"] = both(t, sssp.Query{Sources: []uint32{0}, Targets: []uint32{none}}, s, err1, q, err2)
	}
	{
		s, err1 := msbfs.NewSearcher(p, mo)
		q, err2 := msbfs.NewPool(p, mo, nil)
		all["msbfs"] = both(t, []uint32{none}, s, err1, q, err2)
	}
	{
		s, err1 := bc.NewSearcher(p, co)
		q, err2 := bc.NewPool(p, co, nil)
		all["bc"] = both(t, []uint32{none}, s, err1, q, err2)
	}
	all["bfs"]["run"] = func(ctx context.Context) error { return second(bfs.Run(ctx, p, none, bo)) }
	all["dobfs"]["run"] = func(ctx context.Context) error { return second(dobfs.Run(ctx, p, none, do)) }
	all["sssp"]["run"] = func(ctx context.Context) error { return second(sssp.Run(ctx, p, none, so)) }
	all["msbfs"]["run"] = func(ctx context.Context) error { _, err := msbfs.Run(ctx, p, []uint32{none}, mo); return err }
	all["msbfs"]["each"] = func(ctx context.Context) error {
		for _, err := range msbfs.Each(ctx, p, []uint32{none}, msbfs.EachOptions{Metrics: r, Logger: log}) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	all["bc"]["run"] = func(ctx context.Context) error {
		o := co
		o.Sources = []uint32{none}
		return second(bc.Run(ctx, p, o))
	}
	all["closeness"] = map[string]func(context.Context) error{"run": func(ctx context.Context) error {
		return second(closeness.Run(ctx, p, closeness.Options{Metrics: r, Logger: log, Of: []uint32{none}}))
	}}
	ctx := context.WithValue(t.Context(), requestKey{}, 1)
	for name, ways := range all {
		for how, one := range ways {
			*r, lines = recorder{}, nil
			err := one(ctx)
			if !errors.Is(err, graph.ErrNoVertex) {
				t.Errorf("%s by a %s: %v", name, how, err)
			}
			if len(r.searches) != 1 || !errors.Is(r.searches[0].Err, graph.ErrNoVertex) || r.lost+lost > 0 {
				t.Errorf("%s by a %s: events %+v", name, how, r.searches)
			}
			if len(lines) != 1 || !strings.Contains(lines[0], "error=") {
				t.Errorf("%s by a %s: lines %q", name, how, lines)
			}
		}
	}
}

// TestMetricsOfPanics: a search in which a callback panics is reported once, with an error.
func TestMetricsOfPanics(t *testing.T) {
	p := weighted(t)
	r := &recorder{}
	bo := bfs.Options{Metrics: r, EachLevel: func(bfs.Level) { panic("enough") }}
	so := sssp.Options{Metrics: r, EachLevel: func(traverse.Level) { panic("enough") }}
	bs, err := bfs.NewSearcher(p, bo)
	if err != nil {
		t.Fatal(err)
	}
	defer bs.Close()
	ss, err := sssp.NewSearcher(p, so)
	if err != nil {
		t.Fatal(err)
	}
	defer ss.Close()
	for name, one := range map[string]func(ctx context.Context) error{
		"bfs":              func(ctx context.Context) error { return second(bfs.Run(ctx, p, 1, bo)) },
		"bfs, a searcher":  func(ctx context.Context) error { return second(bs.Run(ctx, bfs.Query{Sources: []uint32{1}})) },
		"sssp":             func(ctx context.Context) error { return second(sssp.Run(ctx, p, 1, so)) },
		"sssp, a searcher": func(ctx context.Context) error { return second(ss.Run(ctx, sssp.Query{Sources: []uint32{1}})) },
	} {
		*r = recorder{}
		if got := recovered(func() { _ = one(t.Context()) }); got != "enough" {
			t.Errorf("%s: %v", name, got)
		}
		if len(r.searches) != 1 || r.searches[0].Err == nil || !strings.HasSuffix(r.searches[0].Err.Error(), ": a panic ended the search") {
			t.Errorf("%s: events %+v", name, r.searches)
		}
	}
}

// recovered returns what a function panics with.
func recovered(f func()) (got any) {
	defer func() { got = recover() }()
	f()
	return nil
}

// TestPoolPanics: whatever panics in a call of a pool, its counts are right afterwards, nothing of the budget is lost,
// and the next call is served.
func TestPoolPanics(t *testing.T) {
	p := weighted(t)
	for event := range 4 {
		r := &recorder{}
		var broken bool
		a := traverse.Algorithm[int, int]{Name: "one", Run: func(*traverse.Traversal, int) (int, error) { return 0, nil },
			Memory: traverse.Memory{Arrays: []int{8}}}
		b := device.NewBudget(a.Memory.Bytes(p))
		q, err := traverse.NewPool(p, func() (*traverse.Searcher[int, int], error) {
			if broken {
				panic("make")
			}
			return traverse.NewSearcher(p, a, traverse.Options{Metrics: r})
		}, b)
		if err != nil {
			t.Fatal(err)
		}
		call := func() error { return q.Run(t.Context(), 0, func(int) error { return nil }) }
		if event < 3 { // the recorder panics: as the call begins to wait, as it gets a searcher, as it ends
			r.each = func() {
				if len(r.pools) == event {
					r.mu.Unlock()
					panic("recorder")
				}
			}
			if got := recovered(func() { _ = call() }); got != "recorder" {
				t.Errorf("event %d: %v", event, got)
			}
		} else {
			broken = true
			if got := recovered(func() { _ = call() }); got != "make" {
				t.Errorf("%v, want the panic of make", got)
			}
			if last := r.pools[len(r.pools)-1]; last.Err == nil || last.Waiting+last.Running != 0 || last.Used != 0 {
				t.Errorf("after make: %+v", last)
			}
		}
		broken, r.each = false, nil
		if err := call(); err != nil {
			t.Errorf("event %d, the next call: %v", event, err)
		}
		if last := r.pools[len(r.pools)-1]; last.Waiting != 0 || last.Running != 0 || last.Used != b.Total() {
			t.Errorf("event %d, after the next call: %+v", event, last)
		}
		if err := q.Close(); err != nil || b.Used() != 0 {
			t.Errorf("event %d: %v, %d bytes are held", event, err, b.Used())
		}
	}
}
