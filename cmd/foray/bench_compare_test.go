package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestBenchCompare: two measurements of a graph are compared; with a threshold a slower one fails.
func TestBenchCompare(t *testing.T) {
	dir := t.TempDir()
	out, _ := foray(t, 0, "bench", karate, "--json", "--sources", "8", "--trials", "1", "--algo", "bfs,dobfs", "--device", "host")
	old := write(t, "old.json", out)
	table, _ := foray(t, 0, "bench", "compare", old, old, "--threshold", "0")
	if strings.Count(table, "1.000 ~") != 2 || strings.Count(table, karate) != 2 || strings.Contains(table, "machines differ") {
		t.Errorf("%s", table)
	}
	slow := write(t, "slow.json", strings.ReplaceAll(strings.ReplaceAll(out, `"ms": [`, `"ms": [ 1e5,1e5,`), `"platform": "`, `"platform": "other `))
	table, errs := foray(t, 1, "bench", "compare", old, slow, "--threshold", "5%")
	contains(t, table, "the machines differ: host", "other ")
	contains(t, errs, "slower by more than --threshold: "+karate+" by bfs, "+karate+" by dobfs")
	foray(t, 0, "bench", "compare", slow, old, "--threshold", "5%")
	foray(t, 0, "bench", "compare", old, slow)
	out, _ = foray(t, 0, "bench", karate, "--json", "--sources", "8", "--trials", "1", "--algo", "bfs", "--device", "host")
	less := write(t, "less.json", out)
	out, _ = foray(t, 0, "bench", karate, "--json", "--sources", "2", "--trials", "1", "--device", "host")
	few := write(t, "few.json", out)
	for args, want := range map[string]string{
		old:                                  "needs OLD and NEW",
		old + " " + old + " --threshold x":   "want a share such as 5%",
		old + " " + old + " --threshold -1":  "want a share such as 5%",
		old + " " + old + " --threshold=":    "want a share such as 5%",
		old + " " + old + " --threshold 5":   "want a share such as 5%",
		old + " " + less + " --threshold 5%": "only one of the two has " + karate + ", dobfs",
		few + " " + few + " --threshold 5%":  "needs 6 sources",
		old + " " + dir:                      "it is a directory",
		old + " " + filepath.Join(dir, "no"): "no such file",
		old + " " + karate:                   "no report to compare",
	} {
		status := 1
		if strings.Contains(want, "want a") || strings.Contains(want, "needs OLD") {
			status = 2
		}
		_, errs := foray(t, status, append([]string{"bench", "compare"}, strings.Fields(args)...)...)
		contains(t, errs, want)
	}
}
