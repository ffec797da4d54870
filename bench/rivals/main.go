// Command rivals runs other systems and Foray on the same graphs, in turns, and prints a row of bench/rivals.csv for each
// system, graph and algorithm. It builds nothing: flags say where programs are that were built before.
// CONTRIBUTING.md has an example.
//
// Each graph is a PATH of foray convert, which writes it as each system reads it: undirected, without self-loops and
// repeated edges. Generated graphs without weights get uniform integers from 1 to 255.
//
// First each program runs once with its own check, if it has one (-check=false leaves that out). Checks run at the same
// time, with a share of the threads each. GAP and Wasp then search from a few sources with each of -deltas, and continue
// with the fastest. Then come the rounds: in each one every program runs, one after the other. The figure of a program is
// the median of all times that it printed. Programs choose their own sources and their own number of them, as the note of
// a row says.
//
// A program that fails, or takes longer than -limit, is left out. The others continue, but the exit status is 1.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// options are the flags.
type options struct {
	foray, device, dir, out, machine, source string
	threads, rounds                          int
	check                                    bool
	limit                                    time.Duration
	algorithms, deltas                       []string
	programs                                 []program
	graphs                                   []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parse(os.Args[1:], os.Stderr)
	if err == flag.ErrHelp {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rivals:", err)
		os.Exit(2)
	}
	if err := o.run(ctx, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "rivals:", err)
		os.Exit(1)
	}
}

// parse reads the flags.
func parse(args []string, said io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("rivals", flag.ContinueOnError)
	f.SetOutput(said)
	f.Usage = func() {
		fmt.Fprint(said, "usage: rivals [flags] GRAPH...\n\nRuns other systems and Foray on the same graphs, in turns. A GRAPH is a PATH as\nforay convert takes it, such as gen:kron20.\n\n")
		f.PrintDefaults()
	}
	f.StringVar(&o.foray, "foray", "foray", "`FILE` of Foray's command")
	f.StringVar(&o.device, "device", "host", "device that Foray searches on")
	f.StringVar(&o.dir, "dir", "", "`FOLDER` for the files of graphs, which stay there; needed")
	f.StringVar(&o.out, "o", "", "`FILE` to write the rows to, as CSV; without it they go to standard output")
	f.StringVar(&o.machine, "machine", "", "name of the machine in the rows; needed")
	f.StringVar(&o.source, "source", "bench/rivals", "where the figures are from, in the rows")
	f.IntVar(&o.threads, "threads", runtime.NumCPU(), "threads of each program")
	f.IntVar(&o.rounds, "rounds", 2, "how often each program runs")
	f.BoolVar(&o.check, "check", true, "run programs once with their own check before they are timed")
	f.DurationVar(&o.limit, "limit", 0, "a program that runs longer is stopped and has failed; 0: none is stopped")
	algorithms := f.String("algorithms", strings.Join(known[:usual], ","), "what is run, of "+strings.Join(known, ", "))
	deltas := f.String("deltas", "8", "widths of the stages of shortest paths, separated by commas: GAP and Wasp are timed with the fastest of them")
	places := map[string]*string{}
	for _, s := range systems {
		places[s.flag] = f.String(s.flag, "", "`PLACE` of "+s.name+": "+s.place)
	}
	var others []string
	f.Func("other", "a further program, as `NAME,ALGORITHM,COMMAND`; may be repeated: {sg}, {wsg}, {bin}, {adj} and {mtx} in the command stand for files, {threads} for their number; it prints times as in \"Time: 1.5 ms\" or \"0.0015 sec\"", func(s string) error {
		others = append(others, s)
		return nil
	})
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.graphs, o.algorithms, o.deltas = f.Args(), strings.Split(*algorithms, ","), strings.Split(*deltas, ",")
	switch {
	case slices.Contains(o.graphs, "--help"), slices.Contains(o.graphs, "-h"): // behind a graph
		f.Usage()
		return nil, flag.ErrHelp
	case len(o.graphs) == 0:
		return nil, fmt.Errorf("name a graph, such as gen:kron20")
	case o.dir == "":
		return nil, fmt.Errorf("-dir is missing: a folder for the files of graphs")
	case o.machine == "":
		return nil, fmt.Errorf("-machine is missing: what the rows call this machine")
	case slices.ContainsFunc(o.algorithms, func(a string) bool { return !slices.Contains(known, a) }):
		return nil, fmt.Errorf("-algorithms %s: there are %s", *algorithms, strings.Join(known, ", "))
	case slices.ContainsFunc(o.deltas, func(d string) bool { n, err := strconv.Atoi(d); return err != nil || n < 1 }):
		return nil, fmt.Errorf("-deltas %s: want positive integers separated by commas", *deltas)
	case o.rounds < 1 || o.threads < 1:
		return nil, fmt.Errorf("-rounds and -threads are 1 or more")
	}
	if filepath.Base(o.foray) != o.foray { // programs run in other folders
		var err error
		if o.foray, err = filepath.Abs(o.foray); err != nil {
			return nil, err
		}
	}
	o.programs = forays
	for _, s := range systems {
		if at := *places[s.flag]; at != "" {
			programs, err := s.found(at)
			if err != nil {
				return nil, err
			}
			o.programs = append(o.programs, programs...)
		}
	}
	for _, other := range others {
		p, err := otherProgram(other)
		if err == nil && !slices.Contains(known, p.algorithm) {
			err = fmt.Errorf("-other %q: there are %s", other, strings.Join(known, ", "))
		}
		if err != nil {
			return nil, err
		}
		o.programs = append(o.programs, p)
	}
	o.programs = slices.DeleteFunc(slices.Clone(o.programs), func(p program) bool { return !slices.Contains(o.algorithms, p.algorithm) })
	return o, nil
}

