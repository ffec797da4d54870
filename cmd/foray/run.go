// This file holds the run command: several algorithms over one loaded graph.

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/io/arrow"
)

type runFlags struct {
	inputFlags
	outputFlags
	device   word
	validate bool
	do       []string
}

const runLong = `Loads a graph once and runs several algorithms over it, since loading usually
takes longer than an algorithm. --do names the algorithms, as in

  --do cc,bfs:42              names; an id after a colon is a source
  --do 'cc --strong'          an algorithm with its own flags

run doesn't support --sources-from, --targets-from, --partition-by and --plot:
use the algorithm's own command, as in foray sssp --sources-from.

The algorithms are %s.

With -o DIR each result is written to a separate file in that directory,
DIR/cc.parquet and so on. If an algorithm runs twice, its second file is
bfs-2.parquet. A file appears complete or not at all. The command ends at the
first error; files written before stay.

`

const runExample = `  foray run testdata/karate.parquet --do cc,bfs:1 -o results/
  foray run follows/ --directed --do 'cc --strong' --do bfs:42
  foray run gen:kron20 --do cc --do 'bfs --parents' --validate`

func (a *app) runCommand() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:     "run PATH... --do ALGORITHM",
		Short:   "Run several algorithms over one graph",
		Long:    fmt.Sprintf(runLong, wrapped(strings.Join(namesOf(runnable()), ", "))),
		Example: runExample,
		GroupID: groupAlgorithms,
		Args:    needArgs(1, -1, "run needs a PATH"),
	}
	own := newGroup(titleAlgorithm)
	own.flags.StringArrayVar(&f.do, "do", nil, "`ALGORITHM`s to run; may be repeated")
	f.device = word{"DEVICE", "auto"}
	own.flags.Var(&f.device, "device", "where to calculate: a device that foray devices lists, or auto, the first one that opens; several GPUs of this machine as in cuda:0,cuda:1, or all, for algorithms that support them")
	f.addGPUMemory(own)
	own.flags.Var(&f.device, "devices", "another name of --device")
	own.flags.BoolVar(&f.validate, "validate", false, "check each result, which may take longer than finding it")
	in := f.inputFlags.group()
	f.addEdgeWhere(in)
	f.tellsEdges = true
	f.addWeights(in)
	out := newGroup(titleOutput)
	out.flags.StringVarP(&f.output, "output", "o", "", "write the results to files in the directory `DIR`, which is created if needed; or s3://bucket/prefix")
	f.addFormat(out)
	out.flags.Lookup("format").Usage = "`FORMAT` of the files: parquet, arrow, arrows (a stream), csv or jsonl (default parquet)"
	out.flags.BoolVar(&f.reachedOnly, "reached-only", false, "leave vertices that have no value out of the files")
	f.outputFlags.addRows(out)
	in.flags.StringVar(&f.properties, "properties", "", "more `COLUMNS` for the files: columns of --vertices, or GraphAr properties, as in name,age")
	in.flags.Var(f.unknown, "unknown-vertices", "prepared graphs: what to do with rows of --vertices whose vertex isn't in the graph")
	setFlags(cmd, own, in, out)
	f.all = cmd.Flags()
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("output") && f.output == "" {
			return usagef("the name of a directory to write is empty; omit -o to write none")
		}
		return a.runMany(cmd.Context(), args, f)
	}
	return cmd
}

// wrapped breaks a line of help.
func wrapped(s string) string {
	words, at := strings.Fields(s), len("The algorithms are ")
	for i, w := range words {
		if at += len(w) + 1; at > helpWidth-1 {
			words[i], at = "\n"+w, len(w)+1
		}
	}
	return strings.ReplaceAll(strings.Join(words, " "), " \n", "\n")
}

// runnable are the algorithms that --do may name.
func runnable() []algorithm { return append([]algorithm{bfsAlgorithm}, algorithms...) }

func namesOf(list []algorithm) (names []string) {
	for _, al := range list {
		names = append(names, al.name)
	}
	return names
}

