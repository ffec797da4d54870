// This file tests filters that are used wrongly, canceled, or told nonsense.

package filter_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/testing/testctx"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
)

func TestErrors(t *testing.T) {
	b := newBench(t, context.Background(), 100, 2)
	b.load(frontier.Queue, []uint32{4, 4}, []uint32{4})
	queue := frontier.New(b.p)
	for what, err := range map[string]error{
		"cull against a queue":      b.f.Cull(b.fr, queue),
		"unvisited against a queue": b.f.Unvisited(b.fr, queue),
		"cull against itself":       b.f.Cull(b.seen, b.seen),
		"unvisited against itself":  b.f.Unvisited(b.seen, b.seen),
		"keep without a predicate":  b.f.Keep(b.seen, nil),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	b.want("after refusing", b.fr, frontier.Queue, []uint32{4, 4})
	b.want("after refusing", b.seen, frontier.Bitmap, []uint32{4})
	if b.f.Bind(elsewhere{}) {
		t.Error("a stream of another device fits")
	}
	if _, err := filter.New(elsewhere{}, b.p); !errors.Is(err, device.ErrNotSupported) || !strings.Contains(err.Error(), "tpu:3") {
		t.Error(err)
	}
	// Another stream of the host fits, with any number of workers.
	s := host.New(5).Stream(context.Background())
	defer s.Close()
	if !b.f.Bind(s) {
		t.Error("another stream of the host doesn't fit")
	}
	must(t, b.f.Unvisited(b.fr, b.seen))
	b.want("bound anew", b.fr, frontier.Queue, nil)
}

type elsewhere struct{ device.Stream }

func (elsewhere) Device() device.Device { return tpu{} }

type tpu struct{ device.Device }

func (tpu) Info() device.Info { return device.Info{Kind: "tpu", Name: "tpu:3"} }

// operators are all of them, by name.
func (b *bench) operators() map[string]func() error {
	keep := filter.Func(func(_ operators.Worker, in, out []uint32) int { return copy(out, in) })
	return map[string]func() error{
		"cull":      func() error { return b.f.Cull(b.fr, b.seen) },
		"unvisited": func() error { return b.f.Unvisited(b.fr, b.seen) },
		"unique":    func() error { return b.f.Unique(b.fr) },
		"keep":      func() error { return b.f.Keep(b.fr, keep) },
	}
}

func TestCanceled(t *testing.T) {
	for _, n := range []int{10, 200_000} {
		vs := make([]uint32, n)
		for v := range vs {
			vs[v] = uint32(v)
		}
		for _, workers := range []int{1, 3} {
			for _, form := range []frontier.Form{frontier.Queue, frontier.Bitmap} {
				for looks := range int32(2) { // done before the call, or during it
					for name := range newBench(t, context.Background(), 1, 1).operators() {
						if form == frontier.Bitmap && (name == "unique" || name == "keep") {
							continue // nothing to do, or an error anyway
						}
						ctx := testctx.NewLate()
						b := newBench(t, ctx, n, workers)
						b.load(form, vs, nil)
						ctx.Cancel(looks, b.s.Stopped)
						if err := b.operators()[name](); !errors.Is(err, context.Canceled) {
							t.Errorf("%s of a %s, %d vertices, %d workers: %v", name, form, n, workers, err)
						}
					}
				}
			}
		}
	}
}

// TestKeepCanceled cancels from within the predicate.
func TestKeepCanceled(t *testing.T) {
	for _, workers := range []int{1, 3} {
		ctx, cancel := context.WithCancel(context.Background())
		b := newBench(t, ctx, 100_000, workers)
		vs := make([]uint32, 100_000)
		b.load(frontier.Queue, vs, nil)
		var asked atomic.Int64
		err := b.f.Keep(b.fr, filter.Func(func(_ operators.Worker, in, out []uint32) int {
			asked.Add(int64(len(in)))
			cancel()
			for !b.s.Stopped() {
				runtime.Gosched()
			}
			return copy(out, in)
		}))
		if !errors.Is(err, context.Canceled) || asked.Load() > 50_000 {
			t.Errorf("%d workers: %v after %d vertices", workers, err, asked.Load())
		}
		s := host.New(workers).Stream(context.Background())
		defer s.Close()
		b.f.Bind(s)
		b.load(frontier.Queue, vs, nil)
		must(t, b.f.Unique(b.fr))
		b.want("after canceling", b.fr, frontier.Queue, []uint32{0})
	}
}

func TestAllocatesNothing(t *testing.T) {
	for _, form := range []frontier.Form{frontier.Queue, frontier.Bitmap} {
		for _, workers := range []int{1, 3} {
			b := newBench(t, context.Background(), 200_000, workers)
			vs := make([]uint32, 100_000)
			for v := range vs {
				vs[v] = uint32(2 * v)
			}
			for name, f := range b.operators() {
				if form == frontier.Bitmap && name == "keep" {
					continue
				}
				b.load(form, vs, nil)
				must(t, f())
				if n := testing.AllocsPerRun(10, func() { must(t, f()) }); n != 0 {
					t.Errorf("%s of a %s, %d workers: %v allocations", name, form, workers, n)
				}
			}
		}
	}
}

// TestMisuse: what an operator can't run on is an error of a kind.
func TestMisuse(t *testing.T) {
	b := newBench(t, context.Background(), 100, 2)
	other := newBench(t, context.Background(), 100, 2)
	b.load(frontier.Queue, []uint32{4, 5}, []uint32{4})
	queue, freed := frontier.New(b.p), frontier.New(b.p)
	must(t, freed.Close())
	keep := filter.Func(func(_ operators.Worker, in, _ []uint32) int { return len(in) })
	for what, c := range map[string]struct{ err, want error }{
		"cull against a queue":     {b.f.Cull(b.fr, queue), frontier.ErrForm},
		"cull against none":        {b.f.Cull(b.fr, nil), frontier.ErrForeign},
		"cull of none":             {b.f.Cull(nil, b.seen), frontier.ErrForeign},
		"cull against itself":      {b.f.Cull(b.seen, b.seen), frontier.ErrAliased},
		"cull of another graph's":  {b.f.Cull(other.fr, b.seen), frontier.ErrForeign},
		"cull by another graph's":  {b.f.Cull(b.fr, other.seen), frontier.ErrForeign},
		"cull of a freed one":      {b.f.Cull(freed, b.seen), device.ErrClosed},
		"cull by a freed one":      {b.f.Unvisited(b.fr, freed), device.ErrClosed},
		"unique of none":           {b.f.Unique(nil), frontier.ErrForeign},
		"unique of another's":      {b.f.Unique(other.seen), frontier.ErrForeign},
		"keep of none":             {b.f.Keep(nil, keep), frontier.ErrForeign},
		"keep of another graph's":  {b.f.Keep(other.fr, keep), frontier.ErrForeign},
		"keep without a predicate": {b.f.Keep(b.fr, nil), operators.ErrFunctor},
		"keep with a nil Func":     {b.f.Keep(b.fr, filter.Func(nil)), operators.ErrFunctor},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: got %v, want %v", what, c.err, c.want)
		}
	}
	b.want("after refusing", b.fr, frontier.Queue, []uint32{4, 5})
	b.want("after refusing", b.seen, frontier.Bitmap, []uint32{4})
	if f, err := filter.New(nil, b.p); !errors.Is(err, device.ErrNotSupported) || f != nil {
		t.Errorf("on no stream: %v", err)
	}
	if f, err := filter.New(b.s, nil); !errors.Is(err, graph.ErrNoGraph) || f != nil {
		t.Errorf("over no graph: %v", err)
	}
}

