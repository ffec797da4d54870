// This file builds the library, and the programs in C that call it.

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// output runs a program, which must end in ten minutes, and returns what it printed.
func output(t *testing.T, env []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func must(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	out, err := output(t, env, name, args...)
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

// installed returns the folder that build has made: the one that FORAY_LIBFORAY names, or one of the test.
func installed(t *testing.T) string {
	t.Helper()
	testlong.Project(t)
	for _, tool := range []string{"gcc", "pkg-config"} {
		if _, err := exec.LookPath(tool); err != nil {
			testlong.Missing(t, "compiler", "needs "+tool)
		}
	}
	dir := os.Getenv("FORAY_LIBFORAY")
	if dir == "" {
		dir = t.TempDir()
		must(t, nil, "./build", dir)
	}
	return dir
}

// compiled compiles a program against the library in a folder. flags come before its own.
func compiled(t *testing.T, dir, source string, flags ...string) string {
	t.Helper()
	lib := filepath.Join(dir, "lib")
	words := strings.Fields(must(t, []string{"PKG_CONFIG_PATH=" + filepath.Join(lib, "pkgconfig")}, "pkg-config", "--cflags", "--libs", "foray"))
	program := filepath.Join(t.TempDir(), "program")
	args := append([]string{"-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", program, source, "-Wl,-rpath," + lib}, flags...)
	must(t, nil, "gcc", append(args, words...)...)
	return program
}

// checks are the names that testdata/check.c takes.
var checks = []string{"searches", "types", "vertices", "arguments", "options", "tables", "large_options", "threads", "cancels"}

func TestLibrary(t *testing.T) {
	dir := installed(t)
	lib := filepath.Join(dir, "lib", "libforay.so")
	t.Run("example", func(t *testing.T) {
		got := must(t, nil, compiled(t, dir, "example/depths.c", "-std=c99", "-pedantic"))
		want := "vertex 1 is at depth 0\nvertex 2 is at depth 1\nvertex 3 is at depth 1\nvertex 4 is at depth 2\nvertex 5 is at depth 3\n"
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	t.Run("C++", func(t *testing.T) {
		must(t, nil, "g++", "-x", "c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "foray.h")
	})
	t.Run("exports", func(t *testing.T) {
		var names []string
		for line := range strings.Lines(must(t, nil, "nm", "-D", "--defined-only", lib)) {
			fields := strings.Fields(line)
			names = append(names, fields[len(fields)-1])
		}
		want := []string{"foray_cancel_free", "foray_cancel_new", "foray_cancel_request", "foray_free", "foray_run", "foray_version"}
		if slices.Sort(names); !slices.Equal(names, want) {
			t.Errorf("%v, want %v", names, want)
		}
	})
	all := strings.Join(checks, ": ok\n") + ": ok\n"
	t.Run("checks", func(t *testing.T) {
		if got := must(t, nil, compiled(t, dir, "testdata/check.c", "-std=gnu11"), checks...); got != all {
			t.Errorf("%s, want %s", got, all)
		}
	})
	t.Run("sanitizers", func(t *testing.T) {
		program := compiled(t, dir, "testdata/check.c", "-std=gnu11", "-fsanitize=address,undefined", "-fno-sanitize-recover")
		if got := must(t, nil, program, checks...); got != all {
			t.Errorf("%s, want %s", got, all)
		}
	})
	t.Run("process", func(t *testing.T) {
		program := compiled(t, dir, "testdata/process.c", "-std=gnu11")
		got, err := output(t, nil, program, lib)
		// Go needs the three, and calls the handlers that were there; that of SIGURG is wrapped. The flag is SA_ONSTACK.
		want := "other flags: 2 (INT): c000000, were 4000000\nanother handler: 7 (BUS)\nanother handler: 8 (FPE)\n" +
			"other flags: 10 (USR1): c000000, were 4000000\nanother handler: 11 (SEGV)\nanother handler: 23 (URG)\n"
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if err == nil || err.Error() != "signal: interrupt" {
			t.Errorf("it ended with %v, and not by its own SIGINT", err)
		}
	})
}

// TestValgrind runs the example and the checks under valgrind, with a library whose runtime tells it about the
// stacks and the heap of Go. Without the build tag valgrind takes these for errors. LeakSanitizer looks for leaks
// (TestLibrary/sanitizers): valgrind's own search ends at blocks of Go's that overlap. Checks of many threads and of
// large options are left out, since valgrind runs one thread at a time, and slowly.
func TestValgrind(t *testing.T) {
	testlong.Project(t)
	if _, err := exec.LookPath("valgrind"); err != nil {
		testlong.Missing(t, "valgrind", "needs valgrind:", err)
	}
	dir := t.TempDir()
	must(t, []string{"FORAY_TAGS=nocuda,valgrind"}, "./build", dir)
	// On processors without the instruction RDTSCP valgrind claims that there is one, and ends programs that use it.
	// The frame of a preemption by a signal is memory that valgrind takes for unused.
	env := []string{"GODEBUG=cpu.rdtscp=off,asyncpreemptoff=1"}
	options := []string{"-q", "--error-exitcode=9", "--leak-check=no"}
	must(t, env, "valgrind", append(options, compiled(t, dir, "example/depths.c"))...)
	must(t, env, "valgrind", append(options, compiled(t, dir, "testdata/check.c", "-std=gnu11"), "searches", "types", "vertices", "arguments", "tables")...)
}
