// This file holds what the tests share, and the tests of the program as a
// whole: exit statuses, signals, help.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/gpu/kernelcache"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

const karate = "../../testdata/karate.parquet"

// foray runs a command line, and fails the test unless it ends with the status.
func foray(t *testing.T, status int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(args, &out, &errs); got != status {
		t.Fatalf("foray %s: status %d, want %d\n%s%s", strings.Join(args, " "), got, status, out.String(), errs.String())
	}
	// Doubts may come up with every command.
	doubts := func(s string) string { return doubt.ReplaceAllString(s, "") }
	told := sayings.ReplaceAllString(errs.String(), "") // which other tests look at
	errs.Reset()
	errs.WriteString(told)
	if status == 0 && doubts(errs.String()) != "" && args[0] != "convert" && args[0] != "gen" && !strings.Contains(strings.Join(args, " "), "--graph-out") && !strings.Contains(strings.Join(args, " "), "-o -") && args[0] != "__complete" {
		t.Errorf("foray %s succeeded, and wrote %q to stderr", strings.Join(args, " "), errs.String())
	}
	// What convert and gen say there, they say in such lines.
	for line := range strings.Lines(doubts(errs.String())) {
		if status == 0 && (args[0] == "convert" || args[0] == "gen" || strings.Contains(strings.Join(args, " "), "--graph-out")) && !convertNote.MatchString(line) {
			t.Errorf("foray %s succeeded, and wrote %q to stderr", strings.Join(args, " "), line)
		}
	}
	return out.String(), errs.String()
}

// sayings matches the lines about defaults and the last line of commands.
var sayings = regexp.MustCompile(`foray: (default|done): [^\n]*\n`)

// doubt matches what is said of a graph that may not be the one that was meant.
var doubt = regexp.MustCompile(`foray: \S+ says directed: true, but [^\n]*\n|foray: [^\n]* is --vertex-id right\?\n|foray: files in [^\n]* are read as they are[^\n]*\n|foray: left out [\d,]+ comment lines? of [^\n]*\n|foray: the table [^\n]* outside of its directory[^\n]*\n|foray: \S+ was prepared with[^\n]*; prepare it with [^\n]*\n|foray: [^\n]*; the graph is [\d,]+ vert(ex|ices) without edges\n`)

// convertNote matches what convert says without an error.
var convertNote = regexp.MustCompile(`^foray: (left out of (?:standard output|\S+): .*; (?:--weight COLUMN keeps weights(?:, (?:and )?--edge-id COLUMN ids of edges(?:, .*)?)?|the format has no place for them)|\S+: (--separate-ids reads it again as it was|(ids of several columns|kinds) are read again from .parquet and .arrow, not from text|--src 'src:\{src_kind\}' --dst 'dst:\{dst_kind\}' reads it again as it was))\n$`)

// times matches what differs from run to run.
var times = regexp.MustCompile(`\b[\d.]+ [GMk]TEPS|\d+(\.\d+)? (µs|ms|s)\b|\d+\.\d{3,4}\b|\d+ workers?`)

// levelTimes matches the ends of rows of levels.
var levelTimes = regexp.MustCompile(`(push|pull) +[\d.,< ]+\n`)

// masked replaces times, and runs of spaces by one.
func masked(s string) string {
	s = times.ReplaceAllString(s, "#")
	s = levelTimes.ReplaceAllString(s, "$1 #\n")
	return regexp.MustCompile(` +`).ReplaceAllString(s, " ")
}

// contains fails the test unless s holds all of the parts, in this order.
func contains(t *testing.T, s string, parts ...string) {
	t.Helper()
	rest := s
	for _, p := range parts {
		_, after, ok := strings.Cut(rest, p)
		if !ok {
			t.Errorf("no %q, in its place, in\n%s", p, s)
			return
		}
		rest = after
	}
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// empty fails the test if a directory has anything in it.
func empty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("%s was left behind", e.Name())
	}
}

