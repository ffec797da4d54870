// This file holds the tests of graphs that are freed and closed by the callbacks of the
// searches themselves.

package conformance

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// calling is a log handler that calls a function.
type calling struct {
	slog.Handler
	call func(r slog.Record)
}

func (c calling) Enabled(context.Context, slog.Level) bool { return true }

func (c calling) Handle(_ context.Context, r slog.Record) error {
	c.call(r)
	return nil
}

// FreedByCallbacks frees and closes the graph from within each kind of callback:
// no callback waits for itself, and the search ends as documented.
func (s Suite) FreedByCallbacks(t *testing.T) {
	g := s.caseOf("road-undirected").Graph(131)
	ctx := context.Background()
	couplings := []string{""}
	if s.GPU {
		couplings = append(couplings, "fused", "contract-expand", "two-phase", "quadratic", "quadratic-pull")
	}
	for what, c := range map[string]struct {
		closed bool // the search ends with device.ErrClosed
		run    func(p *graph.Placed, coupling string, free func()) error
	}{
		"progress": {true, func(p *graph.Placed, c string, free func()) error {
			res, err := bfs.Run(ctx, p, 1, bfs.Options{Tuning: bfs.Tuning{Coupling: c}, EachLevel: func(l bfs.Level) {
				if l.Level == 3 {
					free()
				}
			}})
			res.Close()
			return err
		}},
		"progress of dobfs": {true, func(p *graph.Placed, _ string, free func()) error {
			res, err := dobfs.Run(ctx, p, 1, dobfs.Options{EachLevel: func(l bfs.Level) {
				if l.Level == 1 {
					free()
				}
			}})
			res.Close()
			return err
		}},
		"log of a search": {false, func(p *graph.Placed, c string, free func()) error {
			res, err := bfs.Run(ctx, p, 1, bfs.Options{Tuning: bfs.Tuning{Coupling: c}, Logger: slog.New(calling{slog.DiscardHandler, func(r slog.Record) {
				if r.Message == "search" {
					free()
				}
			}})})
			if err == nil && !slices.Equal(testgraph.Array(res.Depths()), oracle.Depths(g.Out(), 1)) {
				t.Error("the depths of a freed graph are wrong")
			}
			res.Close()
			return err
		}},
		"log of a searcher": {false, func(p *graph.Placed, c string, free func()) error {
			one, err := bfs.NewSearcher(p, bfs.Options{Tuning: bfs.Tuning{Coupling: c}, Logger: slog.New(calling{slog.DiscardHandler, func(r slog.Record) {
				if r.Message == "search" {
					free()
				}
			}})})
			if err != nil {
				return err
			}
			_, err = one.Run(ctx, bfs.Query{Sources: []uint32{1}})
			return errors.Join(err, one.Close())
		}},
		"batch": {true, func(p *graph.Placed, c string, free func()) error {
			one, err := bfs.NewSearcher(p, bfs.Options{Tuning: bfs.Tuning{Coupling: c}})
			if err != nil {
				return err
			}
			return errors.Join(testgraph.Each(one.Batch(ctx, []uint32{0, 1, 2, 3}), func(i int, _ *bfs.Result) error {
				if i == 1 {
					free()
				}
				return nil
			}), one.Close())
		}},
		"the last of a batch": {false, func(p *graph.Placed, c string, free func()) error {
			one, err := bfs.NewSearcher(p, bfs.Options{Tuning: bfs.Tuning{Coupling: c}})
			if err != nil {
				return err
			}
			return errors.Join(testgraph.Each(one.Batch(ctx, []uint32{0, 1}), func(i int, _ *bfs.Result) error {
				if i == 1 {
					free()
				}
				return nil
			}), one.Close())
		}},
		"pool": {true, func(p *graph.Placed, c string, free func()) error {
			pool, err := bfs.NewPool(p, bfs.Options{Tuning: bfs.Tuning{Coupling: c}}, nil)
			if err != nil {
				return err
			}
			err = pool.Do(ctx, func(one *bfs.Searcher) error {
				_, err := one.Run(ctx, bfs.Query{Sources: []uint32{1}})
				free()
				if err == nil {
					_, err = one.Run(ctx, bfs.Query{Sources: []uint32{1}})
				}
				return err
			})
			return errors.Join(err, pool.Close())
		}},
	} {
		used := s.used()
		for _, coupling := range couplings {
			before := used()
			l, back := lent(t, g)
			p, err := l.On(s.Device)
			if err != nil {
				t.Fatal(err)
			}
			freed := 0
			err = c.run(p, coupling, func() {
				if err := errors.Join(p.Close(), l.Close()); err != nil {
					t.Error(err)
				}
				if freed++; back() != 1 {
					t.Errorf("%s, %s: the graph isn't given back at once", what, coupling)
				}
			})
			if freed == 0 || errors.Is(err, device.ErrClosed) != c.closed || err != nil && !c.closed {
				t.Errorf("%s, %s: freed %d times, %v", what, coupling, freed, err)
			}
			if left := used(); left != before {
				t.Errorf("%s, %s: %d bytes are left, there were %d", what, coupling, left, before)
			}
		}
	}
}
