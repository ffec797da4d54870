// This file holds lists of vertices: texts whose lines name a vertex each, which need not
// have an edge.

package edgelist

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
)

// vertexNames are the columns that ids of vertices are in, if no name is asked for.
var vertexNames = []string{"id", "vertex", "node", "vertex_id", "node_id"}

// ReadVertices reads the vertices of a text with one vertex a line, and passes them on in batches
// that have Batch.Vertices set. In a graph.Builder they join the edges of Read, ReadFile or any
// other source. Order, goroutines and errors are as in ReadFile.
//
// The file is a text of columns or JSON lines. o.Source names the column of the ids, or the
// member. If it is empty, that is the column called id, vertex, node, vertex_id or node_id, else
// the first column of a text that has no header, or the only one. The first line is a header if
// o.Header or o.Source requires one, if it has such a name, or if it isn't an integer where the
// second one is. A text is cut at commas, if the first line has one, else at tabs, or as
// o.Separator says. Lines may have any number of columns.
//
// Ids are as in edges: o.IDs has to say the same type for both, since IDsAuto looks at the
// first line alone. o.Target, o.Weight, o.Graph and o.TwoPass don't count.
func ReadVertices(ctx context.Context, path string, o Options, yield func(graph.Batch) error) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "edgelist"); err != nil {
		return err
	}
	path, err := location.Path(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	o.Graph, o.Target, o.Weight, o.vertices = graph.Options{Workers: o.Graph.Workers}, "", "", true
	if yield == nil {
		return errNoYield()
	}
	if err := o.forFile(path); err != nil {
		return err
	}
	switch o.Format {
	case FormatAuto:
		o.Format = FormatText // a banner is a comment here
	case FormatText, FormatJSONLines:
	default:
		return fmt.Errorf("%s: %w: the format is %v, which has edges; vertices are listed by text and JSON lines", o.Name, ErrFormat, o.Format)
	}
	in, err := openFile(ctx, path, &o)
	if err != nil {
		return err
	}
	defer in.close()
	return readInput(ctx, in, &o, func(b graph.Batch) error {
		return yield(graph.Batch{Type: b.Type, Src: b.Src, SrcStrings: b.SrcStrings, Vertices: true})
	})
}

// vertexLayout is headerOf for a list of vertices, whose source and target are one column.
func (lay *layout) vertexLayout(head [2][]byte, sep byte, o *Options) (header bool, err error) {
	names := columnsOf(head[0], sep)
	at := 0
	switch {
	case o.Header == HeaderNone:
	case o.Source != "" || o.Header == HeaderFirst:
		header = true
		at, err = vertexColumn(names, o.Source)
	default:
		if at, err = vertexColumn(names, ""); err == nil && len(names) > 0 && isVertexName(names[at]) {
			header = true
			break
		}
		second := columnsOf(head[1], sep)
		isInt := func(f [][]byte) bool { return len(f) > 0 && isNumber(f[0]) }
		header = isInt(second) && !isInt(names) && o.IDs != IDsString && o.IDs != IDsBinary
		if at = 0; !header {
			err = nil
		} else if at, err = vertexColumn(names, ""); err != nil {
			return true, err
		}
	}
	lay.at, lay.picked = [3]int{at, at, 0}, true
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
	return 0, faultf(ErrColumns, "the names in the header don't tell which column has the vertices; name it in Options.Source, or, if the line is a vertex, set Options.Header to HeaderNone; %s", listNames(names))
}
