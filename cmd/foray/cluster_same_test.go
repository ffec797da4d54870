//go:build linux && (amd64 || arm64) && !nocuda

// This file compares what searches over processes print with what a search in one process prints.

package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// ownLines are those that foray printed, without what a launcher adds.
var ownLines = regexp.MustCompile(`(?m)^foray: .*$`)

// TestDropped: what was dropped is printed, as TestClusterMPI compares.
func TestDropped(t *testing.T) {
	out, _ := foray(t, 0, "bfs", write(t, "a.csv", "src,dst\n1,2\n2,1\n2,2\n3,4\n4,4\n"), "--source", "1", "--device", "host")
	contains(t, out, "\ndropped    2 self-loops, 1 repeated edge of 5 edges given\n")
}

// TestClusterErrors: errors that occur on all ranks are the same as in one process, and one rank prints them.
func TestClusterErrors(t *testing.T) {
	testlong.Project(t)
	t.Parallel() // it waits for processes
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.parquet")
	foray(t, 0, "convert", karate, empty, "--where", "src>50")
	unsigned := filepath.Join(dir, "unsigned.parquet")
	foray(t, 0, "convert", "--ids", "uint64", write(t, "b.csv", "src,dst\n18446744073709551615,2\n"), unsigned)
	all := []string{
		karate + " --source 99",
		karate + " --source 1 --target 0",
		karate + " --source 1 --source x",
		karate + " --source 99999999999999999999",
		karate + " --where src>5 --source 1",
		karate + " --where src>5 --source x",
		unsigned + " --source 3",
		unsigned + " --source -1",
		"gen:path:10 --source 10",
		"gen:path:10 --source 4294967296",
		empty,
		empty + " --source 1",
	}
	name := func(args string) string { return strings.ReplaceAll(args, dir, "") }
	testlong.AtOnce(t, 3, all, name, func(t *testing.T, args string) {
		launcher := []string{"mpirun.openmpi", "mpirun.mpich"}[slices.Index(all, args)%2]
		_, want := foray(t, 1, append([]string{"bfs", "--device", "host"}, strings.Fields(args)...)...)
		_, got, _, err := mpirun(t, launcher, 3, "", append([]string{"bfs"}, strings.Fields(args)...)...)
		// MPICH's mpirun kills the remaining ranks when the first rank ends.
		if exit, ok := err.(*exec.ExitError); !ok || launcher == "mpirun.openmpi" && exit.ExitCode() != 1 {
			t.Errorf("%s: %v", launcher, err)
		}
		if lines := ownLines.FindAllString(got, -1); !slices.Equal(lines, ownLines.FindAllString(want, -1)) {
			t.Errorf("%s: %q, in one process %q", launcher, lines, want)
		}
	})
}
