// This file holds bench paper, the report that repeats the analysis of a paper.

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/cluster/nccl"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/paper"
	"github.com/foray-graph/foray/internal/text"
)

type paperFlags struct {
	dir, real       string
	src, dst        string
	directed        bool
	scale           *enum
	graphs          []string
	device          word
	sources, trials positive
	workers         positive
	seed            uint64
	noCheck, resume bool
	onlyRanks       bool
	rivals          rivalFlags
}

const paperLong = `Repeats the analysis of Merrill, Garland and Grimshaw, "Scalable GPU graph
traversal" (PPoPP 2012), and writes a report to the directory of -o:

  report.html    one page, which needs no network
  report.json    all of its data
  graphs.csv     the graphs beside those of the paper's table 1
  frontiers.csv  vertex and edge frontiers by iteration (figure 3)
  searches.csv   times and rates by algorithm (figure 10, table 2)
  gathering.csv  gathering and lookup alone, and fused (figures 5, 6, 9)
  culling.csv    redundant expansion by way of culling (figures 7, 8; on a GPU)
  choices.csv    automatic choices beside fixed ones, factors alpha and beta
  growth.csv     time and memory over sizes of an R-MAT graph
  levels.csv     levels of a large R-MAT graph beside published ones
  cluster.csv    searches over ranks, as by Pan, Pearce and Owens (IPDPS 2018)
  rivals.csv     figures of other systems beside ours, with --rivals FILE
  flex.csv       steps of FlexBFS, each with one idea more (on a GPU)

The graphs are generated: each stands for one of the paper's, in size, degree
and depth at --scale paper, and in kind at the others. --graph NAME measures
only that one, without growth, levels, ranks and FlexBFS. --graph NAME=PATH
puts a file in its place, in any format that foray bench reads. A NAME that
isn't the paper's is a graph of your own. A file in the place of a directed
graph is read as directed.

Ranks are goroutines of this process. With --device cuda, and with auto on a
machine with GPUs and NCCL, each rank has one of the GPUs; with one GPU's name
ranks search on the host. Started by mpirun -n N or torchrun, ranks are N
processes, and are measured in spite of --graph: rank 0 measures the rest and
writes the report, and the others take part in searches over ranks alone.
--only-ranks measures nothing else.

The directory appears when the report is complete. An existing report is
replaced, another directory isn't. Until then DIR.partial.json has the graphs
that were measured; --resume takes them from there. DIR.partial.lock prevents
another run from writing the same report meanwhile.
`

