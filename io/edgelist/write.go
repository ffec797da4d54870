// This file holds the writing of text edge lists, and what both writers share.

package edgelist

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/location"
)

// WriteOptions say how to write. The zero value writes external ids, and
// weights where the file's name ends in .wel or .wsg.
type WriteOptions struct {
	// Weights writes the weights; the graph must have weights. The extensions .wel and .wsg write
	// them too, and .el and .sg can't have them.
	Weights bool
	// VertexNumbers writes the graph's own vertex numbers, 0 to
	// NumVertices()-1, instead of the external ids.
	VertexNumbers bool
	// Progress, if not nil, is called now and then, in phase "write", with the number of directed edges that
	// were dealt with so far, and of all.
	Progress func(graph.Progress)
}

// weights settles whether weights are written.
func (o *WriteOptions) weights(path string, g *graph.Graph) (bool, error) {
	base, _ := compressionOf(path)
	w := o.Weights
	switch ext := strings.ToLower(filepath.Ext(base)); ext {
	case ".wel", ".wsg":
		w = true
	case ".el", ".sg":
		if w {
			return false, fmt.Errorf("%s: %w: a file that ends in %s has none; call it .w%s", path, errWeights, ext, ext[1:])
		}
	case ".bin":
		if w {
			return false, fmt.Errorf("%s: %w: a file that ends in .bin has none; call it .adj", path, errWeights)
		}
	}
	if w && g.Out().Weights == nil && g.NumDirectedEdges() > 0 {
		return false, fmt.Errorf("%s: %w: the graph has none to write", path, errWeights)
	}
	return w, nil
}

// output is a file being written, perhaps compressed.
type output struct {
	ctx      context.Context
	path     string
	w        io.Writer
	encoder  io.Closer // nil if not compressed
	buf      []byte    // to be written; writers append to it
	progress func(graph.Progress)
	total    uint64
}

// writeFile calls write with an output that becomes the file if write and all
// that follows succeed, and leaves nothing else.
func writeFile(ctx context.Context, path string, o *WriteOptions, total uint64, write func(out *output) error) (err error) {
	if _, compression := compressionOf(path); compression == "bzip2" {
		return fmt.Errorf("%s: %w: bzip2 is read, but not written; let the name end in .gz or .zst", path, errCompression)
	}
	f, err := atomicfile.Create(ctx, path)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // also where Progress panics
			f.Abort()
		}
	}()
	out := &output{ctx: ctx, path: path, w: f, progress: o.Progress, total: total, buf: make([]byte, 0, flushBytes+4096)}
	switch _, compression := compressionOf(path); compression {
	case "gzip":
		z := gzip.NewWriter(f)
		out.w, out.encoder = z, z
	case "zstd":
		z, err := zstd.NewWriter(f, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		out.w, out.encoder = z, z
	}
	err = write(out)
	if err == nil {
		err = out.flush(total)
	}
	if out.encoder != nil {
		if cerr := out.encoder.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		return named(path, err)
	}
	done = true
	return f.Commit()
}

// flushFull is flush once enough was gathered.
func (out *output) flushFull(done uint64) error {
	if len(out.buf) < flushBytes {
		return nil
	}
	return out.flush(done)
}

// flush writes what was gathered; done is for Progress.
func (out *output) flush(done uint64) error {
	if err := out.ctx.Err(); err != nil {
		return err
	}
	_, err := out.w.Write(out.buf)
	out.buf = out.buf[:0]
	if err == nil && out.progress != nil {
		out.progress(graph.Progress{Phase: "write", Done: done, Total: out.total})
	}
	return err
}

// Write writes the edges of a graph, in the format that the end of the name says: .sg and, with weights, .wsg are
// serialized graphs, .bin and .adj graphs of GBBS and PASGAL, .mtx Matrix Market, other names text. A further .gz or .zst
// compresses them. The file is complete or, if an error
// is returned, unchanged. A name of a format or compression that is only read, such as .gr or .el.xz, is ErrFormat.
//
// Text has an edge a line: source, target and, if asked for, the weight. An undirected edge is written once. Files
// whose names end in .csv and .tsv have commas and tabs and a header line; others have
// spaces, and are what the GAP Benchmark Suite reads as .el and .wel (an undirected graph with
// its flag -s). Isolated vertices are not written.
//
// String ids are written as they are, in quotes where a .csv or .tsv needs it. If the format
// can't represent an id, for example one with spaces or line breaks in other files, or with a NUL
// byte, the error wraps ErrFormat. Binary ids are their bytes, which Options.IDs "binary" reads, where
// package arrow writes them in hexadecimal. Ids that look like numbers and aren't are read back
// with "string".
//
// Serialized graphs are what the GAP Benchmark Suite reads. Vertices are numbered by their external ids, which must
// be 0 to NumVertices()-1, in any order, or else, with o.VertexNumbers, as they are in the graph; rows are sorted by
// target. For a directed graph without its reverse, the reverse is built temporarily. Ids of other kinds and more
// than 2^31-1 vertices are graph.ErrIDRange; weights that aren't whole numbers of 32 bits are graph.ErrWeights.
//
// Files of GBBS and PASGAL number vertices in the same way; .bin has no weights. They have the out-edges alone, and don't say
// whether the graph is directed. Matrix Market numbers vertices from 1: ids are 1 to NumVertices(), or, with o.VertexNumbers,
// one more than the graph's own numbers. An undirected graph is a symmetric matrix.
func Write(ctx context.Context, path string, g *graph.Graph, o WriteOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "edgelist"); err != nil {
		return err
	}
	release, err := g.Hold()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer release()
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	weights, err := o.weights(path, g)
	if err != nil {
		return err
	}
	f, err := formatOf(path)
	switch {
	case errors.Is(err, errCompression):
		return err
	case f == formatSG || f == formatWSG:
		return writeSG(ctx, path, g, o, weights)
	case f == formatBIN:
		return writeBIN(ctx, path, g, o)
	case f == formatADJ:
		return writeADJ(ctx, path, g, o, weights)
	case f == formatMatrixMarket:
		return writeMTX(ctx, path, g, o, weights)
	case f != formatText && err == nil:
		return fmt.Errorf("%s: %w: %s is read, but not written; let the name end in .el, .csv, .mtx, .sg, .bin or .adj", path, ErrFormat, f)
	}
	return writeText(ctx, path, g, o, weights)
}

