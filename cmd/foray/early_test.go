// This file tests that what can't be written is found before a graph is read or
// searched.

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/internal/tests3"
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
