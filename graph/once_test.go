package graph_test

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestOnceIn: a call whose context ends doesn't wait for another call's make. That make continues, and its value is
// there for the next call.
func TestOnceIn(t *testing.T) {
	p := testgraph.Placed(graph.Options{}, []int64{1}, []int64{2})
	defer p.Free()
	begun, end, made := make(chan struct{}), make(chan struct{}), make(chan any)
	go func() {
		x, err := p.OnceIn(t.Context(), "key", func() (any, error) {
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
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error)
	go func() {
		_, err := p.OnceIn(ctx, "key", func() (any, error) { return 8, nil })
		waits <- err
	}()
	cancel()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Errorf("a call that waits: %v", err)
	}
	if x, err := p.Once("another", func() (any, error) { return 9, nil }); x != 9 || err != nil {
		t.Errorf("another key: %v, %v", x, err)
	}
	close(end)
	if x := <-made; x != 7 {
		t.Errorf("made was %v", x)
	}
	if x, err := p.OnceIn(ctx, "key", nil); x != 7 || err != nil {
		t.Errorf("what is there: %v, %v", x, err)
	}
	failed := errors.New("not yet")
	if _, err := p.Once("later", func() (any, error) { return nil, failed }); err != failed {
		t.Errorf("a failure: %v", err)
	}
	if x, err := p.Once("later", func() (any, error) { return 1, nil }); x != 1 || err != nil {
		t.Errorf("after a failure: %v, %v", x, err)
	}
	if err := p.Free(); err != nil {
		t.Error(err)
	}
	if _, err := p.OnceIn(t.Context(), "key", nil); !errors.Is(err, device.ErrClosed) {
		t.Errorf("freed: %v", err)
	}
}
