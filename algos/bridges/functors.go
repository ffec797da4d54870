// This file holds the functors of the tour around the forest.

package bridges

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// none stands for a missing arc, vertex or number.
const none = math.MaxUint32

// noEdge stands for a missing edge.
const noEdge = math.MaxUint64

// levelTurns is how many entries of a level a vertex makes: the first level has fewer than twice as many as vertices.
const levelTurns = 2

// An edge of the forest has two arcs, one in each direction: 2v and 2v+1 where v is the vertex that the edge joined. An
// arc ends at the vertex that it leads to.

// arcs makes the arcs of the forest, and a list of those that leave each vertex.
//
//foray:functor
type arcs struct {
	Joined, Offsets []uint64
	Targets         []uint32
	End, Next       []uint32 // of every arc: where it leads to; the next one that leaves the same vertex
	Head            []uint32 // of every vertex: the first arc of the list
}

// Vertex keeps the vertices that have arcs.
func (f *arcs) Vertex(v traverse.Vertex) bool {
	at := f.Joined[v.ID]
	if at == noEdge {
		return false
	}
	low, high := 0, len(f.Offsets)-1 // Offsets[low] <= at < Offsets[high]
	for range 64 {
		if high-low <= 1 {
			break
		}
		if middle := (low + high) / 2; f.Offsets[middle] <= at {
			low = middle
		} else {
			high = middle
		}
	}
	source, target, arc := uint32(low), f.Targets[at], 2*v.ID
	f.End[arc], f.End[arc+1] = target, source
	before := atomics.Exchange(&f.Head[source], arc)
	f.Next[arc] = before
	before = atomics.Exchange(&f.Head[target], arc+1)
	f.Next[arc+1] = before
	return true
}

// chain makes a list of the trees that have edges.
//
//foray:functor
type chain struct {
	Tree, Rank, Lowest, Head []uint32 // of every vertex; Lowest of every root of the forest
	After                    []uint32 // of the vertex of each tree with the least rank: that of another tree
	First                    []uint32 // one entry
}

// Vertex adds a tree.
func (f *chain) Vertex(v traverse.Vertex) {
	if f.Rank[v.ID] == f.Lowest[f.Tree[v.ID]] && f.Head[v.ID] != none {
		before := atomics.Exchange(&f.First[0], v.ID)
		f.After[v.ID] = before
	}
}

// tour links each arc with the one behind it on a walk around its tree, which uses each arc once: the one that leaves
// the arc's end after the way back. The walks start at the vertices of least rank, one after the other.
//
//foray:functor
type tour struct {
	Tree, Rank, Lowest, Head, After, End, Next []uint32
	Way                                        []uint64 // of every arc: another one further on, and how many arcs away it is
}

// Vertex links its two arcs.
func (f *tour) Vertex(v traverse.Vertex) {
	for arc := 2 * v.ID; arc < 2*v.ID+2; arc++ {
		next := f.Next[arc^1]
		if next == none {
			end := f.End[arc]
			if f.Rank[end] == f.Lowest[f.Tree[end]] {
				if after := f.After[end]; after != none {
					next = f.Head[after]
				}
			} else {
				next = f.Head[end]
			}
		}
		f.Way[arc] = uint64(next)<<32 | 1
	}
}

// leap finds how many arcs are left to the end of the tour, by leaps that double (Wyllie, 1979).
//
//foray:functor
type leap struct{ Way []uint64 }

// Vertex leaps with its two arcs. It is more than 0 if one isn't at the end.
func (f *leap) Vertex(v traverse.Vertex) (left uint64) {
	for arc := 2 * v.ID; arc < 2*v.ID+2; arc++ {
		way := atomics.Load(&f.Way[arc])
		if way>>32 == none {
			continue
		}
		ahead := atomics.Load(&f.Way[way>>32])
		atomics.Store(&f.Way[arc], ahead&^none|(way&none+ahead&none))
		left++
	}
	return left
}

// root gives the vertices of least rank, where walks start, their slot. Vertices alone have none.
//
//foray:functor
type root struct {
	Tree, Rank, Lowest, Head []uint32
	Way                      []uint64
	Slot, Last, Parent       []uint32
	Arcs                     uint32 // how many there are
}

func (f *root) Vertex(v traverse.Vertex) {
	if f.Rank[v.ID] != f.Lowest[f.Tree[v.ID]] {
		return
	}
	f.Parent[v.ID], f.Last[v.ID], f.Slot[v.ID] = none, none, none
	if head := f.Head[v.ID]; head != none {
		f.Slot[v.ID] = f.Arcs - uint32(f.Way[head])
	}
}

// place gives the lower end of each edge of the forest its slot: after the arc that comes down to it. Its descendants
// have the slots behind it, up to Last.
//
//foray:functor
type place struct {
	End                []uint32
	Way                []uint64
	Slot, Last, Parent []uint32
	Arcs               uint32
}

func (f *place) Vertex(v traverse.Vertex) {
	down, up := 2*v.ID, 2*v.ID+1
	if uint32(f.Way[down]) < uint32(f.Way[up]) {
		down, up = up, down
	}
	child := f.End[down]
	f.Parent[child] = f.End[up]
	f.Slot[child], f.Last[child] = f.Arcs-uint32(f.Way[down])+1, f.Arcs-uint32(f.Way[up])
}

// least finds the least slot that edges outside the forest lead to, of each vertex.
//
//foray:functor
type least struct {
	Slot, Parent []uint32
	Low          []uint32 // of every slot, behind Slots other entries
	Slots        uint32
}

// Gather is the slot of a neighbor.
//
//foray:reduce min
func (f *least) Gather(e traverse.Edge) uint32 {
	if f.Parent[e.Target] == e.Source || f.Parent[e.Source] == e.Target {
		return none
	}
	return f.Slot[e.Target]
}

// Apply includes the vertex.
func (f *least) Apply(v traverse.Vertex, low uint32) {
	if slot := f.Slot[v.ID]; slot != none {
		f.Low[f.Slots+slot] = min(slot, low)
	}
}

// most finds the largest slot likewise.
//
//foray:functor
type most struct {
	Slot, Parent []uint32
	High         []uint32
	Slots        uint32
}

// Gather is the slot of a neighbor.
//
//foray:reduce max
func (f *most) Gather(e traverse.Edge) uint32 {
	if f.Parent[e.Target] == e.Source || f.Parent[e.Source] == e.Target {
		return 0
	}
	return f.Slot[e.Target]
}

// Apply includes the vertex.
func (f *most) Apply(v traverse.Vertex, high uint32) {
	if slot := f.Slot[v.ID]; slot != none {
		f.High[f.Slots+slot] = max(slot, high)
	}
}

// halve makes a level of the tournaments of slots: entry i is of the slots of entries 2i and 2i+1.
//
//foray:functor
type halve struct {
	Low, High          []uint32
	From, To, Vertices uint32
}

func (f *halve) Vertex(v traverse.Vertex) {
	for k := uint32(0); k < levelTurns; k++ {
		i := f.From + v.ID + k*f.Vertices
		if i >= f.To {
			break
		}
		f.Low[i], f.High[i] = min(f.Low[2*i], f.Low[2*i+1]), max(f.High[2*i], f.High[2*i+1])
	}
}
