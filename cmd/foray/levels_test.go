// This file tests the table of levels that bfs prints.

package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
)

// TestEdgesOfPulls: what isn't known isn't left blank, and what is 0 is 0.
func TestEdgesOfPulls(t *testing.T) {
	pushed := bfs.Level{Level: 1, Levels: 1, Frontier: 1, Edges: 3, Direction: "push"}
	pulled := bfs.Level{Level: 2, Levels: 1, Frontier: 3, Edges: 12, Direction: "pull"}
	none := bfs.Level{Level: 3, Levels: 1, Frontier: 2, Direction: "pull"}
	end := bfs.Level{Level: 4, Levels: 1, Frontier: 1, Direction: "push"}
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
		if f := strings.Fields(strings.ReplaceAll(row, "< 1", "0")); strings.Contains(row, " pull ") && len(f) != 5 {
			t.Errorf("%q, want five columns", row)
		}
	}
}

// TestDeepLevels: of a search of more levels than have a row each the table and the
// picture have all, summed up.
func TestDeepLevels(t *testing.T) {
	out, _ := foray(t, 0, "bfs", "gen:path:30000", "-s", "0", "--device", "host", "--all-levels")
	rows, vertices, next := 0, uint64(0), 0
	for _, row := range strings.Split(out, "\n") {
		f := strings.Fields(strings.ReplaceAll(row, ",", ""))
		if push := slices.Index(f, "push"); push > 2 {
			rows++
			first, last := number(t, f[0]), number(t, f[0])
			if f[1] == "to" {
				last = number(t, f[2])
			}
			if first != next || rows <= 2048 && last != first {
				t.Fatalf("%q comes after level %d", row, next-1)
			}
			next = last + 1
			vertices += uint64(number(t, f[push-2]))
		}
	}
	if rows < 2048 || rows > 4096 || vertices != 30000 || next != 30000 {
		t.Errorf("%d rows, %d vertices, %d levels", rows, vertices, next)
	}
	contains(t, out, "30,000 of 30,000 vertices (100 %) in 30,000 levels")
	out, _ = foray(t, 0, "bfs", "gen:path:30000", "-s", "0", "--device", "host", "--depth-limit", "25000")
	contains(t, out, "levels left out", " 25,000         1         not expanded")

	ls := levels(&bfs.Result{Reached: 12, Stats: []bfs.Level{{Level: 1, Levels: 1, Frontier: 1}, {Level: 2, Levels: 1, Frontier: 2}, {Level: 3, Levels: 3, Frontier: 5}, {Level: 6, Levels: 2, Frontier: 3}}})
	at := levelOf(ls)
	for depth, want := range []int{0, 1, 2, 2, 2, 3, 3, 4} {
		if got := at(int32(depth)); got != want {
			t.Errorf("depth %d is in entry %d, want %d", depth, got, want)
		}
	}
	if l := ls[len(ls)-1]; l.depth() != 7 || l.expanded || l.Frontier != 1 {
		t.Errorf("the last level is %+v", l)
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