func writeText(ctx context.Context, path string, g *graph.Graph, o WriteOptions, weights bool) error {
	base, _ := compressionOf(path)
	t := textWriter{g: g, sep: ' ', numbers: o.VertexNumbers}
	switch strings.ToLower(filepath.Ext(base)) {
	case ".csv":
		t.sep = ','
	case ".tsv":
		t.sep = '\t'
	}
	return writeFile(ctx, path, &o, g.NumDirectedEdges(), func(out *output) error {
		if t.sep != ' ' {
			out.buf = append(append(append(out.buf, "src"...), t.sep), "dst"...)
			if weights {
				out.buf = append(append(out.buf, t.sep), "weight"...)
			}
			out.buf = append(out.buf, '\n')
		}
		return t.write(out, weights)
	})
}

type textWriter struct {
	g       *graph.Graph
	sep     byte
	numbers bool
}

func (t *textWriter) write(out *output, weights bool) error {
	c := t.g.Out()
	var src []byte
	var err error
	var head [2][]byte // the first lines, where no header stands before them
	lines := 0
	if t.sep != ' ' || t.numbers {
		lines = len(head)
	}
	for u := range uint32(c.NumVertices()) {
		if src, err = t.id(src[:0], u); err != nil {
			return err
		}
		for e := c.Offsets[u]; e < c.Offsets[u+1]; e++ {
			v := c.Targets[e]
			if v < u && !t.g.Directed() {
				continue
			}
			begin := len(out.buf)
			out.buf = append(append(out.buf, src...), t.sep)
			if out.buf, err = t.id(out.buf, v); err != nil {
				return err
			}
			if weights {
				out.buf = appendWeight(append(out.buf, t.sep), c, t.g.WeightType(), e)
			}
			if lines < len(head) {
				head[lines] = bytes.Clone(out.buf[begin:])
				lines++
				if err := checkHead(head); err != nil {
					return err
				}
			}
			out.buf = append(out.buf, '\n')
			if len(out.buf) >= flushBytes {
				if err := out.flush(e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkHead refuses first lines of which the first would not be read as an edge,
// but as a header, or without the bytes that look like a byte order mark.
func checkHead(head [2][]byte) error {
	if bytes.HasPrefix(head[0], []byte(byteOrderMark)) {
		return fmt.Errorf("%w: a file can't begin with the id that its first edge has, which begins with a byte order mark; write a .csv or .tsv file", ErrFormat)
	}
	if bytes.HasPrefix(head[0], []byte(jsonBegin)) {
		return fmt.Errorf("%w: the first edge, %s, would be read as JSON; write a .csv or .tsv file", ErrFormat, quoted(head[0]))
	}
	for _, as := range [...]ids{idsAuto, idsString} {
		if header, err := new(layout).headerOf(head, ' ', &Options{ids: as}); header || err != nil { // or a reader could not distinguish them
			return fmt.Errorf("%w: the first edge, %s, would be read as a header; write a .csv or .tsv file", ErrFormat, quoted(head[0]))
		}
	}
	return nil
}

// id appends the id of a vertex.
func (t *textWriter) id(b []byte, v uint32) ([]byte, error) {
	ids := t.g.IDs()
	// What ids stand for, and on which side they are, is written as text.
	plain := ids.Logical == "" && ids.Sides == nil
	switch {
	case t.numbers:
		return strconv.AppendUint(b, uint64(v), 10), nil
	case plain && ids.Type.Signed():
		return strconv.AppendInt(b, ids.Int(v), 10), nil
	case plain && ids.Type.Integer():
		return strconv.AppendUint(b, uint64(ids.Int(v)), 10), nil
	}
	s := ids.Bytes(v)
	if !plain {
		s = []byte(ids.Format(v))
	}
	switch {
	case bytes.IndexByte(s, 0) >= 0:
		return b, fmt.Errorf("%w: id %s can't stand in a text edge list: it holds a NUL byte", ErrFormat, quoted(s))
	case len(s) == 0 && t.sep == ' ':
		return b, fmt.Errorf("%w: an id that is empty can't stand between spaces; write a .csv or .tsv file", ErrFormat)
	case len(s) == 0:
		return append(b, `""`...), nil
	}
	// A quote anywhere, since other readers of CSV take one that stands alone for damage.
	quotable := bytes.IndexByte(s, '"') >= 0 || s[0] == ' ' || s[0] == '\t' || s[0] == '#' || s[0] == '%' ||
		s[len(s)-1] == ' ' || s[len(s)-1] == '\t' || bytes.IndexByte(s, t.sep) >= 0 || bytes.ContainsAny(s, "\r\n")
	switch {
	case t.sep != ' ' && quotable:
		b = append(b, '"')
		b = append(b, bytes.ReplaceAll(s, []byte(`"`), []byte(`""`))...)
		return append(b, '"'), nil
	case t.sep == ' ' && (s[0] == '#' || s[0] == '%' || bytes.ContainsAny(s, " \t,\r\n")):
		return b, fmt.Errorf("%w: id %s can't stand between spaces; write a .csv or .tsv file", ErrFormat, quoted(s))
	}
	return append(b, s...), nil
}
