// This file holds what commands do in one of several processes, and how bfs searches a graph there, with a part for
// each.

package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/cluster/engine"
	"github.com/foray-graph/foray/internal/cluster/nccl"
	"github.com/foray-graph/foray/io/arrow"
)

// Tests let something go wrong once processes have joined, and wait less long.
var (
	afterJoining = func() {}
	hungAfter    time.Duration // 0: what package comm has
)

// byGPU connects processes that were started without MPI, by the GPU that each takes.
func byGPU(ctx context.Context, rank, size int) (comm.Comm, error) {
	p, err := nccl.World(ctx, rank, size, nccl.Options{Deadline: hungAfter})
	if err != nil {
		return nil, startOnce(ctx, rank, err)
	}
	return p, nil
}

// clusterBFS is bfs over processes.
func (a *app) clusterBFS(cmd *cobra.Command, c comm.Comm, paths []string, f *bfsFlags) error {
	return a.onRank(cmd, c, func() error { return f.checkCluster(cmd, paths) }, func(ctx context.Context) error {
		return a.searchParts(ctx, c, paths, f)
	})
}

// onRank does a rank's work of a command, after a check of the flags, which all ranks have alike. One rank prints what
// goes wrong on any of them.
func (a *app) onRank(cmd *cobra.Command, c comm.Comm, check func() error, work func(ctx context.Context) error) error {
	ranked.Store(true)
	afterJoining()
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	go func() { // what another rank failed of ends the reading of files too
		select {
		case <-c.Done():
			cancel(c.Err())
		case <-ctx.Done():
		}
	}()
	if err := check(); err != nil {
		a.ranks = c
		return tellOnce(ctx, c, err)
	}
	// A rank that fails ends the others.
	err := comm.Do(c, func() error {
		err := work(ctx)
		if interrupted := comm.Ended(cmd.Context()); err != nil && interrupted != nil {
			return interrupted // whatever it was in
		}
		return explain(err) // rank 0 prints it, whosever it is
	})
	same := (*comm.Alike)(nil)
	switch {
	case err == nil:
		err = c.Close()
	case errors.As(err, &same):
		a.ranks = c
	case errors.Is(err, context.Canceled) && cmd.Context().Err() == nil && c.Err() != nil:
		err = c.Err()
	}
	err = tellOnce(cmd.Context(), c, rankError(c, err))
	if c.Err() != nil {
		c.Close() // it waits until the others have been told: there may be no launcher to end them
	}
	return err
}

func (a *app) searchParts(ctx context.Context, c comm.Comm, paths []string, f *bfsFlags) error {
	f.part, f.parts = c.Rank(), c.Size()
	if err := prepareParts(ctx, c, f.output); err != nil {
		return err
	}
	own, err := f.takeGPU(ctx, c)
	if err != nil {
		return err
	}
	if own != nil && own != c {
		defer own.Close()
	}
	in, err := f.open(ctx, paths, f.inputFlags.options(), a.progress())
	if err != nil {
		return usageOf(err)
	}
	edges, kind, err := in.share(ctx, c)
	if err != nil {
		return err
	}
	o := engine.Options{Threshold: int64(f.threshold), Workers: int(f.workers), MemoryLimit: uint64(f.memory), PerMachine: f.local.each}
	if own != nil {
		o.GPU = own.Device()
	}
	p, err := engine.Build(ctx, c, edges, o)
	if err != nil {
		return err
	}
	defer p.Close()
	if p.Stats.Vertices == 0 {
		return &comm.Alike{Err: in.empty()}
	}
	s := &partsSummary{in: in, part: p, kind: kind, flags: f, rank: c.Rank()}
	if own != nil {
		start := time.Now()
		if err := s.place(ctx, c, own); err != nil {
			return err
		}
		s.prepared = time.Since(start)
		if s.placed != nil {
			defer s.placed.Close()
		}
	}
	if err := s.search(ctx); err != nil {
		return err
	}
	w := a.stdout
	if c.Rank() == 0 {
		if err := s.write(w); err != nil {
			return err
		}
	}
	if f.validate {
		if err := s.validate(ctx, w); err != nil {
			return err
		}
	}
	if f.output != "" {
		if err := s.writePart(ctx, c, w, f.outputFlags.options(nil)); err != nil {
			return err
		}
	}
	if a.json && c.Rank() == 0 {
		a.result = s.result()
	}
	return nil
}

// share returns how this process reads its share of the edges, and of which type ids
// are.
func (in *input) share(ctx context.Context, c comm.Comm) (engine.Edges, graph.IDType, error) {
	e := engine.Edges{Directed: in.flags.directed}
	for _, p := range in.parts {
		switch {
		case p.text != "":
			return e, 0, usagef("%s is text, which several processes can't read in parts; write it as Parquet first: foray convert %s edges.parquet", p.text, p.text)
		case p.prepared != "":
			return e, 0, usagef("%s is a prepared graph, which one process opens as a whole; search the Parquet files that it was made of", p.prepared)
		case p.graphar != "":
			return e, 0, usagef("%s is GraphAr's, which several processes can't read in parts; write its edges as Parquet first: foray convert %s edges.parquet", p.graphar, p.graphar)
		}
	}
	if len(in.parts) > 1 {
		return e, 0, usagef("a search over processes reads Parquet and Arrow files, or one generated graph, not both")
	}
	if g := in.parts[0].gen; g != nil {
		e.Generator = g
		e.Dense, e.Vertices, e.Read = true, g.NumVertices(), readGenerated(g, c.Rank(), c.Size(), int(in.flags.workers))
		return e, graph.Uint32, nil
	}
	d := in.parts[0].arrow
	schema := d.Info()
	if !schema.IDType.Integer() || schema.Logical != "" {
		what := schema.IDType.String()
		if schema.Logical != "" {
			what = schema.Logical
		}
		return e, 0, usagef("%s: ids are %s, and a search over processes takes only integers; write the edges with integer ids", in.name, what)
	}
	e.Dense, e.Unsigned = in.flags.ids.value == "dense", !schema.IDType.Signed()
	e.Read = func(ctx context.Context, yield func(src, dst []int64) error) error {
		return d.Read(ctx, func(b graph.Batch) error { return yield(b.Src, b.Dst) })
	}
	return e, schema.IDType, sameFiles(ctx, c, d)
}

