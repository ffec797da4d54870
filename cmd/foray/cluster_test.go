//go:build linux && (amd64 || arm64) && !nocuda

// This file tests searches over processes that mpirun starts: this binary is run again
// as foray.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// Environment of a process that is a rank: its arguments, what becomes of rank 2 (or of
// rank 0, as in stopped@0), seconds after it joined the others (later stopped), and a folder for the ids of processes.
const (
	envArgs  = "FORAY_TEST_CLUSTER"
	envFault = "FORAY_TEST_CLUSTER_FAULT"
	envPids  = "FORAY_TEST_CLUSTER_PIDS"
)

// TestClusterRank is a rank's process.
func TestClusterRank(t *testing.T) {
	text := os.Getenv(envArgs)
	if text == "" {
		t.Skip("only runs as a rank that other tests start")
	}
	args := strings.Split(text, "\n")
	rank := os.Getenv("OMPI_COMM_WORLD_RANK") + os.Getenv("PMI_RANK") + os.Getenv("RANK")
	os.WriteFile(filepath.Join(os.Getenv(envPids), rank), []byte(strconv.Itoa(os.Getpid())), 0o666)
	fault, on, at := strings.Cut(os.Getenv(envFault), "@")
	if !at {
		on = "2"
	}
	fault, late := strings.CutPrefix(fault, "later ")
	if late {
		faultAfter = faultLate
	}
	if rank == on && fault != "" && fault != faultOutside {
		args = haveFault(fault, args)
	}
	hungAfter = time.Minute // a rank that gets no processor for seconds isn't what is tested
	switch {
	case fault == "stopped" && late, fault == faultOutside: // while others wait for it
		hungAfter = 0 // what users have
	case fault == "stopped", fault == "killed" && os.Getenv("RANK") != "": // mpirun finds the latter out
		hungAfter = 4 * time.Second
	}
	happens := afterJoining
	afterJoining = func() {
		os.WriteFile(filepath.Join(os.Getenv(envPids), "joined-"+rank), nil, 0o666)
		happens()
	}
	os.Exit(run(args, os.Stdout, os.Stderr))
}

// faultOutside is a fault that another process brings about.
const faultOutside = "outside"

// faultLate is in the middle of a search along a long path.
const faultLate = 5 * time.Second

// faultAfter is when a rank has its fault, after it joined the others.
var faultAfter = 500 * time.Millisecond

// haveFault makes something go wrong on this rank.
func haveFault(fault string, args []string) []string {
	signal := map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGSTOP, "interrupted": syscall.SIGINT}[fault]
	switch {
	case signal != 0:
		afterJoining = func() {
			time.AfterFunc(faultAfter, func() { syscall.Kill(os.Getpid(), signal) })
		}
	case fault == "memory": // little more than it has by then
		afterJoining = func() {
			pages := 0
			statm, _ := os.ReadFile("/proc/self/statm")
			fmt.Sscan(string(statm), &pages)
			most := uint64(pages*os.Getpagesize() + 16<<20)
			syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most})
		}
	case strings.HasPrefix(fault, "chdir "):
		os.Chdir(fault[6:])
	default: // further arguments
		args = append(args, strings.Fields(fault)...)
	}
	return args
}

// mpirun runs foray on ranks. It returns how long it was from
// when they were connected, and fails the test if a process is left behind.
func mpirun(t *testing.T, launcher string, n int, fault string, args ...string) (stdout, stderr string, took time.Duration, err error) {
	t.Helper()
	path, err := exec.LookPath(launcher)
	if err != nil {
		testlong.Missing(t, "mpi", "needs ", launcher, ": install openmpi-bin or mpich")
	}
	var flags []string
	if launcher == "mpirun.openmpi" {
		flags = []string{"--oversubscribe", "--allow-run-as-root"}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	pids := t.TempDir()
	cmd := exec.CommandContext(ctx, path, slices.Concat(flags, []string{"-n", strconv.Itoa(n), os.Args[0], "-test.run=^TestClusterRank$"})...)
	cmd.Env = append(os.Environ(), envArgs+"="+strings.Join(args, "\n"), envFault+"="+fault, envPids+"="+pids)
	cmd.Env = append(cmd.Env, "OMPI_MCA_orte_tmpdir_base="+pids) // mpiruns that create the same folder in /tmp at the same time may fail
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, 5*time.Second
	err = cmd.Run()
	return out.String(), errs.String(), gone(t, n, pids), err
}

// gone returns the time since ranks were connected, and fails the test if a process is still running.
func gone(t *testing.T, n int, pids string) (took time.Duration) {
	t.Helper()
	end := time.Now()
	for r := range n {
		if info, err := os.Stat(filepath.Join(pids, fmt.Sprint("joined-", r))); err == nil {
			took = end.Sub(info.ModTime())
		}
		text, _ := os.ReadFile(filepath.Join(pids, strconv.Itoa(r)))
		pid, _ := strconv.Atoi(string(text))
		for end := time.Now().Add(3 * time.Second); pid > 0 && syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Errorf("rank %d is still there", r)
				syscall.Kill(pid, syscall.SIGKILL)
				break
			}
		}
	}
	return took
}

