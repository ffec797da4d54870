// This file describes the kinds of vertices.

package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/logical"
)

// maxKindNames is how many kinds a line names.
const maxKindNames = 8

// kindNames lists the kinds and the types of their ids. If all have the same type, it
// is listed once.
func kindNames(form logical.Type) string {
	same := true
	for _, p := range form.Parts {
		same = same && p.String() == form.Parts[0].String()
	}
	var names []string
	for i, name := range form.Names {
		if i == maxKindNames {
			names = append(names, fmt.Sprintf("%d more", len(form.Names)-i))
			break
		}
		if !same {
			name += " (" + form.Parts[i].String() + ")"
		}
		names = append(names, name)
	}
	all := strings.Join(names, ", ")
	if same && len(form.Parts) > 0 {
		all += " (" + form.Parts[0].String() + ")"
	}
	return all
}

// kindCounts lists the number of vertices of each kind.
func kindCounts(m *graph.IDs) string {
	var counts []string
	from := 0
	for i, name := range m.Kinds() {
		// The order of ids is by kind first.
		to := from + sort.Search(m.Len-from, func(k int) bool { return m.Kind(m.AtRank(uint32(from+k))) != name })
		if i == maxKindNames {
			counts = append(counts, fmt.Sprintf("%d more kinds: %s", len(m.Kinds())-i, text.Plural(m.Len-from, "vertex")))
			break
		}
		counts = append(counts, name+": "+text.Plural(to-from, "vertex"))
		from = to
	}
	return strings.Join(counts, ", ")
}
