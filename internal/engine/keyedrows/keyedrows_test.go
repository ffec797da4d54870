package keyedrows

import (
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestIsLong compares the set of long rows with the lengths of rows.
func TestIsLong(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 49))
		n, es := 1+r.IntN(900), []testgraph.Edge{}
		for range r.IntN(8) {
			v := r.Uint32N(uint32(n))
			for range r.IntN(3 * Longest) {
				es = append(es, testgraph.Edge{From: v, To: r.Uint32N(uint32(n))})
			}
		}
		p := testgraph.Place(testgraph.Build(n, es, testgraph.Directed), 1)
		l, err := LengthsOf(p, false)
		if err != nil {
			t.Fatal(err)
		}
		offsets, long := Offsets(p, false), 0
		for v := range n {
			want := offsets[v+1]-offsets[v] > Longest
			if l.IsLong(uint32(v)) != want {
				t.Fatalf("seed %d: vertex %d of %d edges: long %v", seed, v, offsets[v+1]-offsets[v], !want)
			}
			if want {
				long++
			}
		}
		if l.IsLong(uint32(n)+1<<20) || len(l.Long) != long {
			t.Fatalf("seed %d: %d long rows, want %d", seed, len(l.Long), long)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
