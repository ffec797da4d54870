// This file holds what the commands of the algorithms have in common: their flags, and the way
// from paths to a table.

package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

// algorithm is a command that computes a value for every vertex of a graph.
type algorithm struct {
	name, short string
	long        string // what it prints and writes
	example     string
	table       string // the columns that -o has, for help
	make        func() calculation
	oneSource   bool // it begins at a vertex, so that bench runs it from several
	several     bool // it runs on several GPUs
}

// algorithms are all of them, in the order of help.
var algorithms = []algorithm{
	ssspAlgorithm,
	ccAlgorithm,
	kcoreAlgorithm,
	trianglesAlgorithm,
	pagerankAlgorithm,
	bcAlgorithm,
	closenessAlgorithm,
	lpaAlgorithm,
	louvainAlgorithm,
	leidenAlgorithm,
	degreeAlgorithm,
	eigenvectorAlgorithm,
	hitsAlgorithm,
	katzAlgorithm,
	topoAlgorithm,
	misAlgorithm,
	colorAlgorithm,
	similarAlgorithm,
	msfAlgorithm,
	spanningAlgorithm,
	walksAlgorithm,
	pathsAlgorithm,
	bridgesAlgorithm,
	ktrussAlgorithm,
	kcliqueAlgorithm,
}

// calculation is one run of an algorithm, as the command line requests it.
type calculation interface {
	// addFlags adds the algorithm's own flags.
	addFlags(g flagGroup)
	// check refuses what doesn't go together, before anything is read.
	check(given func(flag string) bool) error
	// needs sets Reverse of the options, and weights of the flags, where it takes them.
	needs(o *graph.Options, in *inputFlags)
	// columns are the result's columns, with nil slices for values.
	columns() []arrow.Column
	// prepare finds what flags name in the graph, and works out what runs have in common. It may
	// be called again, which costs nothing.
	prepare(p *graph.Placed, in *inputFlags) error
	run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error)
}

// answer is the result of a calculation.
type answer interface {
	columns() []arrow.Column
	// missing is how many vertices have no value in the first column.
	missing() int
	// lines are what is printed of it: names and values.
	lines(g *graph.Graph) ([][2]string, error)
	stats() traverse.Stats
	// validate checks the result, and returns a description of the checks.
	validate(g *graph.Graph) (string, error)
	// metadata are options that aren't the default, and counts, for the file's metadata.
	metadata(g *graph.Graph) (options, counts map[string]any)
	Close() error
}

// tabulated is an answer that may have another table than one with a row per vertex.
type tabulated interface {
	// tabulates means that -o gets that table, which needs data that columns don't.
	tabulates() bool
	// writeTable writes it, and returns how many rows it has.
	writeTable(ctx context.Context, path string, g *graph.Graph, wo arrow.WriteOptions) (rows int, err error)
}

// alsoWrites is a calculation that may write a file in addition to the table.
type alsoWrites interface {
	// file is its name, or "".
	file() string
	// checkFile refuses what can't be written.
	checkFile(ctx context.Context) error
	// tellLeftOut reports the parts of the graph that aren't in it.
	tellLeftOut(a *app, g *loaded) error
}

// checkInput refuses what a calculation can't do with such an input, before anything is read.
func checkInput(c calculation, in *inputFlags) error {
	if x, ok := c.(interface{ checkInput(in *inputFlags) error }); ok {
		return x.checkInput(in)
	}
	return nil
}

// algorithmFlags are the flags of an algorithm's command.
type algorithmFlags struct {
	inputFlags
	outputFlags
	device   word
	validate bool
	algorithm
	calculation
}

const algorithmLong = `

With -o the result is written as a table. Rows are in the order of internal
vertex numbers, or sorted by id with --sort id. The metadata of Parquet and Arrow
files records the algorithm, its options and the graph.

`