// run converts the graphs, runs the programs, and writes the rows.
func (o *options) run(ctx context.Context, w, said io.Writer) (err error) {
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return err
	}
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return err
	}
	if o.out != "" {
		f, err := os.Create(o.out)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		w = f
	}
	rows := csv.NewWriter(w)
	header := []string{"system", "version", "graph", "algorithm", "machine", "date", "ms", "gteps", "source", "note"}
	if err := rows.Write(header); err != nil {
		return err
	}
	var failed failures
	for _, graph := range o.graphs {
		measured, err := o.graph(ctx, graph, said, &failed)
		if err != nil {
			return err
		}
		for _, m := range measured {
			ms := median(m.times)
			row := []string{m.system, "", nameOf(graph), m.listed(), o.machine, time.Now().Format(time.DateOnly), strconv.FormatFloat(ms, 'g', 4, 64), "", o.source,
				fmt.Sprintf("%d threads, median of %d times, from %.4g to %.4g ms; sources of its own", o.threads, len(m.times), slices.Min(m.times), slices.Max(m.times))}
			if m.note != "" {
				row[len(row)-1] += "; " + m.note
			}
			if m.tried {
				row[len(row)-1] += ", the fastest of " + strings.Join(o.deltas, ", ")
			}
			if err := rows.Write(row); err != nil {
				return err
			}
		}
		rows.Flush()
		if err := rows.Error(); err != nil {
			return err
		}
	}
	return failed.err()
}

// measured are the times of a program on a graph, in milliseconds.
type measured struct {
	program
	tried bool // its delta is the fastest of several
	times []float64
}

// graph runs all programs on a graph.
func (o *options) graph(ctx context.Context, graph string, said io.Writer, failed *failures) ([]measured, error) {
	var all []measured
	fails := func(p program, err error, out string) {
		failed.add(fmt.Sprintf("%s, %s, %s", nameOf(graph), p.named(), p.algorithm), err)
		fmt.Fprintf(said, "%s, %s, %s: %v; left out\n%s\n", nameOf(graph), p.named(), p.algorithm, err, last(out))
	}
	for _, p := range o.programs {
		files, err := o.files(ctx, graph, p, said)
		if err != nil {
			return nil, err
		}
		if files == nil {
			continue
		}
		q := p
		for _, of := range []*[]string{&q.command, &q.check, &q.trial} {
			*of = filled(*of, files)
		}
		for _, q := range q.withDeltas(o.deltas) {
			all = append(all, measured{program: q, tried: q.trial != nil && len(o.deltas) > 1})
		}
	}
	remaining := func() []measured {
		return slices.DeleteFunc(all, func(m measured) bool { return m.command == nil })
	}
	if o.check {
		errs, outs := o.checked(ctx, all)
		for i := range all {
			if errs[i] != nil {
				fails(all[i].program, errs[i], outs[i])
				all[i].command = nil
			}
		}
		all = remaining()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for i := range all {
		if m := &all[i]; m.tried {
			times, out, err := o.timed(ctx, m.program, m.trial)
			if err != nil {
				fails(m.program, err, out)
				m.command = nil
				continue
			}
			fmt.Fprintf(said, "%s, %s, %s, a trial: %.4g ms\n", nameOf(graph), m.named(), m.algorithm, median(times))
			m.times = times
		}
	}
	all = fastest(remaining())
	for round := range o.rounds {
		for i := range all {
			m := &all[i]
			if m.command == nil {
				continue
			}
			times, out, err := o.timed(ctx, m.program, m.command)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				fails(m.program, err, out)
				m.command = nil
				continue
			}
			fmt.Fprintf(said, "%s, %s, %s, round %d: %.4g ms\n", nameOf(graph), m.named(), m.algorithm, round+1, median(times))
			m.times = append(m.times, times...)
		}
	}
	return remaining(), ctx.Err()
}