// items are what --do names.
func (f *runFlags) items() (list []*runItem, err error) {
	for _, do := range f.do {
		for _, one := range listed(do) {
			x, err := parseItem("do", one, f.all)
			if err != nil {
				return nil, err
			}
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return nil, usagef("run needs --do: the algorithms to run, as in --do cc,bfs:1")
	}
	count := map[string]int{}
	for _, x := range list {
		if flag := written(x.calculation); flag != "" && f.output == "" {
			return nil, usagef("--do %s: %s needs -o: the directory to write", x.text, flag)
		}
		x.output = f.outputFlags
		if ownRows(x.calculation) != "" {
			x.output.sort, x.output.vertexColumn = nil, ""
		}
		if x.output.format == "" {
			x.output.format = "parquet"
		}
		count[x.name]++
		name := x.name
		if n := count[x.name]; n > 1 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		if f.output != "" {
			x.output.output = inDirectory(f.output, name+"."+x.output.format)
		}
	}
	return list, nil
}

// inDirectory returns the path of a file in a directory, or in a prefix of a store.
func inDirectory(dir, name string) string {
	if inStore(dir) {
		return strings.TrimRight(dir, "/") + "/" + name
	}
	return filepath.Join(dir, name)
}

// listed returns the algorithms of a --do: one with flags, or names with commas between.
func listed(do string) []string {
	if strings.Contains(strings.TrimSpace(do), " ") {
		return []string{do}
	}
	return strings.Split(do, ",")
}

// runMany loads a graph, runs the algorithms, and writes what came of them.
func (a *app) runMany(ctx context.Context, paths []string, f *runFlags) (err error) {
	list, err := f.items()
	if err != nil {
		return err
	}
	made, err := f.checkOutput(ctx, paths, list)
	defer func() {
		for _, dir := range made {
			if err != nil {
				os.Remove(dir) // it stays if there is a result in it
			}
		}
	}()
	if err != nil {
		return err
	}
	var needs []graph.Options
	for _, x := range list {
		var o graph.Options
		x.needs(&o, &f.inputFlags)
		needs = append(needs, o)
	}
	f.weights = f.weights || f.weightCol != ""
	for _, x := range list {
		if err := checkInput(x.calculation, &f.inputFlags); err != nil {
			return fmt.Errorf("--do %s: %w", x.text, err)
		}
	}
	if err := f.checkWeights(paths, ", which --do needs"); err != nil {
		return err
	}
	o := f.inputFlags.options()
	f.wanted(&o, needs...)
	dev, err := openDevice(f.device.value, int(f.workers))
	if err != nil {
		return err
	}
	defer dev.Close()
	o.Device = dev
	g, err := a.load(ctx, paths, &f.inputFlags, o)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := g.checkCombined(needs); err != nil {
		return err
	}
	p, err := a.placeToRun(g, dev)
	if err != nil {
		return err
	}
	defer done(p)
	if err := g.print(a.stdout); err != nil {
		return err
	}
	for _, x := range list { // what flags name has to be in the graph before anything runs
		if err := x.prepare(p, &f.inputFlags); err != nil {
			return fmt.Errorf("--do %s: %w", x.text, err)
		}
		if err := a.sayIdle(x.calculation, g); err != nil {
			return err
		}
	}
	for _, x := range list {
		if err := a.runOne(ctx, p, g, x, f.validate); err != nil {
			return fmt.Errorf("--do %s: %w", x.text, err)
		}
	}
	if a.json {
		a.result = &runsResult{head("run"), g.result(), a.runs}
	}
	if err := a.chosenDevice(f.device.value, p.Device().Info().Name); err != nil {
		return err
	}
	if f.output == "" {
		a.done("no files were written", "-o DIR writes one for each algorithm")
	} else {
		a.done("results are in "+f.output, "any reader of their format takes the files")
	}
	return nil
}

// checkOutput refuses what can't be written, and makes the directory. It returns the directories
// that it made, the innermost one first.
func (f *runFlags) checkOutput(ctx context.Context, paths []string, list []*runItem) (made []string, err error) {
	var files []string
	for _, x := range list { // all results: what one algorithm writes another may write too
		files = append(files, x.output.output)
	}
	for _, x := range list {
		if err := f.checkAlso(paths, x.calculation, files...); err != nil {
			return nil, err
		}
		if also, ok := x.calculation.(alsoWrites); ok {
			files = append(files, also.file())
		}
		if err := f.checkInside(paths, &x.output); err != nil {
			return nil, err
		}
	}
	if err := f.checkRows(""); err != nil {
		return nil, err
	}
	if f.output == "" {
		if f.properties != "" || f.reachedOnly {
			return nil, usagef("--properties and --reached-only need -o: the directory to write")
		}
		if err := f.outputFlags.check(ctx); err != nil {
			return nil, err
		}
		return nil, checkFiles(ctx, list)
	}
	if f.output == "-" {
		return nil, usagef("run writes a directory, not to standard output; name one with -o")
	}
	if !slices.Contains(tableFormats, list[0].output.format) {
		return nil, list[0].output.check(ctx)
	}
	if !inStore(f.output) {
		for dir := filepath.Clean(f.output); ; dir = filepath.Dir(dir) {
			if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
				break
			}
			made = append(made, dir)
		}
		if err := os.MkdirAll(f.output, 0o777); err != nil {
			if errors.Is(err, syscall.ENOTDIR) {
				return made, fmt.Errorf("-o %s: run writes a directory, and that path or one of its parents is a file: name another directory", f.output)
			}
			return made, atomicfile.Explain(f.output, err)
		}
	}
	for _, x := range list {
		if err := x.output.check(ctx); err != nil {
			return made, err
		}
	}
	return made, checkFiles(ctx, list) // some may be in the directory, which exists by now
}

// checkFiles refuses additional files that can't be written.
func checkFiles(ctx context.Context, list []*runItem) error {
	for _, x := range list {
		if also, ok := x.calculation.(alsoWrites); ok {
			if err := also.checkFile(ctx); err != nil {
				return fmt.Errorf("--do %s: %w", x.text, err)
			}
		}
	}
	return nil
}

// runOne runs one algorithm, and writes what came of it.
func (a *app) runOne(ctx context.Context, p *graph.Placed, g *loaded, x *runItem, check bool) error {
	x.output.reachedOnly = x.output.reachedOnly && mayMiss(x.calculation) // else all have a value
	wo := x.output.options(a.data)
	if p := g.properties(); p != nil {
		wo.Properties = p
	}
	if x.output.output != "" && len(x.columns()) > 0 {
		if err := arrow.Check(ctx, x.output.output, g.Graph, x.columns(), wo); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(a.stdout, "\n%s\n", x.name); err != nil {
		return err
	}
	r, err := a.runPlaced(ctx, p, g, x.calculation)
	if err != nil {
		return err
	}
	defer r.answer.Close()
	if err := r.tell(ctx, a.stdout, g, check, &x.output, x.name, wo); err != nil {
		return err
	}
	if a.json {
		a.runs = append(a.runs, r.result(g, x.name).alsoWritten(x.calculation))
	}
	return a.tellAlso(x.calculation, g)
}
