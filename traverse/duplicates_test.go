package traverse_test

import (
	"context"
	"testing"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// TestDuplicates begins a Repeat with a frontier in which vertices are several times: each is
// visited once, as in one kernel.
func TestDuplicates(t *testing.T) {
	g := testgraph.ByName("complete").Graph(3)
	p, err := g.On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	x := traverse.New(context.Background(), p)
	defer x.Close()
	cur := x.From(0)
	x.Do(cur, advance.Push(advance.All()))
	x.Do(cur, advance.Push(advance.All())) // from each neighbor to all
	if n := cur.Len(); x.Err() == nil && n <= g.NumVertices() {
		t.Fatalf("%d vertices of %d: nothing is there twice", n, g.NumVertices())
	}
	visits := traverse.Scalar[uint64](x, operators.Sum)
	x.Repeat(cur, foreach.Each(foreach.Func[uint64](func(_ operators.Worker, vs []uint32) uint64 { return uint64(len(vs)) }), visits), traverse.MaxRounds(1))
	if got := traverse.Get(x, visits); x.Err() != nil || got != uint64(g.NumVertices()) {
		t.Errorf("%d visits, want %d: %v", got, g.NumVertices(), x.Err())
	}
}
