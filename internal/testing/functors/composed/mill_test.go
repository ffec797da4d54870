package composed_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// TestCanceledLoop: the context ends a step on the host while a vertex is in a loop that would take hours.
func TestCanceledLoop(t *testing.T) {
	spec, err := gen.Parse("path:300")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(t.Context(), spec, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 3} {
		p, err := g.On(host.New(workers))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		began := time.Now()
		x := traverse.New(ctx, p)
		x.Do(x.All(), foreach.All(composed.NewMill(traverse.Array[uint64](x, 1)), nil))
		if err := x.Close(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d workers: %v", workers, err)
		}
		cancel()
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%d workers: it took %s", workers, took)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
