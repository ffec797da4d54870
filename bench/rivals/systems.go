// This file holds the systems: where their programs are, how they are called, and which times they print.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// program is a program of a system that runs an algorithm.
type program struct {
	system, algorithm string
	command           []string // with {sg}, {wsg}, {bin}, {adj} and {mtx} for files
	check             []string // with the program's check of its results; nil without such a check
	trial             []string // with fewer sources, to choose {delta}; nil without it
	fails             string   // printed by a failed check
	times             *regexp.Regexp
	unit              float64 // of the times, in milliseconds
	note              string  // for its rows
}

// named is the system, with what sets the program apart.
func (p program) named() string { return strings.TrimSpace(p.system + " " + p.note) }

// listed is the algorithm as foray bench names it.
func (p program) listed() string {
	name := p.algorithm
	if name == "tc" {
		name = "triangles"
	}
	if strings.HasPrefix(p.note, "--") {
		name += " " + p.note
	}
	return name
}

// withDeltas returns the program with each width of stages, if it takes one.
func (p program) withDeltas(deltas []string) (list []program) {
	if !slices.Contains(p.command, "{delta}") {
		return []program{p}
	}
	for _, delta := range deltas {
		q := p
		q.note = "delta " + delta
		for _, of := range []*[]string{&q.command, &q.check, &q.trial} {
			*of = filled(*of, map[string]string{"delta": delta})
		}
		list = append(list, q)
	}
	return list
}

// formats returns the files that the program needs.
func (p program) formats() (list []string) {
	for _, format := range []string{"sg", "wsg", "bin", "adj", "mtx", "graph", "weighted"} {
		if slices.ContainsFunc(p.command, func(arg string) bool { return strings.Contains(arg, "{"+format+"}") }) {
			list = append(list, format)
		}
	}
	return list
}

// failed reports whether a check printed that it failed.
func (p program) failed(out string) bool { return p.fails != "" && strings.Contains(out, p.fails) }

// parse returns the times that a program printed, in milliseconds.
func (p program) parse(out string) (times []float64) {
	for _, m := range p.times.FindAllStringSubmatch(out, -1) {
		x, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			continue
		}
		unit := p.unit
		if len(m) > 2 {
			unit = map[string]float64{"s": 1000, "sec": 1000, "ms": 1, "us": 0.001}[m[2]]
		}
		times = append(times, x*unit)
	}
	return times
}

// system is a system whose programs are in a folder, or are one file.
type system struct {
	name, flag, place string
	programs          []program // commands begin with the path below the place, or with "" if that is a file
}

// found returns the programs that are there.
func (s system) found(at string) (list []program, err error) {
	if at, err = filepath.Abs(at); err != nil {
		return nil, err
	}
	for _, p := range s.programs {
		file := filepath.Join(at, p.command[0])
		info, err := os.Stat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, fmt.Errorf("-%s %s: want %s", s.flag, at, s.place)
		}
		for _, of := range []*[]string{&p.command, &p.check, &p.trial} {
			if *of != nil {
				*of = append([]string{file}, (*of)[1:]...)
			}
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("-%s %s: none of its programs is there; want %s", s.flag, at, s.place)
	}
	return list, nil
}

var (
	trialTime  = regexp.MustCompile(`Trial Time:\s+([0-9.eE+-]+)`)                      // GAP
	roundTime  = regexp.MustCompile(`(?m)^\s*Round \d+(?:: |.*\btime = )([0-9.eE+-]+)`) // PASGAL and Toggle Tree, without what warms up
	gpuTime    = regexp.MustCompile(`GPU Elapsed Time : ([0-9.eE+-]+)`)                 // Gunrock
	anyTime    = regexp.MustCompile(`([0-9][0-9.eE+-]*) ?(ms|us|sec|s)\b`)              // others
	medianTime = regexp.MustCompile(`(?m)^ {8}"median_ms": ([0-9.eE+-]+)`)              // Foray, over all sources
)

// gap returns the programs of the GAP Benchmark Suite, or of a system that takes the same flags; each is the flag for the
// number of sources.
func gap(system, each string, names map[string]string) (list []program) {
	for _, algorithm := range []string{"bfs", "sssp", "cc", "tc"} {
		name, ok := names[algorithm]
		if !ok {
			continue
		}
		p := program{system: system, algorithm: algorithm, command: []string{name, "-f", "{sg}"}, fails: "FAIL", times: trialTime, unit: 1000}
		if algorithm == "sssp" {
			p.command = []string{name, "-f", "{wsg}", "-d", "{delta}"}
			p.trial = append(slices.Clone(p.command), each, "4")
		}
		p.check = append(slices.Clone(p.command), each, "1", "-v")
		p.command = append(p.command, each, "16")
		if each != "-n" { // then that is how often each source is searched from
			for _, of := range []*[]string{&p.command, &p.check, &p.trial} {
				*of = append(*of, "-n", "1")
			}
		}
		list = append(list, p)
	}
	return list
}

// weighing are the algorithms that read weights.
type weighing map[string]bool

// library returns a program's algorithms: it takes a name and a file, and prints the time of each round.
func library(system string, weighted weighing, algorithms ...string) (list []program) {
	for _, algorithm := range algorithms {
		file, name := "{sg}", algorithm
		if weighted[algorithm] {
			file = "{wsg}"
		}
		if algorithm == "tc" {
			name = "triangles"
		}
		list = append(list, program{system: system, algorithm: algorithm, command: []string{"", name, file}, times: anyTime})
	}
	return list
}

