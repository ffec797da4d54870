// This file counts vertices that a file of edges has no place for.

package main

import (
	"math/bits"
	"sync"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// bareVertices counts, of edges and vertices that go by, the vertices that no edge has. Ids that
// are declared by number are small, so that a bit each is enough.
type bareVertices struct {
	counts   bool // all that is read declares its vertices
	mu       sync.Mutex
	ends     bitset
	vertices bitset
}

type bitset []uint64

func (b *bitset) set(id int64) {
	if uint64(id) > uint64(graph.NoVertex) {
		return
	}
	for uint64(id)/64 >= uint64(len(*b)) {
		*b = append(*b, make([]uint64, len(*b)+1)...)
	}
	(*b)[id/64] |= 1 << (id % 64)
}

// take looks at a batch of integer ids.
func (v *bareVertices) take(b *graph.Batch) {
	if !v.counts {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	to := &v.ends
	if b.Vertices {
		to = &v.vertices
	}
	for _, id := range b.Src {
		to.set(id)
	}
	for _, id := range b.Dst {
		to.set(id)
	}
}

// leftOut says how many vertices are left out of a file of edges.
func (v *bareVertices) leftOut() []string {
	n := uint64(0)
	for i, word := range v.vertices {
		if i < len(v.ends) {
			word &^= v.ends[i]
		}
		n += uint64(bits.OnesCount64(word))
	}
	return leftVertices(n)
}

// leftVertices says that so many vertices have no edge.
func leftVertices(n uint64) []string {
	switch n {
	case 0:
		return nil
	case 1:
		return []string{"the vertex without an edge"}
	}
	return []string{"the " + text.Count(n) + " vertices without an edge"}
}
