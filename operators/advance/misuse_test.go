package advance_test

import (
	"context"
	"testing"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// TestOtherGraph: frontiers of another graph, whose vertices would be out of
// range, and no stream at all are errors.
func TestOtherGraph(t *testing.T) {
	place := func(n int) *graph.Placed {
		g, err := graph.FromCSR(graph.CSR{Offsets: make([]uint64, n+1)}, nil, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.On(host.New(2))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	small, large := place(3), place(1000)
	s := host.New(2).Stream(context.Background())
	defer s.Close()
	adv, err := advance.New(s, small)
	if err != nil {
		t.Fatal(err)
	}
	fil, err := filter.New(s, small)
	if err != nil {
		t.Fatal(err)
	}
	queue, bitmap, own := frontier.New(large), frontier.New(large), frontier.New(small)
	for _, err := range []error{queue.Clear(frontier.Queue), queue.Add(999), bitmap.Clear(frontier.Bitmap)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := adv.Push(queue, own, advance.Func(nil)); err == nil {
		t.Error("push from another graph's frontier: no error")
	}
	if _, err := adv.Pull(bitmap, bitmap, own, nil); err == nil {
		t.Error("pull from another graph's frontier: no error")
	}
	if err := fil.Unvisited(queue, bitmap); err == nil {
		t.Error("filter of another graph's frontier: no error")
	}
	if _, err := advance.New(nil, small); err == nil {
		t.Error("advance without a stream: no error")
	}
	if _, err := filter.New(nil, small); err == nil {
		t.Error("filter without a stream: no error")
	}
}
