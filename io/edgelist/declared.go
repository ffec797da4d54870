// This file holds vertices that a file declares, whether they have edges or not.

package edgelist

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/text/limit"
)

// declared is how many vertices the head of a file declares, whose ids are first and
// those that follow.
type declared struct {
	first, n uint64
}

// check refuses another number of vertices than Options.Graph.Vertices says and, where the
// file need not have a byte for each of them, more than so many entries justify.
func (d declared) check(o *Options, entries uint64, named bool) error {
	switch {
	case o.Graph.Vertices > 0 && o.Graph.Vertices != d.n:
		return faultf(graph.ErrOptions, "the head declares %d vertices, Options.Graph.Vertices asks for %d; leave it 0", d.n, o.Graph.Vertices)
	case named || d.n <= o.MaxVertices || (d.n-o.MaxVertices-1)/verticesPerEntry < entries:
		return nil
	}
	most := uint64(math.MaxUint64)
	if entries < 1<<32 {
		most = o.MaxVertices + verticesPerEntry*entries
	}
	return faultf(overLimit{limit.Err}, "the head declares %d vertices, where %d are taken without a doubt with so few entries; if it is right, raise the limit, Options.MaxVertices", d.n, most)
}

// yield passes the vertices on, once the input was found to have the entries that it
// declares.
func (d declared) yield(in *input, o *Options, yield func(graph.Batch) error) error {
	if d.n > uint64(graph.NoVertex) {
		return in.named(fmt.Errorf("%w: the head declares %d; a graph has at most %d", graph.ErrTooManyVertices, d.n, graph.NoVertex))
	}
	ids := make([]int64, min(uint64(o.batch), d.n))
	for at := uint64(0); at < d.n; {
		k := min(uint64(len(ids)), d.n-at)
		for i := range ids[:k] {
			ids[i] = int64(d.first + at + uint64(i))
		}
		if err := yield(graph.Batch{Type: graph.Int64, Src: ids[:k], Vertices: true}); err != nil {
			return err
		}
		at += k
	}
	return nil
}

// countsFromOne reports whether ids of the format are 1 to the number of vertices that the
// file declares: none of them is 0, and all of them are there.
func (f format) countsFromOne() bool {
	return f == formatMatrixMarket || f == formatDIMACS || f == formatMETIS
}

// graphOptions returns how the graph is built. Of a format that counts from 1 the ids are
// dense without DenseIDs, which would add a vertex 0; check has compared the number.
func (o *Options) graphOptions() graph.Options {
	g := o.Graph
	if o.format.countsFromOne() {
		g.DenseIDs, g.Vertices = false, 0
	}
	return g
}

// build makes a graph of a file that is read once. What the format is may turn out while
// it is read.
func (o *Options) build(ctx context.Context, path string) (*graph.Graph, error) {
	in, err := openFile(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer in.close()
	builder := sync.OnceValue(func() *graph.Builder { return graph.NewBuilder(o.graphOptions()) })
	defer func() { _ = builder().Close() }()
	if err := readInput(ctx, in, o, func(b graph.Batch) error { return builder().Add(b) }); err != nil {
		return nil, err
	}
	return builder().Build(ctx)
}

// errFound ends a read that was to find out the format.
var errFound = errors.New("edgelist: the format is known")

// findFormat sets the format of a file that its content shows to count from 1. It returns no
// error: a read that follows meets the same one.
func (o *Options) findFormat(ctx context.Context, path string) {
	look := *o
	look.LeftOut, look.Columns, look.Progress, look.Workers = nil, nil, nil, 1
	look.Graph.EdgeColumns, look.VertexColumns, look.Skipped = nil, nil, nil
	if in, err := openFile(ctx, path, &look); err == nil {
		_ = readInput(ctx, in, &look, func(graph.Batch) error { return errFound })
		in.close()
	}
	if look.format.countsFromOne() {
		o.format = look.format
	}
}

// Detect returns the format of a file, a value of Options.Format: o.Format, or what the name says, or, if that
// means text, whether the file begins as Matrix Market does. For that it opens the file, unless it is a pipe.
// It returns the errors of FormatOf, and errors about the options or the path; a file that can't be opened is "text".
//
// Ids of the formats "mtx", "gr" and "metis" are 1 to the number of vertices that the file declares. They need no
// graph.Options.DenseIDs, which would add a vertex 0; Load leaves that option out automatically.
func Detect(ctx context.Context, path string, o Options) (_ string, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "edgelist"); err != nil {
		return "", err
	}
	path, err := location.Path(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if err := o.forFile(path); err != nil {
		return "", err
	}
	// Some systems read on where a file stands when /dev/stdin is opened again.
	if st, err := os.Stat(path); o.format == formatAuto && (s3.Is(path) || err == nil && st.Mode().IsRegular() && !strings.HasPrefix(path, "/dev/")) {
		o.findFormat(ctx, path)
	}
	return max(o.format, formatText).String(), nil
}