// algorithmCommand returns the command of an algorithm.
func (a *app) algorithmCommand(al algorithm) *cobra.Command {
	f := &algorithmFlags{algorithm: al, calculation: al.make()}
	cmd := &cobra.Command{
		Use:     al.name + " PATH...",
		Short:   al.short,
		Long:    al.long + algorithmLong,
		Example: al.example,
		GroupID: groupAlgorithms,
		Args:    needArgs(1, -1, al.name+" needs a PATH"),
	}
	own := newGroup(titleAlgorithm)
	f.calculation.addFlags(own)
	if s, ok := f.calculation.(interface{ addSeeds(*app, flagGroup) }); ok {
		s.addSeeds(a, own)
	}
	f.device = word{"DEVICE", "auto"}
	where := "where to calculate: a device that foray devices lists, or auto, the first of them that opens and has memory enough"
	if al.several {
		where += "; several GPUs of this machine as in cuda:0,cuda:1, or all"
		own.flags.Var(&f.device, "devices", "another name of --device")
	}
	own.flags.Var(&f.device, "device", where)
	f.addGPUMemory(own)
	own.flags.BoolVar(&f.validate, "validate", false, "check the result by properties that it must have; this may take longer than the algorithm")
	in := f.inputFlags.group()
	f.addEdgeWhere(in)
	f.tellsEdges = true
	if w, ok := f.calculation.(interface {
		addInput(in flagGroup, f *inputFlags)
	}); ok {
		w.addInput(in, &f.inputFlags)
	}
	out := f.outputFlags.group("write the result to", "columns "+al.table)
	if mayMiss(f.calculation) {
		out.flags.BoolVar(&f.reachedOnly, "reached-only", false, "leave vertices that have no value out of -o")
	}
	out.flags.StringVar(&f.partitionBy, "partition-by", "", "write a directory with a file for each value of `COLUMN`; of Parquet unless --format says otherwise")
	f.outputFlags.addRows(out)
	out.flags.BoolVar(&f.overwrite, "overwrite", false, "let --partition-by replace a directory that it wrote and that holds nothing else; files are always replaced")
	in.flags.StringVar(&f.properties, "properties", "", "`COLUMNS` of --vertices, or properties of GraphAr's, that -o has too, as in name,age")
	in.flags.Var(f.unknown, "unknown-vertices", "prepared graphs: what to do with rows of --vertices whose vertex isn't in the graph; of sssp also with such ids of --sources-from")
	setFlags(cmd, own, in, out)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.checkInputs(f.allPaths(args)); err != nil {
			return err
		}
		if err := f.check(cmd, args); err != nil {
			return err
		}
		return a.calculate(cmd.Context(), args, f)
	}
	return cmd
}

// mayMiss reports whether vertices may have no value.
func mayMiss(c calculation) bool {
	switch c.(type) {
	case *bfsCalculation, *ssspCalculation, *closenessCalculation, *reachCalculation:
		return true
	}
	return false
}

// check refuses flags that don't go together, before anything is read.
func (f *algorithmFlags) check(cmd *cobra.Command, paths []string) error {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	switch {
	case given("output") && f.output == "":
		return usagef("the name of a file to write is empty; omit -o to write none")
	case f.reachedOnly && f.output == "":
		return usagef("--reached-only needs -o: the file to write")
	case f.properties != "" && f.output == "":
		return usagef("--properties needs -o")
	case ownRows(f.calculation) != "" && written(f.calculation) == "" && (given("partition-by") || f.properties != ""):
		return usagef("--partition-by and --properties are for rows of vertices, not for %s", ownRows(f.calculation))
	case f.overwrite && !given("partition-by"):
		return usagef("--overwrite is for --partition-by; files are always replaced")
	case !given("partition-by"):
	case f.output == "":
		return usagef("--partition-by needs -o: the directory to write")
	case f.output == "-":
		return usagef("--partition-by writes a directory, not to standard output; name one with -o")
	}
	if err := f.calculation.check(given); err != nil {
		return err
	}
	if s, ok := f.calculation.(interface {
		checkSeeds(given func(string) bool, f *algorithmFlags, paths []string) error
	}); ok {
		if err := s.checkSeeds(given, f, paths); err != nil {
			return err
		}
	}
	if err := f.checkRows(ownRows(f.calculation)); err != nil {
		return err
	}
	if flag := written(f.calculation); flag != "" && f.output == "" {
		return usagef("%s needs -o: the file to write", flag)
	}
	if err := checkInput(f.calculation, &f.inputFlags); err != nil {
		return err
	}
	if err := f.inputFlags.checkAlso(paths, f.calculation, f.output); err != nil {
		return err
	}
	if err := f.checkInside(paths, &f.outputFlags); err != nil {
		return err
	}
	if also, ok := f.calculation.(alsoWrites); ok {
		if err := also.checkFile(cmd.Context()); err != nil {
			return err
		}
	}
	return f.outputFlags.check(cmd.Context())
}

