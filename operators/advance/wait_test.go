package advance_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/operators"
)

// slow is a functor that takes long over a worker's first tile, so that others
// sleep meanwhile, and holds the hub's first piece until another worker has one.
type slow struct {
	*visitor
	hub     uint32
	pieces  [8]atomic.Int32 // of the hub, by worker
	waiting bool
}

func (f *slow) takers() (n int) {
	for i := range f.pieces {
		if f.pieces[i].Load() > 0 {
			n++
		}
	}
	return n
}

func (f *slow) Visit(w operators.Worker, source uint32, first uint64, targets, out []uint32) int {
	if source == f.hub {
		f.pieces[w.ID].Add(1)
		for f.waiting && f.takers() < 2 {
			time.Sleep(time.Millisecond)
		}
	} else if source < 3 {
		time.Sleep(15 * time.Millisecond)
	}
	return f.visitor.Visit(w, source, first, targets, out)
}

// TestWorkersSleepAndWake: workers that wait for the pieces of a long row long
// enough to sleep are woken by the pieces, and by the end without any.
func TestWorkersSleepAndWake(t *testing.T) {
	testlong.Project(t)
	var es []testgraph.Edge
	for v := range uint32(3000) {
		es = append(es, testgraph.Edge{From: v, To: (v + 1) % 3000})
	}
	for i := range uint32(4 * testgraph.HubRow) {
		es = append(es, testgraph.Edge{From: 5, To: i % 3000})
	}
	g := testgraph.Build(3000, es, testgraph.Directed)
	levels := make([]int32, g.NumVertices())
	for _, workers := range []int{2, 5} {
		b := newBench(t, g, workers)
		out := frontier.New(b.p)
		var vs []uint32
		for v := range uint32(3000) {
			vs = append(vs, v)
		}
		for range 3 {
			for _, with := range []bool{true, false} {
				f := &slow{visitor: newVisitor(b, 100), hub: 5, waiting: with}
				if !with { // the slow vertices, and no hub
					vs[5] = 6
				} else {
					vs[5] = 5
				}
				bounded(t, "push", func() {
					edges, err := b.a.Push(b.load(vs), out, f)
					if err != nil || edges != degrees(g, vs) {
						t.Errorf("%d edges, %v", edges, err)
					}
				})
				f.check(t, "push", vs)
				if n := f.takers(); with && n < 2 || !with && n > 0 {
					t.Errorf("%d workers had pieces of the hub", n)
				}
			}
			f := &slow{visitor: newVisitor(b, 100), hub: 5, waiting: true}
			bounded(t, "push by level", func() {
				edges, _, err := b.a.PushLevel(device.Wrap(levels), 0, nil, f)
				if err != nil || edges != g.NumDirectedEdges() {
					t.Errorf("by level: %d edges, %v", edges, err)
				}
			})
		}
	}
}
