// This file holds passes over all vertices on the host: steps of the read-based search, and
// of the change from one kind of marks of visited vertices to another.

package bfs

import (
	"sync/atomic"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
)

// byLevels makes the depths the marks of visited vertices, instead of the bitmap: push and
// pushLevel then label by them.
func (h *hostSearch) byLevels() {
	h.claims, h.small.listing = byArray, false // frontiers are no queues
	h.array = arrayVisitor{depths: h.visitor.Depths, parents: h.visitor.Parents, byDepth: true}
	h.marks.run(h, marksClear)
	for _, v := range h.Cur.Queue() {
		h.label(v)
	}
}

// pushLevel is push without a queue: the vertices that have the depth before level are
// found by reading all depths. It returns how many vertices were found as well.
func (h *hostSearch) pushLevel(level int32) (edges uint64, found int, err error) {
	h.array.level = level
	return h.Advance.PushLevel(h.depths, level-1, nil, &h.array)
}

// gatherLevel makes the queue Cur of the vertices of a level.
func (h *hostSearch) gatherLevel(level int32) error {
	if err := h.Cur.Reset(frontier.Queue); err != nil {
		return err
	}
	h.marks.level = level
	h.marks.run(h, marksGather)
	return h.err()
}

// marks does what needs a pass over all vertices. It is a host.Job.
type marks struct {
	h     *hostSearch
	what  int
	level int32
	next  atomic.Int64
}

const (
	marksClear  = iota // what marks the vertices visited to "not reached"
	marksGather        // the vertices of a level into Cur
	marksSeen          // the visited bitmap from the labels
	marksFill          // depths of vertices that weren't visited, from the parents
)

func (m *marks) run(h *hostSearch, what int) {
	m.h, m.what = h, what
	m.next.Store(0)
	h.lease.Stream.Run(m)
	m.h = nil
}

// Run is the share of one worker: words of 64 vertices.
func (m *marks) Run(int) {
	seen, depths, parents := m.h.visitor.Seen, m.h.array.depths, m.h.array.parents
	n := m.h.Placed.NumVertices()
	for {
		i := int(m.next.Add(fillChunk)) - fillChunk
		if i >= len(seen) {
			return
		}
		hi := min(i+fillChunk, len(seen))
		first, last := i*64, min(hi*64, n)
		switch m.what {
		case marksClear:
			if parents == nil || m.h.array.byDepth {
				fillRange(depths, first, last, -1)
			}
			fillRange(parents, first, last, graph.NoVertex)
		case marksGather:
			m.gather(depths[first:last], first)
		case marksFill:
			for v := first; v < last; v++ {
				if parents[v] == graph.NoVertex {
					depths[v] = -1
				}
			}
		case marksSeen:
			for w := i; w < hi; w++ {
				seen[w] = m.h.array.word(w*64, min(w*64+64, n))
			}
		}
	}
}

// gather appends the vertices of the level to Cur; first is the vertex of
// depths[0].
func (m *marks) gather(depths []int32, first int) {
	var found [1 << 10]uint32
	k := 0
	for i, d := range depths {
		if d == m.level {
			found[k] = uint32(first + i)
			if k++; k == len(found) {
				at := m.h.Cur.Reserve(k)
				copy(m.h.Cur.Room()[at:], found[:])
				k = 0
			}
		}
	}
	if k > 0 {
		at := m.h.Cur.Reserve(k)
		copy(m.h.Cur.Room()[at:], found[:k])
	}
}