// written returns the flag of a calculation that is about what is written alone, or "".
func written(c calculation) string {
	if w, ok := c.(interface{ written() string }); ok {
		return w.written()
	}
	return ""
}

// edgeRows names the rows of calculations that have a row for each edge.
const edgeRows = "edges"

// ownRows names the rows of a calculation, "" for vertices.
func ownRows(c calculation) string {
	if r, ok := c.(interface{ rows() string }); ok {
		return r.rows()
	}
	if flag := written(c); flag == "--paths" {
		return flag
	}
	return ""
}

// checkAlso refuses other files of a calculation that would replace an input or a result.
func (f *inputFlags) checkAlso(paths []string, c calculation, outputs ...string) error {
	also, ok := c.(alsoWrites)
	if !ok {
		return nil
	}
	for _, o := range outputs {
		if sameOutput(o, also.file()) {
			return usagef("%s and %s are the same file; name two", o, also.file())
		}
	}
	return f.checkInside(paths, &outputFlags{output: also.file()})
}

// calculate loads a graph, runs the algorithm, and writes what came of it.
func (a *app) calculate(ctx context.Context, paths []string, f *algorithmFlags) error {
	var o graph.Options
	f.needs(&o, &f.inputFlags)
	if err := f.checkWeights(paths, ", which "+f.name+" is about"); err != nil {
		return err
	}
	if s, ok := f.calculation.(interface {
		each(f *algorithmFlags) *eachSearch
	}); ok {
		if each := s.each(f); each != nil {
			return a.searchEach(ctx, paths, each)
		}
	}
	needs := o
	o = f.inputFlags.options()
	f.wanted(&o, needs)
	dev, err := openDevice(f.device.value, int(f.workers))
	if err != nil {
		return err
	}
	defer func() { dev.Close() }()
	o.Device = dev
	g, err := a.load(ctx, paths, &f.inputFlags, o)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := a.sayIdle(f.calculation, g); err != nil {
		return err
	}
	wo := f.outputFlags.options(a.data)
	if p := g.properties(); p != nil {
		wo.Properties = p
	}
	if f.output != "" { // a run may take long
		if err := arrow.Check(ctx, f.output, g.Graph, f.columns(), wo); err != nil {
			return err
		}
	}
	r, err := a.runOn(ctx, dev, g, f.calculation)
	if err != nil && f.device.value == "auto" && tooSmall(dev, err) {
		if err := a.note("%s; calculating on the host", oneLine(explain(err))); err != nil {
			return err
		}
		_ = dev.Close() // the other error has been reported
		dev = host.New(int(f.workers))
		r, err = a.runOn(ctx, dev, g, f.calculation)
	}
	if err != nil {
		return err
	}
	defer r.free()
	w := a.summary(f.output)
	if err := g.print(w); err != nil {
		return err
	}
	if err := r.tell(ctx, w, g, f.validate, &f.outputFlags, f.name, wo); err != nil {
		return err
	}
	if a.json {
		a.result = &algorithmResult{resultHead: head(f.name), Graph: g.result(), runResult: *r.result(g, f.name).alsoWritten(f.calculation)}
	}
	if err := a.chosenDevice(f.device.value, r.stats().Device); err != nil {
		return err
	}
	what := "the values of all vertices"
	if rows := ownRows(f.calculation); rows != "" {
		what = "the " + rows
	}
	a.doneWith(f.output, what)
	return a.tellAlso(f.calculation, g)
}
