// This file tests how a build runs: canceling and progress.

package graph

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// fading is a context that is canceled after it was asked a number of times.
type fading struct {
	context.Context
	left atomic.Int64
}

func (f *fading) Err() error {
	if f.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestBuildCanceled cancels at many of the points where the context is looked
// at.
func TestBuildCanceled(t *testing.T) {
	testlong.Only(t)
	r := rand.New(rand.NewPCG(7, 8))
	before := runtime.NumGoroutine()
	for _, k := range []kind{kinds[0], kinds[2], kinds[3], kinds[13]} {
		edges := k.randomEdges(r, 3000, 50_000)
		for _, o := range []Options{{Order: OrderDegree}, {Directed: true, Reverse: true}, {KeepDuplicates: true}} {
			o.Workers = 3
			batch := k.batch(edges, false)
			for name, build := range map[string]func(ctx context.Context) (*Graph, error){
				"Builder": func(ctx context.Context) (*Graph, error) {
					b := NewBuilder(o)
					if err := b.Add(batch); err != nil {
						t.Fatal(err)
					}
					return b.Build(ctx)
				},
				"TwoPass": func(ctx context.Context) (*Graph, error) {
					return TwoPass(ctx, o, func(_ context.Context, yield func(Batch) error) error { return yield(batch) })
				},
			} {
				all := &fading{Context: context.Background()}
				all.left.Store(math.MaxInt64)
				if _, err := build(all); err != nil {
					t.Fatal(err)
				}
				// How often it is looked at depends a little on how ids hash.
				looks := (math.MaxInt64 - all.left.Load()) * 3 / 4
				times := int64(20)
				if raced {
					times = 6
				}
				for i := int64(0); i < looks; i += 1 + looks/times {
					ctx := &fading{Context: context.Background()}
					ctx.left.Store(i)
					if g, err := build(ctx); g != nil || !errors.Is(err, context.Canceled) {
						t.Errorf("%s, %s, canceled at look %d of %d: %v", k.name, name, i, looks, err)
					}
				}
			}
		}
	}
	// Goroutines are counted for a moment after they said that they are done.
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// TestProgress says that calls don't overlap and don't go back.
func TestProgress(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	var inside atomic.Int32
	phases := map[string]uint64{}
	o := Options{Workers: 4, Progress: func(p Progress) {
		phase, done, total := p.Phase, p.Done, p.Total
		if inside.Add(1) != 1 {
			t.Error("two calls at once")
		}
		if done < phases[phase] || total != 0 && done > total {
			t.Errorf("%s: %d of %d after %d", phase, done, total, phases[phase])
		}
		phases[phase] = done
		inside.Add(-1)
	}}
	b := NewBuilder(o)
	k := kinds[1]
	edges := k.randomEdges(r, 1000, 100_000)
	for range 11 {
		k.add(t, r, edges, false, b.Add)
	}
	if _, err := b.Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	if phases["read"] < 1<<20 || len(phases) < 4 {
		t.Error(phases)
	}
}
