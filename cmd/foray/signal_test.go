//go:build unix

// This file sends signals to commands at random moments, and runs them with little memory.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// asForay has the arguments of a command that TestAsForay runs as the program would.
const asForay = "FORAY_TEST_AS_FORAY"

func TestAsForay(t *testing.T) {
	args, ok := os.LookupEnv(asForay)
	if !ok {
		t.Skip("only runs as a process that other tests start")
	}
	frugally()
	processMemory = residentMemory
	endLate = func(status int) {
		writePeak()
		os.Exit(status)
	}
	endLate(run(strings.Split(args, "\n"), os.Stdout, os.Stderr))
}

// start begins a command in a separate process.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	cmd, stderr = exec.Command(os.Args[0], "-test.run=^TestAsForay$"), new(bytes.Buffer)
	cmd.Env = append(os.Environ(), asForay+"="+strings.Join(args, "\n"))
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, stderr
}

// TestTerminated: SIGTERM ends commands at any moment, with its status and one line, and an output is
// whole or not there. How long one takes is told and not judged: only what doesn't end fails.
func TestTerminated(t *testing.T) {
	testlong.Only(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	foray(t, 0, "gen", "kron15", "-o", at("g.parquet"))
	foray(t, 0, "gen", "kron15", "-o", at("g.txt"))
	foray(t, 0, "convert", at("g.parquet"), at("g.foray"))
	commands := [][]string{
		{"bfs", at("g.parquet"), "--source", "1", "-o", at("out.parquet")},
		{"cc", at("g.txt"), "-o", at("out.csv")},
		{"convert", at("g.parquet"), at("out.foray")},
		{"convert", at("g.txt"), at("out.arrow")},
		{"gen", "kron18", "-o", at("out2.parquet")},
		{"pagerank", at("g.foray"), "-o", at("out3.parquet")},
		{"closeness", "gen:path:100000", "--source", "5"},
		{"report", at("g.foray"), "-o", at("out.html"), "--sources", "40"},
		{"bc", "gen:kron13"},
	}
	rounds := 2
	if testlong.Long() {
		rounds = 20
	}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	var worst time.Duration
	for range rounds {
		for _, args := range commands {
			cmd, stderr := start(t, args...)
			time.Sleep(time.Duration(rng.Int64N(int64(400 * time.Millisecond))))
			began := time.Now()
			_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
			done := make(chan error, 1)
			go func() { done <- cmd.Wait() }()
			var err error
			select {
			case err = <-done:
				worst = max(worst, time.Since(began))
			case <-time.After(time.Minute):
				_ = cmd.Process.Signal(syscall.SIGQUIT)
				<-done
				t.Fatalf("%q doesn't end:\n%s", args, stderr)
			}
			var status *exec.ExitError
			switch {
			case err == nil:
			case errors.As(err, &status) && status.ExitCode() == exitSignal+int(syscall.SIGTERM):
				if !strings.HasSuffix(stderr.String(), "foray: interrupted\n") {
					t.Errorf("%q: %q", args, stderr)
				}
			case errors.As(err, &status) && status.ExitCode() == -1: // before it listened to signals
			default:
				t.Errorf("%q: %v: %s", args, err, stderr)
			}
		}
	}
	left, _ := os.ReadDir(dir)
	for _, e := range left {
		if strings.Contains(e.Name(), ".tmp") {
			t.Errorf("%s is left", e.Name())
		}
	}
	t.Logf("at most %v from the signal to the end", worst)
}

// TestEndsLate: a command that looks at no context is ended, with the signal's status.
func TestEndsLate(t *testing.T) {
	testlong.Project(t)
	table := filepath.Join(t.TempDir(), "log")
	if err := os.MkdirAll(filepath.Join(table, "_delta_log"), 0o755); err != nil {
		t.Fatal(err)
	}
	// Values of Avro that take hours are refused; JSON that takes seconds isn't looked at by a context.
	line := `{"add":{"path":"x","size":1,"partitionValues":{` + strings.Repeat(`"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":"",`, 1_300_000) + `"b":""}}}` + "\n"
	f, err := os.Create(filepath.Join(table, "_delta_log", fmt.Sprintf("%020d.json", 0)))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := f.WriteString(line); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	cmd, stderr := start(t, "info", table)
	time.Sleep(700 * time.Millisecond)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	err = cmd.Wait()
	var status *exec.ExitError
	if !errors.As(err, &status) || status.ExitCode() != exitSignal+int(syscall.SIGTERM) || stderr.String() != "foray: interrupted\n" {
		t.Errorf("%v: %s", err, stderr)
	}
}

// beforeMain matches the message of Go's runtime if it ends before the program's first statement: it has no
// heap yet, or is at the packages' variables, in the goroutine that is locked to its thread until then.
var beforeMain = regexp.MustCompile(`^runtime.*\(0 in use\)|\ngoroutine 1 .*\[.*, locked to thread\]:`)

// TestLittleAddressSpace: under ulimit -v commands work or report too little memory. None ends with a
// trace of Go's runtime, unless the runtime itself can't start.
func TestLittleAddressSpace(t *testing.T) {
	testlong.Only(t)
	prlimit, err := exec.LookPath("prlimit")
	if err != nil {
		t.Skip("needs prlimit: install util-linux")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	foray(t, 0, "gen", "kron17", "-o", at("g.parquet"))
	foray(t, 0, "gen", "kron17", "-o", at("g.txt"))
	foray(t, 0, "convert", at("g.parquet"), at("g.foray"))
	commands := [][]string{
		{"bfs", at("g.parquet"), "--source", "1"}, {"info", at("g.parquet")}, {"cc", "gen:kron18"}, {"bfs", at("g.txt"), "--source", "1"},
		{"convert", at("g.parquet"), at("out.parquet")}, {"convert", at("g.parquet"), at("out.foray")}, {"gen", "kron18", "-o", at("out2.parquet")},
		{"pagerank", at("g.foray")}, {"run", at("g.parquet"), "--do", "cc", "--do", "kcore", "-o", at("d")},
	}
	worked := 0
	for _, mib := range testlong.Of([]uint64{1000, 1750}, []uint64{1000, 1600, 1750, 2000, 2500}) {
		for _, args := range commands {
			for _, name := range []string{"out.parquet", "out.foray", "out2.parquet", "d"} {
				os.RemoveAll(at(name))
			}
			cmd := exec.Command(prlimit, fmt.Sprintf("--as=%d", mib<<20), os.Args[0], "-test.run=^TestAsForay$")
			cmd.Env = append(os.Environ(), "GOMAXPROCS=2", asForay+"="+strings.Join(args, "\n"))
			out, err := cmd.CombinedOutput()
			var status *exec.ExitError
			switch {
			case err == nil:
				worked++
			case errors.As(err, &status) && status.ExitCode() == exitError && (bytes.Contains(out, []byte("not enough memory")) || bytes.Contains(out, []byte("cannot allocate memory"))):
			case beforeMain.Match(out):
			default:
				t.Errorf("%q with %d MiB: %v: %.600s", args, mib, err, out)
			}
		}
	}
	if worked == 0 {
		t.Error("none worked")
	}
}