func (a *app) paperCommand() *cobra.Command {
	f := &paperFlags{sources: 4, trials: bench.DefaultTrials, device: word{"DEVICE", "auto"}}
	cmd := &cobra.Command{
		Use:   paperName + " -o DIR",
		Short: "Report the analysis of a paper",
		Long:  paperLong,
		Example: `  foray bench paper -o report
  foray bench paper -o report --scale paper --device cuda:0
  foray bench paper -o report --graph europe.osm=road.gr --graph cage15
  foray bench paper -o report --scale paper --device cuda --only-ranks
  mpirun -n 4 --bind-to none foray bench paper -o report --graph cage15`,
		Args: needArgs(0, 0, "bench paper takes no arguments; name graphs by --graph"),
	}
	var scales []string
	for _, s := range paper.Scales {
		scales = append(scales, string(s))
	}
	f.scale = newEnum("SCALE", scales...)
	m := newGroup(titleAlgorithm)
	m.flags.Var(f.scale, "scale", "`SCALE` of the graphs: small, medium or paper")
	m.flags.StringArrayVar(&f.graphs, "graph", nil, "measure the graph `NAME`, or NAME=PATH, alone; repeat it for several")
	m.flags.StringVar(&f.real, "real", "", "also measure each graph in `DIR`, in any format that bench reads")
	m.flags.StringVar(&f.src, "src", "", "`COLUMN` of the edges' sources, in the files of --graph and --real")
	m.flags.StringVar(&f.dst, "dst", "", "`COLUMN` of the edges' targets")
	m.flags.BoolVar(&f.directed, "directed", false, "read the files of --graph and --real as directed graphs")
	m.flags.Var(&f.device, "device", "where to search: a device that foray devices lists, or auto, the first one that opens")
	m.flags.Var(&f.sources, "sources", "vertices to search from")
	m.flags.Uint64Var(&f.seed, "seed", 1, "seed `N` of the random sources")
	m.flags.Var(&f.trials, "trials", "how often each source is timed; the median counts")
	m.flags.Var(&f.workers, "workers", "threads that build and, on the host, search; 0: one per CPU")
	m.flags.BoolVar(&f.onlyRanks, "only-ranks", false, "measure only searches over ranks")
	m.flags.BoolVar(&f.noCheck, "no-check", false, "don't compare with the sequential search: faster, but results aren't verified")
	out := newGroup(titleOutput)
	out.flags.StringVarP(&f.dir, "output", "o", "", "`DIR` of the report")
	out.flags.BoolVar(&f.resume, "resume", false, "continue an interrupted run with the same flags")
	f.rivals.add(out)
	setFlags(cmd, m, out)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		world, err := comm.World(cmd.Context(), comm.Options{Settings: settings(cmd, args), Deadline: hungAfter, Plain: byGPU})
		switch {
		case err != nil && world != nil: // ranks differ
			return tellOnce(cmd.Context(), world, err)
		case err != nil:
			return atStart(err)
		case world == nil || world.Size() == 1:
			if err := f.check(); err != nil {
				return err
			}
			return a.benchPaper(cmd.Context(), f, nil)
		}
		check := f.check
		if withoutMPI(world) && !f.gpus() {
			check = func() error {
				return usagef("--device %s: processes that are started without MPI connect by GPUs; want cuda or auto", f.device.value)
			}
		}
		return a.onRank(cmd, world, check, func(ctx context.Context) error {
			if world.Rank() > 0 {
				return paper.Join(ctx, world, f.gpus())
			}
			defer comm.Working(world.Progress)() // the other ranks wait
			return a.benchPaper(ctx, f, world)
		})
	}
	return cmd
}

// check is the part of the checks that looks at flags alone.
func (f *paperFlags) check() error {
	switch {
	case f.dir == "":
		return usagef("bench paper needs -o DIR")
	case inStore(f.dir):
		return usagef("-o %s: reports are local directories; name one, and copy it to the store", f.dir)
	case f.onlyRanks && (len(f.graphs) > 0 || f.real != ""):
		return usagef("--only-ranks measures no graphs of --graph and --real")
	case f.sources == 0 || f.trials == 0:
		return usagef("--sources and --trials must be at least 1")
	}
	return nil
}

// withoutMPI reports whether processes were started without MPI.
func withoutMPI(c comm.Comm) bool {
	_, is := c.(*nccl.Process)
	return is
}

// gpus reports whether searches over ranks may be on GPUs.
func (f *paperFlags) gpus() bool { return f.device.value == cudaKind || f.device.value == "auto" }

