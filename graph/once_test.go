package graph_test

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// keyOf is a key of a name.
type keyOf[T any] struct {
	placed.Of[T]
	name string
}

func number(name string) keyOf[int] { return keyOf[int]{name: name} }

// TestLoadOrMakeIn: a call whose context ends doesn't wait for another call's make. That make continues, and its value
// is there for the next call.
func TestLoadOrMakeIn(t *testing.T) {
	p := testgraph.Placed(graph.Options{}, []int64{1}, []int64{2})
	defer p.Close()
	begun, end, made := make(chan struct{}), make(chan struct{}), make(chan int)
	go func() {
		x, err := placed.LoadOrMakeIn(t.Context(), p.State(), number("key"), func() (int, error) {
			close(begun)
			<-end
			return 7, nil
		})
		if err != nil {
			t.Error(err)
		}
		made <- x
	}()
	<-begun
	if x, ok := placed.Lookup(p.State(), number("key")); ok {
		t.Errorf("%v before it is made", x)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error)
	go func() {
		_, err := placed.LoadOrMakeIn(ctx, p.State(), number("key"), func() (int, error) { return 8, nil })
		waits <- err
	}()
	cancel()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Errorf("a call that waits: %v", err)
	}
	if x, err := placed.LoadOrMake(p.State(), number("another"), func() (int, error) { return 9, nil }); x != 9 || err != nil {
		t.Errorf("another key: %v, %v", x, err)
	}
	if _, ok := placed.Await(ctx, p.State(), number("key")); ok {
		t.Error("waited for in a context that is done")
	}
	close(end)
	if x := <-made; x != 7 {
		t.Errorf("made was %v", x)
	}
	if x, err := placed.LoadOrMakeIn(ctx, p.State(), number("key"), nil); x != 7 || err != nil {
		t.Errorf("what is there: %v, %v", x, err)
	}
	if x, ok := placed.Lookup(p.State(), number("key")); !ok || x != 7 {
		t.Errorf("looked up: %v, %v", x, ok)
	}
	if x, ok := placed.Await(t.Context(), p.State(), number("key")); !ok || x != 7 {
		t.Errorf("waited for: %v, %v", x, ok)
	}
	if _, ok := placed.Lookup(p.State(), number("nothing")); ok {
		t.Error("what nobody made is there")
	}
	failed := errors.New("not yet")
	if _, err := placed.LoadOrMake(p.State(), number("later"), func() (int, error) { return 0, failed }); err != failed {
		t.Errorf("a failure: %v", err)
	}
	if x, err := placed.LoadOrMake(p.State(), number("later"), func() (int, error) { return 1, nil }); x != 1 || err != nil {
		t.Errorf("after a failure: %v, %v", x, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, ok := placed.Lookup(p.State(), number("key")); ok {
		t.Error("looked up after Close")
	}
	if _, err := placed.LoadOrMakeIn(t.Context(), p.State(), number("key"), nil); !errors.Is(err, device.ErrClosed) {
		t.Errorf("freed: %v", err)
	}
}
