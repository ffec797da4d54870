// This file tests that what can't be written is found before a graph is read or
// searched.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

// TestFoundBeforeLoading: the input isn't there, and that isn't what is said.
func TestFoundBeforeLoading(t *testing.T) {
	f := tests3.NewFake(t, "lake", "locked")
	for k, v := range f.Env() {
		t.Setenv(k, v)
	}
	f.SetFault(func(q tests3.Request) tests3.Fault {
		if q.Bucket == "locked" && q.Op == tests3.Begin {
			return tests3.Fault{Status: 403, Code: "AccessDenied"}
		}
		return tests3.Fault{}
	})
	dir := t.TempDir()
	for _, c := range [][]string{
		{"bfs X -o s3://none/x.csv", "cannot write s3://none/x.csv", "no such bucket"},
		{"bfs X -o s3://none/x --partition-by depth", "cannot write s3://none/x", "no such bucket"},
		{"convert X s3://none/x.csv", "cannot write s3://none/x.csv", "no such bucket"},
		{"gen kron4 -o s3://none/x.csv", "cannot write s3://none/x.csv", "no such bucket"},
		{"bfs X -o s3://locked/x.csv", "cannot write s3://locked/x.csv", "access denied"},
		{"bfs X -o s3://locked/x --partition-by depth", "cannot write s3://locked/x", "access denied"},
		{"bfs X -o D/no/x --partition-by depth", "cannot write D/no/x", "make the directory D/no first"},
		{"bfs X -o D/no/x.csv", "cannot write D/no/x.csv", "make the directory D/no first"},
		{"bfs X --plot D/no/x.svg", "cannot write D/no/x.svg", "make the directory D/no first"},
	} {
		args := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(c[0], "D", dir), "X", filepath.Join(dir, "no-input.parquet")))
		_, stderr := foray(t, 1, args...)
		for _, want := range c[1:] {
			contains(t, stderr, strings.ReplaceAll(want, "D", dir))
		}
	}
	if len(f.Keys("locked")) != 0 || f.Uploads() != 0 {
		t.Error("something is left")
	}
}

// TestBenchFoundBeforeLoading: what is wrong with the flags is said, though the graph
// isn't there either; and a PATH that isn't there before another is measured.
func TestBenchFoundBeforeLoading(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no-input.parquet")
	for flags, want := range map[string]string{
		"--algo x":                               "--algo: want",
		"--algo seq --parents":                   "seq finds depths",
		"--strategy read --depths=false":         "strategy read needs depths",
		"--depths=false --given-order":           "nothing to put into the given order",
		"--device tpu":                           "unknown device",
		"--coupling fused --device host":         "are for GPUs; the device is host",
		"--algo bfs --culls label --device host": "are for GPUs; the device is host",
		"--trials 0":                             "must be at least 1",
		"--algo dobfs --strategy queue":          "--strategy is for --algo bfs",
		"--algo bfs --beta 3":                    "are for --algo dobfs",
		"--batch -1":                             "--batch",
	} {
		stdout, stderr := foray(t, 2, append([]string{"bench", missing}, strings.Fields(flags)...)...)
		contains(t, stderr, want)
		if stdout != "" || strings.Contains(stderr, "no-input") {
			t.Errorf("%s: %s%s", flags, stdout, stderr)
		}
	}
	for _, second := range []string{missing, filepath.Join(filepath.Dir(missing), "*.parquet")} {
		stdout, stderr := foray(t, 1, "bench", karate, second)
		if stdout != "" {
			t.Errorf("it measured:\n%s", stdout)
		}
		contains(t, stderr, second)
	}
}

// TestFoundBeforeSearching: nothing is printed about a search.
func TestFoundBeforeSearching(t *testing.T) {
	dir := t.TempDir()
	vertices := table(t, "people.arrow", []arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "score", Type: arrow.PrimitiveTypes.Float64}}, []string{"1", "0.5"})
	for _, c := range [][]string{
		{"bfs K -o D/x --partition-by vertex_3", `"vertex_3" is no column of the result; choose vertex or depth`},
		{"bfs K -o D/x --partition-by parent_2 --parents", `"parent_2" is no column of the result; choose vertex, depth or parent`},
		{"bfs K -o D/x --partition-by score --vertices V --properties score", `"score" is a column of floats`},
		{"bfs gen:urand15 -o D/x --partition-by vertex", "vertex has more than 10000 values"},
	} {
		args := strings.Fields(strings.NewReplacer("K", karate, "D", dir, "V", vertices).Replace(c[0]))
		stdout, stderr := foray(t, 1, args...)
		contains(t, stderr, c[1])
		if stdout != "" {
			t.Errorf("%s: it searched:\n%s", c[0], stdout)
		}
	}
}

// TestOverwriteInput: a lake isn't replaced by a result of it.
func TestOverwriteInput(t *testing.T) {
	dir := t.TempDir()
	lake := filepath.Join(dir, "lake")
	foray(t, 0, "bfs", karate, "-s", "1", "--parents", "--partition-by", "depth", "-o", lake)
	link := filepath.Join(dir, "link")
	if err := os.Symlink("lake", link); err != nil {
		testlong.Without(t, "needs symbolic links", err)
	}
	columns := []string{"--src", "vertex", "--dst", "parent", "--nulls", "skip", "--partition-by", "depth", "--overwrite"}
	for _, in := range []string{lake, lake + "/", lake + "/depth=1", lake + "/*/*.parquet", lake + "/depth=1/part-0.parquet", link} {
		for _, out := range []string{lake, lake + "/depth=1", link} {
			_, stderr := foray(t, 2, append([]string{"bfs", in, "-o", out}, columns...)...)
			contains(t, stderr, "--overwrite: "+in+" is read")
			if strings.Contains(in, "*") || strings.HasSuffix(in, ".parquet") {
				break // what it matches may lie elsewhere
			}
		}
	}
	foray(t, 0, append([]string{"bfs", lake, "-o", lake + "-result"}, columns...)...)
	foray(t, 0, append([]string{"bfs", lake, "-o", lake + "-result"}, columns...)...)
	for k, v := range tests3.NewFake(t, "lake").Env() {
		t.Setenv(k, v)
	}
	_, stderr := foray(t, 2, append([]string{"bfs", "s3://lake/in/", "-o", "s3://lake/in"}, columns...)...)
	contains(t, stderr, "--overwrite: s3://lake/in/ is read")
}

// TestPlotFails: the table is written all the same.
func TestPlotFails(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	foray(t, 0, "bfs", karate, "-s", "1", "-o", out, "--partition-by", "vertex", "--format", "csv")
	gone := filepath.Join(out, "vertex=1") // when -o replaces what it is in
	_, stderr := foray(t, 1, "bfs", karate, "-s", "1", "-o", out, "--partition-by", "depth", "--overwrite", "--plot", filepath.Join(gone, "x.svg"))
	contains(t, stderr, "cannot write "+filepath.Join(gone, "x.svg"))
	if entries, err := os.ReadDir(out); err != nil || len(entries) != 5 { // of four depths, and the list
		t.Errorf("%v, %v", entries, err)
	}
}
