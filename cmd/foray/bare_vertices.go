// This file counts vertices that a file of edges has no place for.

package main

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/edgelist"
)

// bareVertices counts, of edges and vertices that go by, the vertices that no edge has. Ids that
// are declared by number are small, so that a bit each is enough.
type bareVertices struct {
	counts   bool // every part of the input declares its vertices, or is generated
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

// declare adds the vertices of a generated graph, which are numbered from 0 on.
func (v *bareVertices) declare(n uint64) {
	if n == 0 {
		return
	}
	v.vertices.set(int64(n - 1))
	for i := range v.vertices[:n/64] {
		v.vertices[i] = ^uint64(0)
	}
	if n%64 > 0 {
		v.vertices[n/64] |= 1<<(n%64) - 1
	}
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

// leftOut reports the number of vertices that a file of edges has no place for.
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

// leftVertices returns the message that n vertices have no edge.
func leftVertices(n uint64) []string {
	switch n {
	case 0:
		return nil
	case 1:
		return []string{"the vertex without an edge"}
	}
	return []string{"the " + text.Count(n) + " vertices without an edge"}
}

// isolated reports the number of vertices without an edge, where the input declares vertices.
// Counting them doesn't bring rows from a GPU.
func (g *loaded) isolated() string {
	if !g.in.saysVertices() || g.Directed() && !g.HasReverse() && !g.State().Fetched() {
		return ""
	}
	if n := g.DegreeHistogram().Isolated; n > 0 {
		return fmt.Sprintf(" (%s isolated)", text.Count(n))
	}
	return ""
}

// saysVertices reports whether vertices may come from elsewhere than the ends of edges.
func (in *input) saysVertices() bool {
	return len(in.flags.vertices) > 0 || slices.ContainsFunc(in.parts, func(p part) bool {
		if p.text == "" {
			return p.graphar != ""
		}
		format, _ := edgelist.FormatOf(p.text)
		switch name := in.flags.inFormat.value; name {
		case "auto":
		case "mtx", "gr", "sg", "wsg", "bin", "adj", "metis", "jsonl":
			format = name
		default:
			format = ""
		}
		return format != "" && format != "text" && format != "jsonl"
	})
}
