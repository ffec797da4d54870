// This file holds the test of a search that is given up when all but its last steps
// are done.

package conformance

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// lateContext is canceled at a given number of looks after a given amount of
// the device's memory was in use.
type lateContext struct {
	context.Context
	used func() uint64
	most uint64 // that was in use at a look
	from uint64 // 0: never
	left int
}

func (c *lateContext) Err() error {
	now := c.used()
	c.most = max(c.most, now)
	if c.from == 0 || now < c.from {
		return nil
	}
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// CanceledLate gives searches up after the last array of the result was made: the
// error is the context's, and no array stays behind.
func (s Suite) CanceledLate(t *testing.T) {
	g, err := testgraph.ByName("skewed-undirected").Graph(61).Reorder(t.Context(), graph.ReorderOptions{Order: graph.OrderDegree})
	if err != nil {
		t.Fatal(err)
	}
	used := s.used()
	for _, pull := range []bool{false, true} {
		for _, coupling := range []string{"expand-contract", "fused"} {
			v := variant{o: bfs.Options{Tuning: bfs.Tuning{Coupling: coupling}}, pull: pull}
			peak := uint64(0)
			for k := -1; k < 10; k++ { // the first only finds the peak
				before := used()
				p, err := g.On(s.Device)
				if err != nil {
					t.Fatal(err)
				}
				ctx := &lateContext{Context: t.Context(), used: used, from: peak, left: k}
				res, err := v.runIn(ctx, p, []uint32{1, 2}, bfs.Options{Outputs: bfs.Depths | bfs.Parents, ByID: true})
				switch {
				case err == nil:
				case !errors.Is(err, context.Canceled) || peak == 0:
					t.Fatal(err)
				case res != nil:
					t.Error("a result beside an error")
				}
				res.Close()
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
				if left := used(); left != before {
					t.Errorf("pull %v, %s, look %d (%v): %d bytes are left", pull, coupling, k, err, left-before)
				}
				if peak != 0 && err == nil {
					if k == 0 {
						t.Errorf("pull %v, %s: nobody looks at the context", pull, coupling)
					}
					break
				}
				peak = ctx.most
			}
		}
	}
}
