// This file holds when searches prepare their graph themselves.

package sssp

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/layout/byweight"
	"github.com/foray-graph/foray/traverse"
)

// Preparation says when a search prepares its graph, as Prepare does.
type Preparation uint8

const (
	// PrepareAuto prepares a graph of 2^20 directed edges or more that is searched repeatedly, if its rows by weight take no more
	// than half of the free memory. On a GPU the second search of most of the graph does so before it begins. On the
	// host goroutines do so during the third and later ones, on half of the processors; Placed.Close ends them.
	// Searches with targets or a limit don't count, nor do those level by level on GPUs.
	PrepareAuto Preparation = iota
	// PrepareAlways prepares the graph before the first search. An error is the search's. A graph that gains nothing is
	// searched as it is: Result.ByWeight is false then, and Prepare returns why.
	PrepareAlways
	// PrepareNever searches the rows as they are, even if another call prepared the graph.
	PrepareNever
)

// check returns graph.ErrOptions for an unknown value.
func (w Preparation) check() error {
	if w > PrepareNever {
		return fmt.Errorf("sssp: %w: unknown Preparation %d", graph.ErrOptions, w)
	}
	return nil
}

// form returns the graph to search: the rows by weight if they are there, else p.
func (o Options) form(ctx context.Context, p *graph.Placed) (*graph.Placed, error) {
	switch o.Prepare {
	case PrepareNever:
		return p, nil
	case PrepareAlways:
		if _, err := Prepare(ctx, p); err != nil {
			return nil, err
		}
	case PrepareAuto:
		h, err := placed.LoadOrMake(p.State(), historyKey{}, newHistory)
		if err != nil {
			return p, nil // the traversal finds out why
		}
		begin := run.Choose(p, run.Ways[func(context.Context, *history, *graph.Placed) error]{Host: onceBehind, GPU: onceNow, Shards: onceNow})
		if err := begin(ctx, h, p); err != nil {
			return nil, err
		}
		if h.behind.Load() { // searches don't wait for it
			return made(p), nil
		}
	}
	return prepared(ctx, p), nil
}

type historyKey struct{ placed.Of[*history] }

// history is what is known about the searches of a placed graph.
type history struct {
	searched atomic.Uint64 // vertices that counted searches reached
	begun    atomic.Bool   // it was prepared, or tried to be
	behind   atomic.Bool   // a goroutine is at it
}

func newHistory() (*history, error) { return &history{}, nil }

// note counts a search that has ended.
func (o Options) note(t *traverse.Traversal, q Query, reached int) {
	p := t.Placed()
	if o.Prepare != PrepareAuto || len(q.Targets) > 0 || !math.IsInf(atMost[float64](q.Limit), 1) || onGPUs(p) && o.Engine == traverse.LevelByLevel {
		return
	}
	if h, ok := placed.Lookup(p.State(), historyKey{}); ok {
		h.searched.Add(uint64(reached))
	}
}

// pays reports, once, that so many searches were made that another one prepares the graph.
func (h *history) pays(p *graph.Placed, searches int) bool {
	if h.begun.Load() || h.searched.Load() < uint64(searches)*uint64(p.NumVertices())/mostOf {
		return false
	}
	return fits(p, 0) && h.begun.CompareAndSwap(false, true) // where it doesn't fit there may be more memory later
}

// fits reports whether a graph is large enough for rows by weight, and they take at most half of the free memory of which
// a part is taken.
func fits(p *graph.Placed, taken uint64) bool {
	g := p.Graph()
	if g.NumDirectedEdges() < tuning.ByWeightEdges || p.Remote().InTiers() {
		return false
	}
	kept, beside := byweight.Bytes(g)
	free := p.Device().Info().MemoryFree
	return free == 0 || taken < free && kept+beside <= (free-taken)/2
}

// ahead prepares the graph of a pool on GPUs before the pool shares out its memory, as no search of the pool does later.
func (o Options) ahead(p *graph.Placed, b *device.Budget) error {
	if p.Err() != nil || !onGPUs(p) || o.Prepare == PrepareNever {
		return nil // NewSearcher returns the error
	}
	h, err := placed.LoadOrMake(p.State(), historyKey{}, newHistory)
	if err != nil || o.Prepare == PrepareAuto && h.begun.Swap(true) {
		return nil
	}
	var taken uint64
	if b != nil {
		taken = b.Total()
	}
	if o.Prepare == PrepareAlways || fits(p, taken) {
		_, err = Prepare(context.Background(), p)
	}
	if o.Prepare == PrepareAuto {
		return nil
	}
	return err
}

// onceNow prepares a graph on GPUs. The error is the context's: without rows by weight a search goes over those that
// there are.
func onceNow(ctx context.Context, h *history, p *graph.Placed) error {
	if !h.pays(p, 1) {
		return nil
	}
	if _, err := Prepare(ctx, p); err != nil && ctx.Err() != nil {
		h.begun.Store(false)
		return err
	}
	return nil
}

// onceBehind has a goroutine prepare a graph on the host.
func onceBehind(_ context.Context, h *history, p *graph.Placed) error {
	if !h.pays(p, 2) {
		return nil
	}
	h.behind.Store(true)
	began := p.State().Behind(func(ctx context.Context) {
		defer h.behind.Store(false)
		// After an error, as after a panic, searches go over the rows that there are.
		_ = panics.Call(func() error {
			_, err := prepareOn(ctx, p, max(1, runtime.GOMAXPROCS(0)/2))
			return err
		})
	})
	if !began {
		h.behind.Store(false)
	}
	return nil
}