// found matches what doesn't depend on the number of processes.
var found = regexp.MustCompile(`(?m)^(dropped|reached|targets|checksum|valid) .*$`)

func TestClusterMPI(t *testing.T) {
	testlong.Project(t)
	t.Parallel() // it waits for processes
	dir := t.TempDir()
	small := filepath.Join(dir, "groups.parquet")
	var rows strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&rows, "%d,%d\n", i*i*7919%100_003-50_000, i*31%977)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("src,dst\n"+rows.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	foray(t, 0, "convert", filepath.Join(dir, "a.csv"), small)
	type search struct {
		launcher string
		n        int
		args     string
	}
	all := []search{
		{"mpirun.openmpi", 4, "gen:kron12 --source 9 --parents"},
		{"mpirun.openmpi", 2, "gen:path:300 --source 0 --target 150 --target 7 --algo bfs"},
		{"mpirun.openmpi", 4, small + " " + karate + " --source 1 --parents --unique=false --workers 2"},
		{"mpirun.openmpi", 3, karate + " --source 1 --directed --depth-limit 2 --threshold 0"},
		{"mpirun.mpich", 4, small + " --source -50000 --threshold 3"},
		{"mpirun.mpich", 4, small + " --source 1 --parents --unique=false --local-all-to-all=2"},
		{"mpirun.openmpi", 3, "gen:kron12 --source 9 --parents --local-all-to-all=2"},
		{"mpirun.openmpi", 1, small + " --source 1 --threshold 4 --parents"},
		{"mpirun.mpich", 1, "gen:kron12 --source 9 --unique"},
	}
	testlong.AtOnce(t, 2, all, func(c search) string { return fmt.Sprint(c.launcher, c.n, " ", c.args[:9]) }, func(t *testing.T, c search) {
		args := append(strings.Fields("bfs --validate"), strings.Fields(c.args)...)
		own := regexp.MustCompile(` --(unique(=false)?|threshold \d+|local-all-to-all=\d+)`).ReplaceAllString(" "+strings.Join(args, " "), "")
		single := filepath.Join(t.TempDir(), "single.csv")
		want, _ := foray(t, 0, append(strings.Fields(own), "--device", "host", "-o", single, "--sort", "id")...)
		parts := filepath.Join(t.TempDir(), "parts")
		got, errs, _, err := mpirun(t, c.launcher, c.n, "", append(args, "-o", parts, "--format", "csv")...)
		if err != nil {
			t.Fatalf("%v\n%s%s", err, got, errs)
		}
		if g, w := found.FindAllString(got, -1), found.FindAllString(want, -1); !slices.Equal(g, w) {
			t.Errorf("got %q, want %q", g, w)
		}
		var lines []string
		for r := range c.n {
			text, err := os.ReadFile(filepath.Join(parts, fmt.Sprintf("part-%d.csv", r)))
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, strings.Split(strings.TrimSpace(string(text)), "\n")[1:]...)
		}
		text, _ := os.ReadFile(single)
		wanted := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
		// Any parent will do, --validate has looked at them.
		for _, list := range [][]string{lines, wanted} {
			for i, l := range list {
				list[i] = strings.Join(strings.Split(l, ",")[:2], ",")
			}
			slices.Sort(list)
		}
		if !slices.Equal(lines, wanted) {
			t.Errorf("%d rows that differ from those of one process, which are %d", len(lines), len(wanted))
		}
		if _, err := os.Stat(filepath.Join(parts, "_SUCCESS")); err != nil {
			t.Error(err)
		}
	})
}

// TestClusterJSON: rank 0 prints one document, with the fields in docs/json.md and the counts of a search in one process.
func TestClusterJSON(t *testing.T) {
	testlong.Project(t)
	t.Parallel()
	var list []any
	for _, args := range []string{
		"gen:kron10 --source 9 --target 3 --target 77 --parents --validate --json -o " + filepath.Join(t.TempDir(), "parts"),
		karate + " --source 1 --depth-limit 1 --directed --json --quiet",
	} {
		out, errs, _, err := mpirun(t, "mpirun.openmpi", 3, "", append([]string{"bfs"}, strings.Fields(args)...)...)
		if err != nil {
			t.Fatalf("%v\n%s%s", err, out, errs)
		}
		alone, _ := foray(t, 0, append([]string{"bfs", "--device", "host"}, strings.Fields(strings.ReplaceAll(args, "parts", "single.csv"))...)...)
		var got, want map[string]any
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
		if err := json.Unmarshal([]byte(alone), &want); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"counts", "valid", "checksum"} {
			if !reflect.DeepEqual(got[key], want[key]) {
				t.Errorf("%s: %s is %v, and %v in one process", args, key, got[key], want[key])
			}
		}
		list = append(list, got)
	}
	asDocumented(t, "bfs over processes", list)
}

