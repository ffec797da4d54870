// This file holds the bfs command and its flags.

package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/cluster/comm"
)

// searchFlags are what bfs and bench have in common.
type searchFlags struct {
	device      word
	parents     bool
	depths      bool
	alpha, beta float64
}

func (f *searchFlags) add(g flagGroup) {
	f.device = word{"DEVICE", "auto"}
	g.flags.Var(&f.device, "device", "where to search: a device that foray devices lists, or auto, the first one that opens (bfs: and has enough memory, and supports the options); several GPUs of this machine as in cuda:0,cuda:1, or all")
	g.flags.Var(&f.device, "devices", "another name of --device")
	g.flags.BoolVar(&f.parents, "parents", false, "find the parent of every vertex too: the vertex before it on a shortest path")
	g.flags.Float64Var(&f.alpha, "alpha", defaultAlpha, "dobfs: pull when the frontier has over 1/`A` of the unvisited vertices' edges; on a GPU the default is the kernel's own rule")
	g.flags.Float64Var(&f.beta, "beta", defaultBeta, "dobfs: push again when the frontier has under 1/`B` of all vertices")
}

func (f *searchFlags) check() error {
	if !(f.alpha > 0) || !(f.beta > 0) {
		return usagef("--alpha and --beta must be greater than 0")
	}
	return nil
}

type bfsFlags struct {
	inputFlags
	searchFlags
	outputFlags
	seedFlags
	clusterFlags
	sources, targets []string
	algo, strategy   *enum
	depthLimit       positive
	validate         bool
	allLevels        bool
	plot             string
	expand           reachCalculation // the flags of --expand
	paths            bool
}

const bfsLong = `Searches a graph breadth-first from one vertex, or from several at once, and
prints a row for each level:

  depth      distance from the nearest source, in edges
  vertices   size of the frontier
  edges      edges visited to find the next level; GPU pulls may not count them
  direction  push: along the frontier's edges; pull: from unvisited vertices
  µs         time of the level in microseconds

The first 2,048 levels have a row each. In deeper searches a row may sum up
several levels: there are at most 4,096 rows.

The time of the search covers its levels and its setup of memory and workers.
Preparation that is done once per graph is printed on a separate line. The rate
is in GTEPS, 10^9 edges a second (MTEPS is 10^6, kTEPS 10^3): the edges of the
reached part of the graph, undirected ones counted once, divided by the time of
the search. Use foray bench for careful measurements.

With -o the result is written as a table. For unreached vertices, CSV has depth
-1 and an empty parent; other formats have nulls. Rows are in the order of
internal vertex numbers, not by id: by falling degree if degrees differ widely,
by ascending id with --order given. --sort id sorts rows by id. The metadata of
Parquet and Arrow files records the run: foray.version, foray.algorithm,
foray.source, foray.options, foray.graph.checksum and others.

With --paths the table has a row for each --target instead: target, depth, and
path, the ids from the source to the target. The path is a list in Parquet and
Arrow, and an array in JSON lines. CSV joins the ids by semicolons, with a
backslash before semicolons and backslashes inside an id.

With --sources-from the table has a row for each source and each vertex that it
reaches: source, vertex, depth and, with --parents, parent. Sources are in the
order of the file, or sorted by id with --sort id. 64 sources are searched at
once, so memory doesn't grow with their number.

With --partition-by depth, -o is a Hive-style directory with a file for each
depth: depth=0/part-0.parquet and so on, without the column itself. As with
files, it appears complete or not at all. In a store, -o s3://bucket/prefix, the
objects appear once all are uploaded, one after another within seconds.

Started by mpirun, by torchrun, or with RANK, WORLD_SIZE, MASTER_ADDR and
MASTER_PORT set, several processes search one graph, and each holds a part of
it. Without MPI each needs a GPU, over which they connect. See docs/cluster.md.

`

const bfsExample = `  foray bfs testdata/karate.parquet --source 1
  foray bfs follows/ --src user --dst follows --directed --source 42 --target 7
  foray bfs edges.csv.gz --source alice --parents -o tree.parquet
  foray bfs testdata/karate.parquet --source 1 --target 34 --paths -o -
  foray bfs gen:kron20 --partition-by depth -o depths --reached-only
  foray bfs gen:kron20 --plot frontier.svg
  foray bfs road.gr --source 1 -o - --reached-only | sort -t, -k2n | tail`

