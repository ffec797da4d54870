package advance_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// everyTarget lets all targets through, and says that none comes twice.
type everyTarget struct{}

func (everyTarget) Unique() bool { return true }
func (everyTarget) Visit(_ operators.Worker, _ uint32, _ uint64, targets, out []uint32) int {
	return copy(out, targets)
}

// TestCheckUnique: a false promise is an error that names the functor and the vertex, while promises are checked.
func TestCheckUnique(t *testing.T) {
	p := testgraph.Placed(graph.Options{Directed: true}, []int64{0, 1, 2}, []int64{3, 3, 0})
	defer p.Close()
	push := func(sources ...uint32) error {
		x := traverse.New(t.Context(), p)
		defer x.Close()
		x.Do(x.From(sources...), advance.Push(everyTarget{}))
		return x.Err()
	}
	three, _ := p.Graph().Vertex(3)
	zero, _ := p.Graph().Vertex(0)
	one, _ := p.Graph().Vertex(1)
	tuning.CheckUnique.Store(true)
	defer tuning.CheckUnique.Store(false)
	if err := push(zero); err != nil {
		t.Errorf("a promise that is kept: %v", err)
	}
	err := push(zero, one)
	if !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "everyTarget") || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a false promise, at vertex %d: %v", three, err)
	}
	x := traverse.New(t.Context(), p)
	defer x.Close()
	if x.Do(x.From(zero, one), advance.Push(everyTarget{}), filter.Unvisited(x.Bits())); x.Err() != nil {
		t.Errorf("with a filter: %v", x.Err())
	}
}
