// This file tests the table of levels that bfs prints.

package main

import (
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
)

// TestEdgesOfPulls: what isn't known isn't left blank, and what is 0 is 0.
func TestEdgesOfPulls(t *testing.T) {
	pushed := bfs.Level{Frontier: 1, Edges: 3, Direction: bfs.Push}
	pulled := bfs.Level{Depth: 1, Frontier: 3, Edges: 12, Direction: bfs.Pull}
	none := bfs.Level{Depth: 2, Frontier: 2, Direction: bfs.Pull}
	end := bfs.Level{Depth: 3, Frontier: 1, Direction: bfs.Push}
	for _, c := range []struct {
		device string
		stats  []bfs.Level
		want   []string // by level
	}{
		{"host", []bfs.Level{pushed, pulled, none, end}, []string{"3 push", "12 pull", "0 pull", "0 push"}},
		{"host", []bfs.Level{pushed, none}, []string{"3 push", "0 pull"}},
		{"cuda:0", []bfs.Level{pushed, none, none, end}, []string{"3 push", "not counted pull", "not counted pull", "0 push"}},
		{"cuda:0", []bfs.Level{pushed, pulled, none, end}, []string{"3 push", "12 pull", "0 pull", "0 push"}},
	} {
		r := &bfs.Result{Device: c.device, Stats: c.stats}
		for _, l := range c.stats {
			r.Reached += l.Frontier
		}
		r.Reached++ // of a level that wasn't expanded
		var b strings.Builder
		if err := levelTable(levels(r), false).Write(&b, ""); err != nil {
			t.Fatal(err)
		}
		rows := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")[1:]
		if len(rows) != len(c.want)+1 || !strings.Contains(rows[len(rows)-1], "not expanded") {
			t.Fatalf("%s:\n%s", c.device, b.String())
		}
		for i, want := range c.want {
			if got := strings.Join(strings.Fields(rows[i]), " "); !strings.Contains(got, want) {
				t.Errorf("%s, row %q, want %q", c.device, got, want)
			}
		}
	}
	out, _ := foray(t, 0, "bfs", "gen:kron10", "--source", "1", "--device", "host", "--alpha", "1e9", "--beta", "1e9")
	contains(t, out, " pull ")
	for _, row := range strings.Split(out, "\n") {
		if f := strings.Fields(row); strings.Contains(row, " pull ") && len(f) != 5 {
			t.Errorf("%q, want five columns", row)
		}
	}
}
