package traverse_test

import (
	"errors"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// TestFreedUnderWay: a traversal that is under way when its placed graph is freed continues,
// and Close waits for it. A traversal that begins later fails.
func TestFreedUnderWay(t *testing.T) {
	p := testgraph.Place(testgraph.Path(100).Graph(1), 2)
	x := traverse.New(t.Context(), p)
	cur := x.From(0)
	freed := make(chan error, 1)
	go func() { freed <- p.Close() }()
	for {
		release, err := p.Hold()
		if err != nil {
			break // Free was called
		}
		release()
	}
	x.Repeat(cur, advance.Push(advance.All()), filter.Unique(), traverse.MaxRounds(3))
	if got := x.Stats().Rounds; x.Err() != nil || got != 3 {
		t.Errorf("%d rounds, %v", got, x.Err())
	}
	late := traverse.New(t.Context(), p)
	if err := late.Close(); !errors.Is(err, device.ErrClosed) {
		t.Errorf("a traversal began: %v", err)
	}
	select {
	case err := <-freed:
		t.Errorf("Free didn't wait: %v", err)
	default:
	}
	if err := errors.Join(x.Close(), <-freed); err != nil {
		t.Error(err)
	}
}
