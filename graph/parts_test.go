// This file holds the tests of FromCSR.

package graph

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// TestNewIsWhatBuildMakes takes built graphs apart and puts them together.
func TestNewIsWhatBuildMakes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for i, o := range optionSets() {
		k := kinds[i%len(kinds)]
		g, err := buildBoth(t, o, k.batch(k.randomEdges(r, 60, 400), o.Weights))
		if err != nil {
			t.Fatal(err)
		}
		o := CSROptions{Directed: g.Directed(), IDs: g.IDs(), Order: g.Order(), Stats: g.Stats()}
		if g.Directed() {
			o.In = g.In()
		}
		again, err := FromCSR(*g.Out(), o)
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		if again.Order() != g.Order() || again.Stats() != g.Stats() || again.Directed() != g.Directed() ||
			(again.In() == nil) != (g.In() == nil) || again.NumEdges() != g.NumEdges() {
			t.Errorf("%+v: %v, %+v; want %v, %+v", o, again.Order(), again.Stats(), g.Order(), g.Stats())
		}
	}
}

func TestNewChecksOrder(t *testing.T) {
	// 0 - 1 - 2, 1 - 3: the hub is vertex 1.
	path := CSR{Offsets: []uint64{0, 1, 4, 5, 6}, Targets: []uint32{1, 0, 2, 3, 1, 1}}
	// 1 to 0, 2 and 3, and all to 0: by out-degree 1 would come first, but it is
	// both directions together that count: 3, 3, 2, 2.
	star := CSR{Offsets: []uint64{0, 0, 3, 4, 5}, Targets: []uint32{0, 2, 3, 0, 0}}
	in := star.Transpose()
	// 0 to 1 and 2, 1 to 2: 2, 2, 2; with 3 to 2 the hub is the third.
	late := CSR{Offsets: []uint64{0, 2, 3, 3, 4}, Targets: []uint32{1, 2, 2, 2}}
	lateIn := late.Transpose()
	for what, c := range map[string]struct {
		out  CSR
		o    CSROptions
		want error
	}{
		"undirected":               {path, CSROptions{Order: OrderDegree}, ErrMalformed},
		"undirected, as given":     {path, CSROptions{Order: OrderGiven}, nil},
		"directed, not in order":   {CSR{Offsets: []uint64{0, 0, 1, 2}, Targets: []uint32{2, 1}}, CSROptions{Directed: true, Order: OrderDegree}, ErrMalformed},
		"an invalid order":         {path, CSROptions{Order: 3}, ErrOptions},
		"directed, no reverse":     {star, CSROptions{Directed: true, Order: OrderDegree}, nil},
		"directed, with reverse":   {star, CSROptions{In: &in, Directed: true, Order: OrderDegree}, nil},
		"hub late, no reverse":     {late, CSROptions{Directed: true, Order: OrderDegree}, ErrMalformed},
		"hub late, with reverse":   {late, CSROptions{In: &lateIn, Directed: true, Order: OrderDegree}, ErrMalformed},
		"a reverse of an undirect": {path, CSROptions{In: &path}, ErrMalformed},
	} {
		g, err := FromCSR(c.out, c.o)
		if !errors.Is(err, c.want) || (g == nil) != (c.want != nil) {
			t.Errorf("%s: got %v, want %v", what, err, c.want)
		}
	}
	g, err := FromCSR(path, CSROptions{Stats: BuildStats{SelfLoops: 2, Duplicates: 5}})
	if err != nil || g.Order() != OrderGiven || g.Stats() != (BuildStats{InputEdges: 3 + 2 + 3, SelfLoops: 2, Duplicates: 5}) {
		t.Errorf("%v, %+v, %v", g.Order(), g.Stats(), err)
	}
}

// TestByID: vertices by ascending id, for ids that were built and for ones that
// weren't, or nil where they are in that order.
func TestByID(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, k := range kinds {
		for _, order := range []Order{OrderDegree, OrderGiven} {
			g, err := buildBoth(t, Options{Order: order}, k.batch(k.randomEdges(r, 50, 300), false))
			if err != nil {
				t.Fatal(err)
			}
			built := g.IDs()
			bare := &IDs{Type: built.Type, Len: built.Len, Dense32: built.Dense32, Ints: built.Ints,
				StringOffsets: built.StringOffsets, Data: built.Data}
			want := make([]uint32, built.Len)
			for v := range want {
				want[v] = uint32(v)
			}
			slices.SortFunc(want, built.compare)
			inOrder := slices.IsSorted(want)
			for what, ids := range map[string]*IDs{"built": built, "bare": bare} {
				got := ids.ByID()
				if inOrder != (got == nil) || got != nil && !slices.Equal(got, want) {
					t.Errorf("%s, %v, %s: %v, want %v", k.name, order, what, got, want)
				}
				checkRanks(t, ids, want)
			}
		}
	}
	dense := &IDs{Len: 5}
	if got := dense.ByID(); got != nil {
		t.Errorf("dense: %v", got)
	}
	checkRanks(t, dense, []uint32{0, 1, 2, 3, 4})
	checkRanks(t, &IDs{}, nil)
}

// checkRanks compares ranks with the vertices in the order of their ids.
func checkRanks(t *testing.T, ids *IDs, inOrder []uint32) {
	t.Helper()
	ranks := ids.Ranks()
	if (ranks == nil) != (ids.ByID() == nil) || ranks != nil && len(ranks) != len(inOrder) {
		t.Fatalf("%d ranks, for %d vertices", len(ranks), len(inOrder))
	}
	if ranks != nil && &ranks[0] != &ids.Ranks()[0] {
		t.Error("ranks are worked out again")
	}
	for i, v := range inOrder {
		if got, back := ids.Rank(v), ids.AtRank(uint32(i)); got != uint32(i) || back != v || ranks != nil && ranks[v] != got {
			t.Fatalf("vertex %d has rank %d, want %d; of which %d is the vertex", v, got, i, back)
		}
	}
}

// TestRanksAtOnce: many goroutines ask first, of separate sides.
func TestRanksAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	const n = 3000
	ids := &IDs{Type: Int64, Len: n, Ints: make([]int64, n), Sides: make([]uint64, (n+63)/64)}
	for v, x := range r.Perm(n) {
		ids.Ints[v] = int64(x)*7 - n
		ids.Sides[v/64] |= uint64(x&1) << (v % 64)
	}
	want := make([]uint32, n)
	for v := range want {
		want[v] = uint32(v)
	}
	slices.SortFunc(want, ids.compare)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, v := range want {
				if got := ids.Rank(v); got != uint32(i) {
					t.Errorf("vertex %d has rank %d, want %d", v, got, i)
					return
				}
			}
		})
	}
	wg.Wait()
	checkRanks(t, ids, want)
}
