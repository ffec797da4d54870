// This file holds edges as plain rows, against which what is read is compared.

package dataset

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sort"
	"sync"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// edge is a row in words: ids and weight as they print.
type edge struct{ src, dst, weight string }

// collect reads a dataset and returns its edges, sorted.
func collect(t testing.TB, paths []string, o Options) ([]edge, *Dataset, error) {
	t.Helper()
	d, err := Open(context.Background(), paths, o)
	if err != nil {
		return nil, nil, err
	}
	var mu sync.Mutex
	var edges []edge
	err = d.Batches(context.Background(), func(b graph.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		edges = append(edges, edgesOf(t, b)...)
		return nil
	})
	sortEdges(edges)
	return edges, d, err
}

func edgesOf(t testing.TB, b graph.Batch) []edge {
	n := len(b.Src)
	if b.SrcStrings != nil {
		n = b.SrcStrings.Len()
		if b.DstStrings.Len() != n || b.SrcStrings.Binary != (b.Type == graph.Binary) {
			t.Errorf("batch of %d and %d strings, binary %v", n, b.DstStrings.Len(), b.SrcStrings.Binary)
		}
	} else if len(b.Dst) != n {
		t.Errorf("batch of %d and %d ids", n, len(b.Dst))
	}
	if b.Weighted() && write.WeightCount(&b) != n {
		t.Errorf("batch of %d edges and %d weights", n, write.WeightCount(&b))
	}
	edges := make([]edge, n)
	for i := range edges {
		if b.SrcStrings != nil {
			edges[i] = edge{src: string(b.SrcStrings.Value(i)), dst: string(b.DstStrings.Value(i))}
		} else {
			edges[i] = edge{src: fmt.Sprint(b.Src[i]), dst: fmt.Sprint(b.Dst[i])}
		}
		if b.Weighted() {
			edges[i].weight = fmt.Sprint(float32(b.FloatWeight(i)))
		}
	}
	return edges
}

func sortEdges(e []edge) {
	sort.Slice(e, func(i, k int) bool {
		a, b := e[i], e[k]
		if a.src != b.src {
			return a.src < b.src
		}
		if a.dst != b.dst {
			return a.dst < b.dst
		}
		return a.weight < b.weight
	})
}

// sameEdges fails the test where got isn't want, both sorted.
func sameEdges(t testing.TB, got, want []edge) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d edges, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("edge %d of %d: %q, want %q", i, len(got), got[i], want[i])
		}
	}
}

// tempFile writes a file for a test.
func tempFile(t testing.TB, name string, data []byte) string {
	t.Helper()
	return samples.WriteTo(t, filepath.Join(t.TempDir(), name), data)
}

// nullPattern returns which of n values are there: nil for all, by chance in
// runs or one by one.
func nullPattern(r *rand.Rand, n int) []bool {
	kind := r.IntN(5)
	if kind == 0 {
		return nil
	}
	valid := make([]bool, n)
	for i := 0; i < n; {
		run, ok := 1, r.IntN(4) > 0
		switch kind {
		case 1: // all there, though they need not be
			ok = true
		case 2: // nearly none
			ok = r.IntN(50) == 0
		case 3:
			run = 1 + r.IntN(1000)
		}
		for ; run > 0 && i < n; run-- {
			valid[i] = ok
			i++
		}
	}
	return valid
}

// there reports whether value i is.
func there(valid []bool, i int) bool { return valid == nil || valid[i] }

// randomRows returns how many rows a random table has: often few, at times
// more than a batch.
func randomRows(r *rand.Rand) int {
	kind := r.IntN(10)
	if samples.Raced && kind == 1 {
		kind = r.IntN(10) // too slow to have so often
	}
	switch kind {
	case 0:
		return r.IntN(3)
	case 1:
		return 60_000 + r.IntN(20_000)
	}
	return r.IntN(5000)
}

// manySeeds makes random tests long.
var manySeeds = flag.Uint64("seeds", 0, "how many random cases tests take; 0: as many as is usual for each, which FORAY_TEST_LONG=1 makes more")

// seeds returns how many random cases are tested, of so many in the long form.
func seeds(usually uint64) uint64 {
	if *manySeeds > 0 {
		return *manySeeds
	}
	if samples.Raced {
		return usually / 6
	}
	return testlong.Of((usually+3)/4, usually)
}