func TestHelp(t *testing.T) {
	commands := []string{"bench", "bfs", "convert", "gen", "generate", "info", "report", "version"}
	out, _ := foray(t, 0)
	contains(t, out, append([]string{"Usage:", "Examples:", "Searching:", "bench", "bfs", "Graphs:"}, commands[2], "gen", "info", "Other:", "completion")...)
	for _, c := range commands {
		out, _ := foray(t, 0, c, "--help")
		contains(t, out, "Usage:\n  foray "+c, "Examples:\n  foray "+c, "-h, --help")
		if again, _ := foray(t, 0, "help", c); again != out {
			t.Errorf("foray help %s differs from foray %s --help:\n%s", c, c, again)
		}
	}
	out, _ = foray(t, 0, "bfs", "--help-all")
	contains(t, out, "Algorithm:\n", "--source ID", "--algo NAME", "Input:\n", "--src COLUMN", "Output:\n", "--plot FILE", "General:\n")
	out, _ = foray(t, 0, "gen", "--help-all")
	contains(t, out, "kron:scale=S", "R-MAT", "smallworld:n=N")
}

func TestVersion(t *testing.T) {
	out, _ := foray(t, 0, "version")
	contains(t, out, "foray ", runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	if line, _ := foray(t, 0, "--version"); !strings.HasPrefix(out, line) || strings.Count(line, "\n") != 1 {
		t.Errorf("--version prints %q, version %q", line, out)
	}
	contains(t, out, "devices  host", "modules  ")
	out, _ = foray(t, 0, "version", "--json")
	var r versionResult
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Version == "" || r.Go != runtime.Version() || r.Modules == nil || !slices.Contains(r.Devices, "host") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		out, _ := foray(t, 0, "completion", shell)
		contains(t, out, "foray")
	}
	for flag, want := range map[string]string{"--order": "auto\ndegree\ngiven\n", "--nulls": "error\nskip\n"} {
		out, _ := foray(t, 0, "__complete", "bfs", flag, "")
		contains(t, out, want)
	}
	out, _ := foray(t, 0, "__complete", "help", "")
	contains(t, out, "bench\nbfs\n")
}

