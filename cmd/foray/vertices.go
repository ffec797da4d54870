// This file turns the vertices that flags name into those of a graph, and prints ids.

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/logical"
)

// vertexIDs returns the vertices of external ids.
func (f *inputFlags) vertexIDs(g *graph.Graph, flag string, ids []string) ([]uint32, error) {
	var vs []uint32
	for _, id := range ids {
		v, err := g.ParseVertex(id)
		if err != nil {
			missing := errors.Is(err, graph.ErrNoVertex)
			if err = vertexError(g, flag, id, err); missing {
				err = f.leftOutByWhere(err)
			}
			return nil, err
		}
		if !slices.Contains(vs, v) {
			vs = append(vs, v)
		}
	}
	return vs, nil
}

// vertexError explains why an id names no vertex, with the ids of the graph.
func vertexError(g *graph.Graph, flag, id string, err error) error {
	if len(id) > maxShownID {
		id = shownID(id)
	}
	m := g.IDs()
	if m.Len == 0 {
		return &vertexNotFound{fmt.Sprintf("--%s: vertex %s is not in the graph, which has no vertices", flag, id), err}
	}
	order := bench.ExternalOrder(m)
	first, last := formatID(m, order.Vertex(0)), formatID(m, order.Vertex(uint32(m.Len-1)))
	typ := m.Type.String()
	if m.Logical != "" {
		typ = m.Logical
	}
	if errors.Is(err, graph.ErrAmbiguousSide) {
		return &vertexNotFound{fmt.Sprintf("--%s: %s is a source and a target, which are two vertices here; write source:%s or target:%s", flag, id, id, id), err}
	}
	if kinds := m.Kinds(); kinds != nil {
		form, _ := logical.Parse(m.Logical)
		what := "is not in the graph"
		kind, _, ok := strings.Cut(id, ":")
		switch {
		case !errors.Is(err, graph.ErrIDType):
		case !ok:
			what = "has no kind: write KIND:ID, such as " + kinds[0] + ":" + id
		case !slices.Contains(kinds, kind):
			what = "is of a kind that the graph doesn't have"
		default:
			what = "has an id that is not of its kind's type"
		}
		return &vertexNotFound{fmt.Sprintf("--%s: vertex %s %s; kinds are %s, ids from %s to %s", flag, id, what, kindNames(form), first, last), err}
	}
	if errors.Is(err, graph.ErrIDType) {
		what := typ
		if m.Type == graph.Binary && m.Logical == "" {
			what = "hexadecimal number, as binary ids are written"
		}
		return noIDType(flag, id, what, typ, first, last)
	}
	return notInGraph(flag, id, typ, first, last, err)
}

// noIDType is the error of an id that isn't of the ids' type.
func noIDType(flag, id, what, typ, first, last string) error {
	return &vertexNotFound{fmt.Sprintf("--%s: %q is no %s; ids of the graph are of type %s, from %s to %s", flag, id, what, typ, first, last), graph.ErrIDType}
}

// notInGraph is the error of an id that the graph lacks.
func notInGraph(flag, id, typ, first, last string, err error) error {
	return &vertexNotFound{fmt.Sprintf("--%s: vertex %s is not in the graph; its ids are of type %s, from %s to %s", flag, id, typ, first, last), err}
}

// vertexNotFound wraps what the library said of an id.
type vertexNotFound struct {
	text string
	err  error
}

func (e *vertexNotFound) Error() string { return e.text }

func (e *vertexNotFound) Unwrap() error { return e.err }

// formatID is the vertex's id for people, who wouldn't see an empty one.
func formatID(m *graph.IDs, v uint32) string {
	return shownID(m.Format(v))
}

// maxShownID is how many characters of an id are printed.
const maxShownID = 100

// shownID returns an id for printing: without line breaks, which would begin a new line, and cut if it
// is long. Files have the whole id.
func shownID(id string) string {
	if id == "" {
		return `""`
	}
	if len(id) > maxShownID {
		if short := cut(id, maxShownID); short != id {
			id = fmt.Sprintf("%s (%s bytes)", short, text.Count(len(id)))
		}
	}
	return text.Escape(id)
}
