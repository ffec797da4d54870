// This file holds the errors of building and reading a graph.

package graph

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/text"
)

// Errors to test for with errors.Is. A returned error wraps one of them and describes the
// cause and a remedy.
var (
	// ErrEmpty: the input held neither an edge nor a vertex, so there is no graph to build.
	ErrEmpty = errors.New("graph: empty input")
	// ErrTooManyVertices: more than 2^32-1 vertices.
	ErrTooManyVertices = errors.New("graph: too many vertices")
	// ErrNoVertex: the graph doesn't have the vertex or id.
	ErrNoVertex = errors.New("graph: no such vertex")
	// ErrAmbiguousSide: the id is both a source and a target, and the two are
	// separate vertices.
	ErrAmbiguousSide = errors.New("graph: the id is a vertex on both sides")
	// ErrIDType: ids of two types in one graph, or a lookup with the wrong type.
	ErrIDType = errors.New("graph: wrong id type")
	// ErrIDRange: an id that doesn't fit, such as a dense id past 2^32-2 or below 0.
	ErrIDRange = errors.New("graph: id out of range")
	// ErrMalformed: arrays that aren't a graph.
	ErrMalformed = errors.New("graph: malformed")
	// ErrNoGraph: a nil graph or placed graph.
	ErrNoGraph = errors.New("graph: no graph given")
	// ErrOptions: an option that is out of range, or can't be combined with another.
	ErrOptions = callctx.ErrOptions
	// ErrInvalid: a result that isn't that of its graph. Validate of the algorithms returns it.
	ErrInvalid = errors.New("not a valid result")
	// ErrNoReverse: a pull over a directed graph that was built without its reverse.
	ErrNoReverse = errors.New("graph: no reverse graph")
	// ErrNoWeights: a traversal by weights over a graph whose edges have none.
	ErrNoWeights = errors.New("graph: edges without weights")
	errNoEdgeIDs = text.Named("graph: edges without ids", ErrOptions)
	errMemory    = text.Named("graph: not enough memory", device.ErrMemory)
)

// errNoEdge is ErrEmpty for a Builder without input.
var errNoEdge = fmt.Errorf("%w: no edge was added, and no vertex; look at what the edges come from", ErrEmpty)

// vertexError names an external id that isn't in the graph. It wraps ErrNoVertex.
type vertexError struct {
	ID any // the external id, as it was passed
}

func (e *vertexError) Error() string { return fmt.Sprintf("vertex %v is not in the graph", e.ID) }

func (e *vertexError) Unwrap() error { return ErrNoVertex }
