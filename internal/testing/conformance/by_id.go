// This file holds the test of results in the order of external ids.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// ByID requests results in the order of ids, for graphs whose vertices are in
// another order: single searches, a searcher's, a batch's and a pool's.
// Results that are held at the same time have separate arrays.
func (s Suite) ByID(t *testing.T) {
	vs := s.variants()
	if s.Small { // one kernel, and loops of the host in both directions
		vs = vs[:min(5, len(vs))]
	}
	s.some(t, 71, []string{"one", "two", "sparse-65", "skewed-reverse", "components"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		g, err := p.Graph().Reorder(t.Context(), graph.ReorderOptions{Order: graph.OrderDegree})
		if err != nil {
			t.Fatal(err)
		}
		if p, err = g.On(s.Device); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}()
		for _, v := range vs {
			for _, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents}, {Outputs: bfs.Parents, DepthLimit: 3}, {Outputs: bfs.Counts}} {
				if o.ByID = true; v.fits(g, o) {
					s.byID(t, v, p, o, r)
				}
			}
		}
	})
}

func (s Suite) byID(t *testing.T, v variant, p *graph.Placed, o bfs.Options, r *rand.Rand) {
	t.Helper()
	right := func(sources []uint32, res *bfs.Result, err error) {
		t.Helper()
		if err == nil {
			err = testsearch.Check(p.Graph(), sources, o, res)
		}
		if err == nil {
			err = checkByID(p.Graph(), res)
		}
		if err == nil && (testgraph.Array(res.DepthsByID()) == nil) != !o.Outputs.Has(bfs.Depths) {
			err = fmt.Errorf("depths by id %v, though Outputs is %d", testgraph.Array(res.DepthsByID()), o.Outputs)
		}
		if err != nil {
			t.Fatalf("%s from %v, %+v: %v", v.name, sources, o, err)
		}
	}
	sources := randomSources(p, r, 3)
	first, err := v.run(p, sources, o)
	right(sources, first, err)
	depths, parents := slices.Clone(testgraph.Array(first.DepthsByID())), slices.Clone(testgraph.Array(first.ParentsByID()))

	one, err := v.searcher(p, o)
	if err != nil {
		t.Fatalf("%s: %v", v.name, err)
	}
	for i, source := range sources {
		res, err := one.Run(context.Background(), bfs.Query{Sources: []uint32{source}})
		right(sources[i:i+1], res, err)
		if i == 1 {
			res.Close() // the next result reuses the memory
			depths, err := res.DepthsByID()
			parents, errParents := res.ParentsByID()
			if depths != nil || parents != nil || !errors.Is(err, device.ErrClosed) || !errors.Is(errParents, device.ErrClosed) {
				t.Errorf("%s: a closed result has arrays, or the error %v, %v", v.name, err, errParents)
			}
		}
	}
	err = testgraph.Each(one.Batch(context.Background(), sources), func(i int, res *bfs.Result) error {
		right(sources[i:i+1], res, nil)
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", v.name, err)
	}
	if !slices.Equal(depths, testgraph.Array(first.DepthsByID())) || !slices.Equal(parents, testgraph.Array(first.ParentsByID())) {
		t.Errorf("%s: later searches have written into the first one's arrays", v.name)
	}
	first.Close()

	// A pool reckons with more than a searcher where what a search takes may change.
	pool, err := v.pool(p, o, device.NewBudget(2*one.Bytes()))
	if err != nil {
		t.Fatalf("%s: %v", v.name, err)
	}
	for i, source := range sources {
		err := pool.Run(context.Background(), bfs.Query{Sources: []uint32{source}}, func(res *bfs.Result) error {
			right(sources[i:i+1], res, nil)
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", v.name, err)
		}
	}
	for _, err := range []error{pool.Close(), one.Close()} {
		if err != nil {
			t.Fatalf("%s: %v", v.name, err)
		}
	}
}
