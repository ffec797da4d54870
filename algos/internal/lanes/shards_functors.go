// This file holds what happens at edges and vertices on several GPUs, of which each knows what all vertices have
// seen (algos/internal/lanes/steps/shards.go).

package lanes

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// pushSeen passes the new lanes of a source on to what a target has seen: which of them the target
// hadn't, settling finds out.
//
//foray:functor
type pushSeen struct {
	Seen []uint64 // lanes that have reached a vertex
	New  []uint64 // those that did in the last level; right for the frontier's vertices
}

// Edge lets a target through that it changes, so that no other one need be folded.
func (f *pushSeen) Edge(e traverse.Edge) bool {
	d := f.New[e.Source]
	if d&^atomics.Load(&f.Seen[e.Target]) == 0 {
		return false
	}
	atomics.Or(&f.Seen[e.Target], d)
	return true
}

// reached keeps the vertices that lanes reached in the last level.
//
//foray:functor
type reached struct{ New []uint64 }

// Vertex looks for lanes.
func (f *reached) Vertex(v traverse.Vertex) bool { return f.New[v.ID] != 0 }