// benchPaper measures and writes the report. processes, if not nil, are the ranks of searches over ranks.
func (a *app) benchPaper(ctx context.Context, f *paperFlags, processes comm.Comm) (err error) {
	command := f.command()
	if processes != nil {
		launcher := "mpirun -n"
		if withoutMPI(processes) {
			launcher = "torchrun --no-python --nproc-per-node"
		}
		command = fmt.Sprintf("%s %d %s", launcher, processes.Size(), command)
	}
	if err := f.rivals.read(); err != nil {
		return err
	}
	inputs, err := a.paperInputs(f)
	if err != nil {
		return err
	}
	dev, err := openDevice(f.device.value, int(f.workers))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	_, gpu := dev.(discrete.Device)
	if !gpu && dev.Info().Kind != device.Host {
		return usagef("--device %s: bench paper measures operators, which run on one device; name one", f.device.value)
	}
	dir, err := atomicfile.CreateDir(ctx, f.dir, onlyReports)
	if err != nil {
		return err
	}
	defer dir.Abort()
	release, err := holdReport(f.dir)
	if err != nil {
		return err
	}
	defer release()
	progress := a.progress()
	defer progress.end()
	o := paper.Options{
		Scale: paper.Scale(f.scale.value), Seed: f.seed, Sources: int(f.sources), Trials: int(f.trials), NoCheck: f.noCheck, Command: command, Rivals: f.rivals.list,
		Processes: processes, OnlyRanks: len(f.graphs) > 0 || f.onlyRanks, OnGPUs: f.gpus(),
		Progress: func(p graph.Progress) { progress.update(p.Phase, p.Done, p.Total) },
	}
	partial := partialPath(f.dir)
	if err := ownPartial(partial); err != nil {
		return err
	}
	if !f.resume {
		_ = os.Remove(partial) // of another run
	}
	if f.resume {
		if o.Had, err = resumed(partial, command, dev.Info()); err != nil {
			return err
		}
	}
	o.Save = func(r *paper.Report) error { return savePartial(ctx, partial, r) }
	if len(f.graphs) == 0 || processes != nil {
		o.Generate = func(ctx context.Context, spec string) (*graph.Graph, error) {
			return a.paperGraph(ctx, f, "gen:"+spec, false)
		}
	}
	report, err := paper.Run(ctx, dev, gpu, inputs, o)
	if err != nil {
		if _, there := os.Stat(partial); there == nil {
			err = fmt.Errorf("%w; --resume continues with the graphs that were measured", err)
		}
		return err
	}
	progress.end()
	for _, file := range report.Files() {
		w, err := atomicfile.Create(ctx, filepath.Join(dir.Temp(), file.Name))
		if err != nil {
			return dir.Explain(err)
		}
		if err := file.Write(w); err != nil {
			w.Abort()
			return dir.Explain(err)
		}
		if err := w.Commit(); err != nil {
			return dir.Explain(err)
		}
	}
	if err := dir.Commit(); err != nil {
		return err
	}
	_ = os.Remove(partial) // the report has all of it
	a.result = filesResult{head("bench paper"), []outputResult{{Path: f.dir}}}
	a.done("the report is in "+f.dir, "open "+filepath.Join(f.dir, "report.html"))
	what := text.Plural(len(report.Graphs), "graph")
	if f.onlyRanks {
		what = "searches over ranks"
	}
	_, err = fmt.Fprintf(a.stdout, "wrote      %s: %s\n", filepath.Join(f.dir, "report.html"), what)
	return err
}

// holdReport makes this run the only one that writes a directory's report, until release is called or the process ends. The lock is a
// separate file: the file of the graphs that were measured is replaced again and again.
func holdReport(dir string) (release func(), err error) {
	path := reportPath(dir) + ".partial.lock"
	for range 9 { // another run may remove it at this moment
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
		}
		info, err := f.Stat()
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if !info.Mode().IsRegular() || info.Size() > 0 {
			return nil, fmt.Errorf("%s: %w: it isn't the lock of a run; move it, or write to another -o", path, fs.ErrExist)
		}
		unlock, err := atomicfile.Hold(path)
		if err != nil {
			return nil, fmt.Errorf("-o %s: another run writes this report; wait until it ends, or name another directory", dir)
		}
		if now, err := os.Stat(path); err == nil && os.SameFile(info, now) {
			return func() { _ = os.Remove(path); unlock() }, nil
		}
		unlock()
	}
	return nil, fmt.Errorf("-o %s: other runs write this report", dir)
}

// partialPath is where an interrupted run's graphs are.
func partialPath(dir string) string { return reportPath(dir) + ".partial.json" }

