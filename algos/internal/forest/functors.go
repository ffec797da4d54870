// This file holds what happens at an edge and at a vertex.

package forest

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../../cmd/generate

// none stands for a missing edge, and is above all values that edges are compared by.
const none = math.MaxUint64

// upwards marks the number of an edge of a directed graph whose source has the larger rank.
const upwards = 1 << 63

// Stages of a round. Each compares the edges that are left of the one before.
const (
	byKey  = iota // the least key of each tree
	byID          // among these the least id
	byEnds        // among these the least ends
	byRow         // among these, which are parallel edges, the first in the rows
	mates         // what tree that edge leads to
)

// ends returns a number that orders edges by the ranks of their ends, the lower one first.
func ends(rank []uint32, a, b uint32) uint64 {
	x, y := rank[a], rank[b]
	return uint64(min(x, y))<<32 | uint64(max(x, y))
}

// offer finds the first edge out of each tree, for undirected graphs.
//
//foray:functor
type offer[K uint32 | uint64] struct {
	Tree                         []uint32 // of every vertex: the root of its tree
	Keys                         []K      // of every edge, or one for all
	IDs                          []uint64 // of every edge, or one for all
	Rank                         []uint32 // of every vertex' id
	Least, LeastID, LeastEnd, At []uint64 // of every root
	Own                          []uint64 // of every vertex: the least value of its edges
	LastKey, LastID              uint64   // the last index in Keys, and in IDs
	Stage                        uint32
}

// Gather is what the stage compares, or none for an edge that isn't left.
//
//foray:reduce min
func (f *offer[K]) Gather(e traverse.Edge) uint64 {
	tree := f.Tree[e.Source]
	if tree == f.Tree[e.Target] {
		return none
	}
	key := uint64(f.Keys[min(e.Index, f.LastKey)])
	if f.Stage == byKey {
		return key
	}
	if key != f.Least[tree] {
		return none
	}
	id := f.IDs[min(e.Index, f.LastID)]
	if f.Stage == byID {
		return id
	}
	if id != f.LeastID[tree] {
		return none
	}
	end := ends(f.Rank, e.Source, e.Target)
	if f.Stage == byEnds {
		return end
	}
	if end != f.LeastEnd[tree] {
		return none
	}
	return e.Index
}

// Apply offers it to the tree.
func (f *offer[K]) Apply(v traverse.Vertex, least uint64) {
	f.Own[v.ID] = least
	if least == none {
		return
	}
	tree := f.Tree[v.ID]
	switch f.Stage {
	case byKey:
		atomics.Min(&f.Least[tree], least)
	case byID:
		atomics.Min(&f.LeastID[tree], least)
	case byEnds:
		atomics.Min(&f.LeastEnd[tree], least)
	default:
		atomics.Min(&f.At[tree], least)
	}
}

// offerBoth is offer for directed graphs, where an edge is an edge of both trees, but in the row of one.
//
//foray:functor
type offerBoth[K uint32 | uint64] struct {
	Tree                         []uint32
	Keys                         []K
	IDs                          []uint64
	Rank                         []uint32
	Least, LeastID, LeastEnd, At []uint64
	Own                          []uint64 // of every vertex: the round in which an edge of its row last led out of the tree
	Mate                         []uint32 // of every root: the tree that its edge leads to
	LastKey, LastID              uint64
	Stage                        uint32
	Round                        uint64
}

// Edge offers the edge to both trees.
func (f *offerBoth[K]) Edge(e traverse.Edge) {
	a, b := f.Tree[e.Source], f.Tree[e.Target]
	if a == b {
		return
	}
	atomics.Store(&f.Own[e.Source], f.Round)
	key, id := uint64(f.Keys[min(e.Index, f.LastKey)]), f.IDs[min(e.Index, f.LastID)]
	end, row := ends(f.Rank, e.Source, e.Target), e.Index
	if f.Rank[e.Source] > f.Rank[e.Target] {
		row |= upwards // behind an equal edge in the other direction
	}
	for range 2 {
		switch {
		case f.Stage == byKey:
			atomics.Min(&f.Least[a], key)
		case key != f.Least[a]:
		case f.Stage == byID:
			atomics.Min(&f.LeastID[a], id)
		case id != f.LeastID[a]:
		case f.Stage == byEnds:
			atomics.Min(&f.LeastEnd[a], end)
		case end != f.LeastEnd[a]:
		case f.Stage == byRow:
			atomics.Min(&f.At[a], row)
		case f.At[a] == row:
			atomics.Store(&f.Mate[a], b)
		}
		a, b = b, a
	}
}

// leads keeps the vertices with an edge that leads out of their tree.
//
//foray:functor
type leads struct {
	Own     []uint64
	Extreme bool // edges have values as large as none
}

func (f *leads) Vertex(v traverse.Vertex) bool { return f.Extreme || f.Own[v.ID] != none }

// leadsAt is leads for directed graphs.
//
//foray:functor
type leadsAt struct {
	Own   []uint64
	Round uint64
}

func (f *leadsAt) Vertex(v traverse.Vertex) bool { return f.Own[v.ID] == f.Round }

// first keeps the vertices that have an edge that is left.
//
//foray:functor
type first struct {
	Tree       []uint32
	Own, Least []uint64 // of every vertex; of every root
	Extreme    bool
}