// sameFiles refuses processes that see different files.
func sameFiles(ctx context.Context, c comm.Comm, d *arrow.Dataset) error {
	s := d.Stats()
	n := func(i int64) string { return strconv.FormatInt(i, 10) }
	return comm.Handshake(ctx, c, []comm.Setting{
		{Name: "files read", Value: n(int64(s.Files))}, {Name: "bytes in them", Value: n(s.Bytes)}, {Name: "row groups in them", Value: n(int64(s.RowGroups))},
		{Name: "type of ids", Value: d.Info().IDType.String()}, {Name: "files whose metadata has the hash", Value: strconv.FormatUint(s.Metadata, 16)},
	})
}

// readGenerated makes every size-th block of a generator.
func readGenerated(g gen.Generator, rank, size, workers int) func(context.Context, func(src, dst []int64) error) error {
	pool := sync.Pool{New: func() any { return new([2 * gen.BlockEdges]int64) }}
	return func(ctx context.Context, yield func(src, dst []int64) error) error {
		return gen.Edges(ctx, &shareOf{g, rank, size}, workers, func(_ int, src, dst []uint32) error {
			wide := pool.Get().(*[2 * gen.BlockEdges]int64)
			defer pool.Put(wide) // yield copies
			s, d := wide[:len(src)], wide[gen.BlockEdges:][:len(src)]
			for i := range src {
				s[i], d[i] = int64(src[i]), int64(dst[i])
			}
			return yield(s, d)
		})
	}
}

// shareOf is every size-th block of a generator.
type shareOf struct {
	gen.Generator
	rank, size int
}

func (s *shareOf) Blocks() int {
	return (s.Generator.Blocks() - s.rank + s.size - 1) / s.size
}

func (s *shareOf) Block(i int, src, dst []uint32) int {
	return s.Generator.Block(i*s.size+s.rank, src, dst)
}

// partsSummary is a search over processes, and what is printed about it.
type partsSummary struct {
	in      *input
	part    *engine.Part
	kind    graph.IDType
	flags   *bfsFlags
	rank    int
	why     string // of the source
	targets []int64
	depths  []int32 // of these
	res     *engine.Result
	placed  *engine.OnGPU // nil: on the host
	gpu     string

	prepared time.Duration // placing the part on this rank's GPU
	// What --validate checked, the checksum of depths, and how many rows were written: known on rank 0.
	valid, checksum string
	rows            int
}

// parse reads ids of the command line. All ranks call it.
func (s *partsSummary) parse(ctx context.Context, flag string, ids []string) ([]int64, error) {
	var list []int64
	for _, text := range ids {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil && !s.kind.Signed() {
			var u uint64
			u, err = strconv.ParseUint(text, 10, 64)
			id = int64(u)
		}
		if err != nil || id < 0 && text[0] == '-' && !s.kind.Signed() {
			first, last, err := s.part.IDRange(ctx)
			if err != nil {
				return nil, err
			}
			return nil, &comm.Alike{Err: noIDType(flag, text, s.kind.String(), s.kind.String(), s.id(first), s.id(last))}
		}
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list, nil
}

func (s *partsSummary) search(ctx context.Context) error {
	f := s.flags
	sources, err := s.parse(ctx, "source", f.sources)
	if err == nil {
		s.targets, err = s.parse(ctx, "target", f.targets)
	}
	if err != nil {
		return err
	}
	if len(sources) == 0 {
		id, degree, err := s.part.LargestDegree(ctx)
		if err != nil {
			return err
		}
		sources, s.why = []int64{id}, largestDegree(degree)
	}
	o := engine.SearchOptions{Timed: s.placed != nil, Parents: f.parents, DepthLimit: int(f.depthLimit), Targets: s.targets, Twice: !f.unique, LocalAllToAll: f.local.on}
	if f.algo.value == "bfs" {
		for i := range o.Directions {
			o.Directions[i] = engine.Push
		}
	}
	if s.res, err = s.part.Search(ctx, sources, o); err != nil {
		if none := (*engine.ErrNoVertex)(nil); errors.As(err, &none) {
			err = &comm.Alike{Err: f.leftOutByWhere(notInGraph(none.What, s.id(none.ID), s.kind.String(), s.id(none.First), s.id(none.Last), err))}
		}
		return err
	}
	if len(s.targets) > 0 {
		s.depths, err = s.res.DepthsOf(ctx, s.targets)
	}
	return err
}