var systems = []system{
	{"the GAP Benchmark Suite", "gap", "the folder with bfs, sssp, cc and tc",
		gap("GAP", "-n", map[string]string{"bfs": "bfs", "sssp": "sssp", "cc": "cc", "tc": "tc"})},
	{"Wasp", "wasp", "its program for shortest paths, which takes the flags of GAP's", gap("Wasp", "-S", map[string]string{"sssp": ""})},
	{"PASGAL", "pasgal", "its folder src, with BFS/bfs, SSSP/sssp and KCore/kcore", []program{
		{system: "PASGAL", algorithm: "bfs", command: []string{"BFS/bfs", "-i", "{bin}", "-s"}, check: []string{"BFS/bfs", "-i", "{bin}", "-s", "-v"}, times: roundTime, unit: 1000},
		{system: "PASGAL", algorithm: "sssp", command: []string{"SSSP/sssp", "-i", "{adj}", "-s"}, check: []string{"SSSP/sssp", "-i", "{adj}", "-s", "-v"}, times: roundTime, unit: 1000},
		{system: "PASGAL", algorithm: "kcore", command: []string{"KCore/kcore", "-i", "{bin}", "-s"}, times: roundTime, unit: 1000},
	}},
	{"Toggle Tree", "toggle-tree", "its folder benchmarks, with BFS/ToT+VGC/test, KCore/ToT+VGC/test and KCore/ToT+VGC+SPL/test", []program{
		{system: "Toggle Tree", algorithm: "bfs", command: []string{"BFS/ToT+VGC/test", "{bin}", "16"}, times: roundTime, unit: 1000},
		{system: "Toggle Tree", algorithm: "kcore", command: []string{"KCore/ToT+VGC/test", "{bin}", "3"}, times: roundTime, unit: 1000},
		{system: "Toggle Tree", algorithm: "kcore", command: []string{"KCore/ToT+VGC+SPL/test", "{bin}", "3"}, times: roundTime, unit: 1000, note: "with samples"},
	}},
	{"igraph", "igraph", "the program of bench/rivals/igraph/igraph.c, built with igraph's C library", library("igraph", weighing{"louvain": true, "leiden": true, "msf": true},
		"degree", "cc", "pagerank", "eigenvector", "kcore", "tc", "louvain", "leiden", "lpa", "msf", "bridges", "ktruss", "kclique", "color")},
	{"networkx", "networkx", "the program bench/rivals/networkx/networkx_bench.py", library("networkx", weighing{"louvain": true, "msf": true},
		"degree", "cc", "pagerank", "eigenvector", "hits", "katz", "kcore", "tc", "louvain", "lpa", "msf", "bridges", "ktruss", "color", "mis")},
	{"Gunrock", "gunrock", "its folder bin, with bfs", []program{
		{system: "Gunrock", algorithm: "bfs", command: []string{"bfs", "-m", "{mtx}", "-n", "16"}, check: []string{"bfs", "-m", "{mtx}", "--validate"}, times: gpuTime, unit: 1},
	}},
}

// known are the algorithms that are run, those that run without a flag first.
var known = []string{"bfs", "sssp", "cc", "kcore", "tc",
	"degree", "pagerank", "eigenvector", "hits", "katz", "lpa", "louvain", "leiden", "msf", "bridges", "ktruss", "kclique", "color", "mis"}

const usual = 5 // of the known ones run without a flag

// forays are Foray's programs. foray bench checks results itself: those from the first of the sources that are timed, or
// of a run.
var forays = func() (list []program) {
	for _, algorithm := range known {
		graph, name := "{graph}", algorithm
		switch algorithm {
		case "sssp", "louvain", "leiden", "msf":
			graph = "{weighted}"
		case "bfs":
			name = "dobfs"
		case "tc":
			name = "triangles"
		}
		notes := []string{""}
		if algorithm == "sssp" { // foray bench prepares a graph that it searches repeatedly
			notes = append(notes, "--prepare=never")
		}
		for _, note := range notes {
			p := program{system: "Foray", algorithm: algorithm, times: medianTime, unit: 1, note: note,
				command: []string{"{foray}", "bench", graph, "--algo", strings.TrimSpace(name + " " + note), "--device", "{device}", "--workers", "{threads}", "--json"}}
			p.check = append(slices.Clone(p.command), "--trials", "1")
			p.command = append(p.command, "--no-check")
			switch algorithm {
			case "bfs":
				p.check = append(p.check, "--sources", "4")
			case "sssp":
				p.check = append(p.check, "--sources", "4")
				p.command = append(p.command, "--trials", "1") // each source once, as in GAP's programs
			}
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b program) int { return strings.Compare(a.algorithm, b.algorithm) })
	return list
}()

// otherProgram reads the value of -other.
func otherProgram(value string) (program, error) {
	part := strings.SplitN(value, ",", 3)
	if len(part) < 3 || part[0] == "" || part[1] == "" || strings.TrimSpace(part[2]) == "" {
		return program{}, fmt.Errorf("-other %q: want NAME,ALGORITHM,COMMAND", value)
	}
	return program{system: part[0], algorithm: part[1], command: strings.Fields(part[2]), times: anyTime}, nil
}