// TestClusterFaults: whatever goes wrong on one rank ends all within 10 s.
func TestClusterFaults(t *testing.T) {
	testlong.Only(t)
	if testing.Short() {
		t.Skip("needs a run without -short: it waits for hanging processes")
	}
	t.Parallel()
	dir := t.TempDir()
	damaged := filepath.Join(dir, "damaged.parquet")
	whole, err := os.ReadFile(karate)
	if err != nil {
		t.Fatal(err)
	}
	for i := 10; i < 60; i++ {
		whole[i] ^= 0xff
	}
	if err := os.WriteFile(damaged, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	// The same names from another directory are other files, of the same size.
	elsewhere := filepath.Join(dir, "elsewhere", "c", "d")
	if err := os.MkdirAll(elsewhere, 0o777); err != nil {
		t.Fatal(err)
	}
	here, err := os.MkdirTemp(".", "here-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(here)
	same := filepath.Join(here, "same.arrow")
	if err := os.Mkdir(filepath.Join(elsewhere, here), 0o777); err != nil {
		t.Fatal(err)
	}
	for path, rows := range map[string]string{same: "1,2\n2,3\n", filepath.Join(elsewhere, same): "1,2\n2,4\n"} {
		foray(t, 0, "convert", write(t, "rows.csv", "src,dst\n"+rows), path, "--compression", "none")
	}
	const large = "gen:kron20 --source 1"
	type faulty struct{ fault, args, want string }
	all := []faulty{
		{"killed", large, "signal 9"},
		{"stopped", large, "rank 2: no progress for "},
		{"stopped@0", large, "rank 0: no progress for "},
		{"later stopped", "gen:path:3000000 --source 1", "rank 2: no progress for 7"},
		{"later stopped", "gen:path:3000000 --source 1 --local-all-to-all=2 --threshold 9", "rank 2: no progress for 7"},
		{"--local-all-to-all=2", large + " --local-all-to-all", "rank 2: ranks differ: it has --local-all-to-all 2, rank 0 has auto"},
		{"interrupted", large, "rank 2.*: context canceled: interrupted"},
		{"memory", large, "fatal error: .*(memory|mmap|newosproc)|runtime: cannot allocate memory|pthread_create failed|not enough memory"},
		{"--memory-limit 8MB", "gen:kron16 --source 1", `rank 2: not enough memory: it needs .* more than the 8.00 MB of its limit`},
		{"--source 3", large, "rank 2: ranks differ: it has --source"},
		{"", damaged + " --source 1", "rank 0.*damaged.parquet"},
		{"", large + " --plot a.svg", "--plot is not for a search over processes"},
		{"", large + " --local-all-to-all=2 --device cuda", "--local-all-to-all is for a search on hosts"},
		{"", large + " --local-all-to-all=0", "want a number of processes, 1 or more, auto or off"},
		{"", large + " --nosuch", "unknown flag: --nosuch"},
		{"--nosuch", large, "rank 2: ranks differ: it has the error unknown flag: --nosuch where rank 0 has PATH gen:kron20"},
		{"", "nowhere.parquet --source 1", `rank \d: (aborted: )?nowhere.parquet: no such file`},
		{"", "gen:path:10 --source 11", "--source: vertex 11 is not in the graph; its ids are of type uint32, from 0 to 9"},
		{"chdir " + elsewhere, same + " --source 1", "rank 2: ranks differ: it has files whose metadata has the hash"},
		{"", karate + " --source x", `--source: "x" is no int64; ids of the graph are of type int64, from 1 to 34`},
		{"", karate + " -o " + dir, "the directory has files already"},
	}
	name := func(c faulty) string {
		fault, _, _ := strings.Cut(c.fault, " /")
		return fault + " " + c.args[:9]
	}
	// mpirun takes seconds to end ranks, in which it waits.
	testlong.AtOnce(t, 3, all, name, func(t *testing.T, c faulty) {
		out, errs, took, err := mpirun(t, "mpirun.openmpi", 4, c.fault, append([]string{"bfs"}, strings.Fields(c.args)...)...)
		if err == nil {
			t.Errorf("it ended well: %s", out)
		}
		if !regexp.MustCompile(c.want).MatchString(out + errs) {
			t.Errorf("%q isn't in\n%s%s", c.want, out, errs)
		}
		// One rank prints, and so does a rank that fails before it joins the others.
		lines := strings.Count("\n"+errs, "\nforay: ")
		if most := strings.Count(c.fault, "--nosuch") + 1; lines > most || lines == 0 && !strings.Contains("killed memory", c.fault) {
			t.Errorf("%d ranks printed an error:\n%s", lines, errs)
		}
		if strings.HasPrefix(c.fault, "later ") {
			took -= faultLate
		}
		t.Logf("it took %v", took)
		if most := shared(10 * time.Second); took > most {
			t.Errorf("more than %v", most)
		}
	})
}

// shared is what d of a machine with nothing else to do may become on this one, by its load.
func shared(d time.Duration) time.Duration {
	text, _ := os.ReadFile("/proc/loadavg")
	load := 0.0
	fmt.Sscan(string(text), &load)
	return time.Duration(float64(d) * max(1, load/float64(runtime.NumCPU())))
}
