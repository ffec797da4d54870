// This file holds WriteGraph.

package prepared

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sys/cpu"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// mostColumns is how many columns a prepared graph has: a few keys of its schema describe each, of which as many are
// read as package ipc looks at.
const mostColumns = 1 << 14

// WriteGraphOptions is arrow.WriteGraphOptions.
type WriteGraphOptions struct {
	Workers  int
	Progress func(graph.Progress)
	S3       input.S3Options
	Tables   []input.TableSnapshot
}

// WriteGraph is arrow.WriteGraph.
func WriteGraph(ctx context.Context, path string, g *graph.Graph, o WriteGraphOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	return writeStored(ctx, path, g, o, write.OpenOutput)
}

func writeStored(ctx context.Context, path string, g *graph.Graph, o WriteGraphOptions,
	open func(context.Context, *write.WriteSpec) (write.Output, error)) error {
	fail := func(err error) error { return fmt.Errorf("cannot write %s: %w", path, err) }
	switch {
	case g == nil:
		return fail(fmt.Errorf("%w: the graph is nil", graph.ErrMalformed))
	case o.Workers < 0:
		return fail(fmt.Errorf("%w: WriteGraphOptions.Workers is %d; want a number of goroutines, or 0 for GOMAXPROCS", graph.ErrOptions, o.Workers))
	case cpu.IsBigEndian:
		return fail(fmt.Errorf("%w: prepared graphs are little-endian, and this machine isn't", input.ErrUnsupported))
	}
	release, err := g.Hold()
	if err != nil {
		return fail(err)
	}
	defer release()
	if n := len(g.EdgeColumns()) + len(g.VertexColumns()); n > mostColumns {
		return fail(fmt.Errorf("%w: the graph has %d columns; a prepared graph has at most %d", graph.ErrOptions, n, mostColumns))
	}
	if err := g.Fetch(); err != nil {
		return fail(err)
	}
	// Opened first, so a path that can't be written is an immediate error.
	out, err := open(ctx, &write.WriteSpec{Path: path, As: write.FormatFile, WriteOptions: write.WriteOptions{S3: o.S3}})
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
	out         write.Output
	progress    func(graph.Progress)
	done, total uint64
}

func (w *storedWriter) report(done uint64) {
	w.progress(graph.Progress{Phase: "write", Done: done, Total: w.total})
}

// sums works out the checksums, and refuses a graph that OpenGraph would.
func (w *storedWriter) sums(s *storedGraph, workers int) error {
	s.setChecks()
	pass := storedPass{arrays: s.arrays(), workers: workers}
	if w.progress != nil {
		pass.progress = func(p graph.Progress) { w.report(p.Done) }
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
			for at := 0; at < len(a.data); at += write.WriteChunk {
				part := a.data[at:min(at+write.WriteChunk, len(a.data))]
				if err := w.write(part); err != nil {
					return err
				}
				if w.done += uint64(len(part)); w.progress != nil {
					w.report(w.done)
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
