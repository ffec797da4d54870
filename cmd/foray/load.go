// This file holds the loading of a graph: memory is estimated, then edges are
// read and the graph is built.

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/edgelist"
)

// loaded is a graph and where it came from. The caller that loaded it closes it.
type loaded struct {
	*graph.Graph
	in   *input
	took time.Duration // reading or generating, and building
}

// load builds the graph of all paths together.
func (a *app) load(ctx context.Context, paths []string, f *inputFlags, o graph.Options) (*loaded, error) {
	_, gpu := o.Device.(discrete.Device)
	name := paths
	if len(name) == 0 {
		name = f.vertices
	}
	if err := f.limitGPU(o.Device); err != nil {
		return nil, err
	}
	if err := a.boundMemory(f, &o); err != nil {
		return nil, err
	}
	if err := f.columnOptions(paths, &o); err != nil {
		return nil, err
	}
	progress := a.loading(shortName(name), gpu)
	defer progress.end()
	start := time.Now()
	in, err := f.open(ctx, paths, o, progress)
	if err != nil {
		return nil, f.ofEdgeWhere(err)
	}
	if err := in.checkMemory(); err != nil {
		return nil, a.sayOwn(err)
	}
	if err := f.checkOpened(ctx); err != nil { // files of tables are known by now
		return nil, err
	}
	in.o.Progress = progress.build
	g, err := in.build(ctx, progress)
	if errors.Is(err, graph.ErrEmpty) && !in.isGraphAr() { // which names the empty input
		if err = in.empty(); f.emptyToo {
			g, err = emptyGraph(in.o, in.noEdges)
		}
	}
	if err = f.ofEdgeWhere(err); err == nil {
		g, err = in.filterEdges(ctx, g)
	}
	if err != nil {
		return nil, a.sayOwn(err)
	}
	if err := in.loadProperties(ctx, g); err != nil {
		if f.vertexCols != "" {
			err = text.Named(strings.ReplaceAll(strings.ReplaceAll(err.Error(), "Options.Vertices.Properties", "--vertex-columns"), "VertexTable.Properties", "--vertex-columns"), err)
		}
		return nil, errors.Join(err, g.Close())
	}
	if err := f.checkOpened(ctx); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	progress.end() // notices would stand in its line
	if in.unknownString != nil {
		if err := a.note("--edge-where: %s", oneLine(in.unknownString)); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	if err := a.tellDoubts(in, g); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	if f.tellsEdges {
		if err := a.chosenEdges(in, g); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	logStep(ctx, "loaded", "graph", in.name, "vertices", g.NumVertices(), "edges", g.NumEdges(), "directed", g.Directed(), "took", time.Since(start))
	return &loaded{g, in, time.Since(start)}, nil
}

// loadProperties reads the properties of vertices, if there are any.
func (in *input) loadProperties(ctx context.Context, g *graph.Graph) error {
	for _, p := range in.parts {
		if len(in.lists.texts) > 0 && in.flags.vertexCols != "" {
			return nil // addVertexColumns reads them
		}
		if p.prepared != "" && in.flags.vertexCols != "" {
			tables, texts, err := in.flags.tableFlags.split(ctx, in.flags)
			if err != nil {
				return err
			}
			if in.lists.texts = texts; len(texts) > 0 && len(tables) == 0 {
				return nil
			}
		}
		if (p.prepared != "" || p.text != "" && in.lists.table != nil) && in.flags.properties != "" {
			paths, err := in.flags.tablesOnly()
			if err != nil {
				return err
			}
			t, err := in.flags.vertexTable(paths)
			if err != nil {
				return err
			}
			t.SkipUnknown = in.flags.unknown.value == "skip"
			o := arrow.Options{Workers: int(in.flags.workers), UnionByName: in.flags.union, FollowLinks: in.flags.links, AllowOutside: in.flags.outside}
			in.flags.limits.arrow(&o)
			o.SkipNulls = in.flags.nulls.value == "skip"
			if in.properties, err = arrow.LoadProperties(ctx, g, *t, o); err == nil {
				in.vertexStats = in.properties.Stats()
			}
			return err
		}
		if p.arrow != nil {
			var err error
			in.properties, err = p.arrow.Properties(ctx, g)
			return err
		}
	}
	return nil
}

// properties returns the properties of vertices, or nil.
func (g *loaded) properties() *arrow.Properties {
	return g.in.properties
}

// emptyGraph is the graph of an input without rows. Its columns have the types of like, if that isn't empty.
func emptyGraph(o graph.Options, like []graph.Column) (*graph.Graph, error) {
	rows := graph.CSR{Offsets: []uint64{0}, Targets: []uint32{}}
	var in *graph.CSR
	if o.Directed && o.Reverse {
		in = &graph.CSR{Offsets: []uint64{0}, Targets: []uint32{}}
	}
	return graph.FromCSR(rows, graph.CSROptions{In: in, Directed: o.Directed, IDs: &graph.IDs{Type: graph.Int64, Ints: []int64{}}, EdgeColumns: emptyColumns(o.EdgeColumns, like)})
}

// empty returns the error of an input without edges.
func (in *input) empty() error {
	if len(in.parts) == 1 && in.parts[0].arrow != nil {
		return in.parts[0].arrow.EmptyError()
	}
	return fmt.Errorf("%s: %w: it holds no edge; check what wrote it", in.name, graph.ErrEmpty)
}

func (in *input) build(ctx context.Context, progress *progress) (*graph.Graph, error) {
	if len(in.parts) == 1 {
		switch p := in.parts[0]; {
		case p.prepared != "":
			return in.openPrepared(ctx, progress)
		case p.graphar != "":
			return in.loadGraphAr(ctx, progress)
		case p.gen != nil && !in.flags.twoPass:
			progress.edges = p.gen.NumEdges()
			return gen.Build(ctx, p.gen, in.o)
		case p.text != "" && in.o.Directed == in.flags.directed && !in.lists.any():
			// Not by batches: a serialized graph needs no building, in one pass
			// or two, and keeps its isolated vertices.
			return in.again(func() (*graph.Graph, error) { return edgelist.Load(ctx, p.text, in.textOptions(p.text, progress)) })
		}
	}
	if len(in.parts) == 1 && in.parts[0].gen != nil {
		in.o.DenseIDs = true
	}
	if in.o.DenseIDs && in.countsFromOne(ctx, progress) {
		in.o.DenseIDs = false // which would add a vertex 0; ids are dense all the same
	}
	read := func(ctx context.Context, yield func(graph.Batch) error) error {
		return in.batches(ctx, progress, yield)
	}
	in.o.Held = in.held()
	if in.flags.twoPass {
		return graph.TwoPass(ctx, in.o, read)
	}
	return in.again(func() (*graph.Graph, error) {
		b := graph.NewBuilder(in.o)
		defer b.Close()
		if err := read(ctx, b.Add); err != nil {
			return nil, err
		}
		return b.Build(ctx)
	})
}

// held returns what reading the parts takes under --memory-limit.
func (in *input) held() uint64 {
	const worker, fewest = 8 << 20, 1 << 20 // of strings; a byte of a small file becomes some tens
	limit, stored := in.flags.left, uint64(0)
	for _, p := range in.parts {
		if p.arrow != nil {
			stored += uint64(max(p.arrow.Stats().Bytes, 0))
		} else if st, err := os.Stat(p.text); err == nil {
			stored += uint64(st.Size())
		}
	}
	return min(uint64(runtime.GOMAXPROCS(0))*worker, limit/4, fewest+32*stored)
}

// memoryLimit returns what loading may take of --memory-limit or, with words for it, what is free; 0 if
// that is unknown.
func (in *input) memoryLimit() (limit uint64, free string) {
	if limit = in.flags.left; limit > 0 {
		return limit, ""
	}
	return host.New(0).Info().MemoryFree, " that is free"
}

// checkMemory refuses an input if it is clear in advance that its
// graph is too large, since reading may take long. What it can't tell, such as
// the number of vertices in files, it takes to be small: the Builder refuses
// the rest.
func (in *input) checkMemory() error {
	limit, free := in.memoryLimit()
	if limit == 0 {
		return nil
	}
	var once, twice uint64
	for _, p := range in.parts {
		var m graph.Memory
		switch {
		case p.gen != nil:
			o := in.o
			o.DenseIDs = true
			m = graph.Estimate(o, p.gen.NumEdges(), p.gen.NumVertices(), 0)
		case p.arrow != nil:
			m = p.arrow.Estimate(1, 0)
		}
		once += m.Peak
		twice += m.TwoPass
	}
	need, less := once, fmt.Sprintf("--two-pass takes %s, ", text.Bytes(twice))
	switch {
	case in.flags.twoPass && once <= limit:
		need, less = twice, fmt.Sprintf("without --two-pass it takes %s, ", text.Bytes(once))
	case in.flags.twoPass:
		need, less = twice, ""
	case twice > limit:
		less = ""
	}
	if need <= limit {
		return nil
	}
	return hint(fmt.Errorf("%w: building %s takes %s, more than the %s%s", device.ErrMemory, in.name, text.Bytes(need), text.Bytes(limit), free),
		"%s--memory-limit sets another limit", less)
}
