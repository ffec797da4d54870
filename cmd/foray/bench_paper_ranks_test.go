//go:build linux && (amd64 || arm64) && !nocuda

// This file tests bench paper over processes that mpirun starts.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// paperArgs make a small report.
func paperArgs(dir string, more ...string) []string {
	return append(strings.Fields("bench paper --sources 1 --trials 1 --device host --graph small=gen:kron6 -o "+dir), more...)
}

// TestClusterPaper: the ranks of the figure are MPI's processes, as its caption states; another run replaces the report.
func TestClusterPaper(t *testing.T) {
	testlong.Project(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "report")
	for _, c := range []struct {
		launcher string
		n        int
		ranks    []string // by figure
	}{
		{"mpirun.openmpi", 3, []string{"threshold,gen:kron15,32768,*,3,3,", "strong scaling,gen:kron15,32768,*,3,3,", "weak scaling,gen:kron14,16384,*,2,3,"}},
		{"mpirun.mpich", 2, []string{"threshold,gen:kron15,32768,*,2,2,", "strong scaling,gen:kron15,32768,*,1,2,"}},
		{"mpirun.openmpi", 1, nil},
	} {
		out, errs, _, err := mpirun(t, c.launcher, c.n, "", paperArgs(dir)...)
		if err != nil || strings.Count(out, "wrote      ") != 1 {
			t.Fatalf("%s of %d: %v\n%s%s", c.launcher, c.n, err, out, errs)
		}
		rows := read(t, filepath.Join(dir, "cluster.csv"))
		for _, want := range c.ranks {
			if want = strings.ReplaceAll(regexp.QuoteMeta(want), `\*`, `\d+`); !regexp.MustCompile(`(?m)^` + want).MatchString(rows) {
				t.Errorf("%s of %d: no row %s in\n%s", c.launcher, c.n, want, rows)
			}
		}
		page := read(t, filepath.Join(dir, "report.html"))
		if c.n == 1 {
			lacks(t, page, "mpirun")
			lacks(t, page, "Pan, Pearce")
			continue
		}
		contains(t, page, fmt.Sprintf("Ranks are the first of %d processes that mpirun started on 1 machine", c.n), fmt.Sprintf("mpirun -n %d foray bench paper -o ", c.n), "Depths were compared")
		lacks(t, page, "goroutines")
	}
}

// TestClusterPaperFaults: whatever goes wrong ends all processes, with one line of one rank, and leaves no report.
func TestClusterPaperFaults(t *testing.T) {
	testlong.Project(t)
	if testing.Short() {
		t.Skip("needs a run without -short: it waits for hanging processes")
	}
	t.Parallel()
	type faulty struct {
		fault, more, want string
	}
	all := []faulty{
		{"", "--graph mine=nowhere.parquet", "nowhere.parquet: no such file"},
		{"", "--graph nope", "--graph nope: no such graph"},
		{"", "--sources 0", "--sources and --trials must be at least 1"},
		{"", "--nosuch", "unknown flag: --nosuch"},
		{"--seed 3", "", "rank 2: ranks differ: it has --seed 3, rank 0 has 1"},
		{"interrupted", "--trials 9999", "rank 2.*: context canceled: interrupted"},
		{"interrupted@0", "--trials 9999", "interrupted"},
		{"killed", "--trials 9999", "signal 9"},
		{"stopped@0", "--trials 9999", "rank 0: no progress for "},
	}
	testlong.AtOnce(t, 3, all, func(c faulty) string { return c.fault + " " + c.more }, func(t *testing.T, c faulty) {
		at := t.TempDir()
		out, errs, took, err := mpirun(t, "mpirun.openmpi", 3, c.fault, paperArgs(filepath.Join(at, "report"), strings.Fields(c.more)...)...)
		if err == nil || !regexp.MustCompile(c.want).MatchString(errs+out) {
			t.Errorf("%v, want %q in\n%s%s", err, c.want, out, errs)
		}
		if lines := strings.Count("\n"+errs, "\nforay: "); lines > 1 || lines == 0 && c.fault != "killed" {
			t.Errorf("%d ranks printed an error:\n%s", lines, errs)
		}
		if _, err := os.Stat(filepath.Join(at, "report")); err == nil {
			t.Error("there is a report")
		}
		if most := shared(10 * time.Second); took > most {
			t.Errorf("it took %v", took)
		}
	})
}
