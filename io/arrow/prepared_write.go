// This file holds WriteGraph.

package arrow

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sys/cpu"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
)

// WriteGraphOptions say how a graph is written. The zero value works.
type WriteGraphOptions struct {
	// Workers is the number of goroutines that make checksums; 0 means
	// GOMAXPROCS, less is graph.ErrOptions.
	Workers int
	// Progress, if not nil, is called now and then with the bytes done: each
	// byte of the arrays counts twice, for its checksum and for being written.
	// Calls don't overlap.
	Progress func(done, total uint64)
	// S3 configures access to the store if the path is s3://bucket/key.
	S3 S3Options
	// Tables are the snapshots of tables whose edges the graph has (see Dataset.Snapshots), for
	// OpenGraphOptions.Tables: Path, Format, Name, ID, Time and Where are kept.
	Tables []TableSnapshot
}

// WriteGraph writes the graph, ready to be searched, as one Arrow IPC file that OpenGraph maps:
// rows, reverse and weights, external ids and their index, and the data that searches compute
// once per graph (Prepared's arrays, and Fours if the graph has them), each with a checksum. It
// has a row for each vertex; the package documentation lists the columns. Any file extension
// works; .foray is usual. The path may be an object, s3://bucket/key, which is uploaded in
// parts. The file or object appears complete, replacing an earlier one, or not at all; a graph
// that was opened from the earlier file keeps it.
//
// It takes memory for the computed data, 4 bytes per vertex and a bit (20 bytes for graphs of
// low degree). Errors wrap graph.ErrMalformed for an invalid graph, graph.ErrOptions,
// device.ErrClosed for a closed graph, ErrUnsupported on a big-endian machine, ctx's error, or
// the operating system's. g is only read.
func WriteGraph(ctx context.Context, path string, g *graph.Graph, o WriteGraphOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	return writeStored(ctx, path, g, o, openOutput)
}

func writeStored(ctx context.Context, path string, g *graph.Graph, o WriteGraphOptions,
	open func(context.Context, *writeSpec) (output, error)) error {
	fail := func(err error) error { return fmt.Errorf("cannot write %s: %w", path, err) }
	switch {
	case g == nil:
		return fail(fmt.Errorf("%w: the graph is nil", graph.ErrMalformed))
	case o.Workers < 0:
		return fail(fmt.Errorf("%w: WriteGraphOptions.Workers is %d; want a number of goroutines, or 0 for GOMAXPROCS", graph.ErrOptions, o.Workers))
	case cpu.IsBigEndian:
		return fail(fmt.Errorf("%w: prepared graphs are little-endian, and this machine isn't", ErrUnsupported))
	}
	release, err := g.Hold()
	if err != nil {
		return fail(err)
	}
	defer release()
	if err := g.Fetch(); err != nil {
		return fail(err)
	}
	// Opened first, so a path that can't be written is an immediate error.
	out, err := open(ctx, &writeSpec{path: path, format: formatFile, WriteOptions: WriteOptions{S3: o.S3}})
	if err != nil {
		return err
	}
	defer out.Abort()
	s, err := newStoredGraph(g)
	if err != nil {
		return fail(err)
	}
	s.setTables(o.Tables)
	w := storedWriter{ctx: ctx, out: out, progress: o.Progress}
	for _, a := range s.arrays() {
		w.total += 2 * uint64(len(a.data))
	}
	if err := w.sums(s, o.Workers); err != nil {
		if ctx.Err() != nil {
			return out.Explain(err)
		}
		return fail(err)
	}
	if err := w.file(s); err != nil {
		return out.Explain(err)
	}
	return out.Commit()
}

// storedWriter writes one file.
type storedWriter struct {
	ctx         context.Context
	out         output
	progress    func(done, total uint64)
	done, total uint64
}

// sums works out the checksums, and refuses a graph that OpenGraph would.
func (w *storedWriter) sums(s *storedGraph, workers int) error {
	s.setChecks()
	pass := storedPass{arrays: s.arrays(), workers: workers}
	if w.progress != nil {
		pass.progress = func(done, _ uint64) { w.progress(done, w.total) }
	}
	sums, err := pass.run(w.ctx)
	if err == nil {
		err = s.checkEnds()
	}
	if err != nil {
		return err
	}
	for i, a := range pass.arrays {
		a.sum = sums[i]
		w.done += uint64(len(a.data))
	}
	return nil
}

func (w *storedWriter) file(s *storedGraph) error {
	head, tail := s.frames()
	if err := w.write(head); err != nil {
		return err
	}
	for _, c := range s.columns {
		for _, a := range c.arrays {
			for at := 0; at < len(a.data); at += writeChunk {
				part := a.data[at:min(at+writeChunk, len(a.data))]
				if err := w.write(part); err != nil {
					return err
				}
				if w.done += uint64(len(part)); w.progress != nil {
					w.progress(w.done, w.total)
				}
			}
			if err := w.write(make([]byte, -len(a.data)&(storedAlign-1))); err != nil {
				return err
			}
		}
	}
	if err := w.write(tail); err != nil {
		return err
	}
	return w.ctx.Err()
}

func (w *storedWriter) write(b []byte) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if len(b) == 0 {
		return nil
	}
	n, err := w.out.Write(b)
	if err == nil && n < len(b) {
		err = errors.New("short write")
	}
	return err
}
