// This file names the edge frontier.

package frontier

import (
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/front"
)

// Edges is an edge frontier: a list of edges, by target and, where wanted, by
// source (Merrill, Garland, Grimshaw, PPoPP 2012). It lies on a GPU; on the host a
// push looks at the edges where they are. It belongs to one search. Set and Read
// copy edges in and out, Count waits for the operator that fills it, Reset empties
// it, Free gives its memory back.
type Edges = front.Edges

// NewEdges returns an empty edge frontier over a placed graph; sources says that
// sources are kept too. Free gives its memory back. On the host it is
// device.ErrNotSupported; over no graph (nil), or one that was freed, the error is
// that of graph.Placed.Err.
func NewEdges(p *graph.Placed, sources bool) (*Edges, error) { return front.NewEdges(p, sources) }
