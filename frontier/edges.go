// This file holds the edge frontier.

package frontier

import (
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/front"
)

// Edges is an edge frontier: a list of edges, by target and optionally by
// source (Merrill, Garland, Grimshaw, PPoPP 2012). It is stored on a GPU; on the
// host a push reads the edges in place. It belongs to one search.
type Edges front.Edges

// NewEdges returns an empty edge frontier over a placed graph; with sources set,
// sources are kept too. Close frees its memory. On the host the error is
// device.ErrNotSupported; for a nil or closed placed graph it is the error of
// graph.Placed.Err.
func NewEdges(p *graph.Placed, sources bool) (*Edges, error) {
	e, err := front.NewEdges(p, sources)
	return (*Edges)(e), err
}

// Count waits for the operator that fills the frontier. It returns how many edges
// there are, and how many vertices they were read from.
func (e *Edges) Count() (edges, vertices uint64, err error) { return (*front.Edges)(e).Count() }

// Read returns copies of the targets, and of the sources where these are kept.
func (e *Edges) Read() (targets, sources []uint32, err error) { return (*front.Edges)(e).Read() }

// Close frees the memory. Closing a nil edge frontier does nothing.
func (e *Edges) Close() error { return (*front.Edges)(e).Close() }