// TestClosed: operators fail once their stream, graph or Filterer is gone.
func TestClosed(t *testing.T) {
	for _, workers := range []int{1, 2} {
		for what, end := range map[string]func(b *bench) error{
			"the stream":       func(b *bench) error { return b.s.Close() },
			"the placed graph": func(b *bench) error { return b.p.Close() },
			"the Filterer":     func(b *bench) error { return errors.Join(b.f.Unique(b.fr), b.f.Close(), b.f.Close()) },
		} {
			b := newBench(t, context.Background(), 100, workers)
			b.load(frontier.Queue, []uint32{4, 4}, nil)
			must(t, end(b))
			for name, f := range b.operators() {
				if err := f(); !errors.Is(err, device.ErrClosed) {
					t.Errorf("%s after %s: got %v, want ErrClosed", name, what, err)
				}
			}
		}
	}
	var none *filter.Filterer
	must(t, none.Close())
}

// TestPredicateReturnsNonsense: a count that can't be is an error; the queue is
// empty, and the Filterer as good as before.
func TestPredicateReturnsNonsense(t *testing.T) {
	for _, workers := range []int{1, 3} {
		b := newBench(t, context.Background(), 20_000, workers)
		all := make([]uint32, 20_000)
		for v := range all {
			all[v] = uint32(v)
		}
		for what, by := range map[string]func(int) int{
			"-1":       func(int) int { return -1 },
			"one more": func(most int) int { return most + 1 },
			"the most": func(int) int { return 1<<63 - 1 },
		} {
			for _, vs := range [][]uint32{all, all[:5]} {
				b.load(frontier.Queue, vs, nil)
				err := b.f.Keep(b.fr, filter.Func(func(_ operators.Worker, in, _ []uint32) int { return by(len(in)) }))
				if !errors.Is(err, operators.ErrFunctor) || b.fr.Len() != 0 {
					t.Errorf("%d workers, %s: %d left, %v", workers, what, b.fr.Len(), err)
				}
			}
		}
		b.load(frontier.Queue, all, all[5:])
		must(t, b.f.Cull(b.fr, b.seen))
		b.want("after faults", b.fr, frontier.Queue, all[:5])
	}
}