// checked runs the checks of all programs at the same time, each with a share of the threads.
func (o *options) checked(ctx context.Context, all []measured) (errs []error, outs []string) {
	errs, outs = make([]error, len(all)), make([]string, len(all))
	var wg sync.WaitGroup
	few := *o
	few.threads = max(1, o.threads/max(1, len(all)))
	for i, m := range all {
		if m.check == nil {
			continue
		}
		wg.Go(func() {
			outs[i], errs[i] = few.start(ctx, filled(m.check, few.shared()))
			if errs[i] == nil && m.failed(outs[i]) {
				errs[i] = errors.New("its check failed")
			} else if errs[i] != nil {
				errs[i] = fmt.Errorf("its check failed: %w", errs[i])
			}
		})
	}
	wg.Wait()
	return errs, outs
}

// timed runs a program, and returns the times that it printed.
func (o *options) timed(ctx context.Context, p program, command []string) (times []float64, out string, err error) {
	out, err = o.start(ctx, filled(command, o.shared()))
	if times = p.parse(out); err == nil && len(times) == 0 {
		err = fmt.Errorf("it printed no time")
	}
	return times, out, err
}

// shared returns the placeholders that are the same for all graphs.
func (o *options) shared() map[string]string {
	return map[string]string{"threads": strconv.Itoa(o.threads)}
}

// fastest keeps, of the programs that differ in delta alone, the one whose trial was fastest, and forgets the times of
// trials.
func fastest(all []measured) (list []measured) {
	for _, m := range all {
		i := slices.IndexFunc(list, func(x measured) bool { return m.tried && x.tried && x.system == m.system && x.algorithm == m.algorithm })
		if i < 0 {
			list = append(list, m)
		} else if median(m.times) < median(list[i].times) {
			list[i] = m
		}
	}
	for i := range list {
		list[i].times = nil
	}
	return list
}

// failures are the programs that failed, and why.
type failures []string

func (f *failures) add(what string, err error) { *f = append(*f, fmt.Sprintf("%s: %v", what, err)) }

// err names the programs that failed.
func (f failures) err() error {
	if len(f) == 0 {
		return nil
	}
	return fmt.Errorf("failed: %d\n%s", len(f), strings.Join(f, "\n"))
}

// files converts a graph to the files that a program reads, unless they are there, and returns their names by format; nil
// if the graph has no weights, and the program needs them.
func (o *options) files(ctx context.Context, graph string, p program, said io.Writer) (map[string]string, error) {
	files := map[string]string{"device": o.device, "foray": o.foray}
	for _, format := range p.formats() {
		file := filepath.Join(o.dir, nameOf(graph)+"."+format)
		own := format == "graph" || format == "weighted" // for Foray, which chooses the order of vertices
		if own {
			file += ".foray"
		}
		files[format] = file
		if _, err := os.Stat(file); err == nil {
			continue
		}
		args := []string{"convert", graph, file, "--simple"}
		if !own {
			args = append(args, "--vertex-numbers", "--order", "given")
		}
		weighted := format == "wsg" || format == "adj" || format == "weighted"
		if weighted {
			args[1] = withWeights(graph)
			args = append(args, "--weights")
		}
		cmd := exec.CommandContext(ctx, o.foray, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if weighted {
				fmt.Fprintf(said, "%s: no weights: %s\n", graph, last(string(out)))
				return nil, nil
			}
			return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, last(string(out)))
		}
	}
	return files, nil
}

// filled returns a command with the names of files.
func filled(command []string, files map[string]string) (args []string) {
	for _, arg := range command {
		for name, value := range files {
			arg = strings.ReplaceAll(arg, "{"+name+"}", value)
		}
		args = append(args, arg)
	}
	return args
}

// start runs a command in a new folder, and returns its output.
func (o *options) start(ctx context.Context, command []string) (string, error) {
	dir, err := os.MkdirTemp(o.dir, "run")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	inner := filepath.Join(dir, "in") // some write to the folder above
	if err := os.Mkdir(inner, 0o777); err != nil {
		return "", err
	}
	if o.limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, o.limit, fmt.Errorf("it ran longer than %v", o.limit))
		defer stop()
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = time.Second // for its children, which hold its output
	cmd.Dir = inner
	n := strconv.Itoa(o.threads)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+n, "PARLAY_NUM_THREADS="+n, "CILK_NWORKERS="+n, "GOMAXPROCS="+n)
	out, err := cmd.CombinedOutput()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return string(out), err
}

// withWeights gives a generated graph weights, unless it has some.
func withWeights(graph string) string {
	spec, generated := strings.CutPrefix(graph, "gen:")
	if !generated || strings.Contains(spec, "weights=") {
		return graph
	}
	if strings.Contains(spec, ":") {
		return graph + ",weights=1:255"
	}
	return graph + ":weights=1:255"
}

// nameOf is what rows and files call a graph.
func nameOf(graph string) string {
	name := strings.TrimPrefix(filepath.Base(graph), "gen:")
	if !strings.HasPrefix(graph, "gen:") {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(":,=/*?", r) {
			return '-'
		}
		return r
	}, name)
}

// last returns the last lines of a program's output.
func last(out string) string {
	const lines = 5
	all := strings.Split(strings.TrimSpace(out), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

func median(times []float64) float64 {
	s := slices.Sorted(slices.Values(times))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
