// This file holds how ids are printed.

package main

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

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
