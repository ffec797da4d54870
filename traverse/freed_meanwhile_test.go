// This file tests that results may be freed while others read them.

package traverse_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestResultFreedMeanwhile: a goroutine that reads a result while others free it gets the right values or
// device.ErrClosed. Concurrent calls of Close return the memory once.
func TestResultFreedMeanwhile(t *testing.T) {
	p := testgraph.Place(testgraph.Path(100).Graph(1), 1)
	var depths, parents []int
	for round := range 200 {
		r, err := bfs.Run(t.Context(), p, 0, bfs.Options{Outputs: bfs.Depths | bfs.Parents, ByID: true})
		if err != nil {
			t.Fatal(err)
		}
		ranks, err := pagerank.Run(t.Context(), p, pagerank.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			depths, parents = make([]int, 0, 100), make([]int, 0, 100)
			for v := range 100 {
				depths, parents = append(depths, int(testgraph.Array(r.Depths())[v])), append(parents, int(testgraph.Array(r.Parents())[v]))
			}
		}
		var wait sync.WaitGroup
		// What is looked at is the length alone: slices are the result's until Close.
		for _, read := range []func() error{
			func() error {
				d, err := r.Depths()
				if err == nil && len(d) != len(depths) {
					err = errors.New("wrong depths")
				}
				return err
			},
			func() error {
				p, err := r.Parents()
				if err == nil && len(p) != len(parents) {
					err = errors.New("wrong parents")
				}
				return err
			},
			func() error { _, err := r.DepthsByID(); return err },
			func() error { _, err := r.ParentsByID(); return err },
			func() error { _, err := r.Metadata(t.Context()); return err },
			func() error { _, err := ranks.Ranks.Slice(); return err },
			func() error { _, err := ranks.Ranks.ByID(); return err },
		} {
			wait.Go(func() {
				for {
					if err := read(); errors.Is(err, device.ErrClosed) {
						return
					} else if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for range 3 {
			wait.Go(func() {
				r.Close()
				if err := ranks.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		// Two searches at once don't have the same memory.
		a, errA := bfs.Run(t.Context(), p, 0, bfs.Options{})
		b, errB := bfs.Run(t.Context(), p, 99, bfs.Options{})
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if slices.Equal(testgraph.Array(a.Depths()), testgraph.Array(b.Depths())) {
			t.Fatal("two results have the same memory")
		}
		a.Close()
		b.Close()
	}
}
