// This file tests that shares of a dataset together have each edge once.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

func TestParts(t *testing.T) {
	testlong.Project(t)
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
			if err := write.WriteEdges(t.Context(), filepath.Join(dir, fmt.Sprintf("%d.%s", i, ext)), g, write.WriteOptions{}); err != nil {
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
	// All ranks find the same hash, of that order of files and nothing else.
	hash := func(o Options) uint64 {
		d, err := Open(t.Context(), []string{dir}, o)
		if err != nil {
			t.Fatal(err)
		}
		return d.Stats().Metadata
	}
	known := map[uint64]string{hash(Options{}): "nobody asked"}
	same := hash(Options{Parts: 3})
	if same != hash(Options{Part: 2, Parts: 3, Workers: 1}) || known[0] == "" {
		t.Error("the hash of metadata isn't that of another rank, or is there unasked")
	}
	known[same] = "the files"
	differs := func(what string) {
		if h := hash(Options{Parts: 3}); known[h] != "" {
			t.Errorf("%s: the hash is that of %s", what, known[h])
		} else {
			known[h] = what
		}
	}
	for _, name := range []string{"3.parquet", "3.arrow", "3.arrows", "2.parquet"} {
		path := filepath.Join(dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		g := graph.NewBuilder(graph.Options{Directed: true}) // as many other edges
		n := 70_000
		if name[0] == '2' {
			n = 3000
		}
		for k := range n {
			if err := g.Add(graph.Batch{Src: []int64{int64(k)}, Dst: []int64{int64(k*7 + 9)}}); err != nil {
				t.Fatal(err)
			}
		}
		other, err := g.Build(t.Context())
		if err == nil {
			err = write.WriteEdges(t.Context(), path, other, write.WriteOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		differs("other edges in " + name)
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, filepath.Join(dir, "4"+name)); err != nil {
			t.Fatal(err)
		}
		differs("another name of " + name)
		if err := os.Rename(filepath.Join(dir, "4"+name), path); err != nil {
			t.Fatal(err)
		}
	}
	if hash(Options{Parts: 2}) != same {
		t.Error("the same files have another hash")
	}
	for _, o := range []Options{{Part: 1}, {Part: 2, Parts: 2}, {Part: -1, Parts: 2}, {Parts: -1}} {
		if _, err := Open(context.Background(), []string{dir}, o); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("part %d of %d: %v", o.Part, o.Parts, err)
		}
	}
}
