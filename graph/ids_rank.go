// This file holds the ranks of vertices among the external ids: the way back from
// IDs.ByID.

package graph

import (
	"context"
	"sync"
)

// idRanks is the inverse of IDs.ByID, computed once.
type idRanks struct {
	once  sync.Once
	ranks []uint32 // nil where the vertices are in the order of their ids
}

// Ranks returns the rank of every vertex among the external ids: Ranks()[v] is
// the index of v in ByID, and thus in every array in the order of ids, such as
// bfs.Result.DepthsByID. It is nil if ByID is, since vertex v then has rank v;
// Rank handles both cases.
//
// The first call computes it, on all processors: a pass that writes 4 bytes a
// vertex at random places, in addition to the cost of the first ByID. The slice
// belongs to the map and must not be written to.
func (m *IDs) Ranks() []uint32 { return within(m, 0, (*IDs).allRanks) }

func (m *IDs) allRanks(int) []uint32 {
	m.ranks.once.Do(func() {
		byID := m.allByID(0)
		if byID == nil {
			return
		}
		// Nothing but the context makes it fail, which isn't done.
		m.ranks.ranks, _ = newCrew(context.Background(), Options{}).inverse(byID, len(byID))
	})
	return m.ranks.ranks
}

// Rank returns the index of a vertex in the order of external ids (see ByID), 0
// for the one that comes first. v must be a vertex, less than Len. The first call
// may cost what that of Ranks does, later ones are a look-up.
func (m *IDs) Rank(v uint32) uint32 {
	if ranks := m.Ranks(); ranks != nil {
		return ranks[v]
	}
	return v
}

// AtRank returns the vertex of a rank, less than Len: ByID()[rank], or the rank
// itself where that is nil. Rank is the way back.
func (m *IDs) AtRank(rank uint32) uint32 {
	return within(m, rank, (*IDs).atRank)
}

func (m *IDs) atRank(rank uint32) uint32 {
	if byID := m.allByID(0); byID != nil {
		return byID[rank]
	}
	return rank
}
