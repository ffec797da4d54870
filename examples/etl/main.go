// This program is a step of a pipeline: it reads edges as an Arrow IPC stream
// from standard input, searches from one vertex, and writes every vertex with
// its depth as an Arrow IPC stream to standard output.
//
//	producer | etl -source 1 | consumer
//
// Nothing touches a disk, edges are taken in batch by batch, and memory is
// bounded by the flag -memory.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

func main() {
	s := step{mem: memory.DefaultAllocator, log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	flag.Int64Var(&s.source, "source", 0, "the vertex to search from")
	flag.Uint64Var(&s.limit, "memory", 0, "the most bytes that the graph may take; 0 is what is free")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := s.run(ctx, os.Stdin, os.Stdout); err != nil {
		s.log.Error("etl", "error", err)
		os.Exit(1)
	}
}

// step is the configuration of the step.
type step struct {
	source int64
	limit  uint64
	mem    memory.Allocator
	log    *slog.Logger
}

func (s *step) run(ctx context.Context, in io.Reader, out io.Writer) error {
	edges, err := ipc.NewReader(in, ipc.WithAllocator(s.mem))
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	defer edges.Release() // LoadRecords doesn't
	g, err := arrow.LoadRecords(ctx, edges, arrow.Options{
		Progress: func(p graph.Progress) { s.log.Debug("read", "rows", p.Done) },
		Graph:    graph.Options{MemoryLimit: s.limit},
	})
	if err != nil {
		return err
	}
	dev, err := device.Open("auto")
	if err != nil {
		return err
	}
	defer dev.Close()
	placed, err := g.On(dev)
	if err != nil {
		return err
	}
	defer placed.Close()
	source, err := g.Vertex(s.source)
	if err != nil {
		return err
	}
	found, err := dobfs.Run(ctx, placed, source, dobfs.Options{Logger: s.log})
	if err != nil {
		return err
	}
	defer found.Close()
	depths, err := arrow.Records(ctx, g, found, arrow.RecordOptions{Allocator: s.mem})
	if err != nil {
		return err
	}
	defer depths.Release()
	return write(out, depths, s.mem)
}

// write writes the records that a reader gives, a batch at a time.
func write(out io.Writer, records array.RecordReader, mem memory.Allocator) error {
	w := ipc.NewWriter(out, ipc.WithSchema(records.Schema()), ipc.WithAllocator(mem))
	for records.Next() {
		if err := w.Write(records.Record()); err != nil { // which is valid until Next
			return err
		}
	}
	if err := records.Err(); err != nil {
		return err // without an end of stream, so that readers see that it is incomplete
	}
	return w.Close()
}
