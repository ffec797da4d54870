// This file tests that shares of a dataset together have each edge once.

package arrow

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/foray-graph/foray/graph"
)

func TestParts(t *testing.T) {
	dir := t.TempDir()
	for i, n := range []int{1, 5, 3000, 70_000} {
		b := graph.NewBuilder(graph.Options{Directed: true})
		src, dst := make([]int64, n), make([]int64, n)
		for k := range n {
			src[k], dst[k] = int64(k), int64(k*7+i+1)
		}
		if err := b.Add(graph.Batch{Src: src, Dst: dst}); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, ext := range []string{"parquet", "arrow", "arrows"} {
			if err := WriteEdges(t.Context(), filepath.Join(dir, fmt.Sprintf("%d.%s", i, ext)), g); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := func(o Options) (edges [][2]int64) {
		d, err := Open(t.Context(), []string{dir}, o)
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		err = d.Batches(t.Context(), func(b graph.Batch) error {
			mu.Lock()
			defer mu.Unlock()
			for i := range b.Src {
				edges = append(edges, [2]int64{b.Src[i], b.Dst[i]})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return edges
	}
	order := func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) }
	all := read(Options{})
	slices.SortFunc(all, order)
	for _, parts := range []int{1, 2, 3, 5, 40} {
		var edges [][2]int64
		shares := 0
		for part := range parts {
			share := read(Options{Part: part, Parts: parts})
			if len(share) > 0 {
				shares++
			}
			edges = append(edges, share...)
		}
		slices.SortFunc(edges, order)
		if !slices.Equal(edges, all) {
			t.Errorf("%d parts have %d edges, not %d", parts, len(edges), len(all))
		}
		if shares < min(parts, 5) {
			t.Errorf("of %d parts %d have edges", parts, shares)
		}
	}
	for _, o := range []Options{{Part: 1}, {Part: 2, Parts: 2}, {Part: -1, Parts: 2}, {Parts: -1}} {
		if _, err := Open(context.Background(), []string{dir}, o); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("part %d of %d: %v", o.Part, o.Parts, err)
		}
	}
}