// reportPath is a directory's path without symbolic links: all names of a directory have the same lock. The directory
// may not exist yet.
func reportPath(dir string) string {
	dir = filepath.Clean(dir)
	if path, err := filepath.EvalSymlinks(dir); err == nil {
		return path
	}
	if parent, err := filepath.EvalSymlinks(filepath.Dir(dir)); err == nil {
		return filepath.Join(parent, filepath.Base(dir))
	}
	return dir
}

// partialMark begins such a file, before a checksum of the rest: what is damaged, or is no such file, isn't taken.
const partialMark = "foray bench paper, interrupted "

func savePartial(ctx context.Context, path string, r *paper.Report) error {
	if err := ownPartial(path); err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	w, err := atomicfile.Create(ctx, path)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%s%x\n%s", partialMark, sha256.Sum256(data), data); err != nil {
		w.Abort()
		return err
	}
	return w.Commit()
}

// ownPartial returns an error if a file exists that savePartial didn't write.
func ownPartial(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, errors.Unwrap(err))
	}
	if info.Mode().IsRegular() {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, errors.Unwrap(err))
		}
		defer f.Close()
		begin := make([]byte, len(partialMark))
		if n, _ := io.ReadFull(f, begin); string(begin[:n]) == partialMark {
			return nil
		}
	}
	return fmt.Errorf("%s: %w: it isn't what an interrupted run leaves; move it, or write to another -o", path, fs.ErrExist)
}

// resumed reads what an interrupted run measured with the command on the device; none is no error.
func resumed(path, command string, dev device.Info) (*paper.Report, error) {
	if err := ownPartial(path); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
	}
	sum, data, _ := bytes.Cut(data[len(partialMark):], []byte("\n"))
	var r paper.Report
	if string(sum) != fmt.Sprintf("%x", sha256.Sum256(data)) || json.Unmarshal(data, &r) != nil {
		return nil, fmt.Errorf("%s is damaged; remove it, and begin again without --resume", path)
	}
	now := paper.NewReport(dev, paper.Options{Command: command})
	if r.Command != command {
		return nil, usagef("--resume: %s is of another run; give its flags, or begin again without --resume: %s", path, r.Command)
	}
	if r.Version != now.Version || r.GoVersion != now.GoVersion || r.Hardware() != now.Hardware() || r.Driver != now.Driver || r.Commit != now.Commit {
		return nil, fmt.Errorf("--resume: %s was measured by %s, %s on %s; begin again without --resume", path, r.Version, r.GoVersion, r.Hardware())
	}
	return &r, nil
}

// command returns the command that makes the report again, without the launcher.
func (f *paperFlags) command() string {
	words := []string{"foray bench paper -o", quoted(f.dir), "--scale", f.scale.value}
	for _, g := range f.graphs {
		words = append(words, "--graph", quoted(g))
	}
	if f.real != "" {
		words = append(words, "--real", quoted(f.real))
	}
	for _, x := range [][2]string{{"--src", f.src}, {"--dst", f.dst}} {
		if x[1] != "" {
			words = append(words, x[0], quoted(x[1]))
		}
	}
	if f.directed {
		words = append(words, "--directed")
	}
	words = append(words, "--device", f.device.value, fmt.Sprintf("--sources %d --trials %d --seed %d", f.sources, f.trials, f.seed))
	if f.workers > 0 {
		words = append(words, fmt.Sprintf("--workers %d", f.workers))
	}
	if f.onlyRanks {
		words = append(words, "--only-ranks")
	}
	if f.noCheck {
		words = append(words, "--no-check")
	}
	if f.rivals.path != "" {
		words = append(words, "--rivals", quoted(f.rivals.path))
	}
	return strings.Join(words, " ")
}

// plainWord is what no shell changes.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+-]+$`)

