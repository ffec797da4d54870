// This file tests who keeps a placed graph from being freed.

package graph_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestCloseWaits: Close waits for holders of the placed graph. Their operators continue,
// and no other holder is admitted.
func TestCloseWaits(t *testing.T) {
	p := testgraph.Place(testgraph.ByName("path").Graph(1), 1)
	release, err := p.Hold()
	if err != nil {
		t.Fatal(err)
	}
	freed := make(chan error)
	go func() { freed <- p.Close() }()
	for {
		again, err := p.Hold()
		if err != nil {
			if !errors.Is(err, device.ErrClosed) {
				t.Error(err)
			}
			break
		}
		again()
	}
	for range 3 {
		if err := p.State().Enter(); err != nil || p.Err() != nil {
			t.Errorf("an operator while Close waits: %v, %v", err, p.Err())
		}
		p.State().Leave()
	}
	if _, err := placed.LoadOrMake(p.State(), number("x"), func() (int, error) { return 1, nil }); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil { // a second call
		t.Error(err)
	}
	select {
	case <-freed:
		t.Error("freed while it is held")
	case <-time.After(10 * time.Millisecond):
	}
	release()
	if err := <-freed; err != nil {
		t.Error(err)
	}
	_, once := placed.LoadOrMake(p.State(), number("y"), func() (int, error) { return 1, nil })
	_, hold := p.Hold()
	for _, err := range []error{p.State().Enter(), p.Err(), hold, once} {
		if !errors.Is(err, device.ErrClosed) {
			t.Errorf("freed: %v", err)
		}
	}
	var none *graph.Placed
	if _, err := none.Hold(); !errors.Is(err, graph.ErrNoGraph) || !errors.Is(none.State().Enter(), graph.ErrNoGraph) {
		t.Errorf("none: %v", err)
	}
}

// TestHoldMeanwhile frees placed graphs while many hold them: none does once Close has
// returned.
func TestHoldMeanwhile(t *testing.T) {
	testlong.Project(t)
	g := testgraph.ByName("path").Graph(1)
	for range 50 {
		p := testgraph.Place(g, 1)
		var within atomic.Int64
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				for {
					begin := p.Hold
					if i%2 == 0 {
						begin = func() (func(), error) { return p.State().Leave, p.State().Enter() }
					}
					release, err := begin()
					if err != nil {
						return
					}
					within.Add(1)
					within.Add(-1)
					release()
				}
			})
		}
		time.Sleep(time.Microsecond)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if n := within.Load(); n != 0 {
			t.Errorf("%d use a graph that was freed", n)
		}
		wg.Wait()
	}
}

// TestHoldAllocates nothing: every search and operator does it.
func TestHoldAllocates(t *testing.T) {
	p := testgraph.Place(testgraph.ByName("path").Graph(1), 1)
	if n := testing.AllocsPerRun(100, func() {
		release, err := p.Hold()
		if err != nil {
			t.Fatal(err)
		}
		release()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
