// This file holds lists of vertices: texts whose lines name a vertex each, which need not
// have an edge.

package edgelist

import (
	"fmt"
	"slices"
	"strings"

	"github.com/foray-graph/foray/graph"
)

// vertexNames are the columns that ids of vertices are in, if no name is asked for.
var vertexNames = []string{"id", "vertex", "node", "vertex_id", "node_id"}

// list readies checked options for a list of vertices, whose batches it gives to yield as such.
func (o *Options) list(yield func(graph.Batch) error) (func(graph.Batch) error, error) {
	switch o.format {
	case formatAuto:
		o.format = formatText // a banner is a comment here
	case formatText, formatJSONLines:
	default:
		return nil, fmt.Errorf("%s: %w: the format is %v, which has edges; vertices are listed by text and JSON lines", o.Name, ErrFormat, o.format)
	}
	return func(b graph.Batch) error {
		return yield(graph.Batch{Type: b.Type, Src: b.Src, SrcStrings: b.SrcStrings, Columns: b.Columns, Vertices: true})
	}, nil
}

// vertexLayout is headerOf for a list of vertices, whose source and target are one column.
func (lay *layout) vertexLayout(head [2][]byte, sep byte, o *Options) (header bool, err error) {
	names := columnsOf(head[0], sep)
	at := 0
	switch {
	case o.header == headerNone:
	case o.Source != "" || o.header == headerFirst || !numbered(o.VertexColumns):
		header = true
		at, err = vertexColumn(names, o.Source)
	default:
		if at, err = vertexColumn(names, ""); err == nil && len(names) > 0 && isVertexName(names[at]) {
			header = true
			break
		}
		second := columnsOf(head[1], sep)
		isInt := func(f [][]byte) bool { return len(f) > 0 && isNumber(f[0]) }
		header = isInt(second) && !isInt(names) && o.ids != idsString && o.ids != idsBinary
		if at = 0; !header {
			err = nil
		} else if at, err = vertexColumn(names, ""); err != nil {
			return true, err
		}
	}
	lay.at, lay.picked = [3]int{at, at, 0}, true
	if header && err == nil {
		err = lay.findMore(names, o)
	}
	return header, err
}

func isVertexName(f []byte) bool { return slices.Contains(vertexNames, strings.ToLower(string(f))) }

// vertexColumn returns the column of ids among the names of a header.
func vertexColumn(names [][]byte, name string) (int, error) {
	if name != "" {
		return namedColumn(names, name, "Source")
	}
	at := -1
	for _, name := range vertexNames {
		if at = column(names, name); at >= 0 {
			return at, nil
		}
	}
	if len(names) == 1 {
		return 0, nil
	}
	return 0, faultf(errColumns, "the names in the header don't tell which column has the vertices; name it in Options.Source, or, if the line is a vertex, set Options.Header to \"none\"; %s", listNames(names))
}
