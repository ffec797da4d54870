package budget_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/budget"
)

// waiting returns when so many wait for the budget.
func waiting(b *budget.Budget, n int) {
	for b.Waiting() != n {
		runtime.Gosched()
	}
}

func acquire(t *testing.T, b *budget.Budget, bytes uint64) *budget.Hold {
	t.Helper()
	h, err := b.Reuse(context.Background(), nil, bytes, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestBudgetIsFirstComeFirstServed(t *testing.T) {
	b := &budget.Budget{Bytes: 10}
	first := acquire(t, b, 8)
	got := make(chan int)
	var holds [3]*budget.Hold
	for i, bytes := range []uint64{5, 1, 4} { // 1 would fit, but came second
		go func() {
			holds[i], _ = b.Reuse(context.Background(), nil, bytes, nil)
			got <- i
		}()
		waiting(b, i+1)
	}
	first.Release()
	first.Release() // does nothing
	for range 3 {
		<-got
	}
	if b.Used() != 10 || b.Waiting() != 0 {
		t.Errorf("%d used, %d waiting", b.Used(), b.Waiting())
	}
	next := make(chan int, 2)
	go func() { acquire(t, b, 9).Release(); next <- 9 }()
	waiting(b, 1)
	go func() { acquire(t, b, 1).Release(); next <- 1 }()
	waiting(b, 2)
	holds[0].Release()
	if b.Waiting() != 2 {
		t.Error("who came second went first")
	}
	holds[2].Release()
	if first, second := <-next, <-next; first+second != 10 {
		t.Error(first, second)
	}
	holds[1].Release()
	if b.Used() != 0 {
		t.Errorf("%d used in the end", b.Used())
	}
}

func TestBudgetRefusesAndCancels(t *testing.T) {
	b := &budget.Budget{Bytes: 10}
	if _, err := b.Reuse(context.Background(), nil, 11, nil); !errors.Is(err, device.ErrBudget) || !strings.Contains(err.Error(), "11 B") || !strings.Contains(err.Error(), "is 10 B") {
		t.Errorf("more than there is: %v", err)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.Reuse(over, nil, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled before: %v", err)
	}
	all := acquire(t, b, 10)
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() { _, err := b.Reuse(ctx, nil, 10, nil); failed <- err }()
	waiting(b, 1)
	served := make(chan *budget.Hold)
	go func() { served <- acquire(t, b, 3) }()
	waiting(b, 2)
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("canceled while waiting: %v", err)
	}
	all.Release()
	(<-served).Release()
	if b.Used() != 0 || b.Waiting() != 0 {
		t.Errorf("%d used, %d waiting", b.Used(), b.Waiting())
	}
	// The first in the queue gives up, and the one behind fits.
	most := acquire(t, b, 8)
	ctx, cancel = context.WithCancel(context.Background())
	go func() { _, err := b.Reuse(ctx, nil, 5, nil); failed <- err }()
	waiting(b, 1)
	go func() { served <- acquire(t, b, 2) }()
	waiting(b, 2)
	cancel()
	<-failed
	(<-served).Release()
	most.Release()
}

func TestBudgetParks(t *testing.T) {
	b, ctx := &budget.Budget{Bytes: 10}, context.Background()
	reuse := func(kind any) *budget.Hold {
		t.Helper()
		h, err := b.Reuse(ctx, nil, 4, kind)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	var evicted []string
	park := func(h *budget.Hold, name string) {
		h.Value = name
		h.Park(func() { evicted = append(evicted, name) })
	}
	x, y := reuse("a"), reuse("a")
	park(x, "x")
	park(y, "y")
	if b.Used() != 8 {
		t.Errorf("parked holds don't count: %d", b.Used())
	}
	if h := reuse("a"); h.Value != "y" {
		t.Errorf("got %v, want what was parked last", h.Value)
	} else {
		park(h, "y")
	}
	if h := reuse("b"); h.Value != nil || len(evicted) != 1 || evicted[0] != "x" {
		t.Errorf("another kind got %v, evicted %v", h.Value, evicted)
	} else {
		park(h, "z")
	}
	acquire(t, b, 10).Release() // takes both
	if len(evicted) != 3 || b.Used() != 0 {
		t.Errorf("evicted %v, %d used", evicted, b.Used())
	}
	park(reuse("a"), "v")
	park(reuse("b"), "w")
	b.Evict("a")
	if b.Used() != 4 || evicted[3] != "v" {
		t.Errorf("evicted %v, %d used", evicted, b.Used())
	}
}

// Many goroutines hold, park, reuse and give up: never is more held than there
// is, and nothing is held in the end.
func TestBudgetAtRandom(t *testing.T) {
	const total = 100
	b := &budget.Budget{Bytes: total}
	var held atomic.Int64
	take := func(n int64) {
		if held.Add(n) > total {
			t.Error("more is held than there is")
		}
	}
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(1, uint64(g)))
			kind := any(g % 3)
			size := uint64(20 + 10*(g%3))
			for range 300 {
				ctx, cancel := context.WithCancel(context.Background())
				if r.IntN(4) == 0 {
					go cancel()
				}
				bytes := uint64(r.IntN(total + 1))
				if r.IntN(2) == 0 {
					bytes = size
				}
				var h *budget.Hold
				var err error
				if bytes == size {
					h, err = b.Reuse(ctx, nil, size, kind)
				} else {
					h, err = b.Reuse(ctx, nil, bytes, nil)
				}
				cancel()
				if err != nil {
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					continue
				}
				if h.Value == nil {
					take(int64(bytes))
				}
				if bytes == size && r.IntN(2) == 0 {
					h.Value = kind
					h.Park(func() { held.Add(-int64(size)) })
					continue
				}
				held.Add(-int64(bytes))
				h.Release()
			}
		}()
	}
	wg.Wait()
	for k := range 3 {
		b.Evict(k)
	}
	if b.Used() != 0 || b.Waiting() != 0 || held.Load() != 0 {
		t.Errorf("in the end %d used, %d waiting, %d held", b.Used(), b.Waiting(), held.Load())
	}
}

// TestBudgetStops: once a budget is stopped, no call waits for it, and memory that was granted concurrently
// is returned.
func TestBudgetStops(t *testing.T) {
	b := &budget.Budget{Bytes: 1}
	for range 300 {
		h, err := b.Reuse(t.Context(), nil, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		stop, ended := make(chan struct{}), make(chan error, 2)
		for range 2 {
			go func() {
				h, err := b.Reuse(t.Context(), stop, 1, "a")
				h.Release() // one that was granted before
				ended <- err
			}()
		}
		go h.Release()
		close(stop)
		for range 2 {
			if err := <-ended; err != nil && !errors.Is(err, budget.ErrStopped) {
				t.Fatal(err)
			}
		}
		for b.Used() > 0 { // until Release was called
			runtime.Gosched()
		}
		if n := b.Waiting(); n > 0 {
			t.Fatalf("%d wait", n)
		}
	}
}
