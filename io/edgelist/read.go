// This file holds Read, ReadFile and Load.

package edgelist

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/files/s3"
)

// Read reads the edges of r, in the format o.Format, and passes them on in batches. Compression is detected from the
// content. yield is called by up to Workers goroutines at once; a batch is valid until yield returns. An error of yield
// ends reading, and is returned. If the input is invalid, edges before and after the error may already have been passed
// on.
//
// Vertices that the input declares, by their number in a header or by a line each, come after the edges in batches that
// have Batch.Vertices set; see the package comment.
//
// An undirected serialized graph, which has every edge twice, yields it once, unless o.Graph.Directed is set. A .bin or
// .adj file doesn't say whether it is undirected: it is taken as such if each edge has its opposite.
//
// Canceling ctx ends the reading as soon as a call of r.Read returns. Errors wrap one of this package's sentinels,
// graph.ErrIDRange, ctx's error or that of r, and name the input (see Options.Name) and the line. An
// input without edges is not an error here, but one that lacks the head that its format begins with is ErrDamaged. So is
// a text without a line whose header Options.Header, Source, Target or Weight require. If r or
// yield is nil the error is graph.ErrOptions.
func Read(ctx context.Context, r io.Reader, o Options, yield func(graph.Batch) error) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "edgelist"); err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	if r == nil {
		return fmt.Errorf("%w: there is no reader to read from (nil)", errOptions)
	}
	if yield == nil {
		return errNoYield()
	}
	if o.Name == "" {
		o.Name = "input"
	}
	if o.OnlyVertices {
		var err error
		if yield, err = o.list(yield); err != nil {
			return err
		}
	}
	in, err := newInput(r, -1, &o)
	if err != nil {
		return err
	}
	defer in.close()
	return readInput(ctx, in, &o, yield)
}

// ReadFile is Read for a file, which may be a pipe; canceling ctx ends waiting for its other end too. The path may be a
// file:// address, or an object of an S3-compatible store, s3://bucket/key, with the endpoint and credentials of AWS's
// own tools. An object that changes while it is read is an error. If o.Format is "", the name determines the
// format.
func ReadFile(ctx context.Context, path string, o Options, yield func(graph.Batch) error) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "edgelist"); err != nil {
		return err
	}
	path, err := location.Path(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if err := o.forFile(path); err != nil {
		return err
	}
	if yield == nil {
		return errNoYield()
	}
	if o.OnlyVertices {
		if yield, err = o.list(yield); err != nil {
			return err
		}
	}
	in, err := openFile(ctx, path, &o)
	if err != nil {
		return err
	}
	defer in.close()
	return readInput(ctx, in, &o, yield)
}

func errNoYield() error {
	return fmt.Errorf("%w: yield is nil; give a function that takes the batches", errOptions)
}

// forFile checks the options and settles name and format by the path. A
// format of text stays formatAuto, for the banner to be looked for.
func (o *Options) forFile(path string) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.Name == "" {
		o.Name = path
	}
	if o.format == formatAuto {
		f, err := formatOf(path)
		if err != nil {
			return err
		}
		if f != formatText {
			o.format = f
		}
	}
	base, _ := compressionOf(path)
	if ext := strings.ToLower(filepath.Ext(base)); ext == ".csv" || ext == ".tsv" {
		o.ext = ext
	}
	return nil
}

// byteOrderMark is what some programs have text begin with.
const byteOrderMark = "\xef\xbb\xbf"

