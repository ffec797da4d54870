// This file names the edge frontier.

package frontier

import (
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/front"
)

// Edges is an edge frontier: a list of edges, by target and optionally by
// source (Merrill, Garland, Grimshaw, PPoPP 2012). It is stored on a GPU; on the
// host a push reads the edges in place. It belongs to one search. Set and Read
// copy edges in and out, Count waits for the operator that fills it, Reset empties
// it, and Free frees its memory.
type Edges = front.Edges

// NewEdges returns an empty edge frontier over a placed graph; with sources set,
// sources are kept too. Free frees its memory. On the host the error is
// device.ErrNotSupported; for a nil or freed placed graph it is the error of
// graph.Placed.Err.
func NewEdges(p *graph.Placed, sources bool) (*Edges, error) { return front.NewEdges(p, sources) }