// quoted returns a word as a shell takes it.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// paperInputs returns the graphs that --graph names, or all.
func (a *app) paperInputs(f *paperFlags) ([]paper.Input, error) {
	all := paper.StandIns()
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	wanted := slices.Clone(f.graphs)
	if len(wanted) == 0 && !f.onlyRanks {
		wanted = names
	}
	more, err := realGraphs(f.real)
	if err != nil {
		return nil, err
	}
	wanted = append(wanted, more...)
	var inputs []paper.Input
	for _, w := range wanted {
		name, path, given := strings.Cut(w, "=")
		at := slices.Index(names, name)
		switch {
		case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
			return nil, usagef("--graph %q: the name has bytes that are no text", w)
		case name == "" || given && path == "":
			return nil, usagef("--graph %q: want NAME or NAME=PATH", w)
		case !given && at < 0:
			return nil, usagef("--graph %s: no such graph; want %s, or NAME=PATH for one of your own", w, orList(names))
		case slices.ContainsFunc(inputs, func(in paper.Input) bool { return in.Name == name }):
			return nil, usagef("--graph %s is given twice", name)
		}
		s := paper.StandIn{Name: name, Kind: "given"}
		if at >= 0 {
			s = all[at]
		} else if slices.Contains(more, w) {
			s.Kind = "real"
		}
		if !given {
			path = "gen:" + s.Spec(paper.Scale(f.scale.value))
		}
		if _, _, err := named(path, false); err != nil { // one that isn't there is found before the others are measured
			return nil, err
		}
		stamp := ""
		if info, err := os.Stat(path); err == nil {
			stamp = fmt.Sprint(info.Size(), " ", info.ModTime().UTC().Format(time.RFC3339Nano))
		}
		inputs = append(inputs, paper.Input{StandIn: s, Path: path, Stamp: stamp, Load: func(ctx context.Context) (*graph.Graph, error) {
			return a.paperGraph(ctx, f, path, s.Directed || f.directed && given)
		}})
	}
	return inputs, nil
}

// realGraphs returns the files of a directory as --graph takes them, documents left out.
func realGraphs(dir string) (list []string, err error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("--real %s: %w", dir, errors.Unwrap(err))
	}
	for _, e := range entries {
		name := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".gz"), ".zst")
		name = strings.TrimSuffix(name, filepath.Ext(name))
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && name != "" && filepath.Ext(e.Name()) != ".md" {
			list = append(list, strings.ReplaceAll(name, "=", "_")+"="+path)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("--real %s: no graphs are there", dir)
	}
	return list, nil
}

// paperGraph loads a graph, directed ones with their reverse.
func (a *app) paperGraph(ctx context.Context, f *paperFlags, path string, directed bool) (*graph.Graph, error) {
	var in inputFlags
	in.group()
	in.directed, in.workers = directed, f.workers
	if !strings.HasPrefix(path, "gen:") {
		in.src, in.dst = f.src, f.dst
	}
	o := in.options()
	o.Reverse = directed
	g, err := a.load(ctx, []string{path}, &in, o)
	if err != nil {
		return nil, err
	}
	return g.Graph, nil
}

// reportBegins matches the begin of a report.json.
var reportBegins = regexp.MustCompile(`^\s*\{\s*"command": "((mpirun -n|torchrun --no-python --nproc-per-node) \d+ )?foray bench paper`)

// onlyReports returns why a directory isn't an earlier report, which a new one may replace.
func onlyReports(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	var files []string
	for _, file := range (&paper.Report{}).Files() {
		files = append(files, file.Name)
	}
	for _, e := range entries {
		if !slices.Contains(files, e.Name()) {
			return fmt.Errorf("%w: it has %s, which is no part of a report", fs.ErrExist, e.Name())
		}
	}
	if data, err := os.ReadFile(filepath.Join(path, "report.json")); len(entries) > 0 && (err != nil || !reportBegins.Match(data)) {
		return fmt.Errorf("%w: it has no report.json of foray bench paper", fs.ErrExist)
	}
	return nil
}
