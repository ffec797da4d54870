// This file tests that the GPU does what it is there for: internal/testing/conformance
// compares results, which the host would get right as well.

package order_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/foray-graph/foray/algos/order"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
)

// hubs is a cycle with rows of every length that is moved in a way of its own, the
// longest all over more vertices than a block looks at together. twice says that it
// has an edge more than once.
func hubs(t *testing.T, twice bool) *graph.Graph {
	t.Helper()
	const n = 150_000
	var src, dst []int64
	add := func(u, v int64) { src, dst = append(src, u), append(dst, v) }
	for v := range int64(n) {
		add(v, (v+1)%n)
		if v%9 == 3 {
			add(77, v)
		}
	}
	for i, count := range []int64{30, 60, 100, 250, 300, 900, 5000} {
		for v := range count {
			add(int64(i)*1000+500, n-1-v*17)
		}
	}
	if twice {
		add(77, 3)
	}
	b := graph.NewBuilder(graph.Options{DenseIDs: true, Order: graph.OrderGiven, KeepDuplicates: twice})
	if err := graph.AddInts(b, src, dst, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGPUByDegree(t *testing.T) {
	dev, err := gpu.Open(0)
	if errors.Is(err, device.ErrNotSupported) {
		t.Skip("needs a GPU, or the emulated one (scripts/gpu-test emulate):", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, twice := range []bool{false, true} {
		g := hubs(t, twice)
		want, err := g.Reorder(context.Background(), graph.ReorderOptions{Order: graph.OrderDegree})
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.On(dev)
		if err != nil {
			t.Fatal(err)
		}
		ctx, took := order.Traced(context.Background())
		q, err := order.ByDegree(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(q.Graph().Out(), want.Out()) {
			t.Errorf("edges twice: %v: rows differ", twice)
		}
		for _, kernel := range []string{"short", "middle", "long"} {
			if took()["kernel-order_"+kernel] <= 0 {
				t.Errorf("edges twice: %v: no time of order_%s", twice, kernel)
			}
		}
		// The last kernel runs where the others could do it.
		if ran := took()["kernel-order_first"] > 0; ran == twice {
			t.Errorf("edges twice: %v: the GPU did it: %v", twice, ran)
		}
		if err := errors.Join(q.Close(), p.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if used := dev.Used(); used != 0 {
		t.Errorf("%d bytes are left", used)
	}
}
