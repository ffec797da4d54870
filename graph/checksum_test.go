// This file tests that checksums of two graphs differ if and only if their
// contents differ.

package graph

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// checksumParts is a random directed graph, with weights and ids of a type.
func checksumParts(rng *rand.Rand, n, m int, t IDType) parts {
	p := parts{CSR{Offsets: make([]uint64, n+1)}, CSROptions{Directed: true, IDs: &IDs{Type: t, Len: n}}}
	for range m {
		p.Out.Targets = append(p.Out.Targets, rng.Uint32N(uint32(n)))
		p.Out.Weights = append(p.Out.Weights, rng.Float32())
	}
	for v := 1; v < n; v++ {
		p.Out.Offsets[v] = rng.Uint64N(uint64(m + 1))
	}
	p.Out.Offsets[n] = uint64(m)
	slices.Sort(p.Out.Offsets)
	for v := range n {
		slices.Sort(p.Out.Targets[p.Out.Offsets[v]:p.Out.Offsets[v+1]])
	}
	if t.Integer() {
		for v := range n {
			p.IDs.Ints = append(p.IDs.Ints, int64(v))
		}
		return p
	}
	p.IDs.StringOffsets = []uint64{0}
	for v := range n {
		p.IDs.Data = append(p.IDs.Data, byte(v), byte(v>>8), byte(v>>16))
		p.IDs.StringOffsets = append(p.IDs.StringOffsets, uint64(len(p.IDs.Data)))
	}
	return p
}

func sumOf(t *testing.T, p parts) [32]byte {
	t.Helper()
	g, err := p.graph()
	if err != nil {
		t.Fatal(err)
	}
	sum, err := g.Checksum(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	again, err := g.Checksum(context.Background())
	if err != nil || again != sum {
		t.Errorf("the second call returns %x, %v", again, err)
	}
	return sum
}

func TestChecksum(t *testing.T) {
	testlong.Only(t)
	// More than one block of each array, the last one not full.
	const n, m = 300_000, 600_000
	drawn := func(typ IDType) parts { return checksumParts(rand.New(rand.NewPCG(1, 2)), n, m, typ) }
	want := sumOf(t, drawn(Int64))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, workers := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(workers)
		if got := sumOf(t, drawn(Int64)); got != want {
			t.Errorf("with %d workers %x, want %x", workers, got, want)
		}
	}
	// The same ids in the other forms of the map.
	p := drawn(Int64)
	p.IDs.Ints = nil
	if got := sumOf(t, p); got != want {
		t.Errorf("dense ids: %x, want %x", got, want)
	}
	p.IDs.Dense32 = make([]uint32, n)
	for v := range p.IDs.Dense32 {
		p.IDs.Dense32[v] = uint32(v)
	}
	if got := sumOf(t, p); got != want {
		t.Errorf("renumbered ids: %x, want %x", got, want)
	}

	seen := map[[32]byte]string{want: "the graph"}
	for name, change := range map[string]func(*parts){
		"uint64 ids": func(p *parts) { p.IDs.Type = Uint64 },
		"an id":      func(p *parts) { p.IDs.Ints[n-1]++ },
		"a weight":   func(p *parts) { p.Out.Weights[m-1]++ },
		"no weights": func(p *parts) { p.Out.Weights = nil },
		"a target":   func(p *parts) { p.Out.Targets[0] = (p.Out.Targets[0] + 1) % n },
		"an offset": func(p *parts) {
			k := n / 2
			for p.Out.Offsets[k] == p.Out.Offsets[k+1] {
				k++
			}
			p.Out.Offsets[k] = p.Out.Offsets[k+1]
		},
		"a vertex":    func(p *parts) { *p = checksumParts(rand.New(rand.NewPCG(1, 2)), n+1, m, Int64) },
		"a seed":      func(p *parts) { *p = checksumParts(rand.New(rand.NewPCG(1, 3)), n, m, Int64) },
		"strings":     func(p *parts) { *p = drawn(String) },
		"binary":      func(p *parts) { *p = drawn(Binary) },
		"string data": func(p *parts) { *p = drawn(String); p.IDs.Data[len(p.IDs.Data)-1]++ },
		"string ends": func(p *parts) { *p = drawn(String); p.IDs.StringOffsets[1]-- },
	} {
		p := drawn(Int64)
		change(&p)
		got := sumOf(t, p)
		if other, ok := seen[got]; ok {
			t.Errorf("%s has the checksum of %s", name, other)
		}
		seen[got] = name
	}
	empty := parts{Out: CSR{Offsets: []uint64{0}}}
	undirected := sumOf(t, empty)
	if empty.Directed = true; undirected == sumOf(t, empty) {
		t.Error("direction doesn't count")
	}
}

func TestChecksumCanceled(t *testing.T) {
	g, err := checksumParts(rand.New(rand.NewPCG(1, 2)), 10, 20, Int64).graph()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := g.Checksum(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if sum, err := g.Checksum(context.Background()); err != nil || sum == [32]byte{} {
		t.Errorf("after that: %x, %v", sum, err)
	}
}

func TestChecksumOfNone(t *testing.T) {
	if _, err := (*Graph)(nil).Checksum(context.Background()); !errors.Is(err, ErrNoGraph) {
		t.Errorf("got %v", err)
	}
}