func readInput(ctx context.Context, in *input, o *Options, yield func(graph.Batch) error) error {
	if err := o.checkNamed(); err != nil {
		return err
	}
	switch o.format {
	case formatSG, formatWSG:
		return yieldSG(ctx, in, o, yield)
	case formatBIN:
		return yieldBIN(ctx, in, o, yield)
	}
	l := newLines(ctx, in, o)
	if o.Comments != nil {
		defer func() { o.Comments(l.comments.Load()) }()
	}
	l.skipPrefix(byteOrderMark, true)
	for range o.SkipLines {
		if _, _, err := l.next(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	switch {
	case o.format == formatMatrixMarket, o.format == formatAuto && l.skipPrefix(banner, false):
		o.format = formatMatrixMarket
		if err := o.checkNamed(); err != nil {
			return err
		}
		return readMatrixMarket(l, o, yield)
	case o.format == formatMETIS:
		return readMETIS(l, o, yield)
	case o.format == formatADJ:
		return readADJ(l, o, yield)
	case o.format == formatJSONLines:
		return readJSONLines(l, o, yield)
	case o.format == formatDIMACS:
		return readDIMACS(l, o, yield)
	}
	return readText(l, o, yield)
}

// checkNamed refuses names of columns, and lines to skip, where the format has none.
func (o *Options) checkNamed() error {
	if o.SkipLines > 0 && o.format.binary() {
		return fmt.Errorf("%s: %w: Options.SkipLines is %d, but the format is %v, which has no lines", o.Name, errOptions, o.SkipLines, o.format)
	}
	if o.format > formatText && o.format != formatJSONLines && len(o.edgeColumns()) > 0 {
		return fmt.Errorf("%s: %w: Options.Graph.EdgeColumns names columns, but the format is %v, whose edges have none", o.Name, errOptions, o.format)
	}
	if o.format > formatText && o.comment != 0 {
		return fmt.Errorf("%s: %w: Options.Comment is for texts with columns, but the format is %v, which says itself what its comments are", o.Name, errOptions, o.format)
	}
	if o.format > formatText && o.format != formatJSONLines && o.named() {
		return fmt.Errorf("%s: %w: Options.Source, Options.Target and Options.Weight name columns of a text, but the format is %v, whose columns have no names", o.Name, errOptions, o.format)
	}
	return nil
}

// Load makes a graph of a file. Where o.Format is "", the name tells
// the format. An input without edges is graph.ErrEmpty, unless it declares vertices, which
// are isolated then.
//
// A serialized graph is loaded as it stands, vertex v of the file being vertex
// v, unless o.Graph.Order is OrderDegree. It comes out as o.Graph asks: edges
// are dropped, reversed or added where the file has them otherwise.
func Load(ctx context.Context, path string, o Options) (_ *graph.Graph, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "edgelist"); err != nil {
		return nil, err
	}
	path, err := location.Path(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if err := o.forFile(path); err != nil {
		return nil, err
	}
	if o.OnlyVertices {
		return nil, fmt.Errorf("%s: %w: OnlyVertices is for Read and ReadFile; a graph of vertices alone is a graph.Builder's", o.Name, errOptions)
	}
	if o.format == formatSG || o.format == formatWSG {
		if err := o.checkNamed(); err != nil {
			return nil, err
		}
		in, err := openFile(ctx, path, &o)
		if err != nil {
			return nil, err
		}
		defer in.close()
		return loadSG(ctx, in, &o)
	}
	var g *graph.Graph
	o.Graph.Held += o.held(path)
	if o.TwoPass {
		if !regular(path) {
			return nil, fmt.Errorf("%s: %w: TwoPass reads twice, which a pipe or a device can't be; write it to a file first", o.Name, errOptions)
		}
		if o.Graph.DenseIDs && o.format == formatAuto {
			o.findFormat(ctx, path)
		}
		g, err = graph.TwoPass(ctx, o.graphOptions(), func(ctx context.Context, yield func(graph.Batch) error) error {
			return ReadFile(ctx, path, o, yield)
		})
	} else {
		build := func() (err error) {
			g, err = o.build(ctx, path)
			return err
		}
		if regular(path) {
			err = o.again(ctx, build)
		} else {
			err = build()
		}
	}
	if errors.Is(err, graph.ErrEmpty) {
		return nil, empty(o.Name)
	}
	if err != nil {
		return nil, named(o.Name, err)
	}
	return g, nil
}

// regular reports whether a path can be read twice. What isn't there is for reading to report.
func regular(path string) bool {
	st, err := os.Stat(path)
	return s3.Is(path) || err != nil || st.Mode().IsRegular() || st.IsDir()
}

func empty(name string) error {
	return fmt.Errorf("%s: %w: it holds no edge; check what wrote it", name, graph.ErrEmpty)
}

// named puts the name before an error that doesn't have it yet.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	var pe *os.PathError
	if errors.As(err, &pe) || strings.HasPrefix(err.Error(), name+":") {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