func (f *first) Vertex(v traverse.Vertex) bool {
	own := f.Own[v.ID]
	return own == f.Least[f.Tree[v.ID]] && (f.Extreme || own != none)
}

// mate finds the tree that a root's edge leads to, for undirected graphs.
//
//foray:functor
type mate struct {
	Tree, Targets, Mate []uint32
	At                  []uint64
}

// Vertex keeps roots that have such an edge.
func (f *mate) Vertex(v traverse.Vertex) bool {
	at := f.At[v.ID]
	if at == none {
		return false
	}
	f.Mate[v.ID] = f.Tree[f.Targets[at]]
	return true
}

// picked keeps roots that have an edge.
//
//foray:functor
type picked struct{ At []uint64 }

func (f *picked) Vertex(v traverse.Vertex) bool { return f.At[v.ID] != none }

// hook joins a root to the tree that its edge leads to. If two trees have the same edge, the smaller root stays: edges are
// in a strict order, but for parallel ones, so there is no longer cycle. All is as before the round then.
//
//foray:functor
type hook struct {
	Tree, Mate                           []uint32
	Least, LeastID, LeastEnd, At, Joined []uint64
	Keyed, Numbered                      bool
}

// Vertex hooks a root.
func (f *hook) Vertex(v traverse.Vertex) {
	if to := f.Mate[v.ID]; f.Mate[to] != v.ID || v.ID > to {
		f.Tree[v.ID] = to
		f.Joined[v.ID] = f.At[v.ID] &^ upwards
	}
	f.LeastEnd[v.ID], f.At[v.ID] = none, none
	if f.Keyed {
		f.Least[v.ID] = none
	}
	if f.Numbered {
		f.LeastID[v.ID] = none
	}
}

// jump halves the way of a former root to its root.
//
//foray:functor
type jump struct{ Tree []uint32 }

// Vertex is 1 if the way was longer than a step.
func (f *jump) Vertex(v traverse.Vertex) uint64 {
	up := atomics.Load(&f.Tree[v.ID])
	over := atomics.Load(&f.Tree[up])
	if up == over {
		return 0
	}
	atomics.Store(&f.Tree[v.ID], over)
	return 1
}

// follow takes each vertex along with its former root.
//
//foray:functor
type follow struct{ Tree []uint32 }

func (f *follow) Vertex(v traverse.Vertex) {
	up := atomics.Load(&f.Tree[v.ID])
	if root := atomics.Load(&f.Tree[up]); root != up {
		atomics.Store(&f.Tree[v.ID], root)
	}
}

// isRoot keeps roots.
//
//foray:functor
type isRoot struct{ Tree []uint32 }

func (f *isRoot) Vertex(v traverse.Vertex) bool { return f.Tree[v.ID] == v.ID }

// lowest finds the least rank in each tree.
//
//foray:functor
type lowest struct {
	Tree, Rank, Lowest []uint32
}

// Vertex is 1 at a root.
func (f *lowest) Vertex(v traverse.Vertex) uint64 {
	root, rank := f.Tree[v.ID], f.Rank[v.ID]
	if rank < atomics.Load(&f.Lowest[root]) {
		atomics.Min(&f.Lowest[root], rank)
	}
	if root == v.ID {
		return 1
	}
	return 0
}

// mark gives the edges of the forest the vertex of their tree that has the least rank.
//
//foray:functor
type mark[K uint32 | uint64] struct {
	Tree, Lowest, ByRank, Targets []uint32
	Offsets, Joined               []uint64
	Keys                          []K
	IDs                           []uint64
	LastKey, LastID               uint64
	Directed, Ascend              bool
	Name                          []uint32 // of every edge
}

// Vertex marks the edge that joined a former root: in an undirected graph its direction from the larger to the smaller vertex.
func (f *mark[K]) Vertex(v traverse.Vertex) {
	at := f.Joined[v.ID]
	if at == none {
		return
	}
	name := f.ByRank[f.Lowest[f.Tree[v.ID]]]
	source, target := sourceOf(f.Offsets, at), f.Targets[at]
	if f.Directed || source > target {
		f.Name[at] = name
		return
	}
	from, to := f.Offsets[target], f.Offsets[uint64(target)+1]
	if f.Ascend {
		from = seek(f.Targets, from, to, source)
	}
	for i := from; i < to; i++ {
		if f.Targets[i] == source && f.Keys[min(i, f.LastKey)] == f.Keys[min(at, f.LastKey)] && f.IDs[min(i, f.LastID)] == f.IDs[min(at, f.LastID)] {
			f.Name[i] = name
			break
		}
	}
}

// sourceOf returns the vertex in whose row an edge is.
func sourceOf(offsets []uint64, at uint64) uint32 {
	low, high := 0, len(offsets)-1 // offsets[low] <= at < offsets[high]
	for range 64 {
		if high-low <= 1 {
			break
		}
		if middle := (low + high) / 2; offsets[middle] <= at {
			low = middle
		} else {
			high = middle
		}
	}
	return uint32(low)
}

// seek returns the first entry of an ascending row that isn't below v.
func seek(targets []uint32, from, to uint64, v uint32) uint64 {
	for range 64 {
		if from >= to {
			break
		}
		if middle := from + (to-from)/2; targets[middle] < v {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}
