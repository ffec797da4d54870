// This file makes the cost of small searches of a Searcher on the host proportional to what they
// reach: the vertices that a search has reached are listed, and the next search clears these alone.

package bfs

import (
	"iter"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
)

// small lists the vertices that a search reaches, while they are few.
type small struct {
	on      bool     // a Searcher's: nothing else writes to its arrays between two searches
	list    []uint32 // in the order of levels
	listing bool     // list has all vertices that the search has reached so far
	began   bool     // the search began with arrays that say "not reached"

	// The bitmap and these arrays say "not reached" but for the vertices in list.
	blank       bool
	depths      *device.Buffer[int32]
	parents     *device.Buffer[uint32]
	byID        bool // and these arrays, by external id
	depthsByID  *device.Buffer[int32]
	parentsByID *device.Buffer[uint32]
}

// begin clears what the last search has left, if its vertices are listed, and reports whether it did so.
func (m *small) begin(h *hostSearch) bool {
	m.began = m.on && m.blank && m.depths == h.depths && m.parents == h.parents && h.Seen.Form() == frontier.Bitmap
	if m.began {
		seen := h.Seen.Bits()
		depths, parents := h.depths.Host(), h.parents.Host()
		for _, v := range m.list {
			seen[v>>6] = 0
		}
		clearAt(depths, m.list, -1)
		clearAt(parents, m.list, graph.NoVertex)
		if m.byID = m.byID && h.byID && m.depthsByID == h.depthsByID && m.parentsByID == h.parentsByID; m.byID {
			ids := h.Placed.Graph().IDs()
			for _, v := range m.list {
				at := ids.Rank(v)
				if h.depthsByID != nil {
					h.depthsByID.Host()[at] = -1
				}
				if h.parentsByID != nil {
					h.parentsByID.Host()[at] = graph.NoVertex
				}
			}
		}
	} else {
		m.byID = false
	}
	m.blank, m.listing, m.list = false, m.on, m.list[:0]
	return m.began
}

func clearAt[T int32 | uint32](a []T, list []uint32, to T) {
	if a == nil {
		return
	}
	for _, v := range list {
		a[v] = to
	}
}

// reached lists the vertices of a frontier.
func (m *small) reached(f *frontier.Frontier) {
	if !m.listing {
		return
	}
	most := listed(f.Placed())
	need := len(m.list) + f.Len()
	if f.Form() != frontier.Queue || need > most {
		m.listing = false
		return
	}
	if need > cap(m.list) {
		m.list = append(make([]uint32, 0, min(max(2*cap(m.list), need, listFew), most)), m.list...)
	}
	m.list = append(m.list, f.Queue()...)
}

// listed is how many vertices are listed at most.
func listed(p *graph.Placed) int { return p.NumVertices()/listShare + listFew }

// gather writes the arrays by id, and reports false where that takes a pass over all vertices.
func (m *small) gather(h *hostSearch) bool {
	if !m.byID || !m.listing {
		return false
	}
	ids := h.Placed.Graph().IDs()
	for _, v := range m.list {
		at := ids.Rank(v)
		if h.depths != nil {
			h.depthsByID.Host()[at] = h.depths.Host()[v]
		}
		if h.parents != nil {
			h.parentsByID.Host()[at] = ids.Rank(h.parents.Host()[v])
		}
	}
	return true
}

// end remembers what the arrays of the search say.
func (m *small) end(h *hostSearch, r *Result) {
	m.blank = m.listing
	m.depths, m.parents = h.depths, h.parents
	m.byID, m.depthsByID, m.parentsByID = m.listing && h.byID && (h.depthsByID != nil || h.parentsByID != nil), h.depthsByID, h.parentsByID
	if r.list = nil; m.listing {
		r.list = m.list
	}
}

// reclaim forgets the arrays if they aren't those that the result was given: it was closed.
func (m *small) reclaim(r *Result) {
	if r.depths != m.depths || r.parents != m.parents {
		m.blank = false
	}
	if r.depthsByID != m.depthsByID || r.parentsByID != m.parentsByID {
		m.byID = false
	}
}

// Visited returns the vertices reached, with their depths, or -1 where depths were left out. After a
// search of a Searcher on the host that reached few vertices, at most one in 32, it costs time in
// proportion to these, and they come level by level. Otherwise it goes through all vertices in their
// order. It yields nothing where both arrays were left out. Where Depths and Parents return another
// error, Visited panics with it: call one of them first where the result may be on a GPU or closed.
func (r *Result) Visited() iter.Seq2[uint32, int32] {
	return func(yield func(uint32, int32) bool) {
		depths, parents, list, err := r.either()
		if err != nil {
			panic(err)
		}
		depth := func(v uint32) int32 {
			if depths == nil {
				return -1
			}
			return depths[v]
		}
		if list != nil {
			for _, v := range list {
				if !yield(v, depth(v)) {
					return
				}
			}
			return
		}
		if depths != nil {
			for v, d := range depths {
				if d >= 0 && !yield(uint32(v), d) {
					return
				}
			}
			return
		}
		for v, p := range parents {
			if p != graph.NoVertex && !yield(uint32(v), -1) {
				return
			}
		}
	}
}

// Few reports whether Visited costs time in proportion to the vertices reached.
func (r *Result) Few() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list != nil
}