func (a *app) bfsCommand() *cobra.Command {
	f := &bfsFlags{}
	cmd := &cobra.Command{
		Use:     bfsName + " PATH...",
		Short:   "Search a graph breadth-first",
		Long:    bfsLong,
		Example: bfsExample,
		GroupID: groupSearch,
		Args:    needArgs(1, -1, "bfs needs a PATH"),
	}
	s := newGroup(titleAlgorithm)
	f.algo = newEnum("NAME", "auto", "bfs", "dobfs")
	f.strategy = newEnum("NAME", "auto", "queue", "read", "hybrid")
	s.flags.StringArrayVarP(&f.sources, "source", "s", nil, "`ID` of a vertex to start from; may be repeated (default the one of largest degree)")
	s.flags.StringArrayVarP(&f.targets, "target", "t", nil, "`ID` of a vertex; the search ends when all targets are reached; may be repeated")
	f.seedFlags.add(s, "--depth-limit")
	s.flags.Var(&f.depthLimit, "depth-limit", "end after this number of levels below the sources; 0: no limit")
	s.flags.Var(&f.depthLimit, "hops", "another name of --depth-limit")
	s.flags.Var(f.algo, "algo", "bfs, which only pushes, dobfs, which pulls too, or auto: dobfs unless the graph is directed and has no reverse")
	s.flags.Var(f.strategy, "strategy", "bfs on the host: queue keeps the frontier in a queue, read reads it from the depths, hybrid switches, auto is the fastest known")
	f.searchFlags.add(s)
	f.addGPUMemory(s)
	f.expand.addExpand(s)
	s.flags.BoolVar(&f.validate, "validate", false, "check the result by Graph500's five rules")
	in := f.inputFlags.group()
	f.addEdgeWhere(in)
	f.tellsEdges = true
	out := f.outputFlags.group("write the result to", "columns vertex, depth and, with --parents, parent")
	out.flags.BoolVar(&f.reachedOnly, "reached-only", false, "leave vertices, or targets, that weren't reached out of -o")
	out.flags.BoolVar(&f.paths, "paths", false, "write the paths to the --target vertices to -o, as lists of ids; finds parents")
	out.flags.StringVar(&f.partitionBy, "partition-by", "", "write a directory with a file for each value of `COLUMN`: depth, parent, vertex (vertex_1 and so on where ids are several columns) or one of --properties; kind if vertices have kinds; files are Parquet unless --format says otherwise")
	in.flags.StringVar(&f.properties, "properties", "", "more `COLUMNS` for -o: columns of --vertices, or GraphAr properties, as in name,age")
	in.flags.Var(f.unknown, "unknown-vertices", "what to do with ids that the graph lacks: in --sources-from and --targets-from, and in --vertices of prepared graphs")
	f.addEdgeIDs(in, "with --paths, add a column edges to the table, with the ids of the edges along each path")
	out.flags.BoolVar(&f.overwrite, "overwrite", false, "let --partition-by replace a directory that it wrote and that has no other files; files are always replaced")
	f.outputFlags.addRows(out)
	out.flags.StringVar(&f.plot, "plot", "", "draw the frontier's size by level into `FILE`, which ends in .svg or .png")
	out.flags.BoolVar(&f.allLevels, "all-levels", false, "print a row for every level")
	setFlags(cmd, s, in, out, f.clusterFlags.group())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		world, err := comm.World(cmd.Context(), comm.Options{Settings: settings(cmd, args), Deadline: hungAfter, Plain: byGPU})
		if err != nil && world != nil { // ranks differ
			return tellOnce(cmd.Context(), world, err)
		}
		if err != nil {
			return atStart(err)
		}
		if world != nil {
			return a.clusterBFS(cmd, world, args, f)
		}
		if err := f.checkInputs(f.allPaths(args)); err != nil {
			return err
		}
		if cmd.Flags().Changed("expand") {
			return a.expand(cmd, args, f)
		}
		if cmd.Flags().Changed("kind") {
			return usagef("--kind is for --expand")
		}
		if err := f.check(cmd, args); err != nil {
			return err
		}
		if f.sourcesFrom != "" {
			return a.searchEach(cmd.Context(), args, f.eachBFS())
		}
		return a.bfs(cmd.Context(), args, f)
	}
	return cmd
}

// algorithm chooses what runs.
func (f *bfsFlags) algorithm(g *graph.Graph) bench.Kind {
	switch {
	case f.algo.value != "auto":
		return bench.Kind(f.algo.value)
	case f.strategy.value != "auto":
		return bench.BFS
	}
	return bench.Auto(g).Kind
}

// prepare works out what searches of a graph have in common, and returns how
// long that took: it isn't part of the search's time.
func (f *bfsFlags) prepare(p *graph.Placed) time.Duration {
	start := time.Now()
	prepareSearches(p, f.algorithm(p.Graph()))
	return time.Since(start)
}

// prepareSearches works out what searches by an algorithm have in common.
func prepareSearches(p *graph.Placed, kind bench.Kind) {
	if kind == bench.DOBFS {
		p.State().Prepare()
		p.PrepareRemote() // what fails here fails in the search again
	}
	if p.Remote() == nil {
		p.State().Ell4()
	}
}

// search runs the search.
func (f *bfsFlags) search(ctx context.Context, p *graph.Placed, sources, targets []uint32, progress *progress) (*bfs.Result, error) {
	n, reached := uint64(p.NumVertices()), uint64(0)
	report := func(l bfs.Level) {
		reached += uint64(l.Frontier)
		progress.update("searching", reached, n)
	}
	alpha, beta := f.alpha, f.beta
	if p.Remote() != nil { // searches run in one kernel, unless alpha or beta is set
		report = nil
		if alpha == defaultAlpha && beta == defaultBeta {
			alpha, beta = 0, 0
		}
	}
	if f.algorithm(p.Graph()) == bench.DOBFS {
		return dobfs.RunMultiSource(ctx, p, sources, dobfs.Options{
			Outputs: outputs(true, f.parents), Tuning: bfs.Tuning{Alpha: alpha, Beta: beta}, DepthLimit: int(f.depthLimit),
			Targets: targets, Stats: true, EachLevel: report, Logger: logOf(ctx),
		})
	}
	strategy := f.strategy.value
	if strategy == "auto" {
		strategy = ""
	}
	return bfs.RunMultiSource(ctx, p, sources, bfs.Options{
		Outputs: outputs(true, f.parents), Tuning: bfs.Tuning{Strategy: strategy}, DepthLimit: int(f.depthLimit),
		Targets: targets, Stats: true, EachLevel: report, Logger: logOf(ctx),
	})
}

// outputs returns the outputs of searches with these arrays.
func outputs(depths, parents bool) bfs.Outputs {
	switch {
	case depths && parents:
		return bfs.Depths | bfs.Parents
	case depths:
		return bfs.Depths
	case parents:
		return bfs.Parents
	}
	return bfs.Counts
}

// The defaults of dobfs, as its package has them.
const (
	defaultAlpha = 15
	defaultBeta  = 18
)