func TestDevices(t *testing.T) {
	out, _ := foray(t, 0, "devices")
	contains(t, masked(out), "device hardware parallel units memory memory free driver\n", "host "+runtime.GOOS+"/"+runtime.GOARCH+" # ", " none\n")
	if !strings.Contains(out, "cuda") {
		t.Errorf("neither a cuda device nor why there is none:\n%s", out)
	}
	if runtime.GOOS != "linux" {
		return
	}
	// The cache of kernels: empty, with kernels, not to be trusted, and off.
	dir := filepath.Join(t.TempDir(), "kernels")
	t.Setenv(kernelcache.Variable, dir)
	shows := func(line, json string) {
		t.Helper()
		out, _ := foray(t, 0, "devices")
		contains(t, out, "kernel cache: "+line+"\n")
		out, _ = foray(t, 0, "devices", "--json")
		contains(t, strings.Join(strings.Fields(out), " "), `"kernel_cache": { `+json+` }`)
	}
	shows(dir+" has 0 kernels, 0 B", `"folder": "`+dir+`", "kernels": 0, "bytes": 0`)
	for _, name := range []string{"a", "b"} {
		if err := kernelcache.At(dir).Put(kernelcache.KeyOf([]byte(name)), make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	shows(dir+" has 2 kernels, 2.14 kB", `"folder": "`+dir+`", "kernels": 2, "bytes": 2144`)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	shows(dir+" isn't used: another user owns it or can write to it", `"folder": "`+dir+`", "kernels": 0, "bytes": 0, "reason": "`+dir+`: another user owns it or can write to it"`)
	t.Setenv(kernelcache.Variable, "off")
	shows("it is off", `"folder": "", "kernels": 0, "bytes": 0, "reason": "it is off"`)
}

// TestProgram builds the program and runs it: its streams, its exit statuses,
// and what a signal does.
func TestProgram(t *testing.T) {
	testlong.Project(t)
	if testing.Short() {
		t.Skip("needs a run without -short: building the program takes long")
	}
	t.Parallel() // it waits for the linker and for processes
	bin := filepath.Join(t.TempDir(), "foray")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	start := func(args ...string) (cmd *exec.Cmd, out, errs *bytes.Buffer) {
		cmd, out, errs = exec.Command(bin, args...), &bytes.Buffer{}, &bytes.Buffer{}
		cmd.Stdout, cmd.Stderr = out, errs
		return cmd, out, errs
	}
	cmd, out, errs := start("bfs", karate, "--source", "1", "-o", "-")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	if n := strings.Count(out.String(), "\n"); n != 35 {
		t.Errorf("%d lines of CSV, want 35", n)
	}
	contains(t, errs.String(), "source     1\n", "reached    34 of 34")
	testStdin(t, start)
	for want, args := range map[int][]string{1: {"bfs", "nowhere.parquet"}, 2: {"bfs"}} {
		cmd, out, errs := start(args...)
		err := cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != want || out.Len() > 0 || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("foray %s: %v, status %d, want %d\n%s%s", args, err, got, want, out, errs)
		}
	}
	if runtime.GOOS == "windows" {
		return // has no signals to send
	}
	dir := t.TempDir()
	signals := map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143}
	if !signal.Ignored(syscall.SIGHUP) { // else the program continues, as under nohup
		signals[syscall.SIGHUP] = 129
	}
	for sig, want := range signals {
		cmd, out, errs := start("gen", "kron26", "-o", filepath.Join(dir, "big.parquet"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for i := 0; ; i++ { // until it writes
			if entries, _ := os.ReadDir(dir); len(entries) > 0 {
				break
			} else if i > 1000 {
				t.Fatal("nothing is written")
			}
			time.Sleep(10 * time.Millisecond)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != want || out.Len() > 0 || errs.String() != "foray: interrupted\n" {
			t.Errorf("%v: %v, status %d, want %d\n%s%s", sig, err, got, want, out, errs)
		}
		empty(t, dir)
	}
}

// TestCanceled runs every command that takes long with a context that is
// canceled already, as by a signal.
func TestCanceled(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"bfs", karate, "-o", filepath.Join(dir, "x.parquet"), "--plot", filepath.Join(dir, "x.svg")},
		{"bfs", "gen:kron10"},
		{"info", karate},
		{"bench", "gen:kron10"},
		{"gen", "kron10", "-o", filepath.Join(dir, "x.parquet")},
		{"gen", "kron10", "-o", filepath.Join(dir, "x.sg")},
		{"convert", karate, filepath.Join(dir, "x.csv")},
		{"convert", karate, filepath.Join(dir, "x.el")},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(&interrupted{os.Interrupt})
		var out, errs bytes.Buffer
		if status := runContext(ctx, args, &out, &errs); status != 130 || errs.String() != "foray: interrupted\n" || out.Len() > 0 {
			t.Errorf("%s: status %d\n%s%s", args, status, out.String(), errs.String())
		}
	}
	empty(t, dir)
}

// brokenPipe fails every write.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, fmt.Errorf("broken pipe") }

// TestStdoutFails runs every command with an output that can't be written.
func TestStdoutFails(t *testing.T) {
	for _, args := range [][]string{
		{"bfs", karate}, {"bfs", karate, "-o", "-"}, {"info", karate}, {"devices"}, {"version"},
		{"gen", "star:4", "-o", "-"}, {"convert", karate, "-"},
		{"bench", karate}, {"bench", karate, "--json"},
		{}, {"--help"}, {"bfs", "--help"}, {"help"}, {"help", "gen"}, {"--version"}, {"completion", "bash"}, {"completion", "--help"},
	} {
		var errs bytes.Buffer
		if status := run(args, brokenPipe{}, &errs); status != 1 || !strings.Contains(errs.String(), "broken pipe") {
			t.Errorf("%s: status %d, %s", args, status, errs.String())
		}
	}
}
